#include "mechanisms/io/text/field_reader.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

#include "mechanisms/io/file_error.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

std::size_t line_of(const toml::node& node) {
  return node.source().begin.line;
}

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

}  // namespace

FieldReader::FieldReader(FileContext& context, const toml::table& table, ElementReference where, std::string label)
    : context_(context), table_(table), where_(std::move(where)), label_(std::move(label)) {}

ElementReference FieldReader::reference(std::string_view key) const {
  return {where_.section, where_.index, where_.key + std::string(key)};
}

const toml::node* FieldReader::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
    known_.emplace_back(key);
  }
  const toml::node* node = table_.get(key);
  if (node != nullptr) {
    context_.lines.note(reference(key), line_of(*node));
  }
  return node;
}

void FieldReader::fail(const toml::node& node, std::string_view key, std::string_view message) const {
  throw FileError(context_.file_name, line_of(node), fmt::format("{}: {} {}", label_, key, message));
}

void FieldReader::fail_element(std::string_view message) const {
  throw FileError(context_.file_name, line_of(table_), fmt::format("{}: {}", label_, message));
}

FieldReader& FieldReader::require(std::string_view key) {
  if (find(key) == nullptr && missing_.empty()) {
    missing_ = key;
  }
  return *this;
}

double FieldReader::to_number(const toml::node& node, std::string_view key) const {
  // Integers beyond 2^53 become the nearest number, as decimal fractions do.
  if (const auto* const integer = node.as_integer()) {
    return static_cast<double>(integer->get());
  }
  if (const auto* const number = node.as_floating_point()) {
    return number->get();
  }
  fail(node, key, fmt::format("is {}, it must be a number", type_name(node)));
}

const toml::array& FieldReader::to_array(const toml::node& node, std::string_view key,
                                         std::string_view expected) const {
  if (const toml::array* array = node.as_array()) {
    return *array;
  }
  fail(node, key, fmt::format("is {}, it must be {}", type_name(node), expected));
}

std::vector<double> FieldReader::to_numbers(const toml::node& node, std::string_view key) const {
  std::vector<double> values;
  for (const toml::node& element : to_array(node, key, "a list of numbers in [ ]")) {
    values.push_back(to_number(element, fmt::format("number {} of {}", values.size() + 1, key)));
  }
  return values;
}

void FieldReader::read(std::string_view key, double& value) {
  if (const toml::node* node = find(key)) {
    value = to_number(*node, key);
  }
}

void FieldReader::read(std::string_view key, std::optional<double>& value) {
  if (const toml::node* node = find(key)) {
    value = to_number(*node, key);
  }
}

void FieldReader::read(std::string_view key, bool& value) {
  if (const toml::node* node = find(key)) {
    if (!node->is_boolean()) {
      fail(*node, key, fmt::format("is {}, it must be true or false", type_name(*node)));
    }
    value = node->ref<bool>();
  }
}

void FieldReader::read(std::string_view key, std::string& value) {
  if (const toml::node* node = find(key)) {
    if (!node->is_string()) {
      fail(*node, key, fmt::format("is {}, it must be a string in quotes", type_name(*node)));
    }
    value = node->ref<std::string>();
  }
}

void FieldReader::read(std::string_view key, std::vector<double>& values) {
  if (const toml::node* node = find(key)) {
    values = to_numbers(*node, key);
  }
}

void FieldReader::read(std::string_view key, std::vector<std::string>& values) {
  const toml::node* node = find(key);
  if (node == nullptr) {
    return;
  }
  const toml::array& array = to_array(*node, key, "a list of texts");
  values.clear();
  for (const toml::node& item : array) {
    const auto text = item.value<std::string>();
    if (!text) {
      fail(item, key, fmt::format("holds {}, it must be a list of texts", type_name(item)));
    }
    values.push_back(*text);
  }
}

void FieldReader::read_fixed(std::string_view key, double* values, std::size_t count) {
  if (const toml::node* node = find(key)) {
    const std::vector<double> given = to_numbers(*node, key);
    if (given.size() != count) {
      fail(*node, key, fmt::format("has {} numbers, it must have {}", given.size(), count));
    }
    std::copy(given.begin(), given.end(), values);
  }
}

void FieldReader::read(std::string_view key, Vec3& value) {
  read_fixed(key, value.data(), 3);
}

