#include "tests/experiments/kane_by_differences.hpp"

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mechanisms/model/loads/expression.hpp"

namespace mbdbench {
namespace {

using Real = long double;
using Vector = Eigen::Matrix<Real, 3, 1>;
using Matrix = Eigen::Matrix<Real, 3, 3>;
using Columns = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Coordinates = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Quaternion = Eigen::Quaternion<Real>;

constexpr Real kDifference = 4e-3L;
// Rows of loops have singular values of order one, redundant ones of the rounding of differences.
constexpr Real kRankTolerance = 1e-9L;
// What differences leave of an entry that is zero; a loop that only doubles a joint has no others.
constexpr Real kZero = 1e-11L;

/// A frame: axes and origin in world axes.
struct Frame {
  Matrix axes = Matrix::Identity();
  Vector origin = Vector::Zero();

  Frame operator*(const Frame& inner) const { return {axes * inner.axes, origin + axes * inner.origin}; }
  [[nodiscard]] Frame inverse() const { return {axes.transpose(), -(axes.transpose() * origin)}; }
};

Matrix turn(const Vector& axis, Real angle) {
  return Eigen::AngleAxis<Real>(angle, axis).toRotationMatrix();
}

Frame frame_of(const JointFrame& given) {
  const Eigen::Matrix<Real, 4, 1> e = given.rotation.cast<Real>();
  return {Quaternion(e[0], e[1], e[2], e[3]).normalized().toRotationMatrix(), given.position.cast<Real>()};
}

/// A direction normal to the axis that the format leaves open, as the model chose it.
const Joint& model_joint(const Mechanism& mechanism, const std::string& name) {
  return mechanism.joint(*mechanism.find_joint(name));
}

/// A joint, its coordinates, and where its quasi-velocities stand among all.
struct MovingJoint {
  const JointDescription* description;
  Vector normal1;
  Vector normal2;
  std::vector<Real> q;
  std::vector<Real> u;
  int offset;
  Frame frame_a;
  Frame frame_b;

