/// \file
/// HDCA as it is printed, to be read beside the papers: full 6 x 6 matrices, world axes, one body after another.
///
/// K. Chadaj, P. Malczyk, J. Fraczek: Hamiltonian based parallel formulation for open-loop multibody system dynamics,
/// 2015; A parallel Hamiltonian formulation for forward dynamics of closed-loop multibody systems, 2017. One chain from
/// the ground, its tip free [Chadaj2015] or held by the ground [Chadaj2017]. Numbers below are those of 2017.
///
/// paper symbol                  -> name
///   xi_11 .. xi_20              -> TwoHandles
///   W, beta                     -> Link::w, Link::beta
///   T_1^B of joint k            -> Link::t
///   Pbar_1^K, Qbar_1^K          -> Link::momentum, Link::load
///   C (the whole system)        -> the subassembly of body 0
///
/// The tree is the sequential one: body k is joined to everything outboard of it, so that A is body k and B the rest.
/// Cost: O(n) with large constants: some 3000 operations a body. `hdca` is the same algorithm, made to be fast and for
/// any topology.
///
/// DEVIATES [Chadaj2017, Eq. (23), (40)]: printed for H^T H = I; here u = (H^T H)^-1 H^T V and the active part of Pbar
/// is H (H^T H)^-1 p, which oblique universal joints need (right_hand_side_test). DEVIATES [Chadaj2017, Eq. (45)]: its
/// inverse does not exist for the paper's own mechanisms, planar loops of hinges in space, nor near singular positions.
/// As many eigenvectors are kept as the constraints have generically (hdca_printed_formulas_test: closed loops).
#include "formulations/hdca_printed/hdca_printed.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
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
#include "formulations/joint_state.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// V_1 = xi_11 T_1 + xi_12 T_2 + xi_10, V_2 = xi_21 T_1 + xi_22 T_2 + xi_20 [Chadaj2017, Eq. (17)-(20)].
struct TwoHandles {
  Mat6 xi11, xi12, xi21, xi22;
  Vec6 xi10, xi20;
};

/// A body, and what the passes leave at its joint.
struct Link {
  TwoHandles body;   // A
  TwoHandles chain;  // C: the body and everything outboard of it
  Mat6 w;            // of the joint to the next body
  Vec6 beta;
  Vec6 t;         // T_1: the constraint impulse that the joint gives the body
  Vec6 momentum;  // Pbar_1 = H p + T_1
  Vec6 load;      // Qbar_1
};

class HdcaPrintedFormulation final : public JointStateFormulation {
 public:
  explicit HdcaPrintedFormulation(const Mechanism& mechanism)
      : JointStateFormulation(mechanism, StateKind::momentum),
        closed_(!mechanism.cut_joints().empty()),
        kept_(mechanism.tree_joints().front().nc + (closed_ ? mechanism.generic_rank().rank : 0)),
        kinematics_(mechanism),
        loads_(mechanism, near()),
        links_(mechanism.bodies().size()),
        u_(index_of(mechanism.u_size())) {
    const Joint& first = mechanism.tree_joints().front();
    scales_.resize(first.nc + mechanism.cut_row_count());
    for (int row = 0; row < first.nc; ++row) {
      scales_[row] = row_scale(first, row, mechanism.scales().unit);
    }
    scales_.tail(mechanism.cut_row_count()) = mechanism.scales().rows.head(mechanism.cut_row_count());
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<HdcaPrintedFormulation>(mechanism());
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
    return sigma_2_.size() > 0 ? sigma_2_.cwiseAbs().maxCoeff() : 0;
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
  using BoundaryMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 12, 12>;
  using BoundaryVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 12, 1>;
  using Multipliers = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;

  [[nodiscard]] int count() const { return mechanism().body_count(); }
  [[nodiscard]] const JointKinematics& joint(int k) const { return kinematics_.tree_joint(k); }
  /// \returns O_2 of body k: its outboard joint, or where its tip is.
  [[nodiscard]] Vec3 outboard_point(int k) const {
    return k + 1 < count() ? joint(k + 1).point : closed_ ? kinematics_.cut_joint(0).point : kinematics_.body(k).com;
  }
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
    for (int k = 0; k < count(); ++k) {
      set_body(k, p);
    }
    links_.back().chain = links_.back().body;
    for (int k = count() - 2; k >= 0; --k) {
      assemble(k);
    }
    close_boundary();
    for (int k = 0; k + 1 < count(); ++k) {
      disassemble(k);
    }
    return set_velocities(p);
  }

