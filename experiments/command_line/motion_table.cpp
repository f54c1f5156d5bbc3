#include "experiments/command_line/motion_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/formats/npy_file.hpp"
#include "experiments/terminal/text_table.hpp"

namespace mbdbench {
namespace {

/// \returns frequency in Hz and damping ratio of an eigenvalue.
std::pair<double, double> oscillation(std::complex<double> value) {
  return {value.imag() / (2.0 * std::numbers::pi), value == 0.0 ? 0.0 : -value.real() / std::abs(value)};
}

}  // namespace

void print_eigenvalues(const LinearMotion& motion, std::span<const StateComponent> layout) {
  TextTable table;
  table.rows = {{"real/(1/s)", "imaginary/(1/s)", "frequency/Hz", "damping ratio", "moves most"}};
  table.numbers = {0, 1, 2, 3};
  const double largest = motion.eigenvalues.size() == 0 ? 0.0 : motion.eigenvalues.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < motion.eigenvalues.size(); ++i) {
    const std::complex<double> value = motion.eigenvalues[i];
    if (value.imag() < 0.0) {
      continue;
    }
    const auto [frequency, damping] = oscillation(value);
    const bool oscillates = value.imag() > kNoFrequency * largest;
    table.rows.push_back({fmt::format("{:.6g}", value.real()), fmt::format("{:.6g}", value.imag()),
                          oscillates ? fmt::format("{:.6g}", frequency) : "-",
                          oscillates ? fmt::format("{:.4g}", damping) : "-",
                          layout[static_cast<std::size_t>(motion.largest_component(i))].name});
  }
  fmt::print("{}", table_text(table));
}

void write_motion(const std::filesystem::path& directory, const LinearMotion& motion,
                  std::span<const StateComponent> layout) {
  write_npy_matrix(directory / "derivatives.npy", motion.derivatives);
  write_npy_matrix(directory / "modes_real.npy", motion.modes.real());
  write_npy_matrix(directory / "modes_imaginary.npy", motion.modes.imag());
  CsvTable table;
  table.columns = {"real", "imaginary", "frequency", "damping_ratio", "moves_most"};
  table.comments = {" eigenvalues in 1/s, frequency in Hz"};
  for (Eigen::Index i = 0; i < motion.eigenvalues.size(); ++i) {
    const auto [frequency, damping] = oscillation(motion.eigenvalues[i]);
    table.rows.push_back({csv_number(motion.eigenvalues[i].real()), csv_number(motion.eigenvalues[i].imag()),
                          csv_number(frequency), csv_number(damping),
                          layout[static_cast<std::size_t>(motion.largest_component(i))].name});
  }
  write_csv(directory / "eigenvalues.csv", table);
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const StateComponent& component : layout) {
    names.push_back(component.name);
  }
  write_json(directory / "names.json", {{"state", names}});
}

}  // namespace mbdbench
