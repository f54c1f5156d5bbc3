#include <fmt/format.h>

#include <array>

#include "mechanisms/catalogue/trees/random_tree.hpp"

namespace mbdbench {
namespace {

/// Decreasing over v, so that it takes energy out; of both signs over t and q.
TableLaw draw_table(RandomSource& random, const std::string& over) {
  TableLaw table;
  table.over = over;
  double abscissa = over == "t" ? 0.0 : -2.0;
  double value = random.uniform(0.5, 1.0);
  for (int i = 0; i < 4; ++i) {
    table.abscissa.push_back(abscissa);
    table.values.push_back(over == "v" ? -abscissa * random.uniform(0.2, 0.5) : value);
    abscissa += random.uniform(1.0, 1.5);
    value = random.uniform(-1.0, 1.0);
  }
  return table;
}

/// A joint with scalar coordinates whose variables exist in formulas (tree joints only), or nothing.
const JointDescription* draw_scalar_joint(RandomSource& random, const MechanismDescription& description) {
  const JointDescription& joint = random.pick(description.joints);
  const bool usable = !joint.cut && has_coordinate_rates(joint.type) && joint.type != JointType::fixed;
  return usable ? &joint : nullptr;
}

/// \param own whether the load's own q may be used (it has none in joints with a quaternion)
Law draw_joint_law(RandomSource& random, const MechanismDescription& description, bool own) {
  const double amplitude = random.uniform(0.1, 1.0);
  switch (random.index(6)) {
    case 0:
      return ConstantLaw{random.uniform(-1.0, 1.0)};
    case 1:
      return draw_table(random, "t");
    case 2:
      return draw_table(random, own ? "q" : "t");
    case 3:
      return draw_table(random, "v");
    case 4:
      return ExpressionLaw{own ? fmt::format("{} * sin(t) - 0.3 * q - 0.2 * v", amplitude)
                               : fmt::format("{} * cos(2 * t) - 0.2 * v", amplitude)};
    default:
      break;
  }
  const JointDescription* other = draw_scalar_joint(random, description);
  return ExpressionLaw{other != nullptr
                           ? fmt::format("{0} * cos(q_{1}) - 0.1 * v_{1} / (1 + v_{1}^2)", amplitude, other->name)
                           : fmt::format("{} * x_tip / (1 + x_tip^2 + vy_tip^2)", amplitude)};
}

Law draw_body_law(RandomSource& random) {
  switch (random.index(4)) {
    case 0:
      return ConstantLaw{random.uniform(-2.0, 2.0)};
    case 1:
      return draw_table(random, "t");
    case 2:
      return ExpressionLaw{fmt::format("{} * sin(3 * t)", random.uniform(0.5, 2.0))};
    default:
      return ExpressionLaw{fmt::format("{} * vz_tip / (1 + vz_tip^2) + 0.1 * sin(y_tip)", random.uniform(-0.5, -0.1))};
  }
}

void load_joint(RandomSource& random, MechanismDescription& description, std::size_t index) {
  const JointDescription& joint = description.joints[index];
  const auto components = static_cast<std::size_t>(velocity_count(joint.type));
  if (components == 0) {
    return;
  }
  const bool scalar = has_coordinate_rates(joint.type);
  if (random.chance(0.5)) {
    JointLoadDescription load;
    load.name = "load_" + joint.name;
    load.joint = joint.name;
    load.component = static_cast<int>(random.index(components));
    load.law = draw_joint_law(random, description, scalar);
    description.joint_loads.push_back(load);
  }
  if (scalar && random.chance(0.4)) {
    description.joint_springs.push_back({"spring_" + joint.name, joint.name, static_cast<int>(random.index(components)),
                                         random.uniform(1.0, 10.0), random.uniform(0.0, 0.5),
                                         random.uniform(-0.5, 0.5)});
  }
}

void load_body(RandomSource& random, MechanismDescription& description, std::size_t index) {
  const BodyDescription& body = description.bodies[index];
  if (random.chance(0.4)) {
    BodyLoadDescription load;
    load.name = "load_" + body.name;
    load.body = body.name;
    load.point = random.point(0.5);
    load.in_body_axes = random.chance(0.5);
    if (random.chance(0.7)) {
      load.force = {draw_body_law(random), draw_body_law(random), draw_body_law(random)};
    }
    if (load.force.empty() || random.chance(0.5)) {
      load.torque = {draw_body_law(random), draw_body_law(random), draw_body_law(random)};
    }
    description.body_loads.push_back(load);
  }
  if (random.chance(0.4)) {
    PointSpringDescription spring;
    spring.name = "point_spring_" + body.name;
    const std::size_t other = random.index(description.bodies.size());
    spring.body1 = other == index ? kGround : description.bodies[other].name;
    spring.body2 = body.name;
    spring.point1 = random.point(0.5);
    spring.point2 = random.point(0.5);
    spring.stiffness = random.uniform(1.0, 20.0);
    spring.damping = random.uniform(0.0, 0.5);
    spring.rest = random.uniform(0.2, 1.0);
    description.point_springs.push_back(spring);
  }
}

}  // namespace

void add_random_loads(RandomSource& random, MechanismDescription& description) {
  for (std::size_t k = 0; k < description.joints.size(); ++k) {
    load_joint(random, description, k);
  }
  for (std::size_t k = 0; k < description.bodies.size(); ++k) {
    load_body(random, description, k);
  }
}

}  // namespace mbdbench
