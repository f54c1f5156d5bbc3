#pragma once
/// \file
/// The directory of the finished parts of an experiment.
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/records/record.hpp"

namespace mbdbench {

/// What a part yields. Times stay apart: records are the same in every run.
struct PartResult {
  std::vector<Record> records;
  std::vector<Record> timings;
};

/// Sizes and times of the files of a directory, by their names in it: what has changed is what a part has written.
using DirectoryListing = std::map<std::string, std::pair<std::uintmax_t, std::filesystem::file_time_type>>;

/// Keeps a part as parts/NAME.csv and parts/NAME.timings.csv, and parts/NAME.check last: rows and digests of both, the
/// files the part has written beside them with their sizes, and a digest of the records it was computed from. A part
/// that does not check is computed again, with a word.
class PartStore {
 public:
  /// Drops parts that another build of the program has left: its provenance would not be theirs.
  /// \param output directory of the experiment
  explicit PartStore(const std::filesystem::path& output);

  /// \param before all records of the parts before this one
  /// \returns the part, if it is there and whole, has no failed row, and was computed from these records
  [[nodiscard]] std::optional<PartResult> find(const std::string& name, const std::vector<Record>& before) const;

  /// \returns what lies in the output directory now.
  [[nodiscard]] DirectoryListing listing() const;
  /// \param earlier the listing before the part was computed. \throws WriteError
  void keep(const std::string& name, const PartResult& result, const std::vector<Record>& before,
            const DirectoryListing& earlier) const;

 private:
  void drop_parts() const;
  [[nodiscard]] std::filesystem::path file(const std::string& name, const char* ending) const {
    return directory_ / (name + ending);
  }

  std::filesystem::path output_;
  std::filesystem::path directory_;
};

}  // namespace mbdbench
