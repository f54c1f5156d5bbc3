#pragma once
/// \file
/// The motion that a run of `simulate` left in its directory, as joint coordinates.
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// A mechanism and its positions over time.
struct RecordedMotion {
  std::unique_ptr<const Mechanism> mechanism;
  std::string formulation;  ///< "hdca[gauge=leak]"
  std::string integrator;
  std::vector<double> times;           ///< s, as the trajectory has them
  std::vector<std::vector<double>> q;  ///< as many, each q_size()
};

/// Reads state.json, mechanism.toml and trajectory.csv.
/// \param most rows of the trajectory that are taken, evenly over it, the first and the last among them; at least 2
/// \throws FileError for a directory that holds no finished run, or whose files do not belong together;
///         std::runtime_error where a state has no joint coordinates
RecordedMotion read_motion(const Registries& registries, const std::filesystem::path& directory, std::size_t most);

}  // namespace mbdbench
