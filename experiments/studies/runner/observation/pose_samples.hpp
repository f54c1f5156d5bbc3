#pragma once
/// \file
/// Where the bodies are at the sample times of a run: the same numbers from every formulation.
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench::studies {

/// At one time: centres of mass (m, world axes), orientations (body to world), markers (m), joint coordinates.
struct Poses {
  std::vector<Vec3> centres;
  std::vector<Mat3> rotations;
  std::vector<Vec3> markers;
  std::vector<double> q;  ///< joint coordinates, m and rad
};

/// Largest differences between two sequences of the same length.
struct PoseDifferences {
  double position = 0.0;        ///< m
  double orientation = 0.0;     ///< rad
  std::vector<double> markers;  ///< m
};

/// \returns what is at the kinematics' positions. \param q the coordinates they were set to
Poses poses_at(const Kinematics& kinematics, std::span<const double> q);

/// \returns the largest differences over all times. \throws std::invalid_argument where lengths differ
PoseDifferences differences(const std::vector<Poses>& a, const std::vector<Poses>& b);

/// \returns the largest difference of a joint coordinate. \throws std::invalid_argument where lengths differ
double joint_difference(const Poses& a, const Poses& b);

/// \returns the times of a run from 0: 0, end / samples, ..., end.
std::vector<double> sample_times(double end, int samples);

/// Keeps the poses at the sample times; methods that are asked for two times alone tell every step.
class PoseSampler : public OdeSink {
 public:
  /// \param formulation of the run; must outlive the sampler \param times `sample_times`
  PoseSampler(Formulation& formulation, std::vector<double> times);

  /// \throws std::runtime_error when the state cannot be unpacked
  bool sample(double t, std::span<const double> x) override;
  [[nodiscard]] const std::vector<Poses>& poses() const { return poses_; }

 private:
  Formulation& formulation_;
  std::vector<double> times_;
  Kinematics kinematics_;
  std::vector<double> q_;
  std::vector<double> u_;
  std::vector<Poses> poses_;
};

}  // namespace mbdbench::studies
