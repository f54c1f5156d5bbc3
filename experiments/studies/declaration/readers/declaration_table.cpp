#include "experiments/studies/declaration/readers/declaration_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "mechanisms/io/file_error.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::studies {
namespace {

std::size_t declared_line(const toml::node& node) {
  return node.source().begin.line;
}

}  // namespace

DeclarationTable::DeclarationTable(const std::string& file, const toml::table& table, std::string label,
                                   std::size_t line, const std::vector<std::string>& keys)
    : file_(file), table_(table), label_(std::move(label)), line_(line) {
  const toml::key* first = nullptr;
  for (const auto& [key, value] : table_) {
    const bool known = std::find(keys.begin(), keys.end(), key.str()) != keys.end();
    if (!known && (first == nullptr || key.source().begin.line < first->source().begin.line)) {
      first = &key;
    }
  }
  if (first != nullptr) {
    fail(first->source().begin.line,
         fmt::format("there is no key '{}'; {}", first->str(), suggest_name(first->str(), keys, "keys")));
  }
}

void DeclarationTable::fail(std::size_t line, std::string_view message) const {
  throw FileError(file_, line, fmt::format("{}: {}", label_, message));
}

void DeclarationTable::wrong_type(const toml::node& node, std::string_view key, std::string_view wanted) const {
  fail(declared_line(node), fmt::format("{} must be {}", key, wanted));
}

LocatedText DeclarationTable::text_of(const toml::node& node, std::string_view key) const {
  const auto value = node.value<std::string>();
  if (!node.is_string() || !value || value->empty()) {
    wrong_type(node, key, "a text in quotes");
  }
  return {*value, declared_line(node)};
}

LocatedNumber DeclarationTable::number_of(const toml::node& node, std::string_view key) const {
  // Integers beyond 2^53 become the nearest number, as decimal fractions do.
  const double value = node.is_integer()          ? static_cast<double>(node.as_integer()->get())
                       : node.is_floating_point() ? node.as_floating_point()->get()
                                                  : std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(value)) {
    wrong_type(node, key, "a finite number");
  }
  return {value, declared_line(node)};
}

bool DeclarationTable::is_list(std::string_view key) const {
  return has(key) && find(key)->is_array();
}

std::optional<LocatedText> DeclarationTable::text(std::string_view key) const {
  const toml::node* const node = find(key);
  return node == nullptr ? std::nullopt : std::optional(text_of(*node, key));
}

LocatedText DeclarationTable::needed_text(std::string_view key) const {
  if (!has(key)) {
    fail(line_, fmt::format("{} is missing, a text", key));
  }
  return *text(key);
}

std::optional<LocatedNumber> DeclarationTable::number(std::string_view key) const {
  const toml::node* const node = find(key);
  return node == nullptr ? std::nullopt : std::optional(number_of(*node, key));
}

std::optional<bool> DeclarationTable::flag(std::string_view key) const {
  const toml::node* const node = find(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  const auto value = node->value<bool>();
  if (!node->is_boolean() || !value) {
    wrong_type(*node, key, "true or false");
  }
  return value;
}

std::vector<LocatedText> DeclarationTable::texts_of(const toml::node& node, std::string_view key) const {
  std::vector<LocatedText> all;
  if (const toml::array* const list = node.as_array()) {
    for (const toml::node& entry : *list) {
      all.push_back(text_of(entry, key));
    }
  } else {
    all.push_back(text_of(node, key));
  }
  return all;
}

std::vector<LocatedNumber> DeclarationTable::numbers_of(const toml::node& node, std::string_view key) const {
  std::vector<LocatedNumber> all;
  if (const toml::array* const list = node.as_array()) {
    for (const toml::node& entry : *list) {
      all.push_back(number_of(entry, key));
    }
  } else {
    all.push_back(number_of(node, key));
  }
  return all;
}

std::vector<LocatedText> DeclarationTable::texts(std::string_view key) const {
  const toml::node* const node = find(key);
  return node == nullptr ? std::vector<LocatedText>() : texts_of(*node, key);
}

std::vector<LocatedNumber> DeclarationTable::numbers(std::string_view key) const {
  const toml::node* const node = find(key);
  return node == nullptr ? std::vector<LocatedNumber>() : numbers_of(*node, key);
}

bool DeclarationTable::is_table(std::string_view key) const {
  const toml::node* const node = find(key);
  return node != nullptr && node->is_table();
}

std::vector<std::pair<LocatedText, const toml::node*>> DeclarationTable::named(std::string_view key,
                                                                               std::string_view wanted) const {
  std::vector<std::pair<LocatedText, const toml::node*>> all;
  const toml::node* const node = find(key);
  if (node == nullptr) {
    return all;
  }
  const toml::table* const table = node->as_table();
  if (table == nullptr) {
    wrong_type(*node, key, wanted);
  }
  for (const auto& [name, value] : *table) {
    all.emplace_back(LocatedText{std::string(name.str()), declared_line(value)}, &value);
  }
  // The table is sorted by name; a study's order is that of its lines.
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    const auto position = [](const auto& entry) { return entry.second->source().begin; };
    return std::pair(position(a).line, position(a).column) < std::pair(position(b).line, position(b).column);
  });
  return all;
}

