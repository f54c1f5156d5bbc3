#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/command_line/command.hpp"
#include "experiments/command_line/graph_drawing.hpp"
#include "experiments/command_line/moved_start_note.hpp"
#include "experiments/command_line/robot_flags.hpp"
#include "experiments/files/csv_file.hpp"
#include "experiments/files/write_error.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/terminal/message.hpp"
#include "mechanisms/model/start/singular_start.hpp"
#include "mechanisms/model/validation/model_check.hpp"

namespace mbdbench {
namespace {

constexpr const char* kInspectExamples = R"(Examples:
  mbdbench inspect pendulum:16
  mbdbench inspect random_closed:seed=5,cuts=3
  mbdbench inspect --mechanism four_bar.toml
  mbdbench inspect robot.urdf --floating --ignore friction
  mbdbench inspect four_bar --json | jq .degrees_of_freedom
  mbdbench inspect double_loop --graph drawings && dot -Tpdf drawings/assembly_tree.dot -o assembly_tree.pdf)";

void write_graphs(const Mechanism& mechanism, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw WriteError(directory.string(), fmt::format("cannot be made: {}", error.message()));
  }
  replace_file(directory / "mechanism.dot", mechanism_graph(mechanism));
  replace_file(directory / "assembly_tree.dot", assembly_graph(mechanism, GroundClosure::root));
  tell("Graphs: {}, {}\n", (directory / "mechanism.dot").string(), (directory / "assembly_tree.dot").string());
}

/// \returns what the text says, for scripts.
nlohmann::ordered_json json_of(const std::vector<FormulationEntry>& formulations, const Mechanism& mechanism) {
  const ModelCheck check = check_model(mechanism);
  nlohmann::ordered_json json = {{"mechanism", mechanism.name()},
                                 {"source", mechanism.description().source},
                                 {"notes", mechanism.description().notes},
                                 {"bodies", check.bodies},
                                 {"tree_joints", check.tree_joints},
                                 {"cut_joints", check.cut_joints},
                                 {"coordinates", check.q_size},
                                 {"quasi_velocities", check.u_size},
                                 {"constraint_rows", check.constraint_rows},
                                 {"motion_rows", check.motion_rows},
                                 {"rank", check.rank},
                                 {"degrees_of_freedom", check.degrees_of_freedom()},
                                 {"redundant_rows", check.redundant()},
                                 {"jointly_redundant_rows", check.jointly_redundant()},
                                 {"conditioning", check.conditioning},
                                 {"moved_start", moved_start_text(mechanism)},
                                 {"warning", singular_start_warning(mechanism)}};
  for (const Body& body : mechanism.bodies()) {
    json["body_list"].push_back(
        {{"name", body.name}, {"mass", body.mass}, {"com", {body.com.x(), body.com.y(), body.com.z()}}});
  }
  for (const JointDescription& joint : mechanism.description().joints) {
    json["joint_list"].push_back({{"name", joint.name},
                                  {"type", to_string(joint.type)},
                                  {"a", joint.a},
                                  {"b", joint.b},
                                  {"cut", joint.cut},
                                  {"prescribed", !joint.motions.empty()},
                                  {"q0", joint.q0},
                                  {"v0", joint.v0}});
  }
  json["loops"] = nlohmann::ordered_json::array();
  for (const LoopCheck& loop : check.loops) {
    json["loops"].push_back(
        {{"cut_joint", loop.cut_joint}, {"rows", loop.rows}, {"redundant", loop.redundant()}, {"bodies", loop.bodies}});
  }
  for (const FormulationEntry& entry : formulations) {
    const std::string refusal = refusal_of(entry, mechanism);
    json["formulations"].push_back({{"key", entry.key}, {"can", refusal.empty()}, {"refusal", refusal}});
  }
  return json;
}

void print_formulations(const std::vector<FormulationEntry>& formulations, const Mechanism& mechanism) {
  std::size_t width = 0;
  for (const FormulationEntry& entry : formulations) {
    width = std::max(width, entry.key.size());
  }
  fmt::print("\nFormulations that can treat it:\n");
  for (const FormulationEntry& entry : formulations) {
    const std::string refusal = refusal_of(entry, mechanism);
    fmt::print("  {:<{}}  {}\n", entry.key, width, refusal.empty() ? "yes" : "no: " + refusal);
  }
}

}  // namespace

void add_inspect_command(CLI::App& program, const Registries& registries, int& /*exit_code*/) {
  CLI::App* const command = program.add_subcommand(
      "inspect",
      "Shows bodies, joints, degrees of freedom and redundant constraints of a mechanism, and who can treat it");
  const auto word = std::make_shared<std::string>();
  command->add_option("-m,--mechanism,mechanism", *word, "A catalogue key (pendulum:16), a TOML or a URDF file")
      ->required();
  const auto flags = std::make_shared<RobotFlags>();
  add_robot_flags(*command, *flags);
  const auto graphs = std::make_shared<std::string>();
  command->add_option("--graph", *graphs,
                      "Directory for mechanism.dot (bodies, spanning tree, cuts) and assembly_tree.dot, for Graphviz");
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "The same as JSON, for scripts");
  command->footer(kInspectExamples);
  command->callback([&registries, word, flags, graphs, as_json] {
    const Mechanism mechanism = find_mechanism(registries, with_robot_flags(*word, *flags));
    if (*as_json) {
      fmt::print("{}\n", json_of(registries.formulations, mechanism)
                             .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
      if (!graphs->empty()) {
        write_graphs(mechanism, *graphs);
      }
      return;
    }
    tell_moved_start(mechanism);
    fmt::print("{}", describe(mechanism));
    if (const std::string warning = singular_start_warning(mechanism); !warning.empty()) {
      say("\nWarning: {}\n", warning);
    }
    fmt::print("\nDivide and conquer:\n{}", assembly_summary(mechanism, GroundClosure::root));
    print_formulations(registries.formulations, mechanism);
    if (!graphs->empty()) {
      write_graphs(mechanism, *graphs);
    }
  });
}

}  // namespace mbdbench
