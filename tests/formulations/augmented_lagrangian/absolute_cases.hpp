#pragma once
/// \file
/// What tests of derivatives in absolute coordinates share: states beside the constraints, comparisons with differences
/// of right-hand sides by all fourteen numbers of every body and by parameters.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/link_length.hpp"
#include "tests/formulations/derivatives/derivative_cases.hpp"

namespace mbdbench::test {

struct AbsoluteVariant {
  std::string key;
  std::string options;
};

// Passes that end at rounding: where they end at eps_a, their number changes x' by as much from state to state.
inline constexpr const char* kConverged = "eps_a=1e-14,iterations=30";
// The third pass is far from the limit.
inline constexpr const char* kCutOff = "alpha=1,iterations=3";

/// \returns options with which x' beside the constraints is smooth: rows that repeat others contradict them there, and
/// passes to the end follow the contradiction.
inline std::string options_of(const Mechanism& mechanism) {
  return mechanism.generic_rank().rank == mechanism.constraint_size() ? kConverged : kCutOff;
}

/// \returns a state near the mechanism's start, every number off by up to `beside`: joints gape, Euler parameters have
/// lengths of their own, velocities break constraints.
inline std::vector<double> absolute_state_beside(Formulation& formulation, double beside, RandomSource& random) {
  const Mechanism& mechanism = formulation.mechanism();
  Eigen::VectorXd u = mechanism.u0();
  if (mechanism.cut_joints().empty() && !mechanism.rheonomic()) {
    u = random_vector(mechanism.u_size(), random);
  }
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.3, view(mechanism.q0()), view(std::as_const(u)), x).ok);
  for (double& number : x) {
    number += beside * random.uniform(-1.0, 1.0);
  }
  return x;
}

/// \returns the largest error of a column over its largest entry.
inline double column_error(const Eigen::MatrixXd& got, const Eigen::MatrixXd& expected) {
  double error = 0.0;
  for (Eigen::Index k = 0; k < got.cols(); ++k) {
    const double size = std::max(1.0, expected.col(k).cwiseAbs().maxCoeff());
    error = std::max(error, (got.col(k) - expected.col(k)).cwiseAbs().maxCoeff() / size);
  }
  return error;
}

/// Jacobian against differences, products against the Jacobian. \param step of differences, 1e-3
inline void compare_state(const Mechanism& mechanism, const AbsoluteVariant& variant, double beside, double limit,
                          RandomSource& random, double step = 0.05) {
  const auto& [key, options] = variant;
  SCOPED_TRACE(mechanism.name() + ", " + key + "[" + options + "]");
  const auto formulation = make(key, mechanism, options);
  ASSERT_EQ(formulation->without_jacobian(), "");
  const std::vector<double> x = absolute_state_beside(*formulation, beside, random);
  const Eigen::MatrixXd rows = jacobian(*formulation, x);
  // Of a step a quarter as long, less what the whole one is off by: truncation near folds.
  const Eigen::MatrixXd expected = differences(key, mechanism, x, options, step);
  const double of_differences = column_error(differences(key, mechanism, x, options, 4.0 * step), expected);
  EXPECT_LT(of_differences, 1e-4) << "nothing is compared";
  EXPECT_LT(column_error(rows, expected), limit + of_differences);

  const Eigen::VectorXd direction = random_vector(static_cast<int>(x.size()), random);
  const Eigen::VectorXd weights = random_vector(static_cast<int>(x.size()), random);
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
inline std::size_t compare_parameters(const Mechanism& mechanism, const AbsoluteVariant& variant, double limit,
                                      RandomSource& random) {
  SCOPED_TRACE(mechanism.name() + ", " + variant.key + "[" + variant.options + "]");
  const auto formulation = make(variant.key, mechanism, variant.options);
  const std::vector<double> x = absolute_state_beside(*formulation, 1e-3, random);
  std::vector<RateParameter> parameters = masses_and_springs(mechanism.description());
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
      const Mechanism other(with_parameter(mechanism.description(), parameters[k], s));
      const auto same = make(variant.key, other, variant.options);
      std::vector<double> ignored(x.size());
      EXPECT_TRUE(same->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), ignored).ok);
      Eigen::VectorXd xdot(static_cast<Eigen::Index>(x.size()));
      EXPECT_TRUE(same->rhs(0.3, x, view(xdot)).ok);
      return xdot;
    };
    const auto slope = [&](double size) {
      return Eigen::VectorXd(difference([&](double s) { return Eigen::VectorXd(rates(size * s)); }) / size);
    };
    const Eigen::VectorXd expected = slope(0.2);
    const double scale = std::max({1.0, expected.cwiseAbs().maxCoeff(), rates(0.0).cwiseAbs().maxCoeff()});
    const double added = (slope(0.4) - expected).cwiseAbs().maxCoeff();
    EXPECT_LT(added, 1e-4 * scale) << parameters[k].name << ": nothing is compared";
    EXPECT_LT((columns.col(static_cast<Eigen::Index>(k)) - expected).cwiseAbs().maxCoeff(), limit * scale + added)
        << "parameter " << k << ", " << parameters[k].name;
  }
  const Eigen::VectorXd weights = random_vector(static_cast<int>(x.size()), random);
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

inline Mechanism absolute_named(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

// Differences leave some 1e-12 over their step, of sums over bodies of some metres and seconds.
inline constexpr double kOfDifferences = 1e-7;

}  // namespace mbdbench::test
