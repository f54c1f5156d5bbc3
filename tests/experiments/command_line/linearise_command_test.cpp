/// \file
/// `mbdbench linearise`: eigenvalues against closed forms and the stiffness of the dense reference, files and messages.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "experiments/equilibria/equilibrium.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/verification/derivatives/linear_motion.hpp"
#include "experiments/verification/derivatives/tangent_directions.hpp"
#include "experiments/verification/reference/equation_matrices.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/support/closed_form_loops.hpp"
#include "tests/support/four_bar.hpp"
#include "tests/support/random_states.hpp"

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
  const auto& registry = formulation_registry();
  const auto formulation = make_formulation(registry, *find_formulation(registry, key), mechanism, "");
  return linear_motion(*formulation, 0.0, initial_state(*formulation, 0.0));
}

/// Squares of the angular frequencies and modes of M q'' = -K q, K by differences of the dense reference's forces.
Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> stiffness_modes(const Mechanism& mechanism) {
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
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness, mass);
}

Eigen::VectorXd stiffness_frequencies(const Mechanism& mechanism) {
  return stiffness_modes(mechanism).eigenvalues().reverse();
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

/// N + 1 parallel bars that hang, joined by N rods.
Mechanism hanging_bars(int n) {
  MechanismDescription description =
      make_mechanism(mechanism_registry(), "n_four_bar:" + std::to_string(n)).description();
  const Eigen::VectorXd q = test::n_four_bar_coordinates(n, std::numbers::pi);
  Eigen::Index next = 0;
  for (JointDescription& joint : description.joints) {
    joint.v0.assign(joint.v0.size(), 0.0);
    if (!joint.cut) {
      joint.q0 = {q[next++]};
    }
  }
  return Mechanism(description);
}

// As published p' has the reactions of the constraints, and no left inverse takes them out as the motion does.
TEST(LinearMotion, MomentaWithReactionsOfLoopsAreRefused) {
  const Mechanism mechanism = hanging_bars(3);
  const auto& registry = formulation_registry();
  for (const char* key : {"hdca", "dense-momentum"}) {
    const auto formulation = make_formulation(registry, *find_formulation(registry, key), mechanism, "gauge=none");
    try {
      linear_motion(*formulation, 0.0, initial_state(*formulation, 0.0));
      ADD_FAILURE() << key;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("with gauge=tangent"), std::string::npos) << error.what();
    }
  }
}

TEST(LinearMotion, ParallelBarsThatHangHaveOneFrequency) {
  for (const int n : {1, 3}) {
    const Mechanism mechanism = hanging_bars(n);
    // Bars of 1 kg and 1 m turn about their ends, rods of 1 kg move with those.
    const double inertia = (n + 1) / 3.0 + n;
    const double expected = std::sqrt(9.81 * ((n + 1) / 2.0 + n) / inertia);
    for (const char* key : {"dense", "bae-haug", "dca", "dense-momentum", "hdca"}) {
      const LinearMotion motion = motion_of(mechanism, key);
      ASSERT_EQ(motion.eigenvalues.size(), 2) << key;
      EXPECT_NEAR(motion.eigenvalues[0].imag(), expected, 1e-12 * expected) << key;
      EXPECT_NEAR(motion.eigenvalues[0].real(), 0.0, 1e-7) << key;
      EXPECT_LT(motion.rates.cwiseAbs().maxCoeff(), 1e-12) << key;
      // All bars turn alike, and the state's derivatives agree with the mode.
      EXPECT_LT((motion.derivatives * motion.modes.col(0) - motion.eigenvalues[0] * motion.modes.col(0))
                    .cwiseAbs()
                    .maxCoeff(),
                1e-11)
          << key;
    }
  }
}

/// The joints of test::four_bar where the crank is at an angle, the bars turned like at the start.
std::vector<double> four_bar_at(double crank) {
  const double along = 3.0 - std::cos(crank);
  const double across = -std::sin(crank);
  const double half = 0.5 * std::hypot(along, across);
  const double coupler = std::atan2(across, along) + std::acos(half / 3.0);
  const double rocker = std::atan2(across, along) - std::acos(half / 3.0);
  return {crank, coupler - crank, rocker - coupler};
}

