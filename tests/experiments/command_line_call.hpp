#pragma once
/// \file
/// The program as tests call it: arguments in, exit code and both outputs back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "experiments/command_line/command_line.hpp"

namespace mbdbench {

/// What a call of the program left.
struct CommandLineCall {
  int exit_code = -1;
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// Runs `mbdbench ARGUMENTS`.
inline CommandLineCall call_program(const Registries& registries, const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers = {"mbdbench"};
  for (const std::string& argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  CommandLineCall call;
  call.exit_code = run_command_line(registries, static_cast<int>(pointers.size()), pointers.data());
  call.output = testing::internal::GetCapturedStdout();
  call.errors = testing::internal::GetCapturedStderr();
  return call;
}

inline CommandLineCall call_program(const std::vector<std::string>& arguments) {
  return call_program(default_registries(), arguments);
}

}  // namespace mbdbench
