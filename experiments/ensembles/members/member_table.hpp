#pragma once
/// \file
/// Members that a user gives: a CSV file with a column an initial value or parameter and a row a member.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/ensembles/members/member_variables.hpp"

namespace mbdbench {

/// The rows of a file.
class MemberTable {
 public:
  /// \throws FileError with line and column for what is no number or no variable of the mechanism
  MemberTable(const std::filesystem::path& file, const MemberVariables& variables);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// What the row changes; initial values are held as those of --set are.
  [[nodiscard]] MemberChange change(std::size_t member) const;
  /// \returns the parameters, not initial values, in which members differ.
  [[nodiscard]] std::vector<const MemberVariable*> parameters() const;
  /// \returns what tells tables apart: all names and numbers.
  [[nodiscard]] std::string digest() const;

 private:
  std::vector<const MemberVariable*> columns_;
  std::vector<std::vector<double>> rows_;
};

}  // namespace mbdbench
