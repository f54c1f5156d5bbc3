#include "experiments/files/result_folder.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/result_removal.hpp"
#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/file_format.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

std::string text_at(const nlohmann::ordered_json& json, const char* key) {
  return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

/// \returns why `owner` may not write into what `found` made; empty if it may.
std::string refusal_of(const FolderOwner& found, const FolderOwner& owner) {
  if (found.command != owner.command || found.name != owner.name) {
    return fmt::format("belongs to {}, and {} would mix with it", found.text(), owner.text());
  }
  if (owner.quick && !found.quick) {
    return fmt::format("holds the whole of {}, and --quick would put less in its place", found.text());
  }
  return owner.continues ? "" : fmt::format("holds results of {} already", found.text());
}

}  // namespace

std::string FolderOwner::text() const {
  return fmt::format("{}{}{}", command, name.empty() ? "" : fmt::format(" '{}'", name), quick ? " (quick)" : "");
}

std::optional<FolderOwner> folder_owner(const fs::path& folder) {
  const nlohmann::ordered_json provenance = json_in(folder / "provenance.json");
  if (provenance.is_object() && provenance.contains("made_by")) {
    const nlohmann::ordered_json& made = provenance["made_by"];
    const bool quick = made.is_object() && made.contains("quick") && made["quick"] == true;
    return FolderOwner{.command = text_at(made, "command"), .name = text_at(made, "name"), .quick = quick};
  }
  if (fs::exists(folder / "study.json")) {
    return FolderOwner{.command = "study", .name = text_at(json_in(folder / "study.json"), "name")};
  }
  for (const char* const name : {"state.json", "checkpoint.json", "trajectory.csv.part"}) {
    if (fs::exists(folder / name)) {
      return FolderOwner{.command = "simulate"};
    }
  }
  return std::nullopt;
}

void require_known_format(const fs::path& folder) {
  for (const char* const name : {"provenance.json", "study.json"}) {
    const nlohmann::ordered_json json = json_in(folder / name);
    const bool has_number = json.is_object() && json.contains("format") && json["format"].is_number();
    if (const std::string refusal = format_refusal(has_number ? json["format"].get<double>() : 1.0, kResultFormat);
        !refusal.empty()) {
      throw FileError((folder / name).string(), 0, refusal);
    }
  }
}

namespace {

/// \throws std::invalid_argument where `owner` may not write into what `found` made, or into what nobody is known to
/// have made
void require_rights(const fs::path& folder, const std::optional<FolderOwner>& found, const FolderOwner& owner) {
  require_known_format(folder);
  if (!found) {
    if (const std::string name = result_in(folder); !name.empty()) {
      throw std::invalid_argument(fmt::format(
          "{}: holds '{}', and nothing says who made it; choose another directory with --output, or add --overwrite, "
          "which removes what is there",
          folder.string(), name));
    }
    return;
  }
  if (const std::string refusal = refusal_of(*found, owner); !refusal.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: {}; choose another directory with --output, or add --overwrite, which removes what is there",
                    folder.string(), refusal));
  }
}

}  // namespace

ResultFolder::ResultFolder(const fs::path& folder, const FolderOwner& owner, bool overwrite) : lock_(folder) {
  if (!lock_.left_by().empty()) {
    note_ = fmt::format("{}: takes over the lock that {} left\n", folder.string(), lock_.left_by());
  }
  const std::optional<FolderOwner> found = folder_owner(folder);
  if (overwrite && (found || !result_in(folder).empty())) {
    const ShareLock alone(folder, ShareLock::Holders::one);
    if (const std::string left = remove_results(folder); !left.empty()) {
      note_ += fmt::format("{}: files in {} that are not known as results stay\n", folder.string(), left);
    }
    return;
  }
  require_rights(folder, found, owner);
  if (found && found->quick && !owner.quick) {
    note_ += fmt::format("{}: the whole study takes the place of its quick version\n", folder.string());
  }
}

ShareFolder::ShareFolder(const fs::path& folder, const FolderOwner& owner) : lock_(folder, ShareLock::Holders::many) {
  const std::optional<FolderOwner> found = folder_owner(folder);
  require_rights(folder, found, owner);
  is_new_ = !found || (found->quick && !owner.quick);
}

}  // namespace mbdbench
