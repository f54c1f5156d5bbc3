#pragma once
/// \file
/// The relations between tellings of one physics, each with its own limits: what is drawn, how it is told again, what
/// must be the same.
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/metamorphic/answer.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench::metamorphic {

/// What became of the first telling in the second one: lengths, masses, times in other units, the world moved, the
/// clock turned and shifted.
struct Correspondence {
  double length = 1.0;
  double mass = 1.0;
  double time = 1.0;
  Frame world;
  double time_sign = 1.0;
  double time_shift = 0.0;
};

/// Relative to the extent of a body (one metre of the first telling's), to the largest speed and acceleration.
struct Limits {
  double start = 1e-9;         ///< the start is what the text says; velocities: ten times as much
  double acceleration = 1e-7;  ///< beside what differences are uncertain by
  double motion = 1e-6;        ///< of points, speeds and kinetic energy along a run
  double balance = 1e-7;       ///< of every body
  double gap = 1e-6;           ///< of every joint, linear (of the extent) and angular (rad) by themselves
};

/// One number beyond its limit.
struct Deviation {
  std::string output;  ///< "start", "acceleration", "motion", "verdict", ...
  double value = 0.0;
  double limit = 0.0;
  std::string what = {};
};

struct Case;
using Judge = std::vector<Deviation> (*)(const Case& drawn, const std::vector<Answer>& answers);

/// Tellings that must give one answer.
struct Case {
  std::vector<Telling> tellings;
  Correspondence map;  ///< of the first to all others
  Limits limits;
  Judge judge = nullptr;
  double special = 0.0;   ///< what the judge of the class needs beside these
  std::size_t joint = 0;  ///< likewise
};

/// One class.
struct Relation {
  std::string_view name;
  std::string_view says;
  Case (*draw)(RandomSource& random, int bodies);
};

/// \returns all classes.
std::span<const Relation> relations();

/// \returns what is beyond its limit between answers of the same motion told in several ways.
std::vector<Deviation> same_motion(const Case& drawn, const std::vector<Answer>& answers);

/// Disturbed: a file could not be written or read, for which no formulation is to blame.
enum class Outcome { agreed, refused, integration, disagreed, disturbed };

/// What one formulation made of a case.
struct Verdict {
  Outcome outcome = Outcome::agreed;
  std::string what;  ///< the reason of a refusal; the worst deviation
};

/// \param directory for files of the runs \throws WriteError, std::system_error where the system has no room for them
Verdict compare(const Registries& registries, const Case& drawn, const std::string& formulation,
                const std::filesystem::path& directory);

}  // namespace mbdbench::metamorphic
