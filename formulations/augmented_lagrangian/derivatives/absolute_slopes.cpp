#include "formulations/augmented_lagrangian/derivatives/absolute_slopes.hpp"

#include <algorithm>

#include "formulations/derivatives/loops/cut_shapes.hpp"
#include "formulations/derivatives/loops/link_vectors.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/link_length.hpp"

namespace mbdbench {
namespace {

using linear::LoopCut;

constexpr int kTwist = BodySlopes::kTwist;

Screw<double> screw_of(const Vec6& motion) {
  return {link_vector_of(motion.head<3>()), link_vector_of(motion.tail<3>())};
}

MovingVector held(const Vec3& value) {
  return {value, VectorSlopes::Zero()};
}

MovingVector sum_of(const MovingVector& a, const MovingVector& b) {
  return combination(1.0, a, 1.0, b);
}

}  // namespace

void AbsoluteChange::set_zero(const Mechanism& mechanism) {
  twists.setZero(kTwist, mechanism.body_count());
  forces.setZero(mechanism.u_size());
  masses.setZero(mechanism.body_count());
  lengths.setZero(mechanism.body_count());
  wrenches.clear();
}

AbsoluteSlopes::AbsoluteSlopes(const Mechanism& mechanism, const AugmentedSystem& system,
                               const AugmentedOptions& options, const CutReferences* near, const InstructionSet& set)
    : mechanism_(&mechanism),
      system_(&system),
      damping_(2.0 * options.omega * options.mu),
      stiffness_(options.omega * options.omega),
      sweeps_(compiled_for(set, []<int W>() { return linear::closed_sweeps<W>(); })),
      link_directions_(link_directions(mechanism)),
      bodies_(mechanism.bodies().size()),
      own_(mechanism.bodies().size()),
      joints_(index_of(system.kinematics().joint_count())),
      loop_bodies_(mechanism.bodies().size()),
      cuts_(joints_.size()),
      q_(index_of(mechanism.q_size())),
      u_(index_of(mechanism.u_size())) {
  if (system.has_loads()) {
    loads_.emplace(mechanism, near);
    tree_ = loads_->direction();
  }
  data_.body_count = mechanism.body_count();
  data_.cut_count = static_cast<int>(cuts_.size());
  data_.damping = damping_;
  data_.stiffness = stiffness_;
  data_.bodies = loop_bodies_.data();
  data_.cuts = cuts_.data();
}

void AbsoluteSlopes::set_state(double t) {
  const AbsoluteKinematics& kinematics = system_->kinematics();
  center_.setZero();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    center_ += kinematics.body(static_cast<int>(i)).com / static_cast<double>(bodies_.size());
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyKinematics& body = kinematics.body(static_cast<int>(i));
    bodies_[i].lever = body.com - center_;
    bodies_[i].velocity = body.velocity;
    loop_bodies_[i].velocity = screw_of(bodies_[i].velocity_at_center());
  }
  system_->tree_state(q_, u_);
  if (loads_) {
    loads_->set(t, q_, u_, center_);
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    place_joint(k);
    if (k < mechanism_->tree_joints().size()) {
      set_coordinates(k);
      set_forces(k);
    }
  }
}

void AbsoluteSlopes::place_joint(std::size_t k) {
  const AbsoluteKinematics& kinematics = system_->kinematics();
  const Joint& of = joint(k);
  const JointKinematics& state = kinematics.joint_state(static_cast<int>(k));
  const BodyKinematics& a = kinematics.body(of.a);
  const BodyKinematics& b = kinematics.body(of.b);
  const Vec3 origin_a = a.origin + a.rotation * of.position_a - center_;
  const Vec3 origin_b = b.origin + b.rotation * of.position_b - center_;
  place_shape(of, state, origin_a, origin_b, 1.0, cuts_[k].shape);
  JointSlopes& slopes = joints_[k];
  slopes.place.emplace(of, state, origin_a, origin_b, 1.0);
  slopes.link = k < link_directions_.size() ? Vec3(a.rotation * link_directions_[k]) : Vec3(Vec3::Zero());
}

