/// \file
/// Derivatives by lengths of links: against differences of right-hand sides of mechanisms with longer and shorter ones,
/// and against a closed form.
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
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

/// \returns the mechanism with a longer link; loops close themselves by other starts.
Mechanism with_length(const Mechanism& mechanism, const std::string& name, double longer) {
  MechanismDescription description =
      test::with_parameter(mechanism.description(), {ParameterKind::length, name, 0}, longer);
  for (JointDescription& joint : description.joints) {
    joint.cut = mechanism.find_joint(joint.name)->cut;
    joint.dependent = !mechanism.cut_joints().empty() && !joint.cut && joint.motions.empty();
  }
  return Mechanism(description);
}

/// \returns names of joints whose links have a length.
std::vector<std::string> lengths_of(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const Joint& joint : mechanism.tree_joints()) {
    if (find_link_length(mechanism, joint.name)) {
      names.push_back(joint.name);
    }
  }
  return names;
}

/// \returns whether there is the same mechanism with longer links: some loops hold one another rigid.
bool closes_with_other_lengths(const Mechanism& mechanism) {
  try {
    for (const std::string& name : lengths_of(mechanism)) {
      with_length(mechanism, name, 2e-4);
      with_length(mechanism, name, -2e-4);
    }
    return true;
  } catch (const ModelError&) {
    return false;
  }
}

std::size_t compare(const Mechanism& mechanism, const std::string& key, RandomSource& random) {
  const auto& all = formulation_registry();
  const FormulationEntry& entry = *find_formulation(all, key.substr(0, key.find('[')));
  const std::string options =
      key.find('[') == std::string::npos ? "" : key.substr(key.find('[') + 1, key.size() - key.find('[') - 2);
  if (!refusal_of(entry, mechanism).empty()) {
    return 0;
  }
  const auto formulation = make_formulation(all, entry, mechanism, options);
  if (!formulation->without_jacobian().empty()) {
    return 0;
  }
  const std::vector<std::string> names = lengths_of(mechanism);
  std::vector<RateParameter> parameters = {{ParameterKind::mass, mechanism.bodies().front().name, 0}};
  for (const std::string& name : names) {
    parameters.push_back({ParameterKind::length, name, 0});
  }
  parameters.push_back({ParameterKind::joint_force, mechanism.tree_joints().front().name, 0});
  Eigen::VectorXd x(static_cast<Eigen::Index>(formulation->state_size()));
  Eigen::VectorXd u = mechanism.u0();
  if (mechanism.cut_joints().empty()) {
    for (double& number : u) {
      number = random.uniform(-1.0, 1.0);
    }
  }
  EXPECT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(std::as_const(u)), view(x)).ok);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> columns(
      x.size(), static_cast<Eigen::Index>(parameters.size()));
  const RhsStatus status = formulation->parameter_jacobian(0.0, view(std::as_const(x)), parameters,
                                                           {columns.data(), static_cast<std::size_t>(columns.size())});
  EXPECT_TRUE(status.ok) << key << " on " << mechanism.name() << ": " << status.message();
  std::vector<double> alone(static_cast<std::size_t>(2 * x.size()));
  EXPECT_TRUE(formulation
                  ->parameter_jacobian(0.0, view(std::as_const(x)),
                                       std::vector<RateParameter>{parameters.front(), parameters.back()}, alone)
                  .ok);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(columns(i, 0), alone[static_cast<std::size_t>(2 * i)], 1e-11 * (1.0 + std::abs(columns(i, 0))));
    EXPECT_NEAR(columns(i, columns.cols() - 1), alone[static_cast<std::size_t>(2 * i + 1)],
                1e-11 * (1.0 + std::abs(columns(i, columns.cols() - 1))));
  }
  const Eigen::VectorXd weights = test::random_vector(static_cast<int>(x.size()), random);
  std::vector<double> by_state(static_cast<std::size_t>(x.size()));
  std::vector<double> by_lengths(mechanism.bodies().size(), 7.0);
  EXPECT_TRUE(
      formulation->weighted_derivatives(0.0, view(std::as_const(x)), view(weights), by_state, {{}, {}, by_lengths}).ok);
  for (std::size_t k = 0; k < names.size(); ++k) {
    double& by_length = by_lengths[static_cast<std::size_t>(mechanism.find_joint(names[k])->index)];
    const double expected = weights.dot(columns.col(static_cast<Eigen::Index>(k) + 1));
    // Two ways through the same equations, of which the condition magnifies the rounding.
    EXPECT_NEAR(by_length, expected, 1e-11 * (1.0 + columns.cwiseAbs().maxCoeff()))
        << key << " on " << mechanism.name() << ", link at " << names[k];
    by_length = 0.0;
  }
  EXPECT_EQ(by_lengths, std::vector<double>(by_lengths.size())) << "links without a length";
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto rates = [&](double longer) {
      const Mechanism other = with_length(mechanism, names[k], longer);
      const auto same = make_formulation(all, entry, other, options);
      Eigen::VectorXd xdot(x.size());
      EXPECT_TRUE(same->rhs(0.0, view(std::as_const(x)), view(xdot)).ok);
      return xdot;
    };
    const auto slope = [&](double size) {
      return Eigen::VectorXd(test::difference([&](double s) { return Eigen::VectorXd(rates(size * s)); }) / size);
    };
    constexpr double kShorter = 0.1;  // steps of 1e-4 m: links may be 0.1 m long
    const Eigen::VectorXd expected = slope(0.5 * kShorter);
    const Eigen::VectorXd found = columns.col(static_cast<Eigen::Index>(k) + 1);
    // Rounding of rates over a step; and truncation of fourth order, of loops that come near where they fold the most:
    // a fifteenth of what a step of twice the length adds.
    const double scale = std::max({1.0, expected.cwiseAbs().maxCoeff(), rates(0.0).cwiseAbs().maxCoeff()});
    const double added = (slope(kShorter) - expected).cwiseAbs().maxCoeff();
    EXPECT_LT(added, 1e-4 * scale) << key << " on " << mechanism.name() << ": nothing is compared";
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 2e-8 * scale + 0.2 * added)
        << key << " on " << mechanism.name() << ", link at " << names[k];
  }
  return names.size();
}

