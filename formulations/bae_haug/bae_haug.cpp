/// \file
/// Recursive Newton-Euler equations in joint coordinates, closed loops by cut joints [Malczyk2008], after [Bae1987],
/// [Bae1988].
///
/// paper symbol            -> name
///   Y_k                   -> BodyRecursion::rate at O_k, in world axes; ClosedLinks does the same in link frames
///   B_1, B_2              -> shift by BodyRecursion::lever, BodyRecursion::axes
///   K, L                  -> articulated inertia and wrench of BodyRecursion
///   PhiM                  -> CarriedRows: wrenches
///   PhiL, RHS, lambda     -> CutRows: a_, multipliers_ before and after the solution, with D lambda on body b
///   gamma* (Eq. (7))      -> set_cut_right_side
///
/// The reduction ends at the ground, so that the small system holds the multipliers only: PhiL lambda = RHS + gamma*.
/// Both ends of a cut are reduced to the ground: where their chains meet, the articulated unit wrenches do not cancel.
///
/// Cost: O(n m_path + m^3), m rows of cut joints.
#include "formulations/bae_haug/bae_haug.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "formulations/bae_haug/bae_haug_part.hpp"
#include "formulations/bae_haug/ground_tree.hpp"
#include "formulations/closed_links/closed_links.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/projection_option.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "formulations/recursion/kernel_choice.hpp"
#include "formulations/shared_formulation.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

/// The recursion in world axes, for everything.
struct WorldRecursion {
  WorldRecursion(const Mechanism& mechanism, BaumgarteConstants baumgarte)
      : tree(mechanism), cuts(mechanism, baumgarte), momenta(static_cast<std::size_t>(mechanism.u_size())) {}

  RhsStatus solve(double t, std::span<const double> q, std::span<const double> u, bool projects) {
    RhsStatus status = tree.set_positions(t, q);
    if (status.ok) {
      status = cuts.set_positions(tree, q);
    }
    if (status.ok) {
      tree.set_velocities(u);
      if (projects) {
        project_velocities();
      }
      tree.evaluate_loads(t, q);
      tree.sweep_loads();
      cuts.close_accelerations(tree);
      tree.sweep_accelerations();
    }
    return status;
  }

  /// The velocities nearest in the norm of M that keep the constraints: those of the momenta M u.
  void project_velocities() {
    tree.momenta(momenta);
    tree.sweep_momenta(momenta);
    cuts.close_velocities(tree);
    tree.sweep_velocities();
  }

  BodyRecursion tree;
  CutRows cuts;
  std::vector<double> momenta;
};

