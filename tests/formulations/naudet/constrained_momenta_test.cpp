// The recursion with constraint matrices against impulses of the cut joints with the same dependent joints, against
// dense matrices, and along its own right-hand side; what it refuses and where it fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "formulations/naudet/closed_naudet.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/validation/spectrum.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/dense_reduction.hpp"
#include "tests/formulations/naudet/closed_settings.hpp"
#include "tests/support/four_bar.hpp"
#include "tests/support/random_loops.hpp"

namespace mbdbench {
namespace {

constexpr ClosedStateForm kAllCoordinates = {StateKind::momentum, false, false};

int first_seed() {
  const char* const text = std::getenv("MBDBENCH_SEED");
  return text == nullptr ? 1000 : std::atoi(text);
}

/// \returns the plan, or nothing and the reason.
std::optional<DependentLoops> plan(const Mechanism& mechanism, std::string* reason = nullptr) {
  try {
    return plan_dependent_loops(mechanism, dependent_candidates(mechanism, false));
  } catch (const ModelError& error) {
    if (reason != nullptr) {
      *reason = error.what();
    }
    return std::nullopt;
  }
}

/// Largest relative errors of the matrices.
struct Difference {
  double velocity = 0.0;  ///< against the velocities that the momenta came from
  double impulses = 0.0;  ///< velocities, against the impulses
  double rate = 0.0;      ///< p', against the impulses, over its largest entry or 1
  bool evaluated = false;
};

Difference difference_of_both_ways(const Mechanism& mechanism, const DependentLoops& loops, double t,
                                   const Eigen::VectorXd& q) {
  ClosedSettings settings = test::closed_settings(mechanism, false);
  settings.choice = loops.choice;
  ClosedDynamics impulses(mechanism, settings);
  ConstrainedMomenta matrices(mechanism, loops, nullptr);
  Difference result;
  if (!impulses.set_positions(view(q)).ok || !matrices.set_positions(t, view(q)).ok) {
    return result;
  }
  std::vector<double> u(view(mechanism.u0()).begin(), view(mechanism.u0()).end());
  PrescribedMotions motions(mechanism);
  motions.evaluate(t);
  for (const Joint& joint : mechanism.tree_joints()) {
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      u[static_cast<std::size_t>(joint.u_offset + joint.motions[m].component)] =
          motions.velocities()[static_cast<std::size_t>(joint.motion_offset - mechanism.cut_row_count()) + m];
    }
  }
  std::vector<double> p(u.size());
  impulses.set_velocities(u, true);
  u.assign(impulses.u().begin(), impulses.u().end());
  if (!impulses.reduced_momenta(t, view(q), p).ok || !impulses.solve_velocities(t, view(q), p).ok) {
    return result;
  }
  matrices.solve_velocities(p);
  result.velocity = test::block_error(matrices.u(), u);
  result.impulses = test::block_error(matrices.u(), impulses.u());
  std::vector<double> expected(p.size());
  std::vector<double> actual(p.size());
  if (!impulses.reduced_momentum_rates(t, view(q), expected).ok) {
    return result;
  }
  matrices.momentum_rates(t, view(q), actual);
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      expected[static_cast<std::size_t>(joint.u_offset + motion.component)] = 0.0;  // in no state
    }
  }
  // Weights and spring forces of 1 to 100 N cancel in p'.
  const auto size = static_cast<Eigen::Index>(expected.size());
  result.rate = test::relative_error(Eigen::Map<const Eigen::VectorXd>(actual.data(), size),
                                     Eigen::Map<const Eigen::VectorXd>(expected.data(), size));
  result.evaluated = true;
  return result;
}

