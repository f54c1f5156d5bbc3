/// \file
/// Bae and Haug's recursion as it is printed, to be read beside the paper: full 6 x 6 matrices in world axes, one body
/// after another, reduced to link l, whose accelerations are unknowns beside the multipliers.
///
/// P. Malczyk, J. Fraczek: Analiza dynamiczna zlozonych zamknietych lancuchow kinematycznych (dynamic analysis of
/// complex closed kinematic chains), 2008. The definitions of K, L, PhiM, PhiL and RHS are those of its source
/// [Bae1988].
///
/// paper symbol                      -> name
///   Y_k = [r_k'; omega_k]           -> about O_k, the point of the joint that leads to the link; Link::y_rate is Y_k'
///   B_1, B_2, D of joint k          -> Link::b1, b2, d: Y_k' = B_1 Y_j' + B_2 q'' + D
///   M_k + K_k, Q_k + L_k            -> Link::inertia, load
///   PhiM_k                          -> Link::phi_m, one row a row of all cut joints
///   PhiL_l, RHS_l + gamma*          -> phi_l_, right_
///   lambda, and that of link l      -> multipliers_
///   link l                          -> the only body that a joint at the ground carries, else the ground
///
/// Cost: O(n m^2 + m^3) for m rows of cut joints, with large constants: some 5000 operations a body. `bae-haug` is the
/// same recursion, made to be fast.
///
/// DEVIATES [Malczyk2008, Eq. (2), (3)]: applied forces tau in the joints are added; the paper's driving torque is one
/// of the loads Q (right_hand_side_test). DEVIATES [Malczyk2008, Eq. (3), (5)]: the linear system is solved by
/// eliminating Y_l', and the rank of what is left for the multipliers is found: the paper's own loop of hinges repeats
/// three constraints, so the printed matrix is singular (bae_haug_printed_test).
#include "formulations/bae_haug/bae_haug_printed.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulations/execution/execution.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/loop_derivatives.hpp"
#include "formulations/recursion/cut_end.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "formulations/recursion/semidefinite_solver.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {
namespace {

struct Link {
  Mat6 b1;
  SpatialColumns b2;
  Vec6 d;
  Mat6 inertia;
  Vec6 load;
  JointMatrix pivot_inverse;  // (B_2^T (M + K) B_2)^-1
  Mat6 n;                     // B_2 (B_2^T (M + K) B_2)^-1 B_2^T
  Vec6 drive;                 // B_2 (B_2^T (M + K) B_2)^-1 tau
  Eigen::Matrix<double, Eigen::Dynamic, 6> phi_m;
  Vec6 y_rate;
};

/// \returns whether one body alone hangs on the ground, which then is link l.
bool has_base_link(const Mechanism& mechanism) {
  for (int k = 1; k < mechanism.body_count(); ++k) {
    if (mechanism.parent(k) < 0) {
      return false;
    }
  }
  return mechanism.body_count() > 0;
}

/// \returns groups of the rows of cut joints, then of the joint of link l.
std::vector<std::size_t> groups_of(const Mechanism& mechanism) {
  std::vector<std::size_t> groups = rows_of_one_unit(mechanism);
  if (has_base_link(mechanism)) {
    const Joint& joint = mechanism.tree_joints().front();
    const std::size_t next = groups.empty() ? 0 : groups.back() + 1;
    groups.insert(groups.end(), index_of(joint.linear_rows()), next);
    groups.insert(groups.end(), index_of(joint.nc - joint.linear_rows()), next + 1);
  }
  return groups;
}

class BaeHaugPrintedFormulation final : public JointVelocityFormulation {
 public:
  BaeHaugPrintedFormulation(const Mechanism& mechanism, BaumgarteConstants baumgarte, const InstructionSet& set)
      : JointVelocityFormulation(mechanism),
        baumgarte_(baumgarte),
        kinematics_(mechanism),
        loads_(mechanism, near()),
        links_(mechanism.bodies().size()),
        cut_rows_(mechanism.cut_row_count()),
        base_rows_(has_base_link(mechanism) ? mechanism.tree_joints().front().nc : 0),
        rank_(cut_rows_ > 0 ? mechanism.generic_rank().rank + base_rows_ : base_rows_),
        phi_l_(cut_rows_, cut_rows_),
        right_(cut_rows_),
        matrix_(cut_rows_ + base_rows_, cut_rows_ + base_rows_),
        base_phi_(cut_rows_ + base_rows_, 6),
        smallest_(cut_rows_ + base_rows_),
        multipliers_(cut_rows_ + base_rows_),
        accelerations_(mechanism.u_size()),
        solver_(groups_of(mechanism)),
        set_(set),
        derivatives_(
            mechanism, VelocityRules{false, baumgarte.alpha, baumgarte.beta}, std::string(), near(),
            [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); }, set) {
    use_derivatives(derivatives_);
    for (Link& link : links_) {
      link.phi_m.resize(cut_rows_, 6);
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<BaeHaugPrintedFormulation>(mechanism(), baumgarte_, set_);
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    const RhsStatus status = solve(t, x);
    reactions.tree_joints.resize(links_.size());
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const Link& link = links_[k];
      // What joint k transmits in all, less what is applied in it.
      reactions.tree_joints[k] = link.inertia * link.y_rate - link.load - applied(static_cast<int>(k));
      reactions.tree_joints[k] += link.phi_m.transpose().lazyProduct(multipliers_.head(cut_rows_));
    }
    if (has_base_) {
      reactions.tree_joints.front() = -kinematics_.tree_joint(0).d.lazyProduct(multipliers_.tail(base_rows_));
    }
    reactions.cut_joints.assign(mechanism().cut_joints().size(), Vec6::Zero());
    for (std::size_t c = 0; c < reactions.cut_joints.size(); ++c) {
      const Joint& cut = mechanism().cut_joints()[c];
      reactions.cut_joints[c] =
          -kinematics_.cut_joint(static_cast<int>(c)).d.lazyProduct(multipliers_.segment(cut.row_offset, cut.nc));
    }
    return status;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = solve(t, x);
    set_coordinate_rates(q_of(x), rate_of(x), q_of(xdot));
    std::copy(accelerations_.begin(), accelerations_.end(), rate_of(xdot).begin());
    return status;
  }

