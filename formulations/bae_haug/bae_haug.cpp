/// \file
/// Recursive Newton-Euler equations in joint coordinates, closed loops by cut joints [Malczyk2008], after [Bae1987],
/// [Bae1988].
///
/// paper symbol            -> name
///   Y_k                   -> PartRecursion in link frames, BodyRecursion in world axes
///   B_1, B_2              -> shift by BodyRecursion::lever, BodyRecursion::axes
///   K, L                  -> articulated inertia and wrench of BodyRecursion
///   PhiM                  -> CarriedRows: wrenches
///   PhiL, RHS, lambda     -> CutRows: a_, multipliers_ before and after the solution, with D lambda on body b
///   gamma* (Eq. (7))      -> set_cut_right_side
///
/// DEVIATES [Malczyk2008, Eq. (3), (5)]: in world axes the reduction ends at the ground, not at a moving link l, so
/// that the small system holds the multipliers only, PhiL lambda = RHS + gamma*, and no Y_l'; O(n m_path + m^3), m rows
/// of cut joints (bae_haug_test: accelerations of dense). In link frames a loop is closed at the link where its two
/// chains meet: the link takes the loop's inertia with it, and nothing of the loop goes further inward (parts_test).
///
/// Cost: O(n) for loops that meet at links; O(m r^2) for the m rows of rank r of loops through the ground.
#include "formulations/bae_haug/bae_haug.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "formulations/bae_haug/bae_haug_part.hpp"
#include "formulations/bae_haug/ground_tree.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/options/division_options.hpp"
#include "formulations/options/kernel_choice.hpp"
#include "formulations/options/projection_option.hpp"
#include "formulations/parts/forms/recursive_accelerations.hpp"
#include "formulations/shared_formulation.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

constexpr double kMostProcesses = 1024.0;

std::string treat_every_mechanism(const Mechanism& /*mechanism*/) {
  return {};
}

ParameterSpecification kernel_option() {
  ParameterSpecification kernel = kernel_options().front();
  kernel.help =
      "auto: in link frames, loops closed where they meet; general: in world axes, loops closed at the ground";
  return kernel;
}

std::span<const ParameterSpecification> baumgarte_options() {
  static const std::array<ParameterSpecification, 7> kOptions = {
      {{"alpha", 0.0, "Baumgarte's constant of the velocity error of cut joints, 1/s; 0: off, usual 1 to 20", 0.0, 1e6},
       {"beta", 0.0, "Baumgarte's constant of the position error of cut joints, 1/s; usually equal to alpha", 0.0, 1e6},
       {"processes",
        std::int64_t{1},
        "R > 1: a recursion for each tree that a joint at the ground carries, such as a loop's two sub-chains; R "
        "processes can share them",
        1.0,
        kMostProcesses,
        {},
        "ranks"},
       kernel_option(),
       section_option(),
       threads_option(),
       projection_option()}};
  return kOptions;
}

bool is_divided(const Parameters& options) {
  return options.integer("processes") > 1;
}

BaumgarteConstants baumgarte_of(const Parameters& options) {
  return {options.number("alpha"), options.number("beta")};
}

/// \returns whether nothing but projections would keep closed loops closed.
bool bae_haug_drifts(const Parameters& options) {
  return options.number("alpha") == 0.0 && options.number("beta") == 0.0 && !is_divided(options);
}

bool bae_haug_projects(const Mechanism& mechanism, const Parameters& options) {
  return projection_is_on(mechanism, options, bae_haug_drifts(options));
}

bool bae_haug_projects_steps(const Mechanism& mechanism, const Parameters& options) {
  return steps_are_projected(mechanism, options, bae_haug_drifts(options));
}

/// \returns about how many bodies a section shall have; 0: no sections. \throws ModelError where there can be none
int checked_section_bodies(const Parameters& options) {
  const int section_bodies = section_bodies_in(options);
  if (section_bodies > 0 && (is_divided(options) || options.text("kernel") != "auto")) {
    throw ModelError({}, fmt::format("option leaf={}: sections are one recursion in link frames, without processes=R "
                                     "and kernel=general",
                                     section_bodies));
  }
  return section_bodies;
}

std::unique_ptr<Formulation> make_bae_haug(const Mechanism& mechanism, const Parameters& options,
                                           const Execution& execution) {
  const BaumgarteConstants baumgarte = baumgarte_of(options);
  const bool projected = bae_haug_projects(mechanism, options);
  const int section_bodies = checked_section_bodies(options);
  auto whole = make_recursive_accelerations(
      mechanism, {baumgarte,
                  projected,
                  options.text("kernel") == "auto",
                  execution_in(options, is_divided(options) ? execution.on_this_process() : execution),
                  section_bodies,
                  {},
                  !is_divided(options)});
  if (!is_divided(options)) {
    return whole;
  }
  if (projected) {
    throw ModelError({},
                     "option processes: trees on their own project nothing: projection=off, alpha and beta stabilise");
  }
  const std::string refusal = refuse_ground_trees(mechanism, static_cast<std::size_t>(options.integer("processes")));
  if (!refusal.empty()) {
    throw ModelError({}, "option processes: " + refusal);
  }
  return std::make_unique<SharedFormulation>(
      std::move(whole), [&mechanism, baumgarte] { return make_bae_haug_part(mechanism, baumgarte, nullptr); }, nullptr);
}

std::unique_ptr<FormulationPart> make_part(const Mechanism& mechanism, const Parameters& options,
                                           const Execution& execution) {
  checked_section_bodies(options);
  if (options.integer("processes") != execution.processes->size()) {
    throw ModelError({},
                     fmt::format("option processes={} makes it one recursion a tree, which as many processes can share",
                                 execution.processes->size()));
  }
  if (bae_haug_projects(mechanism, options)) {
    throw ModelError({}, "trees on their own project nothing: projection=off, alpha and beta stabilise");
  }
  return make_bae_haug_part(mechanism, baumgarte_of(options), execution.processes);
}

}  // namespace

FormulationEntry bae_haug_entry() {
  return {"bae-haug",
          "recursive, O(n), closed loops by cut joints with Lagrange multipliers and Baumgarte's stabilisation",
          "Malczyk2008",
          StateKind::velocity,
          baumgarte_options(),
          treat_every_mechanism,
          make_bae_haug,
          {.per_body = 1e4, .per_row_and_velocity = 48.0},
          bae_haug_projects_steps,
          make_part,
          "processes=R",
          true,
          true};
}

}  // namespace mbdbench