void FieldReader::read(std::string_view key, Eigen::Vector4d& value) {
  read_fixed(key, value.data(), 4);
}

void FieldReader::read(std::string_view key, JointType& type) {
  std::string name(to_string(type));
  read(key, name);
  const auto found = joint_type_of(name);
  if (!found) {
    std::vector<std::string> names;
    names.reserve(kAllJointTypes.size() + kCutOnlyTypes.size() + kRollingTypes.size());
    for (const JointType known : kAllJointTypes) {
      names.emplace_back(to_string(known));
    }
    for (const JointType known : kCutOnlyTypes) {
      names.emplace_back(to_string(known));
    }
    for (const JointType known : kRollingTypes) {
      names.emplace_back(to_string(known));
    }
    fail(*find(key), key, fmt::format("\"{}\" does not exist; {}", name, suggest_name(name, names, "types")));
  }
  type = *found;
}

Law FieldReader::to_law(const toml::node& node, const std::string& key) {
  context_.lines.note(reference(key), line_of(node));
  if (node.is_number()) {
    return ConstantLaw{to_number(node, key)};
  }
  if (node.is_string()) {
    return ExpressionLaw{node.ref<std::string>()};
  }
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    fail(
        node, key,
        fmt::format("is {}, it must be a number, a formula in quotes or a table {{over = \"t\", x = [...], y = [...]}}",
                    type_name(node)));
  }
  TableLaw law;
  FieldReader fields(context_, *table, reference(key + "."), fmt::format("{}: {}", label_, key));
  fields.read("over", law.over);
  fields.require("x").read("x", law.abscissa);
  fields.require("y").read("y", law.values);
  fields.finish();
  return law;
}

void FieldReader::read(std::string_view key, Law& law) {
  if (const toml::node* node = find(key)) {
    law = to_law(*node, std::string(key));
  }
}

void FieldReader::read(std::string_view key, std::vector<Law>& laws) {
  if (const toml::node* node = find(key)) {
    const toml::array& array = to_array(*node, key, "a list of three numbers, formulas or tables");
    if (array.size() != 3) {
      fail(*node, key, fmt::format("has {} components, it must have 3", array.size()));
    }
    laws.clear();
    for (const toml::node& element : array) {
      laws.push_back(to_law(element, fmt::format("{}[{}]", key, laws.size())));
    }
  }
}

void FieldReader::read(std::string_view key, JointFrame& frame) {
  if (const toml::node* node = find(key)) {
    const toml::table* table = node->as_table();
    if (table == nullptr) {
      fail(
          *node, key,
          fmt::format(
              "is {}, it must be a table {{position = [x, y, z], rotation = [w, x, y, z]}} (or rpy, or axis and angle)",
              type_name(*node)));
    }
    FieldReader fields(context_, *table, reference(std::string(key) + "."), fmt::format("{}: {}", label_, key));
    fields.read("position", frame.position);
    fields.read_rotation(frame.rotation);
    fields.finish();
  }
}

void FieldReader::read_rotation(Eigen::Vector4d& rotation) {
  const toml::node* const quaternion = find("rotation");
  const toml::node* const rpy = find("rpy");
  const toml::node* const axis = find("axis");
  const int given = (quaternion != nullptr ? 1 : 0) + (rpy != nullptr ? 1 : 0) + (axis != nullptr ? 1 : 0);
  if (given > 1) {
    fail_element("has its rotation twice; give one of rotation (a quaternion), rpy, or axis and angle");
  }
  read("rotation", rotation);
  bool normalise = false;
  read("normalise", normalise);
  if (normalise) {
    if (quaternion == nullptr || !(rotation.norm() > 0.0)) {
      fail_element("has normalise = true, which needs rotation = [w, x, y, z], not all zero");
    }
    rotation.normalize();
  }
  Vec3 angles = Vec3::Zero();
  read("rpy", angles);
  if (rpy != nullptr) {
    const Eigen::Quaterniond turned = Eigen::AngleAxisd(angles.z(), Vec3::UnitZ()) *
                                      Eigen::AngleAxisd(angles.y(), Vec3::UnitY()) *
                                      Eigen::AngleAxisd(angles.x(), Vec3::UnitX());
    rotation = {turned.w(), turned.x(), turned.y(), turned.z()};
  }
  Vec3 direction = Vec3::Zero();
  double angle = 0.0;
  read("axis", direction);
  read("angle", angle);
  if ((find("angle") != nullptr) != (axis != nullptr)) {
    fail_element("has one of axis and angle; a rotation needs both");
  }
  if (axis != nullptr) {
    if (!(direction.norm() > 0.0)) {
      fail_element("has an axis of length zero; give its direction");
    }
    const Eigen::Quaterniond turned(Eigen::AngleAxisd(angle, direction.normalized()));
    rotation = {turned.w(), turned.x(), turned.y(), turned.z()};
  }
}

