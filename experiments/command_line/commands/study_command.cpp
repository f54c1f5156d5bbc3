#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/commands/study_command.hpp"
#include "experiments/command_line/moved_start_note.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/command_line/report_program.hpp"
#include "experiments/command_line/study_shares.hpp"
#include "experiments/drawing/mechanism_drawing.hpp"
#include "experiments/drawing/motion_page.hpp"
#include "experiments/engines/engine_formulation.hpp"
#include "experiments/engines/engine_permission.hpp"
#include "experiments/files/directory_lock.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/result_folder.hpp"
#include "experiments/files/shipped_file.hpp"
#include "experiments/records/claim.hpp"
#include "experiments/records/provenance/provenance.hpp"
#include "experiments/records/verdict_table.hpp"
#include "experiments/simulation/processes/process_start.hpp"
#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "experiments/studies/runner/cells/study_memory.hpp"
#include "experiments/studies/runner/observation/right_hand_sides.hpp"
#include "experiments/studies/runner/study_motion.hpp"
#include "experiments/studies/runner/study_runner.hpp"
#include "experiments/studies/verdicts/comparison/input_comparison.hpp"
#include "experiments/studies/verdicts/study_claims.hpp"
#include "experiments/studies/verdicts/study_inputs.hpp"
#include "experiments/studies/verdicts/study_records.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/interruption.hpp"
#include "experiments/terminal/message.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/execution/process_exchange.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

// To start and to answer one question, s; some compile first.
constexpr double kPatience = 60.0;

constexpr const char* kStudyExamples = R"(Examples:
  mbdbench study my_study.toml                     records, tables, figures and a report in results/runs/NAME
  mbdbench study my_study.toml --jobs 2            runs side by side; times are taken one after another all the same
  mpirun -n 16 mbdbench study my_study.toml        runs divided among processes; examples/studies/study.slurm for Slurm
  mbdbench study engines.toml --allow-engines      the programs that the file starts may be started
  mbdbench study my_study.toml -o first            the same command continues an interrupted study
  mbdbench study my_study.toml --share 3/100       the third of a hundred shares, anywhere; without --share: merge them
  mbdbench study my_study.toml --print-job slurm   the array job that computes all shares

How a study is declared: docs/using/studies/studies.md; examples/studies/pendulums.toml is one. Shares on clusters:
docs/using/studies/campaigns.md.)";

/// \returns "1980 numbers: 1650 measured, 220 refused, 110 failed".
std::string count_text(const std::vector<Record>& records, std::string_view noun) {
  std::map<Verdict, std::size_t> counts;
  for (const Record& record : records) {
    ++counts[record.verdict];
  }
  std::string text = fmt::format("{} {}", records.size(), noun);
  std::string separator = ": ";
  for (const auto& [verdict, count] : counts) {
    text += fmt::format("{}{} {}", separator, count,
                        verdict == Verdict::no_published_value ? "measured" : to_string(verdict));
    separator = ", ";
  }
  return text;
}

/// \returns whether the study says that this run may fail, and nothing is expected of it.
bool failure_is_expected(const studies::Study& study, const Record& record) {
  return study.may_fail(record.formulation) && !record.compared_value();
}

/// Failed runs by their reason, once each: a study has thousands of cells.
void print_failures(const studies::Study& study, const std::vector<Record>& records) {
  struct Reason {
    bool expected = true;
    std::size_t count = 0;
    std::string first;
  };
  std::map<std::string, Reason> reasons;
  for (const Record& record : records) {
    if (record.verdict == Verdict::failed) {
      Reason& reason = reasons[fmt::format("{}, {}, {}", record.mechanism, record.formulation, record.integrator)];
      reason.first = reason.count++ == 0 ? record.note : reason.first;
      reason.expected = reason.expected && failure_is_expected(study, record);
    }
  }
  constexpr std::size_t kShown = 10;
  std::size_t shown = 0;
  for (const auto& [run, reason] : reasons) {
    if (shown++ == kShown) {
      say("  ... and {} more; records.csv has all\n", reasons.size() - kShown);
      break;
    }
    say("  {} ({} numbers): {}: {}\n", reason.expected ? "failed, as the study allows" : "failed", reason.count, run,
        reason.first);
  }
}

