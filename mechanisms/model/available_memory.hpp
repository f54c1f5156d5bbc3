#pragma once
/// \file
/// How much memory there is, so that what cannot fit is refused with a number instead of being killed.
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace mbdbench {

/// \param root "/", or another directory for tests
/// \returns bytes that may still be allocated: the machine's available memory (proc/meminfo), or what the control group
///          of this process, or one around it, leaves (sys/fs/cgroup, versions 1 and 2), whichever is less; nothing
///          where neither says so.
std::optional<double> available_memory(const std::filesystem::path& root = "/");

/// Thrown for what cannot fit.
class MemoryRefusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \param what "the rank of the constraints of mechanism 'ladder'" \throws MemoryRefusal where there is not so much
void require_available(double bytes, std::string_view what);

}  // namespace mbdbench
