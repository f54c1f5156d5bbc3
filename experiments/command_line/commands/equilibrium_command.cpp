#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/command_line/claimed_folder.hpp"
#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/mode_motions.hpp"
#include "experiments/command_line/motion_table.hpp"
#include "experiments/command_line/moved_start_note.hpp"
#include "experiments/command_line/option_checks.hpp"
#include "experiments/command_line/robot_flags.hpp"
#include "experiments/equilibria/equilibrium.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/memory_demand.hpp"
#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/initial_values.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/message.hpp"
#include "experiments/terminal/text_table.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

constexpr const char* kEquilibriumExamples = R"text(Examples:
  mbdbench equilibrium -m pendulum:5                                    where the chain comes to rest
  mbdbench equilibrium -m pendulum:1 --set q.joint1=-1.5 --nearest      the inverted pendulum
  mbdbench equilibrium -m four_bar -o rest && mbdbench simulate -m rest/mechanism.toml -f dense -t 1 -o run

From the mechanism's start at rest to coordinates at which it stays at rest: along its motion in honey, from most starts
to a stable equilibrium; with --nearest by Newton's method, which also finds unstable ones. -o writes equilibrium.csv and
equilibrium.json, mechanism.toml (the mechanism with its start there), and what linearise writes, of the motion near it:
derivatives.npy (of the freedoms and their rates), eigenvalues.csv, modes_real.npy, modes_imaginary.npy, names.json, and
pictures of the modes: modes.html, and mode_shapes.csv for plots/modes.py. Exit code 1: none was found.)text";

struct EquilibriumCall {
  EquilibriumOptions what;
  std::string mechanism;
  std::vector<std::string> initial_values;
  std::string output;
  double time = 0.0;
  bool overwrite = false;
  RobotFlags robot;
};

/// The mechanism at rest there.
MechanismDescription started_at(const Mechanism& mechanism, const Eigen::VectorXd& q) {
  MechanismDescription description = mechanism.description();
  for (const Joint& joint : mechanism.tree_joints()) {
    const auto own = std::find_if(description.joints.begin(), description.joints.end(),
                                  [&](const JointDescription& each) { return each.name == joint.name; });
    const auto values = q.segment(joint.q_offset, joint.nq);
    own->q0.assign(values.begin(), values.end());
    own->v0.assign(static_cast<std::size_t>(joint.nu), 0.0);
  }
  return description;
}

void print_equilibrium(const Equilibrium& found, const Eigen::VectorXd& start, std::span<const StateComponent> layout) {
  TextTable table;
  table.rows = {{"coordinate", "start", "equilibrium"}};
  table.numbers = {1, 2};
  for (Eigen::Index i = 0; i < found.q.size(); ++i) {
    table.rows.push_back(
        {layout[static_cast<std::size_t>(i)].name, fmt::format("{:.9g}", start[i]), fmt::format("{:.9g}", found.q[i])});
  }
  fmt::print("{}\n", table_text(table));
  if (found.singular) {
    say("\nequilibrium after {} steps; accelerations of {:.2g} 1/s^2 are left\nnote: it is a singular position, where "
        "branches of the motion meet: nothing is said of its stability\n",
        found.steps, found.residual);
    return;
  }
  print_eigenvalues(found.motion, layout);
  say("\n{} equilibrium after {} steps; accelerations of {:.2g} 1/s^2 are left\n", to_string(found.stability),
      found.steps, found.residual);
}

