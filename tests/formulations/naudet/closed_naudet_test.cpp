// Naudet's formulations of closed loops: reduced momenta and their rates from dense matrices, changes of the dependent
// joints in the middle of a motion, singular positions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "formulations/naudet/closed_naudet.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/dense_reduction.hpp"
#include "tests/formulations/naudet/closed_settings.hpp"
#include "tests/formulations/runge_kutta_step.hpp"
#include "tests/support/four_bar.hpp"

namespace mbdbench {
namespace {

constexpr double kNever = 1e12;

/// A triple rocker: the crank turns back where the other two bars are in line, and so do they in turn.
/// \param first, second which of the three joints depend at first
Mechanism triple_rocker(std::size_t first, std::size_t second) {
  MechanismDescription description = test::four_bar(5.5, {1.2, -1.89, 1.03});
  description.gravity = Vec3(0.0, -9.81, 0.0);
  description.joints[first].dependent = true;
  description.joints[second].dependent = true;
  description.joints[0].v0 = {9.0};
  description.joints[1].v0 = {0.0};
  description.joints[2].v0 = {0.0};
  description.markers.push_back({"pin", "coupler_bar", Vec3(3.0, 0.0, 0.0)});
  return Mechanism(description);
}

TEST(closed_naudet, reduced_momenta_and_their_rates_are_those_of_dense_matrices) {
  double worst = 0.0;
  double worst_rate = 0.0;
  for (int seed = 200; seed < 230; ++seed) {
    const std::string key = fmt::format("random_closed:seed={},bodies={},cuts={}", seed, 5 + seed % 7, 1 + seed % 3);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const ClosedStateForm form{StateKind::momentum, false, false};
    ClosedNaudet formulation(mechanism, form, kNever);
    test::DenseReduction dense(mechanism, test::closed_settings(mechanism, false).choice);
    const test::Evaluation state = test::evaluate_at(formulation, 0.0, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(state.status.ok) << key << ": " << state.status.message();
    const Eigen::VectorXd expected = dense.momenta(mechanism.q0(), mechanism.u0());
    const auto first = static_cast<Eigen::Index>(state.x.size()) - expected.size();
    const Eigen::Map<const Eigen::VectorXd> x(state.x.data(), static_cast<Eigen::Index>(state.x.size()));
    const Eigen::Map<const Eigen::VectorXd> xdot(state.xdot.data(), x.size());
    // K of random loops is below 1e3: eps times that.
    worst = std::max(worst, test::relative_error(Eigen::VectorXd(x.tail(expected.size())), expected));
    EXPECT_LT(test::relative_error(Eigen::VectorXd(x.tail(expected.size())), expected), 1e-11) << key;
    // The rate of B^T M u along the motion, accelerations by the dense reference.
    const auto reference = test::make("bae-haug", mechanism);
    const test::Evaluation motion = test::evaluate_at(*reference, 0.0, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(motion.status.ok) << key;
    const Eigen::Map<const Eigen::VectorXd> rates(motion.xdot.data() + mechanism.q_size(), mechanism.u_size());
    const double h = 1e-5;
    const auto momenta_at = [&](double s) {
      const Eigen::VectorXd u = mechanism.u0() + s * rates;
      return dense.momenta(test::moved(mechanism, mechanism.q0(), Eigen::VectorXd(mechanism.u0() + 0.5 * s * rates), s),
                           u);
    };
    const Eigen::VectorXd difference = (momenta_at(h) - momenta_at(-h)) / (2.0 * h);
    const double error = test::relative_error(Eigen::VectorXd(xdot.segment(first, expected.size())), difference);
    worst_rate = std::max(worst_rate, error);
    // Rounding 1e-15 K / 1e-5 and truncation h^2 times third derivatives, which K multiplies.
    EXPECT_LT(error, 1e-6) << key;
  }
  fmt::print("30 closed mechanisms: worst error of p {:.1e}, of p' {:.1e} (by differences)\n", worst, worst_rate);
}

TEST(closed_naudet, cut_joints_that_double_a_joint_to_the_ground_leave_nothing_dependent) {
  // All entries of Phi_q are rounding, and nothing in Phi_q tells that they are.
  for (const char* const key : {"random_closed:seed=0,bodies=5,cuts=1", "random_closed:seed=141,bodies=6,cuts=1"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    ClosedNaudet formulation(mechanism, {StateKind::momentum, false, true}, kNever);
    EXPECT_TRUE(formulation.dependent().empty()) << key;
    const test::Evaluation state = test::evaluate_at(formulation, 0.0, mechanism.q0(), mechanism.u0());
    EXPECT_TRUE(state.status.ok) << key << ": " << state.status.message();
  }
}

TEST(closed_naudet, a_cut_that_lets_everything_move_changes_nothing) {
  MechanismDescription description = test::four_bar(5.5, {1.2, -1.89, 1.03});
  description.gravity = Vec3(0.0, -9.81, 0.0);
  const Mechanism without(description);
  JointDescription nothing;
  nothing.name = "nothing";
  nothing.type = JointType::free;
  nothing.a = description.bodies.front().name;
  nothing.b = description.bodies.back().name;
  nothing.cut = true;
  description.joints.push_back(nothing);
  const Mechanism with(description);
  for (const char* const key : {"naudet", "naudet-reduced"}) {
    const auto one = test::make(key, without);
    const auto other = test::make(key, with);
    const test::Evaluation expected = test::evaluate_at(*one, 0.0, without.q0(), without.u0());
    const test::Evaluation found = test::evaluate_at(*other, 0.0, with.q0(), with.u0());
    ASSERT_TRUE(expected.status.ok && found.status.ok) << key << ": " << found.status.message();
    EXPECT_GT(*std::max_element(expected.xdot.begin(), expected.xdot.end()), 0.1);  // it falls
    const auto layout = one->layout();
    const auto wider = other->layout();  // with what the cut follows
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const auto same = std::find_if(wider.begin(), wider.end(),
                                     [&](const StateComponent& component) { return component.name == layout[i].name; });
      ASSERT_NE(same, wider.end()) << layout[i].name;
      EXPECT_EQ(found.xdot[static_cast<std::size_t>(same - wider.begin())], expected.xdot[i]) << layout[i].name;
    }
  }
}

TEST(closed_naudet, dependent_joints_change_without_a_jump_in_the_motion) {
  const Mechanism mechanism = triple_rocker(1, 2);
  const auto reference = test::make("dense", mechanism);
  for (const auto& form :
       {ClosedStateForm{StateKind::momentum, false, true}, ClosedStateForm{StateKind::momentum, true, true},
        ClosedStateForm{StateKind::velocity, true, true}}) {
    // A low limit makes changes frequent.
    constexpr double kLimit = 3.0;
    ClosedNaudet formulation(mechanism, form, kLimit);
    std::vector<double> x(formulation.state_size());
    std::vector<double> y(reference->state_size());
    ASSERT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    ASSERT_TRUE(reference->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), y).ok);
    Eigen::VectorXd q(mechanism.q_size());
    Eigen::VectorXd u(mechanism.u_size());
    Eigen::VectorXd q_after(mechanism.q_size());
    Eigen::VectorXd u_after(mechanism.u_size());
    constexpr double h = 2.5e-4;
    constexpr int kSteps = 8000;
    int changes = 0;
    for (int i = 0; i < kSteps; ++i) {
      ASSERT_TRUE(test::runge_kutta_step(formulation, i * h, h, x).ok);
      ASSERT_TRUE(test::runge_kutta_step(*reference, i * h, h, y).ok);
      ASSERT_TRUE(formulation.unpack(0.0, x, view(q), view(u)).ok);
      const std::vector<int> before(formulation.dependent().begin(), formulation.dependent().end());
      const bool changed = formulation.after_step((i + 1) * h, x);
      EXPECT_EQ(changed, !std::equal(before.begin(), before.end(), formulation.dependent().begin()));
      if (!changed) {
        continue;
      }
      ++changes;
      ASSERT_TRUE(formulation.unpack(0.0, x, view(q_after), view(u_after)).ok);
      // The same coordinates, and velocities through another B: rounding.
      EXPECT_LT((q_after - q).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LT((u_after - u).cwiseAbs().maxCoeff(), 1e-11);
      // The state says what it is: another instance that knows nothing of the change agrees.
      ClosedNaudet other(mechanism, form, kLimit);
      std::vector<double> expected(x.size());
      std::vector<double> actual(x.size());
      ASSERT_TRUE(formulation.rhs(0.0, x, expected).ok);
      if (!form.reduced) {
        ASSERT_TRUE(other.rhs(0.0, x, actual).ok);
        EXPECT_EQ(actual, expected) << "bitwise";
      }
    }
    fmt::print("{}{}: {} changes of the dependent joints in 2 s\n", to_string(form.rate_kind),
               form.reduced ? ", reduced" : "", changes);
    EXPECT_GE(changes, 2);
    Observation actual;
    Observation expected;
    ASSERT_TRUE(formulation.observe(kSteps * h, x, actual).ok);
    ASSERT_TRUE(reference->observe(kSteps * h, y, expected).ok);
    // Fourth-order errors of both runs: with steps of 1 ms they are up to 3e-5 m and 1.3e-4 J, here 256 times less.
    EXPECT_LT((actual.marker_positions[0] - expected.marker_positions[0]).norm(), 1e-6);
    EXPECT_NEAR(actual.energies.total(), expected.energies.total(), 1e-6);
    EXPECT_LT(actual.velocity_residual, 1e-10);
    if (form.reduced) {
      EXPECT_LT(actual.position_residual, 1e-12);
    }
  }
}

TEST(closed_naudet, singular_positions_give_a_status_and_no_numbers) {
  for (const bool reduced : {false, true}) {
    const Mechanism mechanism = triple_rocker(1, 2);
    ClosedNaudet formulation(mechanism, {StateKind::momentum, reduced, false}, kNever);
    std::vector<double> x(formulation.state_size());
    std::vector<double> xdot(formulation.state_size());
    ASSERT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    ASSERT_EQ(std::vector<int>(formulation.dependent().begin(), formulation.dependent().end()),
              (std::vector<int>{1, 2}));
    if (reduced) {
      x[0] = 3.14;  // the crank cannot get there
    } else {
      x[2] = 0.0;  // the two dependent bars in line: neither can move the pin along them
    }
    const RhsStatus status = formulation.rhs(0.0, x, xdot);
    EXPECT_FALSE(status.ok);
    EXPECT_EQ(status.joint, "closure");
    EXPECT_FALSE(status.message().empty());
  }
}

/// The triple rocker with lengths times `scale`, all of it moved by `away` times that along x.
Mechanism moved_rocker(double scale, double away) {
  MechanismDescription description = triple_rocker(1, 2).description();
  for (BodyDescription& body : description.bodies) {
    body.com *= scale;
    body.inertia *= scale * scale;
  }
  description.gravity *= scale;
  for (JointDescription& joint : description.joints) {
    joint.frame_a.position *= scale;
    joint.frame_b.position *= scale;
    (joint.a == kGround ? joint.frame_a.position.x() : joint.frame_b.position.x()) +=
        joint.a == kGround || joint.b == kGround ? scale * away : 0.0;
  }
  return Mechanism(description);
}

// Newton's corrections end at rounding of the points: 5e-12 rad at 1e5 m, where a limit of 1e-12 stops the run.
TEST(closed_naudet, loops_are_closed_as_well_as_the_size_of_the_mechanism_allows) {
  for (const auto& [scale, away] : {std::pair{1.0, 0.0}, std::pair{1e-4, 0.0}, std::pair{1e5, 0.0}, std::pair{1.0, 1e3},
                                    std::pair{1.0, 1e5}, std::pair{1e-3, 1e4}}) {
    SCOPED_TRACE(fmt::format("scale {}, away {}", scale, away));
    const Mechanism mechanism = moved_rocker(scale, away);
    for (const char* key : {"naudet-reduced", "naudet-acc-reduced"}) {
      const auto formulation = test::make(key, mechanism, "switching=off");
      test::Evaluation here = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
      ASSERT_TRUE(here.status.ok) << key << ' ' << here.status.message();
      std::vector<double> q(static_cast<std::size_t>(mechanism.q_size()));
      std::vector<double> u(static_cast<std::size_t>(mechanism.u_size()));
      Kinematics kinematics(mechanism);
      for (int step = 0; step < 40; ++step) {
        std::vector<double> x = here.x;
        x[0] += 1e-3 * step;
        const RhsStatus status = formulation->unpack(0.0, x, q, u);
        ASSERT_TRUE(status.ok) << key << ' ' << status.message();
        kinematics.set_positions(q);
        // Some eps of the largest distance from the origin.
        EXPECT_LT(kinematics.cut_joint(0).displacement.norm(), 4e-15 * scale * (6.0 + away)) << key << ' ' << step;
      }
    }
  }
}

TEST(closed_naudet, a_state_that_names_too_few_dependents_is_refused) {
  const Mechanism mechanism = triple_rocker(1, 2);
  ClosedNaudet formulation(mechanism, {StateKind::momentum, false, true}, kNever);
  std::vector<double> x(formulation.state_size());
  std::vector<double> xdot(formulation.state_size());
  ASSERT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  EXPECT_EQ(formulation.layout().back().name, "dependent.1");
  x.back() = 1.0;
  EXPECT_FALSE(formulation.rhs(0.0, x, xdot).ok);
}

TEST(closed_naudet, reduced_coordinates_refuse_quaternions_that_would_have_to_depend) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed");
  try {
    static_cast<void>(test::make("naudet-reduced", mechanism));
    FAIL() << "must be refused";
  } catch (const ModelError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("spherical"), std::string::npos) << text;
    EXPECT_NE(text.find("naudet-acc"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace mbdbench
