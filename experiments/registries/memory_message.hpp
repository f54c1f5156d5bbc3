#pragma once
/// \file
/// What a user has to know where memory runs out: what was being built.
#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <string_view>

namespace mbdbench {

/// Calls `build`. \param what "mechanism 'pendulum:1000000'"
/// \throws std::runtime_error naming it where memory runs out
template <class Build>
decltype(auto) with_memory_message(std::string_view what, const Build& build) {
  try {
    return build();
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(fmt::format("{} needs more memory than there is; try a smaller one", what));
  }
}

}  // namespace mbdbench
