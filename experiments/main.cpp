#include "experiments/command_line/command_line.hpp"
#if MBDBENCH_WITH_MPI
#include "experiments/mpi/mpi_session.hpp"
#else
#include "experiments/mpi/absent_session.hpp"
#endif

int main(int argument_count, char** arguments) {
  mbdbench::MpiSession session(argument_count, arguments);
  return session.end(mbdbench::run_command_line(mbdbench::default_registries(), argument_count, arguments));
}
