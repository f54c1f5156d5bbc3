#pragma once
/// \file
/// Motions of a mechanism with constant quasi-velocities, and what differences of its poses along them say: partial
/// velocities, the rows of loops and what is left of accelerations (kane_by_differences.hpp). Numbers of any kind.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
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
class KaneMotions : protected KanePoses<Real> {
 public:
  using Columns = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Coordinates = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  explicit KaneMotions(const Mechanism& mechanism) : mechanism_(mechanism), description_(mechanism.description()) {
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

 protected:
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

  /// Rows that are rounding of differences, as where all of a loop's joints are rigid, are zero.
  static Columns without_rounding(Columns rows) {
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      if (rows.row(i).cwiseAbs().sum() < kRankTolerance) {
        rows.row(i).setZero();
      }
    }
    return rows;
  }

  /// A basis of the quasi-velocities that rows allow.
  [[nodiscard]] Columns free_motions(const Columns& rows) const {
    if (rows.rows() == 0) {
      return Columns::Identity(unknowns_, unknowns_);
    }
    Eigen::ColPivHouseholderQR<Columns> range;
    range.setThreshold(kRankTolerance);
    range.compute(without_rounding(rows).transpose());
    return Columns(range.householderQ()).rightCols(unknowns_ - range.rank());
  }

  static Coordinates least_squares(const Columns& rows, const Coordinates& right) {
    if (rows.rows() == 0 || rows.cols() == 0) {
      return Coordinates::Zero(rows.cols());
    }
    Eigen::CompleteOrthogonalDecomposition<Columns> decomposition;
    decomposition.setThreshold(kRankTolerance);
    decomposition.compute(without_rounding(rows));
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

  [[nodiscard]] std::size_t body_count() const { return description_.bodies.size(); }

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

  const Mechanism& mechanism_;
  const MechanismDescription& description_;
  std::map<std::string, std::size_t> body_index_;
  std::vector<MovingJoint> joints_;
  int unknowns_ = 0;
  std::vector<FrameRates> first_;  // one a quasi-velocity
  FrameRates second_;
  std::vector<Frame> here_;
  Coordinates u_;
};

}  // namespace mbdbench
