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

/// Opens this rank's journal with everything that earlier runs have left, and lets all ranks begin together.
std::unique_ptr<ResultJournal> open_journal(const std::filesystem::path& folder, const RankShare& share,
                                            RankStart* start, const std::string& problem) {
  const std::filesystem::path file = folder / share.journal_name();
  std::unique_ptr<ResultJournal> journal;
  if (share.first()) {
    journal = std::make_unique<ResultJournal>(file);
    journal->take_over_others();
  }
  if (start != nullptr) {
    // The first rank has gathered what the ranks of an earlier run left; the others read it from there.
    start->compare(problem);
    if (!share.first()) {
      journal = std::make_unique<ResultJournal>(file);
      journal->learn(folder / kFirstJournal);
    }
    start->compare(journal->digest());
    start->begin();
  }
  return journal;
}

}  // namespace

PartRunner::PartRunner(const std::string& study, const RunnerOptions& options, const std::vector<DeclaredPart>& parts,
                       const std::string& problem)
    : options_(options),
      share_(options.start == nullptr ? nullptr : &options.start->ranks()),
      journal_(open_journal(options.output / "parts", share_, options.start, study + problem)),
      expected_(expected_times(journal_->durations(), parts)),
      progress_(study, expected_.total, progress_options()) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    weights_[parts[i].name] = expected_.weights[i];
  }
  if (journal_->unreadable_lines() > 0 && share_.first()) {
    tell("{}: {} damaged lines are computed again\n", (options.output / "parts" / kFirstJournal).string(),
         journal_->unreadable_lines());
  }
}

bool PartRunner::run(const std::vector<StudyPart>& parts) {
  const std::vector<const StudyPart*> open = open_parts(parts);
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

bool PartRunner::run_alone(const std::function<std::vector<StudyPart>()>& parts, RankTeam& team) {
  if (!share_.first()) {
    team.serve();
    return true;
  }
  const std::vector<StudyPart> alone = parts();
  const std::vector<const StudyPart*> open = open_parts(alone);
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

std::vector<const StudyPart*> PartRunner::open_parts(const std::vector<StudyPart>& parts) {
  std::vector<const StudyPart*> open;
  for (const StudyPart& part : parts) {
    const nlohmann::json* const known = journal_->find(part.key);
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
  ProgressOptions progress = ProgressOptions::standard_error(options_.quiet || !share_.first());
  progress.countable = false;
  progress.expected = expected_.seconds / (std::max(options_.jobs, 1) * share_.size());
  return progress;
}

}  // namespace mbdbench::studies
