#include "experiments/registries/mechanism_source.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/registries/memory_message.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_reader.hpp"

namespace mbdbench {

Mechanism find_mechanism(const Registries& registries, const std::string& word) {
  const std::filesystem::path path(word);
  // A directory that happens to be called like a mechanism must not hide it; no key has a slash in it, or only dots.
  std::error_code ignored;
  const bool is_file = path.extension() == ".toml" || path.extension() == ".urdf" ||
                       std::filesystem::is_regular_file(path, ignored) || word.find('/') != std::string::npos ||
                       word.find_first_not_of('.') == std::string::npos;
  return with_memory_message(fmt::format("mechanism '{}'", word), [&] {
    return is_file ? load_mechanism(path) : make_mechanism(registries.mechanisms, word);
  });
}

}  // namespace mbdbench
