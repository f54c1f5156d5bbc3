#include "experiments/command_line/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "experiments/command_line/commands/command.hpp"
#include "experiments/engines/engine_formulation.hpp"
#include "experiments/engines/engine_permission.hpp"
#include "experiments/files/write_error.hpp"
#include "experiments/records/provenance/provenance.hpp"
#include "experiments/simulation/processes/process_start.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/message.hpp"
#include "experiments/terminal/standard_descriptors.hpp"
#include "experiments/terminal/terminal.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/execution/openmp_settings.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

constexpr const char* kDescription = "Research benchmark and verification suite for multibody dynamics.";
constexpr const char* kFooter = R"(
Examples:
  mbdbench list                                       everything there is
  mbdbench inspect four_bar.toml                      degrees of freedom, loops, formulations that can treat it
  mbdbench export --mechanism pendulum:16 --output chain.toml
  mbdbench draw four_bar --output four_bar.svg        a picture; --motion DIR: an animation of a run
  mbdbench simulate --mechanism pendulum:16 --formulation hdca --time 10 --output run
  mbdbench simulate --mechanism pendulum:1024 --formulation hdca[leaf=subchain] \
      --threads 2 --time 1 --output fast              sub-chains side by side, on two threads
  mpirun -n 2 mbdbench simulate --mechanism pendulum:16384 \
      --formulation hdca[leaf=subchain,subchains=32] --time 0:0.1:1 --output processes
                                                      the same on two processes, each with its part of the state
  mbdbench verify --formulation hdca                  compare with the dense reference
  mbdbench verify -m pendulum:16 -f textbook --engine textbook='python3 examples/engines/newton_euler_engine.py'
                                                      compare somebody else's engine
  mbdbench soak --minutes 30                          the same and more on random mechanisms
  mbdbench run EXPERIMENT --quick                     a published table, smaller
  mbdbench study my_study.toml --jobs 2               a comparison of your own: table, figures, verdicts

Exit codes: 0 ok; 1 a check failed; 2 bad usage or input; 3 a file cannot be written;
130 stopped by Ctrl-C or SIGTERM, finished work is kept.
Every command has its own --help.)";

void report(const std::string& message) {
  tell("mbdbench: {}\n", message);
}

/// The innermost command that was given.
const CLI::App& given_command(const CLI::App& program) {
  const auto commands = program.get_subcommands();
  return commands.empty() ? program : *commands.front();
}

/// \returns what else the user may have meant where `word` is not known.
std::string suggestion(const CLI::App& command, const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    for (const CLI::Option* const option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        known.push_back("--" + name);
      }
    }
    return suggest_name(word, known, "options");
  }
  for (const CLI::App* const subcommand : command.get_subcommands(nullptr)) {
    known.push_back(subcommand->get_name());
  }
  return known.empty() ? fmt::format("see mbdbench {} --help", command.get_name())
                       : suggest_name(word, known, "commands");
}

/// Options of the whole program, which every command also takes behind its name.
/// \param formulations gets the engines that the user names, and how all are executed
void add_execution_options(CLI::App& program, FormulationRegistry& formulations) {
  use_colours("auto");
  use_wide_tables(false);
  program.fallthrough();
  const CLI::Option* const threads =
      program
          .add_option_function<int>(
              "--threads", [&formulations](int count) { formulations.execution.threads = checked_threads(count); },
              "OpenMP threads that share a right-hand side where the formulation can be divided; results do not depend "
              "on it (default: OMP_NUM_THREADS, else 1)")
          ->type_name("N");
  program.parse_complete_callback([threads] {
    const std::string refusal = threads->count() > 0 ? "" : refuse_thread_environment();
    if (!refusal.empty()) {
      throw std::invalid_argument(refusal);
    }
  });
  program
      .add_option_function<std::string>(
          "--simd",
          [&formulations](const std::string& name) {
            formulations.execution.instruction_set = instruction_set_named(name);
          },
          "Instruction set of their kernels: auto, baseline, avx2 or avx512 (default: auto, the best of this machine)")
      ->type_name("SET");
  program
      .add_option_function<std::string>(
          "--color", use_colours,
          "Colours for failures and verdicts: auto, always or never (default: auto, on terminals where NO_COLOR is not "
          "set)")
      ->type_name("WHEN");
  program
      .add_option_function<std::vector<std::string>>(
          "--engine",
          [&formulations](const std::vector<std::string>& words) {
            for (const std::string& word : words) {
              formulations.push_back(engine_entry(word));
              permit_engine(engine_command(formulations.entries.back(), {}));
            }
          },
          "Another engine as a formulation NAME, through the protocol of docs/developing/engine_protocol.md: "
          "NAME=COMMAND; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=COMMAND");
  program.add_flag_callback(
      "--wide", [] { use_wide_tables(true); }, "Do not truncate tables");
}

