// Exact derivatives of naudet and naudet-acc on closed loops, whose states have coordinates of cut joints, and reduced
// momenta or velocities of all joints, and of their reduced forms, whose states have independent coordinates alone:
// against differences of their own right-hand sides, products against the rows and against one another, by parameters,
// and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/formulations/derivatives/loop_cases.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/closed_form_loops.hpp"
#include "tests/support/extent.hpp"

namespace mbdbench {
namespace {

using test::loop_named;
using test::state_beside;

using test::Variant;

// Differences keep 1e-9 of what cancels in them.
constexpr double kAgreement = 1e-6;
constexpr Variant kClosedMomenta{"naudet", ""};
constexpr Variant kClosedAccelerations{"naudet-acc", ""};
constexpr Variant kReducedMomenta{"naudet-reduced", ""};
constexpr Variant kReducedAccelerations{"naudet-acc-reduced", ""};

/// Largest error over the largest entry, of the rates of coordinates and of momenta or velocities each.
double error_of_blocks(const Formulation& formulation, const Eigen::MatrixXd& got, const Eigen::MatrixXd& expected) {
  double errors[2] = {0.0, 0.0};
  double sizes[2] = {1e-300, 1e-300};
  for (std::size_t i = 0; i < formulation.state_size(); ++i) {
    const StateKind kind = formulation.layout()[i].kind;
    const std::size_t block = kind == StateKind::momentum || kind == StateKind::velocity ? 1 : 0;
    const auto row = static_cast<Eigen::Index>(i);
    errors[block] = std::max(errors[block], (got.row(row) - expected.row(row)).cwiseAbs().maxCoeff());
    sizes[block] = std::max(sizes[block], expected.row(row).cwiseAbs().maxCoeff());
  }
  return std::max(errors[0] / sizes[0], errors[1] / sizes[1]);
}

/// \returns whether there are right-hand sides so far to both sides of a state: those that solve for coordinates end
/// where their loops fold.
bool has_room(const Formulation& formulation, const std::vector<double>& x, const Variant& variant, double scale) {
  const auto fresh = test::make(variant.key, formulation.mechanism(), variant.options);
  std::vector<double> rates(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (const double side : {-1.0, 1.0}) {
      std::vector<double> moved = x;
      moved[i] += side * scale * 2.0 * test::kDifferenceStep;
      if (!formulation.layout()[i].constant && !fresh->rhs(0.3, moved, rates).ok) {
        return false;
      }
    }
  }
  return true;
}

/// Against differences of the formulation's own right-hand sides, less what these are off by (derivative_cases.hpp).
/// \param formulation whose state x is; another one of the same mechanism gives the differences
double error_against_differences(Formulation& formulation, const std::vector<double>& x, const Variant& variant,
                                 const Eigen::MatrixXd& rows) {
  const Mechanism& mechanism = formulation.mechanism();
  constexpr double kLeft = 1e-4;  // what differences may be off by
  double least = std::numeric_limits<double>::infinity();
  // Where a load bends (the point of a table, the edge of a stop) within the longer steps, the shorter ones are right.
  for (double scale = 0.25; scale > 0.01 && !(least < kAgreement); scale *= 0.1) {
    if (!has_room(formulation, x, variant, 4.0 * scale)) {
      continue;
    }
    const Eigen::MatrixXd expected = test::differences(variant.key, mechanism, x, variant.options, scale);
    const Eigen::MatrixXd longer = test::differences(variant.key, mechanism, x, variant.options, 4.0 * scale);
    least = std::min(least, error_of_blocks(formulation, rows, expected) -
                                std::min(kLeft, error_of_blocks(formulation, longer, expected)));
  }
  return least;
}

void expect_constants_alone(const Formulation& formulation, const Eigen::MatrixXd& rows, const std::string& what) {
  for (std::size_t i = 0; i < formulation.state_size(); ++i) {
    if (formulation.layout()[i].constant) {
      EXPECT_TRUE(rows.row(static_cast<Eigen::Index>(i)).isZero(0.0)) << what;
      EXPECT_TRUE(rows.col(static_cast<Eigen::Index>(i)).isZero(0.0)) << what;
    }
  }
}

/// \returns whether there are such derivatives, which then are compared along every direction.
bool agrees(const Mechanism& mechanism, const Variant& variant, RandomSource& random, const std::string& what) {
  const bool stays_closed = std::string_view(variant.key).ends_with("-reduced");
  if (mechanism.closing_row_count() == 0 || !mechanism.held_by_velocity().empty() ||
      (!stays_closed && (!test::is_free_beside(mechanism) || test::is_compromise(variant, mechanism))) ||
      !refusal_of(*find_formulation(formulation_registry(), variant.key), mechanism).empty()) {
    return false;
  }
  std::unique_ptr<Formulation> formulation;
  try {
    formulation = test::make(variant.key, mechanism, variant.options);
  } catch (const ModelError& error) {
    EXPECT_EQ(variant.options, "loops=matrices") << error.what();  // which treat some loops alone
    return false;
  }
  EXPECT_EQ(formulation->without_jacobian(), "") << what;
  const std::vector<double> x = state_beside(*formulation, random, 0.01);
  const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
  const double error = error_against_differences(*formulation, x, variant, rows);
  if (stays_closed && !std::isfinite(error)) {
    return false;
  }
  EXPECT_LT(error, kAgreement) << what;
  expect_constants_alone(*formulation, rows, what);
  test::expect_products(*formulation, x, rows, random, what);
  return true;
}

TEST(naudet_derivatives, agree_with_differences_along_every_direction_on_the_catalogue) {
  constexpr std::array kNaudetVariants = {kClosedMomenta,
                                          Variant{"naudet", "switching=off"},
                                          Variant{"naudet", "loops=matrices"},
                                          kClosedAccelerations,
                                          kReducedMomenta,
                                          Variant{"naudet-reduced", "switching=off"},
                                          Variant{"naudet-reduced", "loops=matrices"},
                                          kReducedAccelerations};
  std::array<int, kNaudetVariants.size()> treated{};
  for (const MechanismEntry& entry : mechanism_registry()) {
    const Mechanism made = loop_named(std::string(entry.key));
    if (made.body_count() > 24) {
      continue;
    }
    RandomSource random(11);
    const Mechanism mechanism = test::with_joint_loads(made.description(), random);
    for (std::size_t k = 0; k < kNaudetVariants.size(); ++k) {
      const Variant& variant = kNaudetVariants[k];
      const std::string what = fmt::format("{}[{}] on {}", variant.key, variant.options, mechanism.name());
      treated[k] += agrees(mechanism, variant, random, what) ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < kNaudetVariants.size(); ++k) {
    fmt::print("{} of {}[{}]\n", treated[k], kNaudetVariants[k].key, kNaudetVariants[k].options);
    EXPECT_GE(treated[k], 5);
  }
}

TEST(naudet_derivatives, agree_with_differences_along_every_direction_on_random_mechanisms) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + test::extent(40) - 1);
  int momenta = 0;
  int accelerations = 0;
  int reduced = 0;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (std::uint64_t seed = first; seed < first + test::extent(40); ++seed) {
      RandomSource random(static_cast<std::int64_t>(seed));
      // Every other one with loads of all kinds, in cut joints too.
      const Mechanism made = loop_named(fmt::format("random_closed:seed={},bodies={},cuts={},screws={},loads={}", seed,
                                                    4 + seed % 5, 1 + seed % 3, seed % 2, seed / 2 % 2));
      const Mechanism mechanism = test::with_joint_loads(made.description(), random);
      const std::string what = fmt::format("seed {}, {}", seed, set.name);
      momenta += agrees(mechanism, kClosedMomenta, random, what) ? 1 : 0;
      accelerations += agrees(mechanism, kClosedAccelerations, random, "accelerations, " + what) ? 1 : 0;
      reduced += agrees(mechanism, kReducedMomenta, random, "reduced, " + what) &&
                         agrees(mechanism, kReducedAccelerations, random, "reduced accelerations, " + what)
                     ? 1
                     : 0;
    }
  }
  fmt::print("{} in momenta, {} in accelerations, {} reduced in both\n", momenta, accelerations, reduced);
  EXPECT_GE(reduced, static_cast<int>(test::extent(10)));
  EXPECT_GE(momenta, static_cast<int>(test::extent(20)));
  EXPECT_GE(accelerations, static_cast<int>(test::extent(5)));
}

