#include "experiments/studies/runner/parts/result_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/text_digest.hpp"
#include "experiments/files/write_error.hpp"

namespace mbdbench::studies {
namespace {

std::string system_message() {
  return std::generic_category().message(errno);
}

std::string line_text(const nlohmann::ordered_json& line) {
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

/// \returns what tells a line in which something has changed since it was written.
std::string digest_of(const std::string& key, const std::string& origin, const nlohmann::json& result) {
  return text_digest(key + origin + result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

bool is_text(const nlohmann::json& line, const char* key) {
  return line.contains(key) && line[key].is_string();
}

/// \returns whether the line holds a part, whole and as it was written.
bool holds_part(const nlohmann::json& line) {
  return line.is_object() && is_text(line, "key") && is_text(line, "origin") && is_text(line, "part") &&
         line.contains("result") && line.contains("digest") &&
         line["digest"] == digest_of(line["key"], line["origin"], line["result"]);
}

/// \returns the origin that a line describes; nothing where it describes none, or not as it was written.
std::optional<PartOrigin> described_origin(const nlohmann::json& line) {
  if (!line.is_object() || !is_text(line, "id") || !line.contains("described")) {
    return std::nullopt;
  }
  const nlohmann::json& described = line["described"];
  for (const char* const key : {"program", "version", "instruction_set", "machine"}) {
    if (!described.is_object() || !is_text(described, key)) {
      return std::nullopt;
    }
  }
  PartOrigin origin = origin_from_json(described);
  return line["id"] == origin.id() ? std::optional(std::move(origin)) : std::nullopt;
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

/// \returns the journals that processes behind the first have left beside the first one's, in order.
std::vector<std::filesystem::path> others_of(const std::filesystem::path& first) {
  std::vector<std::filesystem::path> others;
  for (const auto& entry : std::filesystem::directory_iterator(first.parent_path())) {
    if (entry.path().filename().string().starts_with("study.process") && entry.path().extension() == ".jsonl") {
      others.push_back(entry.path());
    }
  }
  std::sort(others.begin(), others.end());
  return others;
}

}  // namespace

ResultJournal::ResultJournal(std::filesystem::path file, PartOrigin own)
    : file_(std::move(file)), own_(std::move(own)), instruction_set_(own_.instruction_set) {
  origins_.emplace(own_.id(), own_);
  descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    throw WriteError(file_.string(), fmt::format("cannot be opened: {}", system_message()));
  }
  // File systems without locks cannot be helped: digests tell what two writers have mixed.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw FileError(file_.string(), 0,
                    "another run is writing into this file; wait for it or choose another directory with --output");
  }
  read();
}

ResultJournal::~ResultJournal() {
  ::close(descriptor_);
}

void ResultJournal::read() {
  const std::string text = text_of(file_);
  const std::size_t whole = for_each_line(text, [&](const nlohmann::json& line) {
    unreadable_ += adopt(line) ? 0 : 1;
    if (const std::optional<PartOrigin> origin = described_origin(line)) {
      described_.insert(origin->id());
    }
  });
  if (whole < text.size() && ::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) {
    throw WriteError(file_.string(), fmt::format("its torn last line cannot be cut off: {}", system_message()));
  }
}

bool ResultJournal::adopt(const nlohmann::json& line) {
  if (const std::optional<PartOrigin> origin = described_origin(line)) {
    origins_.emplace(origin->id(), *origin);
    return true;
  }
  note_duration(line);
  if (line.is_object() && line.contains("key") && !line.contains("origin")) {
    return true;  // of a program before 0.3.0, whose parts no later program uses
  }
  if (!holds_part(line) || !origins_.contains(line["origin"].get<std::string>())) {
    return false;
  }
  const std::string key = line["key"];
  const std::string origin = line["origin"];
  const auto [first, last] = results_.equal_range(key);
  const auto same = std::find_if(first, last, [&](const auto& entry) { return entry.second.origin == origin; });
  if (same == last) {
    results_.emplace(key, KeptPart{line["result"], origin, line["part"]});
  } else {
    same->second.result = line["result"];
  }
  return true;
}

std::multimap<std::string, KeptPart> ResultJournal::learn(const std::filesystem::path& other) {
  std::multimap<std::string, KeptPart> parts;
  for_each_line(text_of(other), [&](const nlohmann::json& line) {
    if (adopt(line) && holds_part(line)) {
      parts.emplace(line["key"], KeptPart{line["result"], line["origin"], line["part"]});
    }
  });
  return parts;
}

void ResultJournal::take_over_others() {
  for (const std::filesystem::path& other : others_of(file_)) {
    for_each_line(text_of(other), [&](const nlohmann::json& line) {
      const bool known = holds_part(line) && find(line["key"]) != nullptr;
      if (adopt(line) && holds_part(line) && !known) {
        describe(line["origin"]);
        write_line(line_text(line));
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
  for (const auto& [key, kept] : results_) {
    text += key + kept.origin + '\n';
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
  const auto [first, last] = results_.equal_range(key);
  const auto found = std::find_if(
      first, last, [&](const auto& entry) { return origin(entry.second.origin).instruction_set == instruction_set_; });
  return found == last ? nullptr : &found->second.result;
}

const nlohmann::json* ResultJournal::find(const std::string& key, const std::string& machine) const {
  const auto [first, last] = results_.equal_range(key);
  const auto found = std::find_if(first, last, [&](const auto& entry) {
    const PartOrigin& from = origin(entry.second.origin);
    return from.instruction_set == instruction_set_ && from.machine == machine;
  });
  return found == last ? nullptr : &found->second.result;
}

std::set<std::string> ResultJournal::machines_of(const std::string& key) const {
  std::set<std::string> machines;
  const auto [first, last] = results_.equal_range(key);
  for (auto entry = first; entry != last; ++entry) {
    const PartOrigin& from = origin(entry->second.origin);
    if (from.instruction_set == instruction_set_) {
      machines.insert(from.machine);
    }
  }
  return machines;
}

void ResultJournal::append(const std::string& key, const std::string& part, const nlohmann::json& result,
                           double seconds) {
  const std::string id = own_.id();
  const std::lock_guard lock(mutex_);
  describe(id);
  write_line(line_text({{"key", key},
                        {"part", part},
                        {"seconds", seconds},
                        {"result", result},
                        {"origin", id},
                        {"digest", digest_of(key, id, result)}}));
}

void ResultJournal::describe(const std::string& origin) {
  if (described_.insert(origin).second) {
    write_line(line_text({{"id", origin}, {"described", to_json(this->origin(origin))}}));
  }
}

void ResultJournal::write_line(const std::string& text) {
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
