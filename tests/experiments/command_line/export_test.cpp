// URDF and MJCF that we write: read again, or by MuJoCo, they are the same mechanism.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/registries.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mjcf/mjcf_writer.hpp"
#include "mechanisms/io/robot_file.hpp"
#include "mechanisms/io/urdf/urdf_writer.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

Mechanism catalogued(const std::string& word) {
  return find_mechanism(default_registries(), word);
}

/// \returns u' at a state by the dense reference.
std::vector<double> accelerations(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  const Registries registries = default_registries();
  const FormulationChoice choice = choose_formulation(registries.formulations, "dense");
  const auto dense = make_formulation(registries.formulations, *choice.entry, mechanism, choice.options);
  std::vector<double> x(dense->state_size());
  std::vector<double> rates(x.size());
  const auto all = [](const Eigen::VectorXd& v) { return std::span(v.data(), static_cast<std::size_t>(v.size())); };
  EXPECT_TRUE(dense->pack(0.0, all(q), all(u), x).ok);
  EXPECT_TRUE(dense->rhs(0.0, x, rates).ok);
  return {rates.end() - mechanism.u_size(), rates.end()};
}

/// \returns a random tree with the joint types that URDF has.
Mechanism urdf_tree(int seed) {
  MechanismDescription tree = catalogued(fmt::format("random_tree:seed={},bodies=9,loads=0", seed)).description();
  tree.gravity = Vec3(0.0, 0.0, -9.81);  // of which URDF files say nothing
  for (JointDescription& joint : tree.joints) {
    if (joint.type == JointType::spherical || joint.type == JointType::universal) {
      joint.type = JointType::revolute;
    } else if (joint.type == JointType::cylindrical) {
      joint.type = JointType::prismatic;
    } else if (joint.type == JointType::screw) {
      joint.type = JointType::revolute;
      joint.pitch = 0.0;
    } else {
      continue;
    }
    joint.q0.clear();
    joint.v0.clear();
  }
  return Mechanism(tree);
}

TEST(Export, AUrdfReadAgainHasTheSameAccelerations) {
  for (int seed = 1; seed <= 12; ++seed) {
    const Mechanism tree = urdf_tree(seed);
    const Mechanism again = load_mechanism(write_urdf(tree), "again.urdf");
    ASSERT_EQ(again.q_size(), tree.q_size()) << seed;
    ASSERT_EQ(again.u_size(), tree.u_size()) << seed;
    // The reader goes level by level, so that bodies may come in another order: joints are told by name.
    Eigen::VectorXd q = again.q0();
    Eigen::VectorXd u = again.u0();
    for (const Joint& joint : again.tree_joints()) {
      const Joint& old = tree.joint(*tree.find_joint(joint.name));
      q.segment(joint.q_offset, joint.nq) = tree.q0().segment(old.q_offset, old.nq);
      u.segment(joint.u_offset, joint.nu) = tree.u0().segment(old.u_offset, old.nu);
    }
    const std::vector<double> before = accelerations(tree, tree.q0(), tree.u0());
    const std::vector<double> after = accelerations(again, q, u);
    double largest = 0.0;
    double difference = 0.0;
    for (const Joint& joint : again.tree_joints()) {
      const Joint& old = tree.joint(*tree.find_joint(joint.name));
      for (int i = 0; i < joint.nu; ++i) {
        const double one = before[static_cast<std::size_t>(old.u_offset + i)];
        largest = std::max(largest, std::abs(one));
        difference = std::max(difference, std::abs(one - after[static_cast<std::size_t>(joint.u_offset + i)]));
      }
    }
    // Angles for rotations round at 1e-16; these trees' mass matrices have conditions of up to about 1e4.
    EXPECT_LT(difference, 1e-10 * largest) << seed;
  }
}

