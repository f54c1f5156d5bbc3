#include "formulations/bae_haug/subchain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// As in CutRows: rows that the mechanism cannot feel leave rounding of 1e-15, squared.
constexpr double kZeroRow = 1e-22;

int base_of(const Mechanism& mechanism, int body) {
  while (mechanism.parent(body) >= 0) {
    body = mechanism.parent(body);
  }
  return body;
}

/// \returns whether a spring connects the two sub-chains.
bool crosses(const Mechanism& whole, const PointSpringDescription& spring) {
  const int body1 = whole.find_body(spring.body1).value_or(-1);
  const int body2 = whole.find_body(spring.body2).value_or(-1);
  return body1 >= 0 && body2 >= 0 && base_of(whole, body1) != base_of(whole, body2);
}

/// \returns the description of the tree that a joint at the ground carries.
MechanismDescription subtree(const Mechanism& whole, int base) {
  MechanismDescription part = whole.description();
  const auto belongs = [&](const std::string& body) {
    const int index = whole.find_body(body).value_or(-1);
    return index >= 0 && base_of(whole, index) == base;
  };
  const auto in_foreign_joint = [&](const auto& load) {
    const std::optional<JointReference> joint = whole.find_joint(load.joint);
    return joint && !belongs(whole.bodies()[index_of(joint->index)].name);
  };
  std::erase_if(part.bodies, [&](const BodyDescription& body) { return !belongs(body.name); });
  std::erase_if(part.joints, [&](const JointDescription& joint) { return joint.cut || !belongs(joint.b); });
  std::erase_if(part.joint_loads, in_foreign_joint);
  std::erase_if(part.joint_springs, in_foreign_joint);
  std::erase_if(part.body_loads, [&](const BodyLoadDescription& load) { return !belongs(load.body); });
  std::erase_if(part.point_springs, [&](const PointSpringDescription& spring) {
    const bool inside = belongs(spring.body1) || belongs(spring.body2);
    return !inside || crosses(whole, spring);
  });
  std::erase_if(part.markers, [&](const MarkerDescription& marker) { return !belongs(marker.body); });
  for (JointDescription& joint : part.joints) {
    joint.dependent = false;  // the whole mechanism has closed the loop
  }
  return part;
}

std::unique_ptr<const Mechanism> make_part(const Mechanism& whole, bool on_b) {
  const Joint& cut = whole.cut_joints().front();
  return std::make_unique<const Mechanism>(subtree(whole, base_of(whole, on_b ? cut.b : cut.a)));
}

}  // namespace

Subchain::Subchain(const Mechanism& whole, int part)
    : whole_(&whole), on_b_(part == 1), mechanism_(make_part(whole, on_b_)), tree_(*mechanism_) {
  const Joint& cut = whole.cut_joints().front();
  end_body_ = mechanism_->find_body(whole.bodies()[index_of(on_b_ ? cut.b : cut.a)].name).value_or(-1);
  for (int k = end_body_; k >= 0; k = mechanism_->parent(k)) {
    const auto free = tree_.axes(k).cols();
    PathLink link;
    link.body = k;
    link.wrenches.setZero(6, cut.nc);
    link.along.setZero(free, cut.nc);
    link.rates.setZero(free, cut.nc);
    path_.push_back(std::move(link));
  }
  for (const Joint& joint : mechanism_->tree_joints()) {
    const Joint& own = whole.tree_joints()[index_of(whole_joint(joint.name))];
    for (int i = 0; i < joint.nq; ++i) {
      position_places_.push_back(index_of(own.q_offset + i));
    }
    for (int i = 0; i < joint.nu; ++i) {
      velocity_places_.push_back(index_of(own.u_offset + i));
    }
  }
  for (PointSpringDescription& spring : crossing_springs(whole)) {
    const std::optional<int> first = mechanism_->find_body(spring.body1);
    const Vec3 point = first ? spring.point1 : spring.point2;
    spring_forces_.push_back({first ? *first : mechanism_->find_body(spring.body2).value_or(0), {}, {}});
    crossing_.push_back({std::move(spring), point});
  }
  q_.resize(position_places_.size());
  u_.resize(velocity_places_.size());
}

int Subchain::whole_joint(std::string_view name) const {
  const std::optional<JointReference> joint = whole_->find_joint(name);
  return joint ? joint->index : 0;
}

RhsStatus Subchain::set_state(double t, std::span<const double> q, std::span<const double> u, CutEnd& end) {
  for (std::size_t i = 0; i < q_.size(); ++i) {
    q_[i] = q[position_places_[i]];
  }
  for (std::size_t i = 0; i < u_.size(); ++i) {
    u_[i] = u[velocity_places_[i]];
  }
  RhsStatus status = tree_.set_positions(t, q_);
  if (status.ok) {
    tree_.set_velocities(u_);
    const BodyKinematics& body = tree_.kinematics().body(end_body_);
    end = {body.rotation, body.origin, body.com, body.velocity, tree_.kinematics().tree_joint(end_body_).velocity};
  }
  return status;
}

SpringEnd Subchain::spring_end(std::size_t spring) const {
  const Kinematics& kinematics = tree_.kinematics();
  const int body = spring_forces_[spring].body;
  const Vec3 place = kinematics.world_point(body, crossing_[spring].point);
  return {place, kinematics.velocity_at(body, place).head<3>()};
}

void Subchain::write_spring_ends(std::span<double> message) const {
  for (std::size_t s = 0; s < crossing_.size(); ++s) {
    const SpringEnd end = spring_end(s);
    Eigen::Map<Vec3>(message.data() + kSpringEndSize * s) = end.point;
    Eigen::Map<Vec3>(message.data() + kSpringEndSize * s + 3) = end.velocity;
  }
}

