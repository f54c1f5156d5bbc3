#include "experiments/precise/states/precise_state_map.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

/// How many components of u a number of the choice tells.
constexpr int kBits = 50;

/// Of Newton's method: from rounding of doubles each halves the exponent, from 1e-13 to 1e-26 and less. Rows that
/// repeat others to rounding alone leave 1e-16 of an error each time.
constexpr int kClosings = 4;

/// "q.hip", "q.hip.2"
std::string joint_component(const char* symbol, const Joint& joint, int component, int count) {
  return symbol + ("." + joint.name) + (count == 1 ? "" : "." + std::to_string(component + 1));
}

bool is_prescribed(const Joint& joint, int component) {
  return std::any_of(joint.motions.begin(), joint.motions.end(),
                     [component](const JointMotion& motion) { return motion.component == component; });
}

/// \returns n - 1 of a name that is the prefix and n; nothing: -1.
int numbered(std::string_view name, std::string_view prefix) {
  int number = 0;
  if (!name.starts_with(prefix)) {
    return -1;
  }
  const std::string_view digits = name.substr(prefix.size());
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() ? number - 1 : -1;
}

}  // namespace

PreciseStateMap::PreciseStateMap(const Formulation& formulation) : mechanism_(&formulation.mechanism()) {
  Names names = names_of_joints();
  add_names_of_bodies(names);
  independent_.assign(index_of(mechanism_->u_size()), false);
  quaternions_.assign(mechanism_->bodies().size(), 0);
  for (const StateComponent& one : formulation.layout()) {
    const Component& component = components_.emplace_back(named(names, one));
    names_.push_back(one.name);
    if (component.kind == Kind::momentum) {
      independent_[index_of(component.index)] = true;
    } else if (component.kind == Kind::quaternion && component.part == 0) {
      quaternions_[index_of(component.index)] = components_.size() - 1;
    }
  }
}

PreciseStateMap::Names PreciseStateMap::names_of_joints() const {
  Names names;
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nq; ++i) {
      names[joint_component("q", joint, i, joint.nq)] = {Kind::coordinate, joint.q_offset + i, 0};
    }
    for (int i = 0; i < joint.nu; ++i) {
      names[joint_component("v", joint, i, joint.nu)] = {Kind::velocity, joint.u_offset + i, 0};
      names[joint_component("p", joint, i, joint.nu)] = {Kind::momentum, joint.u_offset + i, 0};
    }
  }
  const auto cuts = mechanism_->cut_joints();
  for (int cut = 0; cut < static_cast<int>(cuts.size()); ++cut) {
    const Joint& joint = cuts[index_of(cut)];
    for (int i = 0; i < joint.nq; ++i) {
      const bool quaternion = has_quaternion(joint.type) && i < 4;
      names[joint_component("q", joint, i, joint.nq)] = {quaternion ? Kind::cut_quaternion : Kind::cut_coordinate, cut,
                                                         i};
      names[joint_component("turn", joint, i, joint.nq)] = {Kind::turn, cut, i};
    }
    for (int i = 0; i < joint.nu; ++i) {
      names[joint_component("v", joint, i, joint.nu)] = {Kind::cut_velocity, cut, i};
    }
  }
  return names;
}

void PreciseStateMap::add_names_of_bodies(Names& names) const {
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const auto add = [&](const char* symbol, int count, Kind kind) {
      for (int i = 0; i < count; ++i) {
        names[symbol + ("." + mechanism_->bodies()[index_of(k)].name) + "." + std::to_string(i + 1)] = {kind, k, i};
      }
    };
    add("r", 3, Kind::place);
    add("e", 4, Kind::quaternion);
    add("vr", 3, Kind::place_rate);
    add("ve", 4, Kind::quaternion_rate);
  }
}

PreciseStateMap::Component PreciseStateMap::named(const Names& names, const StateComponent& one) const {
  if (const auto found = names.find(one.name); found != names.end()) {
    return found->second;
  }
  if (one.constant || numbered(one.name, "q.independent") >= 0 || numbered(one.name, "v.independent") >= 0 ||
      numbered(one.name, "p.independent") >= 0) {
    return {};
  }
  throw std::invalid_argument("the reference of 113 bits does not know component '" + one.name + "' of its states");
}

