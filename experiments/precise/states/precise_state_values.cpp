/// \file
/// What components of a PreciseStateMap are, and their rates, of bodies that move.
#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <utility>

#include "experiments/precise/loops/precise_cut_coordinates.hpp"
#include "experiments/precise/states/precise_state_map.hpp"
#include "experiments/precise/tree/precise_springs.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

/// Rows of constraints that repeat others, relative to the largest: positions are those of doubles.
constexpr double kRepeatedRows = 1e-10;

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

/// \returns e' where the body turns by omega, in its own axes: half of e times (0, omega).
Quaternion quaternion_rate(const Quaternion& e, const Vector& omega) {
  const Vector vector = e.tail<3>();
  const Vector turned = (omega * e[0] + vector.cross(omega)) * Real(0.5);
  return {-vector.dot(omega) * Real(0.5), turned[0], turned[1], turned[2]};
}

/// Absolute coordinates of a body, and how they change.
struct BodyCoordinates {
  Vector place = Vector::Zero();
  Vector velocity = Vector::Zero();
  Vector acceleration = Vector::Zero();
  Quaternion quaternion = Quaternion::Zero();
  Quaternion quaternion_rate = Quaternion::Zero();
  Quaternion quaternion_acceleration = Quaternion::Zero();
};

/// \param near four numbers
BodyCoordinates coordinates_of(const TreeBody& body, const Body& given, std::span<const double> near) {
  BodyCoordinates found;
  found.place = point_on(body, given.com);
  found.velocity = velocity_at(body, found.place);
  const Vector omega = body.velocity.tail<3>();
  const Vector alpha = body.acceleration.tail<3>();
  found.acceleration = Vector(body.acceleration.head<3>()) + alpha.cross(found.place) + omega.cross(found.velocity);
  found.quaternion = quaternion_of(body.rotation, near);
  const Vector own_omega = body.rotation.transpose() * omega;
  const Vector own_alpha = body.rotation.transpose() * alpha;  // omega turns with the body
  found.quaternion_rate = quaternion_rate(found.quaternion, own_omega);
  found.quaternion_acceleration =
      quaternion_rate(found.quaternion_rate, own_omega) + quaternion_rate(found.quaternion, own_alpha);
  return found;
}

/// B^T takes from momenta what keeps those of dependent components zero: M u - Phi_q^T sigma.
class IndependentMomenta {
 public:
  /// \param rows Phi_q; must outlive this \param independent a component of u each
  IndependentMomenta(const RealMatrix& rows, const std::vector<bool>& independent) : rows_(&rows) {
    for (std::size_t i = 0; rows.rows() > 0 && i < independent.size(); ++i) {
      if (!independent[i]) {
        dependents_.push_back(static_cast<Eigen::Index>(i));
      }
    }
    if (dependents_.empty()) {
      return;
    }
    RealMatrix held(static_cast<Eigen::Index>(dependents_.size()), rows.rows());
    for (std::size_t k = 0; k < dependents_.size(); ++k) {
      held.row(static_cast<Eigen::Index>(k)) = rows.col(dependents_[k]).transpose();
    }
    solver_.setThreshold(Real(kRepeatedRows));
    solver_.compute(held);
  }

  /// \returns the multipliers sigma that take from these momenta, or their rates, those of dependent components.
  [[nodiscard]] RealVector impulses(const Eigen::Ref<const RealVector>& all) const {
    if (dependents_.empty()) {
      return RealVector::Zero(rows_->rows());
    }
    RealVector excess(static_cast<Eigen::Index>(dependents_.size()));
    for (std::size_t k = 0; k < dependents_.size(); ++k) {
      excess[static_cast<Eigen::Index>(k)] = all[dependents_[k]];
    }
    return solver_.solve(excess);
  }

 private:
  const RealMatrix* rows_;
  std::vector<Eigen::Index> dependents_;
  Eigen::ColPivHouseholderQR<RealMatrix> solver_;
};

}  // namespace

bool PreciseStateMap::has(Kind kind) const {
  return std::any_of(components_.begin(), components_.end(), [kind](const Component& one) { return one.kind == kind; });
}

void PreciseStateMap::look_near(PreciseMotion& motion, std::span<const double> near) const {
  for (std::size_t i = 0; i < components_.size(); ++i) {
    if (components_[i].kind == Kind::turn) {
      motion.near().set({components_[i].index, components_[i].part}, near[i]);
    }
  }
}

