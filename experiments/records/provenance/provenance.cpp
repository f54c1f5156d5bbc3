#include "experiments/records/provenance/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <muParser.h>
#include <sched.h>
#include <sys/utsname.h>
#include <toml++/toml.h>
#include <CLI/Version.hpp>
#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <boost/version.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

#include "experiments/files/formats/json_file.hpp"
#include "experiments/records/provenance/build_information.hpp"
#include "formulations/execution/openmp_settings.hpp"
#include "integrators/registry.hpp"
#include "mechanisms/io/file_format.hpp"

namespace mbdbench {
namespace {

/// \returns what follows the separator on the first line of the file that begins with the key; empty if none does.
std::string value_in_file(const char* file, std::string_view key, char separator) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t end_of_key = line.find(separator);
    if (line.starts_with(key) && end_of_key != std::string::npos) {
      const std::size_t start = line.find_first_not_of(" \t\"", end_of_key + 1);
      const std::size_t end = line.find_last_not_of(" \t\"");
      return start == std::string::npos ? "" : line.substr(start, end + 1 - start);
    }
  }
  return {};
}

std::string or_unknown(std::string text) {
  return text.empty() ? "unknown" : std::move(text);
}

std::string operating_system() {
  utsname system{};
  uname(&system);
  return fmt::format("{}, {} {} {}", or_unknown(value_in_file("/etc/os-release", "PRETTY_NAME", '=')),
                     static_cast<const char*>(system.sysname), static_cast<const char*>(system.release),
                     static_cast<const char*>(system.machine));
}

/// \returns "processors 0-3,8; OMP_PROC_BIND=close; OMP_PLACES unset".
std::string binding() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::string text = "processors ";
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
    text += "unknown";
  } else {
    std::string separator;
    for (std::size_t first = 0; first < CPU_SETSIZE; ++first) {
      if (!CPU_ISSET(first, &allowed)) {
        continue;
      }
      std::size_t last = first;
      while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &allowed)) {
        ++last;
      }
      text += separator + (last == first ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
      separator = ",";
      first = last;
    }
  }
  for (const char* const variable : {"OMP_PROC_BIND", "OMP_PLACES"}) {
    const char* const value = std::getenv(variable);
    text += value == nullptr ? fmt::format("; {} unset", variable) : fmt::format("; {}={}", variable, value);
  }
  return text;
}

nlohmann::ordered_json openmp_json(const OpenmpSettings& settings) {
  return {{"version", settings.version},
          {"threads_of_a_region", settings.members},
          {"max_threads", settings.max_threads},
          {"thread_limit", settings.thread_limit},
          {"max_active_levels", settings.max_active_levels},
          {"dynamic", settings.dynamic},
          {"proc_bind", settings.proc_bind},
          {"places", settings.places},
          {"wait_policy", settings.wait_policy}};
}

std::vector<std::pair<std::string, std::string>> libraries() {
  std::vector<std::pair<std::string, std::string>> versions = {
      {"Boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
      {"CLI11", CLI11_VERSION},
      {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"glibc", gnu_get_libc_version()},
      {"libstdc++", fmt::format("{}", __GLIBCXX__)},
      {"muParser", mu::Parser().GetVersion(mu::pviBRIEF)},
      {"nlohmann_json",
       fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
      {"toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)},
  };
  if (const std::string version = sundials_version(); !version.empty()) {
    versions.emplace_back("SUNDIALS", version);
  }
  return versions;
}

}  // namespace

Provenance capture_provenance(const Execution& execution, int threads) {
  const BuildInformation build = build_information();
  Provenance provenance;
  provenance.version = build.version;
  provenance.commit = build.commit;
  provenance.dirty = build.dirty;
  provenance.compiler = build.compiler;
  provenance.flags = build.flags;
  provenance.build_type = build.build_type;
  provenance.instruction_set = execution.instruction_set.name;
  provenance.cpu = or_unknown(value_in_file("/proc/cpuinfo", "model name", ':'));
  provenance.logical_cores = static_cast<int>(std::thread::hardware_concurrency());
  provenance.threads = std::max(threads, execution.threads);
  provenance.binding = binding();
  provenance.libraries = libraries();
  provenance.operating_system = operating_system();
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  provenance.utc_time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
  return provenance;
}

Provenance capture_provenance(const FolderOwner& owner, const Execution& execution, int threads) {
  Provenance provenance = capture_provenance(execution, threads);
  provenance.made_by = owner;
  return provenance;
}

std::string version_text() {
  const BuildInformation build = build_information();
  return fmt::format("{} (commit {}{})", build.version, std::string_view(build.commit).substr(0, 12),
                     build.dirty.value_or(false) ? ", uncommitted changes" : "");
}

void write_provenance(const std::filesystem::path& file, const Provenance& provenance) {
  nlohmann::ordered_json json = {{"format", kResultFormat}};
  if (provenance.made_by) {
    json["made_by"] = {{"command", provenance.made_by->command},
                       {"name", provenance.made_by->name},
                       {"quick", provenance.made_by->quick}};
  }
  json["version"] = provenance.version;
  json["commit"] = provenance.commit;
  json["dirty"] = provenance.dirty ? nlohmann::ordered_json(*provenance.dirty) : nlohmann::ordered_json();
  json["compiler"] = provenance.compiler;
  json["flags"] = provenance.flags;
  json["build_type"] = provenance.build_type;
  json["cpu"] = provenance.cpu;
  json["instruction_set"] = provenance.instruction_set;
  json["logical_cores"] = provenance.logical_cores;
  json["threads"] = provenance.threads;
  json["openmp"] = openmp_json(openmp_settings(provenance.threads));
  json["processes"] = provenance.processes;
  json["messages"] = provenance.messages;
  json["binding"] = provenance.binding;
  for (const auto& [name, version] : provenance.libraries) {
    json["libraries"][name] = version;
  }
  json["operating_system"] = provenance.operating_system;
  json["utc_time"] = provenance.utc_time;
  for (const ShareProvenance& share : provenance.shares) {
    json["shares"].push_back({{"share", share.share}, {"parts", share.parts}, {"machines", share.machines}});
  }
  write_json(file, json);
}

}  // namespace mbdbench
