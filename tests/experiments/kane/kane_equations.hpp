#pragma once
/// \file
/// Kane's equations of a mechanism by differences of its poses (kane_by_differences.hpp), with numbers of any kind.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mechanisms/model/loads/expression.hpp"
#include "tests/experiments/kane/kane_poses.hpp"

namespace mbdbench {

/// Specialised for each kind of number: the step of differences of poses, and what they leave of an entry of a row that
/// is zero (a loop that only doubles a joint has no others).
template <typename Real>
struct KaneSteps;

/// Some functions set what others read: first_ and u_, then second_ and here_.
template <typename Real>
class Kane : KanePoses<Real> {
  using typename KanePoses<Real>::Vector;
  using typename KanePoses<Real>::Matrix;
  using typename KanePoses<Real>::Frame;
  using typename KanePoses<Real>::FrameRates;
  using typename KanePoses<Real>::MovingJoint;
  using KanePoses<Real>::frame_of;
  using KanePoses<Real>::model_joint;
  using KanePoses<Real>::skew_part;
  static inline const Real kDifference{KaneSteps<Real>::kDifference};
  static inline const Real kZero{KaneSteps<Real>::kZero};

  /// Rows of loops have singular values of order one, redundant ones of the rounding of differences.
  static inline const Real kRankTolerance{1e-9L};

 public:
  using Columns = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Coordinates = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

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

  /// As many as quasi-velocities of all joints, those of cut ones last.
  [[nodiscard]] int unknowns() const { return unknowns_; }

  /// From now on the coordinates are those after a motion with constant quasi-velocities.
  void move(const Coordinates& moved) {
    for (MovingJoint& joint : joints_) {
      joint.move(moved.data() + joint.offset);
    }
  }

  void set_velocities(const Coordinates& u) {
    for (MovingJoint& joint : joints_) {
      for (std::size_t i = 0; i < joint.u.size(); ++i) {
        joint.u[i] = u[joint.offset + static_cast<int>(i)];
      }
    }
  }

  /// Closes the loops by Newton's method, near where they are. \param first_unknown those from here on move
  void close(int first_unknown) {
    constexpr int kClosingSteps = 8;  // the second leaves some 1e-24 of loops that are open by 1e-6
    for (int step = 0; step < kClosingSteps; ++step) {
      const Columns rows = constraint_rows_here();
      const std::vector<Frame> here = frames(Coordinates::Zero(unknowns_));
      Coordinates gaps = Coordinates::Zero(rows.rows());
      Eigen::Index row = 0;
      for (std::size_t on_b = body_count(); on_b < here.size(); on_b += 2, row += 6) {
        gaps.segment(row, 3) = here[on_b].origin - here[on_b + 1].origin;
        gaps.segment(row + 3, 3) = skew_part(here[on_b].axes * here[on_b + 1].axes.transpose());
      }
      Coordinates moved = Coordinates::Zero(unknowns_);
      moved.tail(unknowns_ - first_unknown) =
          least_squares(Columns(rows.rightCols(unknowns_ - first_unknown)), Coordinates(-gaps));
      move(moved);
    }
  }

  /// What of quasi-velocities loops and couplings allow.
  [[nodiscard]] Coordinates allowed(const Coordinates& u) {
    const Columns rows = constraint_rows_here();
    return u - least_squares(rows, Coordinates(rows * u));
  }

  /// M u of the tree joints.
  [[nodiscard]] Coordinates momenta() {
    set_partial_velocities();
    const std::vector<Frame> here = frames(Coordinates::Zero(unknowns_));
    Coordinates p = Coordinates::Zero(mechanism_.u_size());
    for (std::size_t k = 0; k < body_count(); ++k) {
      const BodyDescription& body = description_.bodies[k];
      const Vector turning = here[k].axes * (body.inertia.cast<Real>() * (here[k].axes.transpose() * spin(k)));
      const Vector moving = static_cast<Real>(body.mass) * velocity(k);
      for (int r = 0; r < p.size(); ++r) {
        const FrameRates& partial = first_[static_cast<std::size_t>(r)];
        p[r] += partial.linear[k].dot(moving) + partial.angular[k].dot(turning);
      }
    }
    return p;
  }