  /// The body alone [Chadaj2015, Eq. (4)-(5)].
  /// DEVIATES [Chadaj2017, Eq. (21)-(24)]: xi_10, xi_20 of a body are not printed; both joints' active momenta enter,
  /// the outboard one with a minus (hdca_printed_formulas_test).
  void set_body(int k, std::span<const double> p) {
    const BodyKinematics& body = kinematics_.body(k);
    Mat6 inverse_inertia = Mat6::Zero();
    inverse_inertia.topLeftCorner<3, 3>() = Mat3::Identity() / mechanism().bodies()[index_of(k)].mass;
    inverse_inertia.bottomRightCorner<3, 3>() = body.inertia_inverse;
    const Mat6 s_c1 = shift_matrix(joint(k).point - body.com);
    const Mat6 s_12 = shift_matrix(outboard_point(k) - joint(k).point);
    Vec6 entering = active(k, p);
    if (k + 1 < count()) {
      entering -= s_12 * active(k + 1, p);
    }
    TwoHandles& xi = links_[index_of(k)].body;
    xi.xi11 = s_c1.transpose() * inverse_inertia * s_c1;
    xi.xi12 = xi.xi11 * s_12;
    xi.xi21 = s_12.transpose() * xi.xi11;
    xi.xi22 = s_12.transpose() * xi.xi12;
    xi.xi10 = xi.xi11 * entering;
    xi.xi20 = s_12.transpose() * xi.xi10;
  }

  void assemble(int k) {
    Link& link = links_[index_of(k)];
    const TwoHandles& a = link.body;
    const TwoHandles& b = links_[index_of(k + 1)].chain;
    const SpatialColumns& d = joint(k + 1).d;
    link.w.setZero();
    if (d.cols() > 0) {
      const JointMatrix dxd = d.transpose().lazyProduct((b.xi11 + a.xi22).lazyProduct(d));
      link.w = -d.lazyProduct(JointMatrix(dxd.inverse()).lazyProduct(d.transpose()));  // [Chadaj2017, Eq. (27)]
    }
    link.beta = link.w * (b.xi10 - a.xi20);  // [Chadaj2017, Eq. (28)]
    TwoHandles& c = link.chain;
    c.xi11 = a.xi11 + a.xi12 * link.w * a.xi21;  // [Chadaj2017, Eq. (34)]
    c.xi12 = -a.xi12 * link.w * b.xi12;
    c.xi21 = c.xi12.transpose();  // [Chadaj2017, Eq. (35)]
    c.xi22 = b.xi22 + b.xi21 * link.w * b.xi12;
    c.xi10 = a.xi10 - a.xi12 * link.beta;  // [Chadaj2017, Eq. (36)]
    c.xi20 = b.xi20 + b.xi21 * link.beta;
  }

