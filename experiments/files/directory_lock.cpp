#include "experiments/files/directory_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "experiments/files/host_name.hpp"
#include "experiments/files/write_error.hpp"

namespace mbdbench {
namespace {

std::string own_name() {
  return fmt::format("process {} on {}", getpid(), host_name());
}

std::string holder(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t count = pread(descriptor, text.data(), text.size() - 1, 0);
  return count > 0 ? std::string(text.data(), static_cast<std::size_t>(count)) : std::string();
}

/// \returns whether the file still has this name: its holder removes it at the end.
bool still_named(int descriptor, const std::filesystem::path& file) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(file.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw WriteError(directory.string(), fmt::format("cannot be made: {}", error.message()));
  }
}

int open_lock(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw WriteError(file.string(), fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  return descriptor;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::filesystem::path& directory) : file_(directory / ".lock") {
  make_directory(directory);
  for (;;) {
    descriptor_ = open_lock(file_);
    // File systems without locks cannot be helped: the file then stands there as a word only.
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      const std::string who = holder(descriptor_);
      close(descriptor_);
      throw std::invalid_argument(
          fmt::format("{}: {} is writing there; wait for it, end it with 'kill' (what is finished is kept and can be "
                      "continued), or choose another directory",
                      directory.string(), who.empty() ? "another process" : who));
    }
    if (still_named(descriptor_, file_)) {
      break;
    }
    close(descriptor_);
  }
  left_by_ = holder(descriptor_);
  const std::string own = own_name();
  if (ftruncate(descriptor_, 0) != 0 ||
      pwrite(descriptor_, own.data(), own.size(), 0) != static_cast<ssize_t>(own.size())) {
    const std::string why = std::strerror(errno);
    close(descriptor_);
    throw WriteError(file_.string(), fmt::format("cannot be written: {}", why));
  }
}

DirectoryLock::~DirectoryLock() {
  // While it is still held, so that nobody else's is removed.
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
  close(descriptor_);
}

ShareLock::ShareLock(const std::filesystem::path& directory, Holders holders) {
  make_directory(directory);
  descriptor_ = open_lock(directory / ".shares");
  const int how = holders == Holders::many ? LOCK_SH : LOCK_EX | LOCK_NB;
  int result = flock(descriptor_, how);
  while (result != 0 && errno == EINTR) {
    result = flock(descriptor_, how);
  }
  if (result != 0 && errno == EWOULDBLOCK) {
    close(descriptor_);
    throw std::invalid_argument(
        fmt::format("{}: shares of a study are being computed there; wait for them, end them with 'kill' (what is "
                    "finished is kept), or choose another directory",
                    directory.string()));
  }
}

ShareLock::~ShareLock() {
  close(descriptor_);
}

}  // namespace mbdbench
