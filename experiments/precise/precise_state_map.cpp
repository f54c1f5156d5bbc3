#include "experiments/precise/precise_state_map.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "experiments/precise/precise_cut_coordinates.hpp"
#include "experiments/precise/precise_springs.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

/// Of rates by differences of fourth order: truncation leaves 1e-24, rounding 1e-28.
constexpr double kRateStep = 1e-6;
/// Rows of constraints that repeat others, relative to the largest: positions are those of doubles.
constexpr double kRepeatedRows = 1e-10;
/// How many components of u a number of the choice tells.
constexpr int kBits = 50;

using Quaternion = Eigen::Matrix<Real, 4, 1>;

/// \returns that of a rotation, of two the one on the side of `near`. \param near four numbers
Quaternion quaternion_of(const Matrix& rotation, std::span<const double> near) {
  const Eigen::Quaternion<Real> e(rotation);
  const Quaternion found = Quaternion(e.w(), e.x(), e.y(), e.z()).normalized();
  Real along = 0.0;
  for (Eigen::Index i = 0; i < 4; ++i) {
    along += found[i] * Real(near[index_of(i)]);
  }
  return along < 0 ? Quaternion(-found) : found;
}

/// \returns e' where the body turns by omega, in its own axes.
Quaternion quaternion_rate(const Quaternion& e, const Vector& omega) {
  const Vector vector = e.tail<3>();
  const Vector turned = (omega * e[0] + vector.cross(omega)) * Real(0.5);
  return {-vector.dot(omega) * Real(0.5), turned[0], turned[1], turned[2]};
}

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

Vector centre_of(const TreeBody& body, const Body& given) {
  return point_on(body, given.com);
}

}  // namespace

