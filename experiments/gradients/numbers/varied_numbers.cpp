#include "experiments/gradients/numbers/varied_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"
#include "mechanisms/model/start/moved_start.hpp"

namespace mbdbench::gradients {
namespace {

/// A number that could be varied, with its value.
struct Candidate {
  VariedNumber number;
  double value = 0.0;
};

bool is_driven(const Joint& joint, std::size_t component) {
  return std::any_of(joint.motions.begin(), joint.motions.end(),
                     [&](const JointMotion& motion) { return index_of(motion.component) == component; });
}

std::vector<Candidate> candidates(const Mechanism& mechanism) {
  std::vector<Candidate> all;
  const auto& bodies = mechanism.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    all.push_back({{VariedKind::mass, "mass." + bodies[i].name, i}, bodies[i].mass});
  }
  std::size_t count = 0;
  const auto add_spring = [&](const auto& spring) {
    all.push_back({{VariedKind::stiffness, "stiffness." + spring.name, count}, spring.stiffness});
    all.push_back({{VariedKind::damping, "damping." + spring.name, count}, spring.damping});
    ++count;
  };
  const MechanismDescription& description = mechanism.description();
  std::for_each(description.joint_springs.begin(), description.joint_springs.end(), add_spring);
  std::for_each(description.point_springs.begin(), description.point_springs.end(), add_spring);
  const std::vector<std::optional<LinkLength>> links = link_lengths(mechanism);
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (links[k]) {
      all.push_back(
          {{VariedKind::length, "length." + mechanism.tree_joints()[k].name, links[k]->joint}, links[k]->length});
    }
  }
  for (const StartValue& value : start_values(mechanism)) {
    const Joint& joint = mechanism.tree_joints()[value.joint];
    // Four numbers of a quaternion are three of a turn: an optimiser has no use for them.
    const bool in_quaternion = !value.rate && has_quaternion(joint.type) && value.component < 4;
    if (!in_quaternion && !is_driven(joint, value.component)) {
      all.push_back(
          {{value.rate ? VariedKind::start_velocity : VariedKind::start_position, value.name, index_of(value.place)},
           value.in(mechanism.q0(), mechanism.u0())});
    }
  }
  return all;
}

/// Calls `use(spring)` with that of a place as VariedNumber has it.
template <typename Description, typename Use>
void with_spring(Description& description, std::size_t place, const Use& use) {
  const std::size_t in_joints = description.joint_springs.size();
  if (place < in_joints) {
    use(description.joint_springs[place]);
  } else {
    use(description.point_springs[place - in_joints]);
  }
}

/// \returns the joint and the component that a word such as "slider" or "hip.2" says. Names may have dots themselves.
std::optional<std::pair<JointReference, int>> joint_component(const Mechanism& mechanism, const std::string& word) {
  if (const auto joint = mechanism.find_joint(word)) {
    return std::pair(*joint, 0);
  }
  const std::size_t dot = word.rfind('.');
  if (dot == std::string::npos || dot + 2 != word.size() || word[dot + 1] < '1' || word[dot + 1] > '6') {
    return std::nullopt;
  }
  const auto joint = mechanism.find_joint(word.substr(0, dot));
  return joint ? std::optional(std::pair(*joint, word[dot + 1] - '1')) : std::nullopt;
}

}  // namespace

VariedNumbers::VariedNumbers(const Mechanism& mechanism, std::span<const std::string> names,
                             std::vector<Control> controls)
    : description_(mechanism.description()), q_(mechanism.q0()), u_(mechanism.u0()), controls_(std::move(controls)) {
  add(mechanism, names);
  for (const Control& control : controls_) {
    add_control(mechanism, control);
  }
  tie_starts(mechanism);
}

void VariedNumbers::add(const Mechanism& mechanism, std::span<const std::string> names) {
  const std::vector<Candidate> all = candidates(mechanism);
  std::map<std::string_view, const Candidate*> by_name;
  for (const Candidate& one : all) {
    by_name.emplace(one.number.name, &one);
  }
  std::set<std::string_view> taken;
  for (const std::string& name : names) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      std::vector<std::string> known;
      std::transform(all.begin(), all.end(), std::back_inserter(known),
                     [](const Candidate& one) { return one.number.name; });
      throw std::invalid_argument(fmt::format("parameter '{}': mechanism '{}' has none of that name; {}", name,
                                              mechanism.name(), suggest_name(name, known, "parameters")));
    }
    if (!taken.insert(name).second) {
      throw std::invalid_argument(fmt::format("parameter '{}' stands twice", name));
    }
    numbers_.push_back(found->second->number);
    own_values_.push_back(found->second->value);
    if (numbers_.back().kind == VariedKind::length) {
      const std::string& joint = description_.joints[numbers_.back().place].name;
      links_.push_back({joint, mechanism.find_joint(joint)->index, link_length(mechanism, joint)});
      numbers_.back().place = links_.size() - 1;
    }
  }
}

