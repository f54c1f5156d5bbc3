#pragma once
/// \file
/// A question to the reference of 113 bits, which may have no answer at a single state.
#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace mbdbench {

/// \param question returns a std::optional \param failure receives at which state the reference failed, and why, if
/// it is empty: the first state is told \returns the answer; nothing where there is none
template <typename Question>
auto answer_of_113_bits(const Question& question, double t, std::string& failure) -> decltype(question()) {
  try {
    return question();
  } catch (const std::runtime_error& error) {
    if (failure.empty()) {
      failure = fmt::format("at t = {}: {}", t, error.what());
    }
    return {};
  }
}

}  // namespace mbdbench