template <int kCount>
auto AbsoluteSlopes::by_twists(const Joint& of, const Eigen::Matrix<double, kCount, LoopCut::kSlopes>& slopes) const {
  Eigen::Matrix<double, kCount, kBoth> result = Eigen::Matrix<double, kCount, kBoth>::Zero();
  int end = 0;
  for (const int body : {of.a, of.b}) {
    if (body >= 0) {
      const PlacedBody& place = place_of(body);
      const Mat3 lever = skew(place.lever);
      const Eigen::Matrix<double, kCount, 3> displaced = slopes.template middleCols<3>(6 * end);
      const Eigen::Matrix<double, kCount, 3> moved = slopes.template middleCols<3>(12 + 6 * end);
      const int to = kTwist * end;
      result.template middleCols<3>(to) = displaced - moved * skew(place.velocity.tail<3>());
      result.template middleCols<3>(to + 3) = displaced * lever + slopes.template middleCols<3>(6 * end + 3);
      result.template middleCols<3>(to + 6) = moved;
      result.template middleCols<3>(to + 9) = moved * lever + slopes.template middleCols<3>(15 + 6 * end);
    }
    ++end;
  }
  return result;
}

void AbsoluteSlopes::set_coordinates(std::size_t k) {
  const Joint& of = joint(k);
  JointSlopes& slopes = joints_[k];
  const JointPlace& place = *slopes.place;
  const JointMatrix& gram = system_->kinematics().gram_inverse(static_cast<int>(k));
  const auto velocity_of = [this](int body) { return shift_velocity(-place_of(body).lever, place_of(body).velocity); };
  const Vec6 relative = velocity_of(of.b) - velocity_of(of.a);
  slopes.turns.setZero(of.nu, kDirections);
  slopes.speeds.setZero(of.nu, kDirections);
  slopes.duals.assign(index_of(of.nu), MovingWrench{});
  for (int i = 0; i < of.nu; ++i) {
    const bool turns = has_quaternion(of.type) && i < 3;
    const bool slides = has_quaternion(of.type) && i >= 3;
    CutComponent::Row coordinate = CutComponent::Row::Zero();
    Vec3 way = Vec3::Zero();
    if (turns) {
      coordinate.middleCols<3>(kTurnOfB) = place.state->axes_b.col(i).transpose();
      coordinate.middleCols<3>(kTurnOfA) = -place.state->axes_b.col(i).transpose();
    } else {
      way = slides ? Vec3(Vec3::Unit(i - 3)) : place.sliding_way(i);
      coordinate = slides ? dot_of(place.in_a(way), place.displacement).slopes : place.coordinate(i);
    }
    slopes.turns.row(i).head<kBoth>() = by_twists<1>(of, coordinate);
    slopes.turns(i, kLength) = -(place.state->axes_a * way).dot(slopes.link);
    const MovingWrench wrench = place.wrench_of(place.direction(i));
    const MovingNumber speed = wrench.power(relative);
    for (int j = 0; j < of.nu; ++j) {
      slopes.speeds.row(j).head<kBoth>() += gram(j, i) * by_twists<1>(of, speed.slopes);
      slopes.duals[index_of(j)].value += gram(j, i) * wrench.value;
      slopes.duals[index_of(j)].slopes += gram(j, i) * wrench.slopes;
    }
  }
}

void AbsoluteSlopes::set_forces(std::size_t k) {
  JointSlopes& slopes = joints_[k];
  slopes.force_on_a.setZero();
  slopes.force_on_b.setZero();
  if (loads_) {
    const Joint& of = joint(k);
    MovingWrench sum;
    for (int i = 0; i < of.nu; ++i) {
      const double force = loads_->joint_forces()[of.u_offset + i];
      sum.value += force * slopes.duals[index_of(i)].value;
      sum.slopes += force * slopes.duals[index_of(i)].slopes;
    }
    add_wrench(k, sum, slopes.force_on_a, slopes.force_on_b);
  }
}

