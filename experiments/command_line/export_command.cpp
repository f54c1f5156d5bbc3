#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "experiments/command_line/command.hpp"
#include "experiments/command_line/option_checks.hpp"
#include "experiments/files/csv_file.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "mechanisms/io/mechanism_writer.hpp"

namespace mbdbench {
namespace {

constexpr const char* kExportExamples = R"(Examples:
  mbdbench export --mechanism pendulum:16                          to standard output
  mbdbench export -m random_closed:seed=5,cuts=3 -o closed.toml    a file to edit and to simulate)";

struct ExportOptions {
  std::string mechanism;
  std::string output;
  bool overwrite = false;
};

}  // namespace

void add_export_command(CLI::App& program, const Registries& registries, int& /*exit_code*/) {
  CLI::App* const command =
      program.add_subcommand("export", "Writes a mechanism as a TOML file that gives the same mechanism bit for bit");
  const auto options = std::make_shared<ExportOptions>();
  command->add_option("-m,--mechanism", options->mechanism, "A catalogue key (pendulum:16), a TOML or a URDF file")
      ->required();
  command->add_option("-o,--output", options->output, "File to write; without it standard output");
  command->add_flag("--overwrite", options->overwrite, "Replace a file that is already there");
  command->footer(kExportExamples);
  command->callback([&registries, options] {
    const std::string text = write_mechanism(find_mechanism(registries, options->mechanism).description());
    if (options->output.empty()) {
      fmt::print("{}", text);
    } else {
      require_free(options->output, options->overwrite);
      replace_file(options->output, text);
    }
  });
}

}  // namespace mbdbench
