#pragma once
/// \file
/// What tests of exact derivatives share: differences to compare with, loads that derivatives know, changed parameters.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "mechanisms/model/link_length.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::test {

/// \returns the derivatives of x' at t = 0.3 by differences of fourth order; zero by what is no coordinate.
/// \param scale of their step
inline Eigen::MatrixXd differences(std::string_view reference, const Mechanism& mechanism, const std::vector<double>& x,
                                   std::string_view options = {}, double scale = 1.0) {
  const auto formulation = make(reference, mechanism, options);
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    if (formulation->layout()[static_cast<std::size_t>(j)].constant) {
      continue;
    }
    result.col(j) = difference([&](double s) {
                      std::vector<double> moved = x;
                      moved[static_cast<std::size_t>(j)] += scale * s;
                      Eigen::VectorXd rates(size);
                      EXPECT_TRUE(formulation->rhs(0.3, moved, {rates.data(), x.size()}).ok);
                      return rates;
                    }) /
                    scale;
  }
  return result;
}

/// \returns Formulation::jacobian at t = 0.3.
inline Eigen::MatrixXd jacobian(Formulation& formulation, const std::vector<double>& x) {
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(size, size);
  const RhsStatus status = formulation.jacobian(0.3, x, {rows.data(), x.size() * x.size()});
  EXPECT_TRUE(status.ok) << status.message();
  return rows;
}

/// Largest error over the largest entry, of the rows of q' and of those of the rates each: single rows may be nothing
/// but what rounding leaves (a prescribed motion, a joint that nothing moves).
inline double derivative_error(const Mechanism& mechanism, const Eigen::MatrixXd& got,
                               const Eigen::MatrixXd& expected) {
  const auto error = [](const auto& a, const auto& b) {
    return (a - b).cwiseAbs().maxCoeff() / std::max(1e-300, b.cwiseAbs().maxCoeff());
  };
  return std::max(error(got.topRows(mechanism.q_size()), expected.topRows(mechanism.q_size())),
                  error(got.bottomRows(mechanism.u_size()), expected.bottomRows(mechanism.u_size())));
}

/// Error against differences of a formulation's own right-hand sides, less what these are off by themselves: near a
/// singular position x' bends within a step, which differences of another step show.
inline double error_beside_differences(std::string_view key, const Mechanism& mechanism, const std::vector<double>& x,
                                       std::string_view options, const Eigen::MatrixXd& got) {
  const Eigen::MatrixXd expected = differences(key, mechanism, x, options, 0.25);
  return derivative_error(mechanism, got, expected) -
         derivative_error(mechanism, differences(key, mechanism, x, options), expected);
}

/// Loads that the derivatives know: springs, dampers and constant forces in joints.
inline Mechanism with_joint_loads(MechanismDescription description, RandomSource& random) {
  for (const JointDescription& joint : description.joints) {
    if (joint.cut || (joint.type != JointType::revolute && joint.type != JointType::prismatic)) {
      continue;
    }
    const int n = static_cast<int>(description.joint_springs.size());
    description.joint_springs.push_back({.name = fmt::format("spring{}", n),
                                         .joint = joint.name,
                                         .component = 0,
                                         .stiffness = random.uniform(0.0, 30.0),
                                         .damping = random.uniform(0.0, 3.0),
                                         .rest = random.uniform(-1.0, 1.0)});
    description.joint_loads.push_back({.name = fmt::format("motor{}", n),
                                       .joint = joint.name,
                                       .component = 0,
                                       .law = ConstantLaw{random.uniform(-5.0, 5.0)}});
  }
  return Mechanism(description);
}

/// \returns all masses, then stiffness and damping of every joint spring.
inline std::vector<RateParameter> masses_and_springs(const MechanismDescription& description) {
  std::vector<RateParameter> parameters;
  for (const BodyDescription& body : description.bodies) {
    parameters.push_back({ParameterKind::mass, body.name, 0});
  }
  for (const JointSpringDescription& spring : description.joint_springs) {
    parameters.push_back({ParameterKind::stiffness, spring.name, 0});
    parameters.push_back({ParameterKind::damping, spring.name, 0});
  }
  return parameters;
}

/// The mechanism with a parameter greater by s.
inline MechanismDescription with_parameter(MechanismDescription description, const RateParameter& parameter, double s) {
  const auto named = [&](auto& all) -> auto& {
    return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == parameter.name; });
  };
  switch (parameter.kind) {
    case ParameterKind::mass:
      named(description.bodies).mass += s;
      break;
    case ParameterKind::stiffness:
      named(description.joint_springs).stiffness += s;
      break;
    case ParameterKind::damping:
      named(description.joint_springs).damping += s;
      break;
    case ParameterKind::joint_force:
      description.joint_loads.push_back(
          {.name = "more", .joint = parameter.name, .component = 0, .law = ConstantLaw{s}});
      break;
    case ParameterKind::length: {
      const Vec3 along = link_length(Mechanism(description), parameter.name).along;
      named(description.joints).frame_a.position += s * along;
      break;
    }
  }
  return description;
}

}  // namespace mbdbench::test
