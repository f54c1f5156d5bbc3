// Sections of equal form side by side in lanes (formulations/parts/sections): where a line repeats itself, the motion
// of one part and of the dense reference, what makes sections differ, states that fail, bits and memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "formulations/parts/sections/sections_in_lanes.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/allocation_guard.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

constexpr const char* kOnePiece = "leaf=1000000";

Mechanism ladder_of(int loops) {
  return make_mechanism(mechanism_registry(), fmt::format("ladder:{}", loops));
}

/// A ladder whose parts a test changes.
MechanismDescription described_ladder(int loops) {
  return ladder_of(loops).description();
}

struct SectionForm {
  const char* key;
  const char* options;
};

constexpr std::array kSectionForms = {
    SectionForm{"bae-haug", "projection=on"}, SectionForm{"bae-haug", "projection=off,alpha=3,beta=5"},
    SectionForm{"dca", "projection=on"}, SectionForm{"dca", "baumgarte_alpha=2,baumgarte_beta=4"}};

test::Evaluation at_random_state(const Mechanism& mechanism, const SectionForm& form, const std::string& more,
                                 int seed) {
  RandomSource random(seed);
  const Eigen::VectorXd q =
      test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 1e-9);
  const Eigen::VectorXd u = mechanism.u0() + 0.1 * test::random_vector(mechanism.u_size(), random);
  return test::evaluate_at(*test::make(form.key, mechanism, fmt::format("{}{}", form.options, more)), 0.3, q, u);
}

double error_in_lanes(const Mechanism& mechanism, const SectionForm& form, int seed) {
  const test::Evaluation lanes = at_random_state(mechanism, form, "", seed);
  const test::Evaluation one = at_random_state(mechanism, form, fmt::format(",{}", kOnePiece), seed);
  EXPECT_TRUE(lanes.status.ok) << lanes.status.message();
  EXPECT_TRUE(one.status.ok) << one.status.message();
  EXPECT_NE(lanes.xdot, one.xdot) << "sections in lanes round otherwise: these are the same numbers";
  return test::block_error(lanes.xdot, one.xdot);
}

TEST(section_lanes, are_where_a_line_is_long_and_repeats_itself) {
  EXPECT_TRUE(has_twin_sections(ladder_of(127)));
  EXPECT_TRUE(has_twin_sections(ladder_of(63)));
  EXPECT_FALSE(has_twin_sections(ladder_of(15))) << "too short to gain";
  for (const char* key : {"pendulum:64", "loop:257", "double_loop", "balanced_tree:127", "random_closed:seed=5"}) {
    EXPECT_FALSE(has_twin_sections(make_mechanism(mechanism_registry(), key))) << key;
  }
}

TEST(section_lanes, move_as_one_part_moves) {
  const int first_seed = static_cast<int>(test::seed_of_run(6100U));
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  double worst = 0.0;
  int seed = first_seed;
  for (const int loops : {63, 70, 127, 255}) {
    const Mechanism mechanism = ladder_of(loops);
    ASSERT_TRUE(has_twin_sections(mechanism)) << loops;
    for (const SectionForm& form : kSectionForms) {
      // As sections one after another (sections_test).
      const double error = error_in_lanes(mechanism, form, ++seed);
      EXPECT_LT(error, 1e-8) << form.key << ' ' << form.options << " loops " << loops << " seed " << seed;
      worst = std::max(worst, error);
    }
  }
  fmt::print("sections in lanes: worst relative difference {:.1e}\n", worst);
}

TEST(section_lanes, move_as_the_dense_reference_moves) {
  const Mechanism mechanism = ladder_of(63);
  const auto state = [&](std::string_view key) {
    return test::evaluate_at(*test::make(key, mechanism), 0.0, mechanism.q0(), mechanism.u0()).xdot;
  };
  const std::vector<double> dense = state("dense");
  for (const char* key : {"dca", "bae-haug"}) {
    EXPECT_LT(test::block_error(state(key), dense), 1e-10) << key;  // as sections_test
  }
}