std::vector<std::pair<LocatedText, LocatedText>> DeclarationTable::named_texts(std::string_view key) const {
  std::vector<std::pair<LocatedText, LocatedText>> all;
  for (const auto& [name, value] : named(key, "a table: \"LABEL\" = \"text\"")) {
    all.emplace_back(name, text_of(*value, name.text));
  }
  return all;
}

std::vector<std::pair<LocatedText, LocatedNumber>> DeclarationTable::named_numbers(std::string_view key) const {
  std::vector<std::pair<LocatedText, LocatedNumber>> all;
  for (const auto& [name, value] : named(key, "a table: NAME = number")) {
    all.emplace_back(name, number_of(*value, name.text));
  }
  return all;
}

std::vector<std::pair<LocatedText, std::vector<LocatedText>>> DeclarationTable::named_text_lists(
    std::string_view key) const {
  std::vector<std::pair<LocatedText, std::vector<LocatedText>>> all;
  for (const auto& [name, value] : named(key, "a table: \"LABEL\" = [\"KEY\", \"KEY\"]")) {
    all.emplace_back(name, texts_of(*value, name.text));
  }
  return all;
}

std::vector<std::pair<LocatedText, std::vector<LocatedNumber>>> DeclarationTable::named_number_lists(
    std::string_view key) const {
  std::vector<std::pair<LocatedText, std::vector<LocatedNumber>>> all;
  for (const auto& [name, value] : named(key, "a table: KEY = [0.01, 0.02]")) {
    all.emplace_back(name, numbers_of(*value, name.text));
  }
  return all;
}

double DeclarationTable::whole(std::string_view key, double fallback, double least, double most) const {
  const auto wanted = number(key);
  if (!wanted) {
    return fallback;
  }
  if (!(wanted->value >= least && wanted->value <= most && std::floor(wanted->value) == wanted->value)) {
    fail(wanted->line, fmt::format("{} must be a whole number from {} to {}, not {}", key, least, most, wanted->value));
  }
  return wanted->value;
}

double DeclarationTable::positive(const LocatedNumber& number, std::string_view key) const {
  if (!(number.value > 0.0)) {
    fail(number.line, fmt::format("{} must be above 0, not {}", key, number.value));
  }
  return number.value;
}

void DeclarationTable::entries(std::string_view key, const std::string& label, const std::vector<std::string>& keys,
                               const std::function<void(const LocatedText&)>& take_text,
                               const std::function<void(const DeclarationTable&)>& take_table) const {
  const toml::node* const node = find(key);
  if (node == nullptr) {
    return;
  }
  const toml::array* const list = node->as_array();
  if (list == nullptr) {
    wrong_type(*node, key, "a list");
  }
  for (const toml::node& entry : *list) {
    if (const toml::table* const table = entry.as_table()) {
      take_table(DeclarationTable(file_, *table, label, declared_line(entry), keys));
    } else if (take_text) {
      take_text(text_of(entry, key));
    } else {
      wrong_type(entry, key, fmt::format("a list of tables, [[{}]]", key));
    }
  }
}

std::string plain_name(const DeclarationTable& table) {
  constexpr std::size_t kLongest = 100;
  const LocatedText name = table.needed_text("name");
  const bool plain = std::all_of(name.text.begin(), name.text.end(), [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-';
  });
  if (!plain || name.text.empty() || name.text.size() > kLongest) {
    table.fail(name.line,
               fmt::format("name '{}' becomes part of file names: letters, digits, '_' and '-' only, 1 to {}",
                           name.text, kLongest));
  }
  return name.text;
}

}  // namespace mbdbench::studies
