#include "experiments/verification/reference/parameter_variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/link_length.hpp"

namespace mbdbench {
namespace {

/// \returns the mechanism's description with the tree and the cut joints that it has.
MechanismDescription with_own_cuts(const Mechanism& mechanism) {
  MechanismDescription description = mechanism.description();
  for (JointDescription& joint : description.joints) {
    joint.cut = mechanism.find_joint(joint.name)->cut;
  }
  return description;
}

/// Moves the start of a description whose loops other lengths have opened: any joint may follow, whichever its author
/// marked. Marks stay, by which formulations choose what depends. \throws ModelError where the loops cannot be closed
void close_start(MechanismDescription& description) {
  MechanismDescription loose = description;
  // Loads do not matter here, and reading their formulas takes the most time.
  loose.joint_loads.clear();
  loose.body_loads.clear();
  for (JointDescription& joint : loose.joints) {
    joint.dependent = !joint.cut && joint.motions.empty();
  }
  const Mechanism closed(std::move(loose));
  for (JointDescription& joint : description.joints) {
    const auto& all = closed.description().joints;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const JointDescription& one) { return one.name == joint.name; });
    joint.q0 = found->q0;
    joint.v0 = found->v0;
  }
}

}  // namespace

ParameterVariation::ParameterVariation(const Mechanism& mechanism, Formulation& velocities, double reach)
    : mechanism_(&mechanism) {
  list_parameters();
  without_lengths_ = parameters_.size();
  list_lengths();
  settle_sizes(velocities);
  RandomSource random(1);
  for (VaryingParameter& one : parameters_) {
    const double sign = random.chance(0.5) ? 1.0 : -1.0;
    one.change *= sign * random.uniform(0.5, 1.0);
  }
  if (parameters_.size() == without_lengths_) {
    return;
  }
  if (mechanism_->generic_rank().overconstrained) {
    lengths_say_nothing_ = "the loops move by their lengths alone, with others they are rigid";
  } else if (mechanism_->closing_row_count() > 0) {
    hold_lengths(reach);
  }
}

void ParameterVariation::list_parameters() {
  // A force does to the whole mechanism what gravity does, or stops a turn a second within it.
  const CharacteristicScales& scales = mechanism_->scales();
  double whole = 0.0;
  for (const Body& body : mechanism_->bodies()) {
    whole += body.mass;
  }
  const double force = whole * scales.length * (scales.rate > 0.0 ? scales.rate * scales.rate : 1.0);
  const auto add = [&](ParameterKind kind, const std::string& name, std::size_t place, double size, double change) {
    VaryingParameter one;
    one.parameter = {kind, name, 0};
    one.place = place;
    one.size = size;
    one.change = change;
    parameters_.push_back(std::move(one));
  };
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      const double size = is_displacement(joint, i) ? force : force * scales.length;
      add(ParameterKind::joint_force, joint.name, index_of(joint.u_offset + i), size, size);
      parameters_.back().parameter.component = i;
    }
  }
  const auto& bodies = mechanism_->bodies();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const double size = bodies[k].mass > 0.0 ? bodies[k].mass : whole / static_cast<double>(bodies.size());
    add(ParameterKind::mass, bodies[k].name, k, size, bodies[k].mass);
  }
  std::size_t count = 0;
  const auto add_springs = [&](const auto& springs) {
    for (const auto& spring : springs) {
      for (const auto& [kind, value] :
           {std::pair(ParameterKind::stiffness, spring.stiffness), std::pair(ParameterKind::damping, spring.damping)}) {
        if (value > 0.0) {
          add(kind, spring.name, count, value, value);
        }
      }
      ++count;
    }
  };
  add_springs(mechanism_->description().joint_springs);
  add_springs(mechanism_->description().point_springs);
}

void ParameterVariation::list_lengths() {
  const std::vector<std::optional<LinkLength>> links = link_lengths(*mechanism_);
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (links[k]) {
      VaryingParameter one;
      one.parameter = {ParameterKind::length, mechanism_->tree_joints()[k].name, 0};
      one.place = k;
      one.size = links[k]->length;
      one.change = one.size;
      one.along = links[k]->along;
      parameters_.push_back(std::move(one));
    }
  }
}

