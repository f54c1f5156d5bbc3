#include <fmt/format.h>
#include <fmt/ranges.h>

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
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/command_line/options/robot_flags.hpp"
#include "experiments/command_line/options/turning_option.hpp"
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
  mbdbench equilibrium -m examples/mechanisms/governor.toml --turning spindle=12    how far the balls swing out
  mbdbench equilibrium -m four_bar -o rest && mbdbench simulate -m rest/mechanism.toml -f dense -t 1 -o run

From the mechanism's start at rest to coordinates at which it stays at rest: along its motion in honey, from most starts
to a stable equilibrium; with --nearest by Newton's method, which also finds unstable ones. With --turning, and with
prescribed motions of constant speed, likewise to a steady motion, whose velocities are constant. -o writes
equilibrium.csv and equilibrium.json, mechanism.toml (the mechanism with its start there), and what linearise writes, of
the motion near it: derivatives.npy (of the freedoms and their rates), eigenvalues.csv, modes_real.npy,
modes_imaginary.npy, names.json, and pictures of the modes: modes.html, and mode_shapes.csv for plots/modes.py. Exit
code 1: none was found.)text";

struct EquilibriumCall {
  EquilibriumOptions what;
  std::string mechanism;
  std::vector<std::string> initial_values;
  std::vector<std::string> turning;
  std::string output;
  double time = 0.0;
  bool overwrite = false;
  RobotFlags robot;
};

/// The mechanism with its start there.
MechanismDescription started_at(const Mechanism& mechanism, const Equilibrium& found) {
  MechanismDescription description = mechanism.description();
  for (const Joint& joint : mechanism.tree_joints()) {
    const auto own = std::find_if(description.joints.begin(), description.joints.end(),
                                  [&](const JointDescription& each) { return each.name == joint.name; });
    const auto values = found.q.segment(joint.q_offset, joint.nq);
    const auto rates = found.u.segment(joint.u_offset, joint.nu);
    own->q0.assign(values.begin(), values.end());
    own->v0.assign(rates.begin(), rates.end());
  }
  return description;
}

/// What a search is for.
const char* word_for(const TangentMotion& motion) {
  return motion.goes_on() ? "steady motion" : "equilibrium";
}

/// One value of the state that was found.
struct FoundValue {
  std::string name;
  double start = 0.0;
  double found = 0.0;
};

/// \returns coordinates, then the velocities that go on.
std::vector<FoundValue> found_values(const TangentMotion& motion, const Equilibrium& found) {
  const auto layout = motion.formulation().layout();
  const Mechanism& mechanism = motion.mechanism();
  std::vector<FoundValue> values;
  for (Eigen::Index i = 0; i < found.q.size(); ++i) {
    values.push_back({layout[static_cast<std::size_t>(i)].name, mechanism.q0()[i], found.q[i]});
  }
  for (Eigen::Index i = 0; i < found.u.size(); ++i) {
    if (motion.goes_on(i)) {
      values.push_back({layout[static_cast<std::size_t>(found.q.size() + i)].name, mechanism.u0()[i], found.u[i]});
    }
  }
  return values;
}

void print_equilibrium(const TangentMotion& motion, const Equilibrium& found, std::span<const StateComponent> layout) {
  const char* const what = word_for(motion);
  TextTable table;
  table.rows = {{motion.goes_on() ? "value" : "coordinate", "start", what}};
  table.numbers = {1, 2};
  for (const FoundValue& value : found_values(motion, found)) {
    table.rows.push_back({value.name, fmt::format("{:.9g}", value.start), fmt::format("{:.9g}", value.found)});
  }
  fmt::print("{}\n", table_text(table));
  const std::string found_after =
      fmt::format("{} after {} steps; accelerations of {:.2g} 1/s^2 are left", what, found.steps, found.residual);
  if (found.has_verdict()) {
    print_eigenvalues(found.motion, layout);
    say("\n{} {}\n", to_string(found.stability), found_after);
    return;
  }
  say("\n{}\nnote: {}: nothing is said of its stability\n", found_after,
      found.singular ? "it is a singular position, where branches of the motion meet"
                     : "forces on what is disturbed change along the motion");
}

