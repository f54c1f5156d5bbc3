#include "experiments/simulation/ranks/rank_start.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>

namespace mbdbench {
namespace {

/// \returns a number that tells texts apart, small enough to be exact as a double (FNV-1a).
double digest(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return static_cast<double>(hash >> 12U);
}

}  // namespace

int RankStart::first_failed(bool failed) {
  double distance = failed ? static_cast<double>(ranks_.size() - ranks_.rank()) : 0.0;
  ranks_.take_largest(std::span(&distance, 1));
  ended_ = distance > 0.0;
  return ended_ ? ranks_.size() - static_cast<int>(distance) : -1;
}

void RankStart::compare(const std::string& problem) {
  if (first_failed(false) >= 0) {
    throw EndedElsewhere();
  }
  const double own = digest(problem);
  std::array<double, 2> largest = {own, -own};
  ranks_.take_largest(largest);
  if (largest[0] != -largest[1]) {
    ended_ = true;
    if (ranks_.rank() > 0) {
      throw EndedElsewhere();
    }
    throw std::invalid_argument(
        "the ranks were started with different commands or files, or their machines have different instruction sets "
        "(--simd baseline is the same everywhere)");
  }
}

void RankStart::begin() {
  if (first_failed(false) >= 0) {
    throw EndedElsewhere();
  }
  started_ = true;
}

int RankStart::run(const std::function<int()>& work) {
  try {
    return work();
  } catch (...) {
    if (started_) {
      ranks_.give_up();
    } else if (!ended_ && first_failed(true) != ranks_.rank()) {
      throw EndedElsewhere();
    }
    throw;
  }
}

}  // namespace mbdbench
