// Cost of one right-hand side per body of aba and naudet on open mechanisms with joints of every type: chains of one
// type, robots (a free base, arms of revolute and prismatic joints, torques and dampers), mixed trees with loads.
//
// Names: joints/FORMULATION/MECHANISM/N; the counter ns_per_body is processor time over bodies. Compilers and
// instruction sets are compared by building this twice (docs/understanding/formulations/recursions.md).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "experiments/terminal/standard_descriptors.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

constexpr double kLength = 0.3;

BodyDescription slender_body(int number) {
  BodyDescription body;
  body.name = fmt::format("body{}", number);
  body.mass = 1.0 + 0.01 * number;
  body.com = Vec3(0.5 * kLength, 0.02, 0.01);
  body.inertia = Vec3(0.01, 0.02, 0.025).asDiagonal();
  return body;
}

JointDescription next_joint(JointType type, int inboard, int number) {
  JointDescription joint;
  joint.name = fmt::format("joint{}", number);
  joint.type = type;
  joint.a = inboard == 0 ? kGround : fmt::format("body{}", inboard);
  joint.b = fmt::format("body{}", number);
  joint.axis = number % 3 == 0 ? Vec3::UnitX() : number % 3 == 1 ? Vec3::UnitY() : Vec3(0.6, 0.0, 0.8);
  joint.axis2 = Vec3(-joint.axis.z(), 0.0, joint.axis.x());
  if (joint.axis2.norm() < 0.5) {
    joint.axis2 = Vec3::UnitZ();
  }
  joint.pitch = type == JointType::screw ? 0.1 : 0.0;
  if (inboard > 0) {
    joint.frame_a.position = Vec3(kLength, 0.01, 0.0);
  }
  for (int i = 0; i < velocity_count(type); ++i) {
    joint.v0.push_back(0.1 * (i + 1));
  }
  joint.q0.assign(static_cast<std::size_t>(position_count(type)), 0.2);
  if (has_quaternion(type)) {
    std::fill_n(joint.q0.begin(), 4, 0.5);
  }
  return joint;
}

Mechanism chain(JointType type, int bodies) {
  MechanismDescription description;
  description.name = "chain";
  for (int k = 1; k <= bodies; ++k) {
    description.bodies.push_back(slender_body(k));
    description.joints.push_back(next_joint(type, k - 1, k));
  }
  return Mechanism(description);
}

/// A free base with four arms; every fourth joint of an arm slides; a motor torque and a damper in every joint.
Mechanism robot(int bodies) {
  MechanismDescription description;
  description.name = "robot";
  for (int k = 1; k <= bodies; ++k) {
    const JointType type = k == 1 ? JointType::free : (k / 4) % 4 == 3 ? JointType::prismatic : JointType::revolute;
    description.bodies.push_back(slender_body(k));
    description.joints.push_back(next_joint(type, k == 1 ? 0 : std::max(1, k - 4), k));
    if (k > 1) {
      const std::string& joint = description.joints.back().name;
      description.joint_loads.push_back({"motor_" + joint, joint, 0, ConstantLaw{0.3}});
      description.joint_springs.push_back({"damper_" + joint, joint, 0, 0.0, 0.1, 0.0});
    }
  }
  return Mechanism(description);
}

void right_hand_side(benchmark::State& state, std::string_view key, const Mechanism& mechanism) {
  const auto& registry = formulation_registry();
  const auto formulation = make_formulation(registry, *find_formulation(registry, key), mechanism, {});
  std::vector<double> x(formulation->state_size());
  std::vector<double> xdot(x.size());
  if (!formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok) {
    state.SkipWithError("no start");
    return;
  }
  while (state.KeepRunning()) {
    RhsStatus status = formulation->rhs(0.0, x, xdot);
    benchmark::DoNotOptimize(status.ok);
    benchmark::DoNotOptimize(xdot.data());
    benchmark::ClobberMemory();
  }
  state.counters["per_body"] =
      benchmark::Counter(static_cast<double>(mechanism.body_count()),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void add(const std::string& name, const std::function<Mechanism()>& make) {
  for (const char* const key : {"aba", "naudet"}) {
    benchmark::RegisterBenchmark(fmt::format("joints/{}/{}", key, name).c_str(),
                                 [key, make](benchmark::State& state) { right_hand_side(state, key, make()); });
  }
}

void register_all() {
  for (const JointType type : kAllJointTypes) {
    if (type != JointType::fixed) {
      add(fmt::format("{}/64", to_string(type)), [type] { return chain(type, 64); });
    }
  }
  add("robot/30", [] { return robot(30); });
  add("robot/64", [] { return robot(64); });
  for (const char* const name : {"pendulum:64", "pendulum_xyz:64", "balanced_tree:64",
                                 "random_tree:seed=1,bodies=64,loads=0", "random_tree:seed=1,bodies=64"}) {
    add(name, [name] { return make_mechanism(mechanism_registry(), name); });
  }
}

}  // namespace
}  // namespace mbdbench

int main(int argument_count, char** arguments) {
  if (!mbdbench::open_standard_descriptors()) {
    return 3;
  }
  benchmark::Initialize(&argument_count, arguments);
  if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) {
    return 2;
  }
  mbdbench::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
