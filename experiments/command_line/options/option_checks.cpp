#include "experiments/command_line/options/option_checks.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <string>

namespace mbdbench {
namespace {

template <class Number>
CLI::Validator range_check(Number least, Number most, const char* noun) {
  const std::string wanted = fmt::format("{} from {} to {}", noun, least, most);
  CLI::Validator check;
  check.description(fmt::format("from {} to {}", least, most));
  check.operation([=](const std::string& text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    const bool usable = error == std::errc{} && stopped == end && value >= least && value <= most;
    return usable ? std::string() : fmt::format("'{}': must be {}", text, wanted);
  });
  return check;
}

}  // namespace

CLI::Validator integer_from(std::int64_t least, std::int64_t most) {
  return range_check(least, most, "a whole number");
}

CLI::Validator number_from(double least, double most) {
  return range_check(least, most, "a number");
}

void require_free(const std::filesystem::path& file, bool overwrite) {
  if (std::filesystem::is_regular_file(file) && !overwrite) {
    throw std::invalid_argument(
        fmt::format("{}: is already there; choose another file or add --overwrite", file.string()));
  }
}

void add_overwrite_flag(CLI::App& command, bool& overwrite) {
  command.add_flag("--overwrite", overwrite, "Remove the results that are in the directory, whoever made them");
}

}  // namespace mbdbench
