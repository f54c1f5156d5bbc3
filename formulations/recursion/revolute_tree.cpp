#include "formulations/recursion/revolute_tree.hpp"

#include <algorithm>
#include <cmath>

#include "formulations/recursion/sines.hpp"
#include "mechanisms/model/index_of.hpp"

namespace mbdbench {
namespace {

// Axes count as parallel where the sine of their angle is rounding.
constexpr double kParallel = 1e-15;
// O_k may slide along its axis by so many times the size of its link; further out, levers would cost digits.
constexpr double kLongestSlide = 4.0;

/// \returns a unit vector normal to the unit vector `axis`.
Vec3 any_normal(const Vec3& axis) {
  Eigen::Index smallest = 0;
  axis.cwiseAbs().minCoeff(&smallest);
  return axis.cross(Vec3::Unit(smallest)).normalized();
}

/// \returns a unit vector normal to both unit vectors; any normal to `axis` where they are parallel.
Vec3 common_normal(const Vec3& axis, const Vec3& other) {
  const Vec3 product = axis.cross(other);
  if (product.norm() <= kParallel) {
    return any_normal(axis);
  }
  const Vec3 unit = product.normalized();
  return (unit - axis.dot(unit) * axis).normalized();
}

}  // namespace

bool RevoluteTree::describes(const Mechanism& mechanism) {
  const MechanismDescription& description = mechanism.description();
  return mechanism.cut_joints().empty() && !mechanism.rheonomic() && description.joint_loads.empty() &&
         description.body_loads.empty() && description.joint_springs.empty() && description.point_springs.empty() &&
         std::all_of(mechanism.tree_joints().begin(), mechanism.tree_joints().end(),
                     [](const Joint& joint) { return joint.type == JointType::revolute; });
}

RevoluteTree::RevoluteTree(const Mechanism& mechanism) {
  choose_first_children(mechanism);
  choose_frames(mechanism);
  order_links(mechanism);
}

void RevoluteTree::choose_first_children(const Mechanism& mechanism) {
  const std::size_t count = mechanism.bodies().size();
  std::vector<int> outboard(count, 1);
  first_child_.assign(count, -1);
  outboard_mass_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    outboard_mass_[k] = mechanism.bodies()[k].mass;
  }
  for (int k = mechanism.body_count() - 1; k >= 0; --k) {
    const int parent = mechanism.parent(k);
    if (parent < 0) {
      continue;
    }
    outboard[index_of(parent)] += outboard[index_of(k)];
    outboard_mass_[index_of(parent)] += outboard_mass_[index_of(k)];
    int& first = first_child_[index_of(parent)];
    if (first < 0 || outboard[index_of(k)] >= outboard[index_of(first)]) {
      first = k;
    }
  }
}

void RevoluteTree::choose_frames(const Mechanism& mechanism) {
  frames_.resize(mechanism.bodies().size());
  for (int k = mechanism.body_count() - 1; k >= 0; --k) {
    const Joint& joint = mechanism.tree_joints()[index_of(k)];
    const Vec3 z = joint.rotation_b * joint.axis;
    const Vec3 com = mechanism.bodies()[index_of(k)].com - joint.position_b;
    Vec3 x = any_normal(z);
    Vec3 target = com;  // what O_k is the foot of
    double size = com.norm();
    if (const int child = first_child_[index_of(k)]; child >= 0) {
      const Joint& next = mechanism.tree_joints()[index_of(child)];
      const Vec3 next_axis = next.rotation_a * next.axis;
      x = common_normal(z, next_axis);
      const Vec3 next_joint = next.position_a - joint.position_b;
      target = next_joint + frames_[index_of(child)].slide * next_axis;
      size = std::max(size, next_joint.norm());
    }
    Frame& frame = frames_[index_of(k)];
    frame.slide = z.dot(target);
    if (std::abs(frame.slide) > kLongestSlide * size) {
      frame.slide = 0.0;
    }
    frame.axes.col(0) = x;
    frame.axes.col(1) = z.cross(x);
    frame.axes.col(2) = z;
    frame.origin = joint.position_b + frame.slide * z;
  }
}

