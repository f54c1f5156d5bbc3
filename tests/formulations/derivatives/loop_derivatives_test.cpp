// Exact derivatives of mechanisms with loops (Formulation::jacobian and its products): against differences of each
// formulation's own right-hand sides and of the dense reference, against the derivatives of open trees, products
// against one another and against the rows, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "formulations/options/gauge_option.hpp"
#include "tests/formulations/derivatives/loop_cases.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/closed_form_loops.hpp"
#include "tests/support/extent.hpp"

namespace mbdbench {
namespace {

using test::condition_at;
using test::expect_products;
using test::is_free_beside;
using test::kMomenta;
using test::kVariants;
using test::loop_named;
using test::state_beside;
using test::unloaded;
using test::Variant;

TEST(loop_derivatives, agree_with_differences_along_every_direction_on_the_catalogue) {
  int treated = 0;
  for (const MechanismEntry& entry : mechanism_registry()) {
    const Mechanism made = loop_named(std::string(entry.key));
    if (made.body_count() > 24 || made.cut_joints().empty() || !made.held_by_velocity().empty()) {
      continue;
    }
    RandomSource random(11);
    const Mechanism mechanism = test::with_joint_loads(made.description(), random);
    if (!is_free_beside(mechanism)) {
      continue;
    }
    for (const Variant& variant : kVariants) {
      const FormulationEntry& formulation_entry = *find_formulation(formulation_registry(), variant.key);
      if (!refusal_of(formulation_entry, mechanism).empty()) {
        continue;
      }
      const std::string what = fmt::format("{}[{}] on {}", variant.key, variant.options, mechanism.name());
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      if (!formulation->without_jacobian().empty()) {
        EXPECT_TRUE(test::may_have_none(variant)) << what << ": " << formulation->without_jacobian();
        continue;
      }
      const std::vector<double> x = state_beside(*formulation, random, 0.02);
      const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
      // Differences keep 1e-9 of what cancels in them.
      EXPECT_LT(test::error_beside_differences(variant.key, mechanism, x, variant.options, rows), 1e-6) << what;
      expect_products(*formulation, x, rows, random, what);
      ++treated;
    }
  }
  EXPECT_GE(treated, 110);
}

TEST(loop_derivatives, agree_with_differences_along_every_direction_on_random_mechanisms) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + test::extent(40) - 1);
  int treated = 0;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (std::uint64_t seed = first; seed < first + test::extent(40); ++seed) {
      RandomSource random(static_cast<std::int64_t>(seed));
      const Mechanism made = loop_named(fmt::format("random_closed:seed={},bodies={},cuts={},screws={},loads=0", seed,
                                                    4 + seed % 5, 1 + seed % 3, seed % 2));
      if (!made.held_by_velocity().empty() || !is_free_beside(made)) {
        continue;
      }
      const Mechanism mechanism = test::with_joint_loads(made.description(), random);
      for (const Variant& variant :
           {kVariants[0], kVariants[1], kVariants[2], kMomenta[0], kMomenta[1], kMomenta[2], kMomenta[5]}) {
        if (test::is_compromise(variant, mechanism)) {
          continue;
        }
        const std::string what = fmt::format("{}[{}], seed {}, {}", variant.key, variant.options, seed, set.name);
        const auto formulation = test::make(variant.key, mechanism, variant.options);
        if (!formulation->without_jacobian().empty()) {
          EXPECT_TRUE(test::may_have_none(variant)) << what << ": " << formulation->without_jacobian();
          continue;
        }
        const std::vector<double> x = state_beside(*formulation, random, 0.01);
        const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
        // In every gauge that one option has the motion of p' is the reference's.
        const bool momenta = test::has_momenta(variant);
        const std::string_view options =
            momenta ? (variant.options == "gauge=none" ? "gauge=none" : "gauge=tangent") : variant.options;
        const double error =
            test::error_beside_differences(momenta ? "dense-momentum" : "dense", mechanism, x, options, rows);
        EXPECT_LT(error, 1e-6) << what;
        expect_products(*formulation, x, rows, random, what);
        ++treated;
      }
    }
  }
  EXPECT_GE(treated, static_cast<int>(test::extent(120)));
}

