#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "experiments/command.hpp"
#include "experiments/graph_drawing.hpp"
#include "experiments/mechanism_source.hpp"
#include "mechanisms/model/model_check.hpp"
#include "mechanisms/model/singular_start.hpp"

namespace mbdbench {
namespace {

constexpr const char* kInspectExamples = R"(Examples:
  mbdbench inspect pendulum:16
  mbdbench inspect random_closed:seed=5,cuts=3
  mbdbench inspect --mechanism four_bar.toml
  mbdbench inspect double_loop --graph drawings && dot -Tpdf drawings/assembly_tree.dot -o assembly_tree.pdf)";

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  if (!stream.flush()) {
    throw std::runtime_error(fmt::format("{}: cannot be written", file.string()));
  }
}

void write_graphs(const Mechanism& mechanism, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw std::runtime_error(fmt::format("{}: cannot be made: {}", directory.string(), error.message()));
  }
  write_text(directory / "mechanism.dot", mechanism_graph(mechanism));
  write_text(directory / "assembly_tree.dot", assembly_graph(mechanism, GroundClosure::root));
  fmt::print("\nGraphs: {}, {}\n", (directory / "mechanism.dot").string(), (directory / "assembly_tree.dot").string());
}

void print_formulations(const std::vector<FormulationEntry>& formulations, const Mechanism& mechanism) {
  std::size_t width = 0;
  for (const FormulationEntry& entry : formulations) {
    width = std::max(width, entry.key.size());
  }
  fmt::print("\nFormulations that can treat it:\n");
  for (const FormulationEntry& entry : formulations) {
    const std::string refusal = entry.refusal(mechanism);
    fmt::print("  {:<{}}  {}\n", entry.key, width, refusal.empty() ? "yes" : "no: " + refusal);
  }
}

}  // namespace

void add_inspect_command(CLI::App& program, const Registries& registries, int& /*exit_code*/) {
  CLI::App* const command = program.add_subcommand(
      "inspect",
      "Shows bodies, joints, degrees of freedom and redundant constraints of a mechanism, and who can treat it");
  const auto word = std::make_shared<std::string>();
  command->add_option("-m,--mechanism,mechanism", *word, "A catalogue key (pendulum:16) or a TOML file")->required();
  const auto graphs = std::make_shared<std::string>();
  command->add_option("--graph", *graphs,
                      "Directory for mechanism.dot (bodies, spanning tree, cuts) and assembly_tree.dot, for Graphviz");
  command->footer(kInspectExamples);
  command->callback([&registries, word, graphs] {
    const Mechanism mechanism = find_mechanism(registries, *word);
    fmt::print("{}", describe(mechanism));
    if (const std::string warning = singular_start_warning(mechanism); !warning.empty()) {
      fmt::print("\nWarning: {}\n", warning);
    }
    fmt::print("\nDivide and conquer:\n{}", assembly_summary(mechanism, GroundClosure::root));
    print_formulations(registries.formulations, mechanism);
    if (!graphs->empty()) {
      write_graphs(mechanism, *graphs);
    }
  });
}

}  // namespace mbdbench