PreciseStateMap::PreciseStateMap(const Formulation& formulation) : mechanism_(&formulation.mechanism()) {
  Names names = names_of_joints();
  add_names_of_bodies(names);
  independent_.assign(index_of(mechanism_->u_size()), false);
  for (const StateComponent& one : formulation.layout()) {
    components_.push_back(named(names, one));
    names_.push_back(one.name);
    if (components_.back().kind == Kind::momentum) {
      independent_[index_of(components_.back().index)] = true;
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
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (const int place = numbered(names_[i], "q.independent"); place >= 0) {
      components_[i] = {Kind::coordinate, coordinates.at(index_of(place)), 0};
    }
    for (const auto& [prefix, kind] :
         {std::pair("v.independent", Kind::velocity), std::pair("p.independent", Kind::momentum)}) {
      if (const int place = numbered(names_[i], prefix); place >= 0) {
        components_[i] = {kind, rates.at(index_of(place)), 0};
      }
    }
  }
}

bool PreciseStateMap::has(Kind kind) const {
  return std::any_of(components_.begin(), components_.end(), [kind](const Component& one) { return one.kind == kind; });
}

RealVector PreciseStateMap::independent_momenta(PreciseMotion& motion, const JointMotionState& at) const {
  // B^T takes from momenta what keeps those of dependent components zero: M u - Phi_q^T sigma.
  const Reals all = motion.momenta(at.q, at.u);
  const Eigen::Map<const RealVector> momenta = as_vector(all);
  const RealMatrix& rows = motion.loops().jacobian();
  const auto dependents = std::count(independent_.begin(), independent_.end(), false);
  if (dependents == 0 || rows.rows() == 0) {
    return momenta;
  }
  RealMatrix held(dependents, rows.rows());
  RealVector excess(dependents);
  Eigen::Index next = 0;
  for (Eigen::Index i = 0; i < momenta.size(); ++i) {
    if (!independent_[index_of(i)]) {
      held.row(next) = rows.col(i).transpose();
      excess[next++] = momenta[i];
    }
  }
  Eigen::ColPivHouseholderQR<RealMatrix> solver;
  solver.setThreshold(Real(kRepeatedRows));
  solver.compute(held);
  const RealVector sigma = solver.solve(excess);
  return momenta - rows.transpose() * sigma;
}

Real PreciseStateMap::value(const Component& one, PreciseMotion& motion, const JointMotionState& at,
                            std::span<const double> near) const {
  const auto cut_bodies = [&](const Joint& joint) { return CutBodies{motion.body(joint.a), motion.body(joint.b)}; };
  switch (one.kind) {
    case Kind::coordinate:
      return at.q[index_of(one.index)];
    case Kind::velocity:
      return at.u[index_of(one.index)];
    case Kind::cut_coordinate:
    case Kind::turn: {
      const Joint& joint = mechanism_->cut_joints()[index_of(one.index)];
      if (joint.type == JointType::free) {
        return cut_pose(joint, cut_bodies(joint)).translation[one.part - 4];
      }
      return cut_coordinate(joint, one.part, cut_bodies(joint), near[0]);
    }
    case Kind::cut_quaternion: {
      const Joint& joint = mechanism_->cut_joints()[index_of(one.index)];
      return quaternion_of(cut_pose(joint, cut_bodies(joint)).rotation, near)[one.part];
    }
    case Kind::cut_velocity: {
      const Joint& joint = mechanism_->cut_joints()[index_of(one.index)];
      return cut_velocity(joint, one.part, cut_bodies(joint));
    }
    default:
      break;
  }
  const TreeBody& body = motion.body(one.index);
  const Vector centre = centre_of(body, mechanism_->bodies()[index_of(one.index)]);
  switch (one.kind) {
    case Kind::place:
      return centre[one.part];
    case Kind::place_rate:
      return velocity_at(body, centre)[one.part];
    case Kind::quaternion:
      return quaternion_of(body.rotation, near)[one.part];
    case Kind::quaternion_rate: {
      const Vector omega = body.rotation.transpose() * Vector(body.velocity.tail<3>());
      return quaternion_rate(quaternion_of(body.rotation, near), omega)[one.part];
    }
    default:
      return 0.0;
  }
}

Reals PreciseStateMap::state(PreciseMotion& motion, double t, const JointMotionState& at,
                             std::span<const double> near) const {
  motion.go_to(t, at.q, at.u);
  const RealVector momenta = has(Kind::momentum) ? independent_momenta(motion, at) : RealVector();
  Reals x;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Component& one = components_[i];
    if (one.kind == Kind::momentum) {
      x.push_back(momenta[one.index]);
    } else if (one.kind == Kind::held) {
      x.emplace_back(near[i]);
    } else if (one.kind == Kind::cut_quaternion || one.kind == Kind::quaternion) {
      x.push_back(value(one, motion, at, near.subspan(i - index_of(one.part), 4)));
    } else if (one.kind == Kind::quaternion_rate) {
      const auto own = std::find_if(components_.begin(), components_.end(), [&](const Component& each) {
        return each.kind == Kind::quaternion && each.index == one.index;
      });
      x.push_back(value(one, motion, at, near.subspan(static_cast<std::size_t>(own - components_.begin()), 4)));
    } else {
      x.push_back(value(one, motion, at, near.subspan(i)));
    }
  }
  return x;
}

void PreciseStateMap::look_near(PreciseMotion& motion, std::span<const double> near) const {
  for (std::size_t i = 0; i < components_.size(); ++i) {
    if (components_[i].kind == Kind::turn) {
      motion.near().set({components_[i].index, components_[i].part}, near[i]);
    }
  }
}

Reals PreciseStateMap::rates(PreciseMotion& motion, double t, const JointMotionState& at,
                             std::span<const double> near) const {
  look_near(motion, near);
  const Reals changes = motion.accelerations(t, at.q, at.u);
  const Reals qdot = motion.coordinate_rates(at.q, at.u);
  const auto after = [&](double step) {
    Reals q(at.q.begin(), at.q.end());
    Reals u(at.u.begin(), at.u.end());
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] += Real(step) * qdot[i];
    }
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] += Real(step) * changes[i];
    }
    return state(motion, t, {q, u}, near);
  };
  const Reals ahead = after(kRateStep);
  const Reals behind = after(-kRateStep);
  const Reals far_ahead = after(2.0 * kRateStep);
  const Reals far_behind = after(-2.0 * kRateStep);
  Reals rates;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Component& one = components_[i];
    if (one.kind == Kind::coordinate) {
      rates.push_back(qdot[index_of(one.index)]);
    } else if (one.kind == Kind::velocity) {
      rates.push_back(changes[index_of(one.index)]);
    } else {
      rates.push_back((8 * (ahead[i] - behind[i]) - (far_ahead[i] - far_behind[i])) / Real(12.0 * kRateStep));
    }
  }
  return rates;
}

}  // namespace mbdbench::precise