std::vector<Record> compared_only(const std::vector<Record>& records) {
  std::vector<Record> compared;
  std::copy_if(records.begin(), records.end(), std::back_inserter(compared),
               [](const Record& record) { return record.compared_value().has_value(); });
  return compared;
}

/// Why the exit code may be 0 beside numbers that are not reproduced.
void print_not_asserted(const std::vector<Record>& compared) {
  const auto count = std::count_if(compared.begin(), compared.end(), [](const Record& record) {
    return record.verdict == Verdict::not_reproduced && !record.limit.asserted();
  });
  if (count > 0) {
    fmt::print("{} of those not reproduced are findings (limit: trend or finding): they are told and fail nothing\n",
               count);
  }
}

/// The mechanisms at their starts, and how they move, for the report.
void write_drawings(const Registries& registries, const studies::Study& study, const studies::StudyResults& results,
                    const fs::path& output) {
  fs::create_directories(output / "drawings");
  std::set<fs::path> moving;
  for (std::size_t m = 0; m < study.mechanisms.size(); ++m) {
    const Mechanism& mechanism = *study.mechanisms[m].mechanism;
    const fs::path file = studies::Study::drawing_file(study.mechanisms[m]);
    if (file.empty() || moving.contains(file)) {
      continue;
    }
    replace_file(output / file, mechanism_drawing(mechanism, view(mechanism.q0()), "at its start"));
    fs::path motion_file = output / file;
    motion_file.replace_extension(".html");
    if (auto motion = studies::study_motion(registries, study, results, m)) {
      moving.insert(file);
      replace_file(motion_file,
                   motion_picture(mechanism, {std::move(motion->times), std::move(motion->q)}, motion->run));
    } else {
      fs::remove(motion_file);
    }
  }
}

/// \returns the exit code.
int write_study(const studies::Study& study, const studies::StudyResults& results, const fs::path& output) {
  const RecordSet all = studies::study_records(study, results);
  const std::vector<Claim> claims = studies::judge_claims(study, results, false);
  const std::vector<Claim> timing_claims = studies::judge_claims(study, results, true);
  write_records(output / "records.csv", all.records);
  write_records(output / "timings.csv", all.timings);
  write_claims(output / "claims.csv", claims);
  write_claims(output / "timing_claims.csv", timing_claims);
  fmt::print("{}\n", count_text(all.records, "numbers"));
  if (!all.timings.empty()) {
    fmt::print("{}\n", count_text(all.timings, "times"));
  }
  std::vector<Record> everything = all.records;
  everything.insert(everything.end(), all.timings.begin(), all.timings.end());
  print_failures(study, everything);
  const std::vector<Record> compared = compared_only(all.records);
  if (!compared.empty()) {
    fmt::print("\n{}", verdict_table(compared));
    print_not_asserted(compared);
  }
  fmt::print("{}{}", claim_table(claims), claim_table(timing_claims));
  const auto passes = [&](const Record& record) {
    return (record.verdict != Verdict::not_reproduced || !record.limit.asserted()) &&
           (record.verdict != Verdict::failed || failure_is_expected(study, record));
  };
  // A time too: a study of times alone has nothing else.
  const bool passed = std::all_of(all.records.begin(), all.records.end(), passes) &&
                      std::none_of(all.timings.begin(), all.timings.end(), [&](const Record& record) {
                        return record.verdict == Verdict::failed && !failure_is_expected(study, record);
                      });
  if (std::none_of(everything.begin(), everything.end(), [](const Record& record) { return record.value; })) {
    tell("mbdbench: not one number was measured\n");
    return kExitCheckFailed;
  }
  return passed ? kExitOk : kExitCheckFailed;
}