  /// T_1 = D_1 sigma_1, T_2 = -D_2 sigma_2 of the whole system [Chadaj2017, Eq. (37)-(46)].
  void close_boundary() {
    const TwoHandles& c = links_.front().chain;
    const SpatialColumns& d1 = joint(0).d;
    const Eigen::Index n1 = d1.cols();
    const Eigen::Index n2 = closed_ ? kinematics_.cut_joint(0).d.cols() : 0;
    BoundaryMatrix matrix(n1 + n2, n1 + n2);
    BoundaryVector right(n1 + n2);
    matrix.topLeftCorner(n1, n1) = d1.transpose().lazyProduct(c.xi11.lazyProduct(d1));  // [Chadaj2017, Eq. (43)]
    right.head(n1) = d1.transpose().lazyProduct(c.xi10);
    if (closed_) {  // [Chadaj2017, Eq. (44)]
      const SpatialColumns& d2 = kinematics_.cut_joint(0).d;
      matrix.topRightCorner(n1, n2) = d1.transpose().lazyProduct(c.xi12.lazyProduct(d2));
      matrix.bottomLeftCorner(n2, n1) = matrix.topRightCorner(n1, n2).transpose();
      matrix.bottomRightCorner(n2, n2) = d2.transpose().lazyProduct(c.xi22.lazyProduct(d2));
      right.tail(n2) = d2.transpose().lazyProduct(c.xi20);
    }
    // The eigenvectors are those of rows without units (characteristic_scales.hpp).
    matrix = scales_.asDiagonal() * matrix * scales_.asDiagonal();
    const BoundaryVector sigma =
        scales_.cwiseProduct(solved(matrix, scales_.cwiseProduct(right)));  // [Chadaj2017, Eq. (43), (45)]
    links_.front().t = d1.lazyProduct(sigma.head(n1));
    t_2_.setZero();
    if (closed_) {
      sigma_2_ = -sigma.tail(n2);
      t_2_ = -kinematics_.cut_joint(0).d.lazyProduct(sigma_2_);  // [Chadaj2017, Eq. (39)]
    }
  }

  /// \returns -A^+ b with the eigenvectors of the `kept_` largest eigenvalues; none that is rounding.
  [[nodiscard]] BoundaryVector solved(const BoundaryMatrix& a, const BoundaryVector& b) const {
    BoundaryVector sigma = BoundaryVector::Zero(b.size());
    if (b.size() == 0) {
      return sigma;
    }
    const Eigen::SelfAdjointEigenSolver<BoundaryMatrix> eigen(a);
    const double limit = kRounding * eigen.eigenvalues().tail(1)[0];
    for (Eigen::Index i = std::max<Eigen::Index>(0, b.size() - kept_); i < b.size(); ++i) {
      if (!(eigen.eigenvalues()[i] <= limit)) {
        const auto vector = eigen.eigenvectors().col(i);
        sigma -= vector * (vector.dot(b) / eigen.eigenvalues()[i]);
      }
    }
    return sigma;
  }

  /// T_1 of the next body from those of the handles of C [Chadaj2017, Eq. (29)].
  void disassemble(int k) {
    const Link& link = links_[index_of(k)];
    Link& next = links_[index_of(k + 1)];
    next.t = link.w * (next.chain.xi12 * t_2_ - link.body.xi21 * link.t) + link.beta;
  }

  RhsStatus set_velocities(std::span<const double> p) {
    Vec6 inboard = Vec6::Zero();  // V_2 of the body inboard of the joint
    for (int k = 0; k < count(); ++k) {
      Link& link = links_[index_of(k)];
      const Joint& tree_joint = mechanism().tree_joints()[index_of(k)];
      const Vec6 t_2 = k + 1 < count() ? Vec6(-links_[index_of(k + 1)].t) : t_2_;
      const Vec6 v_1 = link.body.xi11 * link.t + link.body.xi12 * t_2 + link.body.xi10;  // [Chadaj2017, Eq. (17)]
      Eigen::Map<Eigen::VectorXd>(u_.data() + tree_joint.u_offset, tree_joint.nu).noalias() =
          kinematics_.gram_inverse(k).lazyProduct(
              joint(k).h.transpose().lazyProduct(v_1 - inboard));                 // [Chadaj2017, Eq. (23), (40)]
      inboard = link.body.xi21 * link.t + link.body.xi22 * t_2 + link.body.xi20;  // [Chadaj2017, Eq. (18)]
      link.momentum = active(k, p) + link.t;
      if (!v_1.allFinite()) {
        return {false, tree_joint.name, "the velocity of the body outboard of the joint is not a number, it is",
                v_1.sum()};
      }
    }
    return {};
  }

