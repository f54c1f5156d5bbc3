#pragma once
/// \file
/// How much memory there is, so that what cannot fit is refused with a number instead of being killed.
#include <filesystem>
#include <optional>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// \param root "/", or another directory for tests
/// \returns bytes that may still be allocated: the machine's available memory (proc/meminfo), or what the control group
///          of this process, or one around it, leaves (sys/fs/cgroup, versions 1 and 2), whichever is less; nothing
///          where neither says so.
std::optional<double> available_memory(const std::filesystem::path& root = "/");

/// \param copies formulations of this kind that will exist at the same time
/// \throws std::runtime_error naming mechanism, formulation, what they need and what there is
void require_memory(const FormulationEntry& formulation, const Mechanism& mechanism, double copies = 1.0);

}  // namespace mbdbench
