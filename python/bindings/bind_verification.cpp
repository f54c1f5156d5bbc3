#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>

#include "experiments/verification/verification.hpp"
#include "python/bindings/session.hpp"

namespace nb = nanobind;

namespace mbdbench::python {
namespace {

VerificationResult check(const Mechanism& mechanism, const std::string& formulation, int states, std::int64_t seed) {
  if (states < 0) {
    throw nb::value_error(fmt::format("states: is {}; must be 0 or more", states).c_str());
  }
  VerificationOptions options;
  options.formulations = {formulation};
  options.states = states;
  options.seed = seed;
  const Registries known = registries();
  const nb::gil_scoped_release unlocked;
  return verify(known, mechanism, options).front();
}

/// \returns what was compared.
std::map<std::string, BlockCheck> compared(const VerificationResult& result) {
  std::map<std::string, BlockCheck> blocks = {{"velocity", result.velocity},     {"rate", result.rate},
                                              {"reaction", result.reaction},     {"acceleration", result.acceleration},
                                              {"continuity", result.continuity}, {"energy", result.energy},
                                              {"derivative", result.derivative}};
  std::erase_if(blocks, [](const auto& block) { return block.second.outcome == CheckOutcome::not_compared; });
  return blocks;
}

std::string outcome_of(const VerificationResult& result) {
  return result.refusal.empty() ? std::string(to_string(result.outcome())) : "refused";
}

std::string text_of_result(const VerificationResult& result) {
  std::string text = fmt::format("{} on {}: {}", result.formulation, result.mechanism, outcome_of(result));
  if (!result.refusal.empty() || !result.failure.empty()) {
    return fmt::format("{}: {}{}", text, result.refusal, result.failure);
  }
  text += fmt::format(", {} states, condition {:.2g}", result.states, result.condition);
  for (const auto& [name, block] : compared(result)) {
    text += fmt::format("\n  {:<12} error {:8.2g}  limit {:8.2g}  {}{}{}", name, block.error, block.limit,
                        to_string(block.outcome), block.component.empty() ? "" : ", worst in ", block.component);
  }
  return text;
}

}  // namespace

void bind_verification(nb::module_& module) {
  nb::class_<BlockCheck>(module, "BlockCheck", "One quantity, where it came out worst.")
      .def_ro("error", &BlockCheck::error, "max|a - b| / max|b|")
      .def_ro("limit", &BlockCheck::limit, "What rounding and differences explain.")
      .def_prop_ro("outcome", [](const BlockCheck& block) { return std::string(to_string(block.outcome)); })
      .def_ro("component", &BlockCheck::component, "Where, in words.");
  nb::class_<VerificationResult>(module, "Verification", "A formulation compared with `dense`; str() is a table.")
      .def_prop_ro("passed", [](const VerificationResult& result) { return result.outcome() == CheckOutcome::passed; })
      .def_prop_ro("outcome", &outcome_of, "passed, FAILED, ill-conditioned, refused, reference or not compared")
      .def_ro("mechanism", &VerificationResult::mechanism)
      .def_ro("formulation", &VerificationResult::formulation)
      .def_ro("refusal", &VerificationResult::refusal, "Why the formulation does not treat the mechanism.")
      .def_ro("failure", &VerificationResult::failure, "What went wrong before anything could be compared.")
      .def_ro("states", &VerificationResult::states)
      .def_ro("condition", &VerificationResult::condition)
      .def_prop_ro("blocks", &compared, "What was compared: velocity, rate, acceleration, energy, ...")
      .def("__repr__",
           [](const VerificationResult& result) {
             return fmt::format("<mbdbench.Verification {} on {}: {}>", result.formulation, result.mechanism,
                                outcome_of(result));
           })
      .def("__str__", &text_of_result);
  module.def("verify", &check, nb::arg("mechanism"), nb::arg("formulation"), nb::arg("states"), nb::arg("seed"),
             "The same with the key of a formulation only.");
}

}  // namespace mbdbench::python
