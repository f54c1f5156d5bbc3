#pragma once
/// \file
/// Where short runs of a mechanism end, and how far apart ends are.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"

namespace mbdbench::soak {

inline constexpr double kRunEnd = 0.25;  ///< s
inline constexpr double kRunTolerance = 1e-8;
/// What both tolerances are divided by to see whether a difference is one of integration.
inline constexpr double kTighter = 100.0;

/// How a run ended.
struct RunEnd {
  std::string failure;      ///< empty: it reached its end and is accurate
  bool inaccurate = false;  ///< the failure is that it reached its end beyond limits
  std::vector<double> x;
  double t = 0.0;
};

/// Tolerance of a run, and the tolerance whose limits judge it.
struct RunTolerance {
  double of_steps = kRunTolerance;
  double of_limits = kRunTolerance;
};

/// What a run that was beyond its limits is judged by a second time. Errors of integration fall with the tolerance, by
/// kTighter; a tenth of that will do. A wrong term stays.
inline constexpr RunTolerance kSecondLook = {kRunTolerance / kTighter, kRunTolerance / 10.0};

/// A run by ode45, judged as `simulate` does.
RunEnd run_between(const Registries& registries, Formulation& formulation, double start, double end,
                   std::span<const double> x0, const RunTolerance& tolerance);

/// Centres and axes of all bodies, for comparisons across formulations. Nothing where there are none.
using Places = std::optional<std::vector<Vec3>>;

/// \returns nothing where the state cannot be unpacked.
Places places(Formulation& formulation, const RunEnd& end);

/// \returns the largest difference, relative to the larger of one and the extent; infinity where either is missing or
/// not a number.
double difference(const Places& a, const Places& b);

/// Where `dense` ends, and how far apart its own ends are at other tolerances.
class ReferenceEnd {
 public:
  ReferenceEnd(const Registries& registries, const Mechanism& mechanism);

  /// Nothing where its run did not come through.
  [[nodiscard]] const Places& at_tolerance() const { return at_tolerance_; }
  /// With a tolerance a hundred times smaller. The first time it takes a run.
  const Places& at_tighter();
  /// \returns the difference of ends that the motion makes of errors of the size of the tolerance: those of ten times
  /// and a tenth of it. The first time it takes two runs.
  double sensitivity();

 private:
  [[nodiscard]] Places at(double tolerance) const;

  const Registries& registries_;
  const Mechanism& mechanism_;
  Places at_tolerance_;
  std::optional<Places> at_tighter_;
  std::optional<double> sensitivity_;
};

}  // namespace mbdbench::soak
