/// \file
/// Hamiltonian divide-and-conquer algorithm for open chains and trees [Chadaj2015].
///
/// K. Chadaj, P. Malczyk, J. Fraczek: Hamiltonian based parallel formulation for open-loop multibody system dynamics,
/// 2015.
///
/// paper symbol        -> name
///   Pbar_k = H p + D sigma -> impulse (articulated momentum of joint k at O_k)
///   D sigma, T          -> ArticulatedSystem::constraint_impulse
///   H p                 -> ArticulatedSystem::active_impulse
///   xi_11 .. xi_20, W, beta -> formulations/assembly (leaves, node_kernels.hpp)
///   Qbar_1^K            -> accumulated_load_[k]: loads on everything outboard of joint k, about O_k
///   Sdot_1^K            -> shift_rate_wrench with the velocity of O_k
///
/// Cost: one assembly and one disassembly, O(n) for trees of bounded degree; a hub of d joints costs O(d^3).
#include "formulations/hdca/hdca.hpp"

#include <algorithm>
#include <array>

#include "formulations/assembly/articulated_system.hpp"
#include "formulations/assembly/assembly_options.hpp"
#include "formulations/joint_state.hpp"

namespace mbdbench {
namespace {

class HdcaFormulation final : public JointStateFormulation {
 public:
  HdcaFormulation(const Mechanism& mechanism, GroundClosure ground)
      : JointStateFormulation(mechanism, StateKind::momentum),
        ground_(ground),
        system_(mechanism, ground),
        accumulated_load_(mechanism.bodies().size()) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<HdcaFormulation>(mechanism(), ground_);
  }

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    const RhsStatus status = system_.set_positions(t, q);
    if (!status.ok) {
      return status;
    }
    std::copy(q.begin(), q.end(), x.begin());
    system_.set_velocities(u);
    set_momenta(rate_of(x));
    return status;
  }

  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    const RhsStatus status = set_state(t, x);
    if (status.ok) {
      std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
      std::copy(system_.u().begin(), system_.u().end(), u.begin());
    }
    return status;
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    const RhsStatus status = set_state(t, x);
    if (!status.ok) {
      return status;
    }
    // The acceleration pass with the same assembled matrices: sigma' is not lambda at an instant.
    system_.evaluate_loads(t, q_of(x));
    system_.solve_accelerations();
    system_.reactions(reactions);
    return status;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = set_state(t, x);
    if (!status.ok) {
      return status;
    }
    set_coordinate_rates(q_of(x), system_.u(), q_of(xdot));
    system_.evaluate_loads(t, q_of(x));
    accumulate_loads();
    set_momentum_rates(rate_of(x), rate_of(xdot));
    return status;
  }

 private:
  RhsStatus set_state(double t, std::span<const double> x) {
    const RhsStatus status = system_.set_positions(t, q_of(x));
    if (status.ok) {
      system_.solve_velocities(rate_of(x));
    }
    return status;
  }

  /// Qbar_1^K of every joint by one inward sweep [Chadaj2015, Eq. (42)-(44)].
  void accumulate_loads() {
    const Kinematics& kinematics = system_.kinematics();
    for (int k = 0; k < mechanism().body_count(); ++k) {
      const Vec3 lever = kinematics.body(k).com - kinematics.tree_joint(k).point_b;
      accumulated_load_[static_cast<std::size_t>(k)] = shift_wrench(lever, system_.loads().body_wrench(k));
    }
    sum_inward(accumulated_load_);
  }

  /// values[k] about O_k: adds those of all joints outboard of k.
  void sum_inward(std::vector<Vec6>& values) const {
    const Kinematics& kinematics = system_.kinematics();
    for (int k = mechanism().body_count() - 1; k >= 0; --k) {
      const int inboard = mechanism().parent(k);
      if (inboard >= 0) {
        const Vec3 lever = kinematics.tree_joint(k).point_b - kinematics.tree_joint(inboard).point_b;
        values[static_cast<std::size_t>(inboard)] += shift_wrench(lever, values[static_cast<std::size_t>(k)]);
      }
    }
  }

  void set_momentum_rates(std::span<const double> p, std::span<double> pdot) const {
    const Eigen::VectorXd& tau = system_.loads().joint_forces();
    for (int k = 0; k < mechanism().body_count(); ++k) {
      const Joint& joint = mechanism().tree_joints()[static_cast<std::size_t>(k)];
      const JointKinematics& state = system_.kinematics().tree_joint(k);
      const Vec6 impulse = system_.active_impulse(k, p) + system_.constraint_impulse(k);  // [Chadaj2015, Eq. (1)]
      const Vec6 load = accumulated_load_[static_cast<std::size_t>(k)] - shift_rate_wrench(state.velocity_b, impulse);
      for (int i = 0; i < joint.nu; ++i) {
        const int row = joint.u_offset + i;
        // [Chadaj2015, Eq. (45)], with applied joint forces
        pdot[static_cast<std::size_t>(row)] = state.h.col(i).dot(load) + state.h_rate.col(i).dot(impulse) + tau[row];
      }
    }
  }

  /// p_k = H_k^T of the momentum of everything outboard of joint k about O_k: sigma of prescribed motions is zero.
  void set_momenta(std::span<double> p) {
    const Kinematics& kinematics = system_.kinematics();
    for (int k = 0; k < mechanism().body_count(); ++k) {
      const BodyKinematics& body = kinematics.body(k);
      Vec6 momentum;
      momentum.head<3>() = mechanism().bodies()[static_cast<std::size_t>(k)].mass * body.velocity.head<3>();
      momentum.tail<3>() = body.inertia * body.velocity.tail<3>();
      accumulated_load_[static_cast<std::size_t>(k)] =
          shift_wrench(body.com - kinematics.tree_joint(k).point_b, momentum);
    }
    sum_inward(accumulated_load_);
    for (int k = 0; k < mechanism().body_count(); ++k) {
      const Joint& joint = mechanism().tree_joints()[static_cast<std::size_t>(k)];
      for (int i = 0; i < joint.nu; ++i) {
        p[static_cast<std::size_t>(joint.u_offset + i)] =
            kinematics.tree_joint(k).h.col(i).dot(accumulated_load_[static_cast<std::size_t>(k)]);
      }
    }
  }

  GroundClosure ground_;
  ArticulatedSystem system_;
  std::vector<Vec6> accumulated_load_;
};

std::unique_ptr<Formulation> make_hdca(const Mechanism& mechanism, const Parameters& options) {
  return std::make_unique<HdcaFormulation>(mechanism, ground_closure(options));
}

}  // namespace

FormulationEntry hdca_entry() {
  return {"hdca",
          "Hamiltonian divide and conquer, canonical momenta of the joints, open chains and trees",
          "Chadaj2015",
          StateKind::momentum,
          ground_closure_options(),
          refuse_for_assembly,
          make_hdca};
}

}  // namespace mbdbench
