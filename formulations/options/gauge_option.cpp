#include "formulations/options/gauge_option.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace mbdbench {
namespace {

// The leak is given in 1/s. Of a mechanism that takes days for a swing it would be by far the stiffest part of the
// equations. A hundred times its own rate still keeps sigma small, and whatever swings in less than 40 s has the leak
// as it is given.
constexpr double kStiffestLeak = 100.0;

}  // namespace

double least_tangent_leak(double leak, const Mechanism& mechanism) {
  const CharacteristicScales& scales = mechanism.scales();
  const double own = std::max(scales.rate, scales.largest_rate(mechanism.u0()));
  return own > 0.0 ? std::min(leak, kStiffestLeak * own) : leak;
}

double tangent_leak(double leak, const Mechanism& mechanism, std::span<const double> u) {
  const Eigen::Map<const Eigen::VectorXd> rates(u.data(), static_cast<Eigen::Index>(u.size()));
  return tangent_leak(leak, mechanism, mechanism.scales().largest_rate(rates));
}

double tangent_leak(double leak, const Mechanism& mechanism, double fastest) {
  return leak == 0.0 ? 0.0 : std::max(least_tangent_leak(leak, mechanism), fastest);
}

bool gauge_is_tangent(const Mechanism& mechanism, const Parameters& options) {
  const auto is = [&](std::string_view option, std::string_view choice) {
    const auto found = options.values().find(option);
    return found != options.values().end() && std::get<std::string>(found->second) == choice;
  };
  const bool assembles_others = is("leaf", "subchain") || is("leaf", "subtree");
  return is("gauge", "tangent") || (is("gauge", "auto") && mechanism.cut_row_count() > 0 && !assembles_others);
}

}  // namespace mbdbench
