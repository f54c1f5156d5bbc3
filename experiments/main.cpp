#include "experiments/command_line/command_line.hpp"
#if MBDBENCH_WITH_MPI
#include "experiments/mpi/mpi_session.hpp"
#else
#include "experiments/mpi/absent_session.hpp"
#endif
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/standard_descriptors.hpp"

int main(int argument_count, char** arguments) {
  if (!mbdbench::open_standard_descriptors()) {
    return mbdbench::kExitWriteFailed;
  }
  mbdbench::MpiSession session(argument_count, arguments);
  return session.end(mbdbench::run_command_line(mbdbench::default_registries(), argument_count, arguments));
}