class BaeHaugFormulation final : public JointStateFormulation {
 public:
  BaeHaugFormulation(const Mechanism& mechanism, BaumgarteConstants baumgarte, bool projects, bool link_frames)
      : JointStateFormulation(mechanism, StateKind::velocity),
        baumgarte_(baumgarte),
        projects_(projects),
        velocities_(static_cast<std::size_t>(mechanism.u_size())) {
    if (link_frames) {
      links_.emplace(mechanism, baumgarte, projects);
    } else {
      world_ = std::make_unique<WorldRecursion>(mechanism, baumgarte);
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<BaeHaugFormulation>(mechanism(), baumgarte_, projects_, links_.has_value());
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
    if (!world_) {
      world_ = std::make_unique<WorldRecursion>(mechanism(), baumgarte_);
    }
    const RhsStatus status = world_->solve(t, q_of(x), rate_of(x), projects_);
    if (status.ok) {
      std::vector<Vec6> wrenches;
      for (std::size_t c = 0; c < mechanism().cut_joints().size(); ++c) {
        wrenches.push_back(world_->cuts.wrench(world_->tree, static_cast<int>(c)));
      }
      world_->tree.reactions(wrenches, reactions);
    }
    return status;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    if (links_) {
      const RhsStatus status = links_->evaluate(t, q_of(x), rate_of(x), velocities_, rate_of(xdot));
      set_coordinate_rates(q_of(x), velocities_, q_of(xdot));
      return status;
    }
    const RhsStatus status = world_->solve(t, q_of(x), rate_of(x), projects_);
    if (status.ok) {
      set_coordinate_rates(q_of(x), world_->tree.u(), q_of(xdot));
      std::copy(world_->tree.accelerations().begin(), world_->tree.accelerations().end(), rate_of(xdot).begin());
    }
    return status;
  }

 private:
  BaumgarteConstants baumgarte_;
  bool projects_;
  std::vector<double> velocities_;  // in use, of links_
  std::optional<ClosedLinks> links_;
  std::unique_ptr<WorldRecursion> world_;  // beside links_ only once reactions were asked for
};

constexpr double kMostRanks = 1024.0;

std::string refuse_nothing(const Mechanism& /*mechanism*/) {
  return {};
}

ParameterSpecification kernel_option() {
  ParameterSpecification kernel = kernel_options().front();
  kernel.help = "auto: in link frames, but prescribed motions, couplings and screws; general: in world axes";
  return kernel;
}

std::span<const ParameterSpecification> baumgarte_options() {
  static const std::array<ParameterSpecification, 5> kOptions = {
      {{"alpha", 0.0, "Baumgarte's constant of the velocity error of cut joints, 1/s; 0: off, usual 1 to 20", 0.0, 1e6},
       {"beta", 0.0, "Baumgarte's constant of the position error of cut joints, 1/s; usually equal to alpha", 0.0, 1e6},
       {"ranks", std::int64_t{1},
        "R > 1: a recursion for each tree that a joint at the ground carries, such as a loop's two sub-chains; R ranks "
        "can share them",
        1.0, kMostRanks},
       kernel_option(),
       projection_option()}};
  return kOptions;
}

bool is_divided(const Parameters& options) {
  return options.integer("ranks") > 1;
}

BaumgarteConstants baumgarte_of(const Parameters& options) {
  return {options.number("alpha"), options.number("beta")};
}

bool projects(const Mechanism& mechanism, const Parameters& options) {
  const bool stabilised = options.number("alpha") != 0.0 || options.number("beta") != 0.0;
  return projection_is_on(mechanism, options, !stabilised && !is_divided(options));
}

std::unique_ptr<Formulation> make_bae_haug(const Mechanism& mechanism, const Parameters& options) {
  const BaumgarteConstants baumgarte = baumgarte_of(options);
  const bool projected = projects(mechanism, options);
  const bool link_frames = use_link_frames(mechanism, options) && refuse_closed_links(mechanism).empty();
  auto whole = std::make_unique<BaeHaugFormulation>(mechanism, baumgarte, projected, link_frames);
  if (!is_divided(options)) {
    return whole;
  }
  if (projected) {
    throw ModelError({}, "option ranks: trees on their own project nothing: projection=off, alpha and beta stabilise");
  }
  const std::string refusal = refuse_ground_trees(mechanism, static_cast<std::size_t>(options.integer("ranks")));
  if (!refusal.empty()) {
    throw ModelError({}, "option ranks: " + refusal);
  }
  return std::make_unique<SharedFormulation>(
      std::move(whole), [&mechanism, baumgarte] { return make_bae_haug_part(mechanism, baumgarte, nullptr); }, nullptr);
}

std::unique_ptr<FormulationPart> make_part(const Mechanism& mechanism, const Parameters& options, RankExchange& ranks) {
  if (options.integer("ranks") != ranks.size()) {
    throw ModelError(
        {}, fmt::format("option ranks={} makes it one recursion a tree, which as many ranks can share", ranks.size()));
  }
  if (projects(mechanism, options)) {
    throw ModelError({}, "trees on their own project nothing: projection=off, alpha and beta stabilise");
  }
  return make_bae_haug_part(mechanism, baumgarte_of(options), &ranks);
}

}  // namespace

FormulationEntry bae_haug_entry() {
  return {"bae-haug",
          "recursive, O(n), closed loops by cut joints with Lagrange multipliers and Baumgarte's stabilisation",
          "Malczyk2008",
          StateKind::velocity,
          baumgarte_options(),
          refuse_nothing,
          make_bae_haug,
          {.per_body = 1e4, .per_row_and_velocity = 48.0},
          projects,
          make_part,
          "ranks=R",
          true};
}

}  // namespace mbdbench