  /// Coordinates of the tree joints.
  [[nodiscard]] Coordinates coordinates() const {
    std::vector<Real> all;
    for (const MovingJoint& joint : joints_) {
      if (!joint.description->cut) {
        all.insert(all.end(), joint.q.begin(), joint.q.end());
      }
    }
    return Eigen::Map<const Coordinates>(all.data(), static_cast<Eigen::Index>(all.size()));
  }
  /// From now on these. \param q, u of the tree joints
  void set_tree(const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
    Eigen::Index next = 0;
    for (MovingJoint& joint : joints_) {
      if (!joint.description->cut) {
        for (Real& number : joint.q) {
          number = static_cast<Real>(q[next++]);
        }
        for (std::size_t i = 0; i < joint.u.size(); ++i) {
          joint.u[i] = static_cast<Real>(u[joint.offset + static_cast<int>(i)]);
        }
      }
    }
  }
  /// All of them, with those of cut joints that keep the loops closed.
  [[nodiscard]] Coordinates velocities() {
    solve_cut_velocities();
    return u_;
  }

  /// u' of the tree joints; how large it would be if no constraint held.
  std::pair<Coordinates, Real> accelerations() {
    solve_cut_velocities();
    second_ = derivatives(u_).second;
    here_ = frames(Coordinates::Zero(unknowns_));
    Columns mass = Columns::Zero(unknowns_, unknowns_);
    Coordinates forces = Coordinates::Zero(unknowns_);
    add_mass(mass);
    add_forces(forces);
    add_joint_forces(forces);
    add_point_springs(forces);
    add_bushings(forces);
    const int tree = mechanism_.u_size();
    const Coordinates open = mass.topLeftCorner(tree, tree).colPivHouseholderQr().solve(forces.head(tree));
    const Columns rows = constraint_rows();
    const Coordinates right = right_sides(rows.rows());
    // u' = particular + free * y, where the rows hold; Kane's equations along the free motions.
    Coordinates rates = Coordinates::Zero(unknowns_);
    if (rows.rows() > 0) {
      rates = least_squares(rows, right);
    }
    const Columns free = free_motions(rows);
    if (free.cols() > 0) {
      const Columns reduced = free.transpose() * mass * free;
      const Coordinates reduced_forces = free.transpose() * (forces - mass * rates);
      rates += free * reduced.colPivHouseholderQr().solve(reduced_forces);
    }
    return {rates.head(tree), tree > 0 ? Real(open.cwiseAbs().maxCoeff()) : Real(0)};
  }

  /// What of generalised forces on the tree joints is M times accelerations that the constraints allow: without the
  /// part that reactions can take.
  [[nodiscard]] Coordinates allowed_forces(const Coordinates& forces) {
    const Columns free = free_motions(constraint_rows_here());
    Columns mass = Columns::Zero(unknowns_, unknowns_);
    add_mass(mass);
    Coordinates all = Coordinates::Zero(unknowns_);
    all.head(forces.size()) = forces;
    const Columns reduced = free.transpose() * mass * free;
    const Coordinates rates = free * reduced.colPivHouseholderQr().solve(Coordinates(free.transpose() * all));
    return (mass * rates).head(forces.size());
  }

 private:
  /// A basis of the quasi-velocities that rows allow.
  [[nodiscard]] Columns free_motions(const Columns& rows) const {
    if (rows.rows() == 0) {
      return Columns::Identity(unknowns_, unknowns_);
    }
    Eigen::ColPivHouseholderQR<Columns> range;
    range.setThreshold(kRankTolerance);
    range.compute(rows.transpose());
    return Columns(range.householderQ()).rightCols(unknowns_ - range.rank());
  }

