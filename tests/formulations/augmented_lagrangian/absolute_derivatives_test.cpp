/// \file
/// Derivatives of dca-alm: by all fourteen numbers of every body, which leave joints and constraints too, and by
/// parameters, against differences of its own right-hand sides; converged passes and passes that are cut off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/link_length.hpp"
#include "tests/formulations/derivatives/derivative_cases.hpp"

namespace mbdbench {
namespace {

// Passes that end at rounding: where they end at eps_a, their number changes x' by as much from state to state.
constexpr const char* kConverged = "eps_a=1e-14,iterations=30";
// The third pass is far from the limit.
constexpr const char* kCutOff = "alpha=1,iterations=3";

/// \returns options with which x' beside the constraints is smooth: rows that repeat others contradict them there, and
/// passes to the end follow the contradiction.
std::string options_of(const Mechanism& mechanism) {
  return mechanism.generic_rank().rank == mechanism.constraint_size() ? kConverged : kCutOff;
}

/// \returns a state near the mechanism's start, every number off by up to `beside`: joints gape, Euler parameters have
/// lengths of their own, velocities break constraints.
std::vector<double> state_beside(Formulation& formulation, double beside, RandomSource& random) {
  const Mechanism& mechanism = formulation.mechanism();
  Eigen::VectorXd u = mechanism.u0();
  if (mechanism.cut_joints().empty() && !mechanism.rheonomic()) {
    u = test::random_vector(mechanism.u_size(), random);
  }
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.3, view(mechanism.q0()), view(std::as_const(u)), x).ok);
  for (double& number : x) {
    number += beside * random.uniform(-1.0, 1.0);
  }
  return x;
}

/// \returns the largest error of a column over its largest entry.
double error_of(const Eigen::MatrixXd& got, const Eigen::MatrixXd& expected) {
  double error = 0.0;
  for (Eigen::Index k = 0; k < got.cols(); ++k) {
    const double size = std::max(1.0, expected.col(k).cwiseAbs().maxCoeff());
    error = std::max(error, (got.col(k) - expected.col(k)).cwiseAbs().maxCoeff() / size);
  }
  return error;
}

/// Jacobian against differences, products against the Jacobian. \param step of differences, 1e-3
void compare_state(const Mechanism& mechanism, const std::string& options, double beside, double limit,
                   RandomSource& random, double step = 0.05) {
  SCOPED_TRACE(mechanism.name() + ", " + options);
  const auto formulation = test::make("dca-alm", mechanism, options);
  ASSERT_EQ(formulation->without_jacobian(), "");
  const std::vector<double> x = state_beside(*formulation, beside, random);
  const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
  // Of a step a quarter as long, less what the whole one is off by: truncation near folds.
  const Eigen::MatrixXd expected = test::differences("dca-alm", mechanism, x, options, step);
  const double of_differences = error_of(test::differences("dca-alm", mechanism, x, options, 4.0 * step), expected);
  EXPECT_LT(of_differences, 1e-4) << "nothing is compared";
  EXPECT_LT(error_of(rows, expected), limit + of_differences);

  const Eigen::VectorXd direction = test::random_vector(static_cast<int>(x.size()), random);
  const Eigen::VectorXd weights = test::random_vector(static_cast<int>(x.size()), random);
  Eigen::VectorXd along(rows.rows());
  Eigen::VectorXd weighted(rows.rows());
  ASSERT_TRUE(formulation->jacobian_vector(0.3, x, view(direction), view(along)).ok);
  ASSERT_TRUE(formulation->vector_jacobian(0.3, x, view(weights), view(weighted)).ok);
  // Two ways through the same factors, of which the condition and 1 / alpha magnify the rounding.
  const double scale = std::max(1.0, rows.cwiseAbs().maxCoeff());
  EXPECT_LT((along - rows * direction).cwiseAbs().maxCoeff() / scale, 1e-9);
  EXPECT_LT((weighted - rows.transpose() * weights).cwiseAbs().maxCoeff() / scale, 1e-9);
  EXPECT_LT(std::abs(weights.dot(along) - weighted.dot(direction)) / scale, 1e-9);
}

