/// \file
/// Random trees (random_tree.hpp gives the ranges), the same for a seed on every platform up to rounding.
#include "mechanisms/catalogue/trees/random_tree.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

constexpr std::array kScalarTypes = {JointType::revolute, JointType::prismatic, JointType::universal,
                                     JointType::cylindrical, JointType::planar};

constexpr double kPitch = 0.2;  // of screws, m/rad

std::string body_name(std::size_t number) {
  return number == 0 ? kGround : fmt::format("body{}", number);
}

/// J = diag(b + c, a + c, a + b) with positive second moments a, b, c satisfies the triangle inequalities.
Mat3 draw_inertia(RandomSource& random, double mass) {
  const double a = mass * random.uniform(0.02, 0.2);
  const double b = mass * random.uniform(0.02, 0.2);
  const double c = mass * random.uniform(0.02, 0.2);
  const Eigen::Vector4d e = random.quaternion();
  const Mat3 axes = rotation_of_quaternion(e[0], e[1], e[2], e[3]);
  const Mat3 inertia = axes * Vec3(b + c, a + c, a + b).asDiagonal() * axes.transpose();
  return 0.5 * (inertia + inertia.transpose());
}

JointFrame draw_frame(RandomSource& random) {
  JointFrame frame;
  frame.position = random.point(0.5);
  frame.rotation = random.quaternion();
  return frame;
}

// Those that there were when the first seeds were published: a further type in the list would change every mechanism.
constexpr std::span kDrawnTypes = std::span(kAllJointTypes).first<8>();

JointType draw_type(RandomSource& random, std::int64_t joint, std::int64_t motions) {
  if (joint < motions) {
    return random.pick(kScalarTypes);
  }
  JointType type = random.pick(kDrawnTypes);
  while (joint == motions && type == JointType::fixed) {
    type = random.pick(kDrawnTypes);
  }
  return type;
}

/// x = q0 + amplitude sin(frequency t) of one component; the initial state follows it exactly.
void prescribe(RandomSource& random, JointDescription& joint) {
  const std::size_t component = random.index(joint.q0.size());
  const double amplitude = random.uniform(0.1, 0.5);
  const double frequency = random.uniform(0.5, 2.0);
  const double rate = amplitude * frequency;
  PrescribedMotion motion;
  motion.component = static_cast<int>(component);
  motion.position = fmt::format("({}) + {} * sin({} * t)", joint.q0[component], amplitude, frequency);
  motion.velocity = fmt::format("{} * cos({} * t)", rate, frequency);
  motion.acceleration = fmt::format("(-{}) * sin({} * t)", rate * frequency, frequency);
  joint.motions.push_back(motion);
  joint.v0[component] = rate;
}

MechanismDescription make_random_tree(const Parameters& parameters) {
  RandomTreeOptions options;
  options.bodies = parameters.integer("bodies");
  options.branching = parameters.number("branching");
  options.motions = parameters.integer("motions");
  options.screws = parameters.integer("screws") != 0;
  if (options.motions >= options.bodies) {
    throw MechanismKeyError(
        fmt::format("random_tree: motions={} should be less than bodies={}, or nothing is left to move",
                    options.motions, options.bodies));
  }
  RandomSource random(parameters.integer("seed"));
  MechanismDescription description = draw_tree(random, options);
  description.name = "random_tree";
  if (parameters.integer("loads") != 0) {
    add_random_loads(random, description);
  }
  return description;
}

}  // namespace

std::vector<double> draw_coordinates(RandomSource& random, JointType type) {
  std::vector<double> q;
  if (has_quaternion(type)) {
    const Eigen::Vector4d e = random.quaternion();
    q.assign(e.data(), e.data() + 4);
  }
  while (q.size() < static_cast<std::size_t>(position_count(type))) {
    q.push_back(random.uniform(-1.0, 1.0));
  }
  return q;
}

void draw_geometry(RandomSource& random, JointDescription& joint) {
  joint.frame_a = draw_frame(random);
  joint.axis = random.direction();
  do {
    joint.axis2 = random.direction();
  } while (std::abs(joint.axis.dot(joint.axis2)) > 0.8);
}

void make_screw(JointDescription& joint) {
  if (joint.type == JointType::revolute) {
    joint.type = JointType::screw;
    joint.pitch = kPitch;
  }
}

MechanismDescription draw_tree(RandomSource& random, const RandomTreeOptions& options) {
  MechanismDescription description;
  description.gravity = 9.81 * random.direction();
  for (std::int64_t k = 0; k < options.bodies; ++k) {
    const auto number = static_cast<std::size_t>(k + 1);
    BodyDescription body;
    body.name = body_name(number);
    body.mass = random.uniform(0.5, 2.0);
    body.com = random.point(0.5);
    body.inertia = draw_inertia(random, body.mass);
    description.bodies.push_back(body);

    JointDescription joint;
    joint.name = fmt::format("joint{}", number);
    joint.type = draw_type(random, k, options.motions);
    if (options.screws) {
      make_screw(joint);
    }
    joint.a = body_name(random.chance(options.branching) ? random.index(number) : number - 1);
    joint.b = body.name;
    draw_geometry(random, joint);
    joint.frame_b = draw_frame(random);
    joint.q0 = draw_coordinates(random, joint.type);
    for (int i = 0; i < velocity_count(joint.type); ++i) {
      joint.v0.push_back(random.uniform(-1.0, 1.0));
    }
    if (k < options.motions) {
      prescribe(random, joint);
    }
    description.joints.push_back(joint);
  }
  description.markers.push_back({"tip", description.bodies.back().name, random.point(0.5)});
  return description;
}

MechanismEntry random_tree_entry() {
  static const std::array<ParameterSpecification, 6> parameters = {
      {{"seed", std::int64_t{1}, "seed of the random numbers", 0, 1e15},
       {"bodies", std::int64_t{8}, "number of bodies", 1, 100'000},
       {"branching", 0.5, "probability that a body does not continue the chain", 0.0, 1.0},
       {"loads", std::int64_t{1}, "1: joint loads, body loads, springs and dampers, 0: gravity only", 0, 1},
       {"motions", std::int64_t{0}, "number of prescribed joint motions", 0, 100'000},
       {"screws", std::int64_t{0}, "1: revolute joints are screws", 0, 1}}};
  return {"random_tree", "random tree of all joint types with random inertias and loads", "generated", parameters,
          make_random_tree};
}

}  // namespace mbdbench