struct MovingLoop {
  const char* mechanism;
  test::CoordinatesOnCurve coordinates;
  double place;
};

/// Products and rows against differences along a curve of closed positions, and along its speed.
void expect_agreement_along(const MovingLoop& curve, const Variant& variant) {
  const Mechanism mechanism = loop_named(curve.mechanism);
  const std::string what = fmt::format("{} on {}", variant.key, curve.mechanism);
  const auto formulation = test::make(variant.key, mechanism);
  ASSERT_EQ(formulation->without_jacobian(), "") << what;
  const std::size_t size = formulation->state_size();
  const auto state = [&](double place, double speed) {
    const Eigen::VectorXd q = curve.coordinates(place);
    const Eigen::VectorXd u = speed * test::difference([&](double s) { return curve.coordinates(place + s); });
    Eigen::VectorXd x(static_cast<Eigen::Index>(size));
    EXPECT_TRUE(formulation->pack(0.3, view(q), view(u), view(x)).ok);
    return x;
  };
  const Eigen::VectorXd x = state(curve.place, 1.3);
  const std::vector<double> at(x.begin(), x.end());
  const Eigen::MatrixXd rows = test::jacobian(*formulation, at);
  RandomSource random(3);
  for (const bool faster : {false, true}) {
    const auto moved = [&](double s) { return state(curve.place + (faster ? 0.0 : s), 1.3 + (faster ? s : 0.0)); };
    const Eigen::VectorXd direction = test::difference(moved);
    const Eigen::VectorXd expected = test::difference([&](double s) {
      Eigen::VectorXd there = moved(s);
      Eigen::VectorXd rates(there.size());
      EXPECT_TRUE(formulation->rhs(0.3, view(there), view(rates)).ok);
      return rates;
    });
    Eigen::VectorXd got(x.size());
    ASSERT_TRUE(formulation->jacobian_vector(0.3, at, {direction.data(), size}, {got.data(), size}).ok);
    const double limit = 1e-6 * expected.cwiseAbs().maxCoeff();  // differences of differences
    EXPECT_LT((got - expected).cwiseAbs().maxCoeff(), limit) << what << (faster ? ", speed" : ", place");
    EXPECT_LT((rows * direction - expected).cwiseAbs().maxCoeff(), limit) << what;
    const Eigen::VectorXd weights = test::random_vector(static_cast<int>(size), random);
    Eigen::VectorXd back(x.size());
    ASSERT_TRUE(formulation->vector_jacobian(0.3, at, {weights.data(), size}, {back.data(), size}).ok);
    EXPECT_NEAR(back.dot(direction), weights.dot(expected), limit * weights.norm()) << what;
  }
}

