/// \file
/// HDCA as it is printed, to be read beside the papers: full 6 x 6 matrices, world axes, one body after another.
///
/// K. Chadaj, P. Malczyk, J. Fraczek: Hamiltonian based parallel formulation for open-loop multibody system dynamics,
/// 2015; A parallel Hamiltonian formulation for forward dynamics of closed-loop multibody systems, 2017. Numbers below
/// are those of 2017.
///
/// paper symbol                  -> name
///   xi_11, xi_10                -> Compound::xi11, xi10, of the handle at the inboard joint
///   xi_12 D_2                   -> Compound::xi1c, D_2 of the cut ends inside, one column a row of a cut joint
///   D_2^T xi_22 D_2, D_2^T xi_20 -> xicc_, xic0_: of all cut ends, summed over what has been joined
///   W, beta                     -> Link::w, Link::beta
///   T_1^B of joint k            -> Link::t
///   Pbar_1^K, Qbar_1^K          -> Link::momentum, Link::load
///   C (the whole system)        -> the compounds of the bodies that joints at the ground carry
///
/// The tree is the sequential one: everything outboard of joint k, B, is joined to the body inboard of it with what has
/// been joined to that before, A. Cut ends stay handles up to the boundary, as the two ends of the chain do in the
/// paper: with several loops ("more than two handles", end of Sect. 2.2.2) the boundary has the rows of all of them.
/// Cost: O(n m^2 + m^3) for m rows of cut joints, with large constants: some 3000 operations a body. `hdca` is the same
/// algorithm, made to be fast.
///
/// DEVIATES [Chadaj2017, Eq. (23), (40)]: printed for H^T H = I; here u = (H^T H)^-1 H^T V and the active part of Pbar
/// is H (H^T H)^-1 p, which oblique universal joints need (right_hand_side_test). DEVIATES [Chadaj2017, Eq. (45)]: its
/// inverse does not exist for the paper's own mechanisms, planar loops of hinges in space, nor near singular positions.
/// The rank is found, at most what the constraints have generically (hdca_printed_formulas_test: closed loops).
/// DEVIATES [Chadaj2017, Eq. (10)]: its H and D consist of ones and zeros, in joint axes. Here D of a cut joint stands
/// along the world's axes: the same motion with other momenta (closed_loop_test compares both in `hdca`).
#include "formulations/hdca_printed/hdca_printed.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formulations/assembly/mechanism_assembly.hpp"
#include "formulations/assembly/point_masses.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/loop_derivatives.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "formulations/recursion/semidefinite_solver.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

using CutColumns = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// V_1 = xi_11 T_1 + xi_1c sigma_c + xi_10 [Chadaj2017, Eq. (17)], with T = D_c sigma_c on the cut ends inside.
struct Compound {
  Mat6 xi11;
  Vec6 xi10;
  CutColumns xi1c;
};

/// A body, and what the passes leave at its joint.
struct Link {
  Compound chain;       // C: the body and everything outboard of it, as far as it has been joined
  Mat6 inverse;         // xi_11 of the body alone
  Vec6 entering;        // active momenta of its joints, about O_1
  CutColumns cut_ends;  // S_1c D_c of its cut ends: plus for body b of the cut joint, minus for body a
  Mat6 s_12;            // from O_1 of the inboard body, which is A, to this joint
  Mat6 xi12;            // of A when this joint was closed
  CutColumns relative;  // xi_1c^B - xi_2c^A
  Mat6 w;
  Vec6 beta;
  Vec6 t;         // T_1: the constraint impulse that the joint gives the body
  Vec6 on_body;   // T_1 and what the outboard joints give the body, about O_1
  Vec6 velocity;  // V_1
  Vec6 momentum;  // Pbar_1 = H p + T_1
  Vec6 load;      // Qbar_1
};

/// \returns groups of rows of one unit: joints at the ground, then cut joints.
std::vector<std::size_t> boundary_groups(const Mechanism& mechanism) {
  std::vector<std::size_t> groups = rows_of_one_unit(mechanism);
  std::size_t next = groups.empty() ? 0 : groups.back() + 1;
  std::vector<std::size_t> boundary;
  for (const Joint& joint : mechanism.tree_joints()) {
    if (joint.a < 0) {
      boundary.insert(boundary.end(), index_of(joint.linear_rows()), next++);
      boundary.insert(boundary.end(), index_of(joint.nc - joint.linear_rows()), next++);
    }
  }
  boundary.insert(boundary.end(), groups.begin(), groups.end());
  return boundary;
}

