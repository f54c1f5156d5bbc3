// HDCA and DCA on 200 random closed mechanisms: all joint types in the tree and as cuts, redundant constraints, moving
// cuts, free-floating mechanisms, momenta in any gauge, D_c in world and in body axes, gauge control.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <map>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/validation/spectrum.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/extent.hpp"
#include "tests/support/turning_rows.hpp"

namespace mbdbench {
namespace {

using test::evaluate_at;
using test::Evaluation;
using test::make;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kCaseTime = 0.3;
// As for the smallest pivots of the assembly: a direction below is neither free nor constrained.
constexpr double kRankTolerance = 1e-10;

// What the suite promises over closed mechanisms, relative.
constexpr double kMostMomentum = 1e-10;
constexpr double kMostAcceleration = 1e-8;

/// A closed mechanism at its initial state, with momenta p = M u - Phi_q^T sigma for a random sigma.
struct ClosedCase {
  ClosedCase(const Mechanism& from, std::uint64_t seed, double at_time = kCaseTime)
      : mechanism(from), dynamics(from, nullptr), time(at_time) {
    EXPECT_TRUE(dynamics.set_positions(time, view(mechanism.q0())).ok);
    dynamics.set_velocities(time, view(mechanism.q0()), view(mechanism.u0()));
    phi_q = dynamics.jacobians().constraints();
    const SingularDecomposition svd = singular_decomposition(phi_q);
    const auto rank = (svd.values.array() > kRankTolerance * std::max(1.0, svd.values[0])).count();
    redundant = rank < phi_q.rows();
    null_space = svd.v.rightCols(phi_q.cols() - rank);
    const Eigen::MatrixXd b = dynamics.mass_matrix().llt().matrixL().solve(phi_q.transpose());
    const Eigen::VectorXd values = singular_values(b);
    const double ratio = rank > 0 ? values[0] / values[rank - 1] : 1.0;
    condition = test::mass_condition(mechanism, mechanism.q0()) * ratio * ratio;

    RandomSource random(static_cast<std::int64_t>(seed));
    p = dynamics.mass_matrix() * mechanism.u0() -
        phi_q.transpose() * test::random_vector(static_cast<int>(phi_q.rows()), random);
    x.resize(static_cast<std::size_t>(mechanism.q_size() + mechanism.u_size()));
    std::copy(mechanism.q0().begin(), mechanism.q0().end(), x.begin());
    std::copy(p.begin(), p.end(), x.begin() + mechanism.q_size());
    const auto reference = make("dense-momentum", mechanism, "gauge=none");
    xdot.resize(x.size());
    EXPECT_TRUE(reference->rhs(time, x, xdot).ok);
    pdot = Eigen::Map<Eigen::VectorXd>(xdot.data() + mechanism.q_size(), mechanism.u_size());
  }

  /// The assembly solves with M and with A = G^T Xi G, whose condition is the square of that of Phi_q L^-T, so rounding
  /// costs about n eps cond; a wrong term gives 1e-3 or more. \param most what the suite promises at least
  [[nodiscard]] double limit(double most) const {
    return std::min(most, std::max(1e-12, 10.0 * kEpsilon * mechanism.u_size() * condition));
  }

  const Mechanism& mechanism;
  DenseDynamics dynamics;
  double time;
  Eigen::MatrixXd phi_q;
  Eigen::MatrixXd null_space;
  bool redundant = false;
  double condition = 1.0;
  Eigen::VectorXd p;
  Eigen::VectorXd pdot;
  std::vector<double> x;
  std::vector<double> xdot;
};

/// Phi_q^T (omega x sigma) over the linear rows in which body axes differ from world axes: p' in world axes minus p' in
/// body axes, since Phi_q^T sigma is the same in both.
Eigen::VectorXd change_of_axes(ClosedCase& closed) {
  const Mechanism& mechanism = closed.mechanism;
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  kinematics.set_velocities(view(mechanism.u0()));
  closed.dynamics.velocities_of(view(closed.p));
  Eigen::VectorXd turned = Eigen::VectorXd::Zero(closed.phi_q.rows());
  for (const Joint& cut : mechanism.cut_joints()) {
    if (cut.world_linear) {
      const Vec3 omega = kinematics.body(cut.b >= 0 ? cut.b : cut.a).velocity.tail<3>();
      turned.segment<3>(cut.row_offset) = omega.cross(closed.dynamics.sigma().segment<3>(cut.row_offset).eval());
    }
  }
  return closed.phi_q.transpose() * turned;
}

struct WorstOfClosed {
  double share = 0.0;  // of the limit
  double error = 0.0;
  std::string where;
};

class ClosedLoops : public testing::Test {
 protected:
  void check(std::string_view what, const Eigen::VectorXd& actual, const Eigen::VectorXd& expected, double limit,
             const std::string& where, double smallest_size = 1.0) {
    if (expected.size() == 0) {
      return;
    }
    const double size = std::max(expected.cwiseAbs().maxCoeff(), smallest_size);
    const double error = (actual - expected).cwiseAbs().maxCoeff() / size;
    EXPECT_LE(error, limit) << what << " of " << where;
    WorstOfClosed& worst = worst_[std::string(what)];
    worst.error = std::max(worst.error, error);
    if (error / limit > worst.share) {
      worst.share = error / limit;
      worst.where = where;
    }
  }

