#include "experiments/studies/runner/compared_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "experiments/records/line_fit.hpp"
#include "experiments/studies/runner/study_times.hpp"

namespace mbdbench::studies {
namespace {

class RunComparison {
 public:
  RunComparison(const Study& study, const StudyResults& results) : study_(study), results_(results) {}

  [[nodiscard]] Measured measured(const CellKey& cell, const Observer& observer) const {
    return observer.quantity == Quantity::ratio   ? ratio(cell, observer.inner())
           : observer.quantity == Quantity::order ? order(cell, observer.inner())
                                                  : speedup(cell);
  }

 private:
  [[nodiscard]] Measured ratio(const CellKey& cell, const Observer& inner) const {
    const CellKey base{cell.mechanism, *study_.baseline, cell.integrator, cell.control};
    Measured own = results_.of(cell, inner);
    if (!own.usable()) {
      return own;
    }
    Measured baseline = study_.has(base) ? results_.of(base, inner) : Measured::refused("the baseline is not run here");
    if (!baseline.usable()) {
      return baseline;
    }
    return own.value != 0.0 ? Measured::number(baseline.value / own.value) : Measured::refused("0 here");
  }

  /// The slope through this run and the coarser ones of the same integrator, in logarithms.
  [[nodiscard]] Measured order(const CellKey& cell, const Observer& error) const {
    Measured own = results_.of(cell, error);
    if (!own.usable()) {
      return own;
    }
    std::vector<double> controls;
    std::vector<double> errors;
    for (std::size_t c = 0; c < study_.controls.size(); ++c) {
      const CellKey other{cell.mechanism, cell.variant, cell.integrator, c};
      const double control = study_.controls[c].value;
      if (study_.has(other) && control >= study_.controls[cell.control].value) {
        const Measured measured = results_.of(other, error);
        if (measured.usable() && measured.value > 0.0) {
          controls.push_back(std::log(control));
          errors.push_back(std::log(measured.value));
        }
      }
    }
    return controls.size() < 2 ? Measured::refused("a slope needs a coarser run")
                               : Measured::number(fit_line(controls, errors).slope);
  }

  [[nodiscard]] Measured speedup(const CellKey& cell) const {
    const Measured time = results_.of(cell, {Quantity::wall_time, {}});
    if (!time.usable()) {
      return {time.state, 0.0, time.note};
    }
    std::optional<double> best;
    for (std::size_t v = 0; v < study_.variants.size(); ++v) {
      const Measured other = results_.of({cell.mechanism, v, cell.integrator, cell.control}, {Quantity::wall_time, {}});
      if (is_sequential(study_.variants[v])) {
        if (other.state == CellState::disturbed) {
          return {CellState::disturbed, 0.0, fmt::format("disturbed: variant '{}'", study_.variants[v].label)};
        }
        best = other.usable() ? std::min(best.value_or(other.value), other.value) : best;
      }
    }
    return best ? Measured::number(*best / time.value) : Measured::refused("no sequential variant to compare with");
  }

  const Study& study_;
  const StudyResults& results_;
};

}  // namespace

void compare_runs(const Study& study, StudyResults& results) {
  const RunComparison comparison(study, results);
  for (const Observer& observer : study.observers) {
    const bool compares = observer.quantity == Quantity::ratio || observer.quantity == Quantity::order ||
                          observer.quantity == Quantity::speedup;
    for (auto& [cell, result] : results.cells) {
      if (compares && !study.mechanisms[cell.mechanism].integrators.empty()) {
        result[observer] = comparison.measured(cell, observer);
      }
    }
  }
}

}  // namespace mbdbench::studies