void VariedNumbers::add_control(const Mechanism& mechanism, const Control& control) {
  const auto found = joint_component(mechanism, control.joint);
  if (!found || found->first.cut || found->second >= mechanism.joint(found->first).nu) {
    std::vector<std::string> known;
    for (const Joint& joint : mechanism.tree_joints()) {
      for (int i = 1; i <= joint.nu; ++i) {
        known.push_back(joint.nu == 1 ? joint.name : fmt::format("{}.{}", joint.name, i));
      }
    }
    throw std::invalid_argument(fmt::format("control '{}': mechanism '{}' has no such joint in its tree; {}",
                                            control.joint, mechanism.name(),
                                            suggest_name(control.joint, known, "joints")));
  }
  const Joint& joint = mechanism.joint(found->first);
  if (is_driven(joint, index_of(found->second))) {
    throw std::invalid_argument(
        fmt::format("control '{}': the joint follows a prescribed motion, a force does nothing there", control.joint));
  }
  if (control.times.size() < 2) {
    throw std::invalid_argument(
        fmt::format("control '{}': has {} times; it needs two or more", control.joint, control.times.size()));
  }
  for (std::size_t k = 0; k < control.times.size(); ++k) {
    if (!std::isfinite(control.times[k]) || (k > 0 && !(control.times[k] > control.times[k - 1]))) {
      throw std::invalid_argument(fmt::format("control '{}': time {} is {}; times must be finite and increase",
                                              control.joint, k + 1, control.times[k]));
    }
  }
  const std::size_t u = index_of(joint.u_offset + found->second);
  if (std::find(loaded_.begin(), loaded_.end(), u) != loaded_.end()) {
    throw std::invalid_argument(fmt::format("control '{}' stands twice", control.joint));
  }
  const std::size_t index = loaded_.size();
  first_of_.push_back(numbers_.size());
  loaded_.push_back(u);
  for (std::size_t k = 0; k < control.times.size(); ++k) {
    numbers_.push_back({VariedKind::control, fmt::format("force.{}@{}", control.joint, control.times[k]), index, k});
    own_values_.push_back(0.0);
  }
  JointLoadDescription load;
  const auto& loads = description_.joint_loads;
  for (std::size_t n = index + 1; load.name.empty(); ++n) {  // joints may have names too long for one more word
    const std::string name = fmt::format("control{}", n);
    if (std::none_of(loads.begin(), loads.end(), [&](const auto& other) { return other.name == name; })) {
      load.name = name;
    }
  }
  load.joint = joint.name;
  load.component = found->second;
  load.law = TableLaw{"t", control.times, std::vector<double>(control.times.size())};
  description_.joint_loads.push_back(load);
}

bool VariedNumbers::any(VariedKind kind) const {
  return std::any_of(numbers_.begin(), numbers_.end(), [kind](const VariedNumber& one) { return one.kind == kind; });
}

KnotShares VariedNumbers::shares(std::size_t control, double t) const {
  const std::vector<double>& times = controls_[control].times;
  if (t <= times.front()) {
    return {};
  }
  if (t >= times.back()) {
    return {times.size() - 1, 1.0, 0.0};
  }
  const auto next = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin());
  const double second = (t - times[next - 1]) / (times[next] - times[next - 1]);
  return {next - 1, 1.0 - second, second};
}

