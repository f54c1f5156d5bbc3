#pragma once
/// \file
/// Where a finished part of a study was computed: what decides whether its numbers may stand beside others.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "formulations/execution/instruction_set.hpp"

namespace mbdbench::studies {

/// A program on a machine. Equal origins have equal ids, whoever writes them.
struct PartOrigin {
  std::string program;          ///< digest of the executable file
  std::string version;          ///< "0.3.0 (commit 1a2b3c4d5e6f)"
  std::string instruction_set;  ///< of the kernels: other sets round differently
  std::string machine;          ///< "node7, AMD EPYC 7763": times are compared within one machine

  /// \returns what tells origins apart in a journal.
  [[nodiscard]] std::string id() const;
  bool operator==(const PartOrigin&) const = default;
};

/// \returns that of this process.
PartOrigin own_origin(const InstructionSet& set);

/// Round trip through the journal.
nlohmann::json to_json(const PartOrigin& origin);
PartOrigin origin_from_json(const nlohmann::json& json);

}  // namespace mbdbench::studies
