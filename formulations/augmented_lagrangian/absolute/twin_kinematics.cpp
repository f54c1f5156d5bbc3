#include "formulations/augmented_lagrangian/absolute/twin_kinematics.hpp"

#include <algorithm>
#include <array>

#include "formulations/augmented_lagrangian/absolute/absolute_kinematics.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kCoordinates = kAbsoluteCoordinates;

/// What is the same in all lanes.
struct JointForm {
  std::array<int, 2> bodies;  // within, -1 the ground
  std::size_t directions;
  std::size_t angular;
  bool world_linear;

  bool operator==(const JointForm&) const = default;
};

int place_of(int body, const TwinForm::Lane& lane) {
  return body < 0 ? -1
                  : static_cast<int>(std::find(lane.bodies.begin(), lane.bodies.end(), body) - lane.bodies.begin());
}

JointForm form_of(const Joint& joint, const TwinForm::Lane& lane) {
  return {{place_of(joint.a, lane), place_of(joint.b, lane)},
          joint.linear_directions.size(),
          joint.angular.size(),
          joint.world_linear};
}

bool has_only_axes_and_angles(const Joint& joint) {
  const std::size_t rows = (joint.world_linear ? 3 : 0) + joint.linear_directions.size() + joint.angular.size();
  return !rolls(joint.type) && !(joint.world_linear && !joint.linear_directions.empty()) && joint.length == 0.0 &&
         joint.driven.empty() && joint.motions.empty() && rows == index_of(joint.nc);
}

/// Numbers of one lane, a pack each.
class LaneNumbers {
 public:
  explicit LaneNumbers(double* first) : next_(first) {}
  void put(double number) {
    *next_ = number;
    next_ += kTwins;
  }
  void put(const Vec3& vector) {
    for (const double number : vector) {
      put(number);
    }
  }
  void put(const Mat3& symmetric) {
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        put(symmetric(i, j));
      }
    }
  }

 private:
  double* next_;
};

}  // namespace

TwinKinematics::TwinKinematics(const Mechanism& mechanism, TwinGroups& twins, double damping, double stiffness,
                               const InstructionSet& set)
    : mechanism_(&mechanism),
      sweeps_(compiled_for(set, []<int W>() { return twin_kernels::sweeps<W>(); })),
      bodies_(mechanism.bodies().size()),
      joints_(mechanism.tree_joints().size() + mechanism.cut_joints().size()) {
  for (TwinGroup& own : twins.all()) {
    Group& group = groups_.emplace_back();
    if (!suits(own)) {
      continue;
    }
    group = make_group(own);
    group.twins.damping = damping;
    group.twins.stiffness = stiffness;
    std::copy_n(mechanism.gravity().data(), 3, group.twins.gravity);
    own.fill_from_outside();
    for (const TwinForm::Lane& lane : own.form().lanes) {
      for (const int body : lane.bodies) {
        bodies_[index_of(body)] = true;
      }
      for (std::size_t within = 0; within < lane.joints.size(); ++within) {
        if (!own.stays(static_cast<int>(within))) {
          joints_[index_of(lane.joints[within])] = true;
        }
      }
    }
  }
}

const Joint& TwinKinematics::joint(int k) const {
  const int cut = k - mechanism_->body_count();
  return cut < 0 ? mechanism_->tree_joints()[index_of(k)] : mechanism_->cut_joints()[index_of(cut)];
}

bool TwinKinematics::suits(const TwinGroup& twins) const {
  const TwinForm& form = twins.form();
  for (std::size_t within = 0; within < form.rows.size(); ++within) {
    if (twins.stays(static_cast<int>(within))) {
      continue;
    }
    const JointForm first = form_of(joint(form.lanes.front().joints[within]), form.lanes.front());
    for (const TwinForm::Lane& lane : form.lanes) {
      const Joint& own = joint(lane.joints[within]);
      if (!has_only_axes_and_angles(own) || form_of(own, lane) != first) {
        return false;
      }
    }
  }
  return true;
}

