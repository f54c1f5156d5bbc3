#include "formulations/hdca/hdca_options.hpp"

#include <array>

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/options/division_options.hpp"
#include "formulations/options/gauge_option.hpp"
#include "formulations/options/kernel_choice.hpp"
#include "formulations/options/projection_option.hpp"

namespace mbdbench {
namespace {

ParameterSpecification choice(std::string_view name, std::string_view default_value, std::string_view help,
                              std::vector<std::string_view> choices) {
  ParameterSpecification option;
  option.name = name;
  option.default_value = std::string(default_value);
  option.help = help;
  option.choices = std::move(choices);
  return option;
}

// 1/s; larger ones only make the equations stiff.
constexpr double kLargestRate = 1e6;

ParameterSpecification rate(std::string_view name, double default_value, std::string_view help) {
  ParameterSpecification option;
  option.name = name;
  option.default_value = default_value;
  option.help = help;
  option.minimum = 0.0;
  option.maximum = kLargestRate;
  return option;
}

}  // namespace

std::span<const ParameterSpecification> hdca_option_specifications() {
  static const std::array<ParameterSpecification, 14> kOptions = {
      ground_closure_option(),
      choice("cut_axes", "world",
             "axes of the linear rows of D in cut joints: world, or fixed in the joint's body (other step counts, same "
             "motion)",
             {"world", "body"}),
      choice("gauge", "auto",
             "what keeps sigma of cut joints small: none (as published), reset, leak, or tangent, which also passes "
             "singular positions; auto: tangent where loops are closed, but for leaf=subchain or subtree, else none",
             {"auto", "none", "reset", "leak", "tangent"}),
      rate("leak", kDefaultLeak,
           "kappa in p' += kappa Phi_q^T sigma, 1/s (gauge=leak, tangent); tangent takes the largest rate of the "
           "joints where "
           "that is more"),
      rate("reset_interval", 0.1, "time between resets p <- J^T M V, s; 0: after every step (gauge=reset)"),
      rate("feedback", 0.0, "beta in Phi' = -beta Phi of cut joints, 1/s; 0: Phi' = 0"),
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

HdcaOptions hdca_options(const Mechanism& mechanism, const Parameters& parameters, const Execution& execution) {
  HdcaOptions options;
  options.assembly.instruction_set = execution.instruction_set;
  options.assembly.ground = ground_closure(parameters);
  options.assembly.cut_axes = parameters.text("cut_axes") == "body" ? CutAxes::body : CutAxes::world;
  options.assembly.proximal = proximal_options(parameters);
  const std::string& gauge = parameters.text("gauge");
  options.gauge = gauge_is_tangent(mechanism, parameters) ? GaugeControl::tangent
                  : gauge == "reset"                      ? GaugeControl::reset
                  : gauge == "leak"                       ? GaugeControl::leak
                                                          : GaugeControl::none;
  options.leak = parameters.number("leak");
  options.reset_interval = parameters.number("reset_interval");
  options.feedback = parameters.number("feedback");
  return options;
}

}  // namespace mbdbench