/// Centres of mass and turns of the three bars there.
Eigen::VectorXd four_bar_places(double crank) {
  const std::vector<double> q = four_bar_at(crank);
  Eigen::VectorXd places(9);
  Eigen::Vector2d end(0.0, 0.0);
  double turn = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double length = i == 0 ? 1.0 : 3.0;
    turn += q[static_cast<std::size_t>(i)];
    const Eigen::Vector2d way(length * std::cos(turn), length * std::sin(turn));
    places.segment<3>(3 * i) << end + 0.5 * way, turn;
    end += way;
  }
  return places;
}

TEST(LinearMotion, AFourBarLinkageHasTheFrequencyOfItsPotential) {
  // By the crank alone: V'' over the mass that it feels, at the lowest place, from circles that meet.
  MechanismDescription description = test::four_bar(3.0, {0.0, 0.0, 0.0});
  description.gravity = Vec3(0.0, -9.81, 0.0);
  const auto potential = [](double crank) {
    const Eigen::VectorXd places = four_bar_places(crank);
    return 9.81 * (places[1] + places[4] + places[7]);
  };
  const auto slope = [&](double crank) { return test::difference([&](double s) { return potential(crank + s); }); };
  double low = -3.0;
  double high = -0.2;
  ASSERT_LT(slope(low) * slope(high), 0.0);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (slope(middle) * slope(high) > 0.0 ? high : low) = middle;
  }
  const double curvature = test::difference([&](double s) { return slope(low + s); });
  const Eigen::VectorXd rates = test::difference([&](double s) { return four_bar_places(low + s); });
  double mass = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double moment = description.bodies[static_cast<std::size_t>(i)].inertia(2, 2);
    mass += rates.segment<2>(3 * i).squaredNorm() + moment * rates[3 * i + 2] * rates[3 * i + 2];
  }
  const std::vector<double> q = four_bar_at(low);
  for (std::size_t i = 0; i < 3; ++i) {
    description.joints[i].q0 = {q[i]};
  }
  const Mechanism mechanism(description);
  const double expected = std::sqrt(curvature / mass);
  for (const char* key : {"dense", "bae-haug", "hdca"}) {
    const LinearMotion motion = motion_of(mechanism, key);
    ASSERT_EQ(motion.eigenvalues.size(), 2) << key;
    // Differences of differences keep 1e-8.
    EXPECT_NEAR(motion.eigenvalues[0].imag(), expected, 1e-6 * expected) << key;
  }
}

// In independent coordinates nothing has to be kept. Where a mechanism rests, eigenvalues know no coordinates.
TEST(LinearMotion, StatesOfIndependentCoordinatesHaveThoseOfAllJoints) {
  const Registries registries = default_registries();
  for (const char* const word : {"four_bar:angle=0.3", "five_bar", "double_loop:angle=0.2", "slider_crank"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), word);
    TangentMotion motion(registries, mechanism, 0.0);
    const Equilibrium rest = find_equilibrium(motion, {});
    ASSERT_EQ(rest.failure, "") << word;
    MechanismDescription description = mechanism.description();
    for (JointDescription& joint : description.joints) {
      const JointReference own = *mechanism.find_joint(joint.name);
      joint.q0.clear();
      joint.v0.clear();
      for (int i = 0; !own.cut && i < mechanism.joint(own).nq; ++i) {
        joint.q0.push_back(rest.q[mechanism.joint(own).q_offset + i]);
      }
    }
    const Mechanism still(description);
    const LinearMotion expected = motion_of(still, "bae-haug");
    const double size = expected.eigenvalues.cwiseAbs().maxCoeff();
    for (const char* const key : {"naudet-acc-reduced", "naudet-reduced"}) {
      const LinearMotion found = motion_of(still, key);
      ASSERT_EQ(found.eigenvalues.size(), expected.eigenvalues.size()) << key << " on " << word;
      for (const std::complex<double> one : found.eigenvalues) {
        // Rounding of derivatives, and of where it rests.
        EXPECT_LT((expected.eigenvalues.array() - one).abs().minCoeff(), 1e-7 * size) << key << " on " << word;
      }
    }
  }
}