AbsoluteSlopes::Wrench AbsoluteSlopes::about(int body, bool is_b, const Vec6& wrench,
                                             const Eigen::Matrix<double, 6, kBoth>& slopes) const {
  Wrench result = Wrench::Zero();
  if (body < 0) {
    return result;
  }
  result.leftCols<kBoth>() = slopes;
  result.bottomLeftCorner<3, kBoth>() -= skew(place_of(body).lever).lazyProduct(slopes.topRows<3>());
  // Less (the centre's displacement) x f.
  result.block<3, 3>(3, is_b ? kTwist : 0) += skew(wrench.head<3>());
  return result;
}

void AbsoluteSlopes::add_wrench(std::size_t k, const MovingWrench& wrench, Wrench& on_a, Wrench& on_b) const {
  const Joint& of = joint(k);
  const Eigen::Matrix<double, 6, kBoth> slopes = by_twists<6>(of, wrench.slopes);
  on_b += about(of.b, true, wrench.value, slopes);
  on_a -= about(of.a, false, wrench.value, slopes);
}

Eigen::Matrix<double, 1, AbsoluteSlopes::kBoth> AbsoluteSlopes::slopes_of_pull(const Joint& of,
                                                                               const Vec3& force) const {
  Eigen::Matrix<double, 1, kBoth> result = Eigen::Matrix<double, 1, kBoth>::Zero();
  int end = 0;
  for (const int body : {of.a, of.b}) {
    if (body >= 0) {
      // Of a_C - omega' x r - omega x v_C, r the centre of mass.
      const PlacedBody& place = place_of(body);
      const Vec3 along = end == 0 ? Vec3(-force) : force;
      result.segment<3>(kTwist * end) = -along.cross(place.acceleration.tail<3>());
      result.segment<3>(kTwist * end + 6) = -along.cross(place.velocity.tail<3>());
      result.segment<3>(kTwist * end + 9) = along.cross(place.velocity.head<3>());
    }
    ++end;
  }
  return result;
}

void AbsoluteSlopes::set_pass(std::span<const Vec6> accelerations, std::span<const double> multipliers) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    PlacedBody& place = bodies_[i];
    place.acceleration = accelerations[i];
    Vec6 about_center = shift_velocity(-place.lever, accelerations[i]);
    about_center.head<3>() -= place.velocity.tail<3>().cross(place.velocity.head<3>());
    loop_bodies_[i].acceleration = screw_of(about_center);
    // M a - f = [m (a_C - g); J omega' + omega x J omega]
    const Mat3& inertia = system_->kinematics().body(static_cast<int>(i)).inertia;
    const Vec3 omega = place.velocity.tail<3>();
    const Vec3 omega_rate = accelerations[i].tail<3>();
    const Mat3 turning = skew(omega);
    own_[i].setZero();
    // phi x (J x) - J (phi x x) for x = omega' and omega.
    own_[i].block<3, 3>(3, 3) =
        inertia * skew(omega_rate) - skew(inertia * omega_rate) + turning * (inertia * turning - skew(inertia * omega));
    own_[i].block<3, 3>(3, 9) = turning * inertia - skew(inertia * omega);
  }
  for (std::size_t k = 0; k < cuts_.size(); ++k) {
    LoopCut& cut = cuts_[k];
    const int first = system_->row_offset(static_cast<int>(k));
    std::fill(std::begin(cut.lambda), std::end(cut.lambda), 0.0);
    std::copy_n(multipliers.begin() + first, cut.shape.rows, std::begin(cut.lambda));
    const auto end = [this](int body) {
      linear::EndMotion<double> motion{};
      if (body >= 0) {
        motion.velocity = loop_bodies_[index_of(body)].velocity;
        motion.acceleration = loop_bodies_[index_of(body)].acceleration;
      }
      return motion;
    };
    linear::set_cut_motion(cut.shape, end(cut.shape.body_a), end(cut.shape.body_b), cut.motion);
  }
  sweeps_.slope_cuts(data_);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    slope_joint(k, multipliers);
  }
}

