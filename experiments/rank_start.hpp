#pragma once
/// \file
/// How ranks begin a run together, and how the errors of one end all.
#include <functional>
#include <string>

#include "formulations/rank_exchange.hpp"

namespace mbdbench {

/// Thrown on a rank that ends without a word because another one tells why.
struct EndedElsewhere {};

/// One run on several ranks. Until `ready` every rank may fail by itself: then the first of those that failed tells why
/// and all end in order. Afterwards the others may be waiting for a rank that fails, and are ended with its program.
class RankStart {
 public:
  explicit RankStart(RankExchange& ranks) : ranks_(ranks) {}

  [[nodiscard]] RankExchange& ranks() { return ranks_; }

  /// Waits for all ranks. \param problem what this rank is about to do
  /// \throws EndedElsewhere where another rank failed, std::invalid_argument where ranks are about to do different
  /// things
  void ready(const std::string& problem);

  /// Nobody waits for this rank any longer.
  void over() { started_ = false; }

  /// Runs `work`, which calls `ready` once. \returns its exit code \throws what it throws where this rank tells of it,
  /// otherwise EndedElsewhere
  int run(const std::function<int()>& work);

 private:
  /// \returns the first rank that has failed, -1 where none has.
  int first_failed(bool failed);

  RankExchange& ranks_;
  bool agreed_ = false;   ///< on whether the run begins
  bool started_ = false;  ///< it has begun and is not over
};

}  // namespace mbdbench
