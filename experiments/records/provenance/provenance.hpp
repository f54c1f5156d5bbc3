#pragma once
/// \file
/// What a run was made with. The only file of a run, with timings.csv, that differs between two runs of one program.
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/files/result_folder.hpp"
#include "formulations/execution/execution.hpp"

namespace mbdbench {

/// What one share of a study has contributed.
struct ShareProvenance {
  std::string share;      ///< "3/100"
  std::size_t parts = 0;  ///< finished, of this study
  std::vector<std::string> machines;
};

/// Program, machine and time of a run.
struct Provenance {
  std::string version;
  std::string commit;         ///< git commit of the sources; "unknown" when built outside a git checkout
  std::optional<bool> dirty;  ///< whether the sources had uncommitted changes; empty where the commit is unknown
  std::string compiler;       ///< name and version
  std::string flags;
  std::string build_type;
  std::string cpu;
  std::string instruction_set;  ///< of the kernels that are compiled for several
  int logical_cores = 0;
  int threads = 1;       ///< most threads that a formulation uses
  int processes = 1;     ///< most MPI processes that a row was made with
  std::string messages;  ///< how MPI processes passed them: library, transport, placement; empty for one process
  std::string binding;   ///< processors this process may run on and the variables that pin threads
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name, version
  std::string operating_system;
  std::string utc_time;                      ///< ISO 8601
  std::optional<FolderOwner> made_by;        ///< the command that the folder belongs to
  std::vector<ShareProvenance> shares = {};  ///< of which the results were put together
};

/// \param execution of what is computed \param threads that a formulation uses where its options ask for more
/// \returns the provenance of this program, here and now.
Provenance capture_provenance(const Execution& execution, int threads = 1);

/// \returns the same, of the results of a command.
Provenance capture_provenance(const FolderOwner& owner, const Execution& execution, int threads = 1);

/// \returns "0.3.0 (commit 1a2b3c4d5e6f, uncommitted changes)".
std::string version_text();

/// Writes provenance.json. \throws FileError when the file cannot be written
void write_provenance(const std::filesystem::path& file, const Provenance& provenance);

}  // namespace mbdbench