/// What the study wants to start, before anything runs. \throws EngineNotPermitted
void announce(const studies::Study& study, const StudyFileRun& options, bool first) {
  std::map<std::string, std::string> commands;
  for (const studies::StudyEngine& engine : study.engines_started()) {
    if (first || !engine_permitted(engine.command)) {
      commands.emplace(engine.name, engine.command);
    }
  }
  announce_engines(options.file, commands, options.allow_engines);
}

/// \returns the engines with their versions, each started for one question.
std::vector<studies::StudyEngine> engines_asked(const studies::Study& study) {
  std::vector<studies::StudyEngine> engines = study.engines_started();
  for (studies::StudyEngine& engine : engines) {
    try {
      engine.version = engine_version(engine.command, make_mechanism(mechanism_registry(), "pendulum:1"), kPatience);
    } catch (const std::runtime_error& error) {
      engine.failure = error.what();
    }
  }
  return engines;
}

/// What has changed in the study since the folder's results, which its new ones replace.
void tell_changes(const fs::path& output, const nlohmann::ordered_json& now) {
  const nlohmann::ordered_json before = json_in(output / "study.json");
  const studies::InputComparison comparison = studies::compare_inputs(before, now);
  for (const std::string& difference : comparison.differences) {
    fmt::print(stderr, "mbdbench: note: {}: since the results there {}\n", output.string(), difference);
  }
}

/// \returns the options with the file of a study that comes with the program, where its name stands in place of a file;
/// its commands are those of the program. \throws std::invalid_argument where the word is the file's name and no file
StudyFileRun with_file(StudyFileRun options) {
  std::error_code ignored;
  if (fs::exists(options.file, ignored)) {
    return options;
  }
  if (const auto shipped = shipped_study(fs::path(options.file).stem().string())) {
    if (options.file != shipped->stem()) {
      throw std::invalid_argument(
          fmt::format("{}: there is no such file; the study '{}' comes with the program: "
                      "mbdbench study {}",
                      options.file, shipped->stem().string(), shipped->stem().string()));
    }
    options.file = shipped->string();
    options.allow_engines = true;
  }
  return options;
}

int run_here(const Registries& registries, const StudyFileRun& options, ProcessStart* start) {
  const std::optional<studies::StudyShare> share =
      options.share.empty() ? std::nullopt : std::optional(studies::parse_share(options.share));
  const studies::Study study = studies::read_study(registries, options.file, options.quick);
  const bool first = start == nullptr || start->processes().process() == 0;
  const fs::path output = options.output.empty() ? fs::path("results") / "runs" / study.name : fs::path(options.output);
  if (!options.job.empty()) {
    print_job(options.job, study, options, output.string());
    return kExitOk;
  }
  announce(study, options, first);
  if (share) {
    const InterruptionGuard guard;
    return run_share(registries, study, options,
                     {.output = output,
                      .jobs = options.jobs,
                      .quiet = options.quiet,
                      .stop_requested = interruption_requested,
                      .engines = engines_asked(study),
                      .share = share});
  }
  // With --overwrite the results of an earlier study go with the claim: what can be refused is refused before.
  const bool merges = !options.overwrite && !studies::share_files(output).empty();
  if (merges && start != nullptr) {
    throw std::invalid_argument(fmt::format(
        "{}: holds shares of a study, which one process merges: start the command without mpirun, or choose another "
        "directory with --output",
        output.string()));
  }
  if (!merges) {
    studies::require_memory(registries, study, options.jobs);
  }
  const FolderOwner owner = {.command = "study", .name = study.name, .quick = study.inputs.quick, .continues = true};
  std::optional<ResultFolder> folder;
  if (first) {
    folder.emplace(output, owner, options.overwrite);
    if (!folder->note().empty()) {
      tell("mbdbench: note: {}", folder->note());
    }
    for (const studies::StudyMechanism& each : study.mechanisms) {
      tell_moved_start(*each.mechanism);
    }
  }
  const std::vector<studies::StudyEngine> engines = engines_asked(study);
  nlohmann::ordered_json study_json = studies::study_json(study, engines);
  if (first) {
    tell_changes(output, study_json);
    // A run that is killed leaves whose folder it is.
    write_provenance(output / "provenance.json", capture_provenance(owner, registries.formulations.execution));
  }
  const InterruptionGuard guard;
  const auto results = studies::run_study(registries, study,
                                          {.output = output,
                                           .jobs = options.jobs,
                                           .quiet = options.quiet,
                                           .stop_requested = interruption_requested,
                                           .engines = engines,
                                           .start = start,
                                           .share = std::nullopt,
                                           .merges = merges});
  if (!first) {
    return kExitOk;  // the first process has everything, and says how it ended
  }
  int threads = 1;
  for (const studies::StudyVariant& variant : study.variants) {
    threads = std::max(threads, variant.threads);
  }
  Provenance provenance = capture_provenance(owner, registries.formulations.execution, threads);
  provenance.shares = results ? results->shares : std::vector<ShareProvenance>{};
  write_provenance(output / "provenance.json", provenance);
  studies::write_inputs(study, output);
  if (results) {
    studies::add_results(study_json, *results);
  }
  write_json(output / "study.json", study_json);
  if (!results) {
    tell("mbdbench: stopped; finished runs are kept, the same command continues from there\n");
    return kExitInterrupted;
  }
  write_drawings(registries, study, *results, output);
  const int exit_code = write_study(study, *results, output);
  const bool complete = tell_missing(options, results->missing);
  say("Results: {}{}\n", output.string(), study.inputs.quick ? " (quick: a smaller version of the study)" : "");
  const bool reported = options.no_report || studies::make_report(output);
  return exit_code == kExitOk && !(complete && reported) ? kExitCheckFailed : exit_code;
}

}  // namespace

