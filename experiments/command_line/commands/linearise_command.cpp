#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/command_line/claimed_folder.hpp"
#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/mode_motions.hpp"
#include "experiments/command_line/motion_table.hpp"
#include "experiments/command_line/moved_start_note.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/command_line/options/robot_flags.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/memory_demand.hpp"
#include "experiments/simulation/initial_values.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/terminal/message.hpp"
#include "experiments/verification/derivatives/linear_motion.hpp"
#include "formulations/followed_cuts.hpp"
#include "formulations/registry.hpp"

namespace mbdbench {
namespace {

constexpr const char* kLineariseExamples = R"text(Examples:
  mbdbench linearise -m pendulum:3 --set q.joint1=1.5707963267948966       a chain that hangs
  mbdbench linearise -m arm.toml -f naudet -o modes
  mbdbench linearise -m examples/mechanisms/bicycle.toml                   weave, capsize and castering of a bicycle
  mbdbench linearise -m biped -f dense                                     with loops: dense, bae-haug, dca; hdca in equilibria
  python3 plots/modes.py modes                                             their picture as PDF and PNG
  python3 -c "import numpy; print(numpy.load('modes/derivatives.npy'))"

Exact derivatives of x' with respect to the state at the mechanism's start, their eigenvalues and modes; with loops those of
what keeps them closed, two for each degree of freedom. A table of every oscillation (one of each conjugate pair) and of every
real eigenvalue. -o writes derivatives.npy (row i: x'_i), eigenvalues.csv, modes_real.npy and modes_imaginary.npy (a column each,
in the order of eigenvalues.csv), names.json (what the entries of the state are called), provenance.json and inputs.json; and
pictures of the first twelve modes: modes.html moves in the browser, mode_shapes.csv is what plots/modes.py draws for papers.)text";

struct LineariseOptions {
  std::string mechanism;
  std::string formulation;
  std::vector<std::string> initial_values;
  std::string output;
  double time = 0.0;
  bool overwrite = false;
  RobotFlags robot;
};

void print_motion(const LinearMotion& motion, std::span<const StateComponent> layout) {
  print_eigenvalues(motion, layout);
  if (const std::string moving = no_equilibrium_text(motion, layout); !moving.empty()) {
    say("note: {}; the eigenvalues tell how neighbouring motions part at this instant (mbdbench equilibrium finds "
        "one)\n",
        moving);
  }
  if (motion.leaves_constraints) {
    say("note: the directions that keep the constraints turn with this motion: in other coordinates the eigenvalues "
        "are others\n");
  }
}

std::string default_formulation(const Mechanism& mechanism) {
  if (!mechanism.held_by_velocity().empty()) {
    return "dense";
  }
  return mechanism.constraint_size() > 0 || !mechanism.cut_joints().empty() ? "bae-haug" : "aba";
}

void run_linearise(const Registries& registries, const LineariseOptions& options) {
  Mechanism found = find_mechanism(registries, with_robot_flags(options.mechanism, options.robot));
  if (options.initial_values.empty()) {
    tell_moved_start(found);
  }
  const ChangedStart start = with_initial_values(std::move(found), options.initial_values);
  if (const std::string moved = moved_text(start); !moved.empty()) {
    tell("mbdbench: note: {}\n", moved);
  }
  const Mechanism& mechanism = start.mechanism;
  const std::string word = options.formulation.empty() ? default_formulation(mechanism) : options.formulation;
  const FormulationChoice choice = choose_formulation(registries.formulations, word);
  require_memory(*choice.entry, mechanism);
  // Which turn of a cut joint is meant does not change near the start: angles that laws know need no components.
  const auto formulation =
      without_following(make_formulation(registries.formulations, *choice.entry, mechanism, choice.options));
  const std::vector<double> x = initial_state(*formulation, options.time);
  const LinearMotion motion = linear_motion(*formulation, options.time, x);
  const auto folder = claim_folder(
      options.output, {.command = "linearise"}, options.overwrite, registries.formulations.execution,
      {.mechanisms = {&mechanism}, .formulations = {word}, .settings = {{"t", fmt::format("{}", options.time)}}});
  if (!options.output.empty()) {
    write_motion(options.output, motion, formulation->layout());
    write_mode_pictures(options.output, *formulation, options.time, x, motion);
  }
  print_motion(motion, formulation->layout());
}

}  // namespace

void add_linearise_command(CLI::App& program, const Registries& registries, int& /*exit_code*/) {
  CLI::App* const command =
      program.add_subcommand("linearise", "Eigenvalues and modes of the motion near the start, from exact derivatives");
  const auto options = std::make_shared<LineariseOptions>();
  command->add_option("-m,--mechanism", options->mechanism, "A catalogue key (pendulum:16), a TOML, URDF or MJCF file")
      ->required();
  command->add_option(
      "-f,--formulation", options->formulation,
      "KEY or KEY[option=value,...] of one with exact derivatives: aba, naudet, naudet-acc, bae-haug, dense, "
      "dense-momentum, dca, hdca, with loops naudet-reduced and naudet-acc-reduced (default: aba, with loops bae-haug, "
      "where velocities are held, as of what rolls, dense)");
  command
      ->add_option("--set", options->initial_values, "Initial value by name, as for simulate: q.JOINT=..., v.JOINT=...")
      ->allow_extra_args(false);
  command->add_option("-t,--time", options->time, "Time, s, for prescribed motions (default: 0)")
      ->check(number_from(-1e300, 1e300));
  command->add_option("-o,--output", options->output, "Directory of the files");
  add_overwrite_flag(*command, options->overwrite);
  add_robot_flags(*command, options->robot);
  command->footer(kLineariseExamples);
  command->callback([&registries, options] { run_linearise(registries, *options); });
}

}  // namespace mbdbench