void Subchain::condense(double t, const CutHandles& handles, std::span<const double> other_ends,
                        std::span<double> share) {
  tree_.evaluate_loads(t, q_);
  for (std::size_t s = 0; s < crossing_.size(); ++s) {
    const SpringEnd own = spring_end(s);
    const double* const numbers = other_ends.data() + kSpringEndSize * s;
    const SpringEnd other{Eigen::Map<const Vec3>(numbers), Eigen::Map<const Vec3>(numbers + 3)};
    spring_forces_[s].point = own.point;
    spring_forces_[s].force = spring_pull(crossing_[s].spring, own, other);  // the same from either end
  }
  tree_.sweep_loads(spring_forces_);
  std::fill(share.begin(), share.end(), 0.0);
  reduce(handles, share);
}

void Subchain::reduce(const CutHandles& handles, std::span<double> share) {
  const SpatialColumns& directions = handles.directions();
  const Eigen::Index rows = directions.cols();
  const std::span<double> right_side = share.subspan(21, 6);
  const std::span<double> smallest = share.subspan(27, 6);
  const double sign = on_b_ ? 1.0 : -1.0;
  const auto about = [&](const PathLink& link) -> Vec3 {
    return handles.point() - tree_.kinematics().tree_joint(link.body).point;
  };
  for (Eigen::Index row = 0; row < rows; ++row) {
    path_.front().wrenches.col(row) = sign * shift_wrench(about(path_.front()), directions.col(row));
  }
  for (std::size_t p = 0; p < path_.size(); ++p) {
    PathLink& link = path_[p];
    const SpatialColumns& axes = tree_.axes(link.body);
    const JointMatrix& pivot_inverse = tree_.pivot_inverse(link.body);
    link.along = axes.transpose().lazyProduct(link.wrenches);
    link.rates = pivot_inverse.lazyProduct(link.along);
    const Vec3 lever = about(link);
    std::size_t place = 0;
    for (Eigen::Index i = 0; i < rows; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        share[place++] += link.rates.col(i).dot(link.along.col(j));
      }
      const auto row = static_cast<std::size_t>(i);
      right_side[row] -= link.wrenches.col(i).dot(tree_.relative_rate(link.body));
      const double size = shift_wrench(lever, directions.col(i)).squaredNorm();
      for (Eigen::Index f = 0; f < axes.cols(); ++f) {
        smallest[row] += kZeroRow * axes.col(f).squaredNorm() * size * pivot_inverse(f, f);
      }
    }
    if (p + 1 < path_.size()) {
      // PhiM_j^T = S (I - gain_k H_k^T) PhiM_k^T  [Bae1988, recursion of the cut joint's rows]
      const SpatialColumns carried = link.wrenches - tree_.gain(link.body).lazyProduct(link.along);
      for (Eigen::Index row = 0; row < rows; ++row) {
        path_[p + 1].wrenches.col(row) = shift_wrench(tree_.lever(link.body), carried.col(row));
      }
    }
  }
}

void Subchain::sweep_accelerations(const Eigen::VectorXd& multipliers) {
  for (const PathLink& link : path_) {
    JointVector rate = JointVector::Zero(link.rates.rows());
    rate.noalias() += link.rates.lazyProduct(multipliers);
    tree_.add_free_rate(link.body, rate);
  }
  tree_.sweep_accelerations();
}

void Subchain::write_accelerations(std::span<double> message) const {
  std::copy(tree_.accelerations().begin(), tree_.accelerations().end(), message.begin());
}

void Subchain::place_accelerations(std::span<const double> message, std::span<double> accelerations) const {
  for (std::size_t i = 0; i < message.size(); ++i) {
    accelerations[velocity_places_[i]] = message[i];
  }
}

std::vector<PointSpringDescription> crossing_springs(const Mechanism& whole) {
  std::vector<PointSpringDescription> springs = whole.description().point_springs;
  std::erase_if(springs, [&](const PointSpringDescription& spring) { return !crosses(whole, spring); });
  return springs;
}

std::string refuse_split(const Mechanism& mechanism) {
  if (mechanism.cut_joints().size() != 1) {
    return fmt::format("it has {} cut joints; two sub-chains need one loop", mechanism.cut_joints().size());
  }
  const Joint& cut = mechanism.cut_joints().front();
  if (mechanism.drives_cut_joints()) {
    return fmt::format("the prescribed motion of cut joint '{}' is not followed by two sub-chains", cut.name);
  }
  const auto bases = std::count_if(mechanism.tree_joints().begin(), mechanism.tree_joints().end(),
                                   [](const Joint& joint) { return joint.a < 0; });
  if (cut.a < 0 || cut.b < 0 || bases != 2 || base_of(mechanism, cut.a) == base_of(mechanism, cut.b)) {
    return fmt::format("its {} joint{} at the ground should carry two trees that the cut joint '{}' connects", bases,
                       bases == 1 ? "" : "s", cut.name);
  }
  const MechanismDescription& description = mechanism.description();
  for (const auto& load : description.joint_loads) {
    if (load.joint == cut.name) {
      return fmt::format("the load '{}' in the cut joint needs both sub-chains", load.name);
    }
  }
  for (const auto& spring : description.joint_springs) {
    if (spring.joint == cut.name) {
      return fmt::format("the spring '{}' in the cut joint needs both sub-chains", spring.name);
    }
  }
  try {
    make_part(mechanism, false);
    make_part(mechanism, true);
  } catch (const ModelError& error) {
    return fmt::format("a load of one sub-chain depends on the other one: {}", error.what());
  }
  return {};
}

}  // namespace mbdbench
