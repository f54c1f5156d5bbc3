#pragma once
/// \file
/// A study from its file to its results: what `mbdbench study FILE` does, and `mbdbench run` for a paper's own file.
#include <string>

#include "experiments/registries/registries.hpp"

namespace mbdbench {

/// As the command line says it.
struct StudyFileRun {
  std::string file;
  std::string output;  ///< empty: results/runs/NAME
  int jobs = 1;
  bool quick = false;
  bool overwrite = false;
  bool allow_engines = false;  ///< whether commands of the file may be started
  bool no_report = false;
  bool quiet = false;
  std::string share = {};  ///< "3/100": this share alone; empty: everything
  std::string job = {};    ///< the scheduler for which a job is printed instead of running anything
  int shares = 0;          ///< of that job; 0: as many as there are pieces, up to a hundred
};

/// \returns the exit code. \throws FileError for a declaration that is wrong
int run_study_file(const Registries& registries, const StudyFileRun& options);

}  // namespace mbdbench
