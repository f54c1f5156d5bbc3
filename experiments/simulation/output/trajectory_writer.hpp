#pragma once
/// \file
/// A run as a table: one row a sample, written as it comes.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_stream.hpp"
#include "experiments/simulation/output/motion_columns.hpp"
#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// What a trajectory holds beyond the state.
struct TrajectoryContent {
  bool reactions = false;
  /// Reactions about the joint's origin on body a, as ADAMS has them, instead of about the joint's point.
  bool reactions_about_a = false;
  MotionColumnChoice motion = {};
  std::vector<std::string> comments;  ///< lines for the head of the file, without '#'
};

/// Columns: t; every state component by its layout name; kinetic, potential, total (J); position_residual = max |Phi|,
/// velocity_residual = max |Phi'|; x_, y_, z_, vx_, vy_, vz_ of every marker (m, m/s, world axes); what is chosen of
/// the motion; with reactions fx_, fy_, fz_, nx_, ny_, nz_ of every joint (N, N m, world axes, on the outboard body,
/// about the joint's point: of joints that slide its origin on b, of others the one that both share), then drive_ of
/// every driven component (N or N m along it) and coupling_ of every coupling (its multiplier).
class TrajectoryWriter : public OdeSink {
 public:
  /// \param file see CsvStream \param formulation of the run; must outlive the writer
  TrajectoryWriter(const std::filesystem::path& file, Formulation& formulation, const TrajectoryContent& content = {});

  /// \throws FileError when the file cannot be written, std::runtime_error when the state cannot be observed
  bool sample(double t, std::span<const double> x) override;
  /// Completes the file. \throws FileError
  void finish() { stream_.finish(); }
  [[nodiscard]] std::size_t rows() const { return stream_.rows(); }

 private:
  void append(const Vec3& vector) { row_.insert(row_.end(), vector.begin(), vector.end()); }
  void append(const std::vector<Vec6>& wrenches);
  void append_reactions(double t, std::span<const double> x);

  Formulation& formulation_;
  bool with_reactions_;
  bool about_a_;
  MotionColumns motion_;
  CsvStream stream_;
  Observation observation_;
  Reactions reactions_;
  std::unique_ptr<Kinematics> kinematics_;  // with reactions; else 2 kB a body for nothing
  std::vector<double> q_;
  std::vector<double> u_;
  std::vector<double> row_;
};

}  // namespace mbdbench