 private:
  /// \returns H (H^T H)^-1 tau of joint k.
  [[nodiscard]] Vec6 applied(int k) const {
    const Joint& joint = mechanism().tree_joints()[index_of(k)];
    Vec6 wrench = Vec6::Zero();
    for (int i = 0; i < joint.nu; ++i) {
      for (int j = 0; j < joint.nu; ++j) {
        wrench += kinematics_.tree_joint(k).h.col(i) *
                  (kinematics_.gram_inverse(k)(i, j) * loads_.joint_forces()[joint.u_offset + j]);
      }
    }
    return wrench;
  }

  RhsStatus solve(double t, std::span<const double> x) {
    kinematics_.set_positions(q_of(x));
    kinematics_.set_velocities(rate_of(x));
    loads_.evaluate(t, q_of(x), rate_of(x), kinematics_);
    for (int k = 0; k < mechanism().body_count(); ++k) {
      set_link(k, rate_of(x));
    }
    set_cut_joints();
    for (int k = mechanism().body_count() - 1; k >= (has_base_ ? 1 : 0); --k) {
      reduce(k);
    }
    if (const RhsStatus status = solve_base(); !status.ok) {
      return status;
    }
    for (int k = has_base_ ? 1 : 0; k < mechanism().body_count(); ++k) {
      set_acceleration(k);
    }
    for (std::size_t k = 0; k < links_.size(); ++k) {
      if (!links_[k].y_rate.allFinite()) {
        return {false, mechanism().tree_joints()[k].name,
                "the acceleration outboard of the joint is not a number, it is", links_[k].y_rate.sum()};
      }
    }
    return {};
  }

