#pragma once
/// \file
/// A question to the reference of 113 bits, which may have no answer at a single state.
#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "experiments/precise/states/precise_state_map.hpp"

namespace mbdbench {

/// What became of questions: of each kind the first state is told.
struct AnswerFailures {
  std::string without;  ///< where the reference failed, and why
  std::string wrong;    ///< where the formulation's state means nothing
};

/// \param question returns a std::optional \returns the answer; nothing where there is none
template <typename Question>
auto answer_of_113_bits(const Question& question, double t, AnswerFailures& failures) -> decltype(question()) {
  try {
    return question();
  } catch (const precise::StateError& error) {
    if (failures.wrong.empty()) {
      failures.wrong = fmt::format("its state at t = {}: {}", t, error.what());
    }
    return {};
  } catch (const std::runtime_error& error) {
    if (failures.without.empty()) {
      failures.without = fmt::format("at t = {}: {}", t, error.what());
    }
    return {};
  }
}

}  // namespace mbdbench
