// Derivatives of states with angles of cut joints that laws know (followed_cuts.hpp): against differences of the
// right-hand sides, in velocities and momenta; products against the rows; parameters; what has none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "formulations/followed_cuts.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/derivatives/derivative_cases.hpp"
#include "tests/formulations/derivatives/loop_cases.hpp"
#include "tests/support/extent.hpp"

namespace mbdbench {
namespace {

using test::Variant;

constexpr double kFollowedAt = 0.3;

/// Springs and dampers in all angles of cut joints, which laws know then.
Mechanism with_springs_in_cuts(MechanismDescription description, RandomSource& random) {
  for (const JointDescription& joint : description.joints) {
    for (int i = 0; joint.cut && has_coordinate_rates(joint.type) && i < velocity_count(joint.type); ++i) {
      description.joint_springs.push_back({.name = fmt::format("of_{}_{}", joint.name, i),
                                           .joint = joint.name,
                                           .component = i,
                                           .stiffness = random.uniform(1.0, 9.0),
                                           .damping = random.uniform(0.1, 1.0),
                                           .rest = random.uniform(-1.0, 1.0)});
    }
  }
  return Mechanism(description);
}

std::unique_ptr<Formulation> followed(std::string_view key, const Mechanism& mechanism, std::string_view options) {
  return follow_cuts(test::make(key, mechanism, options));
}

/// The derivatives of x' by differences of fourth order.
Eigen::MatrixXd differences_of(Formulation& formulation, const std::vector<double>& x, double scale) {
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    if (formulation.layout()[static_cast<std::size_t>(j)].constant) {
      continue;
    }
    result.col(j) = test::difference([&](double s) {
                      std::vector<double> moved = x;
                      moved[static_cast<std::size_t>(j)] += scale * s;
                      Eigen::VectorXd rates(size);
                      EXPECT_TRUE(formulation.rhs(kFollowedAt, moved, {rates.data(), x.size()}).ok);
                      return rates;
                    }) /
                    scale;
  }
  return result;
}

/// Largest error of the last rows, those of angles, as a share of the largest entry of these and of the rows of q':
/// where projections hold an angle, its row is nothing but rounding.
double error_of_angles(const Eigen::MatrixXd& got, const Eigen::MatrixXd& expected, Eigen::Index angles,
                       Eigen::Index coordinates) {
  const double size =
      std::max(expected.bottomRows(angles).cwiseAbs().maxCoeff(), expected.topRows(coordinates).cwiseAbs().maxCoeff());
  return (got - expected).bottomRows(angles).cwiseAbs().maxCoeff() / size;
}

TEST(followed_derivatives, agree_with_differences_of_the_right_hand_sides) {
  constexpr Variant kVariants[] = {{"dense", ""},          {"bae-haug", ""}, {"bae-haug", "projection=off"},
                                   {"dense-momentum", ""}, {"hdca", ""},     {"naudet", ""},
                                   {"naudet-acc", ""}};
  std::vector<Mechanism> mechanisms;
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + test::extent(12) - 1);
  RandomSource random(static_cast<std::int64_t>(first));
  for (const char* const key : {"four_bar:angle=0.3", "double_loop:angle=0.2", "bennett"}) {
    mechanisms.push_back(with_springs_in_cuts(make_mechanism(mechanism_registry(), key).description(), random));
  }
  for (std::uint64_t seed = first; seed < first + test::extent(12); ++seed) {
    const std::string key = fmt::format("random_closed:seed={},bodies={},cuts={},loads={}", seed, 4 + seed % 5,
                                        1 + seed % 2, seed % 3 == 0 ? 1 : 0);
    mechanisms.push_back(with_springs_in_cuts(make_mechanism(mechanism_registry(), key).description(), random));
  }
  int treated = 0;
  for (const Mechanism& mechanism : mechanisms) {
    for (const Variant& variant : kVariants) {
      if (followed_angles(mechanism).empty() || test::repeats_rows(mechanism) || !test::is_free_beside(mechanism) ||
          !refusal_of(*find_formulation(formulation_registry(), variant.key), mechanism).empty()) {
        continue;
      }
      const std::string what = fmt::format("{}[{}] on {}", variant.key, variant.options, mechanism.name());
      const auto formulation = followed(variant.key, mechanism, variant.options);
      ASSERT_EQ(formulation->without_jacobian(), "") << what;
      const Eigen::VectorXd u = mechanism.u0() + test::random_vector(mechanism.u_size(), random);
      std::vector<double> x(formulation->state_size());
      ASSERT_TRUE(formulation->pack(kFollowedAt, view(mechanism.q0()), view(u), x).ok) << what;
      const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
      const auto angles = static_cast<Eigen::Index>(followed_angles(mechanism).size());
      const Eigen::MatrixXd expected = differences_of(*formulation, x, 0.25);
      // Near a singular position differences are off by themselves, which another step shows.
      const double off = error_of_angles(differences_of(*formulation, x, 1.0), expected, angles, mechanism.q_size());
      EXPECT_LT(error_of_angles(rows, expected, angles, mechanism.q_size()) - off, 1e-6) << what;
      EXPECT_EQ(rows.rightCols(angles).cwiseAbs().maxCoeff(), 0.0) << what;

      const Eigen::VectorXd direction = test::random_vector(static_cast<int>(x.size()), random);
      const Eigen::VectorXd weights = test::random_vector(static_cast<int>(x.size()), random);
      Eigen::VectorXd forward(direction.size());
      Eigen::VectorXd backward(direction.size());
      ASSERT_TRUE(formulation->jacobian_vector(kFollowedAt, x, view(direction), view(forward)).ok);
      ASSERT_TRUE(formulation->vector_jacobian(kFollowedAt, x, view(weights), view(backward)).ok);
      const double scale = rows.cwiseAbs().sum();
      EXPECT_LT((forward - rows * direction).cwiseAbs().maxCoeff(), 1e-11 * scale) << what;
      EXPECT_LT((backward - rows.transpose() * weights).cwiseAbs().maxCoeff(), 1e-11 * scale) << what;
      ++treated;
    }
  }
  fmt::print("{} states\n", treated);
  EXPECT_GE(treated, static_cast<int>(14 + test::extent(12)));
}