  static Coordinates least_squares(const Columns& rows, const Coordinates& right) {
    if (rows.rows() == 0 || rows.cols() == 0) {
      return Coordinates::Zero(rows.cols());
    }
    Eigen::CompleteOrthogonalDecomposition<Columns> decomposition;
    decomposition.setThreshold(kRankTolerance);
    decomposition.compute(rows);
    return decomposition.solve(right);
  }

  [[nodiscard]] Columns constraint_rows_here() {
    set_partial_velocities();
    return constraint_rows();
  }

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
    moving.u.resize(static_cast<std::size_t>(velocity_count(joint.type)), Real(0));
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
    const Real kFirst[] = {Real(0), Real(4) / Real(5), Real(-1) / Real(5), Real(4) / Real(105), Real(-1) / Real(280)};
    const Real kSecond[] = {Real(-205) / Real(72), Real(8) / Real(5), Real(-1) / Real(5), Real(8) / Real(315),
                            Real(-1) / Real(560)};
    const Real largest = direction.size() > 0 ? direction.cwiseAbs().maxCoeff() : Real(0);
    const Real h = kDifference / std::max<Real>(Real(1), largest);
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

  /// Of all quasi-velocities, and these.
  void set_partial_velocities() {
    first_.clear();
    for (int r = 0; r < unknowns_; ++r) {
      first_.push_back(derivatives(Coordinates::Unit(unknowns_, r)).first);
    }
    u_ = Coordinates::Zero(unknowns_);
    for (const MovingJoint& joint : joints_) {
      for (std::size_t i = 0; i < joint.u.size(); ++i) {
        u_[joint.offset + static_cast<int>(i)] = joint.u[i];
      }
    }
  }

