/// \file
/// Columns of a trajectory that follow from the state, and the matrices of the equations at a state.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/verification/reference/equation_matrices.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/experiments/simulate_call.hpp"
#include "tests/support/two_arms.hpp"

namespace mbdbench {
namespace {

class MotionColumnsTest : public SimulateCommandTest {
 protected:
  /// \returns the last row of a trajectory by the names of its columns.
  [[nodiscard]] std::map<std::string, double> last_row(const std::string& output) const {
    const CsvTable table = read_csv(directory_ / output / "trajectory.csv");
    std::map<std::string, double> row;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      row[table.columns[i]] = std::stod(table.rows.back()[i]);
    }
    return row;
  }

  /// \returns the file that holds this text.
  [[nodiscard]] std::string written(const std::string& name, const std::string& text) const {
    replace_file(directory_ / name, text);
    return (directory_ / name).string();
  }
};

/// \returns u' by dense.
Eigen::VectorXd dense_rates(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  const auto& registry = formulation_registry();
  const auto dense = make_formulation(registry, *find_formulation(registry, "dense"), mechanism, "");
  std::vector<double> x(dense->state_size());
  std::vector<double> rates(x.size());
  EXPECT_TRUE(dense->pack(0.0, view(q), view(u), x).ok);
  EXPECT_TRUE(dense->rhs(0.0, x, rates).ok);
  return Eigen::Map<const Eigen::VectorXd>(rates.data() + q.size(), u.size());
}

TEST_F(MotionColumnsTest, FormulationsInVelocitiesAndInMomentaWriteTheSame) {
  const std::vector<std::string> chosen = {
      "--mechanism", "pendulum_xyz:3", "--time", "0.5",       "--rtol",
      "1e-11",       "--atol",         "1e-11",  "--columns", "accelerations,velocities,poses,loads"};
  for (const char* const formulation : {"dense", "hdca", "naudet-acc"}) {
    std::vector<std::string> words = chosen;
    words.insert(words.end(), {"--formulation", formulation});
    ASSERT_EQ(simulate(formulation, words).exit_code, 0) << formulation;
  }
  const std::map<std::string, double> wanted = last_row("dense");
  for (const char* const formulation : {"hdca", "naudet-acc"}) {
    const std::map<std::string, double> found = last_row(formulation);
    for (const char* const column :
         {"a.joint1", "a.joint3", "v.joint2", "x.body3", "e0.body3", "e2.body2", "tau.joint1"}) {
      ASSERT_TRUE(found.contains(column) && wanted.contains(column)) << formulation << ", " << column;
      // Both runs follow the motion to the tolerance times some growth in half a second.
      EXPECT_NEAR(found.at(column), wanted.at(column), 1e-8) << formulation << ", " << column;
    }
  }
}

TEST_F(MotionColumnsTest, SpringsAndPosesAreWhatTheirLawsSay) {
  const std::string file = written("spring.toml", R"(name = "spring"
gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "mass"
mass = 2.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "slide"
type = "prismatic"
b = "mass"
axis = [1.0, 0.0, 0.0]
q0 = [0.5]
v0 = [2.0]
[[joint_springs]]
name = "coil"
joint = "slide"
stiffness = 10.0
damping = 3.0
rest = 0.1
[[point_springs]]
name = "rope"
body2 = "mass"
point1 = [0.0, 3.0, 0.0]
point2 = [0.0, -1.0, 0.0]
stiffness = 7.0
damping = 0.5
rest = 1.0
)");
  ASSERT_EQ(simulate("run", {"-m", file, "-f", "dense", "--time", "1e-3", "--columns", "loads,poses,accelerations"})
                .exit_code,
            0);
  const CsvTable table = read_csv(directory_ / "run" / "trajectory.csv");
  std::map<std::string, double> first;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    first[table.columns[i]] = std::stod(table.rows.front()[i]);
  }
  const double coil = -10.0 * (0.5 - 0.1) - 3.0 * 2.0;
  const double length = std::hypot(0.5, 4.0);
  const double rope = 7.0 * (length - 1.0) + 0.5 * 2.0 * 0.5 / length;
  EXPECT_NEAR(first.at("force_coil"), coil, 1e-13);
  EXPECT_NEAR(first.at("tau.slide"), coil, 1e-13);
  EXPECT_NEAR(first.at("force_rope"), rope, 1e-13);
  EXPECT_NEAR(first.at("a.slide"), (coil - rope * 0.5 / length) / 2.0, 1e-13);
  EXPECT_EQ(first.at("x.mass"), 0.5);
  EXPECT_EQ(first.at("e0.mass"), 1.0);
}

/// A beam of 3 kg rests on a slide that is out by 2 m: the support carries 3 g, about the origin on the slide at the
/// far end of the lever, about that on the ground at all of it.
TEST_F(MotionColumnsTest, ReactionsSayAboutWhichPoint) {
  const std::string file = written("beam.toml", R"(name = "beam"
[[bodies]]
name = "beam"
mass = 3.0
com = [0.4, 0.0, 0.0]
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "slide"
type = "prismatic"
b = "beam"
axis = [1.0, 0.0, 0.0]
q0 = [2.0]
)");
  const double weight = 3.0 * 9.81;
  ASSERT_EQ(simulate("b", {"-m", file, "-f", "dense", "--time", "1e-3", "--columns", "reactions"}).exit_code, 0);
  ASSERT_EQ(
      simulate("a", {"-m", file, "-f", "dense", "--time", "1e-3", "--reactions", "--reaction-point", "a"}).exit_code,
      0);
  EXPECT_NEAR(last_row("b").at("fz_slide"), weight, 1e-12);
  EXPECT_NEAR(last_row("b").at("ny_slide"), -0.4 * weight, 1e-12);
  EXPECT_NEAR(last_row("a").at("fz_slide"), weight, 1e-12);
  EXPECT_NEAR(last_row("a").at("ny_slide"), -2.4 * weight, 1e-12);
}