Reals PreciseStateMap::state(PreciseMotion& motion, double t, const JointMotionState& at,
                             std::span<const double> near) const {
  motion.go_to(t, at.q, at.u);
  return read(motion, t, at, {}, near).state;
}

PreciseStateMap::Moving PreciseStateMap::moving(PreciseMotion& motion, double t, const JointMotionState& at,
                                                std::span<const double> near) const {
  look_near(motion, near);
  const Reals udot = motion.accelerations(t, at.q, at.u);
  motion.accelerate(udot);
  return read(motion, t, at, udot, near);
}

PreciseStateMap::Moving PreciseStateMap::read(PreciseMotion& motion, double t, const JointMotionState& at,
                                              std::span<const Real> udot, std::span<const double> near) const {
  const bool accelerates = !udot.empty();
  const Reals qdot = motion.coordinate_rates(at.q, at.u);
  RealVector momenta;
  RealVector momentum_rates;
  if (has(Kind::momentum)) {
    const RealMatrix& rows = motion.loops().jacobian();
    const IndependentMomenta taken(rows, independent_);
    const Reals all = motion.momenta();
    const RealVector sigma = taken.impulses(as_vector(all));
    momenta = as_vector(all) - rows.transpose() * sigma;
    if (accelerates) {
      const Reals changes = motion.momentum_rates_there(t, at.q, at.u, sigma);
      momentum_rates = as_vector(changes) - rows.transpose() * taken.impulses(as_vector(changes));
    }
  }
  std::map<int, BodyCoordinates> bodies;
  const auto body = [&](int index) -> const BodyCoordinates& {
    const auto [place, fresh] = bodies.try_emplace(index);
    if (fresh) {
      place->second = coordinates_of(motion.body(index), mechanism_->bodies()[index_of(index)],
                                     near.subspan(quaternions_[index_of(index)], 4));
    }
    return place->second;
  };
  Moving found;
  const auto add = [&](const Real& value, const Real& rate) {
    found.state.push_back(value);
    found.rates.push_back(rate);
  };
  const Real none = 0.0;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Component& one = components_[i];
    const auto place = index_of(one.index);
    const auto on_cut = [&] {
      const Joint& joint = mechanism_->cut_joints()[place];
      return std::pair<const Joint&, CutBodies>(joint, {motion.body(joint.a), motion.body(joint.b)});
    };
    switch (one.kind) {
      case Kind::coordinate:
        add(at.q[place], qdot[place]);
        break;
      case Kind::velocity:
        add(at.u[place], accelerates ? udot[place] : none);
        break;
      case Kind::momentum:
        add(momenta[one.index], accelerates ? momentum_rates[one.index] : none);
        break;
      case Kind::cut_coordinate:
      case Kind::turn: {
        const auto cut = on_cut();
        const bool free = cut.first.type == JointType::free;
        add(free ? cut_pose(cut.first, cut.second).translation[one.part - 4]
                 : cut_coordinate(cut.first, one.part, cut.second, near[i]),
            cut_velocity(cut.first, free ? one.part - 1 : one.part, cut.second));
        break;
      }
      case Kind::cut_quaternion: {
        const auto cut = on_cut();
        const Quaternion e =
            quaternion_of(cut_pose(cut.first, cut.second).rotation, near.subspan(i - index_of(one.part), 4));
        Vector omega;
        for (int axis = 0; axis < 3; ++axis) {
          omega[axis] = cut_velocity(cut.first, axis, cut.second);
        }
        add(e[one.part], quaternion_rate(e, omega)[one.part]);
        break;
      }
      case Kind::cut_velocity: {
        const auto cut = on_cut();
        add(cut_velocity(cut.first, one.part, cut.second),
            accelerates ? cut_acceleration(cut.first, one.part, cut.second) : none);
        break;
      }
      case Kind::place:
        add(body(one.index).place[one.part], body(one.index).velocity[one.part]);
        break;
      case Kind::place_rate:
        add(body(one.index).velocity[one.part], body(one.index).acceleration[one.part]);
        break;
      case Kind::quaternion:
        add(body(one.index).quaternion[one.part], body(one.index).quaternion_rate[one.part]);
        break;
      case Kind::quaternion_rate:
        add(body(one.index).quaternion_rate[one.part], body(one.index).quaternion_acceleration[one.part]);
        break;
      case Kind::held:
        add(near[i], none);
        break;
    }
  }
  return found;
}

}  // namespace mbdbench::precise
