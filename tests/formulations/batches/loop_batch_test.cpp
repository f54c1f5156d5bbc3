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

#include "formulations/assembly/constraint_projection.hpp"
#include "formulations/batches/state_batch.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/trees/random_tree.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/added_loads.hpp"
#include "tests/support/extent.hpp"
#include "tests/support/four_bar.hpp"
#include "tests/support/random_loops.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

/// Formulations whose states of loops go side by side.
struct Form {
  const char* key;
  const char* options = "";
};
constexpr Form kAccelerations{"bae-haug"};
constexpr Form kTangent{"hdca"};
constexpr Form kAsPublished{"hdca", "gauge=none"};
constexpr Form kReduced{"naudet"};
constexpr Form kAllJoints{"naudet-acc"};
constexpr Form kForms[] = {kAccelerations, kTangent, kAsPublished, kReduced, kAllJoints};

bool takes(const Form& form, const Mechanism& mechanism) {
  const FormulationRegistry& registry = formulation_registry();
  return refusal_of(*find_formulation(registry, form.key), mechanism).empty();
}

std::string name_of(const Form& form) {
  return fmt::format("{}[{}]", form.key, form.options);
}

constexpr double kTimeOfStates =
    0.3;  // of right-hand sides, away from the start: prescribed velocities are not those of states
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// p += Phi_q^T mu, so that the loops carry impulses of the momenta's size, which change no velocity.
void add_impulses(const Mechanism& mechanism, const Eigen::VectorXd& q, RandomSource& random, std::span<double> p) {
  DenseDynamics dynamics(mechanism, nullptr);
  ASSERT_TRUE(dynamics.set_positions(0.0, view(q)).ok);
  ASSERT_EQ(p.size(), static_cast<std::size_t>(mechanism.u_size()));
  const Eigen::MatrixXd& constraints = dynamics.jacobians().constraints();
  Eigen::Map<Eigen::VectorXd> momenta(p.data(), static_cast<Eigen::Index>(p.size()));
  Eigen::VectorXd change = constraints.transpose() * test::random_vector(static_cast<int>(constraints.rows()), random);
  const double size = change.norm();
  momenta += (size > 0.0 ? momenta.norm() / size : 0.0) * change;
}

/// States next to the start of a mechanism whose loops are closed, some of them on purpose not quite.
std::vector<double> closed_states(Formulation& formulation, std::size_t count, std::uint64_t seed, double drift) {
  const Mechanism& mechanism = formulation.mechanism();
  ConstraintProjection projection(mechanism, best_instruction_set());
  RandomSource random(static_cast<std::int64_t>(seed));
  const std::size_t size = formulation.state_size();
  std::vector<double> rows(count * size);
  for (std::size_t k = 0; k < count; ++k) {
    Eigen::VectorXd q;
    double reach = 0.3;
    do {  // a shorter way where the loops cannot be closed
      q = test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), reach);
      reach *= 0.5;
    } while (!projection.project_positions(0.0, {q.data(), static_cast<std::size_t>(q.size())}, 1e-11).reached &&
             reach > 1e-6);
    Eigen::VectorXd u = mechanism.u0() + test::random_vector(mechanism.u_size(), random);
    projection.project_velocities(0.0, view(q), {u.data(), static_cast<std::size_t>(u.size())}, 1e-11);
    q = test::moved(mechanism, q, test::random_vector(mechanism.u_size(), random), drift);
    u += drift * test::random_vector(mechanism.u_size(), random);
    const std::span<double> x = std::span(rows).subspan(k * size, size);
    EXPECT_TRUE(formulation.pack(0.0, view(q), view(u), x).ok);
    // Reduced momenta are not free to have any.
    if (formulation.layout().back().kind == StateKind::momentum &&
        size == static_cast<std::size_t>(mechanism.q_size() + mechanism.u_size())) {
      add_impulses(mechanism, q, random, x.subspan(static_cast<std::size_t>(mechanism.q_size())));
    }
  }
  return rows;
}

struct BatchAnswers {
  std::vector<double> rates;
  std::vector<RhsStatus> statuses;
};

BatchAnswers in_turn(Formulation& formulation, std::span<const double> states) {
  const std::size_t size = formulation.state_size();
  BatchAnswers answers{std::vector<double>(states.size()), std::vector<RhsStatus>(states.size() / size)};
  for (std::size_t k = 0; k < answers.statuses.size(); ++k) {
    answers.statuses[k] = formulation.rhs(kTimeOfStates, states.subspan(k * size, size),
                                          std::span(answers.rates).subspan(k * size, size));
  }
  return answers;
}

