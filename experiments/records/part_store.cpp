#include "experiments/records/part_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "experiments/files/csv_file.hpp"
#include "experiments/files/json_file.hpp"
#include "experiments/files/text_digest.hpp"
#include "experiments/records/program_digest.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecords = ".csv";
constexpr const char* kTimings = ".timings.csv";
constexpr const char* kCheck = ".check";

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string digest_of(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) {
    text += csv_line({record.experiment, record.mechanism, record.formulation, record.integrator, record.parameters,
                      record.quantity, record.unit, record.value ? csv_number(*record.value) : "", record.note}) +
            '\n';
  }
  return text_digest(text);
}

bool any_failed(const std::vector<Record>& records) {
  return std::any_of(records.begin(), records.end(),
                     [](const Record& record) { return record.verdict == Verdict::failed; });
}

/// \returns what of a kept file does not agree with its check; empty when all does.
std::string file_problem(const fs::path& file, const nlohmann::json& check, std::size_t rows) {
  if (rows != check.at("rows").get<std::size_t>()) {
    return fmt::format("{} has {} rows instead of {}", file.filename().string(), rows,
                       check.at("rows").get<std::size_t>());
  }
  return text_digest(text_of(file)) == check.at("digest").get<std::string>()
             ? ""
             : fmt::format("{} is not as it was written", file.filename().string());
}

}  // namespace

PartStore::PartStore(const fs::path& output) : output_(output), directory_(output / "parts") {
  fs::create_directories(directory_);
  const fs::path owner = directory_ / "program";
  const std::string program = program_digest();
  if (text_of(owner) != program) {
    drop_parts();
    replace_file(owner, program);
  }
}

void PartStore::drop_parts() const {
  bool dropped = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    const std::string ending = entry.path().extension().string();
    dropped = (ending == kRecords || ending == kCheck) && fs::remove(entry.path()) ? true : dropped;
  }
  if (dropped) {
    fmt::print(stderr, "{}: parts of another build of this program are computed again\n", directory_.string());
  }
}

std::optional<PartResult> PartStore::find(const std::string& name, const std::vector<Record>& before) const {
  if (!fs::exists(file(name, kRecords)) && !fs::exists(file(name, kCheck))) {
    return std::nullopt;
  }
  std::string problem;
  PartResult result;
  try {
    const nlohmann::json check = nlohmann::json::parse(text_of(file(name, kCheck)));
    result = {read_records(file(name, kRecords)), read_records(file(name, kTimings))};
    problem = file_problem(file(name, kRecords), check.at("records"), result.records.size());
    if (problem.empty()) {
      problem = file_problem(file(name, kTimings), check.at("timings"), result.timings.size());
    }
    for (const auto& [written, size] : check.at("files").items()) {
      std::error_code missing;
      if (problem.empty() && fs::file_size(output_ / written, missing) != size.get<std::uintmax_t>()) {
        problem = fmt::format("its file {} is {}", written, missing ? "missing" : "not as it was written");
      }
    }
    if (problem.empty() && check.at("before") != digest_of(before)) {
      problem = "what it was computed from has changed";
    }
    if (problem.empty() && (any_failed(result.records) || any_failed(result.timings))) {
      problem = "it has failed rows";
    }
  } catch (const nlohmann::json::exception&) {
    problem = fmt::format("{}{} is missing or damaged", name, kCheck);
  } catch (const FileError& error) {
    problem = error.what();
  }
  if (problem.empty()) {
    return result;
  }
  fmt::print(stderr, "{}: part '{}' is computed again: {}\n", directory_.string(), name, problem);
  return std::nullopt;
}

DirectoryListing PartStore::listing() const {
  DirectoryListing found;
  for (auto entry = fs::recursive_directory_iterator(output_); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->path() == directory_) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file() && entry->path().extension() != ".part" &&
               entry->path().filename() != ".lock") {
      found[entry->path().lexically_relative(output_).generic_string()] = {entry->file_size(),
                                                                           entry->last_write_time()};
    }
  }
  return found;
}

void PartStore::keep(const std::string& name, const PartResult& result, const std::vector<Record>& before,
                     const DirectoryListing& earlier) const {
  nlohmann::ordered_json check;
  const auto write = [&](const char* key, const char* ending, const std::vector<Record>& records) {
    write_records(file(name, ending), records);
    check[key] = {{"rows", records.size()}, {"digest", text_digest(text_of(file(name, ending)))}};
  };
  write("records", kRecords, result.records);
  write("timings", kTimings, result.timings);
  check["before"] = digest_of(before);
  check["files"] = nlohmann::ordered_json::object();
  for (const auto& [written, state] : listing()) {
    const auto found = earlier.find(written);
    if (found == earlier.end() || found->second != state) {
      check["files"][written] = state.first;
    }
  }
  // Last: it says that the part is complete.
  write_json(file(name, kCheck), check);
}

}  // namespace mbdbench