void write_equilibrium(const std::filesystem::path& directory, const Equilibrium& found, TangentMotion& motion) {
  const auto layout = motion.formulation().layout();
  CsvTable table;
  table.columns = {"coordinate", "start", "equilibrium"};
  nlohmann::ordered_json rates = nlohmann::ordered_json::object();
  for (const FoundValue& value : found_values(motion, found)) {
    table.rows.push_back({value.name, csv_number(value.start), csv_number(value.found)});
    if (table.rows.size() > static_cast<std::size_t>(found.q.size())) {
      rates[value.name] = value.found;
    }
  }
  write_csv(directory / "equilibrium.csv", table);
  const std::string_view stability = found.singular   ? "singular position"
                                     : found.periodic ? "periodic forces"
                                                      : to_string(found.stability);
  write_json(directory / "equilibrium.json", {{"mechanism", motion.mechanism().name()},
                                              {"formulation", motion.formulation_key()},
                                              {"exact_derivatives", found.exact},
                                              {"stability", stability},
                                              {"rates", rates},
                                              {"steps", found.steps},
                                              {"residual", found.residual},
                                              {"limit", found.limit}});
  replace_file(directory / "mechanism.toml", write_mechanism(started_at(motion.mechanism(), found)));
  if (found.has_verdict()) {
    write_motion(directory, found.motion, layout);
    std::vector<double> x(found.q.begin(), found.q.end());
    x.insert(x.end(), found.u.begin(), found.u.end());
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
  TangentMotion motion(registries, mechanism, call.time, turning_rates(mechanism, call.turning));
  const Equilibrium found = find_equilibrium(motion, call.what);
  if (!found.failure.empty()) {
    tell("mbdbench: no {} of '{}' was found: {}\n", word_for(motion), mechanism.name(), found.failure);
    return kExitCheckFailed;
  }
  try {
    const Mechanism starts_there(started_at(mechanism, found));
  } catch (const ModelError& error) {
    // Rows of Phi are zero in other assemblies too, to which a singular position leads.
    tell(
        "mbdbench: no {} of '{}' was found: on the way the loops passed a singular position into another "
        "assembly, {}; start elsewhere (--set)\n",
        word_for(motion), mechanism.name(), error.what());
    return kExitCheckFailed;
  }
  const auto folder =
      claim_folder(call.output, {.command = "equilibrium"}, call.overwrite, registries.formulations.execution,
                   {.mechanisms = {&mechanism},
                    .formulations = {motion.formulation_key()},
                    .settings = {{"t", fmt::format("{}", call.time)},
                                 {"nearest", call.what.nearest ? "yes" : "no"},
                                 {"turning", fmt::format("{}", fmt::join(call.turning, " "))}}});
  if (!call.output.empty()) {
    write_equilibrium(call.output, found, motion);
  }
  print_equilibrium(motion, found, motion.formulation().layout());
  return kExitOk;
}

}  // namespace

void add_equilibrium_command(CLI::App& program, const Registries& registries, int& exit_code) {
  CLI::App* const command = program.add_subcommand(
      "equilibrium",
      "Where a mechanism stays at rest or moves steadily, and whether it comes back. Exit code 1: none was found");
  const auto call = std::make_shared<EquilibriumCall>();
  command->add_option("-m,--mechanism", call->mechanism, "A catalogue key (pendulum:16), a TOML, URDF or MJCF file")
      ->required();
  command
      ->add_option(
          "--set", call->initial_values,
          "Start by name, as for simulate: q.JOINT=...; velocities matter only to --turning JOINT without a rate")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--turning", call->turning,
          "JOINT=RATE (spindle=5, hip.2=0.3), repeatable: a steady motion with this velocity; the other "
          "velocities are zero, or the smallest that the constraints demand. JOINT alone: at the rate at which "
          "torques and dampers balance, sought from the start's velocity")
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