/// The tangent gauge's leak follows the fastest joint, and is differentiated with it.
/// Rows that are off pull back: of joints of every kind, couplings and driven joints.
TEST(loop_derivatives, with_stabilisation_agree_with_differences) {
  constexpr Variant kStabilised[] = {{"hdca", "gauge=leak,leak=3"},
                                     {"hdca", "gauge=leak,leak=3,feedback=4,leaf=body"},
                                     {"hdca", "gauge=tangent,feedback=4"},
                                     {"hdca", "gauge=none,feedback=2"},
                                     {"bae-haug", "alpha=3,beta=5"},
                                     {"bae-haug", "alpha=0,beta=4"},
                                     {"bae-haug", "alpha=3,beta=5,projection=velocities"},
                                     {"dca", "baumgarte_alpha=2,baumgarte_beta=4,leaf=body"}};
  std::vector<Mechanism> mechanisms;
  for (const char* const word : {"four_bar", "double_loop", "slider_crank", "squeezer", "biped", "coupled_loops"}) {
    mechanisms.push_back(loop_named(word));
  }
  const std::uint64_t first = test::seed_of_run(1);
  for (std::uint64_t seed = first; seed < first + test::extent(24); ++seed) {
    mechanisms.push_back(loop_named(fmt::format("random_closed:seed={},bodies={},cuts={},screws={},loads=0", seed,
                                                4 + seed % 5, 1 + seed % 3, seed % 2)));
  }
  MechanismDescription geared = make_mechanism(mechanism_registry(), "pendulum_xyz:6").description();
  CouplingDescription gear;
  gear.name = "gear";
  gear.terms = {{"joint2", 0, 1.0}, {"joint3", 0, 2.0}, {"joint5", 0, -0.5}};
  geared.couplings.push_back(gear);
  for (JointDescription& joint : geared.joints) {
    joint.dependent = true;
  }
  mechanisms.emplace_back(geared);
  JointDescription& turned = geared.joints.at(1);  // of the gear
  turned.motions.push_back({0, fmt::format("{} + 0.2 * sin(3 * t)", turned.q0.empty() ? 0.0 : turned.q0.front()),
                            "0.6 * cos(3 * t)", "-1.8 * sin(3 * t)"});
  turned.v0 = {0.6};
  mechanisms.emplace_back(geared);
  for (const bool in_tree : {false, true}) {
    MechanismDescription driven = loop_named("five_bar").description();
    const auto joint = std::find_if(driven.joints.begin(), driven.joints.end(),
                                    [&](const JointDescription& one) { return one.cut != in_tree; });
    const double at = joint->q0.front();
    joint->motions.push_back({0, fmt::format("{} + 0.2 * sin(3 * t)", at), "0.6 * cos(3 * t)", "-1.8 * sin(3 * t)"});
    if (in_tree) {
      joint->v0 = {0.6};
    }
    mechanisms.emplace_back(driven);
  }
  std::array<int, std::size(kStabilised)> treated{};
  for (const Mechanism& mechanism : mechanisms) {
    if (!mechanism.held_by_velocity().empty() || !is_free_beside(mechanism) || test::repeats_rows(mechanism)) {
      continue;
    }
    RandomSource random(static_cast<std::int64_t>(first));
    for (std::size_t k = 0; k < std::size(kStabilised); ++k) {
      const Variant& variant = kStabilised[k];
      if (!refusal_of(*find_formulation(formulation_registry(), variant.key), mechanism).empty()) {
        continue;
      }
      const std::string what = fmt::format("{}[{}] on {}", variant.key, variant.options, mechanism.name());
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      EXPECT_EQ(formulation->without_jacobian(), "") << what;
      const std::vector<double> x = state_beside(*formulation, random, 0.02);
      const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
      EXPECT_LT(test::error_beside_differences(variant.key, mechanism, x, variant.options, rows), 1e-6) << what;
      expect_products(*formulation, x, rows, random, what);
      ++treated[k];
    }
  }
  for (const int count : treated) {
    fmt::print("{} mechanisms\n", count);
    EXPECT_GE(count, static_cast<int>(6 + test::extent(8)));
  }
}

