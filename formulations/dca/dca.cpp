/// \file
/// Divide-and-conquer algorithm in accelerations [Featherstone1999], open chains and trees.
///
/// R. Featherstone: A divide-and-conquer articulated-body algorithm for parallel O(log(n)) calculation of rigid-body
/// dynamics, Part 1, Int. J. Robotics Research 18 (1999). The same matrices and node formula as HDCA; momenta become
/// wrenches, the constraint is differentiated once more.
///
/// paper symbol          -> name
///   Phi_1, Phi_12, ...  -> blocks of the leaf and node matrices (formulations/assembly)
///   b_1, b_2 (bias)     -> ArticulatedSystem right sides: loads, gyroscopic terms, joint forces, r_k
///   lambda              -> ArticulatedSystem::constraint_impulse after solve_accelerations
///
/// Cost: a velocity sweep, one assembly and one disassembly, O(n) for trees of bounded degree; a hub of d joints
/// O(d^3).
#include "formulations/dca/dca.hpp"

#include <algorithm>

#include "formulations/assembly/articulated_system.hpp"
#include "formulations/assembly/assembly_options.hpp"
#include "formulations/joint_state.hpp"

namespace mbdbench {
namespace {

class DcaFormulation final : public JointStateFormulation {
 public:
  DcaFormulation(const Mechanism& mechanism, GroundClosure ground)
      : JointStateFormulation(mechanism, StateKind::velocity), ground_(ground), system_(mechanism, ground) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<DcaFormulation>(mechanism(), ground_);
  }

  RhsStatus pack(double /*t*/, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    std::copy(q.begin(), q.end(), x.begin());
    std::copy(u.begin(), u.end(), rate_of(x).begin());
    return {};
  }

  RhsStatus unpack(double /*t*/, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
    std::copy(rate_of(x).begin(), rate_of(x).end(), u.begin());
    return {};
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    const RhsStatus status = solve(t, x);
    if (status.ok) {
      system_.reactions(reactions);
    }
    return status;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = solve(t, x);
    if (status.ok) {
      set_coordinate_rates(q_of(x), rate_of(x), q_of(xdot));
      std::copy(system_.accelerations().begin(), system_.accelerations().end(), rate_of(xdot).begin());
    }
    return status;
  }

 private:
  RhsStatus solve(double t, std::span<const double> x) {
    const RhsStatus status = system_.set_positions(t, q_of(x));
    if (status.ok) {
      system_.set_velocities(rate_of(x));
      system_.evaluate_loads(t, q_of(x));
      system_.solve_accelerations();
    }
    return status;
  }

  GroundClosure ground_;
  ArticulatedSystem system_;
};

std::unique_ptr<Formulation> make_dca(const Mechanism& mechanism, const Parameters& options) {
  return std::make_unique<DcaFormulation>(mechanism, ground_closure(options));
}

}  // namespace

FormulationEntry dca_entry() {
  return {"dca",
          "Featherstone's divide and conquer, joint accelerations, open chains and trees",
          "Featherstone1999",
          StateKind::velocity,
          ground_closure_options(),
          refuse_for_assembly,
          make_dca};
}

}  // namespace mbdbench
