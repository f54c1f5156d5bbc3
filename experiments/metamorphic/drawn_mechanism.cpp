#include "experiments/metamorphic/drawn_mechanism.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "experiments/metamorphic/told_motion.hpp"

namespace mbdbench::metamorphic {
namespace {

// Bodies of about this size, m.
constexpr double kSize = 0.4;

Frame draw_frame(RandomSource& random) {
  const Eigen::Vector4d r = random.quaternion();
  return {random.point(kSize), Eigen::Quaterniond(r[0], r[1], r[2], r[3]).normalized()};
}

ToldBody draw_body(RandomSource& random, std::size_t k) {
  ToldBody body;
  body.name = fmt::format("body{}", k);
  body.mass = random.uniform(0.5, 2.0);
  body.com = random.point(0.5 * kSize);
  // Principal moments within a factor of 1.6 of one another: far from the triangle inequality.
  const Mat3 axes = draw_frame(random).rotation.toRotationMatrix();
  const Vec3 moments(random.uniform(0.05, 0.08), random.uniform(0.05, 0.08), random.uniform(0.05, 0.08));
  body.inertia = body.mass * kSize * axes * moments.asDiagonal() * axes.transpose();
  body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
  return body;
}

/// In the plane z = 0 of frames that are not turned out of it.
void flatten(ToldJoint& joint) {
  joint.axis = Vec3::UnitZ();
  for (Frame* const frame : {&joint.frame_a, &joint.frame_b}) {
    frame->position.z() = 0.0;
    frame->rotation = Eigen::Quaterniond::Identity();
  }
}

void draw_loads(RandomSource& random, const Drawing& drawing, Told& told) {
  const auto wave = [&] {
    return Wave{random.uniform(-1.0, 1.0), random.uniform(0.2, 2.0), random.uniform(1.0, 6.0),
                random.uniform(0.0, 3.0)};
  };
  for (std::size_t j = 0; j < told.joints.size(); ++j) {
    const ToldJoint& joint = told.joints[j];
    const bool scalar = joint.type == "revolute" || joint.type == "prismatic" || joint.type == "cylindrical";
    if (joint.cut || !scalar || !random.chance(0.4)) {
      continue;
    }
    ToldLaw law;
    law.joint = j;
    law.component = static_cast<int>(random.index(joint.v.size()));
    law.wave = wave();
    law.stiffness = random.uniform(0.5, 10.0);
    law.rest = random.uniform(-0.5, 0.5);
    law.damping = drawing.damping ? random.uniform(0.0, 0.3) : 0.0;
    law.as_spring = random.chance(0.5);
    told.laws.push_back(law);
  }
  const auto body = [&] { return static_cast<int>(random.index(told.bodies.size())); };
  if (random.chance(0.5)) {
    told.body_loads.push_back(
        {body(), random.point(kSize), random.chance(0.5), random.point(2.0), random.point(0.5), wave()});
  }
  if (random.chance(0.4)) {
    const int to = body();
    const int from = random.chance(0.5) ? kWorld : body();
    if (from != to) {
      // Far apart: a length of zero has no direction.
      told.point_springs.push_back({from, to, random.direction() * 3.0, random.point(kSize), random.uniform(1.0, 20.0),
                                    drawing.damping ? random.uniform(0.0, 0.5) : 0.0, random.uniform(0.5, 3.0)});
    }
  }
}

/// Between a body and the ground or another body, with less than half a turn between its frames. Drawn from a source of
/// its own, so that what a seed draws besides stays the same.
void draw_bushing(const Drawing& drawing, Told& told) {
  RandomSource random(std::bit_cast<std::int64_t>(told.gravity.x()));
  const auto body = [&] { return static_cast<int>(random.index(told.bodies.size())); };
  const int to = body();
  const int from = random.chance(0.5) ? kWorld : body();
  if (from == to || !random.chance(0.5)) {
    return;
  }
  const auto coefficients = [&](double largest) {
    return Vec3(random.uniform(0.0, largest), random.uniform(0.0, largest), random.uniform(0.0, largest));
  };
  const std::vector<BodyState> states = body_states(told);
  ToldBushing bushing;
  bushing.body1 = from;
  bushing.body2 = to;
  bushing.frame1 = draw_frame(random);
  bushing.frame2 = draw_frame(random);
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(random.uniform(0.0, 1.5), random.direction()));
  bushing.frame2.rotation = state_of(states, to).frame.rotation.conjugate() * state_of(states, from).frame.rotation *
                            bushing.frame1.rotation * turn;
  bushing.stiffness = coefficients(10.0);
  bushing.rotational_stiffness = coefficients(5.0);
  if (drawing.damping) {
    bushing.damping = coefficients(0.5);
    bushing.rotational_damping = coefficients(0.2);
  }
  told.bushings.push_back(bushing);
}

/// Tree joints of one coordinate whose component a motion or a coupling may take.
std::vector<std::size_t> scalar_joints(const Told& told) {
  std::vector<std::size_t> found;
  for (std::size_t j = 0; j < told.joints.size(); ++j) {
    const ToldJoint& joint = told.joints[j];
    if (!joint.cut && (joint.type == "revolute" || joint.type == "prismatic")) {
      found.push_back(j);
    }
  }
  return found;
}

void draw_coupling(RandomSource& random, Told& told) {
  const std::vector<std::size_t> scalar = scalar_joints(told);
  if (scalar.size() >= 2) {
    const std::size_t first = random.index(scalar.size());
    const std::size_t second = (first + 1 + random.index(scalar.size() - 1)) % scalar.size();
    told.couplings.push_back(
        {{{scalar[first], random.uniform(0.5, 2.0)}, {scalar[second], random.uniform(-2.0, -0.5)}}});
  }
}

/// Begins as the joint moves. Couplings' joints are left alone.
void draw_motion(RandomSource& random, Told& told) {
  const std::vector<std::size_t> scalar = scalar_joints(told);
  if (!scalar.empty() && told.couplings.empty()) {
    ToldJoint& joint = told.joints[random.pick(scalar)];
    const double rate = random.uniform(1.0, 4.0);
    joint.motion = {{joint.q[0], joint.v[0] / rate, rate, 0.0}};
  }
}

bool try_to_draw(RandomSource& random, const Drawing& drawing, Told& told) {
  told = {};
  told.gravity = random.point(9.81);
  for (int k = 0; k < drawing.bodies; ++k) {
    told.bodies.push_back(draw_body(random, static_cast<std::size_t>(k)));
    // Chains rather than stars: loops then have several joints.
    const int parent = k == 0 || random.chance(0.1) ? kWorld
                       : random.chance(0.7)         ? k - 1
                                                    : static_cast<int>(random.index(static_cast<std::size_t>(k)));
    ToldJoint joint = draw_joint(random, drawing.planar ? "revolute" : random.pick(drawing.types), parent, k);
    if (drawing.planar) {
      flatten(joint);
    }
    joint.name = fmt::format("joint{}", k);
    told.joints.push_back(joint);
  }
  for (int l = 0; l < drawing.loops; ++l) {
    const int b =
        drawing.bodies - 1 - static_cast<int>(random.index(static_cast<std::size_t>(std::min(2, drawing.bodies))));
    const int a = random.chance(0.7) ? kWorld : static_cast<int>(random.index(static_cast<std::size_t>(b + 1))) - 1;
    if (a == b) {
      return false;
    }
    const std::vector<std::string> closing = {"revolute", "spherical", "universal", "cylindrical", "planar"};
    ToldJoint joint = draw_joint(random, drawing.planar ? "revolute" : random.pick(closing), a, b);
    if (drawing.planar) {
      flatten(joint);
    }
    joint.name = fmt::format("loop{}", l);
    joint.cut = true;
    close_joint(told, joint);
    told.joints.push_back(joint);
  }
  if (random.chance(drawing.couplings)) {
    draw_coupling(random, told);
  }
  if (!draw_velocities(random, drawing.speed, told)) {
    return false;
  }
  if (random.chance(drawing.drives)) {
    draw_motion(random, told);
  }
  if (drawing.loads) {
    draw_loads(random, drawing, told);
    if (!drawing.planar) {
      draw_bushing(drawing, told);
    }
  }
  for (std::size_t k = 0; k < told.bodies.size(); ++k) {
    for (const Vec3& step : {Vec3(Vec3::Zero()), Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())}) {
      told.markers.push_back({static_cast<int>(k), told.bodies[k].com + step});
    }
  }
  return true;
}

}  // namespace