TEST(Export, AUrdfKeepsDampersAndNamesWhatItLeavesOut) {
  MechanismDescription chain = catalogued("pendulum:2").description();
  chain.joint_springs.push_back({"drag", "joint1", 0, 0.0, 0.25, 0.0});
  chain.joint_springs.push_back({"coil", "joint2", 0, 3.0, 0.25, 0.0});
  const std::string text = write_urdf(Mechanism(chain));
  EXPECT_NE(text.find("<dynamics damping=\"0.25\"/>"), std::string::npos) << text;
  EXPECT_NE(text.find("Left out, for there are no words for them here: coil "), std::string::npos) << text;
  const MechanismDescription again = parse_mechanism(text, "again.urdf");
  ASSERT_EQ(again.joint_springs.size(), 1U);
  EXPECT_EQ(again.joint_springs[0].joint, "joint1");
}

TEST(Export, UrdfSaysWhichJointFollowsWhich) {
  MechanismDescription chain = catalogued("pendulum:3").description();
  chain.couplings = {{"gears", {{"joint1", 0, 2.0}, {"joint2", 0, -1.0}}, 0.5},
                     {"more_gears", {{"joint1", 0, 1.0}, {"joint3", 0, 4.0}}, {}}};
  for (JointDescription& joint : chain.joints) {
    joint.dependent = true;
  }
  const Mechanism mechanism(chain);
  const Mechanism again(parse_mechanism(write_urdf(mechanism), "again.urdf"));
  ASSERT_EQ(again.couplings().size(), 2U);
  Eigen::VectorXd q = mechanism.q0();
  for (const Coupling& coupling : again.couplings()) {
    EXPECT_NEAR(coupling.residual(view(q)), 0.0, 1e-12) << coupling.name;
  }
  q[0] += 0.1;
  EXPECT_GT(std::abs(again.couplings()[0].residual(view(q))), 1e-2);
  chain.couplings[0].terms.push_back({"joint3", 0, 1.0});
  EXPECT_THROW(write_urdf(Mechanism(chain)), ModelError);
}

TEST(Export, MjcfSaysWhichCoordinatesAreCoupled) {
  MechanismDescription chain = catalogued("pendulum:3").description();
  chain.couplings = {{"gears", {{"joint1", 0, 2.0}, {"joint2", 0, -1.0}}, 0.5},
                     {"all", {{"joint1", 0, 1.0}, {"joint2", 0, 2.0}, {"joint3", 0, 4.0}}, {}}};
  for (JointDescription& joint : chain.joints) {
    joint.dependent = true;
  }
  const std::string text = write_mjcf(Mechanism(chain));
  EXPECT_NE(text.find("<joint name=\"gears\" joint1=\"joint1\" joint2=\"joint2\" polycoef=\"0.25 0.5 0 0 0\"/>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<joint joint=\"joint3\" coef=\"4\"/>"), std::string::npos) << text;
  EXPECT_NE(text.find("<tendon tendon1=\"all\""), std::string::npos) << text;
  chain.couplings.pop_back();
  const Mechanism again(parse_mechanism(write_mjcf(Mechanism(chain)), "again.xml"));
  ASSERT_EQ(again.couplings().size(), 1U);
  EXPECT_EQ(again.couplings()[0].terms[1].factor, -0.5);
  EXPECT_EQ(again.couplings()[0].value, 0.25);
}

TEST(Export, BodiesThatMuJoCoRefusesAreTold) {
  const auto refusal = [](const MechanismDescription& description) -> std::string {
    try {
      write_mjcf(Mechanism(description));
    } catch (const ModelError& error) {
      return error.what();
    }
    return {};
  };
  MechanismDescription chain = catalogued("pendulum:3").description();
  chain.bodies[0].inertia = Vec3(1.0, 1.0, 2.0 * (1.0 + 1e-6)).asDiagonal();
  chain.bodies[1].mass = 1e-16;
  const std::string message = refusal(chain);
  EXPECT_NE(message.find(fmt::format("body '{}': its largest moment", chain.bodies[0].name)), std::string::npos)
      << message;
  EXPECT_NE(message.find(fmt::format("body '{}' has the mass 1e-16 kg", chain.bodies[1].name)), std::string::npos)
      << message;
  chain.bodies[1].mass = 1.0;
  chain.bodies[0].inertia = Vec3(1.0, 1.0, 2.0).asDiagonal();  // flat: MuJoCo wants A + B >= C to the last bit
  EXPECT_EQ(refusal(chain), "");
}