TEST(loop_derivatives, of_momenta_know_that_the_leak_follows_the_fastest_joint) {
  for (const char* const name : {"four_bar:angle=0.3", "double_loop:angle=0.2", "random_closed:seed=3,loads=0"}) {
    const Mechanism mechanism(unloaded(loop_named(name).description()));
    for (const char* const key : {"dense-momentum", "hdca"}) {
      const auto formulation = test::make(key, mechanism);
      RandomSource random(5);
      std::vector<double> x = state_beside(*formulation, random, 0.01);
      std::for_each(x.begin() + mechanism.q_size(), x.end(), [](double& p) { p *= 30.0; });
      std::vector<double> q(static_cast<std::size_t>(mechanism.q_size()));
      Eigen::VectorXd u(mechanism.u_size());
      ASSERT_TRUE(formulation->unpack(0.3, x, q, view(u)).ok);
      ASSERT_EQ(tangent_leak(kDefaultLeak, mechanism, view(std::as_const(u))), mechanism.scales().largest_rate(u));
      const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
      EXPECT_LT(test::error_beside_differences(key, mechanism, x, "", rows), 1e-6) << key << " on " << name;
      expect_products(*formulation, x, rows, random, fmt::format("{} on {}", key, name));
    }
  }
}

TEST(loop_derivatives, of_open_trees_have_the_digits_of_the_linearised_recursion) {
  for (std::int64_t seed = 1; seed <= 24; ++seed) {
    RandomSource random(seed);
    const Mechanism mechanism = test::with_joint_loads(
        loop_named(fmt::format("random_tree:seed={},bodies=7,motions={},loads=0", seed, seed % 2)).description(),
        random);
    for (const auto& [tree_key, key, options] :
         {std::array{"aba", "dense", "projection=off"}, std::array{"naudet", "dense-momentum", "gauge=none"}}) {
      const auto tree = test::make(tree_key, mechanism);
      const auto dense = test::make(key, mechanism, options);
      const std::vector<double> x = state_beside(*tree, random, 1.0);
      // As tree_derivatives_test has it against long double; the other side has as much.
      EXPECT_LT(test::derivative_error(mechanism, test::jacobian(*dense, x), test::jacobian(*tree, x)),
                std::max(1e-13, 100.0 * std::numeric_limits<double>::epsilon() * condition_at(mechanism, x)))
          << key << ", seed " << seed;
    }
  }
}

/// States on the closed positions of a mechanism that moves by its geometry alone: place and speed on a curve.
struct Curve {
  const char* mechanism;
  test::CoordinatesOnCurve coordinates;
  double place;
};

/// \param impulse of all rows, which momenta carry beside the motion
Eigen::VectorXd state_on(Formulation& formulation, const Curve& curve, double place, double speed, double impulse) {
  const Eigen::VectorXd q = curve.coordinates(place);
  const Eigen::VectorXd u = speed * test::difference([&](double s) { return curve.coordinates(place + s); });
  Eigen::VectorXd x(2 * q.size());
  EXPECT_TRUE(formulation.pack(0.3, view(q), view(u), view(x)).ok);
  Kinematics kinematics(formulation.mechanism());
  kinematics.set_positions(view(q));
  const Eigen::MatrixXd phi_q = constraint_jacobian(kinematics);
  x.tail(u.size()) += impulse * phi_q.transpose() * Eigen::VectorXd::Ones(phi_q.rows());
  return x;
}

