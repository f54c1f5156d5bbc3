#pragma once
/// \file
/// The numbers of [Chadaj2015], section III (results/published/chadaj2015_pendulum16.csv), and those that independent
/// prototypes of this project found for the same model, which the paper does not print.
#include <array>
#include <string_view>

#include "experiments/records/record_maker.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::chadaj2015 {

inline constexpr NumberSource kPaper = published_in("Chadaj2015, sect. III");
inline constexpr NumberSource kPrototype = expected_from("independent prototype");

/// One row of the paper's comparison.
struct PublishedRun {
  std::string_view formulation;
  std::string_view integrator;
  double tolerance;
  int function_evaluations;
  double wall_time_s;  ///< MATLAB, serial, of 2015
};

inline constexpr std::array kPublishedRuns = {
    PublishedRun{"dca", "ode45", 1e-6, 3493, 67.3},
    PublishedRun{"hdca", "ode45", 1e-6, 3169, 60.9},
};

/// What the prototypes found with ode45 at 1e-6 for a kind of state.
struct PrototypeRun {
  StateKind rate_kind;
  int steps;
  int failed;
  double first_step;                 ///< s
  double largest_energy_error;       ///< J
  double energy_error_uncertainty;   ///< half a unit of its last known digit, J
  double limited_share;              ///< share of the steps limited by a component of `limiting_kind`
  double limited_share_uncertainty;  ///< half a unit of its last known digit
  StateKind limiting_kind;
  int function_evaluations_angles_control;  ///< with the angles alone under error control
};

inline constexpr std::array kPrototypeRuns = {
    PrototypeRun{StateKind::velocity, 576, 6, 0.007718132654, 2.0e-4, 0.05e-4, 0.988, 0.0005, StateKind::velocity,
                 2443},
    PrototypeRun{StateKind::momentum, 525, 3, 4.019860757e-5, 1.3e-3, 0.05e-3, 0.83, 0.005, StateKind::position, 3085},
};

/// Tip at 10 s in long double (m), two integrators agreeing to 2.5e-9 rad.
inline constexpr double kTipX = -5.0000137;
inline constexpr double kTipZ = -7.3163252;

/// Largest kinetic energy in the 10 s, J.
inline constexpr double kLargestKineticEnergy = 1248.0;

/// \returns the paper's row of a kind of state: its DCA integrates velocities, its HDCA momenta.
constexpr const PublishedRun& published_run(StateKind rate_kind) {
  return kPublishedRuns[rate_kind == StateKind::momentum ? 1 : 0];
}

/// \returns the prototypes' row of a kind of state.
constexpr const PrototypeRun& prototype_run(StateKind rate_kind) {
  return kPrototypeRuns[rate_kind == StateKind::momentum ? 1 : 0];
}

}  // namespace mbdbench::chadaj2015
