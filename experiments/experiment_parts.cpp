#include "experiments/experiment_parts.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

#include "experiments/csv_file.hpp"
#include "experiments/program_digest.hpp"
#include "experiments/progress.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

/// The directory of finished parts.
class PartStore {
 public:
  explicit PartStore(const fs::path& output) : directory_(output / "parts") {
    fs::create_directories(directory_);
    const fs::path owner = directory_ / "program";
    const std::string program = program_digest();
    if (text_of(owner) != program) {
      drop_parts();
      replace_file(owner, program);
    }
  }

  [[nodiscard]] std::optional<PartResult> find(const std::string& name) const {
    if (!fs::exists(records_file(name))) {
      return std::nullopt;
    }
    return PartResult{read_records(records_file(name)), read_records(timings_file(name))};
  }

  void keep(const std::string& name, const PartResult& result) const {
    // The records last: they say that the part is complete.
    write_records(timings_file(name), result.timings);
    write_records(records_file(name), result.records);
  }

 private:
  static std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

  void drop_parts() const {
    bool dropped = false;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
      dropped = entry.path().extension() == ".csv" && fs::remove(entry.path()) ? true : dropped;
    }
    if (dropped) {
      fmt::print(stderr, "{}: parts of another build of this program are computed again\n", directory_.string());
    }
  }

  [[nodiscard]] fs::path records_file(const std::string& name) const { return directory_ / (name + ".csv"); }
  [[nodiscard]] fs::path timings_file(const std::string& name) const { return directory_ / (name + ".timings.csv"); }

  fs::path directory_;
};

void append(PartResult& all, const PartResult& part) {
  all.records.insert(all.records.end(), part.records.begin(), part.records.end());
  all.timings.insert(all.timings.end(), part.timings.begin(), part.timings.end());
}

}  // namespace

std::optional<PartResult> run_parts(const ExperimentContext& context, const std::string& label,
                                    const std::vector<ExperimentPart>& parts) {
  const PartStore store(context.output);
  const std::uint64_t total =
      std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const ExperimentPart& p) { return sum + p.weight; });
  ProgressBar progress(label, total, ProgressOptions::standard_error(context.quiet));
  PartResult all;
  for (const ExperimentPart& part : parts) {
    std::optional<PartResult> result = store.find(part.name);
    if (!result) {
      if (context.stop_requested && context.stop_requested()) {
        return std::nullopt;
      }
      result = part.compute(all.records);
      store.keep(part.name, *result);
    }
    append(all, *result);
    progress.advance(part.weight);
  }
  return all;
}

}  // namespace mbdbench