/// Columns of all parameters against differences, weights against the columns. \returns how many there are
std::size_t compare_parameters(const Mechanism& mechanism, const std::string& options, double limit,
                               RandomSource& random) {
  SCOPED_TRACE(mechanism.name() + ", " + options);
  const auto formulation = test::make("dca-alm", mechanism, options);
  const std::vector<double> x = state_beside(*formulation, 1e-3, random);
  std::vector<RateParameter> parameters = test::masses_and_springs(mechanism.description());
  std::vector<int> forces;
  std::vector<int> links;
  for (const Joint& joint : mechanism.tree_joints()) {
    if (joint.nu > 0 && joint.motions.empty()) {
      parameters.push_back({ParameterKind::joint_force, joint.name, 0});
      forces.push_back(joint.u_offset);
    }
  }
  const std::size_t first_length = parameters.size();
  for (int k = 0; k < mechanism.body_count() && mechanism.cut_joints().empty(); ++k) {
    const std::string& name = mechanism.tree_joints()[static_cast<std::size_t>(k)].name;
    if (find_link_length(mechanism, name)) {
      parameters.push_back({ParameterKind::length, name, 0});
      links.push_back(k);
    }
  }
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> columns(
      static_cast<Eigen::Index>(x.size()), static_cast<Eigen::Index>(parameters.size()));
  const RhsStatus status =
      formulation->parameter_jacobian(0.3, x, parameters, {columns.data(), static_cast<std::size_t>(columns.size())});
  EXPECT_TRUE(status.ok) << status.message();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto rates = [&](double s) {
      const Mechanism other(test::with_parameter(mechanism.description(), parameters[k], s));
      const auto same = test::make("dca-alm", other, options);
      std::vector<double> ignored(x.size());
      EXPECT_TRUE(same->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), ignored).ok);
      Eigen::VectorXd xdot(static_cast<Eigen::Index>(x.size()));
      EXPECT_TRUE(same->rhs(0.3, x, view(xdot)).ok);
      return xdot;
    };
    const auto slope = [&](double size) {
      return Eigen::VectorXd(test::difference([&](double s) { return Eigen::VectorXd(rates(size * s)); }) / size);
    };
    const Eigen::VectorXd expected = slope(0.2);
    const double scale = std::max({1.0, expected.cwiseAbs().maxCoeff(), rates(0.0).cwiseAbs().maxCoeff()});
    const double added = (slope(0.4) - expected).cwiseAbs().maxCoeff();
    EXPECT_LT(added, 1e-4 * scale) << parameters[k].name << ": nothing is compared";
    EXPECT_LT((columns.col(static_cast<Eigen::Index>(k)) - expected).cwiseAbs().maxCoeff(), limit * scale + added)
        << "parameter " << k << ", " << parameters[k].name;
  }
  const Eigen::VectorXd weights = test::random_vector(static_cast<int>(x.size()), random);
  std::vector<double> by_state(x.size());
  std::vector<double> by_force(static_cast<std::size_t>(mechanism.u_size()));
  std::vector<double> by_mass(mechanism.bodies().size());
  std::vector<double> by_length(mechanism.bodies().size());
  EXPECT_TRUE(formulation->weighted_derivatives(0.3, x, view(weights), by_state, {by_force, by_mass, by_length}).ok);
  const Eigen::VectorXd expected = columns.transpose() * weights;
  const double scale = 1e-9 * std::max(1.0, columns.cwiseAbs().maxCoeff());
  for (std::size_t k = 0; k < by_mass.size(); ++k) {
    EXPECT_NEAR(by_mass[k], expected[static_cast<Eigen::Index>(k)], scale) << "mass " << k;
  }
  for (std::size_t k = 0; k < forces.size(); ++k) {
    EXPECT_NEAR(by_force[static_cast<std::size_t>(forces[k])],
                expected[static_cast<Eigen::Index>(first_length - forces.size() + k)], scale)
        << "force " << k;
  }
  for (std::size_t k = 0; k < links.size(); ++k) {
    EXPECT_NEAR(by_length[static_cast<std::size_t>(links[k])], expected[static_cast<Eigen::Index>(first_length + k)],
                scale)
        << "length " << k;
  }
  return parameters.size();
}

