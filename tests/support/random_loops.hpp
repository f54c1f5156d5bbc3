#pragma once
/// \file
/// Random mechanisms of several loops, each a chain that starts anywhere and closes anywhere, with side branches on any
/// body of them.
#include <fmt/format.h>

#include <string>

#include "mechanisms/catalogue/trees/random_tree.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::test {

/// What is drawn.
struct RandomLoopOptions {
  bool planar = true;  ///< all in the x-y plane, revolute joints about z, revolute cuts; else spherical cuts in space
  int loops = 1;
};

/// Draws one mechanism. Loops are closed at the drawn coordinates to rounding; the drawn velocities are made consistent
/// by the mechanism.
class RandomLoops {
 public:
  RandomLoops(std::int64_t seed, RandomLoopOptions options) : random_(seed), options_(options) {
    description_.name = fmt::format("{}_loops_{}", options.planar ? "planar" : "spatial", seed);
    description_.gravity = options.planar ? Vec3(1.0, -9.81, 0.0) : Vec3(9.81 * random_.direction());
    for (int loop = 0; loop < options.loops; ++loop) {
      add_loop();
    }
  }

  [[nodiscard]] MechanismDescription take() { return std::move(description_); }

 private:
  std::string any_body() {
    const std::size_t at = random_.index(description_.bodies.size() + 1);
    return at == 0 ? kGround : description_.bodies[at - 1].name;
  }

  std::string add_body(const std::string& inboard) {
    BodyDescription body;
    body.name = fmt::format("body{}", description_.bodies.size() + 1);
    body.mass = random_.uniform(0.5, 2.0);
    body.com = in_plane(random_.point(0.4));
    body.inertia =
        Vec3(random_.uniform(0.1, 0.12), random_.uniform(0.1, 0.12), random_.uniform(0.1, 0.12)).asDiagonal();
    JointDescription joint;
    joint.name = fmt::format("joint{}", description_.joints.size() + 1);
    joint.a = inboard;
    joint.b = body.name;
    if (!options_.planar) {
      constexpr std::array kTypes = {JointType::revolute,  JointType::revolute,    JointType::prismatic,
                                     JointType::universal, JointType::cylindrical, JointType::spherical,
                                     JointType::fixed};
      joint.type = random_.pick(kTypes);
      draw_geometry(random_, joint);
      joint.q0 = draw_coordinates(random_, joint.type);
    } else {
      joint.frame_a.position = in_plane(random_.point(0.8));
      joint.q0 = {random_.uniform(-2.0, 2.0)};
    }
    for (int i = 0; i < velocity_count(joint.type); ++i) {
      joint.v0.push_back(random_.uniform(-1.0, 1.0));
    }
    description_.bodies.push_back(body);
    description_.joints.push_back(joint);
    return body.name;
  }

  void add_loop() {
    const std::string start = any_body();
    const std::string target = random_.chance(0.4) ? start : any_body();
    std::string tip = start;
    const std::size_t length = options_.planar ? 3 + random_.index(4) : 4 + random_.index(4);
    for (std::size_t i = 0; i < length; ++i) {
      tip = add_body(tip);
      if (random_.chance(0.3)) {
        add_body(add_body(tip));
      }
    }
    close(tip, target);
  }

  void close(const std::string& tip, const std::string& target) {
    MechanismDescription tree = description_;
    std::erase_if(tree.joints, [](const JointDescription& joint) { return joint.cut; });
    const Mechanism mechanism(tree);
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(mechanism.q0()));
    JointDescription cut;
    cut.name = fmt::format("joint{}", description_.joints.size() + 1);
    cut.type = options_.planar ? JointType::revolute : JointType::spherical;
    cut.cut = true;
    cut.a = target;
    cut.b = tip;
    cut.frame_b.position = in_plane(random_.point(0.8));
    const Vec3 point = kinematics.world_point(*mechanism.find_body(tip), cut.frame_b.position);
    const BodyKinematics& on = kinematics.body(*mechanism.find_body(target));
    cut.frame_a.position = on.rotation.transpose() * (point - on.origin);
    description_.joints.push_back(cut);
  }

  [[nodiscard]] Vec3 in_plane(const Vec3& point) const {
    return options_.planar ? Vec3(point.x(), point.y(), 0.0) : point;
  }

  RandomSource random_;
  RandomLoopOptions options_;
  MechanismDescription description_;
};

}  // namespace mbdbench::test