class HdcaPrintedFormulation final : public JointStateFormulation {
 public:
  HdcaPrintedFormulation(const Mechanism& mechanism, const InstructionSet& set)
      : JointStateFormulation(mechanism, StateKind::momentum),
        kinematics_(mechanism),
        loads_(mechanism, near()),
        links_(mechanism.bodies().size()),
        cut_rows_(mechanism.cut_row_count()),
        solver_(boundary_groups(mechanism)),
        u_(index_of(mechanism.u_size())),
        set_(set),
        derivatives_(
            mechanism, LoopMomenta{}, std::string(), near(),
            [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); }, set) {
    use_derivatives(derivatives_);
    for (const Joint& joint : mechanism.tree_joints()) {
      ground_rows_ += joint.a < 0 ? joint.nc : 0;
    }
    rank_ = ground_rows_ + (cut_rows_ > 0 ? mechanism.generic_rank().rank : 0);
    for (Link& link : links_) {
      for (CutColumns* const columns : {&link.chain.xi1c, &link.cut_ends, &link.relative}) {
        columns->setZero(6, cut_rows_);
      }
    }
    const Eigen::Index rows = ground_rows_ + cut_rows_;
    matrix_.resize(rows, rows);
    sigma_.resize(rows);
    smallest_.resize(rows);
    xicc_.resize(cut_rows_, cut_rows_);
    xic0_.resize(cut_rows_);
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<HdcaPrintedFormulation>(mechanism(), set_);
  }

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    MechanismAssembly& system = this->system();
    const RhsStatus status = system.set_positions(t, q);
    if (status.ok) {
      std::copy(q.begin(), q.end(), x.begin());
      system.set_velocities(u);
      system.outboard_momenta(rate_of(x));
    }
    return status;
  }

  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    const RhsStatus status = solve_velocities(t, x);
    std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
    std::copy(u_.begin(), u_.end(), u.begin());
    return status;
  }

  /// The papers leave them out; accelerations of the same assembly.
  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    RhsStatus status = solve_velocities(t, x);
    if (status.ok) {
      status = system().set_positions(t, q_of(x));
    }
    if (status.ok) {
      system().set_velocities(u_);
      system().evaluate_loads(t, q_of(x));
      system().solve_accelerations();
      system().reactions(reactions);
    }
    return status;
  }

  [[nodiscard]] double largest_sigma() const override {
    return cut_rows_ > 0 ? sigma_.tail(cut_rows_).cwiseAbs().maxCoeff() : 0;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = solve_velocities(t, x);
    if (!status.ok) {
      return status;
    }
    set_coordinate_rates(q_of(x), u_, q_of(xdot));
    kinematics_.set_velocities(u_);
    loads_.evaluate(t, q_of(x), u_, kinematics_);
    sum_loads();
    set_momentum_rates(rate_of(xdot));
    return {};
  }

 private:
  [[nodiscard]] int count() const { return mechanism().body_count(); }
  [[nodiscard]] const JointKinematics& joint(int k) const { return kinematics_.tree_joint(k); }
  /// \returns H (H^T H)^-1 p of joint k.
  [[nodiscard]] Vec6 active(int k, std::span<const double> p) const {
    Vec6 momentum = Vec6::Zero();
    const Joint& tree_joint = mechanism().tree_joints()[index_of(k)];
    for (int i = 0; i < tree_joint.nu; ++i) {
      for (int j = 0; j < tree_joint.nu; ++j) {
        momentum += joint(k).h.col(i) * (kinematics_.gram_inverse(k)(i, j) * p[index_of(tree_joint.u_offset + j)]);
      }
    }
    return momentum;
  }

  /// Assembly, boundary, disassembly, joint velocities.
  RhsStatus solve_velocities(double /*t*/, std::span<const double> x) {
    kinematics_.set_positions(q_of(x));
    const std::span<const double> p = rate_of(x);
    set_bodies(p);
    for (int k = count() - 1; k >= 0; --k) {
      if (mechanism().parent(k) >= 0) {
        assemble(k);
      }
    }
    if (!close_boundary()) {
      return {false, mechanism().tree_joints().front().name, "the matrix of the boundary is not finite, its trace is",
              matrix_.trace()};
    }
    for (int k = 0; k < count(); ++k) {
      disassemble(k);
    }
    return set_velocities(p);
  }

  /// The bodies alone [Chadaj2015, Eq. (4)-(5)].
  /// DEVIATES [Chadaj2017, Eq. (21)-(24)]: xi_10, xi_20 of a body are not printed; the active momenta of all its tree
  /// joints enter, those outboard with a minus (hdca_printed_formulas_test).
  void set_bodies(std::span<const double> p) {
    for (int k = 0; k < count(); ++k) {
      Link& link = links_[index_of(k)];
      const BodyKinematics& body = kinematics_.body(k);
      Mat6 com_inverse = Mat6::Zero();
      com_inverse.topLeftCorner<3, 3>() = Mat3::Identity() / mechanism().bodies()[index_of(k)].mass;
      com_inverse.bottomRightCorner<3, 3>() = body.inertia_inverse;
      const Mat6 s_c1 = shift_matrix(joint(k).point - body.com);
      link.inverse = s_c1.transpose() * com_inverse * s_c1;
      link.entering = active(k, p);
      link.cut_ends.setZero();
      if (const int j = mechanism().parent(k); j >= 0) {
        link.s_12 = shift_matrix(joint(k).point - joint(j).point);
        links_[index_of(j)].entering -= link.s_12 * link.entering;
      }
    }
    for (std::size_t c = 0; c < mechanism().cut_joints().size(); ++c) {
      const Joint& cut = mechanism().cut_joints()[c];
      const JointKinematics& state = kinematics_.cut_joint(static_cast<int>(c));
      for (const int body : {cut.a, cut.b}) {
        for (int row = 0; row < (body < 0 ? 0 : cut.nc); ++row) {
          links_[index_of(body)].cut_ends.col(cut.row_offset + row) +=
              (body == cut.b ? 1.0 : -1.0) * shift_wrench(state.point - joint(body).point, state.d.col(row));
        }
      }
    }
    xicc_.setZero();
    xic0_.setZero();
    for (Link& link : links_) {
      link.chain.xi11 = link.inverse;
      link.chain.xi10 = link.inverse * link.entering;
      link.chain.xi1c = link.inverse.lazyProduct(link.cut_ends);
      add_product(link.cut_ends, link.chain.xi1c);
      xic0_ += link.cut_ends.transpose().lazyProduct(link.chain.xi10);
    }
    smallest_.setZero();
    smallest_.tail(cut_rows_) = kRounding * xicc_.diagonal();
  }

  /// xi_cc += a^T b, symmetric: its lower triangle.
  void add_product(const CutColumns& a, const CutColumns& b) {
    for (Eigen::Index column = 0; column < cut_rows_; ++column) {
      for (Eigen::Index row = column; row < cut_rows_; ++row) {
        xicc_(row, column) += a.col(row).dot(b.col(column));
      }
    }
  }

  /// Joins everything outboard of joint k, B, to its inboard body, A.
  void assemble(int k) {
    Link& link = links_[index_of(k)];
    const Compound& b = link.chain;
    Compound& a = links_[index_of(mechanism().parent(k))].chain;
    const SpatialColumns& d = joint(k).d;
    link.xi12 = a.xi11 * link.s_12;  // xi_2. = S_12^T xi_1. of A, whose handles 1 and 2 are on one body
    link.w.setZero();
    if (d.cols() > 0) {
      const JointMatrix dxd = d.transpose().lazyProduct((b.xi11 + link.s_12.transpose() * link.xi12).lazyProduct(d));
      link.w = -d.lazyProduct(JointMatrix(dxd.inverse()).lazyProduct(d.transpose()));  // [Chadaj2017, Eq. (27)]
    }
    link.beta = link.w * (b.xi10 - link.s_12.transpose() * a.xi10);  // [Chadaj2017, Eq. (28)]
    link.relative = b.xi1c - link.s_12.transpose().lazyProduct(a.xi1c);
    // [Chadaj2017, Eq. (34)-(36)] where A has no cut end, and their sums where A and B have
    a.xi11 += link.xi12 * link.w * link.xi12.transpose();
    a.xi10 -= link.xi12 * link.beta;
    for (Eigen::Index column = 0; column < cut_rows_; ++column) {
      const Vec6 t_1 = link.w * link.relative.col(column);
      a.xi1c.col(column) -= link.xi12 * t_1;
      xic0_[column] += link.relative.col(column).dot(link.beta);
      for (Eigen::Index row = column; row < cut_rows_; ++row) {
        xicc_(row, column) += link.relative.col(row).dot(t_1);
      }
    }
  }

  /// T_1 = D_1 sigma_1 of the joints at the ground and T = D_c sigma_c of all cut ends [Chadaj2017, Eq. (37)-(46)].
  bool close_boundary() {
    matrix_.setZero();
    matrix_.bottomRightCorner(cut_rows_, cut_rows_) = xicc_;
    sigma_.tail(cut_rows_) = -xic0_;
    Eigen::Index first = 0;
    for (int k = 0; k < count(); ++k) {
      if (mechanism().parent(k) >= 0) {
        continue;
      }
      const SpatialColumns& d1 = joint(k).d;
      const Compound& c = links_[index_of(k)].chain;
      matrix_.block(first, first, d1.cols(), d1.cols()) =
          d1.transpose().lazyProduct(c.xi11.lazyProduct(d1));  // [Chadaj2017, Eq. (43)]
      matrix_.block(ground_rows_, first, cut_rows_, d1.cols()) =
          c.xi1c.transpose().lazyProduct(d1);  // [Chadaj2017, Eq. (44)]
      sigma_.segment(first, d1.cols()) = -d1.transpose().lazyProduct(c.xi10);
      first += d1.cols();
    }
    if (sigma_.size() > 0) {
      if (!solver_.decompose(matrix_, smallest_, rank_)) {
        return false;
      }
      solver_.solve(sigma_);  // [Chadaj2017, Eq. (43), (45)]
    }
    first = 0;
    for (int k = 0; k < count(); ++k) {
      if (mechanism().parent(k) < 0) {
        links_[index_of(k)].t = joint(k).d.lazyProduct(sigma_.segment(first, joint(k).d.cols()));
        first += joint(k).d.cols();
      }
    }
    return true;
  }

  /// T_1 of joint k from those of the handles of C [Chadaj2017, Eq. (29)].
  void disassemble(int k) {
    Link& link = links_[index_of(k)];
    if (const int j = mechanism().parent(k); j >= 0) {
      // Joints that were closed after this one have given the inboard body theirs already.
      Link& inboard = links_[index_of(j)];
      link.t = link.w * (link.relative.lazyProduct(sigma_.tail(cut_rows_)) - link.xi12.transpose() * inboard.on_body) +
               link.beta;
      inboard.on_body -= link.s_12 * link.t;
    }
    link.on_body = link.t;
  }

  RhsStatus set_velocities(std::span<const double> p) {
    for (int k = 0; k < count(); ++k) {
      Link& link = links_[index_of(k)];
      const Joint& tree_joint = mechanism().tree_joints()[index_of(k)];
      const Vec6 of_cuts = link.cut_ends.lazyProduct(sigma_.tail(cut_rows_));
      link.velocity = link.inverse * (link.on_body + link.entering + of_cuts);  // [Chadaj2017, Eq. (15)]
      Vec6 relative = link.velocity;
      if (tree_joint.a >= 0) {
        relative -= link.s_12.transpose() * links_[index_of(tree_joint.a)].velocity;
      }
      Eigen::Map<Eigen::VectorXd>(u_.data() + tree_joint.u_offset, tree_joint.nu).noalias() =
          kinematics_.gram_inverse(k).lazyProduct(
              joint(k).h.transpose().lazyProduct(relative));  // [Chadaj2017, Eq. (23), (40)]
      link.momentum = active(k, p) + link.t;
      if (!link.velocity.allFinite()) {
        return {false, tree_joint.name, "the velocity of the body outboard of the joint is not a number, it is",
                link.velocity.sum()};
      }
    }
    return {};
  }

  /// Qbar_1 of every body [Chadaj2017, Eq. (75), (76)], serially.
  /// DEVIATES [Chadaj2017, Eq. (69), (77)]: what a cut end adds, -Sdot_c Pbar_c + Ddot_c sigma_c, belongs to the cut's
  /// handle and is carried to O_k as the loads are; printed for one end outboard of k, here summed over all ends
  /// (hdca_printed_formulas_test: p' of dense-momentum).
  void sum_loads() {
    for (int k = 0; k < count(); ++k) {
      links_[index_of(k)].load = shift_wrench(kinematics_.body(k).com - joint(k).point, loads_.body_wrench(k));
    }
    for (std::size_t c = 0; c < mechanism().cut_joints().size(); ++c) {
      const Joint& cut = mechanism().cut_joints()[c];
      const JointKinematics& state = kinematics_.cut_joint(static_cast<int>(c));
      const auto sigma = sigma_.segment(ground_rows_ + cut.row_offset, cut.nc);
      const Vec6 pbar = state.d.lazyProduct(sigma);
      const Vec6 load = -state.d_rate.lazyProduct(sigma) - shift_rate_wrench(state.velocity, pbar);
      for (const int body : {cut.a, cut.b}) {
        if (body >= 0) {
          links_[index_of(body)].load +=
              (body == cut.b ? 1.0 : -1.0) * shift_wrench(state.point - joint(body).point, load);
        }
      }
    }
    for (int k = count() - 1; k >= 0; --k) {
      if (const int j = mechanism().parent(k); j >= 0) {
        links_[index_of(j)].load += links_[index_of(k)].s_12 * links_[index_of(k)].load;
      }
    }
  }

  /// [Chadaj2017, Eq. (77)], with applied joint forces.
  void set_momentum_rates(std::span<double> pdot) const {
    for (int k = 0; k < count(); ++k) {
      const Link& link = links_[index_of(k)];
      const Joint& tree_joint = mechanism().tree_joints()[index_of(k)];
      const Vec6 load = link.load - shift_rate_wrench(joint(k).velocity, link.momentum);
      for (int i = 0; i < tree_joint.nu; ++i) {
        const int row = tree_joint.u_offset + i;
        pdot[index_of(row)] =
            joint(k).h.col(i).dot(load) + joint(k).h_rate.col(i).dot(link.momentum) + loads_.joint_forces()[row];
      }
    }
  }

  /// Made when first asked for: momenta of given velocities and reactions are no hot work.
  MechanismAssembly& system() {
    if (!system_) {
      system_ = std::make_unique<MechanismAssembly>(
          mechanism(), AssemblyOptions{GroundClosure::root, CutAxes::world, {}, set_}, near());
    }
    return *system_;
  }

  static constexpr double kRounding = 1e-12;  // of what the bodies alone would do: rows that no joint lets move

  Kinematics kinematics_;
  LoadEvaluator loads_;
  std::vector<Link> links_;
  Eigen::Index cut_rows_;
  Eigen::Index ground_rows_ = 0;
  Eigen::Index rank_ = 0;
  Eigen::MatrixXd xicc_;  // its lower triangle
  Eigen::VectorXd xic0_;
  Eigen::MatrixXd matrix_;  // of the boundary: rows of the joints at the ground, then of the cut joints
  Eigen::VectorXd sigma_;
  Eigen::VectorXd smallest_;
  SemidefiniteSolver solver_;
  std::vector<double> u_;
  InstructionSet set_;
  LoopDerivatives derivatives_;
  std::unique_ptr<MechanismAssembly> system_;
};