/// \returns the option or argument with this name, of the command or of the whole program; nullptr if there is none.
const CLI::Option* named_option(const CLI::App& command, const CLI::App& program, const std::string& name) {
  for (const CLI::App* const app : {&command, &program}) {
    for (const CLI::Option* const option : app->get_options()) {
      if (option->get_name() == name) {
        return option;
      }
    }
  }
  return nullptr;
}

/// \returns what is wrong with the value of an option, in one form for every option.
std::string value_message(const CLI::App& command, const CLI::App& program, const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string name = text.substr(0, text.find_first_of(": "));
  const CLI::Option* const option = named_option(command, program, name);
  const std::string meaning = option == nullptr ? "" : option->get_description();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && option != nullptr) {
    return fmt::format("{} is missing: {}", name, meaning);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && option != nullptr) {
    return option->count() > 1 ? fmt::format("{} is given {} times; give it once", name, option->count())
                               : fmt::format("{} needs a value: {}", name, meaning);
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    // "Could not convert: --rtol = tight"
    const std::size_t colon = text.find(": ");
    const std::size_t sign = text.find(" = ");
    if (colon != std::string::npos && sign != std::string::npos) {
      return fmt::format("{} '{}': must be a number", text.substr(colon + 2, sign - colon - 2), text.substr(sign + 3));
    }
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr && text.starts_with(name + ": ")) {
    return fmt::format("{} {}", name, text.substr(name.size() + 2));
  }
  return text;
}

/// \returns whether this process tells of what all processes find alike.
bool speaks_for_all() {
  return processes_in_use() == nullptr || processes_in_use()->process() == 0;
}

/// Only `simulate`, `study`, `run` and `bench` divide their work.
void refuse_processes_elsewhere(CLI::App& program) {
  if (processes_in_use() == nullptr) {
    return;
  }
  constexpr std::array kDividing = {"simulate", "study", "run", "bench"};
  for (CLI::App* const command : program.get_subcommands([&](const CLI::App* app) {
         return std::find(kDividing.begin(), kDividing.end(), app->get_name()) == kDividing.end();
       })) {
    command->preparse_callback([command](std::size_t /*arguments*/) {
      if (!speaks_for_all()) {
        throw EndedElsewhere();
      }
      throw std::invalid_argument(
          fmt::format("mbdbench {} runs on one process only, simulate, study, run and bench --batch on several: start "
                      "this command without mpirun",
                      command->get_name()));
    });
  }
}

/// \returns the message for a command line that cannot be understood.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = given_command(program);
  std::vector<std::string> unknown = command.remaining();
  if (unknown.empty()) {
    unknown = program.remaining();
  }
  if (!unknown.empty()) {
    const std::string& word = unknown.front();
    const char* const kind = word.starts_with('-') ? "option" : &command == &program ? "command" : "argument";
    return fmt::format("unknown {} '{}'; {}", kind, word, suggestion(command, word));
  }
  return fmt::format("{}; see mbdbench {}{}--help", value_message(command, program, error),
                     &command == &program ? "" : command.get_name(), &command == &program ? "" : " ");
}

