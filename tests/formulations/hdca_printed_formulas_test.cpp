// HDCA's velocities against the paper's own two-handle formulas, written out with full 6 x 6 matrices [Chadaj2015, Eq.
// (11)-(30)], and the leaf that the paper does not print: with the outboard joint's momentum left out or with the wrong
// sign the velocities are wrong by far more than any tolerance used elsewhere.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "mechanisms/catalogue/catalogue.hpp"
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

TEST(hdca_printed_formulas, chains_of_all_joint_types_agree_with_the_dense_reference) {
  double worst = 0.0;
  for (int bodies = 1; bodies <= 24; ++bodies) {
    const std::string name =
        "random_tree:branching=0,motions=0,seed=" + std::to_string(880 + bodies) + ",bodies=" + std::to_string(bodies);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    const double share = test::share_of_rounding("hdca-printed", "", mechanism);
    worst = std::max(worst, share);
    // Explicit inverses of 6 x 6 matrices lose more than the condition of M; a wrong term is off by 1e10.
    EXPECT_LT(share, 100.0) << name;
  }
  RecordProperty("worst", std::to_string(worst));
}

TEST(hdca_printed_formulas, what_the_papers_do_not_print_is_refused) {
  const auto refusal = [](std::string_view name) {
    return find_formulation(formulation_registry(), "hdca-printed")
        ->refusal(make_mechanism(mechanism_registry(), name));
  };
  EXPECT_EQ(refusal("four_bar"), "");
  EXPECT_NE(refusal("bricard").find("by geometry alone"), std::string::npos);
  EXPECT_NE(refusal("balanced_tree:7").find("starts another branch"), std::string::npos);
  EXPECT_NE(refusal("random_closed:seed=82,branching=0,cuts=2").find("one loop, from the last body to the ground"),
            std::string::npos);
  EXPECT_NE(refusal("random_tree:seed=53,bodies=8,branching=0,motions=2").find("no prescribed motions"),
            std::string::npos);
}

}  // namespace
}  // namespace mbdbench
