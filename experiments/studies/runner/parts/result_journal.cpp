#include "experiments/studies/runner/parts/result_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "experiments/files/json_file.hpp"
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

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Calls `take` with what every line holds, a discarded value where it is no JSON. \returns the end of the last one
template <typename Take>
std::size_t for_each_line(const std::string& text, const Take& take) {
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    take(json_or_discarded(std::string_view(text).substr(start, end - start)));
    start = end + 1;
  }
  return start;
}

/// \returns the journals that ranks behind the first have left beside the first one's, in order.
std::vector<std::filesystem::path> others_of(const std::filesystem::path& first) {
  std::vector<std::filesystem::path> others;
  for (const auto& entry : std::filesystem::directory_iterator(first.parent_path())) {
    if (entry.path().filename().string().starts_with("study.rank") && entry.path().extension() == ".jsonl") {
      others.push_back(entry.path());
    }
  }
  std::sort(others.begin(), others.end());
  return others;
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
  const std::string text = text_of(file_);
  const std::size_t whole =
      for_each_line(text, [&](const nlohmann::json& line) { unreadable_ += adopt(line) ? 0 : 1; });
  if (whole < text.size() && ::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) {
    throw WriteError(file_.string(), fmt::format("its torn last line cannot be cut off: {}", system_message()));
  }
}

bool ResultJournal::adopt(const nlohmann::json& line) {
  const bool whole = checks(line);
  if (whole) {
    results_.insert_or_assign(line["key"].get<std::string>(), line["result"]);
  }
  note_duration(line);
  return whole;
}

void ResultJournal::learn(const std::filesystem::path& other) {
  for_each_line(text_of(other), [&](const nlohmann::json& line) { adopt(line); });
}

void ResultJournal::take_over_others() {
  for (const std::filesystem::path& other : others_of(file_)) {
    for_each_line(text_of(other), [&](const nlohmann::json& line) {
      if (checks(line) && find(line["key"]) == nullptr) {
        adopt(line);
        write_line(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
      }
    });
  }
  remove_others();
}

void ResultJournal::remove_others() {
  for (const std::filesystem::path& other : others_of(file_)) {
    std::filesystem::remove(other);
  }
}

std::string ResultJournal::digest() const {
  std::string text;
  for (const auto& [key, result] : results_) {
    text += key + '\n';
  }
  for (const auto& [part, seconds] : durations_) {
    text += fmt::format("{} {}\n", part, seconds);
  }
  return text_digest(text);
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
  write_line(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

void ResultJournal::write_line(const std::string& text) {
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