Mechanism VariedNumbers::with(std::span<const double> values) const {
  MechanismDescription description = description_;
  const std::size_t first_control = description.joint_loads.size() - controls_.size();
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const VariedNumber& number = numbers_[i];
    const double value = values[i];
    if (!std::isfinite(value)) {
      throw std::invalid_argument(fmt::format("parameter '{}' is {}; it must be finite", number.name, value));
    }
    switch (number.kind) {
      case VariedKind::mass:
        description.bodies[number.place].mass = value;
        break;
      case VariedKind::stiffness:
        with_spring(description, number.place, [value](auto& spring) { spring.stiffness = value; });
        break;
      case VariedKind::damping:
        with_spring(description, number.place, [value](auto& spring) { spring.damping = value; });
        break;
      case VariedKind::length: {
        const LinkLength& link = links_[number.place].own;
        if (!(value > 0.0)) {
          throw ModelError({}, fmt::format("parameter '{}' is {}; a length must be positive", number.name, value));
        }
        description.joints[link.joint].frame_a.position = link.from + value * link.along;
        break;
      }
      case VariedKind::control:
        std::get<TableLaw>(description.joint_loads[first_control + number.place].law).values[number.knot] = value;
        break;
      case VariedKind::start_position:
      case VariedKind::start_velocity:
        break;  // `start` has them: the mechanism's own would be moved to close loops
    }
  }
  if (slides_) {
    // With other lengths its own start is open, and may close by joints that stay where `start` closes it.
    put_start(start_values_, start(values), description);
  }
  return Mechanism(std::move(description));
}

void VariedNumbers::tie_starts(const Mechanism& mechanism) {
  if (mechanism.closing_row_count() == 0) {
    return;  // prescribed motions alone tie no joint to another
  }
  if (!mechanism.held_by_velocity().empty()) {
    for (const VariedNumber& number : numbers_) {
      if (number.kind == VariedKind::length || number.kind == VariedKind::start_position ||
          number.kind == VariedKind::start_velocity) {
        throw std::invalid_argument(fmt::format(
            "parameter '{}': '{}' holds velocities without an equation of positions, and starts that follow "
            "it are not differentiated; vary masses, springs or controls",
            number.name, mechanism.held_by_velocity()));
      }
    }
    return;
  }
  if (!links_.empty()) {
    std::vector<std::string> joints;
    std::transform(links_.begin(), links_.end(), std::back_inserter(joints),
                   [](const VariedLink& link) { return link.joint; });
    slides_.emplace(mechanism, joints);
    start_values_ = start_values(mechanism);
  }
  const Mechanism& moved = slides_ ? slides_->mechanism() : mechanism;
  std::vector<VariedComponent> positions;
  std::vector<VariedComponent> velocities;
  for (const VariedNumber& number : numbers_) {
    for (const Joint& own : mechanism.tree_joints()) {
      const Joint& joint = moved.joint(*moved.find_joint(own.name));
      // Of joints with a quaternion only what follows it is varied, one place further on than in u.
      const int q = static_cast<int>(number.place) - own.q_offset;
      const int u = static_cast<int>(number.place) - own.u_offset;
      if (number.kind == VariedKind::start_position && q >= 0 && q < joint.nq) {
        positions.push_back({number.name, joint.q_offset + q, joint.u_offset + q - (joint.nq - joint.nu)});
      } else if (number.kind == VariedKind::start_velocity && u >= 0 && u < joint.nu) {
        velocities.push_back({number.name, 0, joint.u_offset + u});
      }
    }
  }
  // A longer link is a displaced slide at rest.
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const auto place = static_cast<int>(slides_->displacement(k));
    const auto slide = std::find_if(moved.tree_joints().begin(), moved.tree_joints().end(),
                                    [place](const Joint& joint) { return joint.q_offset == place; });
    positions.push_back({"length." + links_[k].joint, place, slide->u_offset, links_[k].own.length});
    velocities.push_back({"length." + links_[k].joint, 0, slide->u_offset});
  }
  if (!positions.empty() || !velocities.empty()) {
    loops_.emplace(moved, std::move(positions), std::move(velocities));
  }
}

RunStart VariedNumbers::start(std::span<const double> values) const {
  RunStart start{q_, u_, Eigen::VectorXd::Zero(static_cast<Eigen::Index>(links_.size()))};
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const auto place = static_cast<Eigen::Index>(numbers_[i].place);
    if (numbers_[i].kind == VariedKind::start_position) {
      start.q[place] = values[i];
    } else if (numbers_[i].kind == VariedKind::start_velocity) {
      start.u[place] = values[i];
    } else if (numbers_[i].kind == VariedKind::length) {
      start.longer[place] = values[i] - links_[numbers_[i].place].own.length;
    }
  }
  if (loops_) {
    RunStart closed = with_slides(start);
    loops_->close(closed.q, closed.u);
    for (std::size_t i = 0; slides_ && i < slides_->own().size(); ++i) {
      const auto place = static_cast<Eigen::Index>(i);
      const int own = slides_->own()[i];
      if (own >= 0) {
        (own < start.q.size() ? start.q[own] : start.u[own - start.q.size()]) =
            place < closed.q.size() ? closed.q[place] : closed.u[place - closed.q.size()];
      }
    }
    if (!slides_) {
      start = closed;
    }
  }
  return start;
}

