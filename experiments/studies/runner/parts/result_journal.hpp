#pragma once
/// \file
/// The finished parts of a study, one line of JSON each, appended as they finish: what a killed run, a full disk or
/// power failure leaves is everything up to the last whole line.
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "experiments/studies/runner/parts/part_origin.hpp"

namespace mbdbench::studies {

/// A finished part and where it was computed.
struct KeptPart {
  nlohmann::json result;
  std::string origin;  ///< id
  std::string part;    ///< for people
};

/// An append-only file of results by key. One process at a time. A line names the origin of its part, which an earlier
/// line of the file describes. Only parts of one instruction set are found: others round differently.
class ResultJournal {
 public:
  /// Opens or makes the file, locks it and reads what is there; a torn last line is cut off.
  /// \param own where the parts that this process appends are computed
  /// \throws FileError when another run holds it, or it cannot be read or written
  ResultJournal(std::filesystem::path file, PartOrigin own);
  ~ResultJournal();
  ResultJournal(const ResultJournal&) = delete;
  ResultJournal& operator=(const ResultJournal&) = delete;
  ResultJournal(ResultJournal&&) = delete;
  ResultJournal& operator=(ResultJournal&&) = delete;

  /// \returns the result of this key, nullptr where there is none. Not beside `append`.
  [[nodiscard]] const nlohmann::json* find(const std::string& key) const;
  /// \returns the result of this key that was measured on a machine.
  [[nodiscard]] const nlohmann::json* find(const std::string& key, const std::string& machine) const;
  /// \returns the machines on which this key was computed.
  [[nodiscard]] std::set<std::string> machines_of(const std::string& key) const;
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const std::string& instruction_set() const { return instruction_set_; }
  [[nodiscard]] const PartOrigin& own() const { return own_; }
  [[nodiscard]] const PartOrigin& origin(const std::string& id) const { return origins_.at(id); }
  /// From now on the parts of this instruction set are found; at first those of the process's own.
  void use_instruction_set(std::string name) { instruction_set_ = std::move(name); }
  /// Appends, from any thread. \param part what it is, for people and for the time that it takes again
  /// \param seconds that it took \throws FileError when it cannot be written
  void append(const std::string& key, const std::string& part, const nlohmann::json& result, double seconds);
  /// Takes over what processes of an earlier run have left in study.process*.jsonl beside this file, and removes these
  /// files. \throws FileError
  void take_over_others();
  /// Removes these files: everything in them is in this one.
  void remove_others();
  /// Knows what is in another journal too. Lines that cannot be read are ignored, and so is a line that is being
  /// written. \returns its parts by their keys
  std::multimap<std::string, KeptPart> learn(const std::filesystem::path& other);
  /// \returns what tells journals of different content apart.
  [[nodiscard]] std::string digest() const;
  /// \returns what every part took last, s, in the lines that were there: of other programs and damaged ones too, since
  /// nothing but the expected time left follows from it.
  [[nodiscard]] const std::map<std::string, double>& durations() const { return durations_; }
  /// \returns whole lines that could not be read, or are not as they were written, and are ignored.
  [[nodiscard]] std::size_t unreadable_lines() const { return unreadable_; }

 private:
  void read();
  /// \returns whether the line is whole; then its result, or the origin of results, is known.
  bool adopt(const nlohmann::json& line);
  /// Describes an origin in the file, once, before the first line that names it.
  void describe(const std::string& origin);
  void write_line(const std::string& text);
  void note_duration(const nlohmann::json& line);

  std::filesystem::path file_;
  PartOrigin own_;
  std::string instruction_set_;
  int descriptor_ = -1;
  std::multimap<std::string, KeptPart> results_;
  std::map<std::string, PartOrigin> origins_;
  std::set<std::string> described_;  // in this file
  std::map<std::string, double> durations_;
  std::size_t unreadable_ = 0;
  std::mutex mutex_;
};

}  // namespace mbdbench::studies
