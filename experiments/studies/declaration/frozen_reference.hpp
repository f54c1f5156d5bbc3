#pragma once
/// \file
/// A mechanism's reference from a file, in place of one that a study computes: joint coordinates at the sample times,
/// computed by ways that share nothing (experiments/studies/references/field_references.py).
#include <filesystem>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::studies {

/// The file's first way and the second one, which checks it; further ones are for readers.
struct FrozenReference {
  struct Way {
    std::string name;
    std::vector<std::vector<double>> q;  ///< at every sample time, m and rad
  };
  std::string file;  ///< its name, for records
  Way reference;
  Way check;
  std::string digest;  ///< of all numbers of both
};

/// Columns way, t, q.JOINT or q.JOINT.1, ... in the mechanism's order; rows of one way after another, each at the times
/// of `samples` equal intervals of [0, end]. \throws FileError with the line and what would be right
FrozenReference read_frozen_reference(const std::filesystem::path& file, const Mechanism& mechanism, double end,
                                      int samples);

}  // namespace mbdbench::studies
