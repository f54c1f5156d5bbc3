#pragma once
/// \file
/// Independent pieces of work on several threads. They are an OpenMP region, so that right-hand sides inside have one
/// thread each: jobs and threads do not multiply, unless OMP_MAX_ACTIVE_LEVELS=2 asks for that.
#include <cstddef>
#include <functional>

namespace mbdbench::studies {

/// Calls work(0) .. work(count - 1), each once, on up to `jobs` threads, in this order of their beginnings. Pieces that
/// have not begun when `stop` returns true or a piece throws are left out. \throws what the first piece to throw threw
void side_by_side(std::size_t count, int jobs, const std::function<bool()>& stop,
                  const std::function<void(std::size_t)>& work);

}  // namespace mbdbench::studies