  /// Partial velocities; the velocities of the cut joints from them.
  void solve_cut_velocities() {
    set_partial_velocities();
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
        rows.col(r).segment(6 * c, 3) = rates.linear[on_b] - rates.linear[on_b + 1];
        rows.col(r).segment(6 * c + 3, 3) = rates.angular[on_b] - rates.angular[on_b + 1];
      }
    }
    return rows.unaryExpr([](const Real& entry) {
      using std::abs;
      return abs(entry) < kZero ? Real(0) : entry;
    });
  }

  /// Loops, prescribed motions and couplings: rows u' = right.
  [[nodiscard]] Columns constraint_rows() const {
    Columns rows = loop_rows();
    const auto add = [&] {
      rows.conservativeResize(rows.rows() + 1, unknowns_);
      rows.bottomRows(1).setZero();
      return rows.rows() - 1;
    };
    for (const MovingJoint& joint : joints_) {
      for (const PrescribedMotion& motion : joint.description->motions) {
        rows(add(), joint.offset + motion.component) = Real(1);
      }
    }
    for (const CouplingDescription& coupling : description_.couplings) {
      const Eigen::Index row = add();
      for (const CouplingTerm& term : coupling.terms) {
        rows(row, joint_named(term.joint).offset + term.component) = static_cast<Real>(term.factor);
      }
    }
    return rows;
  }

  /// \param count of rows
  [[nodiscard]] Coordinates right_sides(Eigen::Index count) const {
    Coordinates right = Coordinates::Zero(count);
    Eigen::Index row = 0;
    for (std::size_t on_b = body_count(); on_b < second_.linear.size(); on_b += 2, row += 6) {
      right.segment(row, 3) = second_.linear[on_b + 1] - second_.linear[on_b];
      right.segment(row + 3, 3) = second_.angular[on_b + 1] - second_.angular[on_b];
    }
    for (const MovingJoint& joint : joints_) {
      for (const PrescribedMotion& motion : joint.description->motions) {
        double t = 0.0;
        right[row++] = static_cast<Real>(Expression(motion.acceleration, {{"t", &t}})());
      }
    }
    return right;
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

  void add_mass(Columns& mass) const {
    const std::vector<Frame> here = frames(Coordinates::Zero(unknowns_));
    for (std::size_t k = 0; k < body_count(); ++k) {
      const BodyDescription& body = description_.bodies[k];
      const Matrix inertia = here[k].axes * body.inertia.cast<Real>() * here[k].axes.transpose();
      const auto m = static_cast<Real>(body.mass);
      for (int r = 0; r < unknowns_; ++r) {
        const FrameRates& partial = first_[static_cast<std::size_t>(r)];
        for (int s = 0; s < unknowns_; ++s) {
          const FrameRates& other = first_[static_cast<std::size_t>(s)];
          mass(r, s) += m * partial.linear[k].dot(other.linear[k]) + partial.angular[k].dot(inertia * other.angular[k]);
        }
      }
    }
  }

  void add_forces(Coordinates& forces) {
    for (std::size_t k = 0; k < body_count(); ++k) {
      const BodyDescription& body = description_.bodies[k];
      const Matrix inertia = here_[k].axes * body.inertia.cast<Real>() * here_[k].axes.transpose();
      const auto m = static_cast<Real>(body.mass);
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
  Real value(const Law& law, Real q = Real(0), Real v = Real(0)) {
    if (const auto* constant = std::get_if<ConstantLaw>(&law)) {
      return static_cast<Real>(constant->value);
    }
    if (const auto* table = std::get_if<TableLaw>(&law)) {
      const Real x = table->over == "q" ? q : table->over == "v" ? v : Real(0);
      std::size_t i = 0;
      while (i + 2 < table->abscissa.size() && static_cast<Real>(table->abscissa[i + 1]) < x) {
        ++i;
      }
      const auto left = static_cast<Real>(table->abscissa[i]);
      const auto right = static_cast<Real>(table->abscissa[i + 1]);
      const Real weight = std::clamp<Real>((x - left) / (right - left), Real(0), Real(1));
      return (Real(1) - weight) * static_cast<Real>(table->values[i]) +
             weight * static_cast<Real>(table->values[i + 1]);
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
          load.law, has_coordinate_rates(joint.description->type) ? joint.q[component] : Real(0), joint.u[component]);
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
      using std::exp;
      using std::tanh;
      const Real v = joint.u[static_cast<std::size_t>(friction.component)];
      Real level = static_cast<Real>(friction.kinetic);
      if (friction.stribeck_velocity > 0.0) {
        level += static_cast<Real>(friction.breakaway - friction.kinetic) *
                 exp(-v * v / static_cast<Real>(friction.stribeck_velocity * friction.stribeck_velocity));
      }
      forces[joint.offset + friction.component] -=
          level * tanh(v / static_cast<Real>(friction.regularisation_velocity)) +
          static_cast<Real>(friction.viscous) * v;
    }
    for (const JointStopDescription& stop : description_.joint_stops) {
      const MovingJoint& joint = joint_called(stop.joint);
      const auto component = static_cast<std::size_t>(stop.component);
      for (const auto& [bound, sign] : {std::pair(stop.lower, -Real(1)), {stop.upper, Real(1)}}) {
        const Real depth = bound ? sign * (joint.q[component] - static_cast<Real>(*bound)) : Real(0);
        if (depth > Real(0)) {
          forces[joint.offset + stop.component] -=
              sign * static_cast<Real>(stop.stiffness) * depth *
              std::max<Real>(Real(0), Real(1) + static_cast<Real>(stop.damping) * sign * joint.u[component]);
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
        const Real kFirst[] = {Real(4) / Real(5), Real(-1) / Real(5), Real(4) / Real(105), Real(-1) / Real(280)};
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
    return Real(0.5) * (apart.origin.dot(bushing.stiffness.cast<Real>().cwiseProduct(apart.origin)) +
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
      if (length == Real(0)) {
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

}  // namespace mbdbench
