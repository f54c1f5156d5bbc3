#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/command_line/claimed_folder.hpp"
#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/plain_file_name.hpp"
#include "experiments/metamorphic/metamorphic_run.hpp"
#include "experiments/soak/isolated_check.hpp"
#include "experiments/soak/random_mechanism.hpp"
#include "experiments/soak/reduction.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/interruption.hpp"
#include "experiments/terminal/message.hpp"
#include "experiments/terminal/progress.hpp"
#include "mechanisms/io/mechanism_writer.hpp"

namespace mbdbench {
namespace {

constexpr const char* kSoakExamples = R"(Examples:
  mbdbench soak --minutes 30 --jobs 2              as many random mechanisms as go into half an hour
  mbdbench soak --mechanisms 100 --seed 7          a hundred of them, the same every time
  mbdbench soak --mechanisms 1 --seed 1234         one that was found, again
  mbdbench soak --metamorphic --comparisons 10000  one physics told in two ways must give one answer
  mbdbench soak --metamorphic --class units        of one class alone

Every formulation (and variants with options) on every mechanism: right-hand sides and reactions against dense, the
balance of momentum, states packed and unpacked, a short run with its balance of energy and its constraints, its end
against that of dense, a restart half way. Mechanism number i is drawn from seed + i alone. A failure is reduced to
a small mechanism in DIR/failures. Exit code 1: something failed.

With --metamorphic: mechanisms of a generator of its own, each told as TOML in two ways or run in two ways (names,
frames, cuts, units, split bodies, equal models, typed digits, time, pieces, threads). Disagreements stand in
DIR/failures as a pair of files with the commands that show them (docs/understanding/checking/metamorphic.md).)";

struct SoakOptions {
  double minutes = 0.0;
  std::int64_t mechanisms = 0;
  std::int64_t seed = 1;
  int jobs = 1;
  std::string output;
  bool overwrite = false;
  bool quiet = false;
  bool metamorphic = false;
  std::int64_t comparisons = 0;
  std::vector<std::string> classes;
  std::vector<std::string> formulations;
};

// Of one mechanism with all formulations, which takes a second.
constexpr double kLongest = 120.0;
constexpr int kMostTrials = 200;
constexpr std::size_t kMostReduced = 20;

FolderOwner soak_owner() {
  return {.command = "soak"};
}

/// What a whole soak found.
struct SoakReport {
  std::int64_t mechanisms = 0;
  soak::Findings sums;
  std::map<std::int64_t, soak::Findings> found;   ///< by the mechanism's seed, where there is anything
  std::map<std::int64_t, std::string> disturbed;  ///< seeds that the system did not let be checked, and why
  std::string stopped;                            ///< why the soak could not go on; empty: it did
};

bool any_failure(const SoakReport& report) {
  return std::any_of(report.found.begin(), report.found.end(),
                     [](const auto& found) { return !found.second.failures.empty(); });
}

void add(SoakReport& report, std::int64_t seed, const soak::Findings& findings) {
  if (!findings.disturbed.empty()) {
    report.disturbed[seed] = findings.disturbed;
    return;
  }
  ++report.mechanisms;
  report.sums.compared += findings.compared;
  report.sums.refused += findings.refused;
  report.sums.ill_conditioned += findings.ill_conditioned;
  report.sums.unconverged += findings.unconverged;
  report.sums.without_run += findings.without_run;
  if (std::any_of(soak::kFindingLists.begin(), soak::kFindingLists.end(),
                  [&](const auto& named) { return !(findings.*named.first).empty(); })) {
    report.found[seed] = findings;
  }
}

bool shows(const soak::Findings& findings, const soak::Finding& wanted) {
  return std::any_of(findings.failures.begin(), findings.failures.end(), [&](const soak::Finding& failure) {
    return failure.check == wanted.check && (wanted.formulation.empty() || failure.formulation == wanted.formulation);
  });
}

/// Reduces a failure to a small mechanism. \returns its file
std::filesystem::path reduce(const Registries& registries, std::int64_t seed, const soak::Finding& failure,
                             const std::filesystem::path& directory) {
  const std::vector<std::string> formulations = failure.formulation.empty() || failure.check == "exception"
                                                    ? soak::soaked_formulations(registries)
                                                    : std::vector{failure.formulation};
  const auto still_fails = [&](const Mechanism& mechanism) {
    return shows(soak::check_isolated(registries, mechanism, formulations, kLongest), failure);
  };
  const MechanismDescription small =
      soak::reduced(soak::draw_mechanism(registries.mechanisms, seed), still_fails, kMostTrials);
  std::filesystem::create_directories(directory);
  std::filesystem::path file =
      directory / (plain_file_name(fmt::format("{}-{}-{}", seed, failure.formulation, failure.check)) + ".toml");
  replace_file(file, write_mechanism(Mechanism(small).description()));
  return file;
}

class SoakRun {
 public:
  SoakRun(const Registries& registries, const SoakOptions& options)
      : registries_(registries),
        options_(options),
        formulations_(soak::soaked_formulations(registries)),
        end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(60.0 * options.minutes))),
        bar_("soak", kUnits, ProgressOptions::standard_error(options.quiet)) {}

  SoakReport run() {
    while (!interruption_requested()) {
      while (running_.size() < static_cast<std::size_t>(options_.jobs) && wanted()) {
        if (!start(options_.seed + started_)) {
          break;
        }
        ++started_;
      }
      if (running_.empty()) {
        break;
      }
      report_.stopped.clear();  // one of those that run leaves room for the next
      collect();
    }
    return std::move(report_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kUnits = 1000;

  [[nodiscard]] bool wanted() const {
    return options_.mechanisms > 0 ? started_ < options_.mechanisms : Clock::now() < end_;
  }

  /// \returns whether the system gave a process for it; with none running, why not ends the soak and is reported.
  bool start(std::int64_t seed) {
    const Mechanism mechanism = soak::draw_mechanism(registries_.mechanisms, seed);
    try {
      running_.emplace_back(seed,
                            std::make_unique<soak::IsolatedCheck>(registries_, mechanism, formulations_, kLongest));
    } catch (const std::runtime_error& error) {
      report_.stopped = error.what();
      return false;
    }
    return true;
  }

  void collect() {
    for (auto check = running_.begin(); check != running_.end();) {
      if (!check->second->ended()) {
        ++check;
        continue;
      }
      add(report_, check->first, check->second->take());
      check = running_.erase(check);
      show();
    }
  }

  void show() {
    const double left = std::chrono::duration<double>(end_ - Clock::now()).count();
    const double done = options_.mechanisms > 0
                            ? static_cast<double>(report_.mechanisms) / static_cast<double>(options_.mechanisms)
                            : 1.0 - left / (60.0 * options_.minutes);
    bar_.set(static_cast<std::uint64_t>(std::clamp(done, 0.0, 1.0) * static_cast<double>(kUnits)));
  }

  const Registries& registries_;
  const SoakOptions& options_;
  std::vector<std::string> formulations_;
  Clock::time_point end_;
  ProgressBar bar_;
  std::vector<std::pair<std::int64_t, std::unique_ptr<soak::IsolatedCheck>>> running_;
  std::int64_t started_ = 0;
  SoakReport report_;
};

nlohmann::ordered_json json_of(const SoakReport& report, const SoakOptions& options) {
  nlohmann::ordered_json json = {{"seed", options.seed},
                                 {"mechanisms", report.mechanisms},
                                 {"compared", report.sums.compared},
                                 {"refused", report.sums.refused},
                                 {"ill_conditioned", report.sums.ill_conditioned},
                                 {"unconverged", report.sums.unconverged},
                                 {"mechanisms_without_reference_run", report.sums.without_run}};
  json["not_checked"] = nlohmann::ordered_json::array();
  for (const auto& [seed, why] : report.disturbed) {
    json["not_checked"].push_back({{"seed", seed}, {"why", why}});
  }
  json["stopped"] = report.stopped;
  for (const auto& [list, name] : soak::kFindingLists) {
    json[name] = nlohmann::ordered_json::array();
    for (const auto& [seed, findings] : report.found) {
      for (const soak::Finding& finding : findings.*list) {
        json[name].push_back(
            {{"seed", seed}, {"formulation", finding.formulation}, {"check", finding.check}, {"what", finding.what}});
      }
    }
  }
  return json;
}

void print_report(const SoakReport& report) {
  say("{} mechanisms, {} times a formulation was checked on one, {} times refused, {} times ill-conditioned,\n"
      "{} times not converged by its own account;\n"
      "runs of {} mechanisms were not compared, because that of dense did not reach its end\n",
      report.mechanisms, report.sums.compared, report.sums.refused, report.sums.ill_conditioned,
      report.sums.unconverged, report.sums.without_run);
  constexpr std::array kVerdicts = {"failed", "less precise than the limit, no wrong term",
                                    "proves nothing, the motion is too sensitive",
                                    "an error of integration, which smaller tolerances mend"};
  static_assert(kVerdicts.size() == soak::kFindingLists.size());
  for (std::size_t i = 0; i < kVerdicts.size(); ++i) {
    std::map<std::pair<std::string, std::string>, int> counts;
    for (const auto& [seed, findings] : report.found) {
      for (const soak::Finding& finding : findings.*soak::kFindingLists[i].first) {
        ++counts[{finding.check, finding.formulation}];
      }
    }
    for (const auto& [what, count] : counts) {
      say("  {}: {} of {}: {}\n", kVerdicts[i], what.first, what.second.empty() ? "the process" : what.second, count);
    }
  }
  if (!report.disturbed.empty()) {
    const auto& [seed, why] = *report.disturbed.begin();
    say("  {} mechanisms were not checked, and no formulation is to blame; seed {}: {}\n", report.disturbed.size(),
        seed, why);
  }
  if (!report.stopped.empty()) {
    say("  the soak ended early: {}\n", report.stopped);
  }
  static_cast<void>(std::fflush(stdout));
}

/// The first failure of every kind becomes a small mechanism.
void reduce_failures(const Registries& registries, const SoakReport& report, const std::filesystem::path& output) {
  std::map<std::pair<std::string, std::string>, bool> seen;
  for (const auto& [seed, findings] : report.found) {
    for (const soak::Finding& failure : findings.failures) {
      const std::pair kind(failure.formulation, failure.check);
      if (seen.size() == kMostReduced || seen[kind] || interruption_requested()) {
        continue;
      }
      seen[kind] = true;
      const std::filesystem::path file = reduce(registries, seed, failure, output / "failures");
      say("seed {}: {}: {}: {}; reduced: {}\n", seed, failure.formulation, failure.check, failure.what, file.string());
    }
  }
}

GivenInputs given(const SoakOptions& options) {
  return {.mechanisms = {},
          .formulations = options.formulations,
          .settings = {{"seed", fmt::format("{}", options.seed)},
                       {"metamorphic", options.metamorphic ? "yes" : "no"},
                       {"classes", fmt::format("{}", fmt::join(options.classes, ", "))}}};
}

/// \returns the exit code of a soak that found nothing wrong: of one that compared nothing it says nothing.
int without_failure(std::int64_t compared) {
  if (compared == 0) {
    tell("mbdbench: nothing was compared, so nothing was checked\n");
  }
  return compared == 0 ? kExitCheckFailed : kExitOk;
}

int run_soak(const Registries& registries, const SoakOptions& options) {
  const std::filesystem::path output(options.output);
  const auto folder =
      claim_folder(options.output, soak_owner(), options.overwrite, registries.formulations.execution, given(options));
  const InterruptionGuard guard;
  const SoakReport report = SoakRun(registries, options).run();
  print_report(report);
  write_json(output / "soak.json", json_of(report, options));
  reduce_failures(registries, report, output);
  say("Results: {}\n", output.string());
  if (interruption_requested()) {
    return kExitInterrupted;
  }
  const bool whole = report.disturbed.empty() && report.stopped.empty();
  return any_failure(report) || !whole ? kExitCheckFailed : without_failure(report.sums.compared);
}

void print_counts(const metamorphic::Report& report) {
  say("{:<18} {:>9} {:>8} {:>12} {:>10} {:>8}\n", "class", "compared", "agreed", "integration", "disagreed", "refused");
  for (const auto& [name, count] : report.counts) {
    say("{:<18} {:>9} {:>8} {:>12} {:>10} {:>8}\n", name, count.compared(), count.agreed, count.integration,
        count.disagreed, count.refused);
  }
  std::map<std::pair<std::string, std::string>, int> kinds;
  for (const metamorphic::Disagreement& one : report.disagreements) {
    if (++kinds[{one.relation, one.formulation}] == 1) {
      say("{} of {}: seed {} with {} bodies: {:.200}\n", one.relation, one.formulation, one.seed, one.bodies, one.what);
    }
  }
}

int run_metamorphic_soak(const Registries& registries, const SoakOptions& options) {
  const std::filesystem::path output(options.output);
  const metamorphic::RunOptions wanted = {.seed = options.seed,
                                          .comparisons = options.comparisons,
                                          .minutes = options.minutes,
                                          .jobs = options.jobs,
                                          .relations = options.classes,
                                          .formulations = options.formulations,
                                          .working = output / ".working",
                                          .quiet = options.quiet};
  metamorphic::require_known(registries, wanted);
  const auto folder =
      claim_folder(options.output, soak_owner(), options.overwrite, registries.formulations.execution, given(options));
  const InterruptionGuard guard;
  const metamorphic::Report report = metamorphic::run_metamorphic(registries, wanted);
  say("seed {}: {} comparisons, {} disagree\n", options.seed, report.compared(), report.disagreements.size());
  print_counts(report);
  for (const std::filesystem::path& failure : metamorphic::write_report(registries, report, wanted, output)) {
    say("{}: the tellings, and the commands that show it in commands.sh\n", failure.string());
  }
  for (const auto& [why, times] : report.disturbed) {
    say("not compared, and no formulation is to blame: {} times: {}\n", times, why);
  }
  say("Results: {}\n", output.string());
  if (interruption_requested()) {
    return kExitInterrupted;
  }
  return report.disagreements.empty() && report.disturbed.empty() ? without_failure(report.compared())
                                                                  : kExitCheckFailed;
}

}  // namespace

