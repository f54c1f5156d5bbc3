#include "experiments/studies/declaration/frozen_reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/text_digest.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench::studies {
namespace {

/// "way", "t", and the coordinates as trajectories name them.
std::vector<std::string> frozen_columns(const Mechanism& mechanism) {
  std::vector<std::string> columns = {"way", "t"};
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nq; ++i) {
      columns.push_back(joint.nq == 1 ? "q." + joint.name : fmt::format("q.{}.{}", joint.name, i + 1));
    }
  }
  return columns;
}

/// Reads the rows of a file way by way.
class FrozenRows {
 public:
  FrozenRows(const std::filesystem::path& file, const Mechanism& mechanism, double end, int samples)
      : file_(file.string()), table_(read_csv(file)), end_(end), samples_(samples) {
    if (const auto wanted = frozen_columns(mechanism); table_.columns != wanted) {
      throw FileError(
          file_, table_.comments.size() + 1,
          fmt::format("the columns should be {}, the coordinates of this mechanism", fmt::join(wanted, ",")));
    }
  }

  FrozenReference::Way next() {
    if (row_ == table_.rows.size()) {
      throw FileError(file_, table_.lines.empty() ? 1 : table_.lines.back(),
                      "two ways are needed: a reference and what it is checked against");
    }
    FrozenReference::Way way;
    way.name = table_.rows[row_].front();
    for (int k = 0; k <= samples_; ++k, ++row_) {
      const double time = end_ * k / samples_;
      if (row_ == table_.rows.size() || table_.rows[row_].front() != way.name) {
        throw FileError(file_, table_.lines[row_ - 1],
                        fmt::format("'{}' has {} times, the study samples {}: to its end at {} s", way.name, k,
                                    samples_ + 1, end_));
      }
      const std::vector<double> numbers = numbers_of(row_);
      // The last digit of k times end depends on how it was computed.
      if (std::abs(numbers.front() - time) > 1e-12 * end_) {
        throw FileError(file_, table_.lines[row_],
                        fmt::format("t should be {}: the study has {} intervals to {} s", time, samples_, end_));
      }
      way.q.emplace_back(numbers.begin() + 1, numbers.end());
    }
    return way;
  }

 private:
  /// \returns all but the first field.
  [[nodiscard]] std::vector<double> numbers_of(std::size_t row) const {
    std::vector<double> numbers;
    const std::vector<std::string>& fields = table_.rows[row];
    numbers.reserve(fields.size());
    for (std::size_t i = 1; i < fields.size(); ++i) {
      double value = 0.0;
      const char* const last = fields[i].data() + fields[i].size();
      const auto [stopped, error] = std::from_chars(fields[i].data(), last, value);
      if (error != std::errc{} || stopped != last || !std::isfinite(value)) {
        throw FileError(file_, table_.lines[row],
                        fmt::format("{} should be a finite number, not '{}'", table_.columns[i], fields[i]));
      }
      numbers.push_back(value);
    }
    return numbers;
  }

  std::string file_;
  CsvTable table_;
  double end_;
  int samples_;
  std::size_t row_ = 0;
};

}  // namespace

FrozenReference read_frozen_reference(const std::filesystem::path& file, const Mechanism& mechanism, double end,
                                      int samples) {
  FrozenRows rows(file, mechanism, end, samples);
  FrozenReference frozen;
  frozen.file = file.filename().string();
  frozen.reference = rows.next();
  frozen.check = rows.next();
  std::string numbers;
  for (const FrozenReference::Way* const way : {&frozen.reference, &frozen.check}) {
    for (const std::vector<double>& q : way->q) {
      numbers += fmt::format("{} {},", way->name, fmt::join(q, " "));
    }
  }
  frozen.digest = text_digest(numbers);
  return frozen;
}

}  // namespace mbdbench::studies
