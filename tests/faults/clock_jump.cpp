/// \file
/// A wall clock that jumps by up to a day, forwards and backwards, at every fiftieth look: loaded before a program
/// (LD_PRELOAD) by the fault harness. Monotonic clocks, which do not jump by definition, stay as they are.
#include <dlfcn.h>
#include <sys/time.h>

#include <atomic>
#include <ctime>

namespace {

std::atomic<unsigned> looks{0};

time_t jump() {
  constexpr unsigned kLooksBetween = 50;
  constexpr unsigned kDay = 86400;
  // Pseudo-random by the number of the jump.
  const unsigned number = looks++ / kLooksBetween;
  return static_cast<time_t>(number * 2654435761U % (2 * kDay)) - static_cast<time_t>(kDay);
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  using Function = int (*)(clockid_t, timespec*);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): dlsym has no other way
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) {
    now->tv_sec += jump();
  }
  return result;
}

extern "C" int gettimeofday(timeval* __restrict now, void* __restrict /*zone*/) {
  timespec precise{};
  const int result = clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = static_cast<suseconds_t>(precise.tv_nsec / 1000);
  return result;
}

extern "C" time_t time(time_t* result) {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (result != nullptr) {
    *result = precise.tv_sec;
  }
  return precise.tv_sec;
}
