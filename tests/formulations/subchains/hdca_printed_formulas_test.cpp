// HDCA's velocities against the paper's own two-handle formulas, written out with full 6 x 6 matrices [Chadaj2015, Eq.
// (11)-(30)], and the leaf that the paper does not print: with the outboard joint's momentum left out or with the wrong
// sign the velocities are wrong by far more than any tolerance used elsewhere.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// xi_11 .. xi_20 of a subchain with handles at its inboard joint (1) and at the next joint outboard of it (2).
struct TwoHandles {
  Mat6 xi11, xi12, xi21, xi22;
  Vec6 xi10, xi20;
};

/// \param outboard_sign -1 is right; 0 and +1 are the readings that the unprinted leaf leaves open
TwoHandles leaf(const Kinematics& kinematics, int k, const Vec6& active1, const Vec6& active2, const Vec3& point2,
                double outboard_sign) {
  const BodyKinematics& body = kinematics.body(k);
  const Vec3& point1 = kinematics.tree_joint(k).point;
  Mat6 com_inertia = Mat6::Zero();
  com_inertia.topLeftCorner<3, 3>() =
      kinematics.mechanism().bodies()[static_cast<std::size_t>(k)].mass * Mat3::Identity();
  com_inertia.bottomRightCorner<3, 3>() = body.inertia;
  const Mat6 s_1c = shift_matrix(body.com - point1);
  const Mat6 inverse = (s_1c * com_inertia * s_1c.transpose()).inverse();
  const Mat6 s_12 = shift_matrix(point2 - point1);
  TwoHandles result;
  result.xi11 = inverse;
  result.xi12 = inverse * s_12;
  result.xi21 = s_12.transpose() * inverse;
  result.xi22 = s_12.transpose() * inverse * s_12;
  result.xi10 = inverse * (active1 + outboard_sign * s_12 * active2);
  result.xi20 = s_12.transpose() * result.xi10;
  return result;
}

/// [Chadaj2015, Eq. (13)-(14), (20)-(25)]: A inboard, B outboard, joined by the constrained directions D.
TwoHandles assemble(const TwoHandles& a, const TwoHandles& b, const SpatialColumns& d) {
  const Eigen::MatrixXd c = -(d.transpose() * (b.xi11 + a.xi22) * d).inverse();
  const Mat6 w = d * c * d.transpose();
  const Vec6 beta = w * (b.xi10 - a.xi20);
  TwoHandles result;
  result.xi11 = a.xi11 + a.xi12 * w * a.xi21;
  result.xi12 = -a.xi12 * w * b.xi12;
  result.xi21 = -b.xi21 * w * a.xi21;
  result.xi22 = b.xi22 + b.xi21 * w * b.xi12;
  result.xi10 = a.xi10 - a.xi12 * beta;
  result.xi20 = b.xi20 + b.xi21 * beta;
  return result;
}

/// Velocity of the first joint of a chain by the printed formulas [Chadaj2015, Eq. (26)-(30)].
double first_joint_velocity(const Kinematics& kinematics, const std::vector<Vec6>& active, double outboard_sign) {
  const int n = kinematics.mechanism().body_count();
  const auto make_leaf = [&](int k) {
    const bool tip = k + 1 == n;
    const Vec3 point2 = tip ? kinematics.body(k).com : kinematics.tree_joint(k + 1).point;
    return leaf(kinematics, k, active[static_cast<std::size_t>(k)],
                tip ? Vec6::Zero().eval() : active[static_cast<std::size_t>(k) + 1], point2, outboard_sign);
  };
  TwoHandles chain = make_leaf(n - 1);
  for (int k = n - 2; k >= 0; --k) {
    chain = assemble(make_leaf(k), chain, kinematics.tree_joint(k + 1).d);
  }
  const SpatialColumns& d = kinematics.tree_joint(0).d;
  const SpatialColumns& h = kinematics.tree_joint(0).h;
  const Eigen::MatrixXd c1 = -(d.transpose() * chain.xi11 * d).inverse();
  const Eigen::VectorXd sigma = c1 * d.transpose() * chain.xi10;
  const Vec6 velocity = chain.xi11 * (d * sigma) + chain.xi10;
  return h.col(0).dot(velocity);
}

