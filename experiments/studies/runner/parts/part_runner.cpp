#include "experiments/studies/runner/parts/part_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "experiments/files/text_digest.hpp"
#include "experiments/records/timing/timing.hpp"
#include "experiments/studies/runner/parts/side_by_side.hpp"
#include "experiments/terminal/message.hpp"

namespace mbdbench::studies {
namespace {

/// \returns what tells a file from one that was damaged or lost; the same for every file that is not there.
std::string digest_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return text_digest(std::string{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()});
}

/// \returns the result and what tells whether the file beside it is still the one that was written with it.
nlohmann::json kept_form(const StudyPart& part, const nlohmann::json& result) {
  return part.file.empty() ? result : nlohmann::json{{"result", result}, {"file", digest_of(part.file)}};
}

const nlohmann::json& result_of(const StudyPart& part, const nlohmann::json& kept) {
  return part.file.empty() ? kept : kept.at("result");
}

/// \returns whether the part is what was kept; a file that is gone, or a result of another form, is computed again.
bool adopted(const StudyPart& part, const nlohmann::json& kept) {
  try {
    const bool same = part.file.empty() || kept.at("file") == digest_of(part.file);
    if (same) {
      part.adopt(result_of(part, kept));
    }
    return same;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

std::unique_ptr<ResultJournal> open_share_journal(const std::filesystem::path& folder, const StudyShare& share,
                                                  const PartOrigin& own) {
  auto journal = std::make_unique<ResultJournal>(folder / share.journal_name(), own);
  journal->learn(folder / kFirstJournal);
  return journal;
}

/// Opens this process's journal with everything that earlier runs have left, and lets all processes begin together.
std::unique_ptr<ResultJournal> open_journal(const std::filesystem::path& folder, const ProcessShare& share,
                                            ProcessStart* start, const std::string& problem, const PartOrigin& own) {
  const std::filesystem::path file = folder / share.journal_name();
  std::unique_ptr<ResultJournal> journal;
  if (share.first()) {
    journal = std::make_unique<ResultJournal>(file, own);
    journal->take_over_others();
  }
  if (start != nullptr) {
    // The first process has gathered what the processes of an earlier run left; the others read it from there.
    start->compare(problem);
    if (!share.first()) {
      journal = std::make_unique<ResultJournal>(file, own);
      journal->learn(folder / kFirstJournal);
    }
    start->compare(journal->digest());
    start->begin();
  }
  return journal;
}

}  // namespace

PartRunner::PartRunner(const std::string& study, const RunnerOptions& options, const std::vector<DeclaredPart>& parts,
                       const std::string& problem, const PartOrigin& own)
    : options_(options),
      share_(options.start == nullptr ? nullptr : &options.start->processes()),
      journal_(options.share ? open_share_journal(options.output / "parts", *options.share, own)
                             : open_journal(options.output / "parts", share_, options.start, study + problem, own)),
      expected_(expected_times(journal_->durations(), parts)),
      progress_(study, expected_.total, progress_options()) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    weights_[parts[i].name] = expected_.weights[i];
  }
  if (journal_->unreadable_lines() > 0 && share_.first()) {
    tell("{}: {} damaged lines are computed again\n", journal_->file().string(), journal_->unreadable_lines());
  }
  if (options.share || options.merges) {
    learn_shares();
  }
}

