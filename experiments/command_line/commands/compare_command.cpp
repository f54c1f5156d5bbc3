#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/files/result_folder.hpp"
#include "experiments/studies/verdicts/comparison/result_comparison.hpp"
#include "experiments/studies/verdicts/comparison/run_comparison.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/message.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCompareExamples = R"(Examples:
  mbdbench compare results/before results/after                      two directories of one experiment or study
  mbdbench compare runs/first runs/second                            two of simulate
  mbdbench compare results/reference/naudet2005 results/runs/naudet2005
                                                                     this machine against the numbers of the documents

Inputs are compared first: differences are named, and the numbers that depend on them are not judged. Parts that only
have another name are found. Counts, verdicts and trajectories must be equal; errors and drifts may grow by
--error-ratio; times are tested (Mann and Whitney, Holm) where both sides have nine repetitions. Numbers that depend on
rounding (rounding.csv of a reference, which begins with what was run for it) must be in the ranges of the runs there.
Exit codes: 0 nothing got worse, 1 something did, 2 bad input, or nothing got worse and something could not be judged,
because it was made from other inputs.)";

struct CompareOptions {
  std::string a;
  std::string b;
  studies::ComparisonLimits limits;
  std::size_t shown = 20;
};

constexpr std::array kTold = {std::pair(studies::Change::worse, "worse"),
                              std::pair(studies::Change::better, "better"),
                              std::pair(studies::Change::changed, "changed"),
                              std::pair(studies::Change::appeared, "new"),
                              std::pair(studies::Change::incomparable, "not judged, made from other inputs"),
                              std::pair(studies::Change::refused, "times not compared")};

void print_differences(const studies::ResultComparison& comparison, std::size_t shown) {
  for (const auto& [change, word] : kTold) {
    const std::size_t count = comparison.count(change);
    if (count == 0) {
      continue;
    }
    say("{}: {}\n", word, count);
    std::size_t told = 0;
    for (const studies::Difference& difference : comparison.differences) {
      if (difference.change == change && told++ < shown) {
        say("  {}: {}\n", difference.what, difference.how);
      }
    }
    if (count > shown) {
      fmt::print("  ... and {} more (--shown)\n", count - shown);
    }
  }
}

void print_list(const char* heading, const std::vector<std::string>& lines) {
  if (!lines.empty()) {
    fmt::print("{}: {}\n", heading, lines.size());
  }
  for (const std::string& line : lines) {
    fmt::print("  {}\n", line);
  }
}

studies::ResultComparison compared(const CompareOptions& options) {
  for (const std::string& directory : {options.a, options.b}) {
    require_known_format(directory);
    if (!fs::exists(fs::path(directory) / "records.csv") && !studies::is_run(directory)) {
      throw FileError(
          directory, 0,
          "holds no records.csv and no finished run; name a directory that 'run', 'study' or 'simulate' wrote");
    }
  }
  if (studies::is_run(options.a) != studies::is_run(options.b)) {
    throw FileError(options.b, 0, fmt::format("and {}: one is a run of 'simulate', the other is not", options.a));
  }
  return studies::is_run(options.a) ? studies::compare_simulations(options.a, options.b, options.limits)
                                    : studies::compare_results(options.a, options.b, options.limits);
}

/// \returns why nobody can say whether both were made from the same.
std::string why_unknown(const CompareOptions& options) {
  std::string without;
  for (const std::string& directory : {options.a, options.b}) {
    if (!fs::exists(fs::path(directory) / "study.json") && !fs::exists(fs::path(directory) / "inputs.json")) {
      without += (without.empty() ? "" : " and ") + directory;
    }
  }
  return without.empty() ? "their inputs are told in different ways, by other commands or older programs: compared by "
                           "names alone"
                         : fmt::format("no inputs are known of {}: compared by names alone", without);
}

int compare_directories(const CompareOptions& options) {
  const studies::ResultComparison comparison = compared(options);
  print_list("made from other inputs", comparison.inputs);
  print_list("renamed", comparison.renamed);
  print_list("equal but for rounding", comparison.rounded);
  if (!comparison.inputs_known) {
    say("{}\n", why_unknown(options));
  }
  print_differences(comparison, options.shown);
  fmt::print("equal: {}{}\n", counted(comparison.equal, "number"),
             comparison.within_ranges > 0
                 ? fmt::format(", {} of them within the ranges of what depends on rounding", comparison.within_ranges)
                 : "");
  if (comparison.count(studies::Change::worse) > 0) {
    return kExitCheckFailed;
  }
  return comparison.count(studies::Change::incomparable) > 0 ? kExitBadInput : kExitOk;
}

}  // namespace

void add_compare_command(CLI::App& program, const Registries& /*registries*/, int& exit_code) {
  CLI::App* const command =
      program.add_subcommand("compare", "Compares two directories of results. Exit code 1: something got worse");
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("a", options->a, "Directory of the earlier results")->required();
  command->add_option("b", options->b, "Directory of the later results")->required();
  command
      ->add_option("--error-ratio", options->limits.error_ratio, "Growth of an error that counts as worse; default 1.1")
      ->check(number_from(1.0, 1e6));
  command->add_option("--time-ratio", options->limits.time_ratio, "Growth of a median time; default 1.05")
      ->check(number_from(1.0, 1e6));
  command->add_option("--shown", options->shown, "Differences of each kind that are printed; default 20");
  command->footer(kCompareExamples);
  command->callback([options, &exit_code] { exit_code = compare_directories(*options); });
}

}  // namespace mbdbench
