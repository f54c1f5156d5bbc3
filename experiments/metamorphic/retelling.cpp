#include "experiments/metamorphic/retelling.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "experiments/metamorphic/told_motion.hpp"

namespace mbdbench::metamorphic {
namespace {

std::vector<std::size_t> shuffled(RandomSource& random, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[random.index(i)]);
  }
  return order;
}

Wave scaled(Wave wave, double size, double time) {
  return {wave.offset * size, wave.amplitude * size, wave.rate / time, wave.phase};
}

void set_vector(std::vector<double>& values, std::size_t first, const Vec3& vector) {
  std::copy(vector.begin(), vector.end(), values.begin() + static_cast<std::ptrdiff_t>(first));
}

void set_quaternion(std::vector<double>& values, const Eigen::Quaterniond& r) {
  const std::array parts = {r.w(), r.x(), r.y(), r.z()};
  values.resize(std::max(values.size(), parts.size()));
  std::copy(parts.begin(), parts.end(), values.begin());
}

/// Coordinates that are the same turn or displacement with the other sign.
bool changes_sign(const ToldJoint& joint) {
  return joint.type != "spherical" && joint.type != "free" && joint.type != "planar" && joint.type != "fixed";
}

/// A body between two others: mass and inertia as small as asked, at the joint.
int add_light_body(double share, int like, Told& told) {
  const ToldBody& heavy = told.bodies[static_cast<std::size_t>(like)];
  ToldBody light{fmt::format("link{}", told.bodies.size()), share * heavy.mass, Vec3::Zero(),
                 share * heavy.inertia.trace() / 3.0 * Mat3::Identity()};
  told.bodies.push_back(light);
  return static_cast<int>(told.bodies.size()) - 1;
}

/// Angles about x, y, z in this order whose product is r, and their rates for the body-frame spin w.
std::pair<Vec3, Vec3> angles_of(const Eigen::Quaterniond& rotation, const Vec3& spin) {
  const Mat3 r = rotation.toRotationMatrix();
  const Vec3 angles(std::atan2(-r(1, 2), r(2, 2)), std::asin(std::clamp(r(0, 2), -1.0, 1.0)),
                    std::atan2(-r(0, 1), r(0, 0)));
  const Mat3 rz = Eigen::AngleAxisd(angles.z(), Vec3::UnitZ()).toRotationMatrix();
  const Mat3 ry = Eigen::AngleAxisd(angles.y(), Vec3::UnitY()).toRotationMatrix();
  Mat3 columns;
  columns << rz.transpose() * ry.transpose() * Vec3::UnitX(), rz.transpose() * Vec3::UnitY(), Vec3::UnitZ();
  return {angles, columns.inverse() * spin};
}

}  // namespace

void rename_and_shuffle(RandomSource& random, Told& told) {
  told.body_order = shuffled(random, told.bodies.size());
  told.joint_order = shuffled(random, told.joints.size());
  for (std::size_t k = 0; k < told.bodies.size(); ++k) {
    told.bodies[k].name = fmt::format("{}{}", random.chance(0.5) ? "Part_" : "a", random.index(1000) * 100 + k);
  }
  for (std::size_t k = 0; k < told.joints.size(); ++k) {
    told.joints[k].name = fmt::format("{}{}", random.chance(0.5) ? "_" : "hinge", random.index(1000) * 100 + k);
  }
}