  /// \param moved s times the quasi-velocities of a motion that keeps them constant
  [[nodiscard]] Frame across(const Real* moved) const {
    const Vector axis = description->axis.cast<Real>();
    const Vector axis2 = description->axis2.cast<Real>();
    const auto turned = [&] {
      const Vector angle(moved[0], moved[1], moved[2]);
      const Real size = angle.norm();
      const Quaternion start = Quaternion(q[0], q[1], q[2], q[3]).normalized();
      return Matrix(start.toRotationMatrix() * (size > 0 ? turn(angle / size, size) : Matrix(Matrix::Identity())));
    };
    switch (description->type) {
      case JointType::revolute:
        return {turn(axis, q[0] + moved[0]), Vector::Zero()};
      case JointType::prismatic:
        return {Matrix::Identity(), axis * (q[0] + moved[0])};
      case JointType::universal:
        return {turn(axis, q[0] + moved[0]) * turn(axis2, q[1] + moved[1]), Vector::Zero()};
      case JointType::cylindrical:
        return {turn(axis, q[0] + moved[0]), axis * (q[1] + moved[1])};
      case JointType::spherical:
        return {turned(), Vector::Zero()};
      case JointType::planar:
        return {turn(axis, q[2] + moved[2]), normal1 * (q[0] + moved[0]) + normal2 * (q[1] + moved[1])};
      case JointType::free:
        return {turned(), Vector(q[4] + moved[3], q[5] + moved[4], q[6] + moved[5])};
      case JointType::fixed:
        break;
      case JointType::distance:
      case JointType::revolute_spherical:
      case JointType::point_on_line:
      case JointType::point_on_plane:
      case JointType::rolling_ball:
      case JointType::rolling_disc:
        throw std::invalid_argument("joints without coordinates are compared with chains of links without mass");
      case JointType::screw:
        return {turn(axis, q[0] + moved[0]), axis * (static_cast<Real>(description->pitch) * (q[0] + moved[0]))};
    }
    return {};
  }
};

/// Derivatives of frames along a motion: origin and angular.
struct FrameRates {
  std::vector<Vector> linear;
  std::vector<Vector> angular;
};

Vector skew_part(const Matrix& m) {
  return 0.5L * Vector(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
}

class Kane {
 public:
  explicit Kane(const Mechanism& mechanism) : mechanism_(mechanism), description_(mechanism.description()) {
    for (std::size_t i = 0; i < description_.bodies.size(); ++i) {
      body_index_[description_.bodies[i].name] = i;
    }
    // Cut joints last: their unknowns follow those of the tree.
    for (const bool cuts : {false, true}) {
      for (const JointDescription& joint : description_.joints) {
        if (joint.cut == cuts) {
          add_joint(joint);
        }
      }
    }
  }

  KaneAccelerations accelerations() {
    solve_cut_velocities();
    Columns mass = Columns::Zero(unknowns_, unknowns_);
    Coordinates forces = Coordinates::Zero(unknowns_);
    add_inertia(mass, forces);
    add_joint_forces(forces);
    add_point_springs(forces);
    add_bushings(forces);
    const int tree = mechanism_.u_size();
    const Coordinates open = mass.topLeftCorner(tree, tree).colPivHouseholderQr().solve(forces.head(tree));
    auto [rows, right] = constraints();
    // u' = particular + free * y, where the rows hold; Kane's equations along the free motions.
    Coordinates rates = Coordinates::Zero(unknowns_);
    Columns free = Columns::Identity(unknowns_, unknowns_);
    if (rows.rows() > 0) {
      Eigen::CompleteOrthogonalDecomposition<Columns> decomposition;
      decomposition.setThreshold(kRankTolerance);
      decomposition.compute(rows);
      rates = decomposition.solve(right);
      Eigen::ColPivHouseholderQR<Columns> range;
      range.setThreshold(kRankTolerance);
      range.compute(rows.transpose());
      free = Columns(range.householderQ()).rightCols(unknowns_ - range.rank());
    }
    if (free.cols() > 0) {
      const Columns reduced = free.transpose() * mass * free;
      const Coordinates reduced_forces = free.transpose() * (forces - mass * rates);
      rates += free * reduced.colPivHouseholderQr().solve(reduced_forces);
    }
    return {rates.head(tree).cast<double>(), tree > 0 ? static_cast<double>(open.cwiseAbs().maxCoeff()) : 0.0};
  }

 private:
  void add_joint(const JointDescription& joint) {
    const Joint& model = model_joint(mechanism_, joint.name);
    MovingJoint moving{&joint,
                       model.normal1.cast<Real>(),
                       model.normal2.cast<Real>(),
                       {joint.q0.begin(), joint.q0.end()},
                       {joint.v0.begin(), joint.v0.end()},
                       unknowns_,
                       frame_of(joint.frame_a),
                       frame_of(joint.frame_b)};
    moving.u.resize(static_cast<std::size_t>(velocity_count(joint.type)), 0.0L);
    unknowns_ += velocity_count(joint.type);
    joints_.push_back(std::move(moving));
  }

  [[nodiscard]] const MovingJoint& joint_named(const std::string& name) const {
    return *std::find_if(joints_.begin(), joints_.end(),
                         [&](const MovingJoint& joint) { return joint.description->name == name; });
  }

  [[nodiscard]] Frame body_frame(const std::vector<Frame>& bodies, const std::string& name) const {
    return name == kGround ? Frame{} : bodies[body_index_.at(name)];
  }

  /// Frames of all bodies, at their centres of mass; then, of each cut joint, its frame on b through b and through a.
  [[nodiscard]] std::vector<Frame> frames(const Coordinates& moved) const {
    std::vector<Frame> bodies(description_.bodies.size());
    std::vector<Frame> ends;
    for (const MovingJoint& joint : joints_) {
      const JointDescription& described = *joint.description;
      const Frame through_a =
          body_frame(bodies, described.a) * joint.frame_a * joint.across(moved.data() + joint.offset);
      if (!described.cut) {
        bodies[body_index_.at(described.b)] = through_a * joint.frame_b.inverse();
        continue;
      }
      ends.push_back(body_frame(bodies, described.b) * joint.frame_b);
      ends.push_back(through_a);
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bodies[i].origin += bodies[i].axes * description_.bodies[i].com.cast<Real>();
    }
    bodies.insert(bodies.end(), ends.begin(), ends.end());
    return bodies;
  }

  /// First and second derivatives of all frames along a motion with constant quasi-velocities.
  [[nodiscard]] std::pair<FrameRates, FrameRates> derivatives(const Coordinates& direction) const {
    constexpr Real kFirst[] = {0.0L, 4.0L / 5.0L, -1.0L / 5.0L, 4.0L / 105.0L, -1.0L / 280.0L};
    constexpr Real kSecond[] = {-205.0L / 72.0L, 8.0L / 5.0L, -1.0L / 5.0L, 8.0L / 315.0L, -1.0L / 560.0L};
    const Real largest = direction.size() > 0 ? direction.cwiseAbs().maxCoeff() : 0.0L;
    const Real h = kDifference / std::max(1.0L, largest);
    const std::vector<Frame> here = frames(Coordinates::Zero(unknowns_));
    std::vector<Matrix> axes_first(here.size(), Matrix::Zero());
    std::vector<Matrix> axes_second(here.size(), Matrix::Zero());
    FrameRates first{std::vector<Vector>(here.size(), Vector::Zero()), {}};
    FrameRates second = first;
    for (std::size_t f = 0; f < here.size(); ++f) {
      axes_second[f] = kSecond[0] / (h * h) * here[f].axes;
      second.linear[f] = kSecond[0] / (h * h) * here[f].origin;
    }
    for (int k = 1; k <= 4; ++k) {
      const std::vector<Frame> after = frames(static_cast<Real>(k) * h * direction);
      const std::vector<Frame> before = frames(-static_cast<Real>(k) * h * direction);
      for (std::size_t f = 0; f < here.size(); ++f) {
        first.linear[f] += kFirst[k] / h * (after[f].origin - before[f].origin);
        axes_first[f] += kFirst[k] / h * (after[f].axes - before[f].axes);
        second.linear[f] += kSecond[k] / (h * h) * (after[f].origin + before[f].origin);
        axes_second[f] += kSecond[k] / (h * h) * (after[f].axes + before[f].axes);
      }
    }
    for (std::size_t f = 0; f < here.size(); ++f) {
      first.angular.push_back(skew_part(axes_first[f] * here[f].axes.transpose()));
      // R'' R^T = [alpha] + [omega]^2, whose second part is symmetric.
      second.angular.push_back(skew_part(axes_second[f] * here[f].axes.transpose()));
    }
    return {std::move(first), std::move(second)};
  }

  /// Partial velocities; the velocities of the cut joints from them; then what is left of the accelerations.
  void solve_cut_velocities() {
    for (int r = 0; r < unknowns_; ++r) {
      first_.push_back(derivatives(Coordinates::Unit(unknowns_, r)).first);
    }
    u_ = Coordinates::Zero(unknowns_);
    for (const MovingJoint& joint : joints_) {
      for (std::size_t i = 0; i < joint.u.size(); ++i) {
        u_[joint.offset + static_cast<int>(i)] = joint.u[i];
      }
    }
    const int tree = mechanism_.u_size();
    const int cut = unknowns_ - tree;
    if (cut > 0) {
      const Columns rows = loop_rows();
      const Columns of_cuts = rows.rightCols(cut);
      u_.tail(cut) = of_cuts.colPivHouseholderQr().solve(-(rows.leftCols(tree) * u_.head(tree)));
      for (MovingJoint& joint : joints_) {
        for (std::size_t i = 0; i < joint.u.size(); ++i) {
          joint.u[i] = u_[joint.offset + static_cast<int>(i)];
        }
      }
    }
    second_ = derivatives(u_).second;
    here_ = frames(Coordinates::Zero(unknowns_));
  }

  [[nodiscard]] std::size_t body_count() const { return description_.bodies.size(); }

  /// Six rows a cut joint: the frame on b moves as the joint says.
  [[nodiscard]] Columns loop_rows() const {
    const auto cuts = static_cast<Eigen::Index>(frames(Coordinates::Zero(unknowns_)).size() - body_count()) / 2;
    Columns rows(6 * cuts, unknowns_);
    for (Eigen::Index c = 0; c < cuts; ++c) {
      const std::size_t on_b = body_count() + 2 * static_cast<std::size_t>(c);
      for (int r = 0; r < unknowns_; ++r) {
        const FrameRates& rates = first_[static_cast<std::size_t>(r)];
        rows.block<3, 1>(6 * c, r) = rates.linear[on_b] - rates.linear[on_b + 1];
        rows.block<3, 1>(6 * c + 3, r) = rates.angular[on_b] - rates.angular[on_b + 1];
      }
    }
    return rows.unaryExpr([](Real entry) { return std::abs(entry) < kZero ? 0.0L : entry; });
  }

  /// Loops and prescribed motions: rows u' = right.
  [[nodiscard]] std::pair<Columns, Coordinates> constraints() const {
    Columns rows = loop_rows();
    Coordinates right(rows.rows());
    for (Eigen::Index c = 0; c < rows.rows() / 6; ++c) {
      const std::size_t on_b = body_count() + 2 * static_cast<std::size_t>(c);
      right.segment<3>(6 * c) = second_.linear[on_b + 1] - second_.linear[on_b];
      right.segment<3>(6 * c + 3) = second_.angular[on_b + 1] - second_.angular[on_b];
    }
    for (const MovingJoint& joint : joints_) {
      for (const PrescribedMotion& motion : joint.description->motions) {
        double t = 0.0;
        const Eigen::Index row = rows.rows();
        rows.conservativeResize(row + 1, unknowns_);
        rows.row(row).setZero();
        rows(row, joint.offset + motion.component) = 1.0L;
        right.conservativeResize(row + 1);
        right[row] = static_cast<Real>(Expression(motion.acceleration, {{"t", &t}})());
      }
    }
    for (const CouplingDescription& coupling : description_.couplings) {
      const Eigen::Index row = rows.rows();
      rows.conservativeResize(row + 1, unknowns_);
      rows.row(row).setZero();
      right.conservativeResize(row + 1);
      right[row] = 0.0L;
      for (const CouplingTerm& term : coupling.terms) {
        rows(row, joint_named(term.joint).offset + term.component) = static_cast<Real>(term.factor);
      }
    }
    return {std::move(rows), std::move(right)};
  }

  [[nodiscard]] Vector velocity(std::size_t body) const { return sum(body, &FrameRates::linear); }
  [[nodiscard]] Vector spin(std::size_t body) const { return sum(body, &FrameRates::angular); }
  [[nodiscard]] Vector sum(std::size_t body, std::vector<Vector> FrameRates::*part) const {
    Vector total = Vector::Zero();
    for (int r = 0; r < unknowns_; ++r) {
      total += u_[r] * (first_[static_cast<std::size_t>(r)].*part)[body];
    }
    return total;
  }

  /// A force at a point of a body and a torque, into the generalised active forces.
  void act(Coordinates& forces, std::size_t body, const Vector& point, const Vector& force,
           const Vector& torque) const {
    const Vector moment = torque + (point - here_[body].origin).cross(force);
    for (int r = 0; r < unknowns_; ++r) {
      const FrameRates& partial = first_[static_cast<std::size_t>(r)];
      forces[r] += partial.linear[body].dot(force) + partial.angular[body].dot(moment);
    }
  }

  void add_inertia(Columns& mass, Coordinates& forces) {
    for (std::size_t k = 0; k < body_count(); ++k) {
      const BodyDescription& body = description_.bodies[k];
      const Matrix inertia = here_[k].axes * body.inertia.cast<Real>() * here_[k].axes.transpose();
      const auto m = static_cast<Real>(body.mass);
      for (int r = 0; r < unknowns_; ++r) {
        const FrameRates& partial = first_[static_cast<std::size_t>(r)];
        for (int s = 0; s < unknowns_; ++s) {
          const FrameRates& other = first_[static_cast<std::size_t>(s)];
          mass(r, s) += m * partial.linear[k].dot(other.linear[k]) + partial.angular[k].dot(inertia * other.angular[k]);
        }
      }
      const Vector omega = spin(k);
      const Vector momentum = inertia * omega;
      act(forces, k, here_[k].origin, m * (description_.gravity.cast<Real>() - second_.linear[k]),
          -(inertia * second_.angular[k]) - omega.cross(momentum));
    }
    for (const BodyLoadDescription& load : description_.body_loads) {
      const std::size_t k = body_index_.at(load.body);
      const Matrix axes = load.in_body_axes ? here_[k].axes : Matrix(Matrix::Identity());
      act(forces, k, point_of(load.body, load.point), axes * vector_of(load.force), axes * vector_of(load.torque));
    }
  }

  [[nodiscard]] Vector point_of(const std::string& body, const Vec3& point) const {
    if (body == kGround) {
      return point.cast<Real>();
    }
    const std::size_t k = body_index_.at(body);
    return here_[k].origin + here_[k].axes * (point - description_.bodies[k].com).cast<Real>();
  }

  [[nodiscard]] Vector velocity_of(const std::string& body, const Vector& point) const {
    if (body == kGround) {
      return Vector::Zero();
    }
    const std::size_t k = body_index_.at(body);
    return velocity(k) + spin(k).cross(point - here_[k].origin);
  }

  Vector vector_of(const std::vector<Law>& laws) {
    return laws.empty() ? Vector(Vector::Zero()) : Vector(value(laws[0]), value(laws[1]), value(laws[2]));
  }

  /// \param q, v of the joint component that is loaded
  Real value(const Law& law, Real q = 0.0L, Real v = 0.0L) {
    if (const auto* constant = std::get_if<ConstantLaw>(&law)) {
      return static_cast<Real>(constant->value);
    }
    if (const auto* table = std::get_if<TableLaw>(&law)) {
      const Real x = table->over == "q" ? q : table->over == "v" ? v : 0.0L;
      std::size_t i = 0;
      while (i + 2 < table->abscissa.size() && static_cast<Real>(table->abscissa[i + 1]) < x) {
        ++i;
      }
      const auto left = static_cast<Real>(table->abscissa[i]);
      const auto right = static_cast<Real>(table->abscissa[i + 1]);
      const Real weight = std::clamp((x - left) / (right - left), 0.0L, 1.0L);
      return (1.0L - weight) * static_cast<Real>(table->values[i]) + weight * static_cast<Real>(table->values[i + 1]);
    }
    set_variables(q, v);
    std::vector<ExpressionVariable> variables;
    variables.reserve(variables_.size());
    for (auto& [name, number] : variables_) {
      variables.push_back({name, &number});
    }
    return static_cast<Real>(Expression(std::get<ExpressionLaw>(law).text, variables)());
  }

  void set_variables(Real q, Real v) {
    variables_["t"] = 0.0;
    variables_["q"] = static_cast<double>(q);
    variables_["v"] = static_cast<double>(v);
    for (const MovingJoint& joint : joints_) {
      const std::string& name = joint.description->name;
      for (std::size_t i = 0; i < joint.u.size() && !joint.description->cut; ++i) {
        const std::string suffix = i == 0 ? name : name + "_" + std::to_string(i + 1);
        variables_["v_" + suffix] = static_cast<double>(joint.u[i]);
        variables_["q_" + suffix] = static_cast<double>(joint.q[i]);
      }
    }
    for (const MarkerDescription& marker : description_.markers) {
      const Vector point = point_of(marker.body, marker.point);
      const Vector rate = velocity_of(marker.body, point);
      for (int i = 0; i < 3; ++i) {
        const std::string suffix = std::string(1, "xyz"[i]) + "_" + marker.name;
        variables_[suffix] = static_cast<double>(point[i]);
        variables_["v" + suffix] = static_cast<double>(rate[i]);
      }
    }
  }

  [[nodiscard]] const MovingJoint& joint_called(const std::string& name) const {
    return *std::find_if(joints_.begin(), joints_.end(),
                         [&](const MovingJoint& joint) { return joint.description->name == name; });
  }

  void add_joint_forces(Coordinates& forces) {
    for (const JointLoadDescription& load : description_.joint_loads) {
      const MovingJoint& joint = joint_called(load.joint);
      const auto component = static_cast<std::size_t>(load.component);
      forces[joint.offset + load.component] += value(
          load.law, has_coordinate_rates(joint.description->type) ? joint.q[component] : 0.0L, joint.u[component]);
    }
    for (const JointSpringDescription& spring : description_.joint_springs) {
      const MovingJoint& joint = joint_called(spring.joint);
      const auto component = static_cast<std::size_t>(spring.component);
      forces[joint.offset + spring.component] -=
          static_cast<Real>(spring.stiffness) * (joint.q[component] - static_cast<Real>(spring.rest)) +
          static_cast<Real>(spring.damping) * joint.u[component];
    }
    for (const JointFrictionDescription& friction : description_.joint_frictions) {
      const MovingJoint& joint = joint_called(friction.joint);
      const Real v = joint.u[static_cast<std::size_t>(friction.component)];
      Real level = static_cast<Real>(friction.kinetic);
      if (friction.stribeck_velocity > 0.0) {
        level += static_cast<Real>(friction.breakaway - friction.kinetic) *
                 std::exp(-v * v / static_cast<Real>(friction.stribeck_velocity * friction.stribeck_velocity));
      }
      forces[joint.offset + friction.component] -=
          level * std::tanh(v / static_cast<Real>(friction.regularisation_velocity)) +
          static_cast<Real>(friction.viscous) * v;
    }
    for (const JointStopDescription& stop : description_.joint_stops) {
      const MovingJoint& joint = joint_called(stop.joint);
      const auto component = static_cast<std::size_t>(stop.component);
      for (const auto& [bound, sign] : {std::pair(stop.lower, -1.0L), {stop.upper, 1.0L}}) {
        const Real depth = bound ? sign * (joint.q[component] - static_cast<Real>(*bound)) : 0.0L;
        if (depth > 0.0L) {
          forces[joint.offset + stop.component] -=
              sign * static_cast<Real>(stop.stiffness) * depth *
              std::max(0.0L, 1.0L + static_cast<Real>(stop.damping) * sign * joint.u[component]);
        }
      }
    }
  }

  /// Minus the derivatives of the energy by differences, and the dampers.
  void add_bushings(Coordinates& forces) const {
    for (const BushingDescription& bushing : description_.bushings) {
      const auto energy = [&](const Coordinates& moved) { return bushing_energy(bushing, frames(moved)); };
      for (int r = 0; r < unknowns_; ++r) {
        const Coordinates along = kDifference * Coordinates::Unit(unknowns_, r);
        constexpr Real kFirst[] = {4.0L / 5.0L, -1.0L / 5.0L, 4.0L / 105.0L, -1.0L / 280.0L};
        for (int k = 0; k < 4; ++k) {
          const Real steps = static_cast<Real>(k + 1);
          forces[r] -= kFirst[k] / kDifference * (energy(steps * along) - energy(-steps * along));
        }
      }
      const Frame first = bushing_frame(bushing.body1, bushing.frame1, here_);
      const Vector point = bushing_frame(bushing.body2, bushing.frame2, here_).origin;
      const Vector velocity = velocity_of(bushing.body2, point) - velocity_of(bushing.body1, point);
      const Vector turning = spin_of(bushing.body2) - spin_of(bushing.body1);
      const auto damped = [&](const Vec3& damping, const Vector& rate) {
        return Vector(-(first.axes * damping.cast<Real>().cwiseProduct(first.axes.transpose() * rate)));
      };
      const Vector force = damped(bushing.damping, velocity);
      const Vector torque = damped(bushing.rotational_damping, turning);
      if (bushing.body2 != kGround) {
        act(forces, body_index_.at(bushing.body2), point, force, torque);
      }
      if (bushing.body1 != kGround) {
        act(forces, body_index_.at(bushing.body1), point, -force, -torque);
      }
    }
  }

  /// \param bodies frames at the centres of mass
  [[nodiscard]] Frame bushing_frame(const std::string& body, const JointFrame& given,
                                    const std::vector<Frame>& bodies) const {
    Frame own = frame_of(given);
    if (body == kGround) {
      return own;
    }
    const std::size_t k = body_index_.at(body);
    own.origin -= description_.bodies[k].com.cast<Real>();
    return bodies[k] * own;
  }

  [[nodiscard]] Real bushing_energy(const BushingDescription& bushing, const std::vector<Frame>& bodies) const {
    const Frame apart = bushing_frame(bushing.body1, bushing.frame1, bodies).inverse() *
                        bushing_frame(bushing.body2, bushing.frame2, bodies);
    const Eigen::AngleAxis<Real> rotation(apart.axes);
    const Vector turn = rotation.angle() * rotation.axis();
    return 0.5L * (apart.origin.dot(bushing.stiffness.cast<Real>().cwiseProduct(apart.origin)) +
                   turn.dot(bushing.rotational_stiffness.cast<Real>().cwiseProduct(turn)));
  }

  [[nodiscard]] Vector spin_of(const std::string& body) const {
    return body == kGround ? Vector(Vector::Zero()) : spin(body_index_.at(body));
  }

  void add_point_springs(Coordinates& forces) const {
    for (const PointSpringDescription& spring : description_.point_springs) {
      const Vector point1 = point_of(spring.body1, spring.point1);
      const Vector point2 = point_of(spring.body2, spring.point2);
      const Vector between = point2 - point1;
      const Real length = between.norm();
      if (length == 0.0L) {
        continue;
      }
      const Vector direction = between / length;
      const Real rate = direction.dot(velocity_of(spring.body2, point2) - velocity_of(spring.body1, point1));
      const Vector pull = (static_cast<Real>(spring.stiffness) * (length - static_cast<Real>(spring.rest)) +
                           static_cast<Real>(spring.damping) * rate) *
                          direction;
      if (spring.body1 != kGround) {
        act(forces, body_index_.at(spring.body1), point1, pull, Vector::Zero());
      }
      if (spring.body2 != kGround) {
        act(forces, body_index_.at(spring.body2), point2, -pull, Vector::Zero());
      }
    }
  }

  const Mechanism& mechanism_;
  const MechanismDescription& description_;
  std::map<std::string, std::size_t> body_index_;
  std::vector<MovingJoint> joints_;
  int unknowns_ = 0;
  std::vector<FrameRates> first_;  // one a quasi-velocity
  FrameRates second_;
  std::vector<Frame> here_;
  Coordinates u_;
  std::map<std::string, double> variables_;
};

}  // namespace

KaneAccelerations accelerations_by_differences(const Mechanism& mechanism) {
  return Kane(mechanism).accelerations();
}

}  // namespace mbdbench
