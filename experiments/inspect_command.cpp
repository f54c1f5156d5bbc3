#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "experiments/command.hpp"
#include "experiments/mechanism_source.hpp"
#include "mechanisms/model/model_check.hpp"

namespace mbdbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  mbdbench inspect pendulum:16
  mbdbench inspect random_closed:seed=5,cuts=3
  mbdbench inspect --mechanism four_bar.toml)";

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
  command->footer(kExamples);
  command->callback([&registries, word] {
    const Mechanism mechanism = find_mechanism(registries, *word);
    fmt::print("{}", describe(mechanism));
    print_formulations(registries.formulations, mechanism);
  });
}

}  // namespace mbdbench