void FieldReader::read_inertia(std::string_view key, Mat3& inertia) {
  const toml::node* node = find(key);
  if (node == nullptr) {
    return;
  }
  constexpr std::string_view kExpected =
      "3 moments [xx, yy, zz], 6 entries of the matrix [xx, yy, zz, xy, xz, yz] or 3 rows of 3 numbers";
  const toml::array& array = to_array(*node, key, kExpected);
  if (array.size() == 3 && array[0].is_array()) {
    for (int row = 0; row < 3; ++row) {
      const toml::node& line = array[static_cast<std::size_t>(row)];
      const std::vector<double> entries = to_numbers(line, fmt::format("row {} of {}", row + 1, key));
      if (entries.size() != 3) {
        fail(line, key, fmt::format("has a row of {} numbers, it must be {}", entries.size(), kExpected));
      }
      inertia.row(row) << entries[0], entries[1], entries[2];
    }
    return;
  }
  const std::vector<double> entries = to_numbers(*node, key);
  if (entries.size() != 3 && entries.size() != 6) {
    fail(*node, key, fmt::format("has {} numbers, it must be {}", entries.size(), kExpected));
  }
  inertia = Vec3(entries[0], entries[1], entries[2]).asDiagonal();
  if (entries.size() == 6) {
    inertia(0, 1) = inertia(1, 0) = entries[3];
    inertia(0, 2) = inertia(2, 0) = entries[4];
    inertia(1, 2) = inertia(2, 1) = entries[5];
  }
}

void FieldReader::read_component(std::string_view key, int& component) {
  constexpr std::int64_t kMost = 6;
  if (const toml::node* node = find(key)) {
    const std::int64_t* value = nullptr;
    if (const auto* integer = node->as_integer()) {
      value = &integer->get();
    }
    if (value == nullptr || *value < 1 || *value > kMost) {
      fail(*node, key, fmt::format("must be an integer from 1 (the joint's first component) to at most {}", kMost));
    }
    component = static_cast<int>(*value - 1);
  }
}

void FieldReader::read_tables(std::string_view key, std::string_view section, std::string_view kind,
                              const std::function<void(FieldReader&)>& read_element) {
  const toml::node* node = find(key);
  if (node == nullptr) {
    return;
  }
  const std::string header = section.empty() ? fmt::format("{}.{}", where_.section, key) : std::string(key);
  const std::string expected = fmt::format("a list of tables (one [[{}]] for each {})", header, kind);
  const toml::array& array = to_array(*node, key, expected);
  for (std::size_t i = 0; i < array.size(); ++i) {
    const toml::table* table = array[i].as_table();
    if (table == nullptr) {
      fail(array[i], key, fmt::format("holds {}, it must be {}", type_name(array[i]), expected));
    }
    const auto name = (*table)["name"].value<std::string>();
    const std::string label = name ? fmt::format("{} '{}'", kind, *name) : fmt::format("{} number {}", kind, i + 1);
    if (section.empty()) {
      FieldReader fields(context_, *table, reference(fmt::format("{}[{}].", key, i)),
                         fmt::format("{}: {}", label_, label));
      read_element(fields);
      fields.finish();
    } else {
      context_.lines.note({std::string(section), i, ""}, line_of(*table));
      FieldReader fields(context_, *table, {std::string(section), i, ""}, label);
      read_element(fields);
      fields.finish();
    }
  }
}

void FieldReader::finish() const {
  for (const auto& [key, node] : table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) == known_.end()) {
      throw FileError(
          context_.file_name, key.source().begin.line,
          fmt::format("{}: unknown key \"{}\"; {}", label_, key.str(), suggest_name(key.str(), known_, "keys")));
    }
  }
  if (!missing_.empty()) {
    throw FileError(context_.file_name, line_of(table_), fmt::format("{}: {} is missing", label_, missing_));
  }
}

}  // namespace mbdbench
