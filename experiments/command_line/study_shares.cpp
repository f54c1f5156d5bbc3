#include "experiments/command_line/study_shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "experiments/files/result_folder.hpp"
#include "experiments/records/provenance/provenance.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/message.hpp"
#include "formulations/execution/execution.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

// A job of its own costs a scheduler some seconds.
constexpr std::size_t kDefaultShares = 100;
// Shares that are named; the rest is counted.
constexpr std::size_t kNamedShares = 8;

/// \returns a word as a POSIX shell reads it back.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word) {
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return text + "'";
}

/// \returns the command, without a share, with absolute paths: jobs start anywhere.
std::string study_call(const StudyFileRun& options, const std::string& output) {
  std::string call = fmt::format("{} study {} --output {}", quoted(fs::read_symlink("/proc/self/exe").string()),
                                 quoted(fs::absolute(options.file).lexically_normal().string()),
                                 quoted(fs::absolute(output).lexically_normal().string()));
  call += options.quick ? " --quick" : "";
  call += options.allow_engines ? " --allow-engines" : "";
  return call;
}

}  // namespace

int run_share(const Registries& registries, const studies::Study& study, const StudyFileRun& options,
              studies::RunnerOptions runner) {
  if (processes_in_use() != nullptr) {
    throw std::invalid_argument(
        "--share is for processes that do not talk to one another: start it without mpirun, which divides a study "
        "without --share");
  }
  if (options.overwrite) {
    throw std::invalid_argument(
        "--overwrite would remove what other shares have finished: leave it out, or remove the directory first");
  }
  const FolderOwner owner = {.command = "study", .name = study.name, .quick = study.inputs.quick, .continues = true};
  const ShareFolder folder(runner.output, owner);
  if (folder.is_new()) {
    write_provenance(runner.output / "provenance.json", capture_provenance(owner, registries.formulations.execution));
  }
  const std::string share = runner.share->text();
  const auto results = studies::run_study(registries, study, runner);
  if (!results) {
    tell("mbdbench: share {} is stopped; finished runs are kept, the same command continues from there\n", share);
    return kExitInterrupted;
  }
  if (results->cells.empty()) {
    say("Share {} of '{}' has nothing to do: the study has only {} (a mechanism whose times are measured is one)\n",
        share, study.name, counted(studies::StudyDivision(study, 1).pieces(), "piece"));
    return kExitOk;
  }
  say("Share {} of '{}' is finished: {} in {}\n", share, study.name, counted(results->cells.size(), "run"),
      (runner.output / "parts" / runner.share->journal_name()).string());
  return kExitOk;
}

bool tell_missing(const StudyFileRun& options, const studies::StudyResults::Missing& missing) {
  if (missing.parts == 0) {
    return true;
  }
  for (const std::string& unused : missing.unused) {
    say("Not used: {}; they are kept\n", unused);
  }
  std::string shares;
  std::size_t runs = 0;
  std::size_t named = 0;
  for (const auto& [number, count] : missing.runs_of_shares) {
    runs += count;
    if (++named <= kNamedShares) {
      shares += fmt::format("{}{}/{} ({})", shares.empty() ? "" : ", ", number, missing.shares, counted(count, "run"));
    }
  }
  shares += named > kNamedShares ? fmt::format(" and {} more", named - kNamedShares) : "";
  say("Incomplete: {} missing, {} among them{}\n", counted(missing.parts, "part"), counted(runs, "run"),
      shares.empty() ? "" : fmt::format(", of shares {}", shares));
  say("  compute a share again: mbdbench study {} --share {}/{}{}\n", quoted(options.file),
      missing.runs_of_shares.empty() ? 1 : missing.runs_of_shares.begin()->first, missing.shares,
      options.output.empty() ? "" : fmt::format(" --output {}", quoted(options.output)));
  say("  compute all that is missing here: the same with --share 1/1\n");
  return false;
}

void print_job(std::string_view scheduler, const studies::Study& study, const StudyFileRun& options,
               const std::string& output) {
  const std::size_t pieces = studies::StudyDivision(study, 1).pieces();
  const auto shares = options.shares > 0 ? static_cast<std::size_t>(options.shares) : std::min(pieces, kDefaultShares);
  const std::string call = study_call(options, output);
  const bool slurm = scheduler == "slurm";
  const std::string jobs = options.jobs > 1 ? fmt::format(" --jobs {}", options.jobs) : "";
  std::string text = "#!/bin/bash\n";
  text += slurm ? fmt::format(
                      "#SBATCH --job-name={}\n"
                      "#SBATCH --array=1-{}\n"
                      "#SBATCH --ntasks=1\n"
                      "#SBATCH --cpus-per-task={}\n"
                      "#SBATCH --time=02:00:00\n"
                      "#SBATCH --requeue\n"
                      "#SBATCH --output={}-%A-%a.log\n",
                      study.name, shares, options.jobs, study.name)
                : fmt::format(
                      "#HQ --name={}\n"
                      "#HQ --array=1-{}\n"
                      "#HQ --cpus={}\n"
                      "#HQ --time-limit=2h\n",
                      study.name, shares, options.jobs);
  text += fmt::format(
      "# {} of the study '{}', which can be divided into {}. A share that was killed continues when it\n"
      "# is submitted again. The directory of results must be one that all nodes see.\n",
      counted(shares, "share"), study.name, counted(pieces, "piece"));
  text += "# Nodes of different processors: add the same --simd to all shares. Times need a node of their own\n";
  text += slurm ? "# (#SBATCH --exclusive).\n" : "# (#HQ --cpus=all).\n";
  text += fmt::format("# Submit: {}. At any time this says what is missing and makes the report:\n#   {}\n",
                      slurm ? "sbatch FILE" : "hq submit FILE", call);
  text += fmt::format("exec {}{} --quiet --share \"${}/{}\"\n", call, jobs,
                      slurm ? "{SLURM_ARRAY_TASK_ID}" : "{HQ_TASK_ID}", shares);
  fmt::print("{}", text);
}

}  // namespace mbdbench