// Of a moving mechanism too the directions keep velocities: their change along the mode obeys Phi_q u = 0 nearby.
TEST(LinearMotion, DirectionsKeepTheConstraintsOfVelocities) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "slider_crank");
  const Eigen::MatrixXd directions = tangent_directions(mechanism, mechanism.q0(), mechanism.u0()).directions;
  ASSERT_EQ(directions.cols(), 2);
  for (Eigen::Index k = 0; k < directions.cols(); ++k) {
    const Eigen::VectorXd change = test::difference([&](double s) {
      const Eigen::VectorXd q = mechanism.q0() + s * directions.col(k).head(mechanism.q_size());
      const Eigen::VectorXd u = mechanism.u0() + s * directions.col(k).tail(mechanism.u_size());
      Kinematics kinematics(mechanism);
      kinematics.set_positions(view(q));
      return Eigen::VectorXd(constraint_jacobian(kinematics) * u);
    });
    EXPECT_LT(change.cwiseAbs().maxCoeff(), 1e-9 * mechanism.u0().cwiseAbs().maxCoeff()) << k;
  }
}

TEST(LineariseCommand, TakesLoopsByDefault) {
  const CommandLineCall call = call_program({"linearise", "-m", "four_bar"});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_NE(call.output.find("frequency/Hz"), std::string::npos) << call.output;
}

// The same joint of the same linkage, once in the tree and once cut: a spring there makes its angle known to a law.
TEST(LineariseCommand, SpringsInCutJointsHaveTheEigenvaluesOfThoseInTheTree) {
  const TemporaryDirectory directory;
  std::vector<std::vector<double>> found;
  for (const auto& [key, joint] : {std::pair{"four_bar", "joint3"}, std::pair{"four_bar:cut=middle", "joint5"}}) {
    MechanismDescription description = make_mechanism(mechanism_registry(), key).description();
    const auto own = std::find_if(description.joints.begin(), description.joints.end(),
                                  [&name = joint](const JointDescription& one) { return one.name == name; });
    description.joint_springs.push_back(
        {.name = "spring", .joint = joint, .component = 0, .stiffness = 50.0, .damping = 0.3, .rest = own->q0.front()});
    description.joint_springs.push_back({.name = "crank",
                                         .joint = "joint1",
                                         .component = 0,
                                         .stiffness = 20.0,
                                         .damping = 0.0,
                                         .rest = description.joints.front().q0.front()});
    description.gravity = Vec3::Zero();  // the start is an equilibrium
    const std::string name = std::string(joint) + ".toml";
    std::ofstream(directory / name) << write_mechanism(description);
    const CommandLineCall call =
        call_program({"linearise", "-m", (directory / name).string(), "-o", (directory / joint).string()});
    ASSERT_EQ(call.exit_code, 0) << call.errors;
    found.emplace_back();
    for (const auto& row : read_csv(directory / joint / "eigenvalues.csv").rows) {
      found.back().push_back(std::stod(row[0]));
      found.back().push_back(std::abs(std::stod(row[1])));
    }
    std::sort(found.back().begin(), found.back().end());
  }
  ASSERT_EQ(found[0].size(), 8U);
  ASSERT_EQ(found[1].size(), 8U);
  for (std::size_t k = 0; k < found[0].size(); ++k) {
    EXPECT_NEAR(found[0][k], found[1][k], 1e-7 * std::max(1.0, std::abs(found[0][k])));
  }
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

/// \returns rows of mode_shapes.csv as columns of a mode and place: x1, y1, x2, y2 of each line.
std::map<std::pair<std::string, std::string>, std::vector<double>> shapes_in(const std::filesystem::path& directory) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> shapes;
  for (const auto& row : read_csv(directory / "mode_shapes.csv").rows) {
    for (std::size_t k = 4; k < 8; ++k) {
      shapes[{row[0], row[1]}].push_back(std::stod(row[k]));
    }
  }
  return shapes;
}

// A double pendulum that hangs: in its pictures links lean as in the modes of mass and stiffness, to either side of
// rest.
TEST(LineariseCommand, DrawsTheModesOfADoublePendulum) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "hanging.toml") << write_mechanism(hanging(2).description());
  const CommandLineCall call = call_program(
      {"linearise", "-m", (directory / "hanging.toml").string(), "-f", "naudet", "-o", (directory / "modes").string()});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  const auto shapes = shapes_in(directory / "modes");
  ASSERT_EQ(shapes.size(), 5U);  // rest, two ends of two modes
  const Eigen::MatrixXd expected = stiffness_modes(hanging(2)).eigenvectors();
  const std::vector<double>& rest = shapes.at({"0", "rest"});
  for (const int mode : {1, 2}) {
    const std::vector<double>& first = shapes.at({std::to_string(mode), "first"});
    const std::vector<double>& second = shapes.at({std::to_string(mode), "second"});
    ASSERT_EQ(first.size(), rest.size());
    // Lines are link 1, arm 1, link 2 and arm 2, which ends in the middle of its link.
    ASSERT_EQ(rest.size(), 16U);
    const double joint = first[2] - rest[2];
    const double middle = first[14] - rest[14];
    EXPECT_GT(std::abs(joint), 0.01);
    EXPECT_NEAR(second[2] - rest[2], -joint, 1e-12);
    // Fast modes come first here, slow ones first there.
    const double lean = (expected(0, 2 - mode) + expected(1, 2 - mode)) / expected(0, 2 - mode);
    // Links lean by up to 0.6 rad, whose sine is 6 % less: the tip moves by 0.12 of the size.
    EXPECT_NEAR((middle - joint) / (0.5 * joint), lean, 0.07 * std::abs(lean)) << "mode " << mode;
  }
  std::ifstream page(directory / "modes" / "modes.html");
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("mode 1: "), std::string::npos);
  EXPECT_NE(text.find("mode 2: "), std::string::npos);
}

