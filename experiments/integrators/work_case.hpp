#pragma once
/// \file
/// What a work-precision diagram is drawn of: a problem or a formulation of a mechanism, and how errors are measured
/// where formulations differ.
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "integrators/ode.hpp"

namespace mbdbench::integrator_study {

/// What is compared at the end of a run: the same numbers from every formulation.
struct Outcome {
  /// State components of a problem; coordinates of the bodies' centres of mass (m, world axes) of a mechanism.
  std::vector<double> coordinates;
  std::vector<Mat3> rotations;  ///< of the bodies; empty for a problem
};

/// \returns the largest difference of a coordinate.
double coordinate_error(const Outcome& a, const Outcome& b);
/// \returns the largest angle between two orientations of a body, rad; 0 without bodies.
double rotation_error(const Outcome& a, const Outcome& b);

/// One system to integrate from 0 to tf.
struct WorkCase {
  std::string mechanism;    ///< name of the problem or the user's word for the mechanism
  std::string formulation;  ///< KEY[options]; empty for a problem
  OdeSystem system;
  std::vector<double> x0;
  double tf = 0.0;
  /// Runs that need more are cut off.
  std::size_t evaluation_limit = 0;
  std::function<Outcome(double t, std::span<const double> x)> outcome;

  [[nodiscard]] bool is_mechanism() const { return !formulation.empty(); }
};

/// The end of a run that all others are measured against.
struct Reference {
  Outcome outcome;
  /// Largest difference from a second run by another method, for mechanisms in other variables as well.
  double coordinate_uncertainty = 0.0;
  double rotation_uncertainty = 0.0;
  std::string method;   ///< how it was found, for the records
  std::string failure;  ///< why there is none; empty otherwise
};

/// \param name vdp1, lorenz or kepler
WorkCase problem_case(const std::string& name);

/// \throws as find_mechanism does; std::invalid_argument for a formulation that does not exist; ModelError when it
///         refuses the mechanism
WorkCase mechanism_case(const Registries& registries, const std::string& word, const std::string& formulation);

/// \returns the keys of the formulations whose curves are drawn: the wanted ones that treat the mechanism; nothing
/// wanted: one a kind of state, the O(n) one where it treats the mechanism, because the others of that kind give the
/// same curve.
std::vector<std::string> formulations_for(const Registries& registries, const std::string& word,
                                          std::span<const std::string> wanted);

/// References by mechanism, found when they are first asked for.
class References {
 public:
  explicit References(const Registries& registries) : registries_(registries) {}
  const Reference& of(const WorkCase& target);

 private:
  const Registries& registries_;
  std::map<std::string, Reference> found_;
};

}  // namespace mbdbench::integrator_study
