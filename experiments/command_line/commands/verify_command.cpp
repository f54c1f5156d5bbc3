#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "experiments/command_line/claimed_folder.hpp"
#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/moved_start_note.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/command_line/options/robot_flags.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/text_digest.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/simulation/output/saved_state.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/interruption.hpp"
#include "experiments/terminal/message.hpp"
#include "experiments/terminal/progress.hpp"
#include "experiments/terminal/text_table.hpp"
#include "experiments/verification/verification.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/io/text/file_text.hpp"

namespace mbdbench {
namespace {

constexpr const char* kVerifyExamples = R"(Examples:
  mbdbench verify                                          every formulation on every mechanism
  mbdbench verify -f hdca -m pendulum:16 -m four_bar.toml  one formulation on two mechanisms
  mbdbench verify -f naudet[loops=matrices]                a formulation with options
  mbdbench verify --state checked/states/1/state.json      one of the states that did not pass, again
  mbdbench verify --states 20 --seed 7 --output checked    more states; records.csv for scripts)";

struct VerifyOptions {
  VerificationOptions what;
  std::string state;
  std::string output;
  bool allow_none = false;
  bool overwrite = false;
  bool quiet = false;
  RobotFlags robot;
};

std::string block_text(const BlockCheck& block) {
  if (block.outcome == CheckOutcome::not_compared) {
    return "-";
  }
  return fmt::format("{:.1e}{}", block.error, block.outcome == CheckOutcome::failed ? "!" : "");
}

void print_table(const std::vector<VerificationResult>& results) {
  TextTable table;
  table.rows = {{"mechanism", "formulation", "states", "cond", "limit", "u", "rate", "reaction", "accel.", "jump",
                 "energy", "deriv.", "param.", "deriv. by", "verdict"}};
  table.numbers = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  for (const VerificationResult& result : results) {
    if (!result.refusal.empty() || !result.failure.empty()) {
      table.rows.push_back({result.mechanism, result.formulation,
                            result.refusal.empty() ? "FAILED: " + result.failure : "refused: " + result.refusal});
      continue;
    }
    table.rows.push_back(
        {result.mechanism, result.formulation,
         result.skipped > 0 ? fmt::format("{} (-{})", result.states, result.skipped) : fmt::format("{}", result.states),
         fmt::format("{:.1e}", result.condition),
         result.is_reference ? "-" : fmt::format("{:.1e}", result.velocity.limit), block_text(result.velocity),
         block_text(result.rate), block_text(result.reaction), block_text(result.acceleration),
         block_text(result.continuity), block_text(result.energy), block_text(result.derivative),
         block_text(result.parameter), derivative_reference(result, result.derivative),
         std::string(to_string(result.outcome()))});
  }
  fmt::print("{}", table_text(table));
}

void print_legend() {
  fmt::print(
      "\nRelative errors max|a - b| / max|b| against dense (velocities) and dense-momentum (momenta), worst over the "
      "states.\n"
      "  states    compared; \"5 (-1)\": one more random state was left out because its loops did not close\n"
      "  cond      of the scaled mass matrix times the constraints; limit: 10 n eps cond, from 1e-12 to 1e-7\n"
      "            (of states with another layout: the larger of cond and what a change of the state does to u)\n"
      "  u         velocities and coordinate rates     rate   u' or p' (Z^T p' where constraints are redundant)\n"
      "            of states with another layout (p of the closed Naudet forms, absolute coordinates) the rates are "
      "judged in accel.\n"
      "  reaction  wrenches in all joints (Phi_q^T lambda where constraints are redundant)\n"
      "  accel.    u' by differences along the right-hand side, limited by the differences' own uncertainty, at most "
      "1e-4\n"
      "  jump      of u' or p' between states of a short accurate motion, over the largest; at most 1000 times the "
      "second\n"
      "            differences of the motion's own rates\n"
      "  energy    |T' + V' - P| / (|T'| + |V'| + |P|), T' and V' by differences, P the power of loads, dampers and "
      "prescribed\n"
      "            motions; limited in the same way\n"
      "  deriv.    exact derivatives of the state's rates along random directions (along the constraints): against "
      "differences,\n"
      "            limited in the same way, and jacobian, jacobian_vector and vector_jacobian against one another "
      "(limit); over\n"
      "            the sum of absolute terms\n"
      "  param.    the same by parameters (forces in joints, masses, springs, lengths of links), all along one random "
      "direction:\n"
      "            against differences of mechanisms with others, and columns against weighted_derivatives\n"
      "  deriv. by 113 bits: both were also compared with differences in numbers of 113 bits (limit: 10 n eps cond), "
      "which find\n"
      "            the tenth digit; \"113 bits (7 of 12)\": along 7 of 12 directions, at the other states a load "
      "bends\n"
      "            or passes have not converged, or the reference fails (a line below says where)\n"
      "            differences: only with differences in double precision, which find the fifth to the ninth digit\n"
      "  -         not compared: does not apply, or would be the reference against itself; verdict \"reference\" where "
      "nothing\n"
      "            else was checked, which counts as neither passed nor failed\n");
}

/// Says where limits are wide because iterations did not converge.
void print_unconverged(const std::vector<VerificationResult>& results) {
  for (const VerificationResult& result : results) {
    if (result.unconverged > 0) {
      fmt::print(
          "\n{} on {}: its passes have not converged at {} of {} states, by its own account up to {:.1g} of the "
          "reactions "
          "are\nmissing; reactions, acceleration and power are not held to more there (options iterations, alpha, "
          "passes=conjugate)\n",
          result.formulation, result.mechanism, result.unconverged, result.states, result.largest_remainder);
    }
  }
}

/// Says which derivatives by parameters were not compared, and why.
void print_left_out(const std::vector<VerificationResult>& results) {
  std::map<std::string, std::vector<std::string>> where;
  for (const VerificationResult& result : results) {
    if (!result.parameters_left_out.empty()) {
      std::vector<std::string>& mechanisms = where[result.parameters_left_out];
      if (mechanisms.empty() || mechanisms.back() != result.mechanism) {
        mechanisms.push_back(result.mechanism);
      }
    }
  }
  for (const auto& [what, mechanisms] : where) {
    say("\n{}: derivatives by parameters were compared without {}\n", fmt::join(mechanisms, ", "), what);
  }
}

/// Says which derivatives were compared with differences in double precision alone, and why; and where the reference of
/// 113 bits failed at a state.
void print_without_113_bits(const std::vector<VerificationResult>& results) {
  std::map<std::string, std::set<std::string>> where;
  for (const VerificationResult& result : results) {
    if (!result.without_113_bits.empty()) {
      where[result.without_113_bits].insert(result.formulation);
    }
  }
  for (const auto& [why, formulations] : where) {
    say("\nno derivatives by 113 bits of {}: {}\n", fmt::join(formulations, ", "), why);
  }
  for (const VerificationResult& result : results) {
    if (!result.no_answer_of_113_bits.empty()) {
      say("\n{} on {}: the reference of 113 bits failed {}\n", result.formulation, result.mechanism,
          result.no_answer_of_113_bits);
    }
  }
}

/// Writes a state that `simulate --restart` and `verify --state` take, with its mechanism. \returns its file.
std::filesystem::path keep_state(const Registries& registries, const VerificationResult& result,
                                 const std::string& mechanism_word, const std::filesystem::path& directory) {
  const FormulationChoice choice = choose_formulation(registries.formulations, result.formulation);
  const std::string mechanism = write_mechanism(find_mechanism(registries, mechanism_word).description());
  const WorstComparison& worst = *result.worst;
  SavedState state;
  state.t = worst.state.t;
  state.names = worst.names;
  state.x = worst.x;
  state.q.assign(worst.state.q.begin(), worst.state.q.end());
  state.u.assign(worst.state.u.begin(), worst.state.u.end());
  state.gauge.assign(worst.state.gauge.begin(), worst.state.gauge.end());
  state.mechanism = result.mechanism;
  state.mechanism_digest = text_digest(mechanism);
  state.formulation = choice.entry->key;
  state.formulation_options = choice.options;
  state.integrator = "ode45";
  std::filesystem::create_directories(directory);
  replace_file(directory / "mechanism.toml", mechanism);
  write_saved_state(directory / "state.json", state);
  return directory / "state.json";
}

/// Says where rows that did not pass are worst, and keeps the states if there is a directory.
void print_worst(const Registries& registries, const VerifyOptions& options,
                 const std::vector<VerificationResult>& results) {
  int number = 0;
  for (const VerificationResult& result : results) {
    if (!result.worst) {
      continue;
    }
    std::string where;
    if (!options.output.empty()) {
      const auto directory = std::filesystem::path(options.output) / "states" / fmt::format("{}", ++number);
      where = "; state: " + keep_state(registries, result, result.word, directory).string();
    }
    say("\n{} on {}: {}, at t = {}{}", result.formulation, result.mechanism, result.worst->what, result.worst->state.t,
        where);
  }
  const bool any = std::any_of(results.begin(), results.end(), [](const auto& result) { return result.worst; });
  if (any) {
    say("\n{}\n", options.output.empty() ? "--output DIR keeps these states for verify --state and "
                                           "simulate --restart"
                                         : "Look again: mbdbench verify --state FILE; or go on from there: "
                                           "mbdbench simulate --restart FILE");
  }
}

/// Adds the state of a file and its mechanism to what is compared.
void take_state(VerificationOptions& what, const std::filesystem::path& file) {
  const SavedState saved = read_saved_state(file);
  if (saved.q.empty() || what.mechanisms.size() > 1) {
    throw std::invalid_argument(fmt::format("--state {}: {}", file.string(),
                                            saved.q.empty() ? "holds no joint coordinates q: nothing to compare at"
                                                            : "belongs to one mechanism; give one -m, or none"));
  }
  if (what.mechanisms.empty()) {
    what.mechanisms = {mechanism_beside(saved, file)};
  }
  VerificationState state;
  state.t = saved.t;
  state.q = Eigen::Map<const Eigen::VectorXd>(saved.q.data(), static_cast<Eigen::Index>(saved.q.size()));
  state.u = Eigen::Map<const Eigen::VectorXd>(saved.u.data(), static_cast<Eigen::Index>(saved.u.size()));
  state.gauge = Eigen::Map<const Eigen::VectorXd>(saved.gauge.data(), static_cast<Eigen::Index>(saved.gauge.size()));
  what.state = std::move(state);
}

GivenInputs given(const Registries& registries, const VerifyOptions& options, const VerificationInputs& inputs) {
  GivenInputs given = {.mechanisms = {},
                       .formulations = formulation_words(registries.formulations, options.what.formulations)};
  for (const Mechanism& mechanism : inputs.mechanisms) {
    given.mechanisms.push_back(&mechanism);
  }
  given.settings = engine_settings(registries.formulations, given.formulations);
  if (options.what.state) {
    given.state = read_file_text(options.state, "the state");
  } else {
    given.settings.emplace_back("states", fmt::format("{}", options.what.states));
    if (!options.what.derivatives) {
      given.settings.emplace_back("derivatives", "no");
    }
    given.settings.emplace_back("seed", fmt::format("{}", options.what.seed));
  }
  return given;
}

int run_verify(const Registries& registries, VerifyOptions& options) {
  apply_robot_flags(options.what.mechanisms, options.robot);
  if (!options.state.empty()) {
    take_state(options.what, options.state);
  }
  const VerificationInputs inputs = read_verification_inputs(registries, options.what);
  for (const Mechanism& mechanism : inputs.mechanisms) {
    tell_moved_start(mechanism);
  }
  const auto folder = claim_folder(options.output, {.command = "verify"}, options.overwrite,
                                   registries.formulations.execution, given(registries, options, inputs));
  const InterruptionGuard guard;
  std::unique_ptr<ProgressBar> progress;
  const std::vector<VerificationResult> results =
      verify(registries, options.what, inputs, [&](std::size_t done, std::size_t total) {
        if (!progress) {
          progress = std::make_unique<ProgressBar>("verify", total, ProgressOptions::standard_error(options.quiet));
        }
        progress->set(done);
        return !interruption_requested();
      });
  progress.reset();
  print_table(results);
  print_legend();
  print_unconverged(results);
  print_left_out(results);
  print_without_113_bits(results);
  print_worst(registries, options, results);
  if (!options.output.empty()) {
    write_records(std::filesystem::path(options.output) / "records.csv", verification_records(results));
  }
  const auto count = [&](CheckOutcome outcome) {
    return std::count_if(results.begin(), results.end(),
                         [outcome](const VerificationResult& result) { return result.outcome() == outcome; });
  };
  fmt::print("\n{} passed, {} failed, {} ill-conditioned, {} refused, {} reference\n", count(CheckOutcome::passed),
             count(CheckOutcome::failed), count(CheckOutcome::ill_conditioned), count(CheckOutcome::not_compared),
             count(CheckOutcome::reference));
  if (interruption_requested()) {
    return kExitInterrupted;
  }
  if (count(CheckOutcome::passed) + count(CheckOutcome::failed) + count(CheckOutcome::ill_conditioned) == 0 &&
      !options.allow_none) {
    tell(
        "mbdbench: nothing was compared, so nothing was verified: every formulation refused or was the reference "
        "itself (--allow-none if that is meant)\n");
    return kExitCheckFailed;
  }
  return count(CheckOutcome::failed) == 0 ? kExitOk : kExitCheckFailed;
}

}  // namespace