RevoluteTree::Placement RevoluteTree::place(const Mechanism& mechanism, int body) const {
  const Joint& joint = mechanism.tree_joints()[index_of(body)];
  const Frame& frame = frames_[index_of(body)];
  const Frame inboard = joint.a < 0 ? Frame{} : frames_[index_of(joint.a)];
  const Vec3 axis = joint.rotation_a * joint.axis;
  Placement placement;
  Vec3 x = inboard.axes.col(0);
  Vec3 z = inboard.axes.col(2);
  if (joint.a < 0) {
    // From the ground only the direction of gravity is needed: the start frame has the joint's own axis.
    x = any_normal(axis);
    z = axis;
  } else {
    if (first_child_[index_of(joint.a)] != body) {
      x = common_normal(z, axis);
      placement.beta = std::atan2(inboard.axes.col(1).dot(x), inboard.axes.col(0).dot(x));
    }
    const Vec3 r = joint.position_a + frame.slide * axis - inboard.origin;
    placement.px = x.dot(r);
    placement.py = z.cross(x).dot(r);
    placement.d = z.dot(r);
    const double cosine = z.dot(axis);
    const double sine = x.dot(z.cross(axis));
    const double length = std::hypot(cosine, sine);
    const bool parallel = std::abs(sine) <= kParallel;
    placement.cos_alpha = parallel ? std::copysign(1.0, cosine) : cosine / length;
    placement.sin_alpha = parallel ? 0.0 : sine / length;
    const double rounding = 1e-14 * (r.norm() + joint.position_a.norm() + inboard.origin.norm());
    if (std::abs(placement.d) <= rounding) {
      placement.d = 0.0;
    }
  }
  const Vec3 x_at_zero = joint.rotation_a * (joint.rotation_b.transpose() * frame.axes.col(0));
  placement.angle = std::atan2(axis.dot(x.cross(x_at_zero)), x.dot(x_at_zero));
  return placement;
}

void RevoluteTree::set_link(const Mechanism& mechanism, int body, const Placement& placement) {
  const Body& properties = mechanism.bodies()[index_of(body)];
  const Frame& frame = frames_[index_of(body)];
  const Vec3 l = frame.axes.transpose() * (properties.com - frame.origin);
  const Mat3 l_skew = skew(l);
  const Mat3 inertia = frame.axes.transpose() * properties.inertia * frame.axes - properties.mass * l_skew * l_skew;
  RevoluteLink link;
  link.px = placement.px;
  link.py = placement.py;
  link.cos_alpha = placement.cos_alpha;
  link.sin_alpha = placement.sin_alpha;
  link.mass = properties.mass;
  link.hx = properties.mass * l.x();
  link.hy = properties.mass * l.y();
  link.hz = properties.mass * l.z();
  link.jxx = inertia(0, 0);
  link.jxy = inertia(0, 1);
  link.jxz = inertia(0, 2);
  link.jyy = inertia(1, 1);
  link.jyz = inertia(1, 2);
  link.jzz = inertia(2, 2);
  link.outboard_mass = outboard_mass_[index_of(body)];
  links_.push_back(link);
  bodies_.push_back(body);
  angles_.push_back(placement.angle);
}

void RevoluteTree::order_links(const Mechanism& mechanism) {
  const std::size_t count = mechanism.bodies().size();
  std::vector<int> position(count, -1);
  links_.reserve(count);
  // Bodies are numbered outward: a run starts at every body that does not continue the one of its inboard body, and
  // that body's run has been laid out before.
  for (int start = 0; start < mechanism.body_count(); ++start) {
    if (position[index_of(start)] >= 0) {
      continue;
    }
    Placement placement = place(mechanism, start);
    RevoluteRun run;
    run.first = static_cast<int>(links_.size());
    run.cos_beta = std::cos(placement.beta);
    run.sin_beta = std::sin(placement.beta);
    run.d = placement.d;
    const int parent = mechanism.parent(start);
    if (parent >= 0) {
      RevoluteLink& inboard = links_[index_of(position[index_of(parent)])];
      if (inboard.slot < 0) {
        inboard.slot = slot_count_++;
      }
      run.slot = inboard.slot;
    } else {
      const Joint& joint = mechanism.tree_joints()[index_of(start)];
      const Vec3 z = joint.rotation_a * joint.axis;
      const Vec3 x = any_normal(z);
      run.gravity = Vec3(x.dot(mechanism.gravity()), z.cross(x).dot(mechanism.gravity()), z.dot(mechanism.gravity()));
    }
    for (int body = start; body >= 0;) {
      position[index_of(body)] = static_cast<int>(links_.size());
      set_link(mechanism, body, placement);
      body = first_child_[index_of(body)];
      if (body >= 0) {
        placement = place(mechanism, body);
        if (placement.d != 0.0) {
          break;  // its own run, laid out when its number comes
        }
      }
    }
    run.last = static_cast<int>(links_.size());
    runs_.push_back(run);
  }
}

void RevoluteTree::set_angles(std::span<const double> q, std::span<double> angles, std::span<double> sines,
                              std::span<double> cosines) const {
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    angles[i] = q[index_of(bodies_[i])] + angles_[i];
  }
  sines_and_cosines(angles, sines, cosines);
}

}  // namespace mbdbench
