#pragma once
/// \file
/// One rule for every command that writes results: a folder belongs to what made it.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "experiments/files/directory_lock.hpp"

namespace mbdbench {

/// What made the results of a folder; stands in its provenance.json as "made_by".
struct FolderOwner {
  std::string command;     ///< "study" (of `run` too), "simulate", "ensemble", "bench", "verify", "matrices", "soak"
  std::string name = {};   ///< of a study
  bool quick = false;      ///< whether its smaller version
  bool continues = false;  ///< whether the same again goes on in its folder; otherwise it would replace what is there
  /// \returns "study 'arm'", "study 'arm' (quick)", "simulate".
  [[nodiscard]] std::string text() const;
};

/// \returns whose folder it is, from "made_by" or, of older programs' folders, from the files in it; nothing where
/// nothing of the suite's stands there.
std::optional<FolderOwner> folder_owner(const std::filesystem::path& folder);

/// \throws FileError where a newer program has written the folder's files in a format that this one does not know
void require_known_format(const std::filesystem::path& folder);

/// A folder that a command writes its results to, locked while this lives.
class ResultFolder {
 public:
  /// Makes the folder where it is missing. With `overwrite` the results of an earlier owner go, the user's other files
  /// stay. The whole of a study may replace its quick version; nothing else replaces anything.
  /// \throws std::invalid_argument saying whose folder it is, or who writes there; WriteError
  ResultFolder(const std::filesystem::path& folder, const FolderOwner& owner, bool overwrite);

  /// \returns what the user should know: whose lock was taken over, what is replaced; empty where nothing is.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  DirectoryLock lock_;
  std::string note_;
};

/// A folder into which several processes write shares of one study, each its own files.
class ShareFolder {
 public:
  /// As a ResultFolder that overwrites nothing, beside other shares and beside a process that merges them.
  /// \throws std::invalid_argument saying whose folder it is; WriteError
  ShareFolder(const std::filesystem::path& folder, const FolderOwner& owner);

  /// \returns whether the folder does not say yet that it is the owner's.
  [[nodiscard]] bool is_new() const { return is_new_; }

 private:
  ShareLock lock_;
  bool is_new_ = false;
};

}  // namespace mbdbench
