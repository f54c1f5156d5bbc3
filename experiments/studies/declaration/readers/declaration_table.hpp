#pragma once
/// \file
/// Typed access to one table of a study's declaration.
#include <toml++/toml.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/io/file_error.hpp"

namespace mbdbench::studies {

/// A text and where it stands.
struct LocatedText {
  std::string text;
  std::size_t line = 0;
};

/// A number and where it stands.
struct LocatedNumber {
  double value = 0.0;
  std::size_t line = 0;
};

/// Reads one table. All functions throw FileError with the line for a value of the wrong type.
class DeclarationTable {
 public:
  /// \param label how messages call the table: "the study", "a claim" \param keys all that it may have
  /// \throws FileError for the first key that it may not have, with the nearest right one
  DeclarationTable(const std::string& file, const toml::table& table, std::string label, std::size_t line,
                   const std::vector<std::string>& keys);

  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] bool is_list(std::string_view key) const;
  [[nodiscard]] std::optional<LocatedText> text(std::string_view key) const;
  [[nodiscard]] LocatedText needed_text(std::string_view key) const;
  [[nodiscard]] std::optional<LocatedNumber> number(std::string_view key) const;
  [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
  /// A list of texts, or one text as a list of one.
  [[nodiscard]] std::vector<LocatedText> texts(std::string_view key) const;
  [[nodiscard]] std::vector<LocatedNumber> numbers(std::string_view key) const;
  [[nodiscard]] bool is_table(std::string_view key) const;
  /// Name -> text of a table inside, in the order of the file.
  [[nodiscard]] std::vector<std::pair<LocatedText, LocatedText>> named_texts(std::string_view key) const;
  /// The same of numbers, of lists of texts, of lists of numbers.
  [[nodiscard]] std::vector<std::pair<LocatedText, LocatedNumber>> named_numbers(std::string_view key) const;
  [[nodiscard]] std::vector<std::pair<LocatedText, std::vector<LocatedText>>> named_text_lists(
      std::string_view key) const;
  [[nodiscard]] std::vector<std::pair<LocatedText, std::vector<LocatedNumber>>> named_number_lists(
      std::string_view key) const;
  /// Calls a function for every entry of a list of texts and tables. \param label of the tables
  /// \param take_text empty: tables only
  void entries(std::string_view key, const std::string& label, const std::vector<std::string>& keys,
               const std::function<void(const LocatedText&)>& take_text,
               const std::function<void(const DeclarationTable&)>& take_table) const;

  /// \returns a whole number within limits; the fallback where there is none.
  [[nodiscard]] double whole(std::string_view key, double fallback, double least, double most) const;
  /// \returns the number, which must be above 0.
  [[nodiscard]] double positive(const LocatedNumber& number, std::string_view key) const;

  /// Runs `read` and gives what it refuses the line.
  template <class Read>
  auto at_line(std::size_t line, const Read& read) const {
    try {
      return read();
    } catch (const FileError& error) {
      // A line of a mechanism's own file says more than that of the study.
      if (error.line() > 0) {
        throw;
      }
      fail(line, error.what());
    } catch (const std::exception& error) {
      fail(line, error.what());
    }
  }

  [[noreturn]] void fail(std::size_t line, std::string_view message) const;

 private:
  [[nodiscard]] const toml::node* find(std::string_view key) const { return table_.get(key); }
  [[noreturn]] void wrong_type(const toml::node& node, std::string_view key, std::string_view wanted) const;
  /// The entries of a table inside, in the order of the file. \param wanted what the table should read
  [[nodiscard]] std::vector<std::pair<LocatedText, const toml::node*>> named(std::string_view key,
                                                                             std::string_view wanted) const;
  [[nodiscard]] std::vector<LocatedText> texts_of(const toml::node& node, std::string_view key) const;
  [[nodiscard]] std::vector<LocatedNumber> numbers_of(const toml::node& node, std::string_view key) const;
  [[nodiscard]] LocatedText text_of(const toml::node& node, std::string_view key) const;
  [[nodiscard]] LocatedNumber number_of(const toml::node& node, std::string_view key) const;

  const std::string& file_;
  const toml::table& table_;
  std::string label_;
  std::size_t line_;
};

/// \returns the table's `name`, which becomes part of file names. \throws FileError unless it is of letters, digits,
/// '_' and '-', so that no file is written outside of the study's folder
std::string plain_name(const DeclarationTable& table);

}  // namespace mbdbench::studies
