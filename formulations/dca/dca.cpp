/// \file
/// Divide-and-conquer algorithm in accelerations [Featherstone1999], trees and closed loops of any topology.
///
/// R. Featherstone: A divide-and-conquer articulated-body algorithm for parallel O(log(n)) calculation of rigid-body
/// dynamics, Parts 1 and 2, Int. J. Robotics Research 18 (1999). The same matrices and node formula as HDCA; momenta
/// become wrenches, the constraint is differentiated once more. Cut joints may be stabilised [Baumgarte1972]: their
/// right side gets -2 alpha Phi' - beta^2 Phi.
///
/// Where loops close, A = G^T Xi G may be singular and its pseudo-inverse is used. The right side lies in its range
/// only while the state keeps the constraints: after drift, constraints that are redundant in a position only (not
/// those of planar loops, which are redundant in all) contradict one another a little and are met by least squares.
/// HDCA, with right side zero, never has this problem.
///
/// paper symbol          -> name
///   Phi_1, Phi_12, ...  -> blocks of the leaf and node matrices (formulations/assembly)
///   b_1, b_2 (bias)     -> MechanismAssembly right sides: loads, gyroscopic terms, joint forces, r_k
///   lambda              -> MechanismAssembly::constraint_impulse after solve_accelerations
///
/// Cost: a velocity sweep, one assembly and one disassembly, O(n) for trees and loops with few handles a node
/// (assembly/assembly_tree.hpp).
#include "formulations/dca/dca.hpp"

#include <algorithm>
#include <array>

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/assembly/mechanism_assembly.hpp"
#include "formulations/binary_tree/binary_formulation.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/loop_derivatives.hpp"
#include "formulations/options/division_options.hpp"
#include "formulations/options/kernel_choice.hpp"
#include "formulations/options/leaf_choice.hpp"
#include "formulations/options/projection_option.hpp"
#include "formulations/parts/forms/recursive_accelerations.hpp"
#include "formulations/subchains/subchain_formulation.hpp"
#include "formulations/subtrees/subtree_formulation.hpp"

namespace mbdbench {
namespace {

struct DcaOptions {
  AssemblyOptions assembly;
  double alpha = 0.0;  // 1/s
  double beta = 0.0;   // 1/s
  bool projects = false;
};

class DcaFormulation final : public JointVelocityFormulation {
 public:
  DcaFormulation(const Mechanism& mechanism, const DcaOptions& options)
      : JointVelocityFormulation(mechanism),
        options_(options),
        system_(mechanism, options.assembly, near()),
        derivatives_(
            mechanism, VelocityRules{options.projects, options.alpha, options.beta}, {}, near(),
            [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); }, options.assembly.instruction_set) {
    use_derivatives(derivatives_);
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<DcaFormulation>(mechanism(), options_);
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    const RhsStatus status = solve(t, x);
    if (status.ok) {
      system_.reactions(reactions);
    }
    return status;
  }

  [[nodiscard]] std::vector<WorkStage> stages() const override { return system_.stages(1.0); }

  void diagnostics(const DiagnosticSink& sink) const override { system_.diagnostics(sink); }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = solve(t, x);
    if (status.ok) {
      set_coordinate_rates(q_of(x), system_.u(), q_of(xdot));
      std::copy(system_.accelerations().begin(), system_.accelerations().end(), rate_of(xdot).begin());
    }
    return status;
  }

 private:
  RhsStatus solve(double t, std::span<const double> x) {
    const RhsStatus status = system_.set_positions(t, q_of(x));
    if (!status.ok) {
      return status;
    }
    if (options_.projects) {
      system_.project_velocities(rate_of(x));
    } else {
      system_.set_velocities(rate_of(x));
    }
    system_.evaluate_loads(t, q_of(x));
    system_.solve_accelerations(options_.alpha, options_.beta);
    return system_.balance_status();
  }

  DcaOptions options_;
  MechanismAssembly system_;
  LoopDerivatives derivatives_;
};

/// \returns whether nothing but projections would keep closed loops closed.
bool drifts(const Parameters& options) {
  // Sub-chains that are asked for by name keep to the published algorithm, and to their processes.
  return options.number("baumgarte_alpha") == 0.0 && options.number("baumgarte_beta") == 0.0 &&
         !asks_for_lanes(options);
}

bool projects(const Mechanism& mechanism, const Parameters& options) {
  return projection_is_on(mechanism, options, drifts(options));
}

bool projects_steps(const Mechanism& mechanism, const Parameters& options) {
  return steps_are_projected(mechanism, options, drifts(options));
}

std::unique_ptr<FormulationPart> make_dca_part(const Mechanism& mechanism, const Parameters& options,
                                               const Execution& execution) {
  switch (chosen_leaf(mechanism, StateKind::velocity, options)) {
    case Leaf::subchain:
      return make_subchain_part(mechanism, StateKind::velocity, options, execution);
    case Leaf::body:
      return make_chain_part(mechanism, StateKind::velocity, options, execution);
    default:
      throw ModelError({}, "one part, or sub-trees, need the whole state (leaf=subchain and leaf=body may not)");
  }
}

std::unique_ptr<Formulation> make_dca(const Mechanism& mechanism, const Parameters& options,
                                      const Execution& execution) {
  switch (chosen_leaf(mechanism, StateKind::velocity, options)) {
    case Leaf::subchain:
      return make_subchain_formulation(mechanism, StateKind::velocity, options, execution);
    case Leaf::subtree:
      return make_subtree_formulation(mechanism, StateKind::velocity, options, execution);
    case Leaf::whole: {
      const BaumgarteConstants baumgarte{options.number("baumgarte_alpha"), options.number("baumgarte_beta")};
      return make_recursive_accelerations(mechanism, {baumgarte, projects(mechanism, options), true,
                                                      execution_in(options, execution), section_bodies_in(options)});
    }
    case Leaf::body:
      break;
  }
  if (auto in_lanes = make_binary_formulation(mechanism, StateKind::velocity, options, execution)) {
    return in_lanes;
  }
  return std::make_unique<DcaFormulation>(mechanism, DcaOptions{{ground_closure(options), CutAxes::world,
                                                                 proximal_options(options), execution.instruction_set},
                                                                options.number("baumgarte_alpha"),
                                                                options.number("baumgarte_beta"),
                                                                projects(mechanism, options)});
}

ParameterSpecification stabilisation(std::string_view name, std::string_view help) {
  ParameterSpecification option;
  option.name = name;
  option.default_value = 0.0;
  option.help = help;
  option.minimum = 0.0;
  return option;
}

std::span<const ParameterSpecification> dca_options() {
  static const std::array<ParameterSpecification, 11> kOptions = {
      ground_closure_option(),
      stabilisation("baumgarte_alpha", "alpha in -2 alpha Phi' - beta^2 Phi of cut joints, 1/s; 0: not stabilised"),
      stabilisation("baumgarte_beta", "beta in -2 alpha Phi' - beta^2 Phi of cut joints, 1/s; 0: not stabilised"),
      loops_option(),
      regularisation_option(),
      leaf_option(),
      subchains_option(),
      exchange_option(),
      threads_option(),
      projection_option(),
      kernel_options().front()};
  return kOptions;
}

}  // namespace

FormulationEntry dca_entry() {
  return {"dca",
          "Featherstone's divide and conquer, joint accelerations, trees and closed loops",
          "Featherstone1999",
          StateKind::velocity,
          dca_options(),
          refuse_for_assembly,
          make_dca,
          {.per_body = 1.3e4},
          projects_steps,
          make_dca_part,
          "leaf=subchain",
          true,
          false};
}

}  // namespace mbdbench