/// Where one parameter changes rates by far more than the others, what is wrong with these is lost beside it.
void ParameterVariation::settle_sizes(Formulation& velocities) {
  const auto nu = static_cast<Eigen::Index>(mechanism_->u_size());
  std::vector<RateParameter> asked;
  std::transform(parameters_.begin(), parameters_.end(), std::back_inserter(asked),
                 [](const VaryingParameter& one) { return one.parameter; });
  Eigen::VectorXd x(mechanism_->q_size() + nu);
  x << mechanism_->q0(), mechanism_->u0();
  Eigen::VectorXd xdot(x.size());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> columns(
      x.size(), static_cast<Eigen::Index>(asked.size()));
  try {
    // Without derivatives there, as at a singular position, sizes stay those of the numbers.
    if (nu == 0 || asked.empty() || !velocities.rhs(0.0, view(std::as_const(x)), view(xdot)).ok ||
        !velocities
             .parameter_jacobian(0.0, view(std::as_const(x)), asked,
                                 {columns.data(), static_cast<std::size_t>(columns.size())})
             .ok) {
      return;
    }
  } catch (const ModelError&) {
    return;
  }
  const double own_rate = mechanism_->scales().rate;
  const double usual = std::max(xdot.tail(nu).lpNorm<Eigen::Infinity>(), own_rate > 0.0 ? own_rate * own_rate : 1.0);
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    VaryingParameter& one = parameters_[k];
    const double effect = columns.col(static_cast<Eigen::Index>(k)).tail(nu).lpNorm<Eigen::Infinity>();
    // What has no effect but rounding, as a force in a joint that loops hold, keeps its own.
    const double size = usual / effect;
    if (size < one.size) {
      one.change *= size / one.size;
      one.size = size;
    }
  }
}

std::size_t ParameterVariation::held_lengths() const {
  return static_cast<std::size_t>(std::count_if(parameters_.begin() + static_cast<std::ptrdiff_t>(without_lengths_),
                                                parameters_.end(),
                                                [](const VaryingParameter& one) { return one.change == 0.0; }));
}

/// Loops that are rigid, alone or together, close with no other lengths of theirs. The lengths of what hangs on them
/// change.
void ParameterVariation::hold_lengths(double reach) {
  const std::vector<VaryingParameter> all = parameters_;
  std::vector<bool> held(all.size(), false);
  // Halves of what does not close, until single lengths are left: few of many are found with few mechanisms.
  const std::function<void(std::size_t, std::size_t)> look = [&](std::size_t first, std::size_t last) {
    for (std::size_t k = without_lengths_; k < all.size(); ++k) {
      parameters_[k].change = k < first || k >= last ? 0.0 : all[k].change;
    }
    if (first == last || closes(reach)) {
      return;
    }
    if (last - first == 1) {
      held[first] = true;
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    look(first, middle);
    look(middle, last);
  };
  look(without_lengths_, all.size());
  parameters_ = all;
  for (std::size_t k = without_lengths_; k < all.size(); ++k) {
    parameters_[k].change = held[k] ? 0.0 : all[k].change;
  }
  for (std::size_t k = without_lengths_; k < all.size() && !(closes(reach) && closes(-reach)); ++k) {
    parameters_[k].change = 0.0;
  }
}

bool ParameterVariation::closes(double s) const {
  try {
    static_cast<void>(changed(s, true));  // closes the start
  } catch (const ModelError&) {
    return false;
  }
  return true;
}

MechanismDescription ParameterVariation::changed(double s, bool lengths) const {
  MechanismDescription description = with_own_cuts(*mechanism_);
  std::string prefix = "further_force";
  const auto& loads = description.joint_loads;
  while (std::any_of(loads.begin(), loads.end(), [&](const auto& one) { return one.name.starts_with(prefix); })) {
    prefix += "_";
  }
  const std::size_t count = lengths ? parameters_.size() : without_lengths_;
  for (std::size_t k = 0; k < count; ++k) {
    const VaryingParameter& one = parameters_[k];
    const double change = s * one.change;
    switch (one.parameter.kind) {
      case ParameterKind::joint_force:
        description.joint_loads.push_back({.name = fmt::format("{}{}", prefix, k),
                                           .joint = one.parameter.name,
                                           .component = one.parameter.component,
                                           .law = ConstantLaw{change}});
        break;
      case ParameterKind::mass:
        description.bodies[one.place].mass += change;
        break;
      case ParameterKind::stiffness:
      case ParameterKind::damping: {
        const auto change_spring = [&one, change](auto& spring) {
          (one.parameter.kind == ParameterKind::damping ? spring.damping : spring.stiffness) += change;
        };
        const std::size_t in_joints = description.joint_springs.size();
        if (one.place < in_joints) {
          change_spring(description.joint_springs[one.place]);
        } else {
          change_spring(description.point_springs[one.place - in_joints]);
        }
        break;
      }
      case ParameterKind::length: {
        auto& joints = description.joints;
        std::find_if(joints.begin(), joints.end(), [&](const auto& joint) {
          return joint.name == one.parameter.name;
        })->frame_a.position += change * one.along;
        break;
      }
    }
  }
  if (lengths && mechanism_->closing_row_count() > 0) {
    close_start(description);
  }
  return description;
}

const Mechanism& ParameterVariation::at(double s, bool lengths) {
  std::unique_ptr<const Mechanism>& made = made_[{lengths, s}];
  if (!made) {
    made = std::make_unique<const Mechanism>(changed(s, lengths));
  }
  return *made;
}

}  // namespace mbdbench