TEST(Export, WhatAFormatCannotSayIsRefused) {
  const auto refusal = [](const auto& write, const std::string& word) -> std::string {
    try {
      write(catalogued(word));
    } catch (const ModelError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refusal(write_urdf, "four_bar").find("'joint5' closes a loop, and URDF describes trees"),
            std::string::npos);
  EXPECT_NE(refusal(write_urdf, "random_tree:seed=3").find("URDF has revolute, prismatic"), std::string::npos);
  EXPECT_NE(refusal(write_urdf, "random_tree:seed=6,motions=2").find("; "), std::string::npos);
  EXPECT_NE(refusal(write_mjcf, "random_tree:seed=6,motions=2").find("is prescribed"), std::string::npos);
  EXPECT_NE(refusal(write_mjcf, "random_closed:seed=2").find("is prismatic; MJCF closes loops"), std::string::npos);
}

TEST(Export, TheFilesNameOrTheOptionChoosesTheFormat) {
  const TemporaryDirectory directory;
  const auto written = [&](const std::string& name) {
    const CommandLineCall call = call_program({"export", "-m", "pendulum:2", "-o", (directory / name).string()});
    EXPECT_EQ(call.exit_code, 0) << call.errors;
    return content_of(directory / name);
  };
  EXPECT_EQ(written("a.urdf").substr(0, 6), "<robot");
  EXPECT_EQ(written("a.xml").substr(0, 7), "<mujoco");
  EXPECT_EQ(written("a.toml").substr(0, 4), "name");
  EXPECT_EQ(written("a.jsonl").substr(0, 14), "{\"mechanism\":{");
  const CommandLineCall printed = call_program({"export", "-m", "pendulum:2", "--format", "mjcf"});
  EXPECT_EQ(printed.output.substr(0, 7), "<mujoco");
  const CommandLineCall refused = call_program({"export", "-m", "four_bar", "-o", (directory / "b.urdf").string()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(directory / "b.urdf"));
}

TEST(Export, ModelsThatAreTooDeepToBeReadAreRefusedOrTold) {
  const TemporaryDirectory directory;
  const auto exported = [&](int bodies) {
    return call_program(
        {"export", "-m", fmt::format("pendulum:{}", bodies), "--overwrite", "-o", (directory / "chain.xml").string()});
  };
  const auto read = [&] { return call_program({"inspect", (directory / "chain.xml").string()}); };
  const int most = deepest_xml_level() - 3;
  CommandLineCall call = exported(most);
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_EQ(call.errors, "");
  EXPECT_EQ(read().exit_code, 0) << read().errors;
  EXPECT_NE(read().output.find(fmt::format("bodies              {}\n", most)), std::string::npos);

  call = exported(most + 1);
  if (call.exit_code == 0) {
    EXPECT_NE(call.errors.find("cannot read its own file back"), std::string::npos) << call.errors;
    EXPECT_EQ(read().exit_code, 2);
    EXPECT_NE(read().errors.find(fmt::format("more than {} levels", deepest_xml_level())), std::string::npos)
        << read().errors;
  }
  call = exported(497);
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_NE(call.errors.find("497 bodies in a row make 500 levels"), std::string::npos) << call.errors;
  // Wide trees are not deep.
  EXPECT_EQ(call_program({"export", "-m", "star:600", "--format", "mjcf"}).errors, "");
}

/// \returns what MuJoCo finds at the key frame: "qacc" by joint, "gap" of the equalities in m; null where it is not
/// installed.
nlohmann::json in_mujoco(const Mechanism& mechanism) {
  constexpr const char* kProgram = R"(
import json, sys, mujoco
model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 0)
mujoco.mj_forward(model, data)
print(json.dumps({"qacc": {model.joint(i).name: data.joint(i).qacc.tolist() for i in range(model.njnt)},
                  "gap": max(map(abs, data.efc_pos), default=0.0), "equalities": model.neq}))
)";
  const TemporaryDirectory directory;
  std::ofstream(directory / "model.xml") << write_mjcf(mechanism);
  std::ofstream(directory / "program.py") << kProgram;
  const std::string command = fmt::format("{}/build/engines/bin/python {} {} 2>&1", MBDBENCH_SOURCE_DIR,
                                          (directory / "program.py").string(), (directory / "model.xml").string());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  std::array<char, 4096> chunk{};
  for (std::size_t count = 0; (count = std::fread(chunk.data(), 1, chunk.size(), pipe.get())) > 0;) {
    output.append(chunk.data(), count);
  }
  if (output.find("not found") != std::string::npos || output.find("No module named") != std::string::npos) {
    return {};
  }
  nlohmann::json answer = nlohmann::json::parse(output, nullptr, false);
  EXPECT_TRUE(answer.is_object()) << output;
  return answer;
}