TEST(loop_derivatives, along_closed_positions_are_those_of_mechanisms_that_move_by_geometry_alone) {
  const Curve curves[] = {{"bricard", test::bricard_coordinates, 0.9},
                          {"bennett", test::bennett_coordinates, 0.7},
                          {"sarrus", test::sarrus_coordinates, 0.8}};
  for (const Curve& curve : curves) {
    const Mechanism mechanism = loop_named(curve.mechanism);
    for (const Variant& variant : kVariants) {
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      if (variant.options == "gauge=none" || variant.options.starts_with("gauge=leak")) {
        EXPECT_NE(formulation->without_jacobian().find("gauge=tangent"), std::string::npos);
        continue;
      }
      ASSERT_EQ(formulation->without_jacobian(), "") << variant.key << " on " << curve.mechanism;
      const double impulse = test::has_momenta(variant) ? 0.7 : 0.0;
      const Eigen::VectorXd x = state_on(*formulation, curve, curve.place, 1.3, impulse);
      const auto size = static_cast<std::size_t>(x.size());
      for (const bool faster : {false, true}) {
        const auto moved = [&](double s) {
          return state_on(*formulation, curve, curve.place + (faster ? 0.0 : s), 1.3 + (faster ? s : 0.0), impulse);
        };
        const Eigen::VectorXd direction = test::difference(moved);
        const Eigen::VectorXd expected = test::difference([&](double s) {
          const Eigen::VectorXd at = moved(s);
          Eigen::VectorXd rates(x.size());
          EXPECT_TRUE(formulation->rhs(0.3, {at.data(), size}, {rates.data(), size}).ok);
          return rates;
        });
        Eigen::VectorXd got(x.size());
        ASSERT_TRUE(
            formulation->jacobian_vector(0.3, {x.data(), size}, {direction.data(), size}, {got.data(), size}).ok);
        // Directions and rates are differences, of differences where a velocity is.
        EXPECT_LT((got - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff())
            << variant.key << '[' << variant.options << "] on " << curve.mechanism << (faster ? ", speed" : ", place");
      }
    }
  }
}

TEST(loop_derivatives, of_formulations_are_the_same_on_closed_planar_loops) {
  for (const char* name : {"four_bar:angle=0.3", "double_loop:angle=0.2", "biped", "rings:rings=2"}) {
    const Mechanism mechanism(unloaded(loop_named(name).description()));
    std::vector<double> x(static_cast<std::size_t>(mechanism.q_size() + mechanism.u_size()));
    for (const auto& [key, reference] :
         {std::array{"bae-haug", "dense"}, std::array{"dca", "dense"}, std::array{"hdca", "dense-momentum"}}) {
      const auto dense = test::make(reference, mechanism);
      ASSERT_TRUE(dense->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok);
      const Eigen::MatrixXd expected = test::jacobian(*dense, x);
      EXPECT_LT(test::derivative_error(mechanism, test::jacobian(*test::make(key, mechanism), x), expected), 1e-13)
          << key << " on " << name;
    }
  }
}

/// A table over time acts as the constant force that it is at that time, also where states go in lanes.
TEST(loop_derivatives, of_tables_over_time_are_those_of_their_values) {
  for (const char* const mechanism : {"four_bar", "pendulum_xyz:5"}) {
    MechanismDescription timed = unloaded(loop_named(mechanism).description());
    MechanismDescription constant = timed;
    timed.joint_loads.push_back(
        {.name = "motor", .joint = "joint2", .component = 0, .law = TableLaw{"t", {0.0, 1.0}, {10.0, 30.0}}});
    constant.joint_loads.push_back({.name = "motor", .joint = "joint2", .component = 0, .law = ConstantLaw{16.0}});
    const Mechanism moving(timed);
    const Mechanism still(constant);
    for (const char* const key : {"dense", "bae-haug", "dca", "dense-momentum", "hdca"}) {
      const auto formulation = test::make(key, moving);
      ASSERT_EQ(formulation->without_jacobian(), "") << key;
      std::vector<double> x(formulation->state_size());
      ASSERT_TRUE(formulation->pack(0.3, view(moving.q0()), view(moving.u0()), x).ok);
      EXPECT_LT(
          test::derivative_error(moving, test::jacobian(*formulation, x), test::jacobian(*test::make(key, still), x)),
          1e-13)
          << key << " on " << mechanism;
      std::vector<double> alone(x.size());
      std::vector<double> beside(x.size());
      std::vector<RhsStatus> statuses(1);
      ASSERT_TRUE(formulation->rhs(0.3, x, alone).ok);
      formulation->rhs_batch(0.3, x, beside, statuses);
      ASSERT_TRUE(statuses.front().ok);
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(beside[i], alone[i], 1e-12 * (1.0 + std::abs(alone[i]))) << key << " on " << mechanism;
      }
    }
  }
}