  /// Qbar_1 of every body [Chadaj2017, Eq. (75), (76)], serially: Qbar_2 of the tip is zero.
  void sum_loads() {
    for (int k = count() - 1; k >= 0; --k) {
      Link& link = links_[index_of(k)];
      link.load = shift_wrench(kinematics_.body(k).com - joint(k).point, loads_.body_wrench(k));
      if (k + 1 < count()) {
        link.load += shift_wrench(joint(k + 1).point - joint(k).point, links_[index_of(k + 1)].load);
      }
    }
  }

  /// [Chadaj2017, Eq. (77)], with applied joint forces.
  /// DEVIATES [Chadaj2017, Eq. (69), (77)]: Pbar_c belongs to the cut's handle and is carried to O_k as Ddot_c sigma_c
  /// is (hdca_printed_formulas_test: p' of dense-momentum).
  void set_momentum_rates(std::span<double> pdot) const {
    Vec6 cut_load = Vec6::Zero();  // -Sdot_c Pbar_c + Ddot_c sigma_c about O_c, Pbar_c = T_2
    if (closed_) {
      const JointKinematics& cut = kinematics_.cut_joint(0);
      cut_load = cut.d_rate.lazyProduct(sigma_2_) - shift_rate_wrench(cut.velocity, t_2_);
    }
    for (int k = 0; k < count(); ++k) {
      const Link& link = links_[index_of(k)];
      const Joint& tree_joint = mechanism().tree_joints()[index_of(k)];
      Vec6 load = link.load - shift_rate_wrench(joint(k).velocity, link.momentum);
      if (closed_) {
        load += shift_wrench(kinematics_.cut_joint(0).point - joint(k).point, cut_load);
      }
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
      system_ = std::make_unique<MechanismAssembly>(mechanism(), AssemblyOptions{}, near());
    }
    return *system_;
  }

  static constexpr double kRounding = 1e-12;  // of eigenvalues beside the largest

  bool closed_;
  Eigen::Index kept_;
  BoundaryVector scales_;  // of the rows of the first joint, then of the cut
  Kinematics kinematics_;
  LoadEvaluator loads_;
  std::vector<Link> links_;
  Vec6 t_2_ = Vec6::Zero();
  Multipliers sigma_2_;
  std::vector<double> u_;
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
  for (int k = 0; k < mechanism.body_count(); ++k) {
    if (mechanism.parent(k) != k - 1) {
      return "the printed equations are those of one chain from the ground, and body '" +
             mechanism.bodies()[index_of(k)].name + "' starts another branch; hdca takes branches";
    }
  }
  if (std::string refusal = refuse_lost_digits(mechanism); !refusal.empty()) {
    return refusal;
  }
  if (mechanism.cut_joints().empty()) {
    return {};
  }
  const Joint& cut = mechanism.cut_joints().front();
  if (mechanism.cut_joints().size() > 1 || std::min(cut.a, cut.b) >= 0 ||
      std::max(cut.a, cut.b) != mechanism.body_count() - 1) {
    return "the printed equations close one loop, from the last body to the ground; hdca closes any";
  }
  if (mechanism.generic_rank().overconstrained) {
    return "constraints repeat one another by geometry alone, and explicit inverses lose what tells them apart; hdca "
           "keeps it";
  }
  return {};
}

std::unique_ptr<Formulation> make(const Mechanism& mechanism, const Parameters& /*options*/) {
  return std::make_unique<HdcaPrintedFormulation>(mechanism);
}

}  // namespace

FormulationEntry hdca_printed_entry() {
  return {"hdca-printed",
          "HDCA as printed, to be read beside the papers: one chain, open or closed by the ground",
          "Chadaj2017",
          StateKind::momentum,
          {},
          refuse,
          make,
          {.per_body = 1.3e4, .per_row_and_velocity = 32.0}};
}

}  // namespace mbdbench
