#pragma once
/// \file
/// What the suite answers to one telling: its text is read from a file, run as `mbdbench simulate` runs it, and read
/// back from trajectory.csv; accelerations and reactions at the start come from the formulation itself.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/metamorphic/told_mechanism.hpp"
#include "experiments/registries/registries.hpp"

namespace mbdbench::metamorphic {

/// How a telling is run.
struct Plan {
  std::string integrator = "rkf45-fixed";
  double step = 0.01;               ///< of methods with fixed steps, s
  std::optional<double> tolerance;  ///< both, of methods with error control
  double start = 0.0;
  double every = 0.06;  ///< s between samples; negative backwards
  double end = 0.3;
  std::optional<double> restart_end;  ///< goes on from `end` to there in a run of its own
  std::vector<std::string> settings;  ///< as `--set` takes them
  int threads = 1;
  std::string formulation_options = {};  ///< "leaf=subchain"; refuses formulations without it
  bool runs = true;                      ///< false: accelerations and reactions alone
  bool drives_as_loads = false;          ///< accelerations with the drives' forces in the drives' places
  double unit_of_time = 1.0;             ///< steps of differences are a share of it
};

/// A text and how it is run.
struct Telling {
  Told told;
  Plan plan;
};

/// One row of a trajectory.
struct Sample {
  double t = 0.0;
  double kinetic = 0.0;
  std::vector<Vec3> points;      ///< of the markers, by number
  std::vector<Vec3> velocities;  ///< likewise
};

/// All that is compared.
struct Answer {
  std::string refusal;  ///< why the text or the formulation does not do this; the rest is empty then
  std::string failure;  ///< what went wrong where nothing was refused
  std::string status;   ///< of the run: "ok", "inaccurate", ...
  std::string message;
  std::vector<Sample> samples;
  std::vector<Vec3> accelerations;  ///< of the markers at the start
  double uncertainty = 0.0;         ///< of these, by differences
  double start_shift = 0.0;         ///< how far markers are from where the text puts them, of the extent
  double start_speed_shift = 0.0;   ///< likewise of velocities, of the largest
  double imbalance = 0.0;           ///< of the worst body: m a and dL/dt against all its forces, of their size
  double linear_gap = 0.0;          ///< of the worst joint in any sample, of the extent
  double angular_gap = 0.0;         ///< likewise, rad
};

/// \param directory for files, empties and leaves it
Answer answer_of(const Registries& registries, const Telling& telling, const std::string& formulation,
                 const std::filesystem::path& directory);

/// \returns the commands that show the same.
std::string commands_of(const Telling& telling, const std::string& formulation, const std::string& file);

/// \returns the frame of a body that its three markers show: origin, rotation.
Frame frame_shown(const Told& told, int body, const std::vector<Vec3>& points);

}  // namespace mbdbench::metamorphic
