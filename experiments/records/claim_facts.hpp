#pragma once
/// \file
/// Collects what was measured for one claim, part by part.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/records/claim.hpp"

namespace mbdbench {

/// A statement with its place and the criterion by which it is judged.
struct ClaimText {
  std::string_view experiment;
  std::string source;  ///< citation key and place: "Chadaj2017, sect. 3.2"
  std::string_view statement;
  std::string criterion;
};

/// Answers and words of one claim.
class ClaimFacts {
 public:
  /// Adds an answer and its words.
  void add(bool holds, const std::string& words) {
    count(holds);
    remark(words);
  }
  /// Adds an answer; where there are many, their sum is told by a remark.
  void count(bool holds) { answers_.push_back(holds); }
  /// Adds words without an answer.
  void remark(const std::string& words) { add_words(words_, words); }
  /// Counts parts that have no number. \param why names them and the reason
  void missing(const std::string& why, std::size_t parts = 1) {
    missing_ += parts;
    remark(why);
  }

  /// \returns the claim with its verdict, "k of n" before the words.
  [[nodiscard]] Claim claim(const ClaimText& text) const;

 private:
  std::vector<bool> answers_;
  std::string words_;
  std::size_t missing_ = 0;
};

/// \returns a statement that was not measured, and why.
Claim unmeasured_claim(const ClaimText& text, std::string why);

}  // namespace mbdbench
