#include "experiments/soak/reduction.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench::soak {
namespace {

template <class List>
void remove_at(List& list, std::size_t index) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

/// Takes a body away on which nothing hangs, with its joints and all that acts on it. \returns whether it could.
bool erase_end_body(MechanismDescription& description, std::size_t index) {
  const std::string name = description.bodies[index].name;
  const bool carries = std::any_of(description.joints.begin(), description.joints.end(),
                                   [&](const JointDescription& joint) { return !joint.cut && joint.a == name; });
  if (carries || description.bodies.size() == 1) {
    return false;
  }
  const auto gone = [&](const std::string& joint_name) {
    return std::none_of(description.joints.begin(), description.joints.end(),
                        [&](const JointDescription& joint) { return joint.name == joint_name; });
  };
  std::erase_if(description.joints, [&](const JointDescription& joint) { return joint.a == name || joint.b == name; });
  const auto in_gone = [&](const auto& load) { return gone(load.joint); };
  std::erase_if(description.joint_loads, in_gone);
  std::erase_if(description.joint_springs, in_gone);
  std::erase_if(description.joint_frictions, in_gone);
  std::erase_if(description.joint_stops, in_gone);
  std::erase_if(description.body_loads, [&](const BodyLoadDescription& load) { return load.body == name; });
  const auto ends_here = [&](const auto& spring) { return spring.body1 == name || spring.body2 == name; };
  std::erase_if(description.point_springs, ends_here);
  std::erase_if(description.bushings, ends_here);
  std::erase_if(description.markers, [&](const MarkerDescription& marker) { return marker.body == name; });
  remove_at(description.bodies, index);
  return true;
}

bool set_plain_frame(JointFrame& frame) {
  const bool turned = frame.rotation != Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);
  frame.rotation = Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);
  return turned;
}

/// Changes of one joint, each a bit less than before. \returns whether anything changed
bool make_plain(JointDescription& joint, std::size_t change) {
  const auto zero = [](std::vector<double>& values) {
    const bool any = std::any_of(values.begin(), values.end(), [](double value) { return value != 0.0; });
    std::fill(values.begin(), values.end(), 0.0);
    return any;
  };
  switch (change) {
    case 0:
      return !std::exchange(joint.motions, {}).empty();
    case 1:
      return zero(joint.v0);
    case 2:
      return set_plain_frame(joint.frame_a);
    case 3:
      return set_plain_frame(joint.frame_b);
    case 4:
      return std::exchange(joint.axis, Vec3::UnitZ()) != Vec3::UnitZ();
    case 5:
      return joint.q0.size() < 4 && zero(joint.q0);
    default:
      return std::exchange(joint.type, JointType::revolute) != JointType::revolute &&
             (joint.q0 = {0.0}, joint.v0 = {0.0}, joint.pitch = 0.0, true);
  }
}
constexpr std::size_t kJointChanges = 7;

bool make_plain(BodyDescription& body) {
  const bool plain = body.mass == 1.0 && body.inertia == Mat3::Identity();
  body.mass = 1.0;
  body.inertia = Mat3::Identity();
  return !plain;
}

class Reducer {
 public:
  Reducer(const Mechanism& mechanism, const StillFails& still_fails, int most_trials)
      : still_fails_(still_fails), trials_left_(most_trials), best_(mechanism.description()) {}

  MechanismDescription run() {
    bool smaller = true;
    while (smaller && trials_left_ > 0) {
      // One after the other, not `||`: every pass is worth a try.
      smaller = leave_out(&MechanismDescription::joint_loads);
      smaller = leave_out(&MechanismDescription::body_loads) || smaller;
      smaller = leave_out(&MechanismDescription::joint_springs) || smaller;
      smaller = leave_out(&MechanismDescription::point_springs) || smaller;
      smaller = leave_out(&MechanismDescription::bushings) || smaller;
      smaller = leave_out(&MechanismDescription::joint_frictions) || smaller;
      smaller = leave_out(&MechanismDescription::joint_stops) || smaller;
      smaller = leave_out(&MechanismDescription::markers) || smaller;
      smaller = leave_out_bodies() || smaller;
      smaller = leave_out_cuts() || smaller;
      smaller = plain_numbers() || smaller;
    }
    return best_;
  }

 private:
  bool keep(MechanismDescription candidate) {
    if (trials_left_-- <= 0) {
      return false;
    }
    try {
      const Mechanism mechanism(candidate);
      if (!still_fails_(mechanism)) {
        return false;
      }
    } catch (const ModelError&) {
      return false;
    }
    best_ = std::move(candidate);
    return true;
  }

  /// From the end, so that what is left keeps its place.
  template <class List>
  bool leave_out(List MechanismDescription::*list) {
    bool any = false;
    for (std::size_t i = (best_.*list).size(); i-- > 0;) {
      MechanismDescription candidate = best_;
      remove_at(candidate.*list, i);
      any = keep(std::move(candidate)) || any;
    }
    return any;
  }

  bool leave_out_bodies() {
    bool any = false;
    for (std::size_t i = best_.bodies.size(); i-- > 0;) {
      MechanismDescription candidate = best_;
      any = (erase_end_body(candidate, i) && keep(std::move(candidate))) || any;
    }
    return any;
  }

  bool leave_out_cuts() {
    bool any = false;
    for (std::size_t i = best_.joints.size(); i-- > 0;) {
      if (best_.joints[i].cut) {
        MechanismDescription candidate = best_;
        const std::string name = candidate.joints[i].name;
        remove_at(candidate.joints, i);
        std::erase_if(candidate.joint_loads, [&](const auto& load) { return load.joint == name; });
        std::erase_if(candidate.joint_springs, [&](const auto& spring) { return spring.joint == name; });
        any = keep(std::move(candidate)) || any;
      }
    }
    return any;
  }

  bool plain_numbers() {
    bool any = false;
    for (std::size_t i = 0; i < best_.joints.size(); ++i) {
      for (std::size_t change = 0; change < kJointChanges; ++change) {
        MechanismDescription candidate = best_;
        any = (make_plain(candidate.joints[i], change) && keep(std::move(candidate))) || any;
      }
    }
    for (std::size_t i = 0; i < best_.bodies.size(); ++i) {
      MechanismDescription candidate = best_;
      any = (make_plain(candidate.bodies[i]) && keep(std::move(candidate))) || any;
    }
    return any;
  }

  const StillFails& still_fails_;
  int trials_left_;
  MechanismDescription best_;
};

}  // namespace

MechanismDescription reduced(const Mechanism& mechanism, const StillFails& still_fails, int most_trials) {
  return Reducer(mechanism, still_fails, most_trials).run();
}

}  // namespace mbdbench::soak