Mechanism named(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

// Differences leave some 1e-12 over their step, of sums over bodies of some metres and seconds.
constexpr double kLimit = 1e-7;

TEST(AbsoluteDerivatives, AgreeWithDifferencesBesideTheConstraints) {
  RandomSource random(test::seed_of_run(5));
  int to_the_end = 0;
  for (const char* const key :
       {"pendulum:3", "pendulum_xyz:2", "four_bar:angle=0.3", "five_bar:shape=rect", "slider_crank", "double_loop",
        "loop:5", "star:arms=3", "cart_pole", "lagrange_top", "coupled_loops", "car_axis"}) {
    const Mechanism mechanism = named(key);
    compare_state(mechanism, options_of(mechanism), 1e-3, kLimit, random);
    to_the_end += options_of(mechanism) == kConverged ? 1 : 0;
  }
  EXPECT_GT(to_the_end, 5);
}

TEST(AbsoluteDerivatives, AgreeOnRandomTreesAndLoopsUnderLoads) {
  const std::uint64_t seed = test::seed_of_run(7);
  RandomSource random(seed);
  int closed_count = 0;
  for (std::uint64_t i = 0; i < 8; ++i) {
    compare_state(named(fmt::format("random_tree:seed={},bodies={},screws={}", seed + i, 3 + i % 3, i % 2)), kConverged,
                  1e-3, kLimit, random);
    const Mechanism closed = named(fmt::format("random_closed:seed={},bodies=4,cuts={}", seed + i, 1 + i % 2));
    if (closed.generic_rank().overconstrained) {
      continue;  // beside the constraints x' is a compromise of least squares there, which derivatives do not follow
    }
    compare_state(closed, options_of(closed), 1e-3, kLimit, random);
    ++closed_count;
  }
  EXPECT_GT(closed_count, 1);
}

/// Rows that repeat others contradict them along most of the numbers, which moves nothing. Steps are so short that what
/// they are off by does not either.
TEST(AbsoluteDerivatives, AgreeOnTheConstraintsWhereRowsRepeatOthers) {
  RandomSource random(test::seed_of_run(19));
  for (const char* const key : {"four_bar:angle=0.3", "double_loop:angle=0.2", "loop:5", "five_bar:shape=rect"}) {
    const Mechanism mechanism = named(key);
    ASSERT_LT(mechanism.generic_rank().rank, mechanism.constraint_size());
    compare_state(mechanism, "alpha=1e3,eps_a=1e-14,iterations=30", 0.0, 3e-6, random, 0.01);
  }
}

/// At rest no pass but the first finds anything to change: neighbours of the state take more of them.
TEST(AbsoluteDerivatives, GoOnWhereTheStateIsAtRest) {
  RandomSource random(test::seed_of_run(23));
  MechanismDescription description = named("pendulum:3").description();
  description.gravity.setZero();
  for (BodyDescription& body : description.bodies) {
    body.mass *= 1e4;  // a pass leaves as much more of an error
    body.inertia *= 1e4;
  }
  for (JointDescription& joint : description.joints) {
    joint.v0.assign(joint.q0.size(), 0.0);
  }
  const Mechanism mechanism(description);
  const auto formulation = test::make("dca-alm", mechanism, kConverged);
  std::vector<double> x(formulation->state_size());
  ASSERT_TRUE(formulation->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  const Eigen::MatrixXd expected = test::differences("dca-alm", mechanism, x, kConverged, 0.25);
  EXPECT_LT(error_of(test::jacobian(*formulation, x), expected), 1e-6);
}

TEST(AbsoluteDerivatives, AreThoseOfPassesThatAreCutOff) {
  RandomSource random(test::seed_of_run(11));
  for (const char* const key : {"pendulum:3", "four_bar:angle=0.3", "double_loop", "random_tree:seed=3,bodies=4",
                                "random_closed:seed=4,bodies=4,cuts=1"}) {
    compare_state(named(key), kCutOff, 1e-3, kLimit, random);
    compare_state(named(key), "alpha=10,iterations=1", 1e-3, kLimit, random);
  }
}

TEST(AbsoluteDerivatives, AgreeByParameters) {
  RandomSource random(test::seed_of_run(13));
  std::size_t compared = 0;
  for (const std::string options : {kConverged, kCutOff}) {
    for (const char* const key : {"pendulum:3", "four_bar:angle=0.3", "robot_arm", "random_tree:seed=3,bodies=5",
                                  "random_tree:seed=8,bodies=5", "random_closed:seed=4,bodies=4,cuts=1"}) {
      compared += compare_parameters(named(key), options, kLimit, random);
    }
  }
  EXPECT_GT(compared, 100U);
}

TEST(AbsoluteDerivatives, OfPrescribedMotions) {
  RandomSource random(test::seed_of_run(17));
  std::size_t driven = 0;
  for (const char* const key : {"slider_crank", "random_tree:seed=9,bodies=6", "random_tree:seed=12,bodies=6",
                                "random_tree:seed=14,bodies=6,screws=1"}) {
    MechanismDescription description = named(key).description();
    for (JointDescription& joint : description.joints) {
      joint.dependent = std::string(key) == "slider_crank" && !joint.cut;
    }
    for (std::size_t k = 1; k < description.joints.size(); k += 2) {
      JointDescription& joint = description.joints[k];
      if (joint.cut || has_quaternion(joint.type) || joint.q0.empty()) {
        continue;
      }
      const int component = static_cast<int>(joint.q0.size()) - 1;
      joint.motions = {{component, fmt::format("{} + 0.4*t^2", joint.q0.back()), "0.8*t", "0.8"}};
      joint.v0.clear();
      joint.dependent = false;
      ++driven;
      if (std::string(key) == "slider_crank") {
        break;
      }
    }
    const Mechanism mechanism(description);
    compare_state(mechanism, options_of(mechanism), 1e-3, kLimit, random);
  }
  EXPECT_GT(driven, 5U);
}

TEST(AbsoluteDerivatives, SayWhereThereAreNone) {
  const Mechanism mechanism = named("four_bar");
  const auto conjugate = test::make("dca-alm", mechanism, "passes=conjugate");
  EXPECT_NE(conjugate->without_jacobian().find("passes=plain"), std::string::npos);
  std::vector<double> any(conjugate->state_size());
  std::vector<double> result(any.size());
  EXPECT_FALSE(conjugate->jacobian_vector(0.0, any, any, result).ok);
  const Mechanism bricard = named("bricard");
  const auto ranked = test::make("dca-alm", bricard, "alpha=100,iterations=2");
  any.resize(ranked->state_size());
  result.resize(any.size());
  ASSERT_TRUE(ranked->pack(0.0, view(bricard.q0()), view(bricard.u0()), any).ok);
  const RhsStatus cut_off = ranked->jacobian_vector(0.0, any, any, result);
  EXPECT_NE(cut_off.message().find("passes end before they converge"), std::string::npos) << cut_off.message();
  const auto formulation = test::make("dca-alm", mechanism);
  std::vector<double> x(formulation->state_size());
  ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  std::vector<double> column(x.size());
  EXPECT_THROW(
      formulation->parameter_jacobian(0.0, x, std::vector<RateParameter>{{ParameterKind::mass, "nobody", 0}}, column),
      ModelError);
  x[3] = std::nan("");
  const RhsStatus status = formulation->jacobian_vector(0.0, x, x, column);
  EXPECT_FALSE(status.ok);
  EXPECT_NE(status.message().find("not a number"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace mbdbench
