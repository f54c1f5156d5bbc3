#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/moved_start_note.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/command_line/options/robot_flags.hpp"
#include "experiments/engines/engine_messages.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/terminal/message.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/io/mjcf/mjcf_writer.hpp"
#include "mechanisms/io/robot_file.hpp"
#include "mechanisms/io/urdf/urdf_writer.hpp"

namespace mbdbench {
namespace {

constexpr const char* kExportExamples = R"(Examples:
  mbdbench export --mechanism pendulum:16                          to standard output
  mbdbench export -m random_closed:seed=5,cuts=3 -o closed.toml    a file to edit and to simulate
  mbdbench export -m pendulum:16 -o chain.urdf                     for ROS and most engines; trees
  mbdbench export -m four_bar -o four_bar.xml                      MJCF, for MuJoCo; loops of revolute and spherical joints
  mbdbench export -m pendulum:2 --format engine | my_engine        lines for other engines
                                                                   (docs/developing/engine_protocol.md))";

struct ExportOptions {
  std::string mechanism;
  std::string output;
  std::string format;
  bool overwrite = false;
  RobotFlags robot;
};

/// A chain that MuJoCo takes may be longer than the XML library of this installation does.
void tell_unreadable(const Mechanism& mechanism) {
  if (const int levels = mjcf_levels(mechanism); levels > deepest_xml_level()) {
    tell(
        "mbdbench: note: the model has {} levels of elements, of which this installation of mbdbench reads {}: it "
        "cannot read its own file back, TOML it can\n",
        levels, deepest_xml_level());
  }
}

std::string exported_text(const Mechanism& mechanism, const std::string& format) {
  return format == "urdf"     ? write_urdf(mechanism)
         : format == "mjcf"   ? write_mjcf(mechanism)
         : format == "engine" ? engine_lines(mechanism)
                              : write_mechanism(mechanism.description());
}

/// \returns the format that the file's name asks for.
std::string format_of(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  return extension == ".urdf" ? "urdf" : extension == ".xml" ? "mjcf" : extension == ".jsonl" ? "engine" : "toml";
}

}  // namespace

void add_export_command(CLI::App& program, const Registries& registries, int& /*exit_code*/) {
  CLI::App* const command = program.add_subcommand(
      "export",
      "Writes a mechanism as TOML, which gives the same mechanism bit for bit, as URDF, as MJCF or for engines");
  const auto options = std::make_shared<ExportOptions>();
  command->add_option("-m,--mechanism", options->mechanism, "A catalogue key (pendulum:16), a TOML or a URDF file")
      ->required();
  command->add_option(
      "-o,--output", options->output,
      "File to write: .urdf, .xml (MJCF), .jsonl (lines for engines), else TOML; without it standard output");
  command->add_option("--format", options->format, "toml, urdf, mjcf or engine; overrides the ending of the file name")
      ->check(CLI::IsMember({"toml", "urdf", "mjcf", "engine"}));
  command->add_flag("--overwrite", options->overwrite, "Replace a file that is already there");
  add_robot_flags(*command, options->robot);
  command->footer(kExportExamples);
  command->callback([&registries, options] {
    const Mechanism mechanism = find_mechanism(registries, with_robot_flags(options->mechanism, options->robot));
    print_notes(mechanism);
    tell_moved_start(mechanism);
    const std::string format = options->format.empty() ? format_of(options->output) : options->format;
    const std::string text = exported_text(mechanism, format);
    if (format == "mjcf") {
      tell_unreadable(mechanism);
    }
    if (options->output.empty()) {
      fmt::print("{}", text);
    } else {
      require_free(options->output, options->overwrite);
      replace_file(options->output, text);
    }
  });
}

}  // namespace mbdbench