  void TearDown() override {
    for (const auto& [what, worst] : worst_) {
      fmt::print("{:34} worst relative error {:.1e}, {:.2f} of the limit ({})\n", what, worst.error, worst.share,
                 worst.where);
    }
  }

  void check_hdca(ClosedCase& closed, const std::string& where) {
    const Mechanism& mechanism = closed.mechanism;
    const Eigen::VectorXd no_constraint_force = closed.dynamics.mass_matrix() * mechanism.u0() - closed.p;
    for (const std::string_view options :
         {"gauge=none", "gauge=none,leaf=body", "gauge=none,ground=leaf", "gauge=none,cut_axes=body",
          "gauge=leak,leak=3", "gauge=leak,leak=3,leaf=body", "gauge=none,loops=proximal", "gauge=tangent,leak=3",
          "gauge=tangent,leak=3,leaf=body", "gauge=tangent,leak=3,cut_axes=body"}) {
      const auto formulation = make("hdca", mechanism, options);
      Eigen::VectorXd q(mechanism.q_size());
      Eigen::VectorXd u(mechanism.u_size());
      ASSERT_TRUE(formulation->unpack(closed.time, closed.x, view(q), view(u)).ok) << where;
      check("u", u, mechanism.u0(), closed.limit(kMostMomentum), where);
      // Zero in the rows of the cuts, the prescribed rate in those of motions.
      check("Phi_q u", closed.phi_q * u, closed.phi_q * mechanism.u0(), closed.limit(kMostMomentum), where);
      std::vector<double> xdot(closed.x.size());
      ASSERT_TRUE(formulation->rhs(closed.time, closed.x, xdot).ok) << where;
      const Eigen::VectorXd pdot = Eigen::Map<Eigen::VectorXd>(xdot.data() + mechanism.q_size(), mechanism.u_size());
      check("Z^T p'", closed.null_space.transpose() * pdot, closed.null_space.transpose() * closed.pdot,
            closed.limit(kMostMomentum), where, closed.pdot.cwiseAbs().maxCoeff());
      if (options.starts_with("gauge=tangent")) {
        // The part of p' that the constraints let move, whatever the axes, the generalised inverse and mu.
        const Eigen::MatrixXd& z = closed.null_space;
        const Eigen::MatrixXd& m = closed.dynamics.mass_matrix();
        const Eigen::VectorXd w = z * (z.transpose() * m * z).llt().solve(z.transpose() * closed.pdot);
        const double kappa = std::max(3.0, mechanism.scales().largest_rate(mechanism.u0()));
        check("p', tangent", pdot, m * w + kappa * no_constraint_force, closed.limit(kMostMomentum), where,
              closed.pdot.cwiseAbs().maxCoeff());
        continue;
      }
      if (closed.redundant) {
        continue;  // the rest of p' depends on the generalised inverse
      }
      if (options == "gauge=none,cut_axes=body") {
        check("p', D_c in body axes", pdot, closed.pdot - change_of_axes(closed), closed.limit(kMostMomentum), where);
      } else if (options.starts_with("gauge=leak,leak=3")) {
        check("p' with leak", pdot, closed.pdot + 3.0 * no_constraint_force, closed.limit(kMostMomentum), where);
      } else {
        check("p'", pdot, closed.pdot, closed.limit(kMostMomentum), where);
      }
    }
  }

  void check_dca(const ClosedCase& closed, const std::string& where) {
    const Mechanism& mechanism = closed.mechanism;
    const Evaluation expected = evaluate_at(*make("dense", mechanism), kCaseTime, mechanism.q0(), mechanism.u0());
    for (const std::string_view options :
         {"", "leaf=body", "ground=leaf", "loops=proximal", "loops=proximal,ground=leaf"}) {
      const Evaluation actual =
          evaluate_at(*make("dca", mechanism, options), kCaseTime, mechanism.q0(), mechanism.u0());
      ASSERT_TRUE(actual.status.ok) << where;
      const auto size = static_cast<Eigen::Index>(actual.xdot.size());
      check("u'", Eigen::Map<const Eigen::VectorXd>(actual.xdot.data(), size),
            Eigen::Map<const Eigen::VectorXd>(expected.xdot.data(), size), closed.limit(kMostAcceleration), where);
    }
  }

