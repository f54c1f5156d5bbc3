#include "experiments/registries/mechanism_source.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "experiments/registries/memory_message.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_reader.hpp"

namespace mbdbench {

Mechanism find_mechanism(const Registries& registries, const std::string& word) {
  std::error_code plain;
  const bool is_whole = std::filesystem::is_regular_file(word, plain);  // brackets may be part of a file's name
  const auto [name, option_text] = is_whole ? std::pair(word, std::string()) : split_robot_word(word);
  const RobotOptions options = parse_robot_options(option_text);
  const std::filesystem::path path(name);
  // A directory that happens to be called like a mechanism must not hide it; no key has a slash in it, or only dots.
  std::error_code ignored;
  const bool is_file = path.extension() == ".toml" || is_robot_file(name) ||
                       std::filesystem::is_regular_file(path, ignored) || name.find('/') != std::string::npos ||
                       name.find_first_not_of('.') == std::string::npos;
  return with_memory_message(fmt::format("mechanism '{}'", word), [&] {
    return is_file ? load_mechanism(path, options) : make_mechanism(registries.mechanisms, word);
  });
}

}  // namespace mbdbench