TEST(section_lanes, of_every_instruction_set_agree) {
  const Mechanism mechanism = ladder_of(63);
  const std::vector<double> best = at_random_state(mechanism, kSectionForms[0], "", 1).xdot;
  for (const InstructionSet& set : instruction_sets()) {
    if (set.available) {
      const test::InstructionSetInUse use(set);
      EXPECT_LT(test::block_error(at_random_state(mechanism, kSectionForms[0], "", 1).xdot, best), 1e-10) << set.name;
    }
  }
}

// One section is another one: the line is one part again, where lanes would give what twins move.
TEST(section_lanes, are_none_where_one_section_differs) {
  MechanismDescription heavier = described_ladder(127);
  heavier.bodies[60].mass = 1.0 + 1e-15;
  MechanismDescription slower = described_ladder(127);
  slower.bodies[200].inertia(0, 0) = 1.01;
  for (const MechanismDescription& description : {heavier, slower}) {
    EXPECT_FALSE(has_twin_sections(Mechanism(description)));
  }
}

TEST(section_lanes, take_springs_and_motors_in_joints_that_repeat_or_not) {
  MechanismDescription description = described_ladder(63);
  const Mechanism without(description);
  JointLoadDescription motor;
  motor.name = "motor";
  motor.joint = "row1_20";
  motor.component = 1;
  motor.law = ConstantLaw{0.7};
  description.joint_loads.push_back(motor);
  const Mechanism mechanism(description);
  ASSERT_TRUE(has_twin_sections(mechanism));
  for (const SectionForm& form : kSectionForms) {
    EXPECT_LT(error_in_lanes(mechanism, form, 5), 1e-8) << form.key;  // as above
    EXPECT_GT(
        test::block_error(at_random_state(mechanism, form, "", 5).xdot, at_random_state(without, form, "", 5).xdot),
        1e-4)
        << "the motor moves nothing";
  }
}

TEST(section_lanes, have_the_same_bits_on_any_number_of_threads) {
  const Mechanism mechanism = ladder_of(255);
  for (const SectionForm& form : kSectionForms) {
    std::vector<double> first;
    for (const int threads : {1, 2, 3, 8}) {
      const std::vector<double> xdot = at_random_state(mechanism, form, fmt::format(",threads={}", threads), 9).xdot;
      first = first.empty() ? xdot : first;
      EXPECT_EQ(xdot, first) << form.key << ' ' << form.options << " with threads=" << threads;
    }
  }
  EXPECT_GE(test::make("dca", mechanism, "threads=2")->threads(), 2);
}

TEST(section_lanes, allocate_nothing) {
  const Mechanism mechanism = ladder_of(63);
  for (const SectionForm& form : kSectionForms) {
    const auto formulation = test::make(form.key, mechanism, fmt::format("{},threads=1", form.options));
    std::vector<double> x(formulation->state_size());
    std::vector<double> xdot(x.size());
    ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok);
    const AllocationGuard guard;
    EXPECT_TRUE(formulation->rhs(0.0, x, xdot).ok);
    EXPECT_EQ(guard.count(), 0U) << form.key;
  }
}

/// Every so many components of a state are spoilt in turn; then the state is sound again.
void expect_forgotten(const Mechanism& mechanism, std::size_t step) {
  const auto formulation = test::make("dca", mechanism, "threads=1");
  std::vector<double> x(formulation->state_size());
  std::vector<double> first(x.size());
  ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  ASSERT_TRUE(formulation->rhs(0.0, x, first).ok);
  std::vector<double> xdot(x.size());
  for (std::size_t i = 0; i < x.size(); i += step) {
    std::vector<double> spoilt = x;
    spoilt[i] = std::numeric_limits<double>::quiet_NaN();
    const RhsStatus status = formulation->rhs(0.0, spoilt, xdot);
    EXPECT_FALSE(status.ok) << "component " << i;
    EXPECT_FALSE(status.joint.empty()) << "component " << i;
    ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok) << "component " << i << ": afterwards";
    ASSERT_EQ(xdot, first) << "component " << i << ": afterwards";
  }
}

