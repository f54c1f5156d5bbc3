#include "mechanisms/io/file_format.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "mechanisms/io/file_error.hpp"

namespace mbdbench {

std::string format_refusal(double format, int newest) {
  if (!(format >= 1.0) || std::floor(format) != format) {
    return fmt::format("'format' must be a whole number from 1 to {}", newest);
  }
  return format <= newest ? std::string()
                          : fmt::format(
                                "format {:.0f} is that of a newer mbdbench, and this one reads formats up to {}: "
                                "use a newer mbdbench, or write the file in format {}",
                                format, newest, newest);
}

void take_format(toml::table& table, std::string_view file, int newest) {
  const toml::node* const node = table.get("format");
  if (node == nullptr) {
    return;
  }
  const double format = node->value<double>().value_or(std::numeric_limits<double>::quiet_NaN());
  if (const std::string refusal = format_refusal(format, newest); !refusal.empty()) {
    throw FileError(std::string(file), node->source().begin.line, refusal);
  }
  table.erase("format");
}

}  // namespace mbdbench
