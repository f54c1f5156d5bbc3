#pragma once
/// \file
/// Runs another program to its end, and takes it along when this one is killed.
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace mbdbench::malczyk2008 {

/// Starts a program and waits for its end. It stands in a process group of its own, out of reach of Ctrl-C: what has
/// been started is finished and kept, as every part of an experiment. If the thread that called dies first, by whatever
/// signal, SIGKILL included, the program gets SIGTERM.
/// \param words the program's file and its arguments
/// \param variables its environment, "NAME=value" each
/// \param log gets its output and its errors
/// \param limit s; a program that has not ended by then gets SIGTERM, and SIGKILL ten seconds later
/// \returns why it cannot be started, or how it ended ("exit status 3", "killed by signal 9", "not ended after 60 s"),
/// or that nobody knows; empty for exit status 0
std::string run_child(std::vector<std::string> words, std::vector<std::string> variables,
                      const std::filesystem::path& log, double limit = std::numeric_limits<double>::infinity());

}  // namespace mbdbench::malczyk2008