void add_soak_command(CLI::App& program, const Registries& registries, int& exit_code) {
  CLI::App* const command = program.add_subcommand(
      "soak", "Checks every formulation on random mechanisms, for as long as wanted. Exit code 1: something failed");
  const auto options = std::make_shared<SoakOptions>();
  CLI::Option* const minutes =
      command->add_option("--minutes", options->minutes, "Duration, minutes")->check(number_from(0.01, 1e5));
  command->add_option("--mechanisms", options->mechanisms, "Number of mechanisms, in place of a duration")
      ->check(integer_from(1, 1'000'000'000))
      ->excludes(minutes);
  command->add_option("--seed", options->seed, "Seed of the first mechanism; the others follow")
      ->check(integer_from(0, 1'000'000'000'000))
      ->capture_default_str();
  command->add_option("-j,--jobs", options->jobs, "Number of processes side by side")->check(integer_from(1, 1024));
  command
      ->add_option("-o,--output", options->output,
                   "Directory for soak.json, provenance.json, inputs.json and the reduced mechanisms in failures")
      ->default_val("results/runs/soak");
  add_overwrite_flag(*command, options->overwrite);
  command->add_flag("--quiet", options->quiet, "No progress on standard error");
  CLI::Option* const metamorphic =
      command->add_flag("--metamorphic", options->metamorphic, "One physics told in two ways must give one answer");
  command
      ->add_option("--comparisons", options->comparisons,
                   "With --metamorphic: least number of comparisons, in place of a duration")
      ->check(integer_from(1, 1'000'000'000))
      ->excludes(minutes)
      ->needs(metamorphic);
  command->add_option("--class", options->classes, "With --metamorphic: check only this class; may be repeated")
      ->needs(metamorphic);
  command
      ->add_option("--formulation", options->formulations,
                   "With --metamorphic: check only this formulation; may be repeated")
      ->needs(metamorphic);
  command->footer(kSoakExamples);
  command->callback([&registries, options, &exit_code] {
    if (options->minutes == 0.0 && options->mechanisms == 0 && options->comparisons == 0) {
      options->minutes = 1.0;
    }
    exit_code = options->metamorphic ? run_metamorphic_soak(registries, *options) : run_soak(registries, *options);
  });
}

}  // namespace mbdbench
