#pragma once
/// \file
/// One writer a result directory.
#include <filesystem>
#include <string>

namespace mbdbench {

/// Holds DIR/.lock while it lives. The lock itself is the operating system's (flock), which drops it however a program
/// ends; the file only says who holds it. What a killed run left is taken over.
class DirectoryLock {
 public:
  /// Makes the directory where it is missing.
  /// \throws std::invalid_argument naming the process that writes there; WriteError where it cannot be written
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  DirectoryLock(DirectoryLock&&) = delete;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

  /// \returns who held a lock that was left and is taken over, "process 4711 on host"; empty where there was none.
  [[nodiscard]] const std::string& left_by() const { return left_by_; }

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::string left_by_;
};

/// Held by every process that computes a share of a study in a directory, beside one another; what empties the
/// directory holds it alone. Its file stays: a name that goes while others hold it would let somebody in.
class ShareLock {
 public:
  enum class Holders { many, one };
  /// Makes the directory where it is missing. Of many: waits while somebody holds it alone, which is short. Alone:
  /// \throws std::invalid_argument while shares are computed there, WriteError where the file cannot be written
  ShareLock(const std::filesystem::path& directory, Holders holders);
  ~ShareLock();
  ShareLock(const ShareLock&) = delete;
  ShareLock& operator=(const ShareLock&) = delete;
  ShareLock(ShareLock&&) = delete;
  ShareLock& operator=(ShareLock&&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace mbdbench