void change_units(double length, double mass, double time, Told& told) {
  const double force = mass * length / (time * time);
  const double torque = force * length;
  told.gravity *= length / (time * time);
  for (ToldBody& body : told.bodies) {
    body.mass *= mass;
    body.com *= length;
    body.inertia *= mass * length * length;
  }
  for (ToldJoint& joint : told.joints) {
    joint.frame_a.position *= length;
    joint.frame_b.position *= length;
    joint.pitch *= length;
    const std::size_t extra = joint.q.size() - joint.v.size();  // a quaternion has one more
    for (std::size_t i = 0; i < joint.v.size(); ++i) {
      const bool displacement = is_displacement(joint.type, i);
      joint.q[i + extra] *= displacement ? length : 1.0;
      joint.v[i] *= (displacement ? length : 1.0) / time;
    }
    for (Wave& wave : joint.motion) {
      wave = scaled(wave, is_displacement(joint.type, 0) ? length : 1.0, time);
    }
  }
  for (ToldLaw& law : told.laws) {
    const bool displacement = is_displacement(told.joints[law.joint].type, static_cast<std::size_t>(law.component));
    const double load = displacement ? force : torque;
    const double coordinate = displacement ? length : 1.0;
    law.wave = scaled(law.wave, load, time);
    law.stiffness *= load / coordinate;
    law.rest *= coordinate;
    law.damping *= load / coordinate * time;
  }
  for (ToldBodyLoad& load : told.body_loads) {
    load.point *= length;
    load.force *= force;
    load.torque *= torque;
    load.size = scaled(load.size, 1.0, time);
  }
  for (ToldPointSpring& spring : told.point_springs) {
    spring.point1 *= length;
    spring.point2 *= length;
    spring.rest *= length;
    spring.stiffness *= force / length;
    spring.damping *= force / length * time;
  }
  for (ToldBushing& bushing : told.bushings) {
    bushing.frame1.position *= length;
    bushing.frame2.position *= length;
    bushing.stiffness *= force / length;
    bushing.damping *= force / length * time;
    bushing.rotational_stiffness *= torque;
    bushing.rotational_damping *= torque * time;
  }
  for (ToldCoupling& coupling : told.couplings) {
    for (ToldCoupling::Term& term : coupling.terms) {
      term.factor /=
          is_displacement(told.joints[term.joint].type, static_cast<std::size_t>(term.component)) ? length : 1.0;
    }
  }
  for (ToldMarker& marker : told.markers) {
    marker.point *= length;
  }
}

void move_world(const Frame& motion, Told& told) {
  told.gravity = motion.rotation * told.gravity;
  for (ToldJoint& joint : told.joints) {
    joint.frame_a = joint.a == kWorld ? motion.then(joint.frame_a) : joint.frame_a;
    joint.frame_b = joint.b == kWorld ? motion.then(joint.frame_b) : joint.frame_b;
  }
  for (ToldBodyLoad& load : told.body_loads) {
    if (!load.in_body_axes) {
      load.force = motion.rotation * load.force;
      load.torque = motion.rotation * load.torque;
    }
  }
  for (ToldPointSpring& spring : told.point_springs) {
    spring.point1 = spring.body1 == kWorld ? motion.point(spring.point1) : spring.point1;
    spring.point2 = spring.body2 == kWorld ? motion.point(spring.point2) : spring.point2;
  }
  for (ToldBushing& bushing : told.bushings) {
    bushing.frame1 = bushing.body1 == kWorld ? motion.then(bushing.frame1) : bushing.frame1;
    bushing.frame2 = bushing.body2 == kWorld ? motion.then(bushing.frame2) : bushing.frame2;
  }
}