/// Both ways at the initial position and with the loops torn open by a thousandth of all coordinates. Where that makes
/// redundant constraints contradict one another, as spatial ones do, each way keeps others of them: no comparison.
class BothWays {
 public:
  void compare(const Mechanism& mechanism, const std::string& name) {
    ++drawn_;
    const std::optional<DependentLoops> loops = plan(mechanism);
    if (!loops) {
      return;
    }
    ++treated_;
    loops_ += static_cast<int>(loops->loops.size());
    RandomSource random(5);
    for (const double opening : {0.0, 1e-3}) {
      const Eigen::VectorXd q = mechanism.q0() + opening * test::random_vector(mechanism.q_size(), random);
      if (rank_at(mechanism, q) > static_cast<Eigen::Index>(loops->choice.rows.size())) {
        ++contradictory_;
        continue;
      }
      // A stable solution is right to n eps times the condition; the factor covers the recursions around it.
      test::DenseReduction dense(mechanism, loops->choice);
      const double rounding = 10.0 * mechanism.u_size() * std::numeric_limits<double>::epsilon();
      // However badly conditioned, a plan that was accepted leaves u six digits: one loop would leave seven, but the
      // gains of loops that hang on one another multiply (1.8e-7 in one of 156 states of three spatial loops).
      const double own_limit = std::min(std::max(1e-12, rounding * dense.condition(q)), kLargestLimit);
      const double limit = std::min(std::max(own_limit, rounding * dense.impulse_condition(q)), kLargestLimit);
      at_the_largest_ += limit < kLargestLimit ? 0 : 1;
      const Difference difference = difference_of_both_ways(mechanism, *loops, 0.3, q);
      EXPECT_TRUE(difference.evaluated) << name;
      EXPECT_LT(difference.velocity, own_limit) << name << ", opening " << opening;
      EXPECT_LT(difference.impulses, limit) << name << ", opening " << opening;
      EXPECT_LT(difference.rate, limit) << name << ", opening " << opening;
      worst_ = std::max(worst_, difference.velocity);
      worst_between_ = std::max({worst_between_, difference.impulses, difference.rate});
      ++compared_;
    }
  }

  void report(const std::string& what, int least) const {
    fmt::print(
        "{}: {} of {} can be treated, with {} loops; {} states compared, {} of them with the largest limit, worst "
        "error of u {:.1e}, between both ways {:.1e}; in {} redundant constraints contradict one another\n",
        what, treated_, drawn_, loops_, compared_, at_the_largest_, worst_, worst_between_, contradictory_);
    EXPECT_GE(compared_, least);
    EXPECT_EQ(compared_ + contradictory_, 2 * treated_) << "no other state is left out";
  }

 private:
  static constexpr double kLargestLimit = 1e-6;

  /// Rank over the components that are not prescribed.
  static Eigen::Index rank_at(const Mechanism& mechanism, const Eigen::VectorXd& q) {
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(q));
    Jacobians jacobians(mechanism);
    jacobians.set_positions(kinematics);
    Eigen::MatrixXd phi_q = jacobians.constraints();
    for (const Joint& joint : mechanism.tree_joints()) {
      for (const JointMotion& motion : joint.motions) {
        phi_q.col(joint.u_offset + motion.component).setZero();
      }
    }
    return (singular_values(phi_q).array() > 1e-9).count();
  }

  int drawn_ = 0;
  int treated_ = 0;
  int loops_ = 0;
  int contradictory_ = 0;
  int compared_ = 0;
  int at_the_largest_ = 0;
  double worst_ = 0.0;
  double worst_between_ = 0.0;
};

TEST(constrained_momenta, catalogue_mechanisms_move_as_with_impulses) {
  BothWays both;
  for (const std::string key : {"four_bar", "double_loop", "biped", "rings", "loop:4", "loop:9", "loop:33",
                                "slider_crank", "five_bar", "coupled_loops"}) {
    MechanismDescription description = make_mechanism(mechanism_registry(), key).description();
    RandomSource random(3);
    for (JointDescription& joint : description.joints) {
      if (!joint.cut) {
        for (int i = 0; i < velocity_count(joint.type); ++i) {
          joint.v0.resize(static_cast<std::size_t>(velocity_count(joint.type)));
          joint.v0[static_cast<std::size_t>(i)] = random.uniform(-1.0, 1.0);
        }
      }
    }
    const Mechanism mechanism(description);
    EXPECT_TRUE(plan(mechanism).has_value()) << key;
    both.compare(mechanism, key);
  }
  both.report("catalogue", 20);
}

TEST(constrained_momenta, random_closed_mechanisms_move_as_with_impulses) {
  // All joint types in the tree and as cuts, all loads; loops that cannot be treated are counted.
  const int first = first_seed();
  fmt::print("seeds {}..{} (another first seed: MBDBENCH_SEED)\n", first, first + 199);
  BothWays both;
  for (int seed = first; seed < first + 200; ++seed) {
    const std::string key = fmt::format("random_closed:seed={},bodies={},cuts={}", seed, 5 + seed % 7, 1 + seed % 3);
    both.compare(make_mechanism(mechanism_registry(), key), key);
  }
  both.report("random_closed", 100);
}

