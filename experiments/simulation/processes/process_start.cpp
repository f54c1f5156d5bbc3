#include "experiments/simulation/processes/process_start.hpp"

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

int ProcessStart::first_failed(bool failed) {
  double distance = failed ? static_cast<double>(processes_.size() - processes_.process()) : 0.0;
  processes_.take_largest(std::span(&distance, 1));
  ended_ = distance > 0.0;
  return ended_ ? processes_.size() - static_cast<int>(distance) : -1;
}

void ProcessStart::compare(const std::string& problem) {
  if (first_failed(false) >= 0) {
    throw EndedElsewhere();
  }
  const double own = digest(problem);
  std::array<double, 2> largest = {own, -own};
  processes_.take_largest(largest);
  if (largest[0] != -largest[1]) {
    ended_ = true;
    if (processes_.process() > 0) {
      throw EndedElsewhere();
    }
    throw std::invalid_argument(
        "the processes were started with different commands or files, or their machines have different instruction "
        "sets "
        "(--simd baseline is the same everywhere)");
  }
}

void ProcessStart::begin() {
  if (first_failed(false) >= 0) {
    throw EndedElsewhere();
  }
  started_ = true;
}

int ProcessStart::run(const std::function<int()>& work) {
  try {
    return work();
  } catch (...) {
    if (started_) {
      processes_.give_up();
    } else if (!ended_ && first_failed(true) != processes_.process()) {
      throw EndedElsewhere();
    }
    throw;
  }
}

}  // namespace mbdbench