TEST_F(MotionColumnsTest, AColumnThatDoesNotExistIsRefused) {
  const CommandLineCall call = simulate_pendulum("run", {"--time", "1", "--columns", "acelerations"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_TRUE(says(call, "acelerations")) << call.errors;
}

TEST(EquationMatrices, HoldWhatDenseSolves) {
  for (const char* const word : {"pendulum_xyz:4", "random_tree:seed=5,bodies=8,loads=1", "four_bar", "bricard"}) {
    const Mechanism mechanism = find_mechanism(default_registries(), word);
    const EquationMatrices equations = equation_matrices(mechanism, 0.0, mechanism.q0(), mechanism.u0());
    const Eigen::VectorXd rates = dense_rates(mechanism, mechanism.q0(), mechanism.u0());
    const Eigen::VectorXd left = equations.mass * rates - equations.forces;
    EXPECT_TRUE(equations.mass.isApprox(equations.mass.transpose(), 1e-14)) << word;
    ASSERT_EQ(equations.constraint_jacobian.rows(), mechanism.constraint_size());
    // What is left is what Phi_q^T lambda holds.
    const Eigen::MatrixXd columns = equations.constraint_jacobian.transpose();
    Eigen::VectorXd rest = left;
    if (columns.cols() > 0) {
      rest -= columns * columns.completeOrthogonalDecomposition().solve(left);
    }
    const double scale = (equations.mass.cwiseAbs() * rates.cwiseAbs() + equations.forces.cwiseAbs()).maxCoeff();
    EXPECT_LT(rest.cwiseAbs().maxCoeff(), 1e-12 * scale) << word;
  }
}

TEST_F(MotionColumnsTest, MatricesAreNumPyFiles) {
  const std::string output = (directory_ / "matrices").string();
  ASSERT_EQ(call_program({"matrices", "-m", "pendulum_xyz:3", "--set", "q.joint2=0.4", "-o", output}).exit_code, 0);
  const std::string text = content_of(directory_ / "matrices" / "mass_matrix.npy");
  ASSERT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header = static_cast<unsigned char>(text[8]) + 256U * static_cast<unsigned char>(text[9]);
  EXPECT_EQ((10 + header) % 64, 0U);
  EXPECT_NE(text.find("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 3), }"), std::string::npos);
  ASSERT_EQ(text.size(), 10 + header + 9 * sizeof(double));
  Eigen::Matrix3d mass;
  std::memcpy(mass.data(), text.data() + 10 + header, 9 * sizeof(double));
  const Mechanism mechanism = find_mechanism(default_registries(), "pendulum_xyz:3");
  Eigen::VectorXd q = mechanism.q0();
  q[1] = 0.4;
  EXPECT_EQ(Eigen::MatrixXd(mass), equation_matrices(mechanism, 0.0, q, mechanism.u0()).mass);
  EXPECT_EQ(call_program({"matrices", "-m", "pendulum:3", "-o", output}).exit_code, 2) << "files are there already";
}

// By MuJoCo 4.0.0, which read the same text.
TEST(MjcfImport, AccelerationsAreMuJoCos) {
  const Mechanism arms = load_mechanism(kTwoArms, "two_arms.xml");
  const Eigen::VectorXd rates = dense_rates(arms, two_arms_q(), two_arms_u());
  const Eigen::VectorXd wanted = two_arms_accelerations();
  // Rounding times the condition of the mass matrix, some 1e3.
  EXPECT_LT((rates - wanted).cwiseAbs().maxCoeff(), 1e-12 * wanted.cwiseAbs().maxCoeff()) << rates;
}

TEST_F(MotionColumnsTest, RobotsTakeTheirOptionsFromFlagsAndFromTheWord) {
  const std::string file = written("arm.urdf", R"(<robot name="arm"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="tip"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="tip"/><dynamics friction="1"/></joint></robot>)");
  EXPECT_EQ(call_program({"inspect", file}).exit_code, 2);
  const CommandLineCall flags = call_program({"inspect", file, "--floating", "--ignore", "friction", "--json"});
  const CommandLineCall word = call_program({"inspect", file + "[floating,ignore=friction]", "--json"});
  EXPECT_EQ(flags.exit_code, 0) << flags.errors;
  EXPECT_EQ(flags.output, word.output);
  EXPECT_NE(flags.output.find("dry friction is ignored: j"), std::string::npos);
  const CommandLineCall run = simulate("run", {"-m", file, "--ignore", "friction", "-f", "aba", "--time", "0.1"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("dry friction is ignored"), std::string::npos);
  EXPECT_NE(content_of(directory_ / "run" / "mechanism.toml").find("dry friction is ignored: j"), std::string::npos);
  EXPECT_EQ(call_program({"inspect", "pendulum:2", "--floating"}).exit_code, 2);
  EXPECT_EQ(call_program({"inspect", file + "[flaoting]"}).exit_code, 2);
}

}  // namespace
}  // namespace mbdbench