TwinKinematics::Group TwinKinematics::make_group(TwinGroup& twins) const {
  const TwinForm& form = twins.form();
  Group group;
  const std::size_t bodies = form.lanes.front().bodies.size();
  std::size_t packs = kTwinBodyConstants * bodies + TwinBodyState::kCount * (bodies + 1);
  std::vector<int> within;
  for (std::size_t j = 0; j < form.rows.size(); ++j) {
    if (twins.stays(static_cast<int>(j))) {
      continue;
    }
    within.push_back(static_cast<int>(j));
    const Joint& model = joint(form.lanes.front().joints[j]);
    const JointForm own = form_of(model, form.lanes.front());
    TwinJoint& added = group.joints.emplace_back();
    for (int end = 0; end < 2; ++end) {
      const int body = own.bodies[index_of(end)];
      added.bodies[end] = body < 0 ? static_cast<int>(bodies) : body;
      if (body >= 0) {
        TwinHandle& handle = twins.handle_of(body, static_cast<int>(j));
        handle.sign = !model.world_linear ? 0.0 : end == 0 ? -1.0 : 1.0;
        added.handles[end] = handle.numbers;
      }
    }
    added.direction_count = static_cast<int>(own.directions);
    added.angular_count = static_cast<int>(own.angular);
    added.world_linear = own.world_linear;
    added.row = twins.first_place(static_cast<int>(j));
    packs += kTwinOrigins + 3 * own.directions + kTwinAngular * own.angular;
  }
  group.numbers = lane_memory(packs);
  double* const constants = group.numbers.get();
  double* const state = constants + kTwinBodyConstants * bodies * kTwins;
  double* next = state + TwinBodyState::kCount * (bodies + 1) * kTwins;
  set_bodies(form, constants);
  for (std::size_t diagonal = 0; diagonal < 3; ++diagonal) {  // the ground stands upright
    std::fill_n(state + (TwinBodyState::kCount * bodies + TwinBodyState::kRotation + 4 * diagonal) * kTwins, kTwins,
                1.0);
  }
  for (std::size_t j = 0; j < within.size(); ++j) {
    TwinJoint& own = group.joints[j];
    own.constants = next;
    set_joint(form, within[j], next);
    next += (kTwinOrigins + 3 * index_of(own.direction_count) + kTwinAngular * index_of(own.angular_count)) * kTwins;
  }
  for (std::size_t body = 0; body < bodies; ++body) {
    group.inertia_inverse.push_back(twins.inertia_inverse_of(static_cast<int>(body)));
    for (const TwinForm::Lane& lane : form.lanes) {
      group.first.push_back(kCoordinates * index_of(lane.bodies[body]));
    }
  }
  group.twins.body_count = static_cast<int>(bodies);
  group.twins.joint_count = static_cast<int>(group.joints.size());
  group.twins.joints = group.joints.data();
  group.twins.constants = constants;
  group.twins.state = state;
  group.twins.inertia_inverse = group.inertia_inverse.data();
  group.input = twins.vector(DualVector::input);
  group.right = twins.vector(DualVector::right);
  group.accelerations = twins.vector(DualVector::rates);
  return group;
}

void TwinKinematics::set_bodies(const TwinForm& form, double* constants) const {
  for (std::size_t lane = 0; lane < kTwins; ++lane) {
    LaneNumbers numbers(constants + lane);
    for (const int body : form.lanes[lane].bodies) {
      const Body& model = mechanism_->bodies()[index_of(body)];
      numbers.put(model.mass);
      numbers.put(model.inertia);
      numbers.put(model.inertia_inverse);
    }
  }
}

void TwinKinematics::set_joint(const TwinForm& form, int within, double* constants) const {
  for (std::size_t lane = 0; lane < kTwins; ++lane) {
    const Joint& model = joint(form.lanes[lane].joints[index_of(within)]);
    const auto from_com = [&](int body, const Vec3& place) {
      return body < 0 ? place : Vec3(place - mechanism_->bodies()[index_of(body)].com);
    };
    LaneNumbers numbers(constants + lane);
    numbers.put(from_com(model.a, model.position_a));
    numbers.put(from_com(model.b, model.position_b));
    for (const Vec3& direction : model.linear_directions) {
      numbers.put(Vec3(model.rotation_a * direction));
    }
    for (const AngularConstraint& constraint : model.angular) {
      numbers.put(Vec3(model.rotation_a * constraint.vector_a));
      numbers.put(Vec3(model.rotation_b * constraint.vector_b));
      numbers.put(constraint.scale);
      numbers.put(constraint.cosine);
    }
  }
}

void TwinKinematics::place(std::size_t index, std::span<const double> y) {
  Group& group = groups_[index];
  if (group.first.empty()) {
    return;
  }
  double* to = group.twins.state;
  for (std::size_t i = 0; i < group.first.size(); i += kTwins, to += TwinBodyState::kCount * kTwins) {
    for (std::size_t lane = 0; lane < kTwins; ++lane) {
      const double* const from = y.data() + group.first[i + lane];
#pragma GCC unroll 7
      for (std::size_t k = 0; k < kCoordinates; ++k) {
        to[k * kTwins + lane] = from[k];
      }
    }
  }
  sweeps_.place(group.twins);
}

void TwinKinematics::move(std::size_t index, std::span<const double> rates) {
  Group& group = groups_[index];
  if (group.first.empty()) {
    return;
  }
  double* to = group.twins.state + TwinBodyState::kRates * kTwins;
  for (std::size_t i = 0; i < group.first.size(); i += kTwins, to += TwinBodyState::kCount * kTwins) {
    for (std::size_t lane = 0; lane < kTwins; ++lane) {
      const double* const from = rates.data() + group.first[i + lane];
#pragma GCC unroll 7
      for (std::size_t k = 0; k < kCoordinates; ++k) {
        to[k * kTwins + lane] = from[k];
      }
    }
  }
  sweeps_.move(group.twins, group.input, group.right);
}

void TwinKinematics::accelerate(std::size_t index, std::span<double> xdot) {
  Group& group = groups_[index];
  if (group.first.empty()) {
    return;
  }
  sweeps_.accelerate(group.twins, group.accelerations);
  const double* from = group.twins.state;
  for (std::size_t i = 0; i < group.first.size(); i += kTwins, from += TwinBodyState::kCount * kTwins) {
    for (std::size_t lane = 0; lane < kTwins; ++lane) {
      double* const rate = xdot.data() + group.first[i + lane];
      double* const second = rate + xdot.size() / 2;
#pragma GCC unroll 7
      for (std::size_t k = 0; k < kCoordinates; ++k) {
        rate[k] = from[k * kTwins + lane];
        second[k] = from[(TwinBodyState::kRates + k) * kTwins + lane];
      }
    }
  }
}

}  // namespace mbdbench
