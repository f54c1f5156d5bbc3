#include "experiments/files/result_removal.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "experiments/files/formats/json_file.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

// Made by plots/make_all.py, whose names the study chooses.
constexpr const char* kDrawn = "figures_and_tables.json";

// Everything that a command writes directly into its folder.
constexpr std::array kResults = {"records.csv",
                                 "timings.csv",
                                 "claims.csv",
                                 "timing_claims.csv",
                                 "solutions.csv",
                                 "study.json",
                                 "report.html",
                                 "state.json",
                                 "statistics.json",
                                 "timings.json",
                                 "mechanism.toml",
                                 "checkpoint.json",
                                 "trajectory.csv",
                                 "trajectory.csv.part",
                                 "soak.json",
                                 "metamorphic.csv",
                                 "metamorphic.json",
                                 "members.csv",
                                 "ensemble.csv",
                                 "ensemble.json",
                                 "inputs.json",
                                 "mass_matrix.npy",
                                 "constraint_jacobian.npy",
                                 "forces.npy",
                                 "q.npy",
                                 "u.npy",
                                 "accelerations.npy",
                                 "names.json",
                                 "provenance.json",
                                 kDrawn};

// And into folders there.
constexpr std::array kInFolders = {"inputs/declaration.toml",
                                   "inputs/*_????????.toml",
                                   "inputs/*.csv",
                                   "inputs/state.json",
                                   "parts/study.jsonl",
                                   "parts/study.process*.jsonl",
                                   "parts/study.rank*.jsonl",  // as 0.3.0 named them
                                   "parts/share.*_of_*.jsonl",
                                   "parts/members.process*.bin",
                                   "trajectories/*.csv",
                                   "drawings/*.svg",
                                   "drawings/*.html",
                                   "states/[0-9]*/state.json",
                                   "states/[0-9]*/mechanism.toml",
                                   "failures/[0-9]*-*-*.toml",
                                   "failures/*-*-[0-9]*/telling[0-9]*.toml",
                                   "failures/*-*-[0-9]*/commands.sh",
                                   ".working/*",
                                   ".working/*/*",
                                   ".working/*/*/*"};

constexpr std::array kFolders = {"inputs",   "parts",    "trajectories", "drawings", "states",
                                 "failures", ".working", "figures",      "tables"};

/// \returns the figures and tables that are listed; the list may be somebody else's: only files of the two folders.
std::set<std::string> drawn_files(const fs::path& folder) {
  const nlohmann::ordered_json json = json_in(folder / kDrawn);
  std::set<std::string> files;
  if (!json.is_array()) {
    return files;
  }
  for (const nlohmann::ordered_json& entry : json) {
    const std::string name = entry.is_string() ? entry.get<std::string>() : "";
    for (const char* const pattern : {"figures/*.pdf", "figures/*.png", "tables/*.tex"}) {
      if (::fnmatch(pattern, name.c_str(), FNM_PATHNAME) == 0) {
        files.insert(name);
      }
    }
  }
  return files;
}

bool is_result(const std::string& name, const std::set<std::string>& drawn) {
  // What was interrupted while it was written has this ending.
  const std::string whole = name.ends_with(".part") ? name.substr(0, name.size() - 5) : name;
  return drawn.contains(whole) || std::any_of(kInFolders.begin(), kInFolders.end(), [&](const char* pattern) {
           return ::fnmatch(pattern, whole.c_str(), FNM_PATHNAME) == 0;
         });
}

/// Removes the results in a folder of results, and the folder where nothing else is in it.
void empty_folder(const fs::path& folder, const fs::path& inner, const std::set<std::string>& drawn) {
  std::vector<fs::path> folders = {folder / inner};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder / inner)) {
    (entry.is_directory() && !entry.is_symlink() ? folders : files).push_back(entry.path());
  }
  for (const fs::path& file : files) {
    if (is_result(fs::relative(file.parent_path(), folder).generic_string() + "/" + file.filename().string(), drawn)) {
      fs::remove(file);
    }
  }
  // Longest first: what is in a folder comes before it.
  std::sort(folders.begin(), folders.end(),
            [](const fs::path& a, const fs::path& b) { return a.native().size() > b.native().size(); });
  for (const fs::path& each : folders) {
    if (fs::is_empty(each)) {
      fs::remove(each);
    }
  }
}

bool is_own_directory(const fs::path& path) {
  return fs::is_directory(path) && !fs::is_symlink(path);
}

}  // namespace

void remove_results(const fs::path& folder, const std::string& inner) {
  if (is_own_directory(folder / inner)) {
    empty_folder(folder, inner, drawn_files(folder));
  }
}

std::string result_in(const fs::path& folder) {
  for (const char* const name : kResults) {
    std::error_code ignored;
    if (name != std::string_view("provenance.json") && fs::is_regular_file(folder / name, ignored)) {
      return name;
    }
  }
  return "";
}

std::string remove_results(const fs::path& folder) {
  std::string left;
  for (const char* const name : kFolders) {
    remove_results(folder, name);
    if (fs::exists(folder / name)) {
      left += fmt::format("{}{}", left.empty() ? "" : ", ", name);
    }
  }
  for (const std::string name : kResults) {
    if (!is_own_directory(folder / name)) {
      fs::remove(folder / name);
      fs::remove(folder / (name + ".part"));
    }
  }
  return left;
}

}  // namespace mbdbench
