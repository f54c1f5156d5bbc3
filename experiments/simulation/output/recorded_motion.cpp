#include "experiments/simulation/output/recorded_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/memory_demand.hpp"
#include "experiments/simulation/output/saved_state.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

/// \returns the columns t and x of one row.
std::vector<double> state_row(const fs::path& file, const CsvTable& table, std::size_t row, std::size_t size) {
  std::vector<double> numbers(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::string& field = table.rows[row][i];
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), numbers[i]);
    if (error != std::errc() || end != field.data() + field.size()) {
      throw FileError(file.string(), table.lines[row],
                      fmt::format("column '{}' holds '{}': must be a number", table.columns[i], field));
    }
  }
  return numbers;
}

void require_columns(const fs::path& file, const CsvTable& table, const Formulation& formulation) {
  std::vector<std::string> expected = {"t"};
  for (const StateComponent& component : formulation.layout()) {
    expected.push_back(component.name);
  }
  if (table.columns.size() < expected.size() || !std::equal(expected.begin(), expected.end(), table.columns.begin())) {
    throw FileError(file.string(), 0,
                    fmt::format("has not the columns of this run: t, then {}; was it left by another program?",
                                expected.size() > 1 ? expected[1] : "nothing"));
  }
  if (table.rows.size() < 2) {
    throw FileError(
        file.string(), 0,
        fmt::format("has {} rows, a motion needs two: simulate with --time START:STEP:END", table.rows.size()));
  }
}

void require_placed(const RhsStatus& status, double t) {
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the positions at t = {} cannot be found: {}", t, status.message()));
  }
}

}  // namespace

RecordedMotion read_motion(const Registries& registries, const fs::path& directory, std::size_t most) {
  const fs::path state_file = directory / "state.json";
  if (!fs::exists(state_file)) {
    throw FileError(directory.string(), 0,
                    "holds no finished run: state.json is missing; name the --output directory of mbdbench simulate");
  }
  const SavedState saved = read_saved_state(state_file);
  const fs::path table_file = directory / "trajectory.csv";
  RecordedMotion motion;
  motion.mechanism = std::make_unique<const Mechanism>(find_mechanism(registries, mechanism_beside(saved, state_file)));
  motion.formulation = formulation_word(saved.formulation, saved.formulation_options);
  motion.integrator = saved.integrator;
  const FormulationChoice choice = choose_formulation(registries.formulations, motion.formulation);
  require_memory(*choice.entry, *motion.mechanism);
  const auto formulation = make_formulation(registries.formulations, *choice.entry, *motion.mechanism, choice.options);
  const CsvTable table = read_csv(table_file);
  require_columns(table_file, table, *formulation);

  const Mechanism& mechanism = *motion.mechanism;
  std::vector<double> q(mechanism.q0().begin(), mechanism.q0().end());
  std::vector<double> u(mechanism.u0().begin(), mechanism.u0().end());
  std::vector<double> x(formulation->state_size());
  // Formulations whose state holds some coordinates only look for the others from where they were last.
  require_placed(formulation->pack(0.0, q, u, x), 0.0);
  const std::size_t count = std::min(most, table.rows.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i * (table.rows.size() - 1) / (count - 1);
    const std::vector<double> numbers = state_row(table_file, table, row, x.size() + 1);
    std::copy(numbers.begin() + 1, numbers.end(), x.begin());
    require_placed(formulation->unpack(numbers.front(), x, q, u), numbers.front());
    motion.times.push_back(numbers.front());
    motion.q.push_back(q);
  }
  return motion;
}

}  // namespace mbdbench