ToldJoint draw_joint(RandomSource& random, const std::string& type, int a, int b) {
  ToldJoint joint;
  joint.type = type;
  joint.a = a;
  joint.b = b;
  joint.frame_a = draw_frame(random);
  joint.frame_b = draw_frame(random);
  joint.axis = random.direction();
  joint.axis.normalize();
  joint.axis2 = planar_directions(joint.axis)[random.index(2)];
  joint.pitch = type == "screw" ? random.uniform(0.05, 0.3) : 0.0;
  const std::size_t velocities = type == "fixed"                                ? 0
                                 : type == "universal" || type == "cylindrical" ? 2
                                 : type == "spherical" || type == "planar"      ? 3
                                 : type == "free"                               ? 6
                                                                                : 1;
  joint.v.assign(velocities, 0.0);
  if (type == "spherical" || type == "free") {
    const Eigen::Vector4d r = random.quaternion();
    joint.q.assign(r.begin(), r.end());
  }
  while (joint.q.size() < velocities + (type == "spherical" || type == "free" ? 1 : 0)) {
    joint.q.push_back(random.uniform(-0.8, 0.8));
  }
  return joint;
}

bool draw_velocities(RandomSource& random, double speed, Told& told) {
  const Eigen::MatrixXd basis = velocity_basis(told);
  if (basis.cols() == 0) {
    return false;
  }
  Eigen::VectorXd velocities = Eigen::VectorXd::Zero(basis.rows());
  for (Eigen::Index k = 0; k < basis.cols(); ++k) {
    velocities += random.uniform(-1.0, 1.0) * basis.col(k);
  }
  const double largest = velocities.cwiseAbs().maxCoeff();
  if (!(largest > 1e-3)) {
    return false;
  }
  velocities *= speed / largest;
  Eigen::Index next = 0;
  for (ToldJoint& joint : told.joints) {
    for (double& v : joint.v) {
      v = velocities[next++];
    }
  }
  return true;
}

void close_joint(const Told& told, ToldJoint& joint) {
  const std::vector<BodyState> states = body_states(told);
  const Frame on_a = state_of(states, joint.a).frame.then(joint.frame_a);
  const Frame there = on_a.then(joint_motion(joint, joint.v).frame);
  joint.frame_b = state_of(states, joint.b).frame.inverse().then(there);
}

Told draw_told(RandomSource& random, const Drawing& drawing) {
  Told told;
  while (!try_to_draw(random, drawing, told)) {
  }
  return told;
}

}  // namespace mbdbench::metamorphic
