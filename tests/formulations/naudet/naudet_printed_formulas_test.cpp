/// \file
/// The matrices C_K of [Naudet2005, Eq. (22)-(27)] for planar loops with two dependent links, corrected, against
/// ClosedDynamics, which gets the same reduced momenta and rates another way, and against the general matrices.
#include <gtest/gtest.h>

#include "formulations/naudet/closed_dynamics.hpp"
#include "formulations/naudet/constraint_matrices.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/naudet/closed_settings.hpp"

namespace mbdbench {
namespace {

constexpr int kLinks = 6;

/// Six links of different lengths about z from the origin to a pin on the ground; the last two joints depend.
Mechanism arch() {
  MechanismDescription description;
  description.name = "arch";
  description.gravity = Vec3(1.0, -9.81, 0.0);
  const std::array<double, kLinks> lengths = {1.0, 0.7, 0.9, 0.6, 0.8, 1.1};
  const std::array<double, kLinks> angles = {1.9, -0.6, -0.7, -0.3, -0.9, -0.8};
  const std::array<double, kLinks> rates = {0.4, -0.7, 0.5, 0.3, 0.0, 0.0};
  for (std::size_t i = 0; i < kLinks; ++i) {
    const std::string name = "link" + std::to_string(i + 1);
    description.bodies.push_back({name, 1.0 + 0.2 * static_cast<double>(i), Vec3(0.4 * lengths[i], 0.05, 0.0),
                                  Vec3(0.02, 0.1, 0.11).asDiagonal()});
    JointDescription joint;
    joint.name = "joint" + std::to_string(i + 1);
    joint.a = i == 0 ? kGround : description.bodies[i - 1].name;
    joint.b = name;
    joint.frame_a.position = Vec3(i == 0 ? 0.0 : lengths[i - 1], 0.0, 0.0);
    joint.q0 = {angles[i]};
    joint.v0 = {rates[i]};
    joint.dependent = i + 2 >= kLinks;
    description.joints.push_back(joint);
  }
  JointDescription pin;
  pin.name = "pin";
  pin.cut = true;
  pin.b = description.bodies.back().name;
  pin.frame_a.position = Vec3(2.0, 0.75, 0.0);
  pin.frame_b.position = Vec3(lengths.back(), 0.0, 0.0);
  description.joints.push_back(pin);
  return Mechanism(description);
}

/// Points O_k and the matrices C of the two dependent links at one configuration.
struct Loop {
  explicit Loop(const Kinematics& kinematics) {
    for (int k = 0; k < kLinks; ++k) {
      origins[static_cast<std::size_t>(k)] = kinematics.tree_joint(k).point;
    }
    const Vec3 z = Vec3::UnitZ();
    const Vec3 r = origins[kLinks - 1] - kinematics.cut_joint(0).point;
    const Vec3 l = origins[kLinks - 1] - origins[kLinks - 2];
    c_a.setZero();
    c_b.setZero();
    c_a.topLeftCorner<3, 3>().setIdentity();
    c_b.topLeftCorner<3, 3>().setIdentity();
    // The pin does not move: v + omega z x (-r) = 0; and the joint between the two moves across r only.
    c_b.row(5).head<3>() = z.cross(r).transpose() / r.squaredNorm();
    c_a.row(5).head<3>() = -r.transpose() / z.dot(l.cross(r));
  }
  [[nodiscard]] Mat6 shift(int k) const {  // S_{k-1,k}
    return shift_matrix(origins[static_cast<std::size_t>(k)] - origins[static_cast<std::size_t>(k - 1)]);
  }
  [[nodiscard]] Mat6 c(int k) const { return k == kLinks - 1 ? c_b : k == kLinks - 2 ? c_a : Mat6::Identity(); }
  std::array<Vec3, kLinks> origins;
  Mat6 c_a;
  Mat6 c_b;
};

class PrintedFormulas : public ::testing::Test {
 protected:
  void SetUp() override {
    kinematics_.set_positions(view(mechanism_.q0()));
    kinematics_.set_velocities(view(mechanism_.u0()));
    loads_.evaluate(0.0, view(mechanism_.q0()), view(mechanism_.u0()), kinematics_);
  }

  [[nodiscard]] Vec6 velocity(int k) const { return kinematics_.velocity_at(k, kinematics_.tree_joint(k).point); }
  [[nodiscard]] Vec6 at_origin(int k, const Vec6& at_com) const {
    return shift_wrench(kinematics_.body(k).com - kinematics_.tree_joint(k).point, at_com);
  }
  [[nodiscard]] Vec6 momentum(int k) const {
    const BodyKinematics& body = kinematics_.body(k);
    Vec6 momentum;
    momentum.head<3>() = mechanism_.bodies()[static_cast<std::size_t>(k)].mass * body.velocity.head<3>();
    momentum.tail<3>() = body.inertia * body.velocity.tail<3>();
    return at_origin(k, momentum);
  }
  /// C of link k, moved along the motion by s.
  [[nodiscard]] Mat6 c_at(int k, double s) const {
    Kinematics moved(mechanism_);
    const Eigen::VectorXd q = mechanism_.q0() + s * mechanism_.u0();
    moved.set_positions(view(q));
    return Loop(moved).c(k);
  }

