#include "experiments/files/formats/json_file.hpp"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/files/formats/csv_file.hpp"

namespace mbdbench {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& json) {
  replace_file(file, json_text(json));
}

bool is_shallow_json(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (in_string) {
      i += letter == '\\' ? 1 : 0;
      in_string = letter != '"';
    } else if (letter == '"') {
      in_string = true;
    } else if (letter == '[' || letter == '{') {
      if (++depth > kDeepestJson) {
        return false;
      }
    } else if ((letter == ']' || letter == '}') && depth > 0) {
      --depth;
    }
  }
  return true;
}

nlohmann::json json_or_discarded(std::string_view text) {
  return is_shallow_json(text) ? nlohmann::json::parse(text, nullptr, false)
                               : nlohmann::json(nlohmann::json::value_t::discarded);
}

nlohmann::ordered_json json_in(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return is_shallow_json(text) ? nlohmann::ordered_json::parse(text, nullptr, false)
                               : nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded);
}

}  // namespace mbdbench
