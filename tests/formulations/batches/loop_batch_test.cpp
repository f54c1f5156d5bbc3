// Many states of mechanisms with loops at a time: the answers of one state at a time in every instruction set, where
// loops are closed, where they have drifted open and next to singular positions; bits that depend on neither place,
// number nor threads; states that fail alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/trees/random_tree.hpp"
#include "tests/formulations/batches/loop_batches.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/added_loads.hpp"
#include "tests/support/extent.hpp"
#include "tests/support/four_bar.hpp"
#include "tests/support/random_loops.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

using loop_batches::add_constant_loads;
using loop_batches::BatchAnswers;
using loop_batches::closed_states;
using loop_batches::expect_answers_in_turn;
using loop_batches::Form;
using loop_batches::in_turn;
using loop_batches::kAccelerations;
using loop_batches::kAllJoints;
using loop_batches::kAsPublished;
using loop_batches::kForms;
using loop_batches::kNotANumber;
using loop_batches::kReduced;
using loop_batches::kTangent;
using loop_batches::largest_difference;
using loop_batches::name_of;
using loop_batches::prescribe_a_motion;
using loop_batches::rounding_of;
using loop_batches::side_by_side;

/// Planar loops, spatial loops with spherical cuts, and trees of all joints closed by cuts of all types.
MechanismDescription loops_without_loads(std::uint64_t seed) {
  if (seed % 4 > 1) {
    const std::string key = fmt::format("random_closed:seed={},bodies={},cuts={},loads=0,screws={}", seed,
                                        4 + seed % 13, 1 + seed % 3, seed % 5 == 0 ? 1 : 0);
    return make_mechanism(mechanism_registry(), key).description();
  }
  test::RandomLoops loops(static_cast<std::int64_t>(seed),
                          {.planar = seed % 4 == 0, .loops = 1 + static_cast<int>(seed % 3)});
  return Mechanism(loops.take()).description();
}

/// Some with loads that lanes know, some with others, some with prescribed motions.
Mechanism random_loops(std::uint64_t seed) {
  MechanismDescription description = loops_without_loads(seed);
  RandomSource random(static_cast<std::int64_t>(seed));
  if (seed % 8 < 4) {
    add_constant_loads(random, description);
  } else if (seed % 3 == 0) {
    if (!description.markers.empty()) {  // formulas see one
      add_random_loads(random, description);
    }
    test::add_bushings(random, description);
    test::add_friction(random, description);
    test::add_stops(random, description);
  }
  if (seed % 7 < 3) {
    prescribe_a_motion(description);
  }
  return Mechanism(std::move(description));
}

TEST(loop_batch, random_loops_give_the_answers_of_one_state_at_a_time) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + test::extent(40) - 1);
  std::array<std::size_t, std::size(kForms)> in_lanes{};
  std::size_t states = 0;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (std::uint64_t seed = first; seed < first + test::extent(40); ++seed) {
      const Mechanism mechanism = random_loops(seed);
      states += 1 + seed % 19;
      for (std::size_t k = 0; k < std::size(kForms); ++k) {
        for (const double drift : {0.0, 1e-8, 1e-6}) {
          const std::string name = fmt::format("seed {}, {}", seed, set.name);
          const std::size_t own = expect_answers_in_turn(mechanism, name, 1 + seed % 19, drift, kForms[k]);
          in_lanes[k] += drift == 0.0 ? own : 0;
        }
      }
    }
  }
  for (std::size_t k = 0; k < std::size(kForms); ++k) {
    fmt::print("{}: {} of {} states in lanes\n", name_of(kForms[k]), in_lanes[k], states);
    EXPECT_GT(in_lanes[k], 3 * states / 4) << name_of(kForms[k]);
  }
}

