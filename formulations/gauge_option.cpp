#include "formulations/gauge_option.hpp"

#include <string>
#include <string_view>

namespace mbdbench {

bool gauge_is_tangent(const Mechanism& mechanism, const Parameters& options) {
  const auto is = [&](std::string_view option, std::string_view choice) {
    const auto found = options.values().find(option);
    return found != options.values().end() && std::get<std::string>(found->second) == choice;
  };
  const bool assembles_others = is("leaf", "subchain") || is("leaf", "subtree");
  return is("gauge", "tangent") || (is("gauge", "auto") && mechanism.cut_row_count() > 0 && !assembles_others);
}

}  // namespace mbdbench
