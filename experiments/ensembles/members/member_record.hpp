#pragma once
/// \file
/// What is kept of a member's run, and the files that survive a killed ensemble.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mbdbench {

/// A member's run that is over.
struct MemberRecord {
  std::size_t member = 0;  ///< counted from 0
  std::string status;      ///< as of `simulate`, or "no_start"
  std::string message;     ///< why it is not "ok"
  double t_end = 0.0;
  double steps = 0.0;
  double evaluations = 0.0;
  double initial_energy = 0.0;
  double largest_imbalance = 0.0;
  double final_imbalance = 0.0;
  double position_residual = 0.0;
  double velocity_residual = 0.0;
  std::vector<double> start;    ///< initial values, then parameters; NaN where there is no start
  std::vector<double> samples;  ///< the quantities at one time after another, until the run ended

  /// \returns whether the run reached its end.
  [[nodiscard]] bool reached_end() const { return status == "ok" || status == "inaccurate"; }
};

/// Finished members, appended to a file as they finish. What a killed program leaves is every whole record.
class MemberJournal {
 public:
  /// Opens or makes parts/members.processR.bin in the folder and cuts off a torn last record.
  /// \throws WriteError
  MemberJournal(const std::filesystem::path& folder, int process);
  ~MemberJournal();
  MemberJournal(const MemberJournal&) = delete;
  MemberJournal& operator=(const MemberJournal&) = delete;
  MemberJournal(MemberJournal&&) = delete;
  MemberJournal& operator=(MemberJournal&&) = delete;

  /// From any thread. \throws WriteError
  void append(const MemberRecord& record);

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::mutex mutex_;
};

/// All records of a folder, whichever process has written them. Reads from the files when asked.
class KeptMembers {
 public:
  /// Looks through parts/members.process*.bin. \throws FileError
  explicit KeptMembers(const std::filesystem::path& folder);
  ~KeptMembers();
  KeptMembers(const KeptMembers&) = delete;
  KeptMembers& operator=(const KeptMembers&) = delete;
  KeptMembers(KeptMembers&&) = delete;
  KeptMembers& operator=(KeptMembers&&) = delete;

  [[nodiscard]] bool has(std::size_t member) const { return places_.contains(member); }
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  /// \returns the record without its samples. \throws FileError
  [[nodiscard]] MemberRecord read(std::size_t member) const;
  /// Some of the record's samples. \throws FileError
  void samples(std::size_t member, std::size_t first, std::span<double> values) const;

 private:
  struct Place {
    int descriptor = -1;
    std::size_t record = 0;   // offset of the record
    std::size_t samples = 0;  // offset of the samples
    std::size_t count = 0;    // of them
  };
  void look_through(const std::filesystem::path& file);

  std::vector<int> descriptors_;
  std::map<std::size_t, Place> places_;
};

}  // namespace mbdbench
