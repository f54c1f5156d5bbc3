#pragma once
/// \file
/// Whether a run stays on its branch where it comes to singular positions.
///
/// There the smallest singular value s of a loop's rows of Phi_q vanishes and branches of the motion meet. Followed
/// along the motion, the signs of its two vectors continued, s changes its sign on the way through. A run in which s
/// comes as near to zero as the drift allows and turns back with the sign it had has been led to another branch by its
/// own errors; energy and residuals need not show it. The same holds where s stays zero over a part of the motion: it
/// vanishes always or at single times, and with it the loop has more freedoms than its motion began with. Followed are
/// the rows of every cut joint by themselves, and all rows together in small mechanisms while one singular value alone
/// is small.
///
/// A state that is off by |Phi| cannot tell a near miss at s from a passage where s^2 < |Phi| / L; what comes nearer
/// than a few times that and turns back is called a change of branch. A mechanism that stops there and returns the way
/// it came is not.
///
/// Cost a step: O(m n) for m rows and n velocities.
#include <Eigen/Core>
#include <array>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// A singular value that turned back, or stayed zero, where it should have changed its sign.
struct BranchChange {
  double t = 0.0;          ///< of the step next to the singular position
  std::string joint;       ///< the cut joint; empty where the loops are singular together
  double closeness = 0.0;  ///< the smallest singular value there over the largest
};

/// One matrix along a motion.
class SingularValueTrack {
 public:
  /// \param rank how many singular values count: the last of them is followed
  /// \param alone judge only while no other singular value is as small
  SingularValueTrack(Eigen::Index rank, bool alone) : rank_(rank), alone_(alone) {}

  /// Takes the matrix of the next step. \param q, u its position and velocity \param moved integral of u without units
  /// \param open |Phi| over the size of the mechanism \returns whether a change of branch came to light
  bool follow(double t, const Eigen::MatrixXd& a, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
              const Eigen::VectorXd& moved, double open);

  /// \returns whether there is anything to follow: rows that are all zero have no singular value that counts.
  [[nodiscard]] bool follows() const { return rank_ > 0; }
  /// \returns the last value followed over the largest of its matrix, at the last step; with its sign.
  [[nodiscard]] double value() const { return value_; }
  /// \returns how often it changed its sign.
  [[nodiscard]] int passages() const { return passages_; }
  /// \returns time and value next to the singular position, after `follow` returned true.
  [[nodiscard]] double nearest_time() const { return nearest_.t; }
  [[nodiscard]] double nearest_value() const { return nearest_.value; }

 private:
  struct Point {
    double t = 0.0;
    double value = 0.0;
    Eigen::VectorXd u;
  };
  /// The last value of A over the first, with the sign that continues its vectors. \returns whether they could be
  bool set_value(const Eigen::MatrixXd& a, const Eigen::VectorXd& u);
  void forget();
  bool leaves_a_dip(double t, const Eigen::VectorXd& q, double open);
  [[nodiscard]] bool jumps_back() const;
  bool stays(double t, const Eigen::MatrixXd& a, const Eigen::VectorXd& moved, double open);

  Eigen::Index rank_;
  bool alone_;
  Eigen::VectorXd left_;
  Eigen::VectorXd right_;
  Eigen::VectorXd u_;  // at the last step
  double value_ = 0.0;
  int passages_ = 0;
  std::deque<Point> last_;  // at most four
  bool dips_ = false;
  double entry_ = 0.0;  // value before the dip
  Eigen::VectorXd entry_q_;
  Eigen::VectorXd last_q_;
  double way_ = 0.0;  // length of the way since
  bool was_regular_ = false;
  std::optional<Eigen::VectorXd> stays_since_;  // what had been moved where s became zero
  Point nearest_;
  std::optional<double> told_;  // time of the last change
};

/// All loops of a mechanism along a run.
class BranchWatch {
 public:
  explicit BranchWatch(const Mechanism& mechanism);

  /// An accepted state. \param open max |Phi| over the size of the mechanism
  void follow(double t, std::span<const double> q, std::span<const double> u, double open);

  /// \returns whether the loops are followed: Phi_q of very large mechanisms is not formed.
  [[nodiscard]] bool watches() const { return !tracks_.empty(); }
  /// \returns the smallest value over all loops and steps: 0 at a singular position.
  [[nodiscard]] double smallest_value() const { return smallest_; }
  /// \returns how many singular positions of single loops were passed.
  [[nodiscard]] int passages() const;
  /// \returns in the order of the motion.
  [[nodiscard]] const std::vector<BranchChange>& changes() const { return changes_; }

 private:
  /// Phi_q without units: lengths in those of the mechanism.
  void set_rows(std::span<const double> q);

  const Mechanism* mechanism_;
  std::optional<Kinematics> kinematics_;  ///< 2 kB a body: none where nothing is followed
  Eigen::MatrixXd phi_q_;
  Eigen::VectorXd moved_;  // integral of u without units
  Eigen::VectorXd rate_;   // u without units at the last step
  double t_ = 0.0;
  std::vector<SingularValueTrack> tracks_;  // of the cut joints; then of all rows together
  double smallest_ = 1.0;
  std::vector<BranchChange> changes_;
};

}  // namespace mbdbench
