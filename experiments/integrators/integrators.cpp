#include "experiments/integrators/integrators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/experiment_parts.hpp"
#include "experiments/files/text_digest.hpp"
#include "experiments/integrators/parts.hpp"
#include "experiments/records/verdict_table.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "mechanisms/io/mechanism_writer.hpp"

namespace mbdbench {
namespace {

using namespace integrator_study;
using Before = const std::vector<Record>&;

constexpr std::array kProblems = {"vdp1", "lorenz", "kepler"};
constexpr const char* kMechanism = "pendulum:16";
constexpr int kPoints = 9;
constexpr int kQuickPoints = 4;

/// Those whose energy over long times is followed: the symplectic ones, and adaptive ones of each family.
constexpr std::array kDriftIntegrators = {"implicit-midpoint", "gauss4",     "gauss6", "ode45", "ode113",
                                          "odeint-fehlberg78", "cvode-adams"};

// Three bodies: 1000 s. Sixteen: 200 s. The work is what the whole experiment has time for in three minutes. It gives
// the symplectic methods steps of about a hundredth of a second, which their iteration needs to converge at all in the
// fastest parts of the motion; some adaptive methods reach rounding level with less.
constexpr double kShortChainTime = 1000.0;
constexpr double kShortChainEvaluations = 1.0e6;
constexpr double kLongChainTime = 200.0;
constexpr double kLongChainEvaluations = 8.0e5;

/// \returns what keeps the parts of a smaller version apart from those of the whole.
const char* size_of(const ExperimentContext& context) {
  return context.quick ? "_quick" : "";
}

void add_work_precision(std::vector<ExperimentPart>& parts, const ExperimentContext& context,
                        const std::shared_ptr<References>& references, const std::string& name,
                        const std::shared_ptr<const WorkCase>& target, bool first) {
  if (first) {
    parts.push_back({fmt::format("reference_{}", name), target->is_mechanism() ? 10U : 2U,
                     [references, target](Before) { return reference_part(*target, references->of(*target)); }});
  }
  const int points = context.quick ? kQuickPoints : kPoints;
  const char* const size = size_of(context);
  for (const OdeEntry& integrator : context.registries.integrators) {
    if (integrator.needs_separable && target->system.separable_positions == 0) {
      continue;
    }
    const std::string label = target->is_mechanism() ? name + "_" + target->formulation : name;
    parts.push_back({fmt::format("work_precision{}_{}_{}", size, label, integrator.key),
                     target->is_mechanism() ? 8U : 1U, [references, target, &integrator, points](Before) {
                       return work_precision_part(*target, references->of(*target), integrator, points);
                     }});
  }
}

/// \returns a name for files that changes with the mechanism's content: a user's file may change between two runs.
std::string file_name_of(const Registries& registries, const std::string& word) {
  return text_digest(write_mechanism(find_mechanism(registries, word).description()));
}

void add_mechanisms(std::vector<ExperimentPart>& parts, const ExperimentContext& context,
                    const std::shared_ptr<References>& references) {
  std::vector<std::string> words = {kMechanism};
  for (const std::string& word : context.mechanisms) {
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      words.push_back(word);
    }
  }
  for (const std::string& word : words) {
    const std::string name = file_name_of(context.registries, word);
    bool first = true;
    for (const std::string& formulation : formulations_for(context.registries, word, context.formulations)) {
      const auto target = std::make_shared<const WorkCase>(mechanism_case(context.registries, word, formulation));
      add_work_precision(parts, context, references, name, target, first);
      first = false;
    }
    if (first) {
      throw std::invalid_argument(fmt::format("none of the formulations {} treats the mechanism '{}'",
                                              fmt::join(context.formulations, ", "), word));
    }
  }
}

void add_drift(std::vector<ExperimentPart>& parts, const ExperimentContext& context, const DriftCase& made) {
  const auto target = std::make_shared<const DriftCase>(made);
  std::string word = target->mechanism;
  std::replace(word.begin(), word.end(), ':', '_');
  std::vector<std::string_view> keys(kDriftIntegrators.begin(), kDriftIntegrators.end());
  if (target->system.separable_positions > 0) {
    keys.insert(keys.begin(), "stormer-verlet");
  }
  for (const std::string_view key : keys) {
    const OdeEntry& integrator = integrator_of(context.registries, key);
    parts.push_back(
        {fmt::format("drift{}_{}_{}", size_of(context), word, key), target->formulation.empty() ? 3U : 60U,
         [target, &integrator, &context](Before) { return drift_part(*target, integrator, context.output); }});
  }
}

std::vector<ExperimentPart> all_parts(const ExperimentContext& context) {
  const Registries& registries = context.registries;
  std::vector<ExperimentPart> parts;
  parts.push_back({"matlab", 1, [&registries](Before) { return matlab_part(registries); }});
  for (const OdeEntry& integrator : registries.integrators) {
    parts.push_back(
        {fmt::format("order_{}", integrator.key), 1, [&integrator](Before) { return order_part(integrator); }});
  }
  const auto references = std::make_shared<References>(registries);
  for (const char* const name : kProblems) {
    add_work_precision(parts, context, references, name, std::make_shared<const WorkCase>(problem_case(name)), true);
  }
  add_mechanisms(parts, context, references);
  add_drift(parts, context, kepler_drift(context.quick));
  add_drift(parts, context, pendulum_drift(registries, 3, kShortChainTime, kShortChainEvaluations, context.quick));
  add_drift(parts, context, pendulum_drift(registries, 16, kLongChainTime, kLongChainEvaluations, context.quick));
  return parts;
}

}  // namespace

const OdeEntry& integrator_study::integrator_of(const Registries& registries, std::string_view key) {
  const OdeEntry* const entry = find_integrator(registries.integrators, key);
  if (entry == nullptr) {
    throw std::invalid_argument(fmt::format("experiment integrators needs the integrator '{}'", key));
  }
  return *entry;
}

bool run_integrators(ExperimentContext& context) {
  const std::optional<PartResult> all = run_parts(context, std::string(kExperiment), all_parts(context));
  if (!all) {
    return false;
  }
  write_records(context.output / "records.csv", all->records);
  write_records(context.output / "timings.csv", all->timings);
  fmt::print("{}", verdict_table(all->records));
  return all_reproduced(all->records);
}

}  // namespace mbdbench