  Mechanism mechanism_ = arch();
  Kinematics kinematics_{mechanism_};
  LoadEvaluator loads_{mechanism_, nullptr};
};

TEST_F(PrintedFormulas, dependent_velocities_follow_from_the_matrices_c) {
  const Loop loop(kinematics_);
  for (const int k : {kLinks - 2, kLinks - 1}) {
    const Vec6 expected = loop.c(k) * (loop.shift(k).transpose() * velocity(k - 1));  // [Naudet2005, Eq. (22), (23)]
    EXPECT_LT((velocity(k) - expected).norm(), 1e-13);  // rounding: the loop is closed to 1e-15
    EXPECT_GT(velocity(k).norm(), 0.1);
  }
}

TEST_F(PrintedFormulas, reduced_momenta_and_rates_follow_from_the_matrices_c) {
  const Loop loop(kinematics_);
  std::array<Vec6, kLinks> p_c;
  std::array<Vec6, kLinks> t_c;
  for (int k = kLinks - 1; k >= 0; --k) {
    const auto i = static_cast<std::size_t>(k);
    p_c[i] = momentum(k);
    t_c[i] = at_origin(k, loads_.body_wrench(k));
    if (k == kLinks - 1) {
      continue;
    }
    const Mat6 c = loop.c(k + 1);
    const Mat6 c_rate = test::difference([&](double s) { return c_at(k + 1, s); });
    Mat6 s_dot = Mat6::Zero();
    s_dot.bottomLeftCorner<3, 3>() = skew(velocity(k + 1).head<3>());
    const Mat6 s = loop.shift(k + 1);
    // DEVIATES [Naudet2005, Eq. (24)]: printed C_K^T S; it is S C_{K+1}^T as in Eq. (27), or p is wrong.
    p_c[i] += s * (c.transpose() * p_c[i + 1]);
    // DEVIATES [Naudet2005, Eq. (27)]: printed with T_{K+1} and P_{K+1}; it carries those with the superscript c.
    t_c[i] += s * (c.transpose() * t_c[i + 1] +
                   (c_rate.transpose() + s_dot * c.transpose() - c.transpose() * s_dot) * p_c[i + 1]);
  }
  ClosedDynamics dynamics(mechanism_, test::closed_settings(mechanism_, false));
  ASSERT_EQ(dynamics.dependents().dependent(), (std::vector<int>{kLinks - 2, kLinks - 1}));
  ASSERT_TRUE(dynamics.set_positions(view(mechanism_.q0())).ok);
  dynamics.set_velocities(view(mechanism_.u0()), false);
  std::vector<double> p(kLinks);
  std::vector<double> pdot(kLinks);
  ASSERT_TRUE(dynamics.reduced_momenta(0.0, view(mechanism_.q0()), p).ok);
  ASSERT_TRUE(dynamics.solve_velocities(0.0, view(mechanism_.q0()), p).ok);
  ASSERT_TRUE(dynamics.reduced_momentum_rates(0.0, view(mechanism_.q0()), pdot).ok);
  for (int k = 0; k < kLinks - 2; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const Vec6 e = kinematics_.tree_joint(k).h.col(0);
    EXPECT_NEAR(p[i], e.dot(p_c[i]), 1e-12);  // [Naudet2005, Eq. (25)], rounding
    // E does not turn in a planar mechanism. C by differences: 1e-11.
    const Vec6 rate = t_c[i] - shift_rate_wrench(velocity(k).head<3>(), p_c[i]);
    EXPECT_NEAR(pdot[i], e.dot(rate), 1e-9);
    EXPECT_GT(std::abs(pdot[i]), 0.1);
  }
}

TEST_F(PrintedFormulas, the_general_matrices_c_are_those_of_planar_loops_with_two_dependent_links) {
  const DependentLoops loops = plan_dependent_loops(mechanism_, dependent_candidates(mechanism_, false));
  ASSERT_EQ(loops.loops.size(), 1U);
  EXPECT_EQ(loops.loops[0].rows.size(), 2U) << "of five, three have no effect in the plane";
  ConstraintMatrices general(mechanism_, loops.loops[0]);
  ASSERT_TRUE(general.set_positions(kinematics_).ok);
  general.set_velocities(kinematics_);
  const Loop loop(kinematics_);
  const std::array<int, 3> planar = {0, 1, 5};  // v_x, v_y, omega_z: the printed matrices hold for these only
  for (std::size_t i = 0; i < 2; ++i) {
    const int k = loops.loops[0].joints[i].body;
    ASSERT_EQ(k, kLinks - 1 - static_cast<int>(i)) << "from the cut inward";
    const ConstraintMatrix& matrix = general.matrix(i);
    const Mat6 c = Mat6::Identity() - matrix.axes * matrix.gain.transpose();
    const Mat6 c_rate = -matrix.axes_rate * matrix.gain.transpose() - matrix.axes * matrix.gain_rate.transpose();
    const Mat6 expected_rate = test::difference([&](double s) { return c_at(k, s); });
    for (const int row : planar) {
      for (const int column : planar) {
        EXPECT_NEAR(c(row, column), loop.c(k)(row, column), 1e-13) << k;          // rounding
        EXPECT_NEAR(c_rate(row, column), expected_rate(row, column), 1e-9) << k;  // differences: 1e-11
      }
    }
    EXPECT_GT(expected_rate.norm(), 0.1);
  }
}

}  // namespace
}  // namespace mbdbench
