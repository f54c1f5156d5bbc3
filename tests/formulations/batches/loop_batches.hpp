#pragma once
/// \file
/// What tests of many states of closed mechanisms share: formulations, states, answers in turn and side by side.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "formulations/assembly/constraint_projection.hpp"
#include "formulations/batches/state_batch.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::loop_batches {

/// Formulations whose states of loops go side by side.
struct Form {
  const char* key;
  const char* options = "";
};
inline constexpr Form kAccelerations{"bae-haug"};
inline constexpr Form kTangent{"hdca"};
inline constexpr Form kAsPublished{"hdca", "gauge=none"};
inline constexpr Form kReduced{"naudet"};
inline constexpr Form kAllJoints{"naudet-acc"};
inline constexpr Form kForms[] = {kAccelerations, kTangent, kAsPublished, kReduced, kAllJoints};

inline bool takes(const Form& form, const Mechanism& mechanism) {
  const FormulationRegistry& registry = formulation_registry();
  return refusal_of(*find_formulation(registry, form.key), mechanism).empty();
}

inline std::string name_of(const Form& form) {
  return fmt::format("{}[{}]", form.key, form.options);
}

inline constexpr double kTimeOfStates =
    0.3;  // of right-hand sides, away from the start: prescribed velocities are not those of states
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// p += Phi_q^T mu, so that the loops carry impulses of the momenta's size, which change no velocity.
inline void add_impulses(const Mechanism& mechanism, const Eigen::VectorXd& q, RandomSource& random,
                         std::span<double> p) {
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
inline std::vector<double> closed_states(Formulation& formulation, std::size_t count, std::uint64_t seed,
                                         double drift) {
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

inline BatchAnswers in_turn(Formulation& formulation, std::span<const double> states) {
  const std::size_t size = formulation.state_size();
  BatchAnswers answers{std::vector<double>(states.size()), std::vector<RhsStatus>(states.size() / size)};
  for (std::size_t k = 0; k < answers.statuses.size(); ++k) {
    answers.statuses[k] = formulation.rhs(kTimeOfStates, states.subspan(k * size, size),
                                          std::span(answers.rates).subspan(k * size, size));
  }
  return answers;
}

inline BatchAnswers side_by_side(Formulation& formulation, std::span<const double> states, int threads = 1) {
  BatchAnswers answers{std::vector<double>(states.size(), kNotANumber),
                       std::vector<RhsStatus>(states.size() / formulation.state_size(), {false, {}, "not asked"})};
  StateBatch(formulation, threads).rhs(kTimeOfStates, states, answers.rates, answers.statuses);
  return answers;
}

/// Largest difference between the halves of x', as a share of the larger of their sizes and 1.
inline double largest_difference(const Formulation& formulation, const BatchAnswers& got,
                                 const BatchAnswers& expected) {
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

/// What rounding may do at the start: n eps cond(M) times the squared condition of the constraint rows that are
/// independent, over the joints' velocities in the norm of the kinetic energy. 100: the states lie around the start.
inline double rounding_of(const Mechanism& mechanism) {
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
inline std::size_t expect_answers_in_turn(const Mechanism& mechanism, const std::string& name, std::size_t count,
                                          double drift, const Form& form) {
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
  return count - formulation->states_alone();
}

/// Adds springs between points, in joints, and constant loads on bodies.
inline void add_constant_loads(RandomSource& random, MechanismDescription& description) {
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
inline void prescribe_a_motion(MechanismDescription& description) {
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

}  // namespace mbdbench::loop_batches
