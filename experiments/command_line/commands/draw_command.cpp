#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/moved_start_note.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/command_line/options/robot_flags.hpp"
#include "experiments/drawing/mechanism_drawing.hpp"
#include "experiments/drawing/motion_page.hpp"
#include "experiments/drawing/open_mechanism.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/simulation/output/recorded_motion.hpp"
#include "experiments/simulation/output/saved_state.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/message.hpp"
#include "mechanisms/io/mechanism_reader.hpp"

namespace mbdbench {
namespace {

constexpr const char* kDrawExamples = R"(Examples:
  mbdbench draw four_bar -o four_bar.svg                a mechanism at its start
  mbdbench draw arm.toml > arm.svg                      without -o: to standard output
  mbdbench draw --state run/state.json -o end.svg       where a run ended
  mbdbench draw --motion run -o motion.html             what a run of simulate --output run computed

A mechanism that does not close is drawn open, with its gap in red; exit code 1.)";

struct DrawOptions {
  std::string mechanism;
  std::string state;
  std::string motion;
  std::string output;
  int frames = 200;
  bool overwrite = false;
  RobotFlags robot;
};

void require_ending(const DrawOptions& options) {
  const std::string right = options.motion.empty() ? ".svg" : ".html";
  const std::filesystem::path file = options.output;
  if (options.output.empty() || file.extension() == right) {
    return;
  }
  if (file.extension() == ".png") {
    throw std::invalid_argument(
        fmt::format("--output {}: pictures are written as {}; rsvg-convert -z 3 {}.svg -o {} makes a PNG of a drawing",
                    options.output, right, file.stem().string(), file.filename().string()));
  }
  throw std::invalid_argument(
      fmt::format("--output {}: must end in {}: {}", options.output, right,
                  options.motion.empty() ? "a drawing is SVG (--motion makes HTML)" : "a motion is a page"));
}

/// \returns the picture of a file whose mechanism does not close; nothing for what is wrong in another way.
std::optional<OpenDrawing> drawing_of_open_file(const std::string& file) {
  try {
    return open_drawing(read_mechanism(file));
  } catch (const FileError&) {
    return std::nullopt;
  }
}

/// \param exit_code receives that of a mechanism that does not close
std::string drawing(const Registries& registries, const DrawOptions& options, int& exit_code) {
  std::string word = with_robot_flags(options.mechanism, options.robot);
  std::vector<double> q;
  std::string subtitle = "at its start";
  if (!options.state.empty()) {
    const SavedState saved = read_saved_state(options.state);
    if (saved.q.empty()) {
      throw std::invalid_argument(
          fmt::format("--state {}: holds no joint coordinates q: nothing to draw", options.state));
    }
    word = word.empty() ? mechanism_beside(saved, options.state) : word;
    q = saved.q;
    subtitle = fmt::format("at t = {:.6g} s", saved.t);
  }
  std::optional<Mechanism> found;
  try {
    found = find_mechanism(registries, word);
  } catch (const FileError& error) {
    if (const auto open = options.state.empty() ? drawing_of_open_file(word) : std::nullopt) {
      tell("mbdbench: {}\nIt is drawn open, with the coordinates of the file: {}\n", error.what(), open->gap);
      exit_code = kExitCheckFailed;
      return open->svg;
    }
    throw;
  }
  const Mechanism& mechanism = *found;
  tell_moved_start(mechanism);
  if (options.state.empty()) {
    q.assign(mechanism.q0().begin(), mechanism.q0().end());
  }
  if (static_cast<int>(q.size()) != mechanism.q_size()) {
    throw std::invalid_argument(fmt::format("--state {}: holds {} coordinates, mechanism '{}' has {}", options.state,
                                            q.size(), mechanism.name(), mechanism.q_size()));
  }
  return mechanism_drawing(mechanism, q, subtitle);
}

std::string page(const Registries& registries, const DrawOptions& options) {
  if (!options.mechanism.empty() || !options.state.empty()) {
    throw std::invalid_argument("--motion: brings its own mechanism and states; leave MECHANISM and --state out");
  }
  RecordedMotion motion = read_motion(registries, options.motion, static_cast<std::size_t>(options.frames));
  const std::string run = fmt::format("{}, {}", motion.formulation, motion.integrator);
  return motion_page(*motion.mechanism, {std::move(motion.times), std::move(motion.q)}, run);
}

}  // namespace

void add_draw_command(CLI::App& program, const Registries& registries, int& exit_code) {
  CLI::App* const command =
      program.add_subcommand("draw", "Draws a mechanism as SVG, or the motion of a run as a page for the browser");
  const auto options = std::make_shared<DrawOptions>();
  command->add_option("-m,--mechanism,mechanism", options->mechanism,
                      "A catalogue key (pendulum:16), a TOML or a URDF file");
  command->add_option("--state", options->state, "A saved state to draw instead of the start; brings its mechanism");
  command->add_option("--motion", options->motion, "Directory that simulate --output has written: animates it");
  command->add_option("--frames", options->frames, "Largest number of positions of a motion (default: 200)")
      ->check(integer_from(2, 100000));
  command->add_option("-o,--output", options->output,
                      "File to write: .svg, of a motion .html; without it standard output");
  command->add_flag("--overwrite", options->overwrite, "Replace a file that is already there");
  add_robot_flags(*command, options->robot);
  command->footer(kDrawExamples);
  command->callback([&registries, options, &exit_code] {
    if (options->mechanism.empty() && options->state.empty() && options->motion.empty()) {
      throw std::invalid_argument(
          "what shall be drawn? a catalogue key, TOML, URDF or MJCF file, --state FILE or --motion DIR");
    }
    require_ending(*options);
    if (!options->output.empty()) {
      require_free(options->output, options->overwrite);
    }
    const std::string text =
        options->motion.empty() ? drawing(registries, *options, exit_code) : page(registries, *options);
    if (options->output.empty()) {
      fmt::print("{}", text);
    } else {
      replace_file(options->output, text);
      tell("{}: {:.0f} kB\n", options->output, static_cast<double>(text.size()) / 1000.0);
    }
  });
}

}  // namespace mbdbench
