#pragma once
/// \file
/// Standard input, output and error exist before any file is opened, whatever the program was started with.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace mbdbench {

/// Opens those of the descriptors 0 to 2 that are closed. The system gives the lowest free number to the next file: a
/// trajectory that got number 2 would receive everything that is written to standard error. To be called first thing in
/// `main`, before MPI starts. A closed input reads as empty; what is written to a closed standard output is an error,
/// as on a full disk, so that nobody takes it for delivered; messages to a closed standard error go nowhere. \returns
/// whether all three are open now.
inline bool open_standard_descriptors() {
  constexpr std::array<std::pair<int, int>, 3> kModes = {
      {{STDIN_FILENO, O_RDONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_WRONLY}}};
  for (const auto& [descriptor, mode] : kModes) {
    // In this order the lowest free number is the one that is missing.
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", mode) != descriptor) {
      return false;
    }
  }
  return true;
}

}  // namespace mbdbench