/// \returns what the printed inverse inertias would lose, empty if that is little: m l^2 / J of a handle, or the ratio
/// of two neighbours' masses, times eps.
std::string refuse_lost_digits(const Mechanism& mechanism) {
  const auto handles = [&](std::span<const Joint> joints) -> std::string {
    for (const Joint& joint : joints) {
      for (const auto& [body, point] : {std::pair(joint.a, joint.position_a), std::pair(joint.b, joint.position_b)}) {
        if (body < 0) {
          continue;
        }
        const Body& properties = mechanism.bodies()[index_of(body)];
        const double ratio = lever_ratio(properties.mass, properties.inertia_inverse, point - properties.com);
        if (!(ratio <= LeverRatio::kPassed)) {
          return fmt::format(
              "body '{}' is nearly a point mass (m l^2 / J = {:.2g}), and the printed inverse inertias lose "
              "as many digits; hdca brings them back",
              properties.name, ratio);
        }
      }
    }
    return {};
  };
  std::string refusal = handles(mechanism.tree_joints());
  if (refusal.empty()) {
    refusal = handles(mechanism.cut_joints());
  }
  if (refusal.empty() && largest_mass_ratio(mechanism) > LeverRatio::kPassed) {
    refusal = fmt::format(
        "masses of neighbours differ by {:.2g}, and the printed inverse inertias lose as many digits; "
        "hdca brings them back",
        largest_mass_ratio(mechanism));
  }
  return refusal;
}

std::string refuse(const Mechanism& mechanism) {
  if (mechanism.rheonomic()) {
    return "the printed equations have no prescribed motions; hdca has";
  }
  if (std::string refusal = refuse_lost_digits(mechanism); !refusal.empty()) {
    return refusal;
  }
  if (mechanism.cut_joints().empty()) {
    return {};
  }
  if (mechanism.generic_rank().overconstrained) {
    return "constraints repeat one another by geometry alone, and explicit inverses lose what tells them apart; hdca "
           "keeps it";
  }
  return {};
}

std::unique_ptr<Formulation> make(const Mechanism& mechanism, const Parameters& /*options*/,
                                  const Execution& execution) {
  return std::make_unique<HdcaPrintedFormulation>(mechanism, execution.instruction_set);
}

}  // namespace

FormulationEntry hdca_printed_entry() {
  return {"hdca-printed",
          "HDCA as printed, to be read beside the papers: trees and any loops",
          "Chadaj2017",
          StateKind::momentum,
          {},
          refuse,
          make,
          {.per_body = 1.3e4, .per_row_and_velocity = 144.0, .per_row_pair = 24.0}};
}

}  // namespace mbdbench
