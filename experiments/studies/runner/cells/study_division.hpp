#pragma once
/// \file
/// How a study is divided into shares that are computed by processes which do not know of one another: on the nodes of
/// a cluster, today and tomorrow, in any order.
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/studies/declaration/study.hpp"

namespace mbdbench::studies {

/// The K-th of N shares.
struct StudyShare {
  int number = 1;  ///< from 1
  int count = 1;
  /// \returns "3/100".
  [[nodiscard]] std::string text() const;
  /// \returns the name of its file of finished parts.
  [[nodiscard]] std::string journal_name() const;
};

/// \returns the share that "3/100" says. \throws std::invalid_argument
StudyShare parse_share(std::string_view text);

/// \returns the files of finished parts that shares have left in a study's directory, in the order of their names.
std::map<std::filesystem::path, StudyShare> share_files(const std::filesystem::path& output);

/// A study's runs as they are dealt to N shares. A mechanism whose times are measured stays in one share, so that its
/// times are of one machine; other runs are dealt one by one.
class StudyDivision {
 public:
  StudyDivision(const Study& study, int count);
  /// \returns the number of the share that has a run.
  [[nodiscard]] int share_of(const CellKey& cell) const { return shares_.at(cell); }
  /// \returns into how many pieces the study can be divided: more shares have nothing to do.
  [[nodiscard]] std::size_t pieces() const { return pieces_; }

 private:
  std::map<CellKey, int> shares_;
  std::size_t pieces_ = 0;
};

/// \returns whether times of this mechanism are measured: of its runs or its right-hand sides.
bool is_timed(const Study& study, std::size_t mechanism);

}  // namespace mbdbench::studies