int run_study_file(const Registries& registries, const StudyFileRun& options) {
  ProcessExchange* const processes = processes_in_use();
  if (processes == nullptr) {
    return run_here(registries, with_file(options), nullptr);
  }
  ProcessStart start(*processes);
  return start.run([&] { return run_here(registries, with_file(options), &start); });
}

void add_study_command(CLI::App& program, const Registries& registries, int& exit_code) {
  CLI::App* const command = program.add_subcommand(
      "study",
      "Runs a study that a TOML file declares. Exit code 1: an expected number is not met, or a run failed where the "
      "study does not say failures_allowed");
  const auto options = std::make_shared<StudyFileRun>();
  command
      ->add_option(
          "file", options->file,
          "The declaration (docs/using/studies/studies.md), or the name of a study that comes with the program")
      ->required();
  command->add_option("-o,--output", options->output, "Directory for the results; default results/runs/NAME");
  command->add_option("-j,--jobs", options->jobs, "Number of runs side by side; the results do not depend on it")
      ->check(integer_from(1, 1024));
  command->add_flag("--quick", options->quick, "Take the keys of the study's table [quick] in place of its own");
  add_overwrite_flag(*command, options->overwrite);
  command->add_flag("--allow-engines", options->allow_engines,
                    "Start the commands of engines that the file names; they can do anything that you can do");
  command->add_flag("--no-report", options->no_report, "Records only: no tables, figures and report");
  command->add_flag("--quiet", options->quiet, "No progress on standard error");
  CLI::Option* const share =
      command->add_option("--share", options->share,
                          "Compute only the K-th of N shares of the runs, beside others, into a file of its own; the "
                          "command without --share merges what there is and says what is missing");
  share->type_name("K/N");
  command
      ->add_option("--print-job", options->job,
                   "Print the array job of all shares for slurm or hyperqueue, run nothing")
      ->check(CLI::IsMember({"slurm", "hyperqueue"}))
      ->excludes(share)
      ->type_name("SCHEDULER");
  command
      ->add_option("--shares", options->shares,
                   "Number of shares of that job (default: as many as the study has pieces, up to 100)")
      ->check(integer_from(1, 1000000))
      ->type_name("N");
  command->footer(kStudyExamples);
  command->callback([&registries, options, &exit_code] { exit_code = run_study_file(registries, *options); });
}

}  // namespace mbdbench