TEST(LengthDerivatives, AgreeWithDifferencesOnTrees) {
  const std::uint64_t seed = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", seed, seed + 5);
  std::size_t compared = 0;
  for (std::uint64_t s = seed; s < seed + 6; ++s) {
    const Mechanism mechanism = make_mechanism(
        mechanism_registry(), fmt::format("random_tree:seed={},bodies={},loads={}", s, 3 + s % 4, s % 2));
    RandomSource random(static_cast<std::int64_t>(s));
    for (const char* const key :
         {"dense", "dense-momentum", "aba", "naudet", "naudet-acc", "bae-haug", "dca", "hdca"}) {
      compared += compare(mechanism, key, random);
    }
  }
  EXPECT_GE(compared, 100U);
}

TEST(LengthDerivatives, AgreeWithDifferencesOnLoopsAndInLanes) {
  const std::uint64_t seed = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", seed, seed + 5);
  std::vector<std::string> keys = {"four_bar", "five_bar", "slider_crank"};
  for (std::uint64_t s = seed; s < seed + 6; ++s) {
    keys.push_back(fmt::format("random_closed:seed={},bodies={},cuts=1,loads=0", s, 5 + s % 3));
  }
  std::size_t compared = 0;
  std::size_t reduced = 0;
  for (const std::string& mechanism_key : keys) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), mechanism_key);
    if (!closes_with_other_lengths(mechanism)) {
      continue;
    }
    RandomSource random(static_cast<std::int64_t>(seed));
    for (const char* const key :
         {"dense", "dense-momentum", "bae-haug", "dca", "hdca", "naudet-acc", "dca[projection=off]",
          "dense[projection=off]", "hdca[gauge=none]", "hdca[gauge=leak]", "naudet"}) {
      compared += compare(mechanism, key, random);
    }
    for (const char* const key : {"naudet-reduced", "naudet-acc-reduced"}) {
      reduced += compare(mechanism, key, random);
    }
  }
  EXPECT_GE(compared, 100U);
  EXPECT_GE(reduced, 10U);
  // Of a long chain dense matrices lose too many digits for differences.
  const Mechanism chain = make_mechanism(mechanism_registry(), "pendulum:64");
  RandomSource random(static_cast<std::int64_t>(seed));
  EXPECT_EQ(compare(chain, "dca", random) + compare(chain, "hdca", random), 126U);
}

/// Loads of all kinds on loops; a loop one of whose joints follows a function of time; a chain with a gear.
TEST(LengthDerivatives, AgreeWithDifferencesUnderLoadsAndTies) {
  const std::uint64_t seed = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", seed, seed + 11);
  std::vector<Mechanism> mechanisms;
  for (std::uint64_t s = seed; s < seed + 12; ++s) {
    mechanisms.push_back(make_mechanism(mechanism_registry(),
                                        fmt::format("random_closed:seed={},bodies={},cuts=1,loads=1", s, 4 + s % 3)));
  }
  MechanismDescription driven = make_mechanism(mechanism_registry(), "five_bar").description();
  JointDescription& motor = driven.joints.front();
  motor.motions = {{0, fmt::format("{} + 0.1*sin(t)", motor.q0.front()), "0.1*cos(t)", "-0.1*sin(t)"}};
  motor.v0 = {0.1};
  mechanisms.emplace_back(driven);
  MechanismDescription geared = make_mechanism(mechanism_registry(), "pendulum:3").description();
  geared.couplings = {{"gear", {{"joint1", 0, 2.0}, {"joint3", 0, -1.0}}, std::nullopt}};
  for (JointDescription& joint : geared.joints) {
    joint.dependent = true;
  }
  mechanisms.emplace_back(geared);
  std::size_t compared = 0;
  std::size_t under_loads = 0;
  for (const Mechanism& mechanism : mechanisms) {
    if (!closes_with_other_lengths(mechanism)) {
      continue;
    }
    RandomSource random(static_cast<std::int64_t>(seed));
    for (const char* const key : {"dense", "dense-momentum", "bae-haug", "dca", "hdca", "naudet", "naudet-acc",
                                  "naudet-reduced", "naudet-acc-reduced", "bae-haug[projection=off]"}) {
      const std::size_t own = compare(mechanism, key, random);
      compared += own;
      under_loads += mechanism.description().joint_springs.empty() ? 0 : own;
    }
  }
  fmt::print("{} lengths, {} beside springs\n", compared, under_loads);
  EXPECT_GE(compared, 60U);
}

