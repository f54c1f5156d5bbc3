#include "experiments/studies/runner/result_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "experiments/files/text_digest.hpp"
#include "experiments/files/write_error.hpp"

namespace mbdbench::studies {
namespace {

std::string system_message() {
  return std::generic_category().message(errno);
}

/// \returns what tells a line in which something has changed since it was written.
std::string digest_of(const std::string& key, const nlohmann::json& result) {
  return text_digest(key + result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// \returns whether the line is whole and as it was written.
bool checks(const nlohmann::json& line) {
  return line.is_object() && line.contains("key") && line["key"].is_string() && line.contains("result") &&
         line.contains("digest") && line["digest"] == digest_of(line["key"], line["result"]);
}

}  // namespace

ResultJournal::ResultJournal(std::filesystem::path file) : file_(std::move(file)) {
  descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    throw WriteError(file_.string(), fmt::format("cannot be opened: {}", system_message()));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    ::close(descriptor_);
    throw FileError(file_.string(), 0,
                    reason == EWOULDBLOCK
                        ? "another run is writing into this directory; wait for it or choose another with --output"
                        : fmt::format("cannot be locked: {}", std::generic_category().message(reason)));
  }
  read();
}

ResultJournal::~ResultJournal() {
  ::close(descriptor_);
}

void ResultJournal::read() {
  std::ifstream stream(file_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    const nlohmann::json line = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(start),
                                                      text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (checks(line)) {
      results_.insert_or_assign(line["key"].get<std::string>(), line["result"]);
    } else {
      ++unreadable_;
    }
    note_duration(line);
    start = end + 1;
  }
  if (start < text.size() && ::ftruncate(descriptor_, static_cast<off_t>(start)) != 0) {
    throw WriteError(file_.string(), fmt::format("its torn last line cannot be cut off: {}", system_message()));
  }
}

void ResultJournal::note_duration(const nlohmann::json& line) {
  if (!line.is_object() || !line.contains("part") || !line.contains("seconds")) {
    return;
  }
  const nlohmann::json& part = line["part"];
  const nlohmann::json& seconds = line["seconds"];
  if (part.is_string() && seconds.is_number() && seconds.get<double>() >= 0.0) {
    durations_.insert_or_assign(part.get<std::string>(), seconds.get<double>());
  }
}

const nlohmann::json* ResultJournal::find(const std::string& key) const {
  const auto found = results_.find(key);
  return found == results_.end() ? nullptr : &found->second;
}

void ResultJournal::append(const std::string& key, const std::string& part, const nlohmann::json& result,
                           double seconds) {
  const nlohmann::ordered_json line = {
      {"key", key}, {"part", part}, {"seconds", seconds}, {"result", result}, {"digest", digest_of(key, result)}};
  const std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  const std::lock_guard lock(mutex_);
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(descriptor_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      const std::string reason = system_message();
      // Half a line would swallow the next one. Where even that fails, the next run cuts it off.
      static_cast<void>(::ftruncate(descriptor_, before) == 0);
      throw WriteError(file_.string(), fmt::format("cannot be written: {}; what was finished before is kept", reason));
    }
    written += static_cast<std::size_t>(count);
  }
}

}  // namespace mbdbench::studies