void PreciseStateMap::choose(std::span<const double> x) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (numbered(names_[i], "dependent.") >= 0) {
      words.push_back(static_cast<std::uint64_t>(x[i]));
    }
  }
  if (words.empty()) {
    return;
  }
  const auto stands_out = [&](int component) {
    return (words[index_of(component / kBits)] >> (component % kBits)) & 1U;
  };
  const bool momenta = std::any_of(names_.begin(), names_.end(),
                                   [](const std::string& name) { return numbered(name, "p.independent") >= 0; });
  std::vector<int> rates;
  std::vector<int> coordinates;
  // Quaternions come first: they keep their places whatever the choice.
  for (const bool scalar : {false, true}) {
    for (const Joint& joint : mechanism_->tree_joints()) {
      for (int i = 0; i < joint.nq && has_coordinate_rates(joint.type) == scalar; ++i) {
        // What is prescribed has no momentum, and is no dependent coordinate all the same.
        if (!scalar || stands_out(joint.u_offset + i) == 0 || (momenta && is_prescribed(joint, i))) {
          coordinates.push_back(joint.q_offset + i);
        }
      }
    }
  }
  for (int component = 0; component < mechanism_->u_size(); ++component) {
    if (stands_out(component) == 0) {
      rates.push_back(component);
    }
    independent_[index_of(component)] = stands_out(component) == 0;
  }
  const auto entry = [](const std::vector<int>& all, int place) {
    if (index_of(place) >= all.size()) {
      throw StateError("its dependent.1, ... leave fewer components independent than the state holds");
    }
    return all[index_of(place)];
  };
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (const int place = numbered(names_[i], "q.independent"); place >= 0) {
      components_[i] = {Kind::coordinate, entry(coordinates, place), 0};
    }
    for (const auto& [prefix, kind] :
         {std::pair("v.independent", Kind::velocity), std::pair("p.independent", Kind::momentum)}) {
      if (const int place = numbered(names_[i], prefix); place >= 0) {
        components_[i] = {kind, entry(rates, place), 0};
      }
    }
  }
}

std::vector<PreciseStateMap::Left> PreciseStateMap::left_to_loops() const {
  std::vector<bool> held(index_of(mechanism_->q_size()), !has(Kind::coordinate) || has(Kind::momentum));
  for (const Component& one : components_) {
    if (one.kind == Kind::coordinate) {
      held[index_of(one.index)] = true;
    }
  }
  std::vector<Left> left;
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nu && has_coordinate_rates(joint.type); ++i) {
      if (!held[index_of(joint.q_offset + i)]) {
        left.push_back({joint.q_offset + i, joint.u_offset + i});
      }
    }
  }
  return left;
}

void PreciseStateMap::close(PreciseMotion& motion, double t, Reals& q, Reals& u, double open) const {
  const std::vector<Left> left = left_to_loops();
  if (left.empty()) {
    return;
  }
  const auto change_to = [&](const RealVector& excess) -> RealVector {
    RealMatrix columns(excess.size(), static_cast<Eigen::Index>(left.size()));
    for (std::size_t k = 0; k < left.size(); ++k) {
      columns.col(static_cast<Eigen::Index>(k)) = motion.loops().jacobian().col(left[k].u);
    }
    return columns.colPivHouseholderQr().solve(-excess);
  };
  RealVector gaps = RealVector::Zero(motion.loops().rows());
  const Eigen::VectorXd& units = mechanism_->scales().rows;  // rows times these are about 1
  for (Eigen::Index row = 0; row < std::min(gaps.size(), units.size()); ++row) {
    gaps[row] = Real(row % 2 == 0 ? open : -open) / Real(units[row]);
  }
  for (int i = 0; i < kClosings; ++i) {
    motion.place(t, q);
    const RealVector change = change_to(motion.loops().openings() - gaps);
    for (std::size_t k = 0; k < left.size(); ++k) {
      q[index_of(left[k].q)] += change[static_cast<Eigen::Index>(k)];
    }
  }
  motion.place(t, q);
  const RealVector change = change_to(motion.loops().jacobian() * as_vector(u) + motion.loops().time_rates());
  for (std::size_t k = 0; k < left.size(); ++k) {
    u[index_of(static_cast<int>(left[k].u))] += change[static_cast<Eigen::Index>(k)];
  }
}

}  // namespace mbdbench::precise