  std::map<std::string, WorstOfClosed> worst_;
};

/// The description with a free joint between the ground and a body as one more cut: it has no rows and changes nothing.
Mechanism with_free_cut(const Mechanism& mechanism) {
  MechanismDescription description = mechanism.description();
  JointDescription cut;
  cut.name = "free_cut";
  cut.type = JointType::free;
  cut.cut = true;
  cut.b = description.bodies.back().name;
  description.joints.push_back(cut);
  return Mechanism(description);
}

bool floats(const Mechanism& mechanism) {
  const auto grounded = [](const Joint& joint) { return (joint.a < 0 || joint.b < 0) && joint.nc > 0; };
  return std::none_of(mechanism.tree_joints().begin(), mechanism.tree_joints().end(), grounded) &&
         std::none_of(mechanism.cut_joints().begin(), mechanism.cut_joints().end(), grounded);
}

TEST_F(ClosedLoops, two_hundred_random_mechanisms_with_all_joint_types) {
  const std::uint64_t first_seed = test::seed_of_run(20170901U);
  fmt::print("seeds {}..{} (another first seed: MBDBENCH_SEED)\n", first_seed, first_seed + test::extent(200) - 1);
  std::array<int, kAllJointTypes.size()> in_tree{};
  std::array<int, kAllJointTypes.size()> as_cut{};
  int redundant = 0;
  int floating = 0;
  int moving = 0;
  for (std::uint64_t i = 0; i < test::extent(200); ++i) {
    const int bodies = 2 + static_cast<int>((i * 7) % 20);
    const std::string key = fmt::format("random_closed:seed={},bodies={},cuts={},loads={},screws={}", first_seed + i,
                                        bodies, 1 + i % 4, i % 3 == 0 ? 0 : 1, i % 5 == 4 ? 1 : 0);
    const Mechanism drawn = make_mechanism(mechanism_registry(), key);
    const Mechanism mechanism = i % 20 == 0 ? with_free_cut(drawn) : Mechanism(drawn.description());
    ClosedCase closed(mechanism, first_seed + i);
    for (const Joint& joint : mechanism.tree_joints()) {
      ++in_tree[static_cast<std::size_t>(joint.type)];
    }
    for (const Joint& joint : mechanism.cut_joints()) {
      ++as_cut[static_cast<std::size_t>(joint.type)];
      moving += joint.a >= 0 && joint.b >= 0 ? 1 : 0;
    }
    redundant += closed.redundant ? 1 : 0;
    floating += floats(mechanism) ? 1 : 0;
    check_hdca(closed, key);
    check_dca(closed, key);
  }
  fmt::print("coverage (in the tree / as cuts):");
  for (const JointType type : kAllJointTypes) {
    const auto index = static_cast<std::size_t>(type);
    fmt::print(" {} {}/{},", to_string(type), in_tree[index], as_cut[index]);
    EXPECT_GT(in_tree[index], 0) << to_string(type);
    EXPECT_GT(as_cut[index], 0) << to_string(type);
  }
  fmt::print("\n{} of {} redundant, {} free-floating, {} cuts between two moving bodies\n", redundant,
             test::extent(200), floating, moving);
  EXPECT_GT(redundant, 0);
  EXPECT_GT(floating, 0);
  EXPECT_GT(moving, 0);
}

TEST_F(ClosedLoops, prescribed_motions_in_loops_obey_the_same_gauge) {
  // The first joint of every mechanism follows sin(t): a row of Phi beside those of the cuts, at t = 0 with f' = 1.
  for (const char* key : {"four_bar", "double_loop", "five_bar:rect"}) {
    MechanismDescription description = make_mechanism(mechanism_registry(), key).description();
    description.joints.front().motions = {
        {0, fmt::format("{} + sin(t)", description.joints.front().q0[0]), "cos(t)", "-sin(t)"}};
    for (JointDescription& joint : description.joints) {
      joint.v0.clear();
    }
    const Mechanism mechanism(description);
    ASSERT_TRUE(mechanism.rheonomic());
    ASSERT_GT(mechanism.u0().norm(), 0.5) << key;
    ClosedCase closed(mechanism, 31, 0.0);
    check_hdca(closed, key);
  }
}

TEST_F(ClosedLoops, position_feedback_gives_the_closure_its_own_rate) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed");
  // Off the constraint manifold by 1e-3; only there does the feedback act.
  RandomSource random(5);
  const Eigen::VectorXd q =
      test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 1e-3);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(q));
  std::vector<double> phi(static_cast<std::size_t>(mechanism.constraint_size()));
  constraint_residual(kinematics, view(q), {}, phi);
  const Eigen::Map<Eigen::VectorXd> residual(phi.data(), mechanism.constraint_size());
  ASSERT_GT(residual.norm(), 1e-4);
  Jacobians jacobians(mechanism);
  jacobians.set_positions(kinematics);
  std::vector<double> x(static_cast<std::size_t>(mechanism.q_size() + mechanism.u_size()));
  std::copy(q.begin(), q.end(), x.begin());
  const Eigen::VectorXd p = test::random_vector(mechanism.u_size(), random);
  std::copy(p.begin(), p.end(), x.begin() + mechanism.q_size());
  for (const std::string_view options : {"feedback=10", "feedback=10,cut_axes=body"}) {
    Eigen::VectorXd q_again(mechanism.q_size());
    Eigen::VectorXd u(mechanism.u_size());
    ASSERT_TRUE(make("hdca", mechanism, options)->unpack(0.0, x, view(q_again), view(u)).ok);
    // Phi_q u + 10 Phi: rounding of numbers of order one.
    EXPECT_LT((jacobians.constraints() * u + 10.0 * residual).norm(), 1e-12) << options;
  }
}