void add_verify_command(CLI::App& program, const Registries& registries, int& exit_code) {
  CLI::App* const command = program.add_subcommand(
      "verify", "Compares right-hand sides and reactions with the dense reference. Exit code 1: a check failed");
  const auto options = std::make_shared<VerifyOptions>();
  command
      ->add_option(
          "-f,--formulation", options->what.formulations,
          "Formulation to check, KEY or KEY[option=value,...], may be repeated; default: all. Options that change the "
          "equations on purpose (feedback, stabilisation, cut_axes=body) fail")
      ->allow_extra_args(false);
  command
      ->add_option("-m,--mechanism", options->what.mechanisms,
                   "A catalogue key (pendulum:16), a TOML or a URDF file, may be repeated; default: the whole "
                   "catalogue and random "
                   "mechanisms")
      ->allow_extra_args(false);
  command->add_option("--state", options->state,
                      "Compare at this saved state alone (a state.json of verify or simulate), by default with the "
                      "mechanism beside it");
  command->add_option("--states", options->what.states, "Random states a mechanism, beside the initial one")
      ->check(integer_from(0, 1000000))
      ->capture_default_str();
  command->add_option("--seed", options->what.seed, "Seed of the random states")
      ->check(integer_from(0, 1000000000000000))
      ->capture_default_str();
  command->add_option("-o,--output", options->output,
                      "Directory for records.csv, provenance.json, inputs (mechanisms and settings) and the states of "
                      "rows that did not "
                      "pass");
  command->add_flag_callback(
      "--no-derivatives", [options] { options->what.derivatives = false; }, "Leave exact derivatives out");
  command->add_flag("--allow-none", options->allow_none, "Exit code 0 although nothing could be compared");
  add_overwrite_flag(*command, options->overwrite);
  command->add_flag("--quiet", options->quiet, "No progress on standard error");
  add_robot_flags(*command, options->robot);
  command->footer(kVerifyExamples);
  command->callback([&registries, options, &exit_code] { exit_code = run_verify(registries, *options); });
}

}  // namespace mbdbench