TEST(section_lanes, tell_what_is_not_finite_and_forget_it) {
  expect_forgotten(ladder_of(63), 7);
}

// Its way through a section in between is known by the seam alone, and so is the size by which its rows count as zero.
TEST(section_lanes, have_loops_that_go_through_them_to_the_ground) {
  MechanismDescription description = described_ladder(127);
  JointDescription guide;
  guide.name = "guide";
  guide.type = JointType::point_on_plane;
  guide.b = "body1_128";
  guide.frame_a.position = Vec3(127.0, 0.0, 0.0);
  guide.cut = true;
  description.joints.push_back(guide);
  const Mechanism mechanism(description);
  ASSERT_TRUE(has_twin_sections(mechanism));
  for (const SectionForm& form : kSectionForms) {
    EXPECT_LT(error_in_lanes(mechanism, form, 7), 1e-8) << form.key;  // as move_as_one_part_moves
  }
  expect_forgotten(mechanism, 97);
}

/// A ladder with two more cut joints between the plates of its first row.
Mechanism ladder_with_struts(int loops) {
  MechanismDescription description = described_ladder(loops);
  for (int k = 1; k <= loops; ++k) {
    for (const char side : {'a', 'b'}) {
      JointDescription strut;
      strut.name = fmt::format("strut{}_{}", side, k);
      strut.type = JointType::point_on_plane;
      strut.a = fmt::format("body1_{}", k);
      strut.b = fmt::format("body1_{}", k + 1);
      strut.frame_a.position = Vec3(0.5, 0.0, side == 'a' ? 0.2 : 0.4);
      strut.frame_b.position = strut.frame_a.position - Vec3::UnitX();
      strut.cut = true;
      description.joints.push_back(strut);
    }
  }
  return Mechanism(description);
}

TEST(section_lanes, are_none_where_many_loops_cross_seams_of_short_sections) {
  EXPECT_FALSE(has_twin_sections(ladder_with_struts(63)));
  EXPECT_TRUE(has_twin_sections(ladder_with_struts(511)));
}

// Every link that a section hangs on needs an inertia of its own, not the first one alone.
TEST(section_lanes, are_none_where_links_between_them_are_light) {
  MechanismDescription description = described_ladder(63);
  for (int k = 3; k <= 64; ++k) {  // sections begin on the second one
    const std::string name = fmt::format("body1_{}", k);
    const auto body = std::find_if(description.bodies.begin(), description.bodies.end(),
                                   [&](const BodyDescription& other) { return other.name == name; });
    body->mass = 1e-9;
    body->inertia *= 1e-9;
  }
  EXPECT_FALSE(has_twin_sections(Mechanism(description)));
}

// States side by side have one part each, and its numbers.
TEST(section_lanes, leave_batches_of_states_to_lanes_of_states) {
  const Mechanism mechanism = ladder_of(63);
  const auto formulation = test::make("bae-haug", mechanism);
  ASSERT_GT(formulation->batch_lanes(), 1);
  const std::size_t size = formulation->state_size();
  std::vector<double> states(3 * size);
  std::vector<double> rates(3 * size);
  std::vector<double> one(size);
  for (std::size_t k = 0; k < 3; ++k) {
    const test::Evaluation at = at_random_state(mechanism, kSectionForms[0], "", static_cast<int>(k) + 20);
    std::copy(at.x.begin(), at.x.end(), states.begin() + static_cast<std::ptrdiff_t>(k * size));
  }
  std::vector<RhsStatus> statuses(3);
  formulation->rhs_batch(0.3, states, rates, statuses);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::span<const double> state = std::span(states).subspan(k * size, size);
    EXPECT_TRUE(statuses[k].ok) << statuses[k].message();
    ASSERT_TRUE(formulation->rhs(0.3, state, one).ok);
    EXPECT_LT(test::block_error(std::span<const double>(rates).subspan(k * size, size), one), 1e-8) << k;
  }
}

}  // namespace
}  // namespace mbdbench