void AbsoluteSlopes::slope_joint(std::size_t k, std::span<const double> multipliers) {
  const Joint& of = joint(k);
  const LoopCut& cut = cuts_[k];
  JointSlopes& slopes = joints_[k];
  slopes.rows.setZero(of.nc + static_cast<int>(of.motions.size()), kDirections);
  MovingWrench wrench;
  for (int j = 0; j < of.nc; ++j) {
    const Screw<double>& row = cut.motion.rows[j];
    Vec6 along;
    along << row.linear.x, row.linear.y, row.linear.z, row.angular.x, row.angular.y, row.angular.z;
    const Eigen::Map<const CutComponent::Row> by_motions(cut.second_slopes[j]);
    slopes.rows.row(j).head<kBoth>() = by_twists<1>(of, by_motions) + slopes_of_pull(of, along.head<3>());
    wrench.value += cut.lambda[j] * along;
  }
  wrench.slopes =
      Eigen::Map<const Eigen::Matrix<double, 6, LoopCut::kSlopes, Eigen::RowMajor>>(&cut.wrench_slopes[0][0]);
  wrench.slopes.rightCols<12>().setZero();  // velocities do not matter
  slopes.on_a = slopes.force_on_a;
  slopes.on_b = slopes.force_on_b;
  add_wrench(k, wrench, slopes.on_a, slopes.on_b);
  if (of.world_linear) {
    add_two_points(k, multipliers);
  } else if (k < mechanism_->tree_joints().size()) {
    // Only Phi knows where the origin on a is.
    for (std::size_t i = 0; i < of.linear_directions.size(); ++i) {
      slopes.rows(static_cast<int>(i), kLength) =
          -stiffness_ * (slopes.place->state->axes_a * of.linear_directions[i]).dot(slopes.link);
    }
    if (of.type == JointType::screw) {
      slopes.rows(static_cast<int>(of.linear_directions.size()), kLength) =
          -stiffness_ * cut.shape.screw_linear * (slopes.place->state->axes_a * of.axis).dot(slopes.link);
    }
  }
  add_motions(k, multipliers);
}

/// Linear rows in world axes act at the origin on each body: beside what the one on b says, with d the way between
/// them, Phi' has omega_a x d, Phi'' its rate, and the wrench on a less d x f.
void AbsoluteSlopes::add_two_points(std::size_t k, std::span<const double> multipliers) {
  const Joint& of = joint(k);
  JointSlopes& slopes = joints_[k];
  const JointPlace& place = *slopes.place;
  const PlacedBody& a = place_of(of.a);
  const PlacedBody& b = place_of(of.b);
  const auto velocity_at = [](const PlacedBody& body, int linear, int turn, const MovingVector& origin) {
    return sum_of(velocity_part(linear, body.velocity_at_center().head<3>()),
                  cross_of(velocity_part(turn, body.velocity.tail<3>()), origin));
  };
  const MovingVector spin = velocity_part(kSpinOfA, a.velocity.tail<3>());
  const MovingVector rate = combination(1.0, velocity_at(b, kVelocityOfB, kSpinOfB, place.origin_b), -1.0,
                                        velocity_at(a, kVelocityOfA, kSpinOfA, place.origin_a));
  const Vec3 turning = a.acceleration.tail<3>();
  const MovingVector first = cross_of(spin, place.displacement);
  const MovingVector second = sum_of(cross_of(held(turning), place.displacement), cross_of(spin, rate));
  slopes.rows.topLeftCorner<3, kBoth>() += by_twists<3>(of, second.slopes + damping_ * first.slopes);
  const int row = system_->row_offset(static_cast<int>(k));
  const Vec3 force = Eigen::Map<const Vec3>(multipliers.data() + row);
  if (of.a >= 0) {
    slopes.on_a.block<3, kBoth>(3, 0) += by_twists<3>(of, cross_of(place.displacement, held(force)).slopes);
  }
  // A longer link moves the origin on a.
  const Vec3 omega = a.velocity.tail<3>();
  const Vec3& link = slopes.link;
  slopes.rows.topRightCorner<3, 1>() =
      -(stiffness_ * link + damping_ * omega.cross(link) + turning.cross(link) + omega.cross(omega.cross(link)));
  if (of.a >= 0) {
    slopes.on_a.block<3, 1>(3, kLength) -= link.cross(force);
  }
}