ChangeableComponents VariedNumbers::following() const {
  if (!loops_) {
    return {};
  }
  ChangeableComponents own = loops_->following();
  // What is varied does not follow, and slides are varied.
  for (std::vector<int>* const components : {&own.positions, &own.velocities}) {
    for (int& component : *components) {
      component = slides_ ? slides_->own()[index_of(slides_->mechanism().q_size() + component)] - q_size() : component;
    }
  }
  return own;
}

RunStart VariedNumbers::with_slides(const RunStart& start) const {
  if (!slides_) {
    return start;
  }
  const Mechanism& moved = slides_->mechanism();
  Eigen::VectorXd all(static_cast<Eigen::Index>(slides_->state_size()));
  for (std::size_t i = 0; i < slides_->own().size(); ++i) {
    const int own = slides_->own()[i];
    all[static_cast<Eigen::Index>(i)] = own < 0                ? 0.0
                                        : own < start.q.size() ? start.q[own]
                                                               : start.u[own - start.q.size()];
  }
  for (std::size_t k = 0; k < links_.size(); ++k) {
    all[static_cast<Eigen::Index>(slides_->displacement(k))] = start.longer[static_cast<Eigen::Index>(k)];
  }
  return {all.head(moved.q_size()), all.tail(moved.u_size()), start.longer};
}

StartDerivatives VariedNumbers::start_derivatives(const RunStart& at) const {
  if (!loops_) {
    return {*this, {}};
  }
  const RunStart all = with_slides(at);
  Eigen::MatrixXd columns = loops_->derivatives(all.q, all.u);
  if (!slides_) {
    return {*this, std::move(columns)};
  }
  Eigen::MatrixXd own(at.q.size() + at.u.size(), columns.cols());
  for (std::size_t i = 0; i < slides_->own().size(); ++i) {
    if (slides_->own()[i] >= 0) {
      own.row(slides_->own()[i]) = columns.row(static_cast<Eigen::Index>(i));
    }
  }
  return {*this, std::move(own)};
}

StartDerivatives::StartDerivatives(const VariedNumbers& numbers, Eigen::MatrixXd columns)
    : numbers_(&numbers), columns_(std::move(columns)) {}

template <typename Each>
void StartDerivatives::for_entries(const Each& each) const {
  Eigen::Index column = 0;
  // As loops_ has them.
  for (const VariedKind kind : {VariedKind::start_position, VariedKind::length, VariedKind::start_velocity}) {
    for (std::size_t i = 0; i < numbers_->size(); ++i) {
      const VariedNumber& number = numbers_->numbers()[i];
      if (number.kind != kind) {
        continue;
      }
      if (columns_.size() == 0 && kind == VariedKind::length) {
        continue;
      }
      if (columns_.size() == 0) {
        each(i, index_of(kind == VariedKind::start_velocity ? numbers_->q_size() : 0) + number.place, 1.0);
        continue;
      }
      for (Eigen::Index row = 0; row < columns_.rows(); ++row) {
        each(i, index_of(row), columns_(row, column));
      }
      ++column;
    }
  }
}

void StartDerivatives::add_weights(std::span<const double> by_q, std::span<const double> by_u,
                                   std::span<double> by_numbers) const {
  for_entries([&](std::size_t number, std::size_t place, double share) {
    by_numbers[number] += share * (place < by_q.size() ? by_q[place] : by_u[place - by_q.size()]);
  });
}

void StartDerivatives::change(std::span<const double> of_numbers, std::span<double> of_q,
                              std::span<double> of_u) const {
  for_entries([&](std::size_t number, std::size_t place, double share) {
    (place < of_q.size() ? of_q[place] : of_u[place - of_q.size()]) += share * of_numbers[number];
  });
}

const std::string& spring_name(const MechanismDescription& description, std::size_t place) {
  const std::string* name = nullptr;
  with_spring(description, place, [&name](const auto& spring) { name = &spring.name; });
  return *name;
}

void put_start(const Mechanism& mechanism, const RunStart& start, MechanismDescription& description) {
  put_start(start_values(mechanism), start, description);
}

void put_start(std::span<const StartValue> values, const RunStart& start, MechanismDescription& description) {
  for (const StartValue& value : values) {
    JointDescription& joint = description.joints[value.joint];
    (value.rate ? joint.v0 : joint.q0)[value.component] = value.in(start.q, start.u);
  }
}

}  // namespace mbdbench::gradients