void change_body_frame(int k, const Frame& change, Told& told) {
  ToldBody& body = told.bodies[static_cast<std::size_t>(k)];
  const Mat3 r = change.rotation.toRotationMatrix();
  body.com = change.point(body.com);
  body.inertia = r * body.inertia * r.transpose();
  body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
  for (ToldJoint& joint : told.joints) {
    joint.frame_a = joint.a == k ? change.then(joint.frame_a) : joint.frame_a;
    joint.frame_b = joint.b == k ? change.then(joint.frame_b) : joint.frame_b;
  }
  for (ToldBodyLoad& load : told.body_loads) {
    if (load.body == k) {
      load.point = change.point(load.point);
      load.force = load.in_body_axes ? Vec3(change.rotation * load.force) : load.force;
      load.torque = load.in_body_axes ? Vec3(change.rotation * load.torque) : load.torque;
    }
  }
  for (ToldPointSpring& spring : told.point_springs) {
    spring.point1 = spring.body1 == k ? change.point(spring.point1) : spring.point1;
    spring.point2 = spring.body2 == k ? change.point(spring.point2) : spring.point2;
  }
  for (ToldBushing& bushing : told.bushings) {
    bushing.frame1 = bushing.body1 == k ? change.then(bushing.frame1) : bushing.frame1;
    bushing.frame2 = bushing.body2 == k ? change.then(bushing.frame2) : bushing.frame2;
  }
  for (ToldMarker& marker : told.markers) {
    marker.point = marker.body == k ? change.point(marker.point) : marker.point;
  }
}

void reverse_joint(std::size_t index, Told& told) {
  ToldJoint& joint = told.joints[index];
  const JointMotion motion = joint_motion(joint, joint.v);
  const Frame back = motion.frame.inverse();
  std::swap(joint.a, joint.b);
  std::swap(joint.frame_a, joint.frame_b);
  if (joint.type == "universal") {
    std::swap(joint.axis, joint.axis2);
    std::swap(joint.q[0], joint.q[1]);
    std::swap(joint.v[0], joint.v[1]);
  }
  if (changes_sign(joint)) {
    for (std::size_t i = 0; i < joint.q.size(); ++i) {
      joint.q[i] = -joint.q[i];
      joint.v[i] = -joint.v[i];
    }
    for (Wave& wave : joint.motion) {
      wave.offset = -wave.offset;
      wave.amplitude = -wave.amplitude;
    }
    for (ToldLaw& law : told.laws) {
      if (law.joint == index) {
        law.wave.offset = -law.wave.offset;
        law.wave.amplitude = -law.wave.amplitude;
        law.rest = -law.rest;
        law.component = joint.type == "universal" ? 1 - law.component : law.component;
      }
    }
    for (ToldCoupling& coupling : told.couplings) {
      for (ToldCoupling::Term& term : coupling.terms) {
        term.factor = term.joint == index ? -term.factor : term.factor;
      }
    }
    return;
  }
  // Of a seen from b: its place -R^T p, and what changes that.
  const Vec3 spin = -(back.rotation * motion.spin);
  const Vec3 velocity = -(back.rotation * motion.velocity) + spin.cross(back.position);
  if (joint.type == "planar") {
    const auto directions = planar_directions(joint.axis);
    joint.q = {directions[0].dot(back.position), directions[1].dot(back.position), -joint.q[2]};
    joint.v = {directions[0].dot(velocity), directions[1].dot(velocity), -joint.v[2]};
  } else if (joint.type == "spherical" || joint.type == "free") {
    set_quaternion(joint.q, back.rotation);
    set_vector(joint.v, 0, back.rotation.conjugate() * spin);
    if (joint.type == "free") {
      set_vector(joint.q, 4, back.position);
      set_vector(joint.v, 3, velocity);
    }
  }
}

void orient_tree(Told& told) {
  std::vector<bool> reached(told.bodies.size(), false);
  const auto there = [&](int body) { return body == kWorld || reached[static_cast<std::size_t>(body)]; };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t j = 0; j < told.joints.size(); ++j) {
      if (told.joints[j].cut || there(told.joints[j].a) == there(told.joints[j].b)) {
        continue;
      }
      if (there(told.joints[j].b)) {
        reverse_joint(j, told);
      }
      reached[static_cast<std::size_t>(told.joints[j].b)] = true;
      more = true;
    }
  }
}

