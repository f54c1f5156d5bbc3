#pragma once
/// \file
/// Typed access to the fields of one TOML table. Every field asked for is known; `finish` refuses the others.
#include <toml++/toml.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/io/text/source_lines.hpp"
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// What all readers of one file share.
struct FileContext {
  std::string file_name;
  SourceLines lines;
};

/// Reads one table. Fields that are absent leave the value as it is, unless they are required.
/// All functions throw FileError for a value of the wrong type or size.
class FieldReader {
 public:
  /// \param where the element that the table describes; its key is the prefix of the table's fields ("frame_a.") or
  /// empty \param label how messages call the table ("joint 'hip'")
  FieldReader(FileContext& context, const toml::table& table, ElementReference where, std::string label);

  /// Says that the field must be there; `finish` reports it if it is not, after unknown fields: a misspelt field is
  /// both.
  FieldReader& require(std::string_view key);

  void read(std::string_view key, double& value);
  void read(std::string_view key, std::optional<double>& value);
  void read(std::string_view key, bool& value);
  void read(std::string_view key, std::string& value);
  void read(std::string_view key, std::vector<double>& values);
  void read(std::string_view key, std::vector<std::string>& values);
  void read(std::string_view key, Vec3& value);
  void read(std::string_view key, Eigen::Vector4d& value);
  void read(std::string_view key, JointType& type);
  /// Number, formula or inline table {over, x, y}.
  void read(std::string_view key, Law& law);
  /// Three laws.
  void read(std::string_view key, std::vector<Law>& laws);
  /// {position} with a rotation: {rotation} (with {normalise}), {rpy}, or {axis, angle}.
  void read(std::string_view key, JointFrame& frame);
  /// Three numbers (diagonal), six (xx, yy, zz, xy, xz, yz) or three rows of three.
  void read_inertia(std::string_view key, Mat3& inertia);
  /// From 1 in the file, from 0 in `component`.
  void read_component(std::string_view key, int& component);
  /// Calls `read_element` for every table of a list of tables. \param kind singular for messages ("joint")
  /// \param section name of the list in element references; empty: a list inside this element
  void read_tables(std::string_view key, std::string_view section, std::string_view kind,
                   const std::function<void(FieldReader&)>& read_element);

  /// \throws FileError about the element as a whole.
  [[noreturn]] void fail_element(std::string_view message) const;

  /// \throws FileError for the first field that was never asked for, listing those that were, or else for the first
  /// required one that is missing.
  void finish() const;

 private:
  const toml::node* find(std::string_view key);
  [[nodiscard]] ElementReference reference(std::string_view key) const;
  [[noreturn]] void fail(const toml::node& node, std::string_view key, std::string_view message) const;
  [[nodiscard]] double to_number(const toml::node& node, std::string_view key) const;
  [[nodiscard]] std::vector<double> to_numbers(const toml::node& node, std::string_view key) const;
  [[nodiscard]] const toml::array& to_array(const toml::node& node, std::string_view key,
                                            std::string_view expected) const;
  void read_rotation(Eigen::Vector4d& rotation);
  void read_fixed(std::string_view key, double* values, std::size_t count);
  Law to_law(const toml::node& node, const std::string& key);

  FileContext& context_;
  const toml::table& table_;
  ElementReference where_;
  std::string label_;
  std::vector<std::string> known_;
  std::string missing_;  // first required field that is absent
};

}  // namespace mbdbench
