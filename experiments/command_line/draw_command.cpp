#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/command_line/command.hpp"
#include "experiments/command_line/option_checks.hpp"
#include "experiments/drawing/mechanism_drawing.hpp"
#include "experiments/drawing/motion_page.hpp"
#include "experiments/files/csv_file.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/simulation/output/recorded_motion.hpp"
#include "experiments/simulation/output/saved_state.hpp"

namespace mbdbench {
namespace {

constexpr const char* kDrawExamples = R"(Examples:
  mbdbench draw four_bar -o four_bar.svg                a mechanism at its start
  mbdbench draw arm.toml > arm.svg                      without -o: to standard output
  mbdbench draw --state run/state.json -o end.svg       where a run ended
  mbdbench draw --motion run -o motion.html             what a run of simulate --output run computed)";

struct DrawOptions {
  std::string mechanism;
  std::string state;
  std::string motion;
  std::string output;
  int frames = 200;
  bool overwrite = false;
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

std::string drawing(const Registries& registries, const DrawOptions& options) {
  std::string word = options.mechanism;
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
  const Mechanism mechanism = find_mechanism(registries, word);
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

void add_draw_command(CLI::App& program, const Registries& registries, int& /*exit_code*/) {
  CLI::App* const command =
      program.add_subcommand("draw", "Draws a mechanism as SVG, or the motion of a run as a page for the browser");
  const auto options = std::make_shared<DrawOptions>();
  command->add_option("-m,--mechanism,mechanism", options->mechanism,
                      "A catalogue key (pendulum:16), a TOML or a URDF file");
  command->add_option("--state", options->state, "A saved state to draw instead of the start; brings its mechanism");
  command->add_option("--motion", options->motion, "Directory that simulate --output has written: animates it");
  command->add_option("--frames", options->frames, "Most positions of a motion, evenly over it (default: 200)")
      ->check(integer_from(2, 100000));
  command->add_option("-o,--output", options->output,
                      "File to write: .svg, of a motion .html; without it standard output");
  command->add_flag("--overwrite", options->overwrite, "Replace a file that is already there");
  command->footer(kDrawExamples);
  command->callback([&registries, options] {
    if (options->mechanism.empty() && options->state.empty() && options->motion.empty()) {
      throw std::invalid_argument(
          "what shall be drawn? a catalogue key, TOML or URDF file, --state FILE or --motion DIR");
    }
    require_ending(*options);
    if (!options->output.empty()) {
      require_free(options->output, options->overwrite);
    }
    const std::string text = options->motion.empty() ? drawing(registries, *options) : page(registries, *options);
    if (options->output.empty()) {
      fmt::print("{}", text);
    } else {
      replace_file(options->output, text);
      fmt::print(stderr, "{}: {:.0f} kB\n", options->output, static_cast<double>(text.size()) / 1000.0);
    }
  });
}

}  // namespace mbdbench
