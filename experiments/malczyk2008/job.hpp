#pragma once
/// \file
/// What the main program asks of the program on two ranks, and what that answers: two JSON files.
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/malczyk2008/measurement.hpp"

namespace mbdbench::malczyk2008 {

/// The question.
struct Job {
  std::vector<Task> tasks;
  std::vector<int> message_sizes;  ///< numbers a message
};

/// The answer.
struct JobResult {
  /// Why there is none: what is not installed, or what mpirun said. Empty otherwise.
  std::string failure;
  std::vector<TaskTimes> tasks;
  std::vector<MessageTime> messages;
  std::string library;    ///< the MPI library and its version
  std::string transport;  ///< Open MPI's components for messages, "self,tcp"; empty where the library does not say
};

/// \throws FileError when the file cannot be written
void write_job(const std::filesystem::path& file, const Job& job);
/// \throws std::runtime_error when the file cannot be read
Job read_job(const std::filesystem::path& file);
/// \throws FileError when the file cannot be written
void write_result(const std::filesystem::path& file, const JobResult& result);
/// \throws std::runtime_error when the file cannot be read
JobResult read_result(const std::filesystem::path& file);

}  // namespace mbdbench::malczyk2008
