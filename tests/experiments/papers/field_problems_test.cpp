/// \file
/// Problems of the field that are solved elsewhere or in one degree of freedom: every formulation ends where the
/// reference ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/simulation/simulation.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/experiments/one_freedom_motion.hpp"
#include "tests/support/closed_form_loops.hpp"

namespace mbdbench {
namespace {

struct MarkerEnd {
  bool treated = false;  ///< not refused
  SimulationResult result;
  Observation observation;
  std::vector<double> q;
  std::vector<double> u;
};

MarkerEnd end_of_motion(const Mechanism& mechanism, const std::string& key, double tolerance, double end,
                        const std::string& options = {}, const std::string& integrator = "ode45") {
  MarkerEnd reached;
  const auto& registry = formulation_registry();
  const FormulationEntry& entry = *find_formulation(registry, key);
  if (!entry.refusal(mechanism).empty()) {
    return reached;
  }
  reached.treated = true;
  const auto formulation = make_formulation(registry, entry, mechanism, options);
  SimulationOptions settings;
  settings.ode.relative_tolerance = tolerance;
  settings.absolute_tolerance = tolerance;
  settings.ode.max_evaluations = 20'000;
  NullSink sink;
  reached.result = simulate(*formulation, *find_integrator(integrator_registry(), integrator),
                            std::array<double, 2>{0.0, end}, initial_state(*formulation, 0.0), settings, sink);
  if (reached.result.succeeded()) {
    EXPECT_TRUE(formulation->observe(end, reached.result.ode.x, reached.observation).ok);
    reached.q.resize(static_cast<std::size_t>(mechanism.q_size()));
    reached.u.resize(static_cast<std::size_t>(mechanism.u_size()));
    EXPECT_TRUE(formulation->unpack(end, reached.result.ode.x, reached.q, reached.u).ok);
  }
  return reached;
}

/// A problem whose positions at the end are known.
struct Problem {
  const char* mechanism;
  double end;
  test::OneFreedomMotion::Coordinates coordinates;
  double start;  ///< place on the curve
  double rate;
};

Vec3 first_marker(const Mechanism& mechanism, const Eigen::VectorXd& q) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(q));
  kinematics.set_velocities(view(Eigen::VectorXd(Eigen::VectorXd::Zero(mechanism.u_size()))));
  return marker_state(kinematics, 0).position;
}

Vec3 end_of_reference(const Problem& problem) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), problem.mechanism);
  test::OneFreedomMotion motion(mechanism, problem.coordinates);
  return first_marker(mechanism, motion.positions_at(problem.end, problem.start, problem.rate));
}

void expect_end_at(const Vec3& expected, const Problem& problem, const std::string& key, const std::string& options,
                   double tolerance, double limit) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), problem.mechanism);
  const MarkerEnd reached = end_of_motion(mechanism, key, tolerance, problem.end, options);
  SCOPED_TRACE(fmt::format("{}, {}[{}] at {}: {} evaluations {}", problem.mechanism, key, options, tolerance,
                           reached.result.ode.statistics.nfevals, reached.result.message()));
  ASSERT_TRUE(reached.treated);
  ASSERT_TRUE(reached.result.succeeded());
  EXPECT_LT((reached.observation.marker_positions[0] - expected).norm(), limit);
}

// With the rank decided at the drifted position dense, dense-momentum, dca and hdca did not end within 20000
// evaluations or ended up to 2 m off, dca-alm and dca-alm-proj up to 0.3 m.
TEST(field_problems, mechanisms_mobile_by_geometry_alone_move_as_they_should) {
  const std::vector<Problem> problems = {{"bricard", 10.0, test::bricard_coordinates, 0.25 * std::numbers::pi, 0.0},
                                         {"bennett", 5.0, test::bennett_coordinates, 0.5, 0.0}};
  for (const Problem& problem : problems) {
    const Vec3 expected = end_of_reference(problem);
    for (const char* key : {"dense", "dense-momentum", "hdca", "dca", "dca-alm", "dca-alm-proj", "bae-haug", "naudet",
                            "naudet-acc", "naudet-reduced", "naudet-acc-reduced"}) {
      // Largest error measured: 5e-3 and 8e-6 m. Locked or torn mechanisms are off by 1e-2 to 2 m.
      expect_end_at(expected, problem, key, {}, 1e-4, 8e-3);
      expect_end_at(expected, problem, key, {}, 1e-6, 2e-5);
    }
  }
}

