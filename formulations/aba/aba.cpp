/// \file
/// Articulated-body algorithm [Featherstone1983], open chains and trees.
///
/// R. Featherstone: The calculation of robot dynamics using articulated-body inertias, Int. J. Robotics Research 2
/// (1983). LinkAba does it in link frames; reactions go through BodyRecursion, in world axes, with the same recursion
/// and any H.
///
/// Cost: O(n); docs/formulations.md has the measured times of both paths.
#include "formulations/aba/aba.hpp"

#include <algorithm>
#include <optional>

#include "formulations/aba/link_aba.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/recursion/body_recursion.hpp"
#include "formulations/recursion/kernel_choice.hpp"
#include "formulations/recursion/link_loads.hpp"

namespace mbdbench {
namespace {

class AbaFormulation final : public JointStateFormulation {
 public:
  AbaFormulation(const Mechanism& mechanism, bool link_frames) : JointStateFormulation(mechanism, StateKind::velocity) {
    if (link_frames) {
      links_.emplace(mechanism);
      loads_.emplace(mechanism, links_->tree());
    } else {
      general_ = std::make_unique<BodyRecursion>(mechanism);
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<AbaFormulation>(mechanism(), links_.has_value());
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
    if (!general_) {
      general_ = std::make_unique<BodyRecursion>(mechanism());
    }
    const RhsStatus status = solve(t, x);
    if (status.ok) {
      general_->reactions({}, reactions);
    }
    return status;
  }

  [[nodiscard]] std::vector<WorkStage> stages() const override {
    constexpr double kTurn = 420.0;  // kernels/acceleration_rows.hpp
    return {{1.0, kTurn * mechanism().body_count()}};
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    if (links_) {
      set_coordinate_rates(q_of(x), rate_of(x), q_of(xdot));
      links_->set_positions(q_of(x));
      loads_->set_time(t);
      loads_->evaluate(t, q_of(x), rate_of(x), links_->tree(), links_->positions());
      const int failed = links_->evaluate(rate_of(x), loads_->joint_forces(), loads_->motions().accelerations(),
                                          loads_->wrenches(), rate_of(xdot));
      if (failed < 0) {
        return {};
      }
      return {false, mechanism().tree_joints()[static_cast<std::size_t>(failed)].name,
              "the articulated inertia along the joint is not positive definite or not finite, its smallest pivot is",
              links_->failed_pivot()};
    }
    const RhsStatus status = solve(t, x);
    if (status.ok) {
      set_coordinate_rates(q_of(x), rate_of(x), q_of(xdot));
      std::copy(general_->accelerations().begin(), general_->accelerations().end(), rate_of(xdot).begin());
    }
    return status;
  }

 private:
  RhsStatus solve(double t, std::span<const double> x) {
    const RhsStatus status = general_->set_positions(t, q_of(x));
    if (status.ok) {
      general_->set_velocities(rate_of(x));
      general_->evaluate_loads(t, q_of(x));
      general_->sweep_loads();
      general_->sweep_accelerations();
    }
    return status;
  }

  std::optional<LinkAba> links_;
  std::optional<LinkLoads> loads_;          // with links_
  std::unique_ptr<BodyRecursion> general_;  // beside links_ only once reactions were asked for
};

std::unique_ptr<Formulation> make_aba(const Mechanism& mechanism, const Parameters& options) {
  return std::make_unique<AbaFormulation>(mechanism, use_link_frames(mechanism, options));
}

}  // namespace

FormulationEntry aba_entry() {
  return {"aba",
          "Featherstone's articulated-body algorithm, the sequential baseline, open chains and trees",
          "Featherstone1983",
          StateKind::velocity,
          kernel_options(),
          refuse_closed_loops,
          make_aba,
          {.per_body = 6e3}};
}

}  // namespace mbdbench
