// dca-alm-printed, the penalised equations of [Malczyk2012] as printed, against dca-alm, which has them in the dual
// form and is compared with dense (augmented_lagrangian_test). Single passes: augmented_primal_form_test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/absolute_reference.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// Largest difference of x' from that of dca-alm, relative.
double difference(const Mechanism& mechanism, std::string_view options = {}) {
  const double t = 0.3;
  const test::Evaluation expected =
      test::evaluate_at(*test::make("dca-alm", mechanism), t, mechanism.q0(), mechanism.u0());
  const test::Evaluation found =
      test::evaluate_at(*test::make("dca-alm-printed", mechanism, options), t, mechanism.q0(), mechanism.u0());
  EXPECT_TRUE(expected.status.ok && found.status.ok) << found.status.message();
  return test::block_error(found.xdot, expected.xdot);
}

TEST(dca_alm_printed, chains_of_every_length_and_trees_have_the_accelerations_of_dca_alm) {
  double worst = 0.0;
  for (int i = 0; i < 60; ++i) {
    const std::string name = fmt::format("random_tree:seed={},bodies={},branching={},motions={},loads={}", 2012 + i,
                                         1 + i % 15, 0.5 * (i % 3), i % 4 == 1 && i % 15 > 2 ? 1 : 0, i % 2);
    const double error = difference(make_mechanism(mechanism_registry(), name));
    // alpha^2 eps of 1e-12 for alpha = 1e2, times the growth with depth; a wrong term gives 1e-3 or more.
    EXPECT_LT(error, 1e-8) << name;
    worst = std::max(worst, error);
  }
  fmt::print("60 random trees, worst difference {:.1e}\n", worst);
}

TEST(dca_alm_printed, loops_have_the_accelerations_of_dca_alm) {
  for (const char* name : {"five_bar", "coupled_loops", "four_bar", "loop8", "bricard", "bennett"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    for (const auto& [alpha, limit] : {std::pair("1e2", 1e-9), {"1e4", 1e-7}, {"1e6", 1e-3}}) {
      const double error = difference(mechanism, fmt::format("alpha={},iterations=200", alpha));
      fmt::print("{:14} alpha {}: {:.1e}\n", name, alpha, error);
      EXPECT_LT(error, limit) << name << ", alpha " << alpha;
    }
  }
}

TEST(dca_alm_printed, a_step_of_time_says_what_rounding_left) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "loop8");
  const auto change = [&](const char* options) {
    const auto formulation = test::make("dca-alm-printed", mechanism, options);
    EXPECT_TRUE(test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0()).status.ok);
    double result = -1.0;
    formulation->diagnostics(
        [&](std::string_view name, double value) { result = name == "unconverged_change" ? value : result; });
    return result;
  };
  EXPECT_EQ(change("alpha=1e2,iterations=200"), 0.0);
  EXPECT_GT(change("alpha=1e2,iterations=1"), 1e-6);
  EXPECT_GT(change("alpha=1e6"), 1e-9);
}

/// The initial state with every body of a planar mechanism displaced, turned and moved in its plane.
std::vector<double> off_in_the_plane(const Mechanism& mechanism, double displaced, double moved) {
  RandomSource random(7);
  const test::AbsoluteReference start(mechanism, 0.0);
  std::vector<double> y = start.y;
  std::vector<Vec6> velocities = start.velocities;
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    double* const own = y.data() + kAbsoluteCoordinates * i;
    for (const std::size_t at : {0, 1, 3, 6}) {
      own[at] += displaced * random.uniform(-1.0, 1.0);
    }
    Eigen::Map<EulerParameters>(own + 3).normalize();
    for (const Eigen::Index at : {0, 1, 5}) {
      velocities[i][at] += moved * random.uniform(-1.0, 1.0);
    }
  }
  std::vector<double> x(2 * y.size());
  std::copy(y.begin(), y.end(), x.begin());
  absolute_rates(y, velocities, std::span(x).subspan(y.size()));
  return x;
}

TEST(dca_alm_printed, projections_end_where_those_of_dca_alm_end) {
  for (const char* name : {"five_bar", "coupled_loops", "pendulum:5"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    const auto printed =
        test::make("dca-alm-printed", mechanism, "alpha=1e4,iterations=100,projections=on,eps_p=1e-13");
    const auto dual = test::make("dca-alm-proj", mechanism, "iterations=100");
    const auto half = static_cast<std::ptrdiff_t>(printed->state_size() / 2);
    std::vector<double> x = off_in_the_plane(mechanism, 1e-3, 0.0);
    std::vector<double> expected = x;
    EXPECT_TRUE(printed->after_step(0.0, x));
    EXPECT_TRUE(dual->after_step(0.0, expected));
    EXPECT_LT(test::block_error(std::span(x.data(), static_cast<std::size_t>(half)),
                                std::span(expected.data(), static_cast<std::size_t>(half))),
              1e-9)
        << name;
    // At closed positions: there q' and the angular velocities, of which one and the other keep theirs, are the same.
    x = off_in_the_plane(mechanism, 0.0, 1e-2);
    expected = x;
    EXPECT_TRUE(printed->after_step(0.0, x));
    EXPECT_TRUE(dual->after_step(0.0, expected));
    EXPECT_LT(test::block_error(std::vector<double>(x.begin() + half, x.end()),
                                std::vector<double>(expected.begin() + half, expected.end())),
              1e-8)
        << name;
    for (std::size_t i = 0; i < mechanism.bodies().size(); ++i) {
      const Eigen::Map<const EulerParameters> e(x.data() + kAbsoluteCoordinates * i + 3);
      const Eigen::Map<const EulerParameters> rate(x.data() + half + kAbsoluteCoordinates * i + 3);
      EXPECT_NEAR(e.norm(), 1.0, 1e-12);
      EXPECT_NEAR(e.dot(rate), 0.0, 1e-9);
    }
  }
}

TEST(dca_alm_printed, what_the_paper_does_not_print_is_refused) {
  const auto refusal = [](std::string_view name) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    return refusal_of(*find_formulation(formulation_registry(), "dca-alm-printed"), mechanism);
  };
  for (const char* name : {"coupled_loops", "five_bar:shape=rhombus", "balanced_tree:7", "pendulum:1"}) {
    EXPECT_EQ(refusal(name), "") << name;
  }
  EXPECT_NE(refusal("double_loop").find("carries its bodies"), std::string::npos) << refusal("double_loop");
  EXPECT_NE(refusal("slider_crank").find("'pin' closes another one"), std::string::npos);
}

}  // namespace
}  // namespace mbdbench
