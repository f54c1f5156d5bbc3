#include "experiments/terminal/interruption.hpp"

#include <array>
#include <atomic>
#include <csignal>

namespace mbdbench {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

std::atomic<bool> requested = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch lock-free atomics only");
std::array<struct sigaction, kSignals.size()> previous;

}  // namespace

InterruptionGuard::InterruptionGuard() {
  requested = false;
  struct sigaction action {};
  action.sa_handler = [](int) { requested = true; };
  // The default action comes back with the first signal, so that the second one ends the program.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &previous[i]);
  }
}

InterruptionGuard::~InterruptionGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &previous[i], nullptr);
  }
}

bool interruption_requested() {
  return requested;
}

}  // namespace mbdbench
