#pragma once
/// \file
/// Where a named element stands in its list, found in constant time.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mbdbench {

/// Places by name. The first element of a name keeps it.
class NameIndex {
 public:
  void add(const std::string& name, int place) { places_.emplace(name, place); }

  [[nodiscard]] std::optional<int> find(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  struct Hash {
    using is_transparent = void;  // look-ups without a copy of the name
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  std::unordered_map<std::string, int, Hash, std::equal_to<>> places_;
};

}  // namespace mbdbench