bool cut_elsewhere(RandomSource& random, Told& told) {
  std::vector<bool> before;
  for (const ToldJoint& joint : told.joints) {
    before.push_back(joint.cut);
  }
  constexpr int kTrials = 20;
  for (int trial = 0; trial < kTrials; ++trial) {
    // Kruskal's tree over joints in an order at random; `part` of the ground is the last one.
    std::vector<std::size_t> part(told.bodies.size() + 1);
    std::iota(part.begin(), part.end(), std::size_t{0});
    const auto part_of = [&](int body) {
      return part[body == kWorld ? told.bodies.size() : static_cast<std::size_t>(body)];
    };
    bool other = false;
    std::vector<bool> cut(told.joints.size(), true);
    for (const std::size_t j : shuffled(random, told.joints.size())) {
      const std::size_t a = part_of(told.joints[j].a);
      const std::size_t b = part_of(told.joints[j].b);
      if (a != b) {
        cut[j] = false;
        std::replace(part.begin(), part.end(), a, b);
      }
      other = other || cut[j] != before[j];
    }
    if (other) {
      for (std::size_t j = 0; j < cut.size(); ++j) {
        told.joints[j].cut = cut[j];
      }
      orient_tree(told);
      return true;
    }
  }
  return false;
}

void split_body(RandomSource& random, int k, Told& told) {
  const auto index = static_cast<std::size_t>(k);
  ToldBody whole = told.bodies[index];
  const double share = random.uniform(0.2, 0.8);
  // Masses apart by d have the reduced mass times (d^2 - d d^T) about their centre: taken off the inertia, at most a
  // tenth of its trace, so that what is left stays within the triangle inequality.
  const double reduced = share * (1.0 - share) * whole.mass;
  const Vec3 apart = random.direction() * std::sqrt(0.05 * whole.inertia.trace() / reduced);
  const Mat3 rest = whole.inertia - reduced * (apart.squaredNorm() * Mat3::Identity() - apart * apart.transpose());
  ToldBody second{fmt::format("half{}", told.bodies.size()), (1.0 - share) * whole.mass, whole.com + share * apart,
                  (1.0 - share) * rest};
  told.bodies[index].mass = share * whole.mass;
  told.bodies[index].com = whole.com - (1.0 - share) * apart;
  told.bodies[index].inertia = share * rest;
  const int other = static_cast<int>(told.bodies.size());
  told.bodies.push_back(second);
  for (ToldJoint& joint : told.joints) {
    // The joint towards the ground stays; a body whose only joints are cuts does too.
    joint.a = joint.a == k && random.chance(0.5) ? other : joint.a;
    joint.b = joint.b == k && joint.cut && random.chance(0.5) ? other : joint.b;
  }
  const bool markers_move = random.chance(0.5);
  for (ToldMarker& marker : told.markers) {
    marker.body = marker.body == k && markers_move ? other : marker.body;
  }
  ToldJoint weld;
  weld.name = fmt::format("weld{}", told.joints.size());
  weld.type = "fixed";
  weld.a = k;
  weld.b = other;
  told.joints.push_back(weld);
  const Eigen::Vector4d r = random.quaternion();
  change_body_frame(other, {random.point(0.3), Eigen::Quaterniond(r[0], r[1], r[2], r[3]).normalized()}, told);
}

void free_and_cut(std::size_t index, Told& told) {
  const std::vector<BodyState> states = body_states(told);
  ToldJoint joint = told.joints[index];
  const BodyState a = state_of(states, joint.a);
  const BodyState b = state_of(states, joint.b);
  told.joints[index].cut = true;
  ToldJoint loose;
  loose.name = fmt::format("loose{}", told.joints.size());
  loose.type = "free";
  loose.a = joint.a;
  loose.b = joint.b;
  const Frame between = a.frame.inverse().then(b.frame);
  loose.q.resize(7);
  loose.v.resize(6);
  set_quaternion(loose.q, between.rotation);
  set_vector(loose.q, 4, between.position);
  set_vector(loose.v, 0, b.frame.rotation.conjugate() * (b.spin - a.spin));
  set_vector(loose.v, 3, a.frame.rotation.conjugate() * (b.velocity - a.velocity_of(b.frame.position)));
  told.joints.push_back(loose);
}

