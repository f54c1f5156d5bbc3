#include "formulations/naudet/closed_state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// A double holds 53 bits exactly; 50 keep the decimal numbers short.
constexpr std::size_t kBits = 50;

bool contains(std::span<const int> sorted, int value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

bool is_prescribed(const Joint& joint, int component) {
  return std::any_of(joint.motions.begin(), joint.motions.end(),
                     [component](const JointMotion& motion) { return motion.component == component; });
}

/// "q.hip", "q.hip.2"
std::string component_name(const char* symbol, const Joint& joint, int component, int count) {
  return symbol + ("." + joint.name) + (count == 1 ? "" : "." + std::to_string(component + 1));
}

}  // namespace

std::string component_names(const Mechanism& mechanism, std::span<const int> components) {
  std::string names;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const int component : components) {
      if (const int own = component - joint.u_offset; own >= 0 && own < joint.nu) {
        names += (names.empty() ? "" : ", ") + joint.name + (joint.nu == 1 ? "" : "." + std::to_string(own + 1));
      }
    }
  }
  return names;
}

ClosedState::ClosedState(const Mechanism& mechanism, ClosedStateForm form, std::span<const int> dependent)
    : mechanism_(&mechanism), form_(form) {
  coordinates_.reserve(index_of(mechanism.q_size()));
  rates_.reserve(index_of(mechanism.u_size()));
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      prescribed_.push_back(is_prescribed(joint, i));
    }
  }
  if (!form.reduced) {
    for (const Joint& joint : mechanism.cut_joints()) {
      cut_coordinate_count_ += index_of(joint.nq);
      cut_rate_count_ += form.rate_kind == StateKind::velocity ? index_of(joint.nu) : 0;
    }
  }
  set_dependent(dependent);
}

void ClosedState::set_dependent(std::span<const int> dependent) {
  coordinates_.clear();
  rates_.clear();
  // Coordinates that never depend come first in reduced states: a quaternion keeps its place whatever the choice.
  for (const bool scalar : {false, true}) {
    for (const Joint& joint : mechanism_->tree_joints()) {
      if (form_.reduced && has_coordinate_rates(joint.type) != scalar) {
        continue;
      }
      if (!form_.reduced && scalar) {
        continue;
      }
      for (int i = 0; i < joint.nq; ++i) {
        if (!(form_.reduced && scalar && contains(dependent, joint.u_offset + i))) {
          coordinates_.push_back(joint.q_offset + i);
        }
      }
    }
  }
  const bool momentum = form_.rate_kind == StateKind::momentum;
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      const bool depends = (momentum || form_.reduced) && contains(dependent, joint.u_offset + i);
      if (!depends && !(momentum && is_prescribed(joint, i))) {
        rates_.push_back(joint.u_offset + i);
      }
    }
  }
}

std::size_t ClosedState::choice_words() const {
  return form_.switching ? (index_of(mechanism_->u_size()) + kBits - 1) / kBits : 0;
}

std::vector<StateComponent> ClosedState::layout() const {
  const char* const symbol = form_.rate_kind == StateKind::momentum ? "p" : "v";
  std::vector<StateComponent> coordinate_names(index_of(mechanism_->q_size()));
  std::vector<StateComponent> rate_names(index_of(mechanism_->u_size()));
  const auto kind_of = [](const Joint& joint, int i) {
    return has_quaternion(joint.type) && i < 4 ? StateKind::quaternion : StateKind::position;
  };
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nq; ++i) {
      coordinate_names[index_of(joint.q_offset + i)] = {component_name("q", joint, i, joint.nq), kind_of(joint, i),
                                                        joint.name};
    }
    for (int i = 0; i < joint.nu; ++i) {
      rate_names[index_of(joint.u_offset + i)] = {component_name(symbol, joint, i, joint.nu), form_.rate_kind,
                                                  joint.name};
    }
  }
  std::vector<StateComponent> layout;
  for (const int coordinate : coordinates_) {
    layout.push_back(coordinate_names[index_of(coordinate)]);
    if (form_.reduced && form_.switching && layout.back().kind == StateKind::position) {
      layout.back().name = "q.independent" + std::to_string(layout.size());
    }
  }
  const auto cut_joints = mechanism_->cut_joints();
  if (cut_coordinate_count_ > 0) {
    for (const Joint& joint : cut_joints) {
      for (int i = 0; i < joint.nq; ++i) {
        layout.push_back({component_name("q", joint, i, joint.nq), kind_of(joint, i), joint.name});
      }
    }
  }
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    layout.push_back(rate_names[index_of(rates_[i])]);
    if (form_.switching) {
      layout.back().name = symbol + (".independent" + std::to_string(i + 1));
    }
  }
  if (cut_rate_count_ > 0) {
    for (const Joint& joint : cut_joints) {
      for (int i = 0; i < joint.nu; ++i) {
        layout.push_back({component_name(symbol, joint, i, joint.nu), form_.rate_kind, joint.name});
      }
    }
  }
  const std::string& told_by = (cut_joints.empty() ? mechanism_->tree_joints() : cut_joints).front().name;
  for (std::size_t word = 0; word < choice_words(); ++word) {
    layout.push_back({"dependent." + std::to_string(word + 1), StateKind::position, told_by, true});
  }
  return layout;
}

void ClosedState::write_choice(std::span<double> x) const {
  for (std::size_t word = 0; word < choice_words(); ++word) {
    std::uint64_t bits = 0;
    const std::size_t last = std::min(kBits * (word + 1), index_of(mechanism_->u_size()));
    for (std::size_t component = kBits * word; component < last; ++component) {
      const bool independent = std::find(rates_.begin(), rates_.end(), static_cast<int>(component)) != rates_.end();
      bits |= independent ? 0U : std::uint64_t{1} << (component % kBits);
    }
    x[choice_at() + word] = static_cast<double>(bits);
  }
}

bool ClosedState::read_choice(std::span<const double> x, std::span<int> dependent) const {
  std::size_t found = 0;
  for (std::size_t place = 0; place < choice_words(); ++place) {
    const double word = x[choice_at() + place];
    if (!(word >= 0.0 && word < 0x1p53)) {
      return false;
    }
    for (auto bits = static_cast<std::uint64_t>(std::llround(word)); bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
      const std::size_t component = kBits * place + bit;
      if (bit >= kBits || component >= prescribed_.size() || prescribed_[component]) {
        continue;
      }
      if (found == dependent.size()) {
        return false;
      }
      dependent[found++] = static_cast<int>(component);
    }
  }
  return found == dependent.size();
}

}  // namespace mbdbench