// Coordinates of all joints leave the loops at large displacements, independent ones do not: closed again, both draw
// the same.
TEST(LineariseCommand, DrawsLoopsClosed) {
  const TemporaryDirectory directory;
  const CommandLineCall found =
      call_program({"equilibrium", "-m", "slider_crank", "-o", (directory / "rest").string()});
  ASSERT_EQ(found.exit_code, 0) << found.errors;
  EXPECT_TRUE(std::filesystem::exists(directory / "rest" / "modes.html"));
  std::map<std::string, std::map<std::pair<std::string, std::string>, std::vector<double>>> drawn;
  for (const char* const formulation : {"bae-haug", "naudet-acc-reduced"}) {
    const std::filesystem::path output = directory / formulation;
    const CommandLineCall call = call_program({"linearise", "-m", (directory / "rest" / "mechanism.toml").string(),
                                               "-f", formulation, "-o", output.string()});
    ASSERT_EQ(call.exit_code, 0) << call.errors;
    drawn[formulation] = shapes_in(output);
  }
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
  };
  const auto& all = drawn["bae-haug"];
  const auto& independent = drawn["naudet-acc-reduced"];
  const double moved = distance(all.at({"1", "first"}), all.at({"0", "rest"}));
  EXPECT_GT(moved, 0.01);
  // Which end is the first is open. Closing takes the nearest position, not that of the same crank.
  EXPECT_LT(std::min(distance(all.at({"1", "first"}), independent.at({"1", "first"})),
                     distance(all.at({"1", "first"}), independent.at({"1", "second"}))),
            0.1 * moved);
}

TEST(LineariseCommand, WhatIsNotDampedHasNoRatioOfMinusZero) {
  const CommandLineCall call = call_program({"linearise", "-m", "pendulum:1", "--set", "q.joint1=1.5707963267948966"});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_NE(call.output.find("0.315271"), std::string::npos) << call.output;  // sqrt(0.5 9.81 / 1.25) / (2 pi)
  EXPECT_EQ(call.output.find("-0 "), std::string::npos) << call.output;
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

TEST(LineariseCommand, RefusesWhatHasNoExactDerivativesAndOtherStates) {
  const CommandLineCall none = call_program({"linearise", "-m", "four_bar", "-f", "hdca[gauge=reset]"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.errors.find("take tangent"), std::string::npos) << none.errors;
  for (const char* const mechanism : {"four_bar", "pendulum:2"}) {
    for (const char* const formulation : {"dca-alm", "dca-alm-printed"}) {
      const CommandLineCall absolute = call_program({"linearise", "-m", mechanism, "-f", formulation});
      EXPECT_EQ(absolute.exit_code, 2);
      EXPECT_NE(absolute.errors.find("absolute coordinates"), std::string::npos) << absolute.errors;
    }
  }
  // As many numbers as q and p of the tree's joints are, but others.
  const CommandLineCall loop = call_program({"linearise", "-m", "four_bar", "-f", "naudet"});
  EXPECT_EQ(loop.exit_code, 2);
  EXPECT_NE(loop.errors.find("of the tree's joints"), std::string::npos) << loop.errors;
  const CommandLineCall moving = call_program({"linearise", "-m", "four_bar", "-f", "hdca", "--set", "v.joint1=1"});
  EXPECT_EQ(moving.exit_code, 2);
  EXPECT_NE(moving.errors.find("at rest"), std::string::npos) << moving.errors;
}

}  // namespace
}  // namespace mbdbench
