/// \file
/// Recursive Hamiltonian equations in canonical momenta [Naudet2005]: the formulations for open chains and trees, and
/// the entries of all four. Closed loops: closed_naudet.hpp.
///
/// paper symbol -> name
///   Omega        -> V = [v; omega] of the link at O_k
///   P*, T*       -> articulated momentum and accumulated force of BodyRecursion (world axes), LinkNaudet (links)
///   E            -> H, BodyRecursion::axes
///   p = E^T P*   -> the second half of the state [Naudet2005, Eq. (18)]
///
/// LinkNaudet does it in link frames; momenta of given velocities and reactions go through BodyRecursion.
///
/// Cost: O(n); docs/formulations.md has the measured times of both paths.
#include "formulations/naudet/naudet.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formulations/joint_state.hpp"
#include "formulations/naudet/closed_naudet.hpp"
#include "formulations/naudet/link_naudet.hpp"
#include "formulations/projection_option.hpp"
#include "formulations/recursion/body_recursion.hpp"
#include "formulations/recursion/kernel_choice.hpp"
#include "formulations/recursion/link_loads.hpp"

namespace mbdbench {
namespace {

class NaudetFormulation final : public JointStateFormulation {
 public:
  NaudetFormulation(const Mechanism& mechanism, bool link_frames)
      : JointStateFormulation(mechanism, StateKind::momentum) {
    if (link_frames) {
      links_.emplace(mechanism);
      loads_.emplace(mechanism, links_->tree());
      u_.resize(static_cast<std::size_t>(mechanism.u_size()));
    } else {
      general_ = std::make_unique<BodyRecursion>(mechanism);
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<NaudetFormulation>(mechanism(), links_.has_value());
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

  [[nodiscard]] std::vector<WorkStage> stages() const override {
    constexpr double kTurn = 360.0;  // kernels/momentum_rows.hpp
    return {{1.0, kTurn * mechanism().body_count()}};
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    if (links_) {
      loads_->set_time(t);
      const int failed = links_->evaluate(q_of(x), rate_of(x), loads_->motions().velocities(), !loads_->on_bodies(), u_,
                                          rate_of(xdot));
      if (failed >= 0) {
        return {false, mechanism().tree_joints()[static_cast<std::size_t>(failed)].name,
                "the articulated inertia along the joint is not positive definite or not finite, its smallest pivot is",
                links_->failed_pivot()};
      }
      set_coordinate_rates(q_of(x), u_, q_of(xdot));
      add_loads(t, q_of(x), rate_of(xdot));
      return {};
    }
    const RhsStatus status = solve_velocities(t, x);
    if (status.ok) {
      set_coordinate_rates(q_of(x), general_->u(), q_of(xdot));
      general_->evaluate_loads(t, q_of(x));
      general_->momentum_rates({}, rate_of(xdot));
    }
    return status;
  }

 private:
  void add_loads(double t, std::span<const double> q, std::span<double> momentum_rates) {
    loads_->evaluate(t, q, u_, links_->tree(), links_->positions());
    links_->add_loads(loads_->wrenches(), momentum_rates);
    if (loads_->in_joints()) {
      const std::span<const double> tau = loads_->joint_forces();
      for (std::size_t i = 0; i < tau.size(); ++i) {
        momentum_rates[i] += tau[i];
      }
    }
  }

  /// Made when first asked for where links_ does the hot work.
  BodyRecursion& general() {
    if (!general_) {
      general_ = std::make_unique<BodyRecursion>(mechanism());
    }
    return *general_;
  }

  RhsStatus solve_velocities(double t, std::span<const double> x) {
    const RhsStatus status = general().set_positions(t, q_of(x));
    if (status.ok) {
      general().sweep_momenta(rate_of(x));
      general().sweep_velocities();
    }
    return status;
  }

  std::optional<LinkNaudet> links_;
  std::optional<LinkLoads> loads_;  // with links_
  std::vector<double> u_;           // with links_
  std::unique_ptr<BodyRecursion> general_;
};

constexpr std::string_view kSwitching = "switching";
constexpr std::string_view kSwitchAt = "switch_at";
constexpr std::string_view kLoops = "loops";

std::vector<ParameterSpecification> acceleration_options() {
  ParameterSpecification switching;
  switching.name = kSwitching;
  switching.default_value = std::string("on");
  switching.help =
      "closed loops, on: dependent joints change after a step when others are better conditioned, and the state says "
      "which they are; off: those of the start stay";
  switching.choices = {"on", "off"};
  return {kernel_options().front(), switching,
          ParameterSpecification{kSwitchAt, 50.0,
                                 "rate of a dependent joint over that of an independent one beyond which others are "
                                 "looked for",
                                 1.0, 1e12},
          projection_option()};
}

std::vector<ParameterSpecification> momentum_options() {
  ParameterSpecification loops;
  loops.name = kLoops;
  loops.default_value = std::string("impulses");
  loops.help =
      "closed loops, impulses: by impulses of the cut joints, any dependent joints; matrices: by the paper's matrices "
      "C_K, dependent joints next to the cut, which stay (as switching=off)";
  loops.choices = {"impulses", "matrices"};
  std::vector<ParameterSpecification> options = acceleration_options();
  options.insert(options.end() - 1, loops);
  return options;
}

/// \param reduced forms keep the constraints by themselves and have no option `projection`, which stands last
template <StateKind kRateKind>
std::span<const ParameterSpecification> naudet_options(bool reduced) {
  static const std::vector<ParameterSpecification> kOptions =
      kRateKind == StateKind::momentum ? momentum_options() : acceleration_options();
  const std::span<const ParameterSpecification> all = kOptions;
  return reduced ? all.first(all.size() - 1) : all;
}

template <StateKind kRateKind, bool kReduced>
std::unique_ptr<Formulation> make_naudet(const Mechanism& mechanism, const Parameters& options) {
  const bool closed = mechanism.closing_row_count() > 0;
  if (!closed && kRateKind == StateKind::momentum) {
    return std::make_unique<NaudetFormulation>(mechanism, use_link_frames(mechanism, options));
  }
  ClosedStateForm form;
  form.rate_kind = kRateKind;
  form.reduced = closed && kReduced;
  const LoopClosing closing = kRateKind == StateKind::momentum && options.text(kLoops) == "matrices"
                                  ? LoopClosing::matrices
                                  : LoopClosing::impulses;
  form.switching = closed && (kRateKind == StateKind::momentum || kReduced) && options.text(kSwitching) == "on" &&
                   closing == LoopClosing::impulses;
  return std::make_unique<ClosedNaudet>(mechanism, form, options.number(kSwitchAt), closing);
}

template <StateKind kRateKind>
bool projects(const Mechanism& mechanism, const Parameters& options) {
  return projection_is_on(mechanism, options, kRateKind == StateKind::velocity);
}

// The recursion, and the dense equations of the cut joints: measured on pendulum, loop and ladder, to 1.5.
constexpr MemoryNeed kNaudetMemory = {.per_body = 1.3e4, .per_row_and_velocity = 48.0};

FormulationEntry with_couplings(FormulationEntry entry) {
  entry.takes_couplings = true;
  return entry;
}

}  // namespace

FormulationEntry naudet_entry() {
  return with_couplings(
      {"naudet",
       "recursive Hamiltonian equations, O(n), canonical momenta; closed loops: all coordinates, reduced momenta",
       "Naudet2005", StateKind::momentum, naudet_options<StateKind::momentum>(false), refuse_singular_start,
       make_naudet<StateKind::momentum, false>, kNaudetMemory, projects<StateKind::momentum>});
}

FormulationEntry naudet_reduced_entry() {
  return with_couplings({"naudet-reduced", "naudet with independent coordinates only: dependent ones are solved for",
                         "Naudet2005", StateKind::momentum, naudet_options<StateKind::momentum>(true),
                         refuse_reduced_coordinates, make_naudet<StateKind::momentum, true>, kNaudetMemory});
}

FormulationEntry naudet_acceleration_entry() {
  return with_couplings(
      {"naudet-acc",
       "the acceleration twin of naudet: all coordinates and velocities, constraints at acceleration level",
       "Naudet2005", StateKind::velocity, naudet_options<StateKind::velocity>(false), refuse_singular_start,
       make_naudet<StateKind::velocity, false>, kNaudetMemory, projects<StateKind::velocity>});
}

FormulationEntry naudet_acceleration_reduced_entry() {
  return with_couplings({"naudet-acc-reduced",
                         "the acceleration twin of naudet-reduced: independent coordinates and velocities",
                         "Naudet2005", StateKind::velocity, naudet_options<StateKind::velocity>(true),
                         refuse_reduced_coordinates, make_naudet<StateKind::velocity, true>, kNaudetMemory});
}

}  // namespace mbdbench