  /// B_1, B_2, D, M and Q of link k alone.
  void set_link(int k, std::span<const double> u) {
    Link& link = links_[index_of(k)];
    const Joint& joint = mechanism().tree_joints()[index_of(k)];
    const JointKinematics& state = kinematics_.tree_joint(k);
    const BodyKinematics& body = kinematics_.body(k);
    const bool on_ground = joint.a < 0;
    link.b1 = shift_matrix(on_ground ? Vec3(Vec3::Zero()) : Vec3(state.point - kinematics_.tree_joint(joint.a).point))
                  .transpose();
    link.b2 = state.h;
    link.d.setZero();
    if (!on_ground) {
      link.d.head<3>() =
          kinematics_.body(joint.a).velocity.tail<3>().cross(state.velocity - kinematics_.tree_joint(joint.a).velocity);
    }
    for (int i = 0; i < joint.nu; ++i) {
      link.d += u[index_of(joint.u_offset + i)] * state.h_rate.col(i);
    }
    const Vec3 l = body.com - state.point;
    const Vec3 omega = body.velocity.tail<3>();
    const double mass = mechanism().bodies()[index_of(k)].mass;
    Mat6 inertia = mass * Mat6::Identity();
    inertia.bottomRightCorner<3, 3>() = body.inertia;
    link.inertia = shift_matrix(l) * inertia * shift_matrix(l).transpose();
    Vec6 load = loads_.body_wrench(k);
    load.head<3>() -= mass * omega.cross(omega.cross(l));
    load.tail<3>() -= omega.cross(body.inertia * omega);
    link.load = shift_wrench(l, load);
    link.phi_m.setZero();
  }

  /// Phi_Z of both ends of every cut joint [Malczyk2008, Eq. (1)], and gamma* [Malczyk2008, Eq. (7)].
  void set_cut_joints() {
    phi_l_.setZero();
    smallest_.setZero();
    for (std::size_t c = 0; c < mechanism().cut_joints().size(); ++c) {
      const Joint& cut = mechanism().cut_joints()[c];
      const JointKinematics& state = kinematics_.cut_joint(static_cast<int>(c));
      for (const int body : {cut.a, cut.b}) {
        for (int row = 0; row < (body < 0 ? 0 : cut.nc); ++row) {
          const Vec6 wrench = shift_wrench(state.point - kinematics_.tree_joint(body).point, state.d.col(row));
          links_[index_of(body)].phi_m.row(cut.row_offset + row) += (body == cut.b ? 1.0 : -1.0) * wrench.transpose();
        }
      }
      set_cut_right_side(cut, state, cut_end(kinematics_, cut.a), cut_end(kinematics_, cut.b), baumgarte_, right_);
    }
  }

  /// Link k is eliminated: its joint's q'' follows from Y_j' and lambda.
  void reduce(int k) {
    Link& link = links_[index_of(k)];
    const Joint& joint = mechanism().tree_joints()[index_of(k)];
    const Mat6& m = link.inertia;
    link.n.setZero();
    link.drive.setZero();
    link.pivot_inverse.setZero(joint.nu, joint.nu);
    if (joint.nu > 0) {
      const JointMatrix pivot = link.b2.transpose().lazyProduct(m.lazyProduct(link.b2));
      link.pivot_inverse = pivot.inverse();
      link.n = link.b2.lazyProduct(link.pivot_inverse.lazyProduct(link.b2.transpose()));
      link.drive =
          link.b2.lazyProduct(link.pivot_inverse.lazyProduct(loads_.joint_forces().segment(joint.u_offset, joint.nu)));
    }
    const Mat6 p = Mat6::Identity() - link.n * m;
    const Vec6 free = p * link.d + link.n * link.load + link.drive;  // Y_k' where Y_j' and lambda are zero
    for (Eigen::Index row = 0; row < cut_rows_; ++row) {
      const Vec6 along = link.n * link.phi_m.row(row).transpose();
      for (Eigen::Index column = 0; column <= row; ++column) {
        phi_l_(row, column) -= link.phi_m.row(column).dot(along);  // [Bae1988, recursion of PhiL]
      }
      right_[row] -= link.phi_m.row(row).dot(free);  // [Bae1988, recursion of RHS]
      add_size_of_terms(row, link.n, kinematics_.tree_joint(k).point);
    }
    if (joint.a < 0) {
      return;  // [Malczyk2008, Eq. (3)]: link l is the ground, Y_l' = 0
    }
    Link& inboard = links_[index_of(joint.a)];
    inboard.inertia += link.b1.transpose() * (m - m * link.n * m) * link.b1;  // [Bae1988, recursion of K]
    inboard.load += link.b1.transpose() * (p.transpose() * (link.load - m * link.d) - m * link.drive);  // and of L
    for (Eigen::Index row = 0; row < cut_rows_; ++row) {
      inboard.phi_m.row(row) += link.phi_m.row(row) * p * link.b1;  // [Bae1988, recursion of PhiM]
    }
  }

