#pragma once
/// \file
/// The program built without MPI.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "experiments/terminal/started_by_launcher.hpp"

namespace mbdbench {

/// Refuses to be one of several: each would do the whole run and write the same files.
class MpiSession {
 public:
  MpiSession(int& /*argument_count*/, char**& /*arguments*/) {
    const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
    if (launcher_variable() != nullptr && (size == nullptr || std::string_view(size) != "1")) {
      std::fprintf(
          stderr,
          "mbdbench: was started on several processes (%s is set), but was built without MPI: install libopenmpi-dev "
          "and build again, or start it without mpirun\n",
          launcher_variable());
      std::exit(2);
    }
  }
  [[nodiscard]] int end(int exit_code) const { return exit_code; }
};

}  // namespace mbdbench