void write_equilibrium(const std::filesystem::path& directory, const Mechanism& mechanism, const Equilibrium& found,
                       TangentMotion& motion) {
  const auto layout = motion.formulation().layout();
  CsvTable table;
  table.columns = {"coordinate", "start", "equilibrium"};
  for (Eigen::Index i = 0; i < found.q.size(); ++i) {
    table.rows.push_back(
        {layout[static_cast<std::size_t>(i)].name, csv_number(mechanism.q0()[i]), csv_number(found.q[i])});
  }
  write_csv(directory / "equilibrium.csv", table);
  write_json(directory / "equilibrium.json",
             {{"mechanism", mechanism.name()},
              {"formulation", motion.formulation_key()},
              {"exact_derivatives", found.exact},
              {"stability", found.singular ? "singular position" : to_string(found.stability)},
              {"steps", found.steps},
              {"residual", found.residual},
              {"limit", found.limit}});
  replace_file(directory / "mechanism.toml", write_mechanism(started_at(mechanism, found.q)));
  if (!found.singular) {
    write_motion(directory, found.motion, layout);
    std::vector<double> x(found.q.begin(), found.q.end());
    x.resize(layout.size());
    write_mode_pictures(directory, motion.formulation(), motion.time(), x, found.motion);
  }
}

int run_equilibrium(const Registries& registries, const EquilibriumCall& call) {
  Mechanism read = find_mechanism(registries, with_robot_flags(call.mechanism, call.robot));
  if (call.initial_values.empty()) {
    tell_moved_start(read);
  }
  const ChangedStart start = with_initial_values(std::move(read), call.initial_values);
  if (const std::string moved = moved_text(start); !moved.empty()) {
    tell("mbdbench: note: {}\n", moved);
  }
  const Mechanism& mechanism = start.mechanism;
  require_memory(needed_formulation(registries, "equilibrium", "dense"), mechanism);
  TangentMotion motion(registries, mechanism, call.time);
  const Equilibrium found = find_equilibrium(motion, call.what);
  if (!found.failure.empty()) {
    tell("mbdbench: no equilibrium of '{}' was found: {}\n", mechanism.name(), found.failure);
    return kExitCheckFailed;
  }
  try {
    const Mechanism rests(started_at(mechanism, found.q));
  } catch (const ModelError& error) {
    // Rows of Phi are zero in other assemblies too, to which a singular position leads.
    tell(
        "mbdbench: no equilibrium of '{}' was found: on the way the loops passed a singular position into another "
        "assembly, {}; start elsewhere (--set)\n",
        mechanism.name(), error.what());
    return kExitCheckFailed;
  }
  const auto folder =
      claim_folder(call.output, {.command = "equilibrium"}, call.overwrite, registries.formulations.execution,
                   {.mechanisms = {&mechanism},
                    .formulations = {motion.formulation_key()},
                    .settings = {{"t", fmt::format("{}", call.time)}, {"nearest", call.what.nearest ? "yes" : "no"}}});
  if (!call.output.empty()) {
    write_equilibrium(call.output, mechanism, found, motion);
  }
  print_equilibrium(found, mechanism.q0(), motion.formulation().layout());
  return kExitOk;
}

}  // namespace

void add_equilibrium_command(CLI::App& program, const Registries& registries, int& exit_code) {
  CLI::App* const command = program.add_subcommand(
      "equilibrium", "Where a mechanism stays at rest, and whether it comes back. Exit code 1: none was found");
  const auto call = std::make_shared<EquilibriumCall>();
  command->add_option("-m,--mechanism", call->mechanism, "A catalogue key (pendulum:16), a TOML, URDF or MJCF file")
      ->required();
  command
      ->add_option("--set", call->initial_values,
                   "Start by name, as for simulate: q.JOINT=...; velocities are left out")
      ->allow_extra_args(false);
  command->add_flag("--nearest", call->what.nearest, "Newton's method alone: unstable equilibria near the start too");
  command->add_option("--steps", call->what.most_steps, "End after this many steps")
      ->check(integer_from(1, 1000000))
      ->capture_default_str();
  command->add_option("-t,--time", call->time, "Time, s, of loads that depend on it (default: 0)")
      ->check(number_from(-1e300, 1e300));
  command->add_option("-o,--output", call->output, "Directory of the files");
  add_overwrite_flag(*command, call->overwrite);
  add_robot_flags(*command, call->robot);
  command->footer(kEquilibriumExamples);
  command->callback([&registries, call, &exit_code] { exit_code = run_equilibrium(registries, *call); });
}

}  // namespace mbdbench