  /// Rows that a mechanism cannot feel leave rounding: of what its terms would be if they did not cancel.
  void add_size_of_terms(Eigen::Index row, const Mat6& compliance, const Vec3& point) {
    for (std::size_t c = 0; c < mechanism().cut_joints().size(); ++c) {
      const Joint& cut = mechanism().cut_joints()[c];
      if (row >= cut.row_offset && row < cut.row_offset + cut.nc) {
        const JointKinematics& state = kinematics_.cut_joint(static_cast<int>(c));
        const double force = state.d.col(row - cut.row_offset).head<3>().norm();
        const double lever = std::max((state.point - point).norm(), mechanism().scales().loop_units[c]);
        const double torque = state.d.col(row - cut.row_offset).tail<3>().norm() + lever * force;
        smallest_[row] += kZeroRow * (force * force * compliance.topLeftCorner<3, 3>().trace() +
                                      torque * torque * compliance.bottomRightCorner<3, 3>().trace());
      }
    }
  }

  /// Y_l' and all multipliers [Malczyk2008, Eq. (3), (5)]:
  ///   [M_l + K_l, PhiM_l^T, Phi_l^T; PhiM_l, PhiL_l, 0; Phi_l, 0, 0] [Y_l'; lambda; lambda_l]
  ///   = [Q_l + L_l; RHS_l + gamma*; gamma_l]
  RhsStatus solve_base() {
    matrix_.setZero();
    matrix_.topLeftCorner(cut_rows_, cut_rows_) = -phi_l_;
    multipliers_.head(cut_rows_) = -right_;
    Mat6 inverse = Mat6::Zero();
    if (has_base_) {
      Link& link = links_.front();
      link.load += applied(0);
      inverse = link.inertia.inverse();
      base_phi_.topRows(cut_rows_) = link.phi_m;
      base_phi_.bottomRows(base_rows_) = kinematics_.tree_joint(0).d.transpose();
      for (Eigen::Index row = 0; row < matrix_.rows(); ++row) {
        const Vec6 along = inverse * base_phi_.row(row).transpose();
        for (Eigen::Index column = 0; column <= row; ++column) {
          matrix_(row, column) += base_phi_.row(column).dot(along);
        }
        multipliers_[row] =
            (row < cut_rows_ ? multipliers_[row] : -base_phi_.row(row).dot(link.d)) + along.dot(link.load);
      }
      for (Eigen::Index row = 0; row < cut_rows_; ++row) {
        add_size_of_terms(row, inverse, kinematics_.tree_joint(0).point);
      }
    }
    if (matrix_.rows() > 0) {
      if (!solver_.decompose(matrix_, smallest_, rank_)) {
        return {false, mechanism().tree_joints().front().name,
                "the matrix of the multipliers is not finite, its trace is", matrix_.trace()};
      }
      solver_.solve(multipliers_);
    }
    if (has_base_) {
      Link& link = links_.front();
      link.y_rate = inverse * (link.load - base_phi_.transpose().lazyProduct(multipliers_));
      const Joint& joint = mechanism().tree_joints().front();
      accelerations_.segment(joint.u_offset, joint.nu) =
          kinematics_.gram_inverse(0).lazyProduct(link.b2.transpose().lazyProduct(link.y_rate - link.d));
    }
    return {};
  }