void PartRunner::learn_shares() {
  std::map<std::string, std::size_t> parts_of_set;
  for (const auto& [file, share] : share_files(options_.output)) {
    of_shares_[file] = journal_->learn(file);
    for (const auto& [key, kept] : of_shares_[file]) {
      const PartOrigin& origin = journal_->origin(kept.origin);
      parts_of_set[origin.instruction_set] += origin.program == journal_->own().program ? 1 : 0;
    }
  }
  const auto most = std::max_element(parts_of_set.begin(), parts_of_set.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (options_.merges && most != parts_of_set.end()) {
    journal_->use_instruction_set(most->first);
  }
}

std::vector<std::string> PartRunner::unused() const {
  std::vector<std::string> all;
  for (const auto& [file, parts] : of_shares_) {
    std::map<std::string, std::size_t> reasons;
    for (const auto& [key, kept] : parts) {
      const PartOrigin& origin = journal_->origin(kept.origin);
      if (asked_.contains(key)) {
        if (journal_->find(key) == nullptr) {
          ++reasons[fmt::format("were computed with --simd {}, the others with --simd {}", origin.instruction_set,
                                journal_->instruction_set())];
        }
      } else if (origin.program != journal_->own().program) {
        ++reasons[fmt::format("were computed by another program, mbdbench {}", origin.version)];
      } else if (!undecided_.contains(kept.part)) {
        ++reasons["belong to another version of the study"];
      }
    }
    for (const auto& [reason, count] : reasons) {
      all.push_back(fmt::format("{}: {} finished {} {}", file.string(), count, count == 1 ? "part" : "parts", reason));
    }
  }
  return all;
}

bool PartRunner::run(const std::vector<StudyPart>& parts) {
  const std::vector<const StudyPart*> open =
      to_compute(open_parts(parts, [&](const StudyPart& part) { return journal_->find(part.key); }));
  std::vector<std::uint64_t> weights;
  std::transform(open.begin(), open.end(), std::back_inserter(weights),
                 [&](const StudyPart* part) { return weights_.at(part->name); });
  const std::vector<std::size_t> own = share_.own(weights);
  const std::vector<FinishedPart> all = share_.pass_on(compute(open, own, options_.jobs));
  for (const FinishedPart& finished : all) {
    if (!std::binary_search(own.begin(), own.end(), finished.place)) {
      const StudyPart& part = *open[finished.place];
      if (share_.first()) {
        journal_->append(part.key, part.name, finished.kept, finished.seconds);
      }
      part.adopt(result_of(part, finished.kept));
    }
  }
  return all.size() == open.size();
}

bool PartRunner::run_alone(const std::function<std::vector<StudyPart>()>& parts, ProcessTeam& team) {
  if (!share_.first()) {
    team.serve();
    return true;
  }
  const std::vector<StudyPart> alone = parts();
  choose_machines(alone);
  const std::vector<const StudyPart*> open = to_compute(open_parts(
      alone, [&](const StudyPart& part) { return journal_->find(part.key, machines_.at(part.compared_in)); }));
  std::vector<std::size_t> own(open.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  const bool finished = compute(open, own, 1).size() == open.size();
  team.dismiss();
  return finished;
}

bool PartRunner::end() {
  share_.rest();
  if (share_.first()) {
    journal_->remove_others();
  }
  if (options_.start != nullptr) {
    options_.start->over();
  }
  return share_.first();
}

std::vector<ShareProvenance> PartRunner::shares() const {
  std::vector<ShareProvenance> all;
  for (const auto& [file, share] : share_files(options_.output)) {
    const auto learnt = of_shares_.find(file);
    if (learnt == of_shares_.end()) {
      continue;  // it has begun since
    }
    std::set<std::string> machines;
    std::set<std::string> keys;
    for (const auto& [key, kept] : learnt->second) {
      const PartOrigin& origin = journal_->origin(kept.origin);
      if (asked_.contains(key) && origin.instruction_set == journal_->instruction_set()) {
        machines.insert(origin.machine);
        keys.insert(key);
      }
    }
    all.push_back({share.text(), keys.size(), {machines.begin(), machines.end()}});
  }
  return all;
}

void PartRunner::leave_undecided(const std::string& name) {
  undecided_.insert(name);
  missing_.push_back(name);
}

void PartRunner::choose_machines(const std::vector<StudyPart>& parts) {
  std::map<std::string, std::map<std::string, std::size_t>> measured;
  std::map<std::string, std::size_t> in_all;
  for (const StudyPart& part : parts) {
    machines_[part.compared_in] = journal_->own().machine;
    for (const std::string& machine : journal_->machines_of(part.key)) {
      ++measured[part.compared_in][machine];
      ++in_all[machine];
    }
  }
  for (const auto& [comparison, machines] : measured) {
    if (options_.merges) {
      const auto fewer = [&](const auto& a, const auto& b) {
        return std::pair(a.second, in_all.at(a.first)) < std::pair(b.second, in_all.at(b.first));
      };
      machines_[comparison] = std::max_element(machines.begin(), machines.end(), fewer)->first;
    }
  }
}

std::vector<const StudyPart*> PartRunner::to_compute(std::vector<const StudyPart*> open) {
  if (!options_.merges) {
    return open;
  }
  std::transform(open.begin(), open.end(), std::back_inserter(missing_),
                 [](const StudyPart* part) { return part->name; });
  return {};
}

std::vector<const StudyPart*> PartRunner::open_parts(const std::vector<StudyPart>& parts, const Kept& kept) {
  std::vector<const StudyPart*> open;
  for (const StudyPart& part : parts) {
    asked_.insert(part.key);
    const nlohmann::json* const known = kept(part);
    if (known != nullptr && adopted(part, *known)) {
      progress_.skip(weights_.at(part.name));
      done_ += weights_.at(part.name);
    } else {
      open.push_back(&part);
    }
  }
  return open;
}

std::vector<FinishedPart> PartRunner::compute(const std::vector<const StudyPart*>& open,
                                              const std::vector<std::size_t>& own, int jobs) {
  const auto weight = [&](std::size_t place) { return weights_.at(open[place]->name); };
  std::uint64_t whole = 0;
  for (std::size_t place = 0; place < open.size(); ++place) {
    whole += weight(place);
  }
  std::uint64_t share = 0;
  for (const std::size_t place : own) {
    share += weight(place);
  }
  // The others are taken to be as far as this one.
  const double scale = static_cast<double>(whole) / static_cast<double>(std::max<std::uint64_t>(share, 1));
  std::vector<FinishedPart> finished;
  std::uint64_t computed = 0;
  std::mutex mutex;
  side_by_side(own.size(), jobs, options_.stop_requested, [&](std::size_t i) {
    const StudyPart& part = *open[own[i]];
    const Stopwatch stopwatch;
    const nlohmann::json result = part.compute();
    const double seconds = stopwatch.elapsed().wall;
    const nlohmann::json kept = kept_form(part, result);
    journal_->append(part.key, part.name, kept, seconds);
    const std::lock_guard lock(mutex);
    part.adopt(result);
    computed += weight(own[i]);
    progress_.set(done_ + static_cast<std::uint64_t>(scale * static_cast<double>(computed)));
    finished.push_back({own[i], kept, seconds});
  });
  done_ += whole;
  return finished;
}

ProgressOptions PartRunner::progress_options() const {
  ProgressOptions progress = ProgressOptions::standard_error(options_.quiet || options_.merges || !share_.first());
  progress.countable = false;
  progress.expected = expected_.seconds / (std::max(options_.jobs, 1) * share_.size());
  return progress;
}

}  // namespace mbdbench::studies