TEST(Export, MujocoHasTheSameAccelerationsOfTreesOfEveryJointType) {
  for (int seed = 1; seed <= 6; ++seed) {
    const Mechanism tree = catalogued(fmt::format("random_tree:seed={},bodies=9,loads=0", seed));
    const nlohmann::json found = in_mujoco(tree);
    if (found.is_null()) {
      GTEST_SKIP() << "MuJoCo is not installed (setup/install_engines.sh mujoco)";
    }
    const std::vector<double> ours = accelerations(tree, tree.q0(), tree.u0());
    double largest = 0.0;
    double difference = 0.0;
    for (const Joint& joint : tree.tree_joints()) {
      Eigen::VectorXd theirs(joint.nu);
      int at = 0;
      const bool single = found["qacc"].contains(joint.name);
      for (int part = 1; at < joint.nu; ++part) {
        for (const double value : found["qacc"].at(single ? joint.name : fmt::format("{}_{}", joint.name, part))) {
          theirs[at++] = value;
        }
      }
      if (joint.type == JointType::spherical) {
        theirs = (joint.rotation_b.transpose() * theirs).eval();
      }
      if (joint.type == JointType::free) {
        const Vec3 spin = joint.rotation_b.transpose() * theirs.tail<3>();
        theirs.tail<3>() = theirs.head<3>().eval();
        theirs.head<3>() = spin;
      }
      for (int i = 0; i < joint.nu; ++i) {
        const double one = ours[static_cast<std::size_t>(joint.u_offset + i)];
        largest = std::max(largest, std::abs(one));
        difference = std::max(difference, std::abs(one - theirs[i]));
      }
    }
    // Rounding times the condition of M, up to about 1e4 here; MuJoCo's smallest number beside a pivot is 1e-15.
    EXPECT_LT(difference, 1e-10 * largest) << seed;
  }
}

TEST(Export, MujocoFindsTheLoopsClosed) {
  for (const auto& [word, equalities] : std::map<std::string, int>{{"four_bar", 2}, {"bricard", 2}, {"squeezer", 6}}) {
    const nlohmann::json found = in_mujoco(catalogued(word));
    if (found.is_null()) {
      GTEST_SKIP() << "MuJoCo is not installed (setup/install_engines.sh mujoco)";
    }
    EXPECT_EQ(found["equalities"], equalities) << word;
    // Our loops are closed to 1e-12 and better.
    EXPECT_LT(found["gap"], 1e-11) << word;
  }
}

TEST(Export, TheLengthOfMjcfGoesWithTheBodies) {
  // Every body lies inside the one before it; indented by their depth they would take more than 3 times as much.
  const auto length = [](int bodies) {
    return static_cast<double>(write_mjcf(catalogued(fmt::format("pendulum:{}", bodies))).size());
  };
  EXPECT_LT(length(480) / length(240), 2.1);
}

}  // namespace
}  // namespace mbdbench
