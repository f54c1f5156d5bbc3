#include "experiments/studies/verdicts/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace mbdbench::studies {
namespace {

// Formulations in the same variables differ by rounding alone: they share a place.
constexpr double kTie = 1e-6;
// Below so many uncertainties of the reference an error is not known to a tenth.
constexpr double kUncertainties = 10.0;

/// One curve of a work-precision diagram from loose to tight.
class WorkCurve {
 public:
  WorkCurve(const Study& study, const StudyResults& results, const Ranking& ranking)
      : study_(study), results_(results), ranking_(ranking) {}

  Measured at_error(CellKey cell, const Observer& work) const {
    if (const std::optional<Measured> obstacle = reference_obstacle(cell.mechanism)) {
      return *obstacle;
    }
    std::optional<Measured> passed;
    std::optional<Point> before;
    Measured reason = Measured::refused("no run");
    double best = HUGE_VAL;
    for (const std::size_t control : loose_to_tight(cell.integrator)) {
      cell.control = control;
      const Measured error = results_.of(cell, ranking_.error);
      const Measured amount = results_.of(cell, work);
      if (!error.usable() || !amount.usable()) {
        reason = error.usable() ? amount : error;
        before.reset();
        continue;
      }
      const Point here{error.value, amount.value};
      best = std::min(best, here.error);
      if (before && before->error > ranking_.at && here.error <= ranking_.at) {
        passed = Measured::number(between(*before, here));
      }
      before = here;
    }
    if (passed) {
      return *passed;
    }
    if (best == HUGE_VAL) {
      return reason;
    }
    return Measured::refused(best <= ranking_.at
                                 ? fmt::format("more accurate at every setting (best {:.2g} {})", best, unit())
                                 : fmt::format("not reached: {:.2g} {} at best", best, unit()));
  }

 private:
  struct Point {
    double error;
    double work;
  };

  [[nodiscard]] std::string_view unit() const { return ranking_.error.entry().unit; }

  [[nodiscard]] std::vector<std::size_t> loose_to_tight(std::size_t integrator) const {
    std::vector<std::size_t> controls;
    for (std::size_t c = 0; c < study_.controls.size(); ++c) {
      if (study_.runs(integrator, c)) {
        controls.push_back(c);
      }
    }
    std::sort(controls.begin(), controls.end(),
              [&](std::size_t a, std::size_t b) { return study_.controls[a].value > study_.controls[b].value; });
    return controls;
  }

  [[nodiscard]] double between(const Point& loose, const Point& tight) const {
    if (tight.error == 0.0) {
      return tight.work;
    }
    const double share = std::log(loose.error / ranking_.at) / std::log(loose.error / tight.error);
    return loose.work * std::pow(tight.work / loose.work, share);
  }

  [[nodiscard]] std::optional<Measured> reference_obstacle(std::size_t mechanism) const {
    if (!ranking_.error.needs_reference()) {
      return std::nullopt;
    }
    const Measured& uncertainty = ranking_.error.quantity == Quantity::orientation_error
                                      ? results_.orientation_uncertainty[mechanism]
                                      : results_.position_uncertainty[mechanism];
    if (!uncertainty.usable()) {
      return uncertainty;
    }
    if (kUncertainties * uncertainty.value > ranking_.at) {
      return Measured::refused(
          fmt::format("the reference itself is uncertain by {:.2g} {}", uncertainty.value, unit()));
    }
    return std::nullopt;
  }

  const Study& study_;
  const StudyResults& results_;
  const Ranking& ranking_;
};

void give_places(std::vector<RankedWork>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const RankedWork& a, const RankedWork& b) {
    if (a.amount.usable() != b.amount.usable()) {
      return a.amount.usable();
    }
    return a.amount.usable() && a.amount.value < b.amount.value;
  });
  for (std::size_t i = 0; i < rows.size() && rows[i].amount.usable(); ++i) {
    const bool tie = i > 0 && rows[i].amount.value <= (1.0 + kTie) * rows[i - 1].amount.value;
    rows[i].place = tie ? rows[i - 1].place : static_cast<int>(i) + 1;
  }
}

}  // namespace

Measured work_at_error(const Study& study, const StudyResults& results, const Ranking& ranking, const CellKey& cell,
                       const Observer& work) {
  return WorkCurve(study, results, ranking).at_error(cell, work);
}

std::vector<RankedWork> rank_at_equal_error(const Study& study, const StudyResults& results, const Ranking& ranking) {
  const WorkCurve curve(study, results, ranking);
  std::vector<RankedWork> all;
  for (const Observer& work : ranking.work) {
    for (const std::size_t m : ranking.mechanisms) {
      if (study.mechanisms[m].controls.size() < 2 && study.controls.size() > 1) {
        continue;  // a single run: there is no curve
      }
      std::vector<RankedWork> rows;
      for (const std::size_t v : study.mechanisms[m].variants) {
        for (const std::size_t i : study.mechanisms[m].integrators) {
          rows.push_back({m, v, i, work, curve.at_error({m, v, i, 0}, work), 0});
        }
      }
      give_places(rows);
      all.insert(all.end(), rows.begin(), rows.end());
    }
  }
  return all;
}

}  // namespace mbdbench::studies
