/// \file
/// A bicycle whose wheels roll without slip, linearised: against the canonical matrices and the eigenvalues of
/// [Meijaard2007], which come from equations in lean and steer alone.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <complex>
#include <string>

#include "experiments/simulation/simulation.hpp"
#include "experiments/verification/derivatives/linear_motion.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/io/mechanism_reader.hpp"

namespace mbdbench {
namespace {

/// The shipped example at a speed, upright.
Mechanism bicycle(double speed) {
  MechanismDescription description =
      load_mechanism(std::string(MBDBENCH_SOURCE_DIR) + "/examples/mechanisms/bicycle.toml").description();
  for (JointDescription& joint : description.joints) {
    if (joint.name == "ride") {
      joint.v0 = {0.0, 0.0, 0.0, speed, 0.0, 0.0};
    } else if (joint.name == "rear_axle" || joint.name == "front_axle") {
      joint.v0 = {speed / (joint.name == "rear_axle" ? 0.3 : 0.35)};
    }
  }
  return Mechanism(description);
}

/// Of M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 with the matrices of [Meijaard2007, sect. 4c].
Eigen::VectorXcd published(double speed) {
  Eigen::Matrix2d mass;
  Eigen::Matrix2d damping;
  Eigen::Matrix2d weight;
  Eigen::Matrix2d centrifugal;
  mass << 80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686;
  damping << 0.0, 33.86641391492494, -0.85035641456978, 1.68540397397560;
  weight << -80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618;
  centrifugal << 0.0, 76.59734589573222, 0.0, 2.65431523794604;
  Eigen::Matrix4d first_order = Eigen::Matrix4d::Zero();
  first_order.topRightCorner<2, 2>().setIdentity();
  const Eigen::Matrix2d inverse = mass.inverse();
  first_order.bottomLeftCorner<2, 2>() = -inverse * (9.81 * weight + speed * speed * centrifugal);
  first_order.bottomRightCorner<2, 2>() = -speed * inverse * damping;
  return first_order.eigenvalues();
}

double distance_to_nearest(const Eigen::VectorXcd& all, std::complex<double> one) {
  return (all.array() - one).abs().minCoeff();
}

Eigen::VectorXcd eigenvalues(double speed) {
  const Mechanism mechanism = bicycle(speed);
  const auto& registry = formulation_registry();
  const auto formulation = make_formulation(registry, *find_formulation(registry, "dense"), mechanism, "");
  return linear_motion(*formulation, 0.0, initial_state(*formulation, 0.0)).eigenvalues;
}

TEST(Bicycle, HasThePublishedEigenvaluesAtEverySpeed) {
  for (int speed = 0; speed <= 10; ++speed) {
    const Eigen::VectorXcd found = eigenvalues(speed);
    // Seven displacements and three velocities are free; what is none of the four is zero: places, heading, rolling.
    ASSERT_EQ(found.size(), 10);
    const Eigen::VectorXcd expected = published(speed);
    for (const std::complex<double> one : expected) {
      // The matrices have 14 digits after the point. The zeros share a direction, so that rounding moves what is near
      // them (the capsize at 6 m/s, -0.004 1/s) by its share over the distance.
      const double limit = 1e-9 * (1.0 + std::abs(one)) + 1e-10 / std::abs(one);
      EXPECT_LT(distance_to_nearest(found, one), limit) << speed << " m/s, " << one;
    }
    const auto zeros = (found.array().abs() < 1e-3).count();
    EXPECT_GE(zeros, 6) << speed << " m/s";
  }
}

TEST(Bicycle, HasTheDigitsOfTheTableAtFiveMetresASecond) {
  const Eigen::VectorXcd found = eigenvalues(5.0);
  for (const std::complex<double> one :
       {std::complex(-0.77534188219585, 4.46486771378823), std::complex(-0.77534188219585, -4.46486771378823),
        std::complex(-0.32286642900409, 0.0), std::complex(-14.07838969279822, 0.0)}) {
    EXPECT_LT(distance_to_nearest(found, one), 1e-10 * (1.0 + std::abs(one))) << one;
  }
}

}  // namespace
}  // namespace mbdbench
