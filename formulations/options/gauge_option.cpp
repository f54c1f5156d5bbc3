#include "formulations/options/gauge_option.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace mbdbench {

double tangent_leak(double leak, const Mechanism& mechanism, std::span<const double> u) {
  if (leak == 0.0) {
    return 0.0;
  }
  const Eigen::Map<const Eigen::VectorXd> rates(u.data(), static_cast<Eigen::Index>(u.size()));
  return std::max(leak, mechanism.scales().largest_rate(rates));
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
