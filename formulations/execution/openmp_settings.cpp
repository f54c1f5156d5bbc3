#include "formulations/execution/openmp_settings.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "formulations/execution/thread_team.hpp"

namespace mbdbench {
namespace {

constexpr const char* kThreadVariable = "OMP_NUM_THREADS";

/// \returns the number in one item of a list, spaces around it left out; none: it is no number of threads.
std::optional<int> thread_number(std::string_view item) {
  constexpr std::string_view kSpaces = " \t\n";
  const std::size_t first = item.find_first_not_of(kSpaces);
  item = first == std::string_view::npos ? "" : item.substr(first, item.find_last_not_of(kSpaces) + 1 - first);
  int number = 0;
  const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
  const bool whole = error == std::errc() && end == item.data() + item.size();
  return whole && number >= 1 && number <= kMostThreads ? std::optional(number) : std::nullopt;
}

/// \returns the number for the outermost region; none: an item of the list is wrong.
std::optional<int> outermost_threads(std::string_view list) {
  const std::size_t comma = list.find(',');
  const std::optional<int> first = thread_number(list.substr(0, comma));
  const bool rest_is_right = comma == std::string_view::npos || outermost_threads(list.substr(comma + 1));
  return rest_is_right ? first : std::nullopt;
}

std::string proc_bind_name(omp_proc_bind_t bind) {
  switch (bind) {
    case omp_proc_bind_false:
      return "false";
    case omp_proc_bind_true:
      return "true";
    case omp_proc_bind_close:
      return "close";
    case omp_proc_bind_spread:
      return "spread";
    default:
      return "primary";  // the same number as "master", its older name
  }
}

/// \returns "0-3,8".
std::string processors_of_place(int place) {
  std::vector<int> processors(static_cast<std::size_t>(std::max(0, omp_get_place_num_procs(place))));
  omp_get_place_proc_ids(place, processors.data());
  std::sort(processors.begin(), processors.end());
  std::string text;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    std::size_t last = i;
    while (last + 1 < processors.size() && processors[last + 1] == processors[last] + 1) {
      ++last;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ",", processors[i]);
    text += last == i ? "" : fmt::format("-{}", processors[last]);
    i = last;
  }
  return text;
}

}  // namespace

int threads_of_environment() {
  const char* const value = std::getenv(kThreadVariable);
  return value == nullptr ? 1 : outermost_threads(value).value_or(1);
}

std::string refuse_thread_environment() {
  const char* const value = std::getenv(kThreadVariable);
  if (value == nullptr || outermost_threads(value)) {
    return {};
  }
  return fmt::format(
      "{} is '{}'; it must be a number of threads from 1 to {}, or a list of such for regions inside regions. Set it "
      "right, unset it for one thread, or give --threads",
      kThreadVariable, value, kMostThreads);
}

OpenmpSettings openmp_settings(int threads) {
  OpenmpSettings settings;
  settings.version = _OPENMP;
  ThreadTeam(threads).run([&settings](const TeamMember& member) {
    if (member.index == 0) {
      settings.members = member.count;
    }
  });
  settings.max_threads = omp_get_max_threads();
  settings.thread_limit = omp_get_thread_limit();
  settings.max_active_levels = omp_get_max_active_levels();
  settings.dynamic = omp_get_dynamic() != 0;
  settings.proc_bind = proc_bind_name(omp_get_proc_bind());
  for (int place = 0; place < omp_get_num_places(); ++place) {
    settings.places.push_back(processors_of_place(place));
  }
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  settings.wait_policy = policy == nullptr ? "unset" : policy;
  return settings;
}

}  // namespace mbdbench
