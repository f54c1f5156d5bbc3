#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/command_line/claimed_folder.hpp"
#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/moved_start_note.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/command_line/options/robot_flags.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/formats/npy_file.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/memory_demand.hpp"
#include "experiments/simulation/initial_values.hpp"
#include "experiments/simulation/output/saved_state.hpp"
#include "experiments/terminal/message.hpp"
#include "experiments/verification/reference/equation_matrices.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

constexpr const char* kMatricesExamples = R"text(Examples:
  mbdbench matrices -m pendulum:3 --set q.joint1=0.5 -o matrices
  mbdbench matrices -m robot.urdf --floating -o matrices
  mbdbench matrices --state run/state.json -o matrices     where a run ended
  python3 -c "import numpy; print(numpy.linalg.cond(numpy.load('matrices/mass_matrix.npy')))"

M u' = f + Phi_q^T lambda: mass_matrix.npy (M), forces.npy (f: loads, gravity, what depends on velocities),
constraint_jacobian.npy (Phi_q: cut joints, prescribed motions, couplings, velocities), q.npy, u.npy, accelerations.npy
(u' by dense); names.json: what the entries of q and u are called; provenance.json, inputs.json.)text";

struct MatricesOptions {
  std::string mechanism;
  std::string state;
  std::vector<std::string> initial_values;
  std::string output;
  double time = 0.0;
  bool overwrite = false;
  RobotFlags robot;
};

/// A state to write the matrices at.
struct ChosenState {
  double t = 0.0;
  Eigen::VectorXd q;
  Eigen::VectorXd u;
};

ChosenState saved_values(const SavedState& saved, const Mechanism& mechanism, const std::string& file) {
  if (static_cast<int>(saved.q.size()) != mechanism.q_size() ||
      static_cast<int>(saved.u.size()) != mechanism.u_size()) {
    throw std::invalid_argument(
        fmt::format("--state {}: holds {} coordinates and {} quasi-velocities, mechanism '{}' "
                    "has {} and {}",
                    file, saved.q.size(), saved.u.size(), mechanism.name(), mechanism.q_size(), mechanism.u_size()));
  }
  const auto vector = [](const std::vector<double>& values) {
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  };
  return {saved.t, vector(saved.q), vector(saved.u)};
}

Eigen::VectorXd dense_accelerations(const Registries& registries, const FormulationEntry& entry,
                                    const Mechanism& mechanism, const ChosenState& at) {
  const auto dense = make_formulation(registries.formulations, entry, mechanism, "");
  std::vector<double> x(dense->state_size());
  std::vector<double> rates(x.size());
  RhsStatus status = dense->pack(at.t, view(at.q), view(at.u), x);
  status = status.ok ? dense->rhs(at.t, x, rates) : status;
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the accelerations cannot be computed: {}", status.message()));
  }
  return Eigen::Map<const Eigen::VectorXd>(rates.data() + at.q.size(), at.u.size());
}

/// \throws std::runtime_error naming what has no number
void require_finite(const EquationMatrices& equations, const Eigen::VectorXd& accelerations, double t) {
  const auto require = [t](bool finite, const char* what) {
    if (!finite) {
      throw std::runtime_error(fmt::format(
          "at t = {} the {} are not finite: look at the laws of loads, the coordinates and the motions there", t,
          what));
    }
  };
  require(equations.forces.allFinite(), "forces");
  require(equations.mass.allFinite() && equations.constraint_jacobian.allFinite(), "matrices");
  require(accelerations.allFinite(), "accelerations");
}

nlohmann::ordered_json names_of(const Mechanism& mechanism) {
  nlohmann::ordered_json names = {{"q", nlohmann::ordered_json::array()}, {"u", nlohmann::ordered_json::array()}};
  for (const StateComponent& component : joint_layout(mechanism, StateKind::velocity)) {
    names[component.kind == StateKind::velocity ? "u" : "q"].push_back(component.name);
  }
  return names;
}

void run_matrices(const Registries& registries, const MatricesOptions& options) {
  std::string word = with_robot_flags(options.mechanism, options.robot);
  if (word.empty() == options.state.empty() || (!options.state.empty() && !options.initial_values.empty())) {
    throw std::invalid_argument("give either -m (with --set), or --state, which brings its mechanism");
  }
  std::unique_ptr<const SavedState> saved;
  if (!options.state.empty()) {
    saved = std::make_unique<const SavedState>(read_saved_state(options.state));
    word = mechanism_beside(*saved, options.state);
  }
  Mechanism found = find_mechanism(registries, word);
  if (options.initial_values.empty()) {
    tell_moved_start(found);
  }
  const ChangedStart start = with_initial_values(std::move(found), options.initial_values);
  if (const std::string moved = moved_text(start); !moved.empty()) {
    tell("mbdbench: note: {}\n", moved);
  }
  const Mechanism& mechanism = start.mechanism;
  const ChosenState at = saved ? saved_values(*saved, mechanism, options.state)
                               : ChosenState{options.time, mechanism.q0(), mechanism.u0()};
  // One after the other, and neither needs more than dense does.
  const FormulationEntry& dense = *find_formulation(registries.formulations, "dense");
  require_memory(dense, mechanism);
  const Eigen::VectorXd accelerations = dense_accelerations(registries, dense, mechanism, at);
  const EquationMatrices equations = equation_matrices(mechanism, at.t, at.q, at.u);
  require_finite(equations, accelerations, at.t);
  const auto folder =
      claim_folder(options.output, {.command = "matrices"}, options.overwrite, registries.formulations.execution,
                   {.mechanisms = {&mechanism}, .settings = {{"t", fmt::format("{}", at.t)}}});
  const std::filesystem::path directory = options.output;
  write_npy_matrix(directory / "mass_matrix.npy", equations.mass);
  write_npy_matrix(directory / "constraint_jacobian.npy", equations.constraint_jacobian);
  write_npy_vector(directory / "forces.npy", equations.forces);
  write_npy_vector(directory / "q.npy", at.q);
  write_npy_vector(directory / "u.npy", at.u);
  write_npy_vector(directory / "accelerations.npy", accelerations);
  write_json(directory / "names.json", names_of(mechanism));
}

}  // namespace

void add_matrices_command(CLI::App& program, const Registries& registries, int& /*exit_code*/) {
  CLI::App* const command = program.add_subcommand(
      "matrices", "Writes mass matrix, constraint Jacobian, forces and accelerations at a state, in NumPy's format");
  const auto options = std::make_shared<MatricesOptions>();
  command->add_option("-m,--mechanism", options->mechanism, "A catalogue key (pendulum:16), a TOML, URDF or MJCF file");
  command
      ->add_option("--set", options->initial_values, "Initial value by name, as for simulate: q.JOINT=..., v.JOINT=...")
      ->allow_extra_args(false);
  command->add_option("--state", options->state, "A state.json of simulate or verify, with the mechanism beside it");
  command->add_option("-t,--time", options->time, "Time, s, for prescribed motions and loads (default: 0)")
      ->check(number_from(-1e300, 1e300));
  command->add_option("-o,--output", options->output, "Directory of the files")->required();
  add_overwrite_flag(*command, options->overwrite);
  add_robot_flags(*command, options->robot);
  command->footer(kMatricesExamples);
  command->callback([&registries, options] { run_matrices(registries, *options); });
}

}  // namespace mbdbench
