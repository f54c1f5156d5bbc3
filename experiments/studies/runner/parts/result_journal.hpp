#pragma once
/// \file
/// The finished parts of a study, one line of JSON each, appended as they finish: what a killed run, a full disk or
/// power failure leaves is everything up to the last whole line.
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

namespace mbdbench::studies {

/// An append-only file of results by key. One process at a time.
class ResultJournal {
 public:
  /// Opens or makes the file, locks it and reads what is there; a torn last line is cut off.
  /// \throws FileError when another run holds it, or it cannot be read or written
  explicit ResultJournal(std::filesystem::path file);
  ~ResultJournal();
  ResultJournal(const ResultJournal&) = delete;
  ResultJournal& operator=(const ResultJournal&) = delete;
  ResultJournal(ResultJournal&&) = delete;
  ResultJournal& operator=(ResultJournal&&) = delete;

  /// \returns the result of this key, nullptr where there is none. Not beside `append`.
  [[nodiscard]] const nlohmann::json* find(const std::string& key) const;
  /// Appends, from any thread. \param part what it is, for people and for the time that it takes again
  /// \param seconds that it took \throws FileError when it cannot be written
  void append(const std::string& key, const std::string& part, const nlohmann::json& result, double seconds);
  /// Takes over what ranks of an earlier run have left in study.rank*.jsonl beside this file, and removes these files.
  /// \throws FileError
  void take_over_others();
  /// Removes these files: everything in them is in this one.
  void remove_others();
  /// Knows what is in another journal too. Lines that cannot be read are ignored.
  void learn(const std::filesystem::path& other);
  /// \returns what tells journals of different content apart.
  [[nodiscard]] std::string digest() const;
  /// \returns what every part took last, s, in the lines that were there: of other programs and damaged ones too, since
  /// nothing but the expected time left follows from it.
  [[nodiscard]] const std::map<std::string, double>& durations() const { return durations_; }
  /// \returns whole lines that could not be read, or are not as they were written, and are ignored.
  [[nodiscard]] std::size_t unreadable_lines() const { return unreadable_; }

 private:
  void read();
  /// \returns whether the line is whole; then its result is known.
  bool adopt(const nlohmann::json& line);
  void write_line(const std::string& text);
  void note_duration(const nlohmann::json& line);

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::map<std::string, nlohmann::json> results_;
  std::map<std::string, double> durations_;
  std::size_t unreadable_ = 0;
  std::mutex mutex_;
};

}  // namespace mbdbench::studies
