#pragma once
/// \file
/// `mbdbench simulate --ensemble` as tests call it, and the tables that it leaves.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {

/// A table with its columns by name.
class NamedTable {
 public:
  explicit NamedTable(const std::filesystem::path& file) : table_(read_csv(file)) {}

  [[nodiscard]] std::size_t rows() const { return table_.rows.size(); }
  [[nodiscard]] const std::string& text(std::size_t row, const std::string& column) const {
    const auto found = std::find(table_.columns.begin(), table_.columns.end(), column);
    EXPECT_NE(found, table_.columns.end()) << column;
    return table_.rows.at(row)[static_cast<std::size_t>(found - table_.columns.begin())];
  }
  /// \returns NaN where there is none.
  [[nodiscard]] double number(std::size_t row, const std::string& column) const {
    const std::string& field = text(row, column);
    double value = std::numeric_limits<double>::quiet_NaN();
    std::from_chars(field.data(), field.data() + field.size(), value);
    return value;
  }
  [[nodiscard]] const std::vector<std::string>& row(std::size_t number) const { return table_.rows.at(number); }

 private:
  CsvTable table_;
};

class EnsembleCommandTest : public SimulateCommandTest {
 protected:
  [[nodiscard]] NamedTable members(const std::string& output) const {
    return NamedTable(directory_ / output / "members.csv");
  }
  [[nodiscard]] NamedTable statistics_over_time(const std::string& output) const {
    return NamedTable(directory_ / output / "ensemble.csv");
  }
  [[nodiscard]] nlohmann::json outcome(const std::string& output) const {
    return nlohmann::json::parse(content_of(directory_ / output / "ensemble.json"));
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(directory_ / name) << text; }

  /// Compares everything but times and provenance.
  void expect_same_files(const std::string& output, const std::string& wanted) const {
    for (const char* const file : {"members.csv", "ensemble.csv", "ensemble.json"}) {
      const std::string expected = content_of(directory_ / wanted / file);
      EXPECT_FALSE(expected.empty()) << file;
      EXPECT_TRUE(content_of(directory_ / output / file) == expected) << output << '/' << file;
    }
  }
};

}  // namespace mbdbench