TEST(constrained_momenta, random_loops_with_side_branches_move_as_with_impulses) {
  const int first = first_seed();
  fmt::print("seeds {}..{} (another first seed: MBDBENCH_SEED)\n", first, first + 199);
  for (const bool planar : {true, false}) {
    for (const int loops : {1, 3}) {
      BothWays both;
      for (int seed = first; seed < first + 200; ++seed) {
        const Mechanism mechanism(test::RandomLoops(seed, {planar, loops}).take());
        both.compare(mechanism, mechanism.name());
      }
      both.report(fmt::format("{} {}, {} each", planar ? "planar" : "spatial", loops == 1 ? "loop" : "loops", loops),
                  loops == 1 ? 200 : 50);
    }
  }
}

TEST(constrained_momenta, prescribed_motions_beside_the_dependent_joints_are_followed) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "loop:9").description();
  description.joints[1].motions.push_back(
      {0, fmt::format("{}+0.3*sin(2*t)", description.joints[1].q0[0]), "0.6*cos(2*t)", "-1.2*sin(2*t)"});
  BothWays both;
  both.compare(Mechanism(description), "driven loop");
  both.report("driven loop", 2);
}

TEST(constrained_momenta, momenta_and_rates_are_those_of_dense_matrices) {
  double worst = 0.0;
  double worst_rate = 0.0;
  int compared = 0;
  for (int seed = 300; seed < 340; ++seed) {
    const bool planar = seed % 2 == 0;
    const Mechanism mechanism(test::RandomLoops(seed, {planar, 1 + seed % 3}).take());
    const std::optional<DependentLoops> loops = plan(mechanism);
    if (!loops || test::DenseReduction(mechanism, loops->choice).condition(mechanism.q0()) > 1e5) {
      continue;
    }
    ++compared;
    ClosedNaudet formulation(mechanism, kAllCoordinates, 50.0, NaudetLoops::matrices);
    test::DenseReduction dense(mechanism, loops->choice);
    const Eigen::VectorXd p = dense.momenta(mechanism.q0(), mechanism.u0());
    test::Evaluation state = test::evaluate_at(formulation, 0.0, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(state.status.ok) << mechanism.name() << ": " << state.status.message();
    const std::size_t first = state.x.size() - static_cast<std::size_t>(p.size());
    // Velocities from the dense momenta.
    std::copy(p.begin(), p.end(), state.x.begin() + static_cast<std::ptrdiff_t>(first));
    Eigen::VectorXd q(mechanism.q_size());
    Eigen::VectorXd u(mechanism.u_size());
    ASSERT_TRUE(formulation.unpack(0.0, state.x, view(q), view(u)).ok);
    worst = std::max(worst, test::relative_error(u, mechanism.u0()));
    EXPECT_LT(test::relative_error(u, mechanism.u0()), 1e-10) << mechanism.name();  // n eps 1e5
    // The rate of B^T M u along the motion, accelerations by the dense reference.
    const auto reference = test::make("dense", mechanism);
    const test::Evaluation motion = test::evaluate_at(*reference, 0.0, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(motion.status.ok);
    const Eigen::Map<const Eigen::VectorXd> rates(motion.xdot.data() + mechanism.q_size(), mechanism.u_size());
    const double h = 1e-5;
    const auto momenta_at = [&](double s) {
      const Eigen::VectorXd mean = mechanism.u0() + 0.5 * s * rates;
      return dense.momenta(test::moved(mechanism, mechanism.q0(), mean, s), mechanism.u0() + s * rates);
    };
    const Eigen::VectorXd expected = (momenta_at(h) - momenta_at(-h)) / (2.0 * h);
    const Eigen::Map<const Eigen::VectorXd> actual(state.xdot.data() + first, p.size());
    const double error = test::relative_error(Eigen::VectorXd(actual), expected);
    worst_rate = std::max(worst_rate, error);
    EXPECT_LT(error, 1e-6) << mechanism.name();  // differences: 1e-11 / h and h^2 times third derivatives
  }
  fmt::print("{} mechanisms: worst error of u {:.1e}, of p' {:.1e} (by differences)\n", compared, worst, worst_rate);
  EXPECT_GE(compared, 15);
}

TEST(constrained_momenta, energy_rate_is_zero_along_the_right_hand_side) {
  int compared = 0;
  double worst = 0.0;
  for (int seed = 400; seed < 430; ++seed) {
    const Mechanism mechanism(test::RandomLoops(seed, {seed % 2 == 0, 2}).take());
    const std::optional<DependentLoops> loops = plan(mechanism);
    if (!loops || test::DenseReduction(mechanism, loops->choice).condition(mechanism.q0()) > 1e5) {
      continue;
    }
    ClosedNaudet formulation(mechanism, kAllCoordinates, 50.0, NaudetLoops::matrices);
    const test::Evaluation state = test::evaluate_at(formulation, 0.0, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(state.status.ok) << state.status.message();
    Observation observation;
    const auto energy = [&](double s) {
      std::vector<double> x = state.x;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += s * state.xdot[i];
      }
      EXPECT_TRUE(formulation.observe(0.0, x, observation).ok);
      return observation.energies.total();
    };
    const double s = 1e-4;
    const double rate = (8.0 * (energy(s) - energy(-s)) - (energy(2.0 * s) - energy(-2.0 * s))) / (12.0 * s);
    const double scale = std::max(1.0, observation.energies.kinetic + std::abs(observation.energies.potential));
    // Rounding eps E / s, 3e-12, more where u is solved for with a condition up to 1e5; worst observed 9e-12.
    EXPECT_LT(std::abs(rate) / scale, 1e-9) << mechanism.name();
    worst = std::max(worst, std::abs(rate) / scale);
    ++compared;
  }
  fmt::print("{} mechanisms: largest energy rate over energy {:.1e}\n", compared, worst);
  EXPECT_GE(compared, 12);
}

TEST(constrained_momenta, states_and_reactions_are_those_of_the_impulses) {
  for (const char* const key : {"naudet", "naudet-reduced"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), "biped");  // its dependent joints are marked
    const auto impulses = test::make(key, mechanism, "switching=off");
    const auto matrices = test::make(key, mechanism, "loops=matrices")->clone();
    ASSERT_EQ(impulses->state_size(), matrices->state_size());
    for (std::size_t i = 0; i < impulses->layout().size(); ++i) {
      EXPECT_EQ(impulses->layout()[i].name, matrices->layout()[i].name);
    }
    const test::Evaluation expected = test::evaluate_at(*impulses, 0.0, mechanism.q0(), mechanism.u0());
    const test::Evaluation actual = test::evaluate_at(*matrices, 0.0, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(actual.status.ok) << actual.status.message();
    EXPECT_EQ(actual.x, expected.x) << key;
    EXPECT_LT(test::block_error(actual.xdot, expected.xdot), 1e-14) << key;
    const auto reference = test::make("dense", mechanism);
    const test::Evaluation dense = test::evaluate_at(*reference, 0.0, mechanism.q0(), mechanism.u0());
    Reactions of_dense;
    ASSERT_TRUE(reference->reactions(0.0, dense.x, of_dense).ok);
    Reactions of_impulses;
    Reactions of_matrices;
    ASSERT_TRUE(impulses->reactions(0.0, expected.x, of_impulses).ok);
    ASSERT_TRUE(matrices->reactions(0.0, expected.x, of_matrices).ok);
    for (std::size_t k = 0; k < of_impulses.tree_joints.size(); ++k) {
      EXPECT_LT((of_impulses.tree_joints[k] - of_matrices.tree_joints[k]).norm(), 1e-11) << "tens of N, rounding";
      EXPECT_LT((of_dense.tree_joints[k] - of_matrices.tree_joints[k]).norm(), 1e-10) << "another solution's rounding";
    }
  }
}

TEST(constrained_momenta, singular_positions_give_a_status_and_no_numbers) {
  MechanismDescription description = test::four_bar(5.5, {1.2, -1.89, 1.03});
  const Mechanism mechanism(description);
  ClosedNaudet formulation(mechanism, kAllCoordinates, 50.0, NaudetLoops::matrices);
  const test::Evaluation state = test::evaluate_at(formulation, 0.0, mechanism.q0(), mechanism.u0());
  ASSERT_TRUE(state.status.ok);
  for (const double angle :
       {0.0, 1e-12, 1e-5}) {  // the two dependent bars in line: neither can move the pin along them
    std::vector<double> x = state.x;
    x[2] = angle;
    std::vector<double> xdot(x.size(), 7.0);
    const RhsStatus status = formulation.rhs(0.0, x, xdot);
    EXPECT_FALSE(status.ok);
    EXPECT_EQ(status.joint, "coupler");
    EXPECT_NE(status.message().find("singular position"), std::string::npos) << status.message();
    EXPECT_EQ(xdot, std::vector<double>(x.size(), 7.0));
  }
  std::vector<double> x = state.x;
  x[1] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> xdot(x.size());
  EXPECT_FALSE(formulation.rhs(0.0, x, xdot).ok);
}

}  // namespace
}  // namespace mbdbench
