#include "experiments/monitors/table_impulses.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "mechanisms/model/loads/table_law.hpp"

namespace mbdbench {
namespace {

// Methods evaluate f at some two to thirteen points of a step. A much finer look would take loads for met that no stage
// has seen, and a coarser one would blame runs that follow their load.
constexpr int kPoints = 8;

/// Of a straight line between two values.
double area(double width, double first, double second, bool absolute) {
  if (!absolute || first * second >= 0.0) {
    const double sum = 0.5 * width * (first + second);
    return absolute ? std::abs(sum) : sum;
  }
  return 0.5 * width * (first * first + second * second) / std::abs(first - second);
}

}  // namespace

double integral(const TableLaw& table, double from, double to, bool absolute) {
  const auto& abscissa = table.abscissa;
  double sum = 0.0;
  double at = from;
  double value = value_at(table, from);
  for (auto next = std::upper_bound(abscissa.begin(), abscissa.end(), from); at < to; ++next) {
    const double end = next == abscissa.end() ? to : std::min(to, *next);
    const double end_value = value_at(table, end);
    sum += area(end - at, value, end_value, absolute);
    at = end;
    value = end_value;
    if (next == abscissa.end()) {
      break;
    }
  }
  return sum;
}

TableImpulses::TableImpulses(const MechanismDescription& description) {
  const auto add = [this](const Law& law, const std::string& load) {
    if (const auto* const table = std::get_if<TableLaw>(&law); table != nullptr && table->over == "t") {
      impulses_.push_back({load, table});
    }
  };
  for (const JointLoadDescription& load : description.joint_loads) {
    add(load.law, load.name);
  }
  for (const BodyLoadDescription& load : description.body_loads) {
    for (const Law& law : load.force) {
      add(law, load.name);
    }
    for (const Law& law : load.torque) {
      add(law, load.name);
    }
  }
}

void TableImpulses::step(double from, double to) {
  if (to < from) {
    std::swap(from, to);
  }
  const double width = (to - from) / kPoints;
  for (TableImpulse& impulse : impulses_) {
    const TableLaw& table = *impulse.table;
    double seen = 0.5 * width * (value_at(table, from) + value_at(table, to));
    for (int i = 1; i < kPoints; ++i) {
      seen += width * value_at(table, from + i * width);
    }
    impulse.missed += std::abs(integral(table, from, to, false) - seen);
    impulse.whole += integral(table, from, to, true);
  }
}

}  // namespace mbdbench
