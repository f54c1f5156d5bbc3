#include "experiments/command_line/motion_table.hpp"

#include <fmt/format.h>

#include <algorithm>
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

// Rates that rounding leaves in an equilibrium, relative to the largest eigenvalue, in units of the state.
constexpr double kAtRest = 1e-9;

/// \returns frequency in Hz and damping ratio of an eigenvalue.
std::pair<double, double> oscillation(std::complex<double> value) {
  // From zero: what is not damped has a ratio of 0, not of -0.
  return {value.imag() / (2.0 * std::numbers::pi), value == 0.0 ? 0.0 : 0.0 - value.real() / std::abs(value)};
}

}  // namespace

std::string no_equilibrium_text(const LinearMotion& motion, std::span<const StateComponent> layout) {
  const double largest = motion.eigenvalues.size() == 0 ? 0.0 : motion.eigenvalues.cwiseAbs().maxCoeff();
  const double limit = kAtRest * std::max(1.0, largest);
  Eigen::Index fastest = 0;
  const double rate = motion.rates.size() == 0 ? 0.0 : motion.rates.cwiseAbs().maxCoeff(&fastest);
  if (rate <= limit) {
    return {};
  }
  // In a steady motion coordinates go on, but no velocity or momentum changes, now or a little later.
  const Eigen::VectorXd later = motion.derivatives * motion.rates;
  bool steady = true;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    if (layout[i].kind == StateKind::velocity || layout[i].kind == StateKind::momentum) {
      steady = steady && std::abs(motion.rates[at]) <= limit && std::abs(later[at]) <= limit * std::max(1.0, rate);
    } else if (layout[i].kind == StateKind::position) {
      // Momenta of light bodies are small numbers: the rates of coordinates tell.
      steady = steady && std::abs(later[at]) <= limit * std::max(1.0, rate);
    }
  }
  return steady ? std::string()
                : fmt::format("this is no equilibrium: {} changes by {:.4g} a second",
                              layout[static_cast<std::size_t>(fastest)].name, motion.rates[fastest]);
}

void print_eigenvalues(const LinearMotion& motion, std::span<const StateComponent> layout) {
  TextTable table;
  table.rows = {{"mode", "real/(1/s)", "imaginary/(1/s)", "frequency/Hz", "damping ratio", "moves most"}};
  table.numbers = {0, 1, 2, 3, 4};
  int mode = 0;
  const double largest = motion.eigenvalues.size() == 0 ? 0.0 : motion.eigenvalues.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < motion.eigenvalues.size(); ++i) {
    const std::complex<double> value = motion.eigenvalues[i];
    if (value.imag() < 0.0) {
      continue;
    }
    const auto [frequency, damping] = oscillation(value);
    const bool oscillates = value.imag() > kNoFrequency * largest;
    table.rows.push_back({fmt::format("{}", ++mode), fmt::format("{:.6g}", value.real()),
                          fmt::format("{:.6g}", value.imag()), oscillates ? fmt::format("{:.6g}", frequency) : "-",
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
  table.columns = {"real", "imaginary", "frequency", "damping_ratio", "moves_most", "mode"};
  table.comments = {" eigenvalues in 1/s, frequency in Hz"};
  if (const std::string moving = no_equilibrium_text(motion, layout); !moving.empty()) {
    table.comments.push_back(" " + moving);
  }
  int mode = 0;
  for (Eigen::Index i = 0; i < motion.eigenvalues.size(); ++i) {
    const auto [frequency, damping] = oscillation(motion.eigenvalues[i]);
    // Of a conjugate pair the first one has the number that the table shows.
    const bool shown = motion.eigenvalues[i].imag() >= 0.0;
    table.rows.push_back({csv_number(motion.eigenvalues[i].real()), csv_number(motion.eigenvalues[i].imag()),
                          csv_number(frequency), csv_number(damping),
                          layout[static_cast<std::size_t>(motion.largest_component(i))].name,
                          shown ? fmt::format("{}", ++mode) : std::string()});
  }
  write_csv(directory / "eigenvalues.csv", table);
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const StateComponent& component : layout) {
    names.push_back(component.name);
  }
  write_json(directory / "names.json", {{"state", names}});
}

}  // namespace mbdbench
