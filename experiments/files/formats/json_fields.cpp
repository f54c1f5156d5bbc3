#include "experiments/files/formats/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/files/formats/json_file.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {

nlohmann::json parse_json_object(std::string_view text, const std::filesystem::path& file, std::string_view wanted) {
  if (!is_shallow_json(text)) {
    throw FileError(file.string(), 0, fmt::format("not {}: it is nested deeper than {} levels", wanted, kDeepestJson));
  }
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t end = std::min(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw FileError(file.string(), static_cast<std::size_t>(line),
                    fmt::format("not {}: {} no JSON; the file was changed, cut off or damaged", wanted,
                                text.empty() ? "it is empty and" : "what stands here is"));
  }
  if (!json.is_object()) {
    throw FileError(file.string(), 1, fmt::format("not {}: it must be a JSON object, {{...}}", wanted));
  }
  return json;
}

JsonFields::JsonFields(const nlohmann::json& object, std::filesystem::path file, std::string within)
    : object_(&object), file_(std::move(file)), within_(std::move(within)) {}

std::string JsonFields::text(const std::string& key) const {
  return field(key, &nlohmann::json::is_string, "a text").get<std::string>();
}

double JsonFields::number(const std::string& key) const {
  return field(key, &nlohmann::json::is_number, "a number").get<double>();
}

int JsonFields::integer(const std::string& key) const {
  const double value = number(key);
  if (!(std::abs(value) <= 1e9) || std::floor(value) != value) {
    refuse(key, object_->at(key), "a whole number");
  }
  return static_cast<int>(value);
}

bool JsonFields::flag(const std::string& key) const {
  return field(key, &nlohmann::json::is_boolean, "true or false").get<bool>();
}

std::vector<double> JsonFields::numbers(const std::string& key) const {
  std::vector<double> values = numbers_or_nan(key);
  const nlohmann::json& list = object_->at(key);
  if (const auto null = std::find(list.begin(), list.end(), nullptr); null != list.end()) {
    refuse(key, *null, "a list of numbers");
  }
  return values;
}

std::vector<double> JsonFields::numbers_or_nan(const std::string& key) const {
  std::vector<double> values;
  for (const nlohmann::json& value : field(key, &nlohmann::json::is_array, "a list of numbers")) {
    if (!value.is_number() && !value.is_null()) {
      refuse(key, value, "a list of numbers");
    }
    values.push_back(value.is_null() ? std::nan("") : value.get<double>());
  }
  return values;
}

std::vector<std::string> JsonFields::texts(const std::string& key) const {
  std::vector<std::string> values;
  for (const nlohmann::json& value : field(key, &nlohmann::json::is_array, "a list of texts")) {
    if (!value.is_string()) {
      refuse(key, value, "a list of texts");
    }
    values.push_back(value.get<std::string>());
  }
  return values;
}

JsonFields JsonFields::fields(const std::string& key) const {
  return {field(key, &nlohmann::json::is_object, "an object, {...}"), file_, within_ + key + "."};
}

std::vector<std::string> JsonFields::keys() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : object_->items()) {
    names.push_back(name);
  }
  return names;
}

bool JsonFields::has(const std::string& key) const {
  return object_->contains(key) && !object_->at(key).is_null();
}

const nlohmann::json& JsonFields::field(const std::string& key, bool (nlohmann::json::*is)() const noexcept,
                                        std::string_view wanted) const {
  const auto found = object_->find(key);
  if (found == object_->end()) {
    throw FileError(file_.string(), 0, fmt::format("'{}{}' is missing; it must be {}", within_, key, wanted));
  }
  if (!((*found).*is)()) {
    refuse(key, *found, wanted);
  }
  return *found;
}

void JsonFields::refuse(const std::string& key, const nlohmann::json& found, std::string_view wanted) const {
  std::string text = found.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > 40) {
    text = text.substr(0, 40) + "...";
  }
  throw FileError(file_.string(), 0, fmt::format("'{}{}' must be {}; there is {}", within_, key, wanted, text));
}

}  // namespace mbdbench
