#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/graph_drawing.hpp"
#include "experiments/command_line/moved_start_note.hpp"
#include "experiments/command_line/options/robot_flags.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/write_error.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/memory_demand.hpp"
#include "experiments/terminal/message.hpp"
#include "experiments/verification/verification.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/model/start/singular_start.hpp"
#include "mechanisms/model/validation/model_check.hpp"

namespace mbdbench {
namespace {

constexpr const char* kInspectExamples = R"(Examples:
  mbdbench inspect pendulum:16
  mbdbench inspect random_closed:seed=5,cuts=3
  mbdbench inspect --mechanism four_bar.toml
  mbdbench inspect robot.urdf --floating --ignore friction
  mbdbench inspect thin_hand.toml -f dca[leaf=body] -f dca-alm
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

// Matrices of this size take about a second to factorise.
constexpr double kLargestTrial = 64e6;  // bytes

/// Whether a formulation can treat the mechanism.
struct Answer {
  std::string formulation;
  std::string refusal;  ///< empty if it can
  std::string untried;  ///< why its right-hand side at the start was not tried; empty if it was
  std::string doubt;    ///< what `verify` finds of it that does not forbid it
};

// `verify` takes about a second a formulation there, and n^3 beyond.
constexpr int kMostVerified = 100;  // velocities

/// One answer with `verify`: what it would fail or call ill-conditioned at its states is told here. Options may change
/// the equations on purpose, so that only formulations without any are asked.
void add_verdicts(const Registries& registries, const Mechanism& mechanism, std::vector<Answer>& answers) {
  VerificationOptions options;
  std::vector<Answer*> asked;
  for (Answer& answer : answers) {
    if (answer.refusal.empty() && answer.untried.empty() && answer.formulation.find('[') == std::string::npos) {
      options.formulations.push_back(answer.formulation);
      asked.push_back(&answer);
    }
  }
  if (asked.empty() || mechanism.u_size() > kMostVerified) {
    return;
  }
  const std::vector<VerificationResult> results = verify(registries, mechanism, options);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const VerificationResult& result = results[i];
    const std::string what = result.worst ? result.worst->what : result.failure;
    if (!result.failure.empty()) {
      asked[i]->doubt = fmt::format("verify: {}", what);
    } else if (result.outcome() == CheckOutcome::ill_conditioned) {
      asked[i]->doubt = fmt::format("ill-conditioned (verify): {}", what);
    } else if (result.outcome() == CheckOutcome::failed && result.only_imprecise()) {
      asked[i]->doubt = fmt::format("less precise than rounding explains (verify): {}", what);
    } else if (result.outcome() == CheckOutcome::failed) {
      asked[i]->refusal = fmt::format("it disagrees with dense (verify): {}", what);
    }
  }
}

/// Asks what every command asks: does it take the mechanism, does it fit into the memory, has it a right-hand side at
/// the start?
Answer answer_of(const FormulationRegistry& registry, const std::string& word, const Mechanism& mechanism) {
  const FormulationChoice choice = choose_formulation(registry, word);
  Answer answer{word, refusal_of(*choice.entry, mechanism), {}, {}};
  if (!answer.refusal.empty()) {
    return answer;
  }
  try {
    require_memory(*choice.entry, mechanism);
  } catch (const MemoryRefusal& refusal) {
    answer.refusal = refusal.what();
    return answer;
  }
  MemoryNeed matrices = choice.entry->memory;
  matrices.per_body = 0.0;
  if (matrices.bytes(mechanism) > kLargestTrial) {
    answer.untried = fmt::format("its right-hand side was not tried, it needs matrices of {:.3g} GB",
                                 1e-9 * matrices.bytes(mechanism));
    return answer;
  }
  answer.refusal = start_failure(registry, *choice.entry, mechanism, choice.options);
  return answer;
}

/// \param words of formulations; empty: all
std::vector<Answer> answers_of(const Registries& registries, std::vector<std::string> words,
                               const Mechanism& mechanism) {
  const FormulationRegistry& registry = registries.formulations;
  if (words.empty()) {
    std::transform(registry.begin(), registry.end(), std::back_inserter(words),
                   [](const FormulationEntry& entry) { return std::string(entry.key); });
  }
  std::vector<Answer> answers;
  std::transform(words.begin(), words.end(), std::back_inserter(answers),
                 [&](const std::string& word) { return answer_of(registry, word, mechanism); });
  add_verdicts(registries, mechanism, answers);
  return answers;
}

/// \returns what the text says, for scripts.
nlohmann::ordered_json json_of(const std::vector<Answer>& answers, const Mechanism& mechanism) {
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
  for (const Answer& answer : answers) {
    json["formulations"].push_back({{"key", answer.formulation},
                                    {"can", answer.refusal.empty()},
                                    {"refusal", answer.refusal},
                                    {"doubt", answer.doubt},
                                    {"tried", answer.untried.empty()}});
  }
  return json;
}

void print_formulations(const std::vector<Answer>& answers) {
  std::size_t width = 0;
  for (const Answer& answer : answers) {
    width = std::max(width, answer.formulation.size());
  }
  fmt::print("\nFormulations that can treat it:\n");
  for (const Answer& answer : answers) {
    fmt::print("  {:<{}}  {}\n", answer.formulation, width,
               !answer.refusal.empty()   ? "no: " + answer.refusal
               : !answer.untried.empty() ? "yes; " + answer.untried
               : !answer.doubt.empty()   ? "yes; " + answer.doubt
                                         : "yes");
  }
}

}  // namespace

void add_inspect_command(CLI::App& program, const Registries& registries, int& /*exit_code*/) {
  CLI::App* const command = program.add_subcommand("inspect",
                                                   "Shows bodies, joints, degrees of freedom and redundant constraints "
                                                   "of a mechanism, and which formulations can treat it");
  const auto word = std::make_shared<std::string>();
  command->add_option("-m,--mechanism,mechanism", *word, "A catalogue key (pendulum:16), a TOML or a URDF file")
      ->required();
  const auto flags = std::make_shared<RobotFlags>();
  add_robot_flags(*command, *flags);
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("-f,--formulation", *words, "Ask these only: keys, with options in brackets; default all")
      ->allow_extra_args(false);
  const auto graphs = std::make_shared<std::string>();
  command->add_option("--graph", *graphs,
                      "Directory for mechanism.dot (bodies, spanning tree, cuts) and assembly_tree.dot, for Graphviz");
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "The same as JSON, for scripts");
  command->footer(kInspectExamples);
  command->callback([&registries, word, flags, words, graphs, as_json] {
    const Mechanism mechanism = find_mechanism(registries, with_robot_flags(*word, *flags));
    const std::vector<Answer> answers = answers_of(registries, *words, mechanism);
    if (*as_json) {
      fmt::print("{}\n",
                 json_of(answers, mechanism).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
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
    print_formulations(answers);
    if (!graphs->empty()) {
      write_graphs(mechanism, *graphs);
    }
  });
}

}  // namespace mbdbench