TEST(hdca_printed_formulas, velocities_agree_and_other_readings_of_the_leaf_do_not) {
  for (const char* name : {"pendulum:9", "pendulum_yz:9", "pendulum_xyz:9"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    RandomSource random(13);
    const Eigen::VectorXd q = test::random_coordinates(mechanism, random);
    const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
    const auto formulation = test::make("hdca", mechanism, "leaf=body");
    const test::Evaluation state = test::evaluate_at(*formulation, 0.0, q, u);
    ASSERT_TRUE(state.status.ok);
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(q));
    std::vector<Vec6> active;
    active.reserve(static_cast<std::size_t>(mechanism.body_count()));
    for (int k = 0; k < mechanism.body_count(); ++k) {
      active.emplace_back(kinematics.tree_joint(k).h.col(0) *
                          state.x[static_cast<std::size_t>(mechanism.q_size() + k)]);
    }
    const double expected = state.xdot[0];
    // Nine bodies and condition 1e3: the printed formulas with explicit inverses lose a few digits.
    EXPECT_NEAR(first_joint_velocity(kinematics, active, -1.0), expected, 1e-10) << name;
    EXPECT_GT(std::abs(first_joint_velocity(kinematics, active, 0.0) - expected), 1e-2) << name;
    EXPECT_GT(std::abs(first_joint_velocity(kinematics, active, 1.0) - expected), 1e-2) << name;
  }
}

TEST(hdca_printed_formulas, chains_and_trees_of_all_joint_types_agree_with_the_dense_reference) {
  double worst = 0.0;
  int compared = 0;
  for (int bodies = 1; bodies <= 24; ++bodies) {
    const std::string name = "random_tree:branching=" + std::to_string(bodies % 3 * 0.5) +
                             ",motions=0,seed=" + std::to_string(880 + bodies) + ",bodies=" + std::to_string(bodies);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    if (!refusal_of(*find_formulation(formulation_registry(), "hdca-printed"), mechanism).empty()) {
      continue;
    }
    ++compared;
    const double share = test::share_of_rounding("hdca-printed", "", mechanism);
    worst = std::max(worst, share);
    // Explicit inverses of 6 x 6 matrices lose more than the condition of M; a wrong term is off by 1e10.
    EXPECT_LT(share, 100.0) << name;
  }
  EXPECT_GE(compared, 20);
  RecordProperty("worst", std::to_string(worst));
}

TEST(hdca_printed_formulas, several_loops_agree_with_the_dense_reference_whatever_their_impulses_are) {
  // Case 3 of the paper, other coupled loops, and loops between moving bodies in space.
  for (const std::string name : {"four_bar", "double_loop", "coupled_loops", "rings", "slider_crank",
                                 "random_closed:seed=82,branching=0,cuts=2", "random_closed:seed=15,bodies=9,cuts=3"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    ASSERT_EQ(refusal_of(*find_formulation(formulation_registry(), "hdca-printed"), mechanism), "") << name;
    const auto printed = test::make("hdca-printed", mechanism);
    const auto reference = test::make("dense-momentum", mechanism, "gauge=none,projection=off");
    std::vector<double> x(printed->state_size());
    RandomSource random(3);
    const Eigen::VectorXd& u = mechanism.u0();
    ASSERT_TRUE(reference->pack(0.3, view(mechanism.q0()), view(u), x).ok);
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(mechanism.q0()));
    Jacobians jacobians(mechanism);
    jacobians.set_positions(kinematics);
    const Eigen::VectorXd gauge =
        jacobians.constraints().transpose() * test::random_vector(mechanism.constraint_size(), random);
    for (Eigen::Index i = 0; i < gauge.size(); ++i) {
      x[static_cast<std::size_t>(mechanism.q_size() + i)] += gauge[i];
    }
    std::vector<double> expected(x.size());
    std::vector<double> found(x.size());
    ASSERT_TRUE(reference->rhs(0.3, x, expected).ok);
    ASSERT_TRUE(printed->rhs(0.3, x, found).ok) << name;
    const auto split = static_cast<std::size_t>(mechanism.q_size());
    EXPECT_LT((test::block_error(std::span(found).first(split), std::span(expected).first(split))), 1e-9) << name;
    // Which impulses redundant rows share is not unique, and p' is not where they are in space.
    if (mechanism.generic_rank().rank == mechanism.cut_row_count() || !name.starts_with("random")) {
      EXPECT_LT((test::block_error(std::span(found).subspan(split), std::span(expected).subspan(split))), 1e-9) << name;
    }
  }
}

TEST(hdca_printed_formulas, what_the_papers_do_not_print_is_refused) {
  const auto refusal = [](std::string_view name) {
    return find_formulation(formulation_registry(), "hdca-printed")
        ->refusal(make_mechanism(mechanism_registry(), name));
  };
  EXPECT_EQ(refusal("four_bar"), "");
  EXPECT_NE(refusal("bricard").find("by geometry alone"), std::string::npos);
  EXPECT_EQ(refusal("balanced_tree:7"), "");
  EXPECT_EQ(refusal("double_loop"), "");
  EXPECT_NE(refusal("random_tree:seed=53,bodies=8,branching=0,motions=2").find("no prescribed motions"),
            std::string::npos);
}

}  // namespace
}  // namespace mbdbench