/// Rows that repeat others carry impulses that each solver divides in its own way, which B^T takes out.
TEST(naudet_derivatives, along_closed_positions_are_those_of_mechanisms_that_move_by_geometry_alone) {
  for (const MovingLoop& curve :
       {MovingLoop{"bricard", test::bricard_coordinates, 0.9}, MovingLoop{"bennett", test::bennett_coordinates, 0.7},
        MovingLoop{"sarrus", test::sarrus_coordinates, 0.8}}) {
    expect_agreement_along(curve, kClosedMomenta);
    expect_agreement_along(curve, kClosedAccelerations);
    expect_agreement_along(curve, kReducedMomenta);
    expect_agreement_along(curve, kReducedAccelerations);
  }
}

void expect_choices_of_states(const Variant& variant) {
  const Mechanism mechanism(test::unloaded(loop_named("five_bar").description()));
  const auto formulation = test::make(variant.key, mechanism, variant.options);
  RandomSource random(7);
  std::vector<std::vector<double>> states;
  std::set<double> choices;
  for (int k = 0; k < 12; ++k) {
    states.push_back(state_beside(*formulation, random, 0.4));
    choices.insert(states.back().back());
  }
  ASSERT_GE(choices.size(), 2U) << "switch_at=1 changes the choice";
  for (const std::vector<double>& x : states) {
    const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
    const std::string what = fmt::format("{}, choice {}", variant.key, x.back());
    EXPECT_LT(error_against_differences(*formulation, x, variant, rows), kAgreement) << what;
    test::expect_products(*formulation, x, rows, random, what);
  }
  std::vector<double> wrong = states.front();
  wrong.back() = 0.0;
  std::vector<double> rows(wrong.size() * wrong.size());
  const RhsStatus status = formulation->jacobian(0.3, wrong, rows);
  EXPECT_FALSE(status.ok);
  EXPECT_NE(status.message().find("dependent components"), std::string::npos) << status.message();
}

/// The state says which joints depend, and one formulation may be asked for states of several choices.
TEST(naudet_derivatives, are_those_of_the_choice_that_the_state_names) {
  for (const char* const key : {"naudet", "naudet-reduced", "naudet-acc-reduced"}) {
    expect_choices_of_states({key, "switch_at=1"});
  }
}