TEST(loop_batch, closed_mechanisms_of_the_catalogue_give_the_answers_of_one_state_at_a_time) {
  std::set<std::string> in_lanes;
  for (const char* name : {"four_bar",
                           "four_bar:cut=middle",
                           "loop8",
                           "double_loop",
                           "loop:17",
                           "loop:joints=9,cut=2",
                           "loop:33",
                           "loop:joints=25,cut=1",
                           "rings:2",
                           "ladder:3",
                           "grid:3",
                           "five_bar",
                           "coupled_loops",
                           "biped",
                           "slider_crank",
                           "bricard",
                           "bennett",
                           "sarrus",
                           "n_four_bar:2",
                           "squeezer",
                           "loop:joints=17,springs=4",
                           "random_closed:seed=3,loads=0",
                           "random_closed:seed=8,cuts=2,loads=0",
                           "random_closed",
                           "random_closed:screws=1"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    for (const Form& form : kForms) {
      for (const double drift : {0.0, 1e-8, 1e-6}) {
        if (expect_answers_in_turn(mechanism, name, 13, drift, form) > 6) {
          in_lanes.insert(name_of(form) + name);
        }
      }
    }
    expect_answers_in_turn(mechanism, name, 5, 0.0, {"dca"});
  }
  for (const char* name : {"four_bar", "double_loop", "loop:17", "rings:2", "ladder:3", "bricard", "bennett", "sarrus",
                           "five_bar", "coupled_loops", "biped", "slider_crank", "random_closed"}) {
    for (const Form& form : kForms) {
      EXPECT_TRUE(in_lanes.contains(name_of(form) + name)) << name_of(form) << " on " << name;
    }
  }
}

TEST(loop_batch, baumgartes_terms_are_those_of_one_state_at_a_time) {
  for (const char* name : {"four_bar", "bricard", "ladder:2", "rings:1"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    const auto formulation = test::make("bae-haug", mechanism, "alpha=5,beta=7");
    ASSERT_GT(formulation->batch_lanes(), 1);
    const std::vector<double> states = closed_states(*formulation, 11, 3, 1e-3);
    EXPECT_LT(largest_difference(*formulation, side_by_side(*formulation, states), in_turn(*formulation, states)),
              rounding_of(mechanism))
        << name;
  }
}

TEST(loop_batch, gauges_and_feedback_are_those_of_one_state_at_a_time) {
  for (const char* name : {"four_bar", "bricard", "ladder:2", "rings:1", "loop:joints=17,springs=4"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    for (const char* options : {"feedback=7", "gauge=tangent,leak=0", "gauge=tangent,leak=1000", "gauge=leak,leak=3",
                                "gauge=reset", "gauge=none,feedback=20"}) {
      const auto formulation = test::make("hdca", mechanism, options);
      ASSERT_GT(formulation->batch_lanes(), 1);
      const std::vector<double> states = closed_states(*formulation, 11, 3, 1e-3);
      const BatchAnswers got = side_by_side(*formulation, states);
      const BatchAnswers expected = in_turn(*formulation, states);
      EXPECT_LT(largest_difference(*formulation, got, expected), rounding_of(mechanism)) << name << ", " << options;
      // Redundant rows that contradict one another beside closed loops send states alone.
      EXPECT_LT(formulation->states_alone(), mechanism.generic_rank().overconstrained ? 12U : 4U)
          << name << ", " << options;
    }
  }
}

TEST(loop_batch, couplings_are_those_of_one_state_at_a_time) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum_xyz:6").description();
  CouplingDescription gear;
  gear.name = "gear";
  gear.terms = {{"joint2", 0, 1.0}, {"joint3", 0, 2.0}, {"joint5", 0, -0.5}};
  description.couplings.push_back(gear);
  for (JointDescription& joint : description.joints) {
    joint.dependent = true;
  }
  std::vector<Mechanism> mechanisms;
  mechanisms.emplace_back(description);
  prescribe_a_motion(description);  // of joint1, which no gear couples
  mechanisms.emplace_back(description);
  description.couplings.front().terms.front().joint = "joint1";
  mechanisms.emplace_back(description);
  for (const Mechanism& geared : mechanisms) {
    for (const auto& [key, options] : {std::pair{"bae-haug", ""},
                                       {"bae-haug", "projection=off"},
                                       {"bae-haug", "projection=off,alpha=3"},
                                       {"bae-haug", "projection=off,alpha=3,beta=5"},
                                       {"hdca", ""},
                                       {"hdca", "gauge=none"},
                                       {"hdca", "gauge=tangent"},
                                       {"hdca", "gauge=leak"},
                                       {"hdca", "gauge=tangent,feedback=2"},
                                       {"dca", ""}}) {
      for (const double drift : {0.0, 1e-3}) {
        const auto formulation = test::make(key, geared, options);
        EXPECT_GT(formulation->batch_lanes(), 1) << key << ", " << options;
        const std::vector<double> states = closed_states(*formulation, 19, 5, drift);
        const BatchAnswers got = side_by_side(*formulation, states);
        const BatchAnswers expected = in_turn(*formulation, states);
        EXPECT_LT(largest_difference(*formulation, got, expected), 1e-11)
            << key << ", " << options << ", open by " << drift;
        EXPECT_LT(formulation->states_alone(), 4U) << key << ", " << options;
      }
    }
  }
}

TEST(loop_batch, bits_depend_on_neither_place_nor_number_nor_threads) {
  for (const auto& [name, form] : {std::pair{"double_loop", kAccelerations},
                                   {"bricard", kAccelerations},
                                   {"ladder:3", kAccelerations},
                                   {"double_loop", kTangent},
                                   {"bricard", kTangent},
                                   {"ladder:3", kAsPublished},
                                   {"double_loop", kReduced},
                                   {"bricard", kReduced},
                                   {"ladder:3", kAllJoints},
                                   {"slider_crank", kAccelerations},
                                   {"random_closed:screws=1", kTangent},
                                   {"random_closed:screws=1", kReduced}}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    const auto formulation = test::make(form.key, mechanism, form.options);
    const std::size_t size = formulation->state_size();
    constexpr std::size_t kCount = 37;
    const std::vector<double> rows = closed_states(*formulation, kCount, 5, 1e-7);
    const BatchAnswers all = side_by_side(*formulation, rows);
    for (const int threads : {2, 3, 8}) {
      EXPECT_EQ(side_by_side(*formulation, rows, threads).rates, all.rates) << name;
    }
    for (const std::size_t first : {std::size_t{1}, std::size_t{7}, kCount - 1}) {
      const BatchAnswers some = side_by_side(*formulation, std::span(rows).subspan(first * size));
      EXPECT_TRUE(std::equal(some.rates.begin(), some.rates.end(),
                             all.rates.begin() + static_cast<std::ptrdiff_t>(first * size)))
          << name << " from state " << first;
    }
  }
}

TEST(loop_batch, a_state_that_fails_does_so_alone_and_names_its_joint) {
  for (const auto& [name, form] : {std::pair{"double_loop", kAccelerations},
                                   {"ladder:2", kAccelerations},
                                   {"double_loop", kTangent},
                                   {"ladder:2", kAsPublished},
                                   {"double_loop", kReduced},
                                   {"double_loop", kAllJoints},
                                   {"slider_crank", kTangent},
                                   {"random_closed:screws=1", kAccelerations}}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    const auto formulation = test::make(form.key, mechanism, form.options);
    const std::size_t size = formulation->state_size();
    constexpr std::size_t kCount = 11;
    const std::vector<double> states = closed_states(*formulation, kCount, 8, 0.0);
    const BatchAnswers sound = side_by_side(*formulation, states);
    for (std::size_t spoiled = 0; spoiled < kCount; ++spoiled) {
      for (const std::size_t entry : {std::size_t{1}, size - 1}) {
        std::vector<double> rows = states;
        rows[spoiled * size + entry] = kNotANumber;
        const RhsStatus alone = in_turn(*formulation, rows).statuses[spoiled];
        ASSERT_FALSE(alone.ok);
        const BatchAnswers got = side_by_side(*formulation, rows);
        for (std::size_t k = 0; k < kCount; ++k) {
          EXPECT_EQ(got.statuses[k].ok, k != spoiled) << name << ", state " << k << " beside " << spoiled;
          for (std::size_t i = k * size; k != spoiled && i < (k + 1) * size; ++i) {
            EXPECT_EQ(got.rates[i], sound.rates[i]) << name << ", state " << k << " beside " << spoiled;
          }
        }
        EXPECT_EQ(got.statuses[spoiled].joint, alone.joint);
      }
    }
  }
}

/// A kite of two bars of 1 m and two of 3 m, folded but for the angle of its crank: singular at 0, where the smallest
/// singular value of Phi_q vanishes with the angle.
Eigen::VectorXd folded_kite(double angle) {
  const Eigen::Vector2d tip(std::cos(angle), std::sin(angle));
  const Eigen::Vector2d end(1.0, 0.0);
  const double half = std::sin(0.5 * angle);
  const double towards = 0.5 * angle - 0.5 * 3.141592653589793;  // from the tip to the end
  const double coupler = towards + std::acos(half / 3.0);
  const Eigen::Vector2d apex = tip + 3.0 * Eigen::Vector2d(std::cos(coupler), std::sin(coupler));
  const Eigen::Vector2d back = end - apex;
  return Eigen::Vector3d(angle, coupler - angle, std::atan2(back.y(), back.x()) - coupler);
}

// States of one choice of dependent joints go side by side, wherever they stand. Any two of three joints may depend.
TEST(loop_batch, states_whose_dependent_joints_differ_have_the_bits_of_their_own_choice) {
  const Eigen::VectorXd start = folded_kite(0.5);
  const Mechanism mechanism(test::four_bar(1.0, {start[0], start[1], start[2]}));
  const auto formulation = test::make("naudet", mechanism);
  ASSERT_GT(formulation->batch_lanes(), 1);
  const std::size_t size = formulation->state_size();
  ASSERT_EQ(formulation->layout().back().name, "dependent.1");
  ASSERT_EQ(formulation->layout()[size - 2].kind, StateKind::momentum);
  constexpr std::size_t kCount = 41;
  constexpr double kChoices[] = {3.0, 5.0, 6.0};  // a bit a joint
  std::vector<double> rows;
  std::vector<double> backward;
  for (std::size_t k = 0; k < kCount; ++k) {
    std::vector<double> x(size);
    const double angle = 0.3 + 0.02 * static_cast<double>((k * 7) % kCount);
    ASSERT_TRUE(formulation->pack(0.0, view(folded_kite(angle)), view(Eigen::VectorXd::Zero(3)), x).ok);
    x[size - 2] = 0.7 + 0.01 * static_cast<double>(k);
    x[size - 1] = kChoices[k % 3];
    rows.insert(rows.end(), x.begin(), x.end());
    backward.insert(backward.begin(), x.begin(), x.end());
  }
  const BatchAnswers all = side_by_side(*formulation, rows);
  // Ratios of the joints' velocities are at most about 1 / 0.3, their momenta lose the square of that.
  EXPECT_LT(largest_difference(*formulation, all, in_turn(*formulation, rows)), 1e-12);
  const BatchAnswers reversed = side_by_side(*formulation, backward, 2);
  for (std::size_t k = 0; k < kCount; ++k) {
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(reversed.rates[(kCount - 1 - k) * size + i], all.rates[k * size + i]) << "state " << k;
    }
  }
  std::vector<double> spoiled = rows;
  spoiled[5 * size - 1] = 7.0;  // three joints cannot depend
  const BatchAnswers others = side_by_side(*formulation, spoiled);
  for (std::size_t k = 0; k < kCount; ++k) {
    EXPECT_EQ(others.statuses[k].ok, k != 4) << "state " << k;
    EXPECT_TRUE(k == 4 || std::equal(others.rates.begin() + static_cast<std::ptrdiff_t>(k * size),
                                     others.rates.begin() + static_cast<std::ptrdiff_t>((k + 1) * size),
                                     all.rates.begin() + static_cast<std::ptrdiff_t>(k * size)))
        << "state " << k;
  }
}

TEST(loop_batch, states_beside_singular_positions_decide_on_their_rank_as_one_state_does) {
  const Eigen::VectorXd start = folded_kite(0.5);
  const Mechanism mechanism(test::four_bar(1.0, {start[0], start[1], start[2]}));
  for (const Form& form : kForms) {
    const auto formulation = test::make(form.key, mechanism, form.options);
    ASSERT_GT(formulation->batch_lanes(), 1);
    const std::size_t size = formulation->state_size();
    std::vector<double> rows;
    std::vector<double> angles;
    for (int exponent = -13; exponent <= 0; ++exponent) {
      const double angle = exponent < -12 ? 0.0 : 0.5 * std::pow(10.0, exponent);
      std::vector<double> x(size);
      if (formulation->pack(0.0, view(folded_kite(angle)), view(Eigen::VectorXd::Zero(3)), x).ok) {
        angles.push_back(angle);
        rows.insert(rows.end(), x.begin(), x.end());
      }
    }
    // No choice of dependent joints closes a loop that is folded.
    EXPECT_EQ(angles.size(), form.key == kReduced.key ? 10U : 14U);
    const BatchAnswers expected = in_turn(*formulation, rows);
    const BatchAnswers got = side_by_side(*formulation, rows);
    for (std::size_t k = 0; k < angles.size(); ++k) {
      ASSERT_TRUE(got.statuses[k].ok);
      // Rows so nearly dependent lose eps over the square of the angle; where that is all, the state goes alone.
      const double limit = angles[k] < 1e-6 ? 0.0 : std::max(1e-12, 1e-14 / (angles[k] * angles[k]));
      const std::span<const double> a = std::span(got.rates).subspan(k * size, size);
      const std::span<const double> b = std::span(expected.rates).subspan(k * size, size);
      EXPECT_LE(test::block_error(a, b), limit) << name_of(form) << ", crank at " << angles[k];
    }
  }
}

}  // namespace
}  // namespace mbdbench