TEST(loop_derivatives, of_parallel_bars_have_the_digits_of_their_closed_form) {
  for (const int n : {1, 4}) {
    const Mechanism mechanism = loop_named(fmt::format("n_four_bar:{}", n));
    // Coordinates are linear in the bars' angle from the vertical, theta'' = square sin(theta): bars of 1 kg and 1 m
    // turn about their ends, rods of 1 kg move with those.
    const Eigen::VectorXd turned = test::n_four_bar_coordinates(n, 1.0) - test::n_four_bar_coordinates(n, 0.0);
    const double square = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n);
    const Eigen::VectorXd still = Eigen::VectorXd::Zero(turned.size());
    for (const double theta : {0.3, 1.0, 2.5}) {
      Eigen::VectorXd x(2 * turned.size());
      Eigen::VectorXd place(x.size());
      Eigen::VectorXd speed(x.size());
      Eigen::VectorXd by_place(x.size());
      Eigen::VectorXd by_speed(x.size());
      x << test::n_four_bar_coordinates(n, theta), 1.7 * turned;
      place << turned, still;
      by_place << still, square * std::cos(theta) * turned;
      speed << still, turned;
      by_speed << turned, still;
      for (const char* key : {"dense", "bae-haug", "dca"}) {
        const Eigen::MatrixXd rows =
            test::jacobian(*test::make(key, mechanism), std::vector<double>(x.begin(), x.end()));
        const double size = square * turned.cwiseAbs().maxCoeff();
        EXPECT_LT((rows * place - by_place).cwiseAbs().maxCoeff(), 1e-13 * size * n) << key << ", " << theta;
        EXPECT_LT((rows * speed - by_speed).cwiseAbs().maxCoeff(), 1e-13 * size * n) << key << ", " << theta;
      }
    }
  }
}

/// In momenta with the tangent gauge p' = M w, and w is theta'' along the one motion that the bars have.
TEST(loop_derivatives, of_parallel_bars_in_momenta_agree_with_their_closed_form) {
  for (const int n : {1, 4}) {
    const Mechanism mechanism = loop_named(fmt::format("n_four_bar:{}", n));
    const Eigen::VectorXd turned = test::n_four_bar_coordinates(n, 1.0) - test::n_four_bar_coordinates(n, 0.0);
    const Eigen::Index size = turned.size();
    const double square = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n);
    constexpr double kSpeed = 1.7;
    for (const double theta : {0.3, 1.0, 2.5}) {
      for (const char* key : {"dense-momentum", "hdca"}) {
        const auto formulation = test::make(key, mechanism);
        const auto packed = [&](double angle) {
          Eigen::VectorXd x(2 * size);
          const Eigen::VectorXd u = kSpeed * turned;
          EXPECT_TRUE(formulation->pack(0.3, view(test::n_four_bar_coordinates(n, angle)), view(u), view(x)).ok);
          return x;
        };
        const Eigen::VectorXd x = packed(theta);
        const Eigen::MatrixXd rows = test::jacobian(*formulation, std::vector<double>(x.begin(), x.end()));
        const Eigen::VectorXd moved = x.tail(size) / kSpeed;  // M turned
        Eigen::VectorXd speed = Eigen::VectorXd::Zero(2 * size);
        speed.tail(size) = moved;
        Eigen::VectorXd by_speed = Eigen::VectorXd::Zero(2 * size);
        by_speed.head(size) = turned;
        EXPECT_LT((rows * speed - by_speed).cwiseAbs().maxCoeff(), 1e-13 * rows.cwiseAbs().maxCoeff() * n) << key;
        const Eigen::VectorXd place = test::difference([&](double s) { return packed(theta + s); });
        Eigen::VectorXd by_place = Eigen::VectorXd::Zero(2 * size);
        by_place.tail(size) = square * (std::cos(theta) * moved + std::sin(theta) * place.tail(size) / kSpeed);
        // Differences of fourth order keep ten digits of the momenta.
        EXPECT_LT((rows * place - by_place).cwiseAbs().maxCoeff(), 1e-9 * rows.cwiseAbs().maxCoeff()) << key;
      }
    }
  }
}

