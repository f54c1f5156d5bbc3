#pragma once
/// \file
/// `mbdbench simulate` as tests call it, and what it left.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/simulation/output/saved_state.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {

/// \returns whether one of the outputs contains the text.
inline bool says(const CommandLineCall& call, const std::string& text) {
  return (call.output + call.errors).find(text) != std::string::npos;
}

/// A temporary directory in which `mbdbench simulate` writes.
class SimulateCommandTest : public testing::Test {
 protected:
  /// Runs with mechanism, formulation, quiet and an output directory below the temporary one.
  CommandLineCall simulate(const std::string& output, std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"simulate", "--quiet", "--output", (directory_ / output).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call_program(arguments);
  }

  /// The same with a small pendulum in the dense formulation.
  CommandLineCall simulate_pendulum(const std::string& output, std::vector<std::string> more) const {
    more.insert(more.begin(), {"--mechanism", "pendulum:3", "--formulation", "dense"});
    return simulate(output, std::move(more));
  }

  [[nodiscard]] nlohmann::json statistics(const std::string& output) const {
    return nlohmann::json::parse(content_of(directory_ / output / "statistics.json"));
  }
  [[nodiscard]] SavedState state(const std::string& output) const {
    return read_saved_state(directory_ / output / "state.json");
  }

  TemporaryDirectory directory_;
};

}  // namespace mbdbench