BatchAnswers side_by_side(Formulation& formulation, std::span<const double> states, int threads = 1) {
  BatchAnswers answers{std::vector<double>(states.size(), kNotANumber),
                       std::vector<RhsStatus>(states.size() / formulation.state_size(), {false, {}, "not asked"})};
  StateBatch(formulation, threads).rhs(kTimeOfStates, states, answers.rates, answers.statuses);
  return answers;
}

/// Largest difference between the halves of x', as a share of the larger of their sizes and 1.
double largest_difference(const Formulation& formulation, const BatchAnswers& got, const BatchAnswers& expected) {
  const std::size_t size = formulation.state_size();
  const auto split = static_cast<std::size_t>(formulation.mechanism().q_size());
  double worst = 0.0;
  for (std::size_t k = 0; k < got.statuses.size(); ++k) {
    EXPECT_EQ(got.statuses[k].ok, expected.statuses[k].ok) << got.statuses[k].message();
    const std::span<const double> a = std::span(got.rates).subspan(k * size, size);
    const std::span<const double> b = std::span(expected.rates).subspan(k * size, size);
    worst = std::max({worst, test::block_error(a.first(split), b.first(split)),
                      test::block_error(a.subspan(split), b.subspan(split))});
  }
  return worst;
}

/// \returns how many states have the bits of a state alone: lanes round otherwise, so these went alone.
std::size_t alone(const Formulation& formulation, const BatchAnswers& got, const BatchAnswers& expected) {
  const std::size_t size = formulation.state_size();
  std::size_t count = 0;
  for (std::size_t k = 0; k < got.statuses.size(); ++k) {
    count += std::equal(got.rates.begin() + static_cast<std::ptrdiff_t>(k * size),
                        got.rates.begin() + static_cast<std::ptrdiff_t>((k + 1) * size),
                        expected.rates.begin() + static_cast<std::ptrdiff_t>(k * size))
                 ? 1
                 : 0;
  }
  return count;
}

/// What rounding may do at the start: n eps cond(M) times the squared condition of the constraint rows that are
/// independent, over the joints' velocities in the norm of the kinetic energy. 100: the states lie around the start.
double rounding_of(const Mechanism& mechanism) {
  DenseDynamics dynamics(mechanism, nullptr);
  EXPECT_TRUE(dynamics.set_positions(0.0, view(mechanism.q0())).ok);
  const Eigen::MatrixXd transposed =
      dynamics.mass_matrix().llt().matrixL().solve(dynamics.jacobians().constraints().transpose());
  const Eigen::VectorXd values = symmetric_eigenvalues(transposed.transpose() * transposed);  // ascending
  const double largest = values[values.size() - 1];
  double smallest = largest;
  for (Eigen::Index i = values.size(); i-- > 0 && values[i] > 1e-11 * largest;) {
    smallest = values[i];
  }
  const double condition = test::mass_condition(mechanism, mechanism.q0()) * largest / smallest;
  return std::max(1e-12, 100.0 * std::numeric_limits<double>::epsilon() * mechanism.u_size() * condition);
}

/// \returns how many states went through the lanes.
std::size_t expect_answers_in_turn(const Mechanism& mechanism, const std::string& name, std::size_t count, double drift,
                                   const Form& form) {
  if (!takes(form, mechanism)) {
    return 0;
  }
  const auto formulation = test::make(form.key, mechanism, form.options);
  const std::vector<double> states = closed_states(*formulation, count, count, drift);
  const BatchAnswers expected = in_turn(*formulation, states);
  const BatchAnswers got = side_by_side(*formulation, states);
  EXPECT_LT(largest_difference(*formulation, got, expected), rounding_of(mechanism))
      << name_of(form) << " on " << name << ", " << count << " states in " << formulation->batch_lanes()
      << " lanes, open by " << drift;
  return count - alone(*formulation, got, expected);
}