TEST_F(ClosedLoops, baumgarte_terms_stand_on_the_right_side_of_the_cut_joints) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed");
  RandomSource random(6);
  const Eigen::VectorXd q =
      test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 1e-3);
  const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(q));
  kinematics.set_velocities(view(u));
  Jacobians jacobians(mechanism);
  jacobians.set_positions(kinematics);
  jacobians.set_velocities(kinematics);
  std::vector<double> phi(static_cast<std::size_t>(mechanism.constraint_size()));
  constraint_residual(kinematics, view(q), {}, phi);
  const Eigen::Map<Eigen::VectorXd> residual(phi.data(), mechanism.constraint_size());
  const Evaluation state = evaluate_at(*make("dca", mechanism, "baumgarte_alpha=3,baumgarte_beta=7"), 0.0, q, u);
  ASSERT_TRUE(state.status.ok);
  const Eigen::Map<const Eigen::VectorXd> rates(state.xdot.data() + mechanism.q_size(), mechanism.u_size());
  // Phi'' = Phi_q u' + (Phi_q)' u, less what rows in world axes turn by
  const Eigen::VectorXd first = jacobians.constraints() * u;
  const Eigen::VectorXd turned = test::turned_with_both_bodies(kinematics, first);
  EXPECT_GT(turned.norm(), 1e-2);
  const Eigen::VectorXd second = jacobians.constraints() * rates + jacobians.constraint_rate() * u - turned;
  const Eigen::VectorXd expected = -6.0 * first - 49.0 * residual;
  EXPECT_LT((second - expected).norm(), 1e-11 * std::max(1.0, rates.norm()));
}

TEST_F(ClosedLoops, a_reset_of_the_gauge_keeps_the_motion_and_takes_sigma_away) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed");
  const ClosedCase closed(mechanism, 9);
  const auto formulation = make("hdca", mechanism, "gauge=reset,reset_interval=0");
  std::vector<double> x = closed.x;
  Observation before;
  Observation after;
  ASSERT_TRUE(formulation->observe(kCaseTime, x, before).ok);
  EXPECT_GT(before.largest_sigma, 0.1);
  EXPECT_TRUE(formulation->after_step(kCaseTime, x));
  ASSERT_TRUE(formulation->observe(kCaseTime, x, after).ok);
  EXPECT_LT(after.largest_sigma, 1e-11);
  EXPECT_NEAR(after.energies.kinetic, before.energies.kinetic, 1e-11 * before.energies.kinetic);
  const Eigen::VectorXd expected = closed.dynamics.mass_matrix() * mechanism.u0();
  check("p after a reset", Eigen::Map<Eigen::VectorXd>(x.data() + mechanism.q_size(), mechanism.u_size()), expected,
        closed.limit(kMostMomentum), "random_closed");
}

TEST_F(ClosedLoops, resets_keep_their_interval) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed");
  const ClosedCase closed(mechanism, 9);
  const auto formulation = make("hdca", mechanism, "gauge=reset,reset_interval=0.1");
  std::vector<double> x = closed.x;
  EXPECT_TRUE(formulation->after_step(0.0, x)) << "a run starts with a reset";
  EXPECT_FALSE(formulation->after_step(0.05, x));
  EXPECT_TRUE(formulation->after_step(0.11, x));
  EXPECT_FALSE(formulation->after_step(0.2, x));
}

}  // namespace
}  // namespace mbdbench