void chain_of_joints(std::size_t index, double share, Told& told) {
  const ToldJoint whole = told.joints[index];
  std::vector<ToldJoint> chain;
  const auto link = [&](const std::string& type, const Vec3& axis, double q, double v) {
    ToldJoint joint;
    joint.name = fmt::format("{}_{}", whole.name, chain.size());
    joint.type = type;
    joint.axis = axis;
    joint.q = {q};
    joint.v = {v};
    chain.push_back(joint);
  };
  const Vec3& n = whole.axis;
  if (whole.type == "universal") {
    link("revolute", n, whole.q[0], whole.v[0]);
    link("revolute", whole.axis2, whole.q[1], whole.v[1]);
  } else if (whole.type == "cylindrical") {
    link("prismatic", n, whole.q[1], whole.v[1]);
    link("revolute", n, whole.q[0], whole.v[0]);
  } else if (whole.type == "planar") {
    const auto directions = planar_directions(n);
    link("prismatic", directions[0], whole.q[0], whole.v[0]);
    link("prismatic", directions[1], whole.q[1], whole.v[1]);
    link("revolute", n, whole.q[2], whole.v[2]);
  } else {
    const Eigen::Quaterniond r(whole.q[0], whole.q[1], whole.q[2], whole.q[3]);
    if (whole.type == "free") {
      for (int i = 0; i < 3; ++i) {
        const auto k = static_cast<std::size_t>(i);
        link("prismatic", Vec3::Unit(i), whole.q[4 + k], whole.v[3 + k]);
      }
      link("spherical", n, 0.0, 0.0);
      chain.back().q = {whole.q[0], whole.q[1], whole.q[2], whole.q[3]};
      chain.back().v = {whole.v[0], whole.v[1], whole.v[2]};
    } else {
      const auto [angles, rates] = angles_of(r, {whole.v[0], whole.v[1], whole.v[2]});
      for (int i = 0; i < 3; ++i) {
        link("revolute", Vec3::Unit(i), angles[i], rates[i]);
      }
    }
  }
  int from = whole.a;
  for (std::size_t k = 0; k < chain.size(); ++k) {
    chain[k].a = from;
    chain[k].b = k + 1 == chain.size() ? whole.b : add_light_body(share, whole.b, told);
    from = chain[k].b;
  }
  chain.front().frame_a = whole.frame_a;
  chain.back().frame_b = whole.frame_b;
  told.joints[index] = chain.front();
  told.joints.insert(told.joints.end(), chain.begin() + 1, chain.end());
}

void screw_as_coupling(std::size_t index, Told& told) {
  ToldJoint& joint = told.joints[index];
  joint.type = "cylindrical";
  joint.q.push_back(joint.pitch * joint.q[0]);
  joint.v.push_back(joint.pitch * joint.v[0]);
  told.couplings.push_back({{{index, 1.0, 1}, {index, -joint.pitch, 0}}});
  joint.pitch = 0.0;
}

void reverse_time(Told& told) {
  for (ToldJoint& joint : told.joints) {
    for (double& v : joint.v) {
      v = -v;
    }
    for (Wave& wave : joint.motion) {
      wave.rate = -wave.rate;
    }
  }
  for (ToldLaw& law : told.laws) {
    law.wave.rate = -law.wave.rate;
  }
  for (ToldBodyLoad& load : told.body_loads) {
    load.size.rate = -load.size.rate;
  }
}

void shift_time(double shift, Told& told) {
  const auto move = [shift](Wave& wave) { wave.phase -= wave.rate * shift; };
  for (ToldLaw& law : told.laws) {
    move(law.wave);
  }
  for (ToldBodyLoad& load : told.body_loads) {
    move(load.size);
  }
}

}  // namespace mbdbench::metamorphic