/// Columns by parameters against differences, and those by forces and masses against weights.
void expect_agreement_by_parameters(const Mechanism& mechanism, const Variant& variant, RandomSource& random,
                                    const std::string& what) {
  const MechanismDescription& description = mechanism.description();
  std::vector<RateParameter> parameters;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      parameters.push_back({ParameterKind::joint_force, joint.name, i});
    }
  }
  const std::size_t forces = parameters.size();
  for (const BodyDescription& body : description.bodies) {
    parameters.push_back({ParameterKind::mass, body.name, 0});
  }
  const std::size_t weighed = parameters.size();
  for (const JointSpringDescription& spring : description.joint_springs) {
    parameters.push_back({ParameterKind::stiffness, spring.name, 0});
    parameters.push_back({ParameterKind::damping, spring.name, 0});
  }
  const auto formulation = test::make(variant.key, mechanism);
  const std::vector<double> x = state_beside(*formulation, random, 0.01);
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> got(
      size, static_cast<Eigen::Index>(parameters.size()));
  ASSERT_TRUE(
      formulation->parameter_jacobian(0.3, x, parameters, {got.data(), static_cast<std::size_t>(got.size())}).ok);
  for (std::size_t k = forces; k < parameters.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const Eigen::VectorXd expected = test::difference([&](double s) {
      const Mechanism moved(test::with_parameter(description, parameters[k], s));
      Eigen::VectorXd rates(size);
      EXPECT_TRUE(test::make(variant.key, moved)->rhs(0.3, x, {rates.data(), x.size()}).ok);
      return rates;
    });
    // As of the state; some parameters move nothing.
    const double largest = std::max(1e-3 * got.cwiseAbs().maxCoeff(), expected.cwiseAbs().maxCoeff());
    EXPECT_LT((got.col(column) - expected).cwiseAbs().maxCoeff(), 1e-6 * largest) << what << ", " << parameters[k].name;
  }
  const Eigen::VectorXd weights = test::random_vector(static_cast<int>(x.size()), random);
  Eigen::VectorXd sums(got.cols());
  std::vector<double> by_state(x.size());
  const std::span<double> by_forces(sums.data(), forces);
  const std::span<double> by_masses(sums.data() + forces, weighed - forces);
  ASSERT_TRUE(
      formulation->weighted_derivatives(0.3, x, {weights.data(), x.size()}, by_state, {by_forces, by_masses, {}}).ok);
  const Eigen::VectorXd expected = got.transpose() * weights;
  std::vector<double> q(static_cast<std::size_t>(mechanism.q_size()));
  std::vector<double> u(static_cast<std::size_t>(mechanism.u_size()));
  ASSERT_TRUE(formulation->unpack(0.3, x, q, u).ok);
  const auto count = static_cast<Eigen::Index>(weighed);
  // Both are solved by the same recursion, whose rounding the condition magnifies.
  EXPECT_LT((sums - expected).head(count).cwiseAbs().maxCoeff(),
            1e-13 * (10.0 + test::condition_at(mechanism, q)) * std::max(1.0, got.cwiseAbs().maxCoeff()))
      << what;
}

TEST(naudet_derivatives, by_parameters_agree_with_differences_and_with_weights) {
  int treated = 0;
  int reduced = 0;
  for (std::int64_t seed = 1; seed <= 6; ++seed) {
    RandomSource random(seed);
    const std::string name =
        seed % 3 == 0 ? "double_loop:angle=0.2" : fmt::format("random_closed:seed={},bodies=6,cuts=1,loads=0", seed);
    const Mechanism mechanism = test::with_joint_loads(test::unloaded(loop_named(name).description()), random);
    if (!test::is_free_beside(mechanism)) {
      continue;
    }
    expect_agreement_by_parameters(mechanism, kClosedMomenta, random, fmt::format("naudet, seed {}", seed));
    for (const Variant& variant : {kReducedMomenta, kReducedAccelerations}) {
      if (refusal_of(*find_formulation(formulation_registry(), variant.key), mechanism).empty()) {
        expect_agreement_by_parameters(mechanism, variant, random, fmt::format("{}, seed {}", variant.key, seed));
        ++reduced;
      }
    }
    if (!test::is_compromise(kClosedAccelerations, mechanism)) {
      expect_agreement_by_parameters(mechanism, kClosedAccelerations, random, fmt::format("naudet-acc, seed {}", seed));
      ++treated;
    }
  }
  EXPECT_GE(treated, 2);
  EXPECT_GE(reduced, 2);
}

TEST(naudet_derivatives, are_refused_where_the_position_is_singular) {
  const Mechanism mechanism = loop_named("n_four_bar:1");
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(mechanism.u_size());
  for (const char* const key : {"naudet", "naudet-acc"}) {
    const auto formulation = test::make(key, mechanism);
    std::vector<double> x(formulation->state_size());
    ASSERT_TRUE(formulation->pack(0.3, view(test::n_four_bar_coordinates(1, 1.0)), view(u), x).ok);
    // All bars in one line: the rod's rows depend on one another there.
    const Eigen::VectorXd q = test::n_four_bar_coordinates(1, 0.5 * std::acos(-1.0));
    std::copy(q.begin(), q.end(), x.begin());
    std::vector<double> rows(x.size() * x.size());
    const RhsStatus status = formulation->jacobian(0.3, x, rows);
    EXPECT_FALSE(status.ok);
    EXPECT_NE(status.message().find("singular"), std::string::npos) << status.message();
    EXPECT_EQ(status.joint, mechanism.cut_joints().front().name);
    EXPECT_FALSE(formulation->jacobian_vector(0.3, x, x, rows).ok);
    EXPECT_FALSE(formulation->vector_jacobian(0.3, x, x, rows).ok);
  }
}

}  // namespace
}  // namespace mbdbench
