#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "experiments/command_line/commands/command.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

constexpr const char* kListExamples = R"(Examples:
  mbdbench list                      everything there is
  mbdbench list formulations         with their options
  mbdbench list mechanisms --keys    one key a line, for scripts)";

struct ListOptions {
  std::string kind;
  bool keys = false;
};

void print_heading(std::string_view heading) {
  fmt::print("{}\n", heading);
}

void print_entry(std::size_t width, std::string_view key, std::string_view summary, std::string_view source) {
  fmt::print("  {:<{}}  {} [{}]\n", key, width, summary, source);
}

void print_parameters(std::size_t indent, std::span<const ParameterSpecification> parameters) {
  for (const ParameterSpecification& parameter : parameters) {
    fmt::print("  {:<{}}    {}={}: {}; {}\n", "", indent, parameter.name, text_of(parameter.default_value),
               parameter.help, allowed_values(parameter));
  }
}

template <typename Entries>
std::size_t key_width(const Entries& entries) {
  std::size_t width = 0;
  for (const auto& entry : entries) {
    width = std::max(width, entry.key.size());
  }
  return width;
}

template <typename Entries>
void print_keys(const Entries& entries) {
  for (const auto& entry : entries) {
    fmt::print("{}\n", entry.key);
  }
}

void list_mechanisms(const std::vector<MechanismEntry>& entries) {
  print_heading("Mechanisms: KEY, KEY:VALUE of the first parameter, or KEY:NAME=VALUE,NAME=VALUE");
  for (const MechanismEntry& entry : entries) {
    print_entry(key_width(entries), entry.key, entry.summary, entry.source);
    print_parameters(key_width(entries), entry.parameters);
  }
}

void list_formulations(const FormulationRegistry& entries) {
  print_heading("Formulations, with the rates in their state and their options: NAME=VALUE,NAME=VALUE");
  for (const FormulationEntry& entry : entries) {
    print_entry(key_width(entries), entry.key, fmt::format("{} ({})", entry.summary, to_string(entry.rate_kind)),
                entry.source);
    print_parameters(key_width(entries), entry.options);
  }
}

void list_integrators(const std::vector<OdeEntry>& entries) {
  print_heading("Integrators");
  for (const OdeEntry& entry : entries) {
    const std::string order = entry.order > 0 ? fmt::format("order {}", entry.order) : "variable order";
    print_entry(key_width(entries), entry.key,
                fmt::format("{} ({}, {} step)", entry.summary, order, entry.adaptive ? "adaptive" : "fixed"),
                entry.source);
  }
}

void list_experiments(const std::vector<ExperimentEntry>& entries) {
  print_heading("Experiments");
  for (const ExperimentEntry& entry : entries) {
    print_entry(key_width(entries), entry.key, entry.summary, entry.source);
  }
}

/// What can be listed, under the name by which the user asks for it.
struct Listing {
  const char* kind;
  void (*print)(const Registries&);
  void (*print_keys)(const Registries&);
};

constexpr Listing kListings[] = {
    {"mechanisms", [](const Registries& all) { list_mechanisms(all.mechanisms); },
     [](const Registries& all) { print_keys(all.mechanisms); }},
    {"formulations", [](const Registries& all) { list_formulations(all.formulations); },
     [](const Registries& all) { print_keys(all.formulations); }},
    {"integrators", [](const Registries& all) { list_integrators(all.integrators); },
     [](const Registries& all) { print_keys(all.integrators); }},
    {"experiments", [](const Registries& all) { list_experiments(all.experiments); },
     [](const Registries& all) { print_keys(all.experiments); }},
};

void list_everything(const Registries& registries) {
  for (const Listing& listing : kListings) {
    if (&listing != kListings) {
      fmt::print("\n");
    }
    listing.print(registries);
  }
}

void list(const Registries& registries, const ListOptions& options) {
  if (options.kind.empty()) {
    if (options.keys) {
      throw std::invalid_argument(
          "list --keys needs to know of what: mechanisms, formulations, integrators or experiments");
    }
    list_everything(registries);
    return;
  }
  std::vector<std::string> kinds;
  for (const Listing& listing : kListings) {
    if (options.kind == listing.kind) {
      (options.keys ? listing.print_keys : listing.print)(registries);
      return;
    }
    kinds.emplace_back(listing.kind);
  }
  throw std::invalid_argument(
      fmt::format("'{}' cannot be listed; {}", options.kind, suggest_name(options.kind, kinds, "these can")));
}

}  // namespace

void add_list_command(CLI::App& program, const Registries& registries, int& /*exit_code*/) {
  CLI::App* const command = program.add_subcommand(
      "list", "Lists mechanisms, formulations, integrators and experiments with their parameters, defaults and ranges");
  const auto options = std::make_shared<ListOptions>();
  command->add_option("kind", options->kind,
                      "What to list: mechanisms, formulations, integrators or experiments; left out: all four");
  command->add_flag("--keys", options->keys, "Only the keys, one a line, for scripts");
  command->footer(kListExamples);
  command->callback([&registries, options] { list(registries, *options); });
}

}  // namespace mbdbench