int parse_and_run(Registries registries, int argument_count, const char* const* arguments) {
  int exit_code = kExitOk;
  permit_typed_engines(argument_count, arguments);
  CLI::App program(kDescription, "mbdbench");
  program.require_subcommand(0, 1);
  program.set_version_flag("--version", [] { return "mbdbench " + version_text(); });
  add_execution_options(program, registries.formulations);
  add_list_command(program, registries, exit_code);
  add_inspect_command(program, registries, exit_code);
  add_export_command(program, registries, exit_code);
  add_matrices_command(program, registries, exit_code);
  add_linearise_command(program, registries, exit_code);
  add_equilibrium_command(program, registries, exit_code);
  add_draw_command(program, registries, exit_code);
  add_simulate_command(program, registries, exit_code);
  add_verify_command(program, registries, exit_code);
  add_run_command(program, registries, exit_code);
  add_study_command(program, registries, exit_code);
  add_bench_command(program, registries, exit_code);
  add_soak_command(program, registries, exit_code);
  add_compare_command(program, registries, exit_code);
  refuse_processes_elsewhere(program);
  // Last: commands made after it would repeat it.
  program.footer(kFooter);
  try {
    program.parse(argument_count, arguments);
    if (program.get_subcommands().empty()) {
      fmt::print("{}", program.help());
    }
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", given_command(program).help(given_command(program).get_parent() == nullptr ? "" : "mbdbench"));
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
  } catch (const CLI::ParseError& error) {
    if (!speaks_for_all()) {
      throw EndedElsewhere();
    }
    report(usage_message(program, error));
    return kExitBadInput;
  }
  return exit_code;
}

/// Names the successor of what is still read under its former name (docs/developing/compatibility.md).
void tell_of_former_names(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument.starts_with("--rank-timeout")) {
      fmt::print(stderr, "mbdbench: note: --rank-timeout is deprecated; it is called --process-timeout now\n");
    }
    const std::size_t bracket = argument.find('[');
    if (bracket != std::string_view::npos && argument.substr(0, bracket).ends_with("bae-haug") &&
        (argument.substr(bracket).starts_with("[ranks=") ||
         argument.substr(bracket).find(",ranks=") != std::string_view::npos)) {
      fmt::print(stderr, "mbdbench: note: {}: the option 'ranks' is deprecated; it is called 'processes' now\n",
                 argument);
    }
  }
}

/// \returns "run/parts: cannot be made or read: Not a directory", without the library's own words.
std::string file_system_message(const std::filesystem::filesystem_error& error) {
  const std::string reason = error.code().message();
  return error.path1().empty()
             ? fmt::format("a file or folder cannot be used: {}", reason)
             : fmt::format("{}: cannot be made, read or replaced: {}", error.path1().string(), reason);
}

bool is_write_failure(const std::error_code& code) {
  constexpr std::array kFailures = {std::errc::no_space_on_device, std::errc::file_too_large, std::errc::io_error,
                                    std::errc::broken_pipe, std::errc::bad_file_descriptor};
  return std::ranges::any_of(kFailures, [&](std::errc failure) { return code == failure; });
}

}  // namespace

int run_command_line(const Registries& registries, int argument_count, const char* const* arguments) {
  // A write beyond a limit of file sizes is an error like a full disk, not the end of the process.
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
  // Again for programs of others that begin here.
  int exit_code = open_standard_descriptors() ? kExitBadInput : kExitWriteFailed;
  if (exit_code == kExitWriteFailed) {
    return exit_code;
  }
  try {
    if (speaks_for_all()) {
      tell_of_former_names(std::span(arguments, static_cast<std::size_t>(argument_count)));
    }
    exit_code = parse_and_run(registries, argument_count, arguments);
  } catch (const EndedElsewhere&) {
    exit_code = kExitOk;
  } catch (const WriteError& error) {
    report(error.what());
    exit_code = kExitWriteFailed;
  } catch (const std::filesystem::filesystem_error& error) {
    report(file_system_message(error));
    exit_code = kExitWriteFailed;
  } catch (const std::system_error& error) {
    // What is printed in the middle of a run fails as soon as the buffer is full.
    report(error.what());
    exit_code = is_write_failure(error.code()) ? kExitWriteFailed : kExitBadInput;
  } catch (const std::bad_alloc&) {
    report("this needs more memory than there is; try a smaller mechanism or fewer samples");
  } catch (const std::exception& error) {
    report(error.what());
  } catch (...) {
    report("unknown error");
  }
  if (std::fflush(stdout) != 0) {
    report("standard output cannot be written: is it closed, is the disk full?");
    return kExitWriteFailed;
  }
  return exit_code;
}

}  // namespace mbdbench
