#include "experiments/mechanism_source.hpp"

#include <filesystem>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_reader.hpp"

namespace mbdbench {

Mechanism find_mechanism(const Registries& registries, const std::string& word) {
  const std::filesystem::path path(word);
  // A directory that happens to be called like a mechanism must not hide it.
  std::error_code ignored;
  if (path.extension() == ".toml" || std::filesystem::is_regular_file(path, ignored)) {
    return load_mechanism(path);
  }
  return make_mechanism(registries.mechanisms, word);
}

}  // namespace mbdbench
