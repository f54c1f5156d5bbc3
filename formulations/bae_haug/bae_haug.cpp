/// \file
/// Recursive Newton-Euler equations in joint coordinates, closed loops by cut joints [Malczyk2008], after [Bae1987],
/// [Bae1988].
///
/// paper symbol            -> name
///   Y_k                   -> BodyRecursion::rate at O_k, here in world axes
///   B_1, B_2              -> shift by BodyRecursion::lever, BodyRecursion::axes
///   K, L                  -> articulated inertia and wrench of BodyRecursion
///   PhiM                  -> CarriedRows: wrenches
///   PhiL, RHS, lambda     -> CutRows: a_, multipliers_ before and after the solution, with D lambda on body b
///   gamma* (Eq. (7))      -> set_cut_right_side
///
/// The reduction ends at the ground, so that the small system holds the multipliers only: PhiL lambda = RHS + gamma*.
/// Both ends of a cut are reduced to the ground. Their unit wrenches cancel where their chains meet, so that the
/// reduction could end there.
///
/// Cost: O(n m_path + m^3), m rows of cut joints.
#include "formulations/bae_haug/bae_haug.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "formulations/bae_haug/bae_haug_part.hpp"
#include "formulations/bae_haug/ground_tree.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/projection_option.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "formulations/shared_formulation.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

class BaeHaugFormulation final : public JointStateFormulation {
 public:
  BaeHaugFormulation(const Mechanism& mechanism, BaumgarteConstants baumgarte, bool projects)
      : JointStateFormulation(mechanism, StateKind::velocity),
        baumgarte_(baumgarte),
        projects_(projects),
        tree_(mechanism),
        cuts_(mechanism, baumgarte),
        momenta_(static_cast<std::size_t>(mechanism.u_size())) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<BaeHaugFormulation>(mechanism(), baumgarte_, projects_);
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
      std::vector<Vec6> wrenches;
      for (std::size_t c = 0; c < mechanism().cut_joints().size(); ++c) {
        wrenches.push_back(cuts_.wrench(tree_, static_cast<int>(c)));
      }
      tree_.reactions(wrenches, reactions);
    }
    return status;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = solve(t, x);
    if (status.ok) {
      set_coordinate_rates(q_of(x), tree_.u(), q_of(xdot));
      std::copy(tree_.accelerations().begin(), tree_.accelerations().end(), rate_of(xdot).begin());
    }
    return status;
  }

 private:
  RhsStatus solve(double t, std::span<const double> x) {
    RhsStatus status = tree_.set_positions(t, q_of(x));
    if (status.ok) {
      status = cuts_.set_positions(tree_, q_of(x));
    }
    if (status.ok) {
      tree_.set_velocities(rate_of(x));
      if (projects_) {
        project_velocities();
      }
      tree_.evaluate_loads(t, q_of(x));
      tree_.sweep_loads();
      cuts_.close_accelerations(tree_);
      tree_.sweep_accelerations();
    }
    return status;
  }

  /// The velocities nearest in the norm of M that keep the constraints: those of the momenta M u.
  void project_velocities() {
    tree_.momenta(momenta_);
    tree_.sweep_momenta(momenta_);
    cuts_.close_velocities(tree_);
    tree_.sweep_velocities();
  }

  BaumgarteConstants baumgarte_;
  bool projects_;
  BodyRecursion tree_;
  CutRows cuts_;
  std::vector<double> momenta_;
};

constexpr double kMostRanks = 1024.0;

std::string refuse_nothing(const Mechanism& /*mechanism*/) {
  return {};
}

std::span<const ParameterSpecification> baumgarte_options() {
  static const std::array<ParameterSpecification, 4> kOptions = {
      {{"alpha", 0.0, "Baumgarte's constant of the velocity error of cut joints, 1/s; 0: off, usual 1 to 20", 0.0, 1e6},
       {"beta", 0.0, "Baumgarte's constant of the position error of cut joints, 1/s; usually equal to alpha", 0.0, 1e6},
       {"ranks", std::int64_t{1},
        "R > 1: a recursion for each tree that a joint at the ground carries, such as a loop's two sub-chains; R ranks "
        "can share them",
        1.0, kMostRanks},
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
  auto whole = std::make_unique<BaeHaugFormulation>(mechanism, baumgarte, projected);
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
