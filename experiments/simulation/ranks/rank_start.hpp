#pragma once
/// \file
/// How ranks begin a run together, and how the errors of one end all.
#include <functional>
#include <string>

#include "formulations/execution/rank_exchange.hpp"

namespace mbdbench {

/// Thrown on a rank that ends without a word because another one tells why.
struct EndedElsewhere {};

/// One run on several ranks. Until `begin` every rank may fail by itself: then the first of those that failed tells why
/// and all end in order. Afterwards the others may be waiting for a rank that fails, and are ended with its program.
class RankStart {
 public:
  explicit RankStart(RankExchange& ranks) : ranks_(ranks) {}

  [[nodiscard]] RankExchange& ranks() { return ranks_; }

  /// All ranks have understood what to do, before anything is written. \param problem what this one has
  /// \throws EndedElsewhere where another rank failed, std::invalid_argument where ranks are about to do different
  /// things
  void compare(const std::string& problem);

  /// All ranks start. \throws EndedElsewhere where another rank failed
  void begin();

  /// Nobody waits for this rank any longer, nor listens to it: what fails now is told by this rank alone.
  void over() {
    started_ = false;
    ended_ = true;
  }

  /// Runs `work`, which calls `compare` and `begin` once each. \returns its exit code \throws what it throws where this
  /// rank tells of it, otherwise EndedElsewhere
  int run(const std::function<int()>& work);

 private:
  /// \returns the first rank that has failed, -1 where none has.
  int first_failed(bool failed);

  RankExchange& ranks_;
  bool ended_ = false;    ///< a rank has failed, as all know, or nobody listens
  bool started_ = false;  ///< the run has begun and is not over
};

}  // namespace mbdbench