TEST(loop_derivatives, by_parameters_agree_with_differences) {
  for (std::int64_t seed = 1; seed <= 12; ++seed) {
    RandomSource random(seed);
    const Mechanism mechanism =
        seed % 3 == 0
            ? test::with_joint_loads(unloaded(loop_named("double_loop:angle=0.2").description()), random)
            : test::with_joint_loads(
                  loop_named(fmt::format("random_closed:seed={},bodies=6,cuts=1,loads=0", seed)).description(), random);
    const MechanismDescription& description = mechanism.description();
    std::vector<RateParameter> parameters = test::masses_and_springs(description);
    for (const JointSpringDescription& spring : description.joint_springs) {
      parameters.push_back({ParameterKind::joint_force, spring.joint, 0});
    }
    for (const Variant& variant : {kVariants[0], kVariants[1], kVariants[2], kMomenta[0], kMomenta[1], kMomenta[2]}) {
      if (test::is_compromise(variant, mechanism)) {
        continue;
      }
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      if (!formulation->without_jacobian().empty()) {
        EXPECT_TRUE(test::may_have_none(variant)) << formulation->without_jacobian();
        continue;
      }
      const std::vector<double> x = state_beside(*formulation, random, 0.01);
      const auto rows = static_cast<Eigen::Index>(x.size());
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> got(
          rows, static_cast<Eigen::Index>(parameters.size()));
      ASSERT_TRUE(
          formulation->parameter_jacobian(0.3, x, parameters, {got.data(), static_cast<std::size_t>(got.size())}).ok);
      for (std::size_t k = 0; k < parameters.size(); ++k) {
        const auto column = static_cast<Eigen::Index>(k);
        const Eigen::VectorXd expected = test::difference([&](double s) {
          const Mechanism moved(test::with_parameter(description, parameters[k], s));
          Eigen::VectorXd rates(rows);
          EXPECT_TRUE(test::make(variant.key, moved, variant.options)->rhs(0.3, x, {rates.data(), x.size()}).ok);
          return rates;
        });
        // As of the state; some parameters move nothing.
        const double size = std::max(1e-3 * got.cwiseAbs().maxCoeff(), expected.cwiseAbs().maxCoeff());
        EXPECT_LT((got.col(column) - expected).cwiseAbs().maxCoeff(), 1e-6 * size)
            << variant.key << '[' << variant.options << "], seed " << seed << ", " << parameters[k].name;
      }
    }
  }
}

TEST(loop_derivatives, are_refused_where_the_position_is_singular) {
  // All bars in one line: the rod's rows depend on one another there, and nowhere else.
  const Mechanism mechanism = loop_named("n_four_bar:1");
  const Eigen::VectorXd q = test::n_four_bar_coordinates(1, 0.5 * std::acos(-1.0));
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(mechanism.u_size());
  for (const char* key : {"dense", "bae-haug", "dca", "dense-momentum", "hdca"}) {
    const auto formulation = test::make(key, mechanism);
    std::vector<double> x(formulation->state_size());
    ASSERT_TRUE(formulation->pack(0.3, view(q), view(u), x).ok);
    std::vector<double> rows(x.size() * x.size());
    const RhsStatus status = formulation->jacobian(0.3, x, rows);
    EXPECT_FALSE(status.ok) << key;
    EXPECT_NE(status.message().find("singular"), std::string::npos) << key << ": " << status.message();
    EXPECT_EQ(status.joint, mechanism.cut_joints().front().name) << key;
    EXPECT_FALSE(formulation->jacobian_vector(0.3, x, x, rows).ok) << key;
    EXPECT_FALSE(formulation->vector_jacobian(0.3, x, x, rows).ok) << key;
  }
}

TEST(loop_derivatives, say_why_there_are_none) {
  const auto reason = [](const char* key, const char* name, const char* options) {
    const Mechanism mechanism = loop_named(name);
    const auto formulation = test::make(key, mechanism, options);
    std::vector<double> x(formulation->state_size());
    std::vector<double> rows(x.size() * x.size());
    EXPECT_TRUE(formulation->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    EXPECT_FALSE(formulation->jacobian(0.3, x, rows).ok) << key;
    return formulation->without_jacobian();
  };
  EXPECT_NE(reason("hdca", "four_bar", "gauge=reset").find("take tangent"), std::string::npos);
  EXPECT_NE(reason("hdca", "four_bar", "leaf=body,gauge=none,cut_axes=body").find("cut_axes"), std::string::npos);
}

TEST(loop_derivatives, tell_the_formulations_own_failure) {
  const Mechanism mechanism = loop_named("four_bar");
  const auto formulation = test::make("bae-haug", mechanism);
  std::vector<double> x(formulation->state_size(), 0.1);
  x.back() = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> rows(x.size() * x.size());
  const RhsStatus status = formulation->jacobian(0.3, x, rows);
  EXPECT_FALSE(status.ok);
  EXPECT_FALSE(status.joint.empty()) << status.message();
}

}  // namespace
}  // namespace mbdbench