/// Rows of prescribed components of tree joints: sum of gram_ci H_i^T (V_b - V_a) and its rate.
void AbsoluteSlopes::add_motions(std::size_t k, std::span<const double> multipliers) {
  const Joint& of = joint(k);
  if (of.motions.empty()) {
    return;
  }
  JointSlopes& slopes = joints_[k];
  const JointPlace& place = *slopes.place;
  const PlacedBody& a = place_of(of.a);
  const PlacedBody& b = place_of(of.b);
  const JointMatrix& gram = system_->kinematics().gram_inverse(static_cast<int>(k));
  const MovingVector spin_a = velocity_part(kSpinOfA, a.velocity.tail<3>());
  const MovingVector spin_b = velocity_part(kSpinOfB, b.velocity.tail<3>());
  const MovingVector linear_a = velocity_part(kVelocityOfA, a.velocity_at_center().head<3>());
  const MovingVector linear_b = velocity_part(kVelocityOfB, b.velocity_at_center().head<3>());
  const MovingVector angular = combination(1.0, spin_b, -1.0, spin_a);
  const MovingVector linear = sum_of(combination(1.0, linear_b, -1.0, linear_a), cross_of(angular, place.origin_b));
  const MovingVector point_rate = sum_of(linear_b, cross_of(spin_b, place.origin_b));
  const auto acceleration_of = [this](int body) {
    const linear::LoopBody* const own = body < 0 ? nullptr : &loop_bodies_[index_of(body)];
    Vec6 result = Vec6::Zero();
    if (own != nullptr) {
      const Screw<double>& given = own->acceleration;
      result << given.linear.x, given.linear.y, given.linear.z, given.angular.x, given.angular.y, given.angular.z;
    }
    return result;
  };
  const Vec6 pulled = acceleration_of(of.b) - acceleration_of(of.a);
  const MovingVector angular_rate = held(pulled.tail<3>());
  const MovingVector linear_rate =
      sum_of(held(pulled.head<3>()), sum_of(cross_of(angular_rate, place.origin_b), cross_of(angular, point_rate)));
  const int first_row = system_->row_offset(static_cast<int>(k)) + of.nc;
  for (std::size_t m = 0; m < of.motions.size(); ++m) {
    const int component = of.motions[m].component;
    const int row = of.nc + static_cast<int>(m);
    CutComponent::Row second = CutComponent::Row::Zero();
    for (int i = 0; i < of.nu; ++i) {
      const auto [force, torque] = place.direction(i);
      const MovingVector& spin = place.moves_with_b(i) ? spin_b : spin_a;
      const CutComponent::Row own = dot_of(force, linear_rate).slopes + dot_of(torque, angular_rate).slopes +
                                    dot_of(cross_of(spin, force), linear).slopes +
                                    dot_of(cross_of(spin, torque), angular).slopes;
      second += gram(component, i) * own;
    }
    const MovingWrench& dual = slopes.duals[index_of(component)];
    slopes.rows.row(row).head<kBoth>() = by_twists<1>(of, second) + slopes_of_pull(of, dual.value.head<3>());
    slopes.rows.row(row) += damping_ * slopes.speeds.row(component) + stiffness_ * slopes.turns.row(component);
    const double lambda = multipliers[index_of(first_row) + m];
    add_wrench(k, {lambda * dual.value, lambda * dual.slopes}, slopes.on_a, slopes.on_b);
  }
}

}  // namespace mbdbench
