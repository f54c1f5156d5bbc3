#pragma once
/// \file
/// Fields of a JSON file of ours that somebody may have changed or cut off: what is missing or of another kind is told
/// with the file, the field and what it must be.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mbdbench {

/// \param wanted what the file must be: "a saved state"
/// \returns what the text holds, which is one object. \throws FileError with the line where it stops being JSON
nlohmann::json parse_json_object(std::string_view text, const std::filesystem::path& file, std::string_view wanted);

/// An object of a file.
class JsonFields {
 public:
  /// \param object must outlive this \param within "settings.", for messages
  JsonFields(const nlohmann::json& object, std::filesystem::path file, std::string within = "");

  /// \throws FileError unless the field is there and of this kind
  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] double number(const std::string& key) const;
  [[nodiscard]] int integer(const std::string& key) const;
  [[nodiscard]] bool flag(const std::string& key) const;
  [[nodiscard]] std::vector<double> numbers(const std::string& key) const;
  /// A number that was not finite is written as null. \returns NaN for it.
  [[nodiscard]] std::vector<double> numbers_or_nan(const std::string& key) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;
  [[nodiscard]] JsonFields fields(const std::string& key) const;
  /// \returns the names of all fields.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// \returns whether the field is there, and not null.
  [[nodiscard]] bool has(const std::string& key) const;

 private:
  [[nodiscard]] const nlohmann::json& field(const std::string& key, bool (nlohmann::json::*is)() const noexcept,
                                            std::string_view wanted) const;
  [[noreturn]] void refuse(const std::string& key, const nlohmann::json& found, std::string_view wanted) const;

  const nlohmann::json* object_;
  std::filesystem::path file_;
  std::string within_;
};

}  // namespace mbdbench