  /// q'' of joint k and Y_k'.
  void set_acceleration(int k) {
    Link& link = links_[index_of(k)];
    const Joint& joint = mechanism().tree_joints()[index_of(k)];
    Vec6 inherited = link.d;
    if (joint.a >= 0) {
      inherited += link.b1 * links_[index_of(joint.a)].y_rate;
    }
    const Vec6 missing =
        link.inertia * inherited - link.load + link.phi_m.transpose().lazyProduct(multipliers_.head(cut_rows_));
    auto rate = accelerations_.segment(joint.u_offset, joint.nu);
    rate = loads_.joint_forces().segment(joint.u_offset, joint.nu);
    rate -= link.b2.transpose().lazyProduct(missing);
    rate = link.pivot_inverse.lazyProduct(rate).eval();  // [Malczyk2008, Eq. (2)]
    link.y_rate = inherited + link.b2.lazyProduct(rate);
  }

  BaumgarteConstants baumgarte_;
  bool has_base_ = has_base_link(mechanism());
  Kinematics kinematics_;
  LoadEvaluator loads_;
  std::vector<Link> links_;
  Eigen::Index cut_rows_;
  Eigen::Index base_rows_;
  Eigen::Index rank_;
  Eigen::MatrixXd phi_l_;  // its lower triangle
  Eigen::VectorXd right_;
  Eigen::MatrixXd matrix_;  // what is left for the multipliers
  Eigen::Matrix<double, Eigen::Dynamic, 6> base_phi_;
  Eigen::VectorXd smallest_;
  Eigen::VectorXd multipliers_;
  Eigen::VectorXd accelerations_;  // q''
  SemidefiniteSolver solver_;
  InstructionSet set_;
  LoopDerivatives derivatives_;  // of the function, which is that of bae-haug
};

// Of masses. Accelerations lose a tenth of eps times the ratio: 2e-13 here, 2e-11 at 1e6, 2e-5 at 1e12 (cart_pole).
constexpr double kLargestOutwardRatio = 1e4;

/// A body that is lighter than the one it carries: what the joint leaves of the outer one's inertia is a difference of
/// numbers of its size, and the inner body's inertia is added to that.
std::string refuse(const Mechanism& mechanism) {
  if (mechanism.rheonomic()) {
    return "the printed equations have no prescribed motions; bae-haug has";
  }
  for (const Joint& joint : mechanism.tree_joints()) {
    if (joint.a < 0) {
      continue;
    }
    const Body& inner = mechanism.bodies()[static_cast<std::size_t>(joint.a)];
    const Body& outer = mechanism.bodies()[static_cast<std::size_t>(joint.b)];
    if (outer.mass > kLargestOutwardRatio * inner.mass && inner.mass > 0.0) {
      return fmt::format(
          "body '{}' carries body '{}', which is {:.2g} times as heavy, and the printed recursion subtracts inertias "
          "of that size; bae-haug keeps the digits",
          inner.name, outer.name, outer.mass / inner.mass);
    }
  }
  return {};
}

std::span<const ParameterSpecification> options() {
  static const std::array<ParameterSpecification, 2> kOptions = {
      {{"alpha", 0.0, "Baumgarte's constant of the velocity error of cut joints, 1/s; 0: off, usual 1 to 20", 0.0, 1e6},
       {"beta", 0.0, "Baumgarte's constant of the position error of cut joints, 1/s; usually equal to alpha", 0.0,
        1e6}}};
  return kOptions;
}

std::unique_ptr<Formulation> make_printed(const Mechanism& mechanism, const Parameters& options,
                                          const Execution& execution) {
  return std::make_unique<BaeHaugPrintedFormulation>(
      mechanism, BaumgarteConstants{options.number("alpha"), options.number("beta")}, execution.instruction_set);
}

}  // namespace

FormulationEntry bae_haug_printed_entry() {
  return {"bae-haug-printed",
          "bae-haug as printed, to be read beside the paper: accelerations of link l and multipliers in one system",
          "Malczyk2008",
          StateKind::velocity,
          options(),
          refuse,
          make_printed,
          {.per_body = 2e3, .per_row_and_velocity = 48.0, .per_row_pair = 24.0}};
}

}  // namespace mbdbench