// Flat and stretched chains are singular positions. Momenta as published lost energy there, 1.6e-2 m off and ok;
// naudet-acc does not pass them at every tolerance.
TEST(field_problems, sarrus_passes_its_singular_positions) {
  const Problem problem = {"sarrus", 5.0, test::sarrus_coordinates, 0.5, 0.0};
  const Vec3 expected = end_of_reference(problem);
  for (const char* key : {"dense", "dca", "bae-haug"}) {
    expect_end_at(expected, problem, key, {}, 1e-4, 1e-2);
    expect_end_at(expected, problem, key, {}, 1e-6, 4e-5);
  }
  for (const char* key : {"hdca", "dense-momentum"}) {
    // Largest of a body at any time: 1.2e-3 and 3.2e-4 m.
    expect_end_at(expected, problem, key, {}, 1e-4, 1e-2);
    expect_end_at(expected, problem, key, {}, 1e-6, 1e-3);
  }
}

// Without projections the acceleration forms ended on another branch, up to 1.6 m off and ok; momenta as published end
// up to 1.9 m off, or not at all.
void expect_n_four_bar_to_pass(int n) {
  const std::string name = fmt::format("n_four_bar:{}", n);
  const Problem problem = {name.c_str(), 10.0, [n](double theta) { return test::n_four_bar_coordinates(n, theta); },
                           0.0, 1.0};
  const Vec3 expected = end_of_reference(problem);
  for (const char* key :
       {"dense", "dca", "bae-haug", "naudet", "naudet-acc", "dca-alm-proj", "hdca", "dense-momentum"}) {
    // The step control's own error, the same in all of them: the bars turn ten times past an unstable position.
    expect_end_at(expected, problem, key, {}, 1e-6, 1e-3);
  }
}

TEST(field_problems, n_four_bar_passes_its_singular_positions) {
  for (const int n : {1, 2, 3, 10}) {
    expect_n_four_bar_to_pass(n);
  }
}

TEST(FieldProblemsRunTest, NFourBarOfFortyWindowsPassesItsSingularPositions) {
  expect_n_four_bar_to_pass(40);
}

// [Mazzia2008]: PSIDE at relative and absolute tolerances of 1e-14 on a Cray C90, t = 0.03 s.
constexpr std::array<double, 7> kSqueezerAngles = {
    0.1581077119629904e+2, -0.1575637105984298e+2, 0.4082224013073101e-1, -0.5347301163226948e+0,
    0.5244099658805304e+0, 0.5347301163226948e+0,  0.1048080741042263e+1};
constexpr std::array<double, 7> kSqueezerRates = {0.1139920302151208e+4, -0.1424379294994111e+4, 0.1103291221937134e+2,
                                                  0.1929337464421385e+2, 0.5735699284790808e+0,  -0.1929337464421385e+2,
                                                  0.3231791658026955e+0};
// The test set's order: beta, Theta, gamma, Phi, delta, Omega, epsilon.
constexpr std::array<const char*, 7> kSqueezerJoints = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};

TEST(field_problems, squeezer_ends_where_the_test_set_says) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "squeezer");
  for (const FormulationEntry& entry : formulation_registry()) {
    SCOPED_TRACE(entry.key);
    const MarkerEnd reached = end_of_motion(mechanism, std::string(entry.key), 1e-10, 0.03);
    if (!reached.treated) {
      continue;
    }
    ASSERT_TRUE(reached.result.succeeded()) << reached.result.message();
    double angle = 0.0;
    double rate = 0.0;
    for (std::size_t i = 0; i < 7; ++i) {
      const int at = mechanism.joint(*mechanism.find_joint(kSqueezerJoints[i])).q_offset;
      angle = std::max(angle, std::abs(reached.q[static_cast<std::size_t>(at)] - kSqueezerAngles[i]));
      rate = std::max(rate, std::abs(reached.u[static_cast<std::size_t>(at)] - kSqueezerRates[i]));
    }
    // Angles of 16 rad and rates of 1400 rad/s at 1e-10 a step; largest measured 3e-9 and 1.2e-6.
    EXPECT_LT(angle, 1e-8);
    EXPECT_LT(rate, 4e-6);
  }
}

// Enlarged increments of the entries that say which coordinates depend made a state of another meaning at 0.007 s.
TEST(field_problems, squeezer_is_integrated_by_a_stiff_method_in_every_form) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "squeezer");
  const int driven = mechanism.joint(*mechanism.find_joint("beta")).q_offset;
  for (const char* key : {"naudet", "naudet-reduced", "naudet-acc-reduced", "dense"}) {
    SCOPED_TRACE(key);
    const MarkerEnd reached = end_of_motion(mechanism, key, 1e-6, 0.03, {}, "ode15s");
    ASSERT_TRUE(reached.result.succeeded()) << reached.result.message();
    // 190 to 350 steps of 1e-6 relative to 16 rad, amplified some ten times.
    EXPECT_NEAR(reached.q[static_cast<std::size_t>(driven)], kSqueezerAngles[0], 5e-2);
  }
}

}  // namespace
}  // namespace mbdbench
