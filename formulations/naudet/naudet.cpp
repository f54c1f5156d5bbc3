/// \file
/// Recursive Hamiltonian equations in canonical momenta [Naudet2005], open chains and trees.
///
/// paper symbol -> name
///   Omega        -> V = [v; omega] of the link at O_k
///   P*, T*       -> articulated momentum and accumulated force of ArticulatedTree (world axes), RevoluteNaudet (links)
///   E            -> H, ArticulatedTree::axes
///   p = E^T P*   -> the second half of the state [Naudet2005, Eq. (18)]
///
/// Trees of revolute joints under gravity alone go through RevoluteNaudet, everything else, momenta of given velocities
/// and reactions of all, through ArticulatedTree.
///
/// Cost: O(n); docs/formulations.md has the measured times of both paths.
#include "formulations/naudet/naudet.hpp"

#include <algorithm>
#include <optional>

#include "formulations/joint_state.hpp"
#include "formulations/naudet/revolute_naudet.hpp"
#include "formulations/recursion/articulated_tree.hpp"
#include "formulations/recursion/kernel_choice.hpp"

namespace mbdbench {
namespace {

class NaudetFormulation final : public JointStateFormulation {
 public:
  NaudetFormulation(const Mechanism& mechanism, bool link_frames)
      : JointStateFormulation(mechanism, StateKind::momentum) {
    if (link_frames) {
      revolute_.emplace(mechanism);
    } else {
      general_ = std::make_unique<ArticulatedTree>(mechanism);
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<NaudetFormulation>(mechanism(), revolute_.has_value());
  }

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    const RhsStatus status = general().set_positions(t, q);
    if (status.ok) {
      std::copy(q.begin(), q.end(), x.begin());
      general().set_velocities(u);
      general().momenta(rate_of(x));
    }
    return status;
  }

  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    const RhsStatus status = solve_velocities(t, x);
    if (status.ok) {
      std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
      std::copy(general().u().begin(), general().u().end(), u.begin());
    }
    return status;
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    const RhsStatus status = solve_velocities(t, x);
    if (status.ok) {
      general().evaluate_loads(t, q_of(x));
      general().sweep_loads();
      general().sweep_accelerations();
      general().reactions({}, reactions);
    }
    return status;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    if (revolute_) {
      const int failed = revolute_->evaluate(q_of(x), rate_of(x), q_of(xdot), rate_of(xdot));
      if (failed < 0) {
        return {};
      }
      return {false, mechanism().tree_joints()[static_cast<std::size_t>(failed)].name,
              "the articulated inertia about the joint is not positive or not finite, it is",
              revolute_->failed_pivot()};
    }
    const RhsStatus status = solve_velocities(t, x);
    if (status.ok) {
      set_coordinate_rates(q_of(x), general_->u(), q_of(xdot));
      general_->evaluate_loads(t, q_of(x));
      general_->momentum_rates(rate_of(xdot));
    }
    return status;
  }

 private:
  /// Made when first asked for where revolute_ does the hot work.
  ArticulatedTree& general() {
    if (!general_) {
      general_ = std::make_unique<ArticulatedTree>(mechanism());
    }
    return *general_;
  }

  RhsStatus solve_velocities(double t, std::span<const double> x) {
    const RhsStatus status = general().set_positions(t, q_of(x));
    if (status.ok) {
      general().solve_velocities(rate_of(x));
    }
    return status;
  }

  std::optional<RevoluteNaudet> revolute_;
  std::unique_ptr<ArticulatedTree> general_;
};

std::unique_ptr<Formulation> make_naudet(const Mechanism& mechanism, const Parameters& options) {
  return std::make_unique<NaudetFormulation>(mechanism, use_link_frames(mechanism, options));
}

}  // namespace

FormulationEntry naudet_entry() {
  return {
      "naudet",         "recursive Hamiltonian equations, O(n), canonical momenta of the joints, open chains and trees",
      "Naudet2005",     StateKind::momentum,
      kernel_options(), refuse_closed_loops,
      make_naudet};
}

}  // namespace mbdbench
