#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "experiments/command_line/command.hpp"
#include "experiments/command_line/option_checks.hpp"
#include "experiments/studies/verdicts/result_comparison.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/message.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCompareExamples = R"(Examples:
  mbdbench compare results/before results/after                      two directories of one experiment or study

Counts, verdicts and trajectories must be equal; errors and drifts may grow by --error-ratio; times are tested (Mann and
Whitney, Holm) where both sides have nine repetitions. Exit codes: 0 nothing got worse, 1 something did, 2 bad input.)";

struct CompareOptions {
  std::string a;
  std::string b;
  studies::ComparisonLimits limits;
  std::size_t shown = 20;
};

constexpr std::array kTold = {std::pair(studies::Change::worse, "worse"), std::pair(studies::Change::better, "better"),
                              std::pair(studies::Change::changed, "changed"),
                              std::pair(studies::Change::appeared, "new"),
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
  fmt::print("equal: {}\n", comparison.equal);
}

int compare_directories(const CompareOptions& options) {
  for (const std::string& directory : {options.a, options.b}) {
    if (!fs::exists(fs::path(directory) / "records.csv")) {
      throw FileError(directory, 0, "holds no records.csv; name a directory that 'run' or 'study' wrote");
    }
  }
  const studies::ResultComparison comparison = studies::compare_results(options.a, options.b, options.limits);
  print_differences(comparison, options.shown);
  return comparison.count(studies::Change::worse) == 0 ? kExitOk : kExitCheckFailed;
}

}  // namespace

void add_compare_command(CLI::App& program, const Registries& /*registries*/, int& exit_code) {
  CLI::App* const command =
      program.add_subcommand("compare", "Compares two directories of results. Exit code 1: something got worse");
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("a", options->a, "Directory of before")->required();
  command->add_option("b", options->b, "Directory of after")->required();
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