/// Adds springs between points, in joints, and constant loads on bodies.
void add_constant_loads(RandomSource& random, MechanismDescription& description) {
  const auto& bodies = description.bodies;
  for (int k = 0; k < 3; ++k) {
    const std::size_t at = random.index(bodies.size());
    const std::size_t other = (at + 1 + random.index(bodies.size() - 1)) % bodies.size();
    description.point_springs.push_back({fmt::format("spring{}", k), k == 0 ? kGround : bodies[other].name,
                                         bodies[at].name, random.point(0.5), random.point(0.5),
                                         random.uniform(1.0, 9.0), random.uniform(0.0, 2.0), random.uniform(0.0, 1.0)});
    BodyLoadDescription load{
        fmt::format("load{}", k), bodies[random.index(bodies.size())].name, random.point(0.5), k % 2 == 0, {}, {}};
    for (int i = 0; i < 3; ++i) {
      load.force.emplace_back(ConstantLaw{random.uniform(-3.0, 3.0)});
      load.torque.emplace_back(ConstantLaw{random.uniform(-3.0, 3.0)});
    }
    description.body_loads.push_back(load);
  }
  for (const JointDescription& joint : description.joints) {
    if (!joint.cut && joint.type == JointType::revolute) {
      description.joint_springs.push_back({"of_" + joint.name, joint.name, 0, 2.0, 0.3, 0.1});
      description.joint_loads.push_back({"on_" + joint.name, joint.name, 0, ConstantLaw{0.7}});
    }
  }
}

/// A joint of the tree that turns or slides follows a function of time.
void prescribe_a_motion(MechanismDescription& description) {
  for (JointDescription& joint : description.joints) {
    joint.dependent = !joint.cut;
  }
  const auto joint = std::find_if(description.joints.begin(), description.joints.end(),
                                  [](const auto& one) { return !one.cut && velocity_count(one.type) == 1; });
  if (joint != description.joints.end()) {
    joint->dependent = false;
    joint->motions.push_back(
        {0, fmt::format("{} + 0.2*(1 - cos(3*t))", joint->q0.front()), "0.6*sin(3*t)", "1.8*cos(3*t)"});
    joint->v0 = {0.0};
  }
}

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
      EXPECT_LT(largest_difference(*formulation, side_by_side(*formulation, states), in_turn(*formulation, states)),
                rounding_of(mechanism))
          << name << ", " << options;
    }
  }
}

TEST(loop_batch, prescribed_motions_in_cut_joints_are_those_of_one_state_at_a_time) {
  for (const JointType type : {JointType::revolute, JointType::cylindrical}) {
    MechanismDescription description = make_mechanism(mechanism_registry(), "five_bar").description();
    const auto cut = std::find_if(description.joints.begin(), description.joints.end(),
                                  [](const JointDescription& joint) { return joint.cut; });
    cut->type = type;
    cut->q0.resize(static_cast<std::size_t>(velocity_count(type)));
    const int component = velocity_count(type) - 1;  // a turn, or a slide
    cut->motions.push_back(
        {component, fmt::format("{} + 0.2*(1 - cos(3*t))", cut->q0.back()), "0.6*sin(3*t)", "1.8*cos(3*t)"});
    const Mechanism driven(description);
    for (const auto& [key, options] : {std::pair{"bae-haug", ""},
                                       {"bae-haug", "projection=off"},
                                       {"bae-haug", "projection=off,alpha=3,beta=5"},
                                       {"dca", ""},
                                       {"hdca", ""},
                                       {"hdca", "gauge=none"},
                                       {"hdca", "gauge=tangent,feedback=2"},
                                       {"naudet", ""},
                                       {"naudet-acc", ""}}) {
      if (!takes({key}, driven)) {
        continue;
      }
      for (const double drift : {0.0, 1e-3}) {
        const auto formulation = test::make(key, driven, options);
        EXPECT_GT(formulation->batch_lanes(), 1) << key << ", " << options;
        const std::vector<double> states = closed_states(*formulation, 19, 5, drift);
        EXPECT_LT(largest_difference(*formulation, side_by_side(*formulation, states), in_turn(*formulation, states)),
                  1e-11)
            << key << ", " << options << ", open by " << drift;
      }
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
                                       {"hdca", "gauge=tangent,feedback=2"}}) {
      for (const double drift : {0.0, 1e-3}) {
        const auto formulation = test::make(key, geared, options);
        EXPECT_GT(formulation->batch_lanes(), 1) << key << ", " << options;
        const std::vector<double> states = closed_states(*formulation, 19, 5, drift);
        EXPECT_LT(largest_difference(*formulation, side_by_side(*formulation, states), in_turn(*formulation, states)),
                  1e-11)
            << key << ", " << options << ", open by " << drift;
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
                                   {"ladder:3", kAllJoints}}) {
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
                                   {"double_loop", kAllJoints}}) {
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
    EXPECT_EQ(angles.size(), std::string_view(form.key).starts_with("naudet") ? 10U : 14U);
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
