/// \file
/// `mbdbench linearise`: eigenvalues against closed forms and the stiffness of the dense reference, files and messages.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/verification/equation_matrices.hpp"
#include "experiments/verification/linear_motion.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

/// A chain of pendula that hangs still.
Mechanism hanging(int links) {
  MechanismDescription description =
      make_mechanism(mechanism_registry(), "pendulum:" + std::to_string(links)).description();
  for (std::size_t k = 0; k < description.joints.size(); ++k) {
    description.joints[k].q0 = {k == 0 ? 0.5 * std::numbers::pi : 0.0};
    description.joints[k].v0 = {0.0};
  }
  return Mechanism(description);
}

LinearMotion motion_of(const Mechanism& mechanism, const char* key) {
  const auto registry = formulation_registry();
  const auto formulation = make_formulation(registry, *find_formulation(registry, key), mechanism, "");
  return linear_motion(*formulation, 0.0, initial_state(*formulation, 0.0));
}

/// Squares of the angular frequencies of M q'' = -K q, K by differences of the dense reference's forces.
Eigen::VectorXd stiffness_frequencies(const Mechanism& mechanism) {
  const Eigen::Index n = mechanism.q_size();
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(n);
  const double step = 1e-4;
  Eigen::MatrixXd stiffness(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::VectorXd move = step * Eigen::VectorXd::Unit(n, j);
    stiffness.col(j) = (equation_matrices(mechanism, 0.0, mechanism.q0() - move, rest).forces -
                        equation_matrices(mechanism, 0.0, mechanism.q0() + move, rest).forces) /
                       (2.0 * step);
  }
  const Eigen::MatrixXd mass = equation_matrices(mechanism, 0.0, mechanism.q0(), rest).mass;
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness, mass).eigenvalues().reverse();
}

TEST(LinearMotion, AHangingChainHasTheFrequenciesOfItsStiffness) {
  for (const int links : {1, 2, 5}) {
    const Mechanism mechanism = hanging(links);
    const Eigen::VectorXd expected = stiffness_frequencies(mechanism);
    for (const char* key : {"aba", "naudet", "bae-haug"}) {
      const LinearMotion motion = motion_of(mechanism, key);
      // At rest but for the rounding of pi / 2.
      EXPECT_LT(motion.rates.cwiseAbs().maxCoeff(), 1e-12) << key;
      for (int i = 0; i < links; ++i) {
        // Differences of the forces: step^2 / 6 of the third derivative, 2e-9 of the stiffness.
        EXPECT_NEAR(motion.eigenvalues[i].imag(), std::sqrt(expected[i]), 1e-7 * std::sqrt(expected[i]))
            << key << ", " << links << " links, mode " << i;
        EXPECT_NEAR(motion.eigenvalues[i].real(), 0.0, 1e-6 * std::sqrt(expected[i])) << key;
      }
    }
  }
}

TEST(LinearMotion, ASpringWithDamperHasItsClosedForm) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:1").description();
  description.gravity = Vec3::Zero();
  description.joints[0].q0 = {0.3};
  description.joints[0].v0 = {0.0};
  description.joint_springs.push_back({.name = "spring",
                                       .joint = description.joints[0].name,
                                       .component = 0,
                                       .stiffness = 40.0,
                                       .damping = 2.0,
                                       .rest = 0.3});
  const Mechanism mechanism(description);
  const double inertia = equation_matrices(mechanism, 0.0, mechanism.q0(), mechanism.u0()).mass(0, 0);
  const LinearMotion motion = motion_of(mechanism, "aba");
  const double decay = 2.0 / (2.0 * inertia);
  const double square = 40.0 / inertia - decay * decay;
  const double first_real = square > 0.0 ? -decay : -decay + std::sqrt(-square);
  EXPECT_NEAR(motion.eigenvalues[0].real(), first_real, 1e-12 * (decay + 1.0));
  EXPECT_NEAR(motion.eigenvalues[0].imag(), square > 0.0 ? std::sqrt(square) : 0.0, 1e-12 * std::sqrt(40.0 / inertia));
}

TEST(LineariseCommand, WritesWhatItShows) {
  const TemporaryDirectory directory;
  const CommandLineCall call = call_program({"linearise", "-m", "pendulum:2", "--set", "q.joint1=1.5707963267948966",
                                             "--set", "q.joint2=0", "-o", directory.path().string()});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_NE(call.output.find("frequency/Hz"), std::string::npos) << call.output;
  const CsvTable table = read_csv(directory / "eigenvalues.csv");
  EXPECT_EQ(table.rows.size(), 4U);
  for (const char* file :
       {"derivatives.npy", "modes_real.npy", "modes_imaginary.npy", "names.json", "inputs.json", "provenance.json"}) {
    EXPECT_TRUE(std::filesystem::exists(directory / file)) << file;
  }
}

TEST(LineariseCommand, SaysWhereThereIsNoEquilibrium) {
  const CommandLineCall call = call_program({"linearise", "-m", "robot_arm", "-f", "naudet"});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_NE((call.output + call.errors).find("no equilibrium"), std::string::npos) << call.output;
}

TEST(LineariseCommand, RefusesWhatCannotMove) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:1").description();
  description.joints[0].type = JointType::fixed;
  description.joints[0].q0 = {};
  description.joints[0].v0 = {};
  const Mechanism mechanism(description);
  EXPECT_THROW(motion_of(mechanism, "aba"), std::invalid_argument);
}

TEST(LineariseCommand, RefusesWhatHasNoExactDerivatives) {
  const CommandLineCall loop = call_program({"linearise", "-m", "four_bar", "-f", "bae-haug"});
  EXPECT_EQ(loop.exit_code, 2);
  EXPECT_NE(loop.errors.find("open trees"), std::string::npos) << loop.errors;
  const CommandLineCall dense = call_program({"linearise", "-m", "pendulum:2", "-f", "dense"});
  EXPECT_EQ(dense.exit_code, 2);
  EXPECT_NE(dense.errors.find("aba, naudet, naudet-acc, bae-haug, dca and hdca"), std::string::npos) << dense.errors;
  const CommandLineCall load = call_program({"linearise", "-m", "random_tree:seed=1,bodies=20"});
  EXPECT_EQ(load.exit_code, 2);
  EXPECT_NE(load.errors.find("has none"), std::string::npos) << load.errors;
}

}  // namespace
}  // namespace mbdbench
