#include "experiments/ensembles/members/member_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "experiments/files/write_error.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

// A record: this, status, '\n' and message, padded to whole words; then the numbers.
struct Head {
  std::uint64_t mark = 0;
  std::uint64_t checksum = 0;  // of everything behind it
  std::uint64_t member = 0;
  std::uint64_t text = 0;     // bytes, without padding
  std::uint64_t start = 0;    // numbers
  std::uint64_t samples = 0;  // numbers
};

constexpr std::uint64_t kMark = 0x31636572656d626d;  // "mbmerec1"
constexpr std::size_t kScalars = 8;
constexpr std::size_t kWord = sizeof(double);

std::size_t padded(std::size_t bytes) {
  return (bytes + kWord - 1) / kWord * kWord;
}

/// \returns the bytes behind the head of a record.
std::size_t content_size(const Head& head) {
  return padded(head.text) + (kScalars + head.start + head.samples) * kWord;
}

/// FNV-1a over words: what was written half, or by a failing disk, has another one.
std::uint64_t checksum(std::span<const char> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i + kWord <= bytes.size(); i += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, kWord);
    hash = (hash ^ word) * 0x100000001b3;
    hash ^= hash >> 29U;
  }
  return hash;
}

/// \returns whether all bytes were read.
bool read_at(int descriptor, std::size_t offset, std::span<char> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    done += static_cast<std::size_t>(got);
  }
  return true;
}

std::span<char> bytes_of(std::span<double> values) {
  return {reinterpret_cast<char*>(values.data()), values.size_bytes()};
}

/// Calls see(head, offset of the record) for every whole record. \returns where they end
template <typename See>
std::size_t whole_records(int descriptor, const See& see) {
  std::size_t offset = 0;
  std::vector<char> content;
  struct stat state {};
  const std::size_t end = ::fstat(descriptor, &state) == 0 ? static_cast<std::size_t>(state.st_size) : 0;
  for (;;) {
    std::array<char, sizeof(Head)> raw{};
    Head head;
    if (!read_at(descriptor, offset, raw)) {
      return offset;
    }
    std::memcpy(&head, raw.data(), sizeof head);
    // Another process may have appended since.
    if (end < offset + sizeof head) {
      return offset;
    }
    // A torn head may hold any sizes.
    const std::size_t left = end - offset - sizeof head;
    if (head.mark != kMark || head.text > left || head.start > left / kWord || head.samples > left / kWord ||
        content_size(head) > left) {
      return offset;
    }
    content.resize(content_size(head));
    if (!read_at(descriptor, offset + sizeof head, content) ||
        checksum(content) != (head.checksum ^ head.member ^ head.text ^ head.start ^ head.samples)) {
      return offset;
    }
    see(head, offset);
    offset += sizeof head + content.size();
  }
}

std::vector<char> record_bytes(const MemberRecord& record) {
  const std::string text = record.status + '\n' + record.message;
  Head head{kMark, 0, record.member, text.size(), record.start.size(), record.samples.size()};
  std::vector<char> bytes(sizeof head + content_size(head));
  char* place = bytes.data() + sizeof head;
  std::copy(text.begin(), text.end(), place);
  place += padded(text.size());
  const std::array<double, kScalars> scalars = {record.t_end,
                                                record.steps,
                                                record.evaluations,
                                                record.initial_energy,
                                                record.largest_imbalance,
                                                record.final_imbalance,
                                                record.position_residual,
                                                record.velocity_residual};
  for (const std::span<const double> numbers : {std::span<const double>(scalars), std::span<const double>(record.start),
                                                std::span<const double>(record.samples)}) {
    if (!numbers.empty()) {
      std::memcpy(place, numbers.data(), numbers.size_bytes());
      place += numbers.size_bytes();
    }
  }
  head.checksum = checksum(std::span(bytes).subspan(sizeof head)) ^ head.member ^ head.text ^ head.start ^ head.samples;
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

std::string system_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace

MemberJournal::MemberJournal(const fs::path& folder, int process)
    : file_(folder / "parts" / fmt::format("members.process{}.bin", process)) {
  std::error_code error;
  fs::create_directories(file_.parent_path(), error);
  descriptor_ = error ? -1 : ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw WriteError(file_.string(), error ? error.message() : system_text(errno));
  }
  const std::size_t end = whole_records(descriptor_, [](const Head&, std::size_t) {});
  if (::ftruncate(descriptor_, static_cast<off_t>(end)) != 0 ||
      ::lseek(descriptor_, static_cast<off_t>(end), SEEK_SET) < 0) {
    const int why = errno;
    ::close(descriptor_);
    throw WriteError(file_.string(), system_text(why));
  }
}

MemberJournal::~MemberJournal() {
  ::close(descriptor_);
}

void MemberJournal::append(const MemberRecord& record) {
  const std::vector<char> bytes = record_bytes(record);
  const std::lock_guard lock(mutex_);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      throw WriteError(file_.string(), fmt::format("cannot be written: {}", system_text(errno)));
    }
    done += static_cast<std::size_t>(written);
  }
}

KeptMembers::KeptMembers(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "parts", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("members.process") && name.ends_with(".bin")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    look_through(file);
  }
}

KeptMembers::~KeptMembers() {
  for (const int descriptor : descriptors_) {
    ::close(descriptor);
  }
}

void KeptMembers::look_through(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw FileError(file.string(), 0, fmt::format("cannot be read: {}", system_text(errno)));
  }
  descriptors_.push_back(descriptor);
  whole_records(descriptor, [&](const Head& head, std::size_t offset) {
    const std::size_t samples = offset + sizeof head + padded(head.text) + (kScalars + head.start) * kWord;
    places_[head.member] = {descriptor, offset, samples, head.samples};
  });
}

MemberRecord KeptMembers::read(std::size_t member) const {
  const Place& place = places_.at(member);
  MemberRecord record;
  Head head;
  std::array<char, sizeof(Head)> raw{};
  bool whole = read_at(place.descriptor, place.record, raw);
  std::memcpy(&head, raw.data(), sizeof head);
  std::string text(whole ? head.text : 0, '\0');
  std::vector<double> numbers(whole ? kScalars + head.start : 0);
  const std::size_t after_head = place.record + sizeof head;
  whole = whole && read_at(place.descriptor, after_head, text) &&
          read_at(place.descriptor, after_head + padded(head.text), bytes_of(numbers));
  if (!whole) {
    throw FileError("parts", 0, fmt::format("the record of member {} cannot be read", member + 1));
  }
  record.member = member;
  const std::size_t line = text.find('\n');
  record.status = text.substr(0, line);
  record.message = text.substr(line + 1);
  record.t_end = numbers[0];
  record.steps = numbers[1];
  record.evaluations = numbers[2];
  record.initial_energy = numbers[3];
  record.largest_imbalance = numbers[4];
  record.final_imbalance = numbers[5];
  record.position_residual = numbers[6];
  record.velocity_residual = numbers[7];
  record.start.assign(numbers.begin() + kScalars, numbers.end());
  return record;
}

void KeptMembers::samples(std::size_t member, std::size_t first, std::span<double> values) const {
  const Place& place = places_.at(member);
  if (first + values.size() > place.count ||
      !read_at(place.descriptor, place.samples + first * kWord, bytes_of(values))) {
    throw FileError("parts", 0, fmt::format("the samples of member {} cannot be read", member + 1));
  }
}

}  // namespace mbdbench