// The rate of an angle depends on masses through the velocities of momenta, and on lengths through nothing else.
TEST(followed_derivatives, by_parameters_agree_with_differences) {
  RandomSource random(3);
  const Mechanism mechanism =
      with_springs_in_cuts(make_mechanism(mechanism_registry(), "four_bar:angle=0.3").description(), random);
  std::vector<RateParameter> parameters;
  for (const BodyDescription& body : mechanism.description().bodies) {
    parameters.push_back({ParameterKind::mass, body.name, 0});
  }
  for (const Joint& joint : mechanism.tree_joints()) {
    if (joint.a >= 0) {
      parameters.push_back({ParameterKind::length, joint.name, 0});
    }
  }
  for (const Variant& variant : {Variant{"hdca", ""}, Variant{"bae-haug", ""}}) {
    const auto formulation = followed(variant.key, mechanism, variant.options);
    std::vector<double> x(formulation->state_size());
    const Eigen::VectorXd u = mechanism.u0() + test::random_vector(mechanism.u_size(), random);
    ASSERT_TRUE(formulation->pack(kFollowedAt, view(mechanism.q0()), view(u), x).ok);
    const auto size = static_cast<Eigen::Index>(x.size());
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> got(
        size, static_cast<Eigen::Index>(parameters.size()));
    ASSERT_TRUE(
        formulation->parameter_jacobian(kFollowedAt, x, parameters, {got.data(), static_cast<std::size_t>(got.size())})
            .ok);
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const Eigen::VectorXd expected = test::difference([&](double s) {
        const Mechanism changed(test::with_parameter(mechanism.description(), parameters[k], s));
        const auto other = followed(variant.key, changed, variant.options);
        Eigen::VectorXd rates(size);
        EXPECT_TRUE(other->rhs(kFollowedAt, x, {rates.data(), x.size()}).ok);
        return rates;
      });
      EXPECT_LT((got.col(static_cast<Eigen::Index>(k)) - expected).cwiseAbs().maxCoeff(),
                1e-6 * std::max(1.0, expected.cwiseAbs().maxCoeff()))
          << variant.key << ", " << parameters[k].name;
    }
  }
}

TEST(followed_derivatives, of_states_without_all_coordinates_are_refused_by_what_they_lack) {
  RandomSource random(3);
  const Mechanism mechanism =
      with_springs_in_cuts(make_mechanism(mechanism_registry(), "four_bar:angle=0.3").description(), random);
  for (const char* const key : {"naudet-reduced", "dca-alm"}) {
    const auto formulation = followed(key, mechanism, "");
    EXPECT_NE(formulation->without_jacobian().find("begin with all coordinates of the tree"), std::string::npos) << key;
    std::vector<double> x(formulation->state_size());
    std::vector<double> rows(x.size() * x.size());
    ASSERT_TRUE(formulation->pack(kFollowedAt, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    EXPECT_FALSE(formulation->jacobian(kFollowedAt, x, rows).ok) << key;
  }
}

}  // namespace
}  // namespace mbdbench