TEST(LengthDerivatives, AgreeWithDifferencesOnTheCatalogue) {
  std::size_t compared = 0;
  for (const MechanismEntry& entry : mechanism_registry()) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), std::string(entry.key));
    if (mechanism.body_count() > 12 || !closes_with_other_lengths(mechanism)) {
      continue;
    }
    RandomSource random(1);
    std::size_t own = 0;
    for (const char* const key : {"dense", "aba", "bae-haug", "hdca", "naudet"}) {
      own += compare(mechanism, key, random);
    }
    fmt::print("{}: {}\n", entry.key, own);
    compared += own;
  }
  EXPECT_GE(compared, 100U);
}

/// A point mass m at the end of a link of the length l, with the inertia J, on a hinge:
/// u' = -m g l sin q / (J + m l^2).
TEST(LengthDerivatives, AgreeWithTheClosedFormOfAPointMassOnALink) {
  const double m = 2.0;
  const double inertia = 0.3;
  const double l = 0.7;
  const double q = 0.9;
  MechanismDescription description;
  description.name = "point_on_link";
  description.gravity = Vec3(0.0, -9.81, 0.0);
  BodyDescription link;
  link.name = "link";
  link.mass = 1.0;
  link.inertia = inertia * Mat3::Identity();
  BodyDescription point;
  point.name = "point";
  point.mass = m;
  point.inertia = Mat3::Zero();
  description.bodies = {link, point};
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.b = "link";
  hinge.q0 = {q};
  JointDescription end;
  end.name = "end";
  end.type = JointType::fixed;
  end.a = "link";
  end.b = "point";
  end.frame_a.position = Vec3(0.0, -l, 0.0);
  description.joints = {hinge, end};
  const Mechanism mechanism(description);
  const auto& all = formulation_registry();
  const double g = 9.81;
  const double whole = inertia + m * l * l;
  const double expected = -m * g * std::sin(q) * (inertia - m * l * l) / (whole * whole);
  for (const char* const key : {"dense", "aba", "bae-haug"}) {
    const auto formulation = make_formulation(all, *find_formulation(all, key), mechanism, "");
    std::vector<double> columns(4);
    const std::vector<double> x = {q, 1.3};
    const RateParameter length = {ParameterKind::length, "end", 0};
    ASSERT_TRUE(formulation->parameter_jacobian(0.0, x, std::vector<RateParameter>{length, length}, columns).ok);
    EXPECT_EQ(columns[0], 0.0) << key;
    EXPECT_NEAR(columns[2], expected, 1e-14 * m * g / inertia) << key;
    EXPECT_EQ(columns[3], columns[2]) << key << ": the same length twice";
  }
}

TEST(LengthDerivatives, LengthsThatAreNotThereAreRefusedByName) {
  const auto message = [](const Mechanism& mechanism, const char* formulation_key, const std::string& name) {
    const auto& all = formulation_registry();
    const auto formulation = make_formulation(all, *find_formulation(all, formulation_key), mechanism, "");
    std::vector<double> column(formulation->state_size());
    std::vector<double> x(column.size());
    EXPECT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    try {
      formulation->parameter_jacobian(0.0, x, std::vector<RateParameter>{{ParameterKind::length, name, 0}}, column);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Mechanism chain = make_mechanism(mechanism_registry(), "pendulum:3");
  EXPECT_NE(message(chain, "aba", "joint9").find("length of 'joint9': there is no joint of that name in the tree"),
            std::string::npos);
  EXPECT_NE(message(chain, "aba", chain.tree_joints().front().name).find("no direction is longer"), std::string::npos);
  const Mechanism loop = make_mechanism(mechanism_registry(), "four_bar");
  for (const char* const key : {"naudet", "dense", "hdca"}) {
    EXPECT_NE(message(loop, key, loop.cut_joints().front().name).find("no joint of that name in the tree"),
              std::string::npos)
        << key;
  }
}

}  // namespace
}  // namespace mbdbench
