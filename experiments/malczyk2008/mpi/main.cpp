/// \file
/// The program that mpirun starts on two ranks: mbdbench_mpi JOB.json RESULT.json.
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "experiments/malczyk2008/job.hpp"
#include "experiments/malczyk2008/mpi/library_facts.hpp"
#include "experiments/malczyk2008/mpi/mpi_exchange.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// What Open MPI's plug-ins allocate they never give back, and they are unloaded when leaks are looked for, so that no
// suppression can name them.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)
  return "detect_leaks=0";
}
#endif
#endif

namespace {

using namespace mbdbench::malczyk2008;

void work(const char* job_file, const char* result_file) {
  const mbdbench::Registries registries = mbdbench::default_registries();
  const Job job = read_job(job_file);
  MpiExchange exchange;
  JobResult result;
  result.library = library_version();
  result.transport = transport_components();
  result.messages = measure_messages(job.message_sizes, exchange);
  result.tasks = measure(registries, job.tasks, &exchange);
  if (exchange.rank() == 0) {
    write_result(result_file, result);
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  MPI_Init(&argument_count, &arguments);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argument_count != 3 || ranks != 2) {
    std::fprintf(stderr,
                 "usage: mpirun -np 2 mbdbench_mpi JOB.json RESULT.json (mbdbench run malczyk2008 does this)\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  try {
    work(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mbdbench_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
