#include "experiments/metamorphic/metamorphic_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/write_error.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/soak/isolated_process.hpp"
#include "experiments/soak/soak_checks.hpp"
#include "experiments/terminal/interruption.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::metamorphic {
namespace {

namespace fs = std::filesystem;

// s of processor time for one case with all formulations, which takes one or two.
constexpr double kLongest = 30.0;
constexpr int kMostBodies = 4;

/// One case with several formulations.
struct Job {
  std::string relation;
  std::int64_t seed = 0;
  int bodies = 0;
  std::vector<std::string> formulations;
};

/// A job in a process of its own, which tells a line of JSON after every formulation.
class JobProcess {
 public:
  JobProcess(const Registries& registries, Job job, fs::path working)
      : job_(std::move(job)),
        working_(std::move(working)),
        process_([&](const soak::Teller& tell) { work(registries, tell); }, kLongest) {}
  ~JobProcess() {
    std::error_code ignored;
    fs::remove_all(directory(child_), ignored);
  }
  JobProcess(const JobProcess&) = delete;
  JobProcess& operator=(const JobProcess&) = delete;
  JobProcess(JobProcess&&) = delete;
  JobProcess& operator=(JobProcess&&) = delete;

  [[nodiscard]] const Job& job() const { return job_; }
  bool ended() { return process_.ended(); }

  /// \returns the verdicts in the order of the formulations: fewer than these after a crash, the last one telling it.
  std::vector<Verdict> take() {
    const soak::IsolatedProcess::End end = process_.take();
    std::vector<Verdict> verdicts;
    std::istringstream lines(end.said);
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_array()) {
        verdicts.push_back({static_cast<Outcome>(json[0].get<int>()), json[1]});
      }
    }
    if (!end.disturbed.empty()) {
      verdicts.push_back({Outcome::disturbed, end.disturbed});
    } else if (verdicts.size() < job_.formulations.size()) {
      verdicts.push_back({Outcome::disagreed, end.failure.empty() ? "ended without an answer" : end.failure});
    }
    return verdicts;
  }

 private:
  [[nodiscard]] fs::path directory(pid_t process) const { return working_ / fmt::format("{}", process); }

  void work(const Registries& registries, const soak::Teller& tell) const {
    // What runs say on the terminal is not what this one says.
    const int nothing = ::open("/dev/null", O_WRONLY);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(nothing, STDERR_FILENO);
    const Case drawn = draw_case(job_.relation, job_.seed, job_.bodies);
    for (const std::string& formulation : job_.formulations) {
      Verdict verdict;
      try {
        verdict = compare(registries, drawn, formulation, directory(::getpid()));
      } catch (const WriteError& error) {
        verdict = {Outcome::disturbed, error.what()};
      } catch (const std::system_error& error) {
        verdict = {Outcome::disturbed, error.what()};
      } catch (const std::exception& error) {
        verdict = {Outcome::disagreed, std::string("exception: ") + error.what()};
      }
      tell(nlohmann::json({static_cast<int>(verdict.outcome), verdict.what})
               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
           "\n");
    }
  }

  Job job_;
  fs::path working_;
  soak::IsolatedProcess process_;
  pid_t child_ = process_.child();
};

std::string without_numbers(const std::string& text) {
  std::string plain;
  for (const char letter : text.substr(0, 200)) {
    if (std::isdigit(static_cast<unsigned char>(letter)) == 0) {
      plain += letter;
    } else if (plain.empty() || plain.back() != '#') {
      plain += '#';
    }
  }
  return plain;
}

class Run {
 public:
  Run(const Registries& registries, const RunOptions& options)
      : registries_(registries),
        options_(options),
        end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(60.0 * options.minutes))),
        bar_("metamorphic", kUnits, ProgressOptions::standard_error(options.quiet)) {
    for (const FormulationEntry& entry : registries.formulations) {
      keys_.push_back(soak::soaked_formulation(entry.key));
    }
    for (const std::string& word : soak::soaked_formulations(registries)) {
      if (std::find(keys_.begin(), keys_.end(), word) == keys_.end()) {
        variants_.push_back(word);
      }
    }
    for (const Relation& relation : relations()) {
      const std::vector<std::string>& wanted = options.relations;
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), relation.name) != wanted.end()) {
        names_.emplace_back(relation.name);
      }
    }
  }

  Report run() {
    while (!interruption_requested()) {
      while (running_.size() < static_cast<std::size_t>(options_.jobs) && (!again_.empty() || wanted())) {
        running_.push_back(std::make_unique<JobProcess>(registries_, next_job(), options_.working));
      }
      if (running_.empty()) {
        break;
      }
      for (auto process = running_.begin(); process != running_.end();) {
        if (!(*process)->ended()) {
          ++process;
          continue;
        }
        collect(**process);
        process = running_.erase(process);
        show();
      }
    }
    return std::move(report_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kUnits = 1000;
  static constexpr std::int64_t kHopeless = 100;

  [[nodiscard]] bool wanted() const {
    // Where everything is refused there would be no end.
    const bool hopeless = started_ > kHopeless && 100 * report_.compared() < started_;
    return options_.comparisons > 0 ? !hopeless && report_.compared() < options_.comparisons : Clock::now() < end_;
  }

  Job next_job() {
    if (!again_.empty()) {
      Job job = std::move(again_.back());
      again_.pop_back();
      return job;
    }
    const std::int64_t seed = options_.seed + started_;
    const auto turn = static_cast<std::size_t>(started_++);
    Job job{names_[turn % names_.size()], seed, 1 + static_cast<int>(turn / names_.size()) % kMostBodies,
            options_.formulations};
    if (job.formulations.empty()) {
      job.formulations = keys_;
      if (!variants_.empty()) {
        job.formulations.push_back(variants_[turn % variants_.size()]);
      }
    }
    return job;
  }

  void collect(JobProcess& process) {
    const Job& job = process.job();
    const std::vector<Verdict> verdicts = process.take();
    Count& count = report_.counts[job.relation];
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const Verdict& verdict = verdicts[i];
      switch (verdict.outcome) {
        case Outcome::agreed:
          ++count.agreed;
          break;
        case Outcome::integration:
          ++count.integration;
          break;
        case Outcome::refused:
          ++count.refused;
          ++count.reasons[without_numbers(verdict.what)];
          break;
        case Outcome::disturbed:
          ++report_.disturbed[without_numbers(verdict.what)];
          break;
        case Outcome::disagreed:
          ++count.disagreed;
          report_.disagreements.push_back({job.relation, job.formulations[i], job.seed, job.bodies, verdict.what});
          break;
      }
    }
    if (verdicts.size() < job.formulations.size()) {
      Job rest = job;  // after a crash the others have their turn
      rest.formulations.erase(rest.formulations.begin(),
                              rest.formulations.begin() + static_cast<std::ptrdiff_t>(verdicts.size()));
      again_.push_back(std::move(rest));
    }
  }

  void show() {
    const double left = std::chrono::duration<double>(end_ - Clock::now()).count();
    const double done = options_.comparisons > 0
                            ? static_cast<double>(report_.compared()) / static_cast<double>(options_.comparisons)
                            : 1.0 - left / (60.0 * options_.minutes);
    bar_.set(static_cast<std::uint64_t>(std::clamp(done, 0.0, 1.0) * static_cast<double>(kUnits)));
  }

  const Registries& registries_;
  const RunOptions& options_;
  std::vector<std::string> keys_;
  std::vector<std::string> variants_;
  std::vector<std::string> names_;
  Clock::time_point end_;
  ProgressBar bar_;
  std::vector<std::unique_ptr<JobProcess>> running_;
  std::vector<Job> again_;
  std::int64_t started_ = 0;
  Report report_;
};

fs::path write_failure(const Disagreement& found, const fs::path& directory) {
  std::string name = fmt::format("{}-{}-{}", found.relation, found.formulation, found.seed);
  std::replace_if(
      name.begin(), name.end(),
      [](char letter) { return std::string_view("[],;= ").find(letter) != std::string_view::npos; }, '_');
  fs::path place = directory / name;
  fs::create_directories(place);
  const Case drawn = draw_case(found.relation, found.seed, found.bodies);
  std::string commands = fmt::format("# {} of {}: {}\n", found.relation, found.formulation, found.what);
  for (std::size_t i = 0; i < drawn.tellings.size(); ++i) {
    const std::string file = fmt::format("telling{}.toml", i);
    replace_file(place / file, toml_text(drawn.tellings[i].told));
    commands += commands_of(drawn.tellings[i], found.formulation, file) + "\n";
  }
  replace_file(place / "commands.sh", commands);
  return place;
}

}  // namespace

std::int64_t Report::compared() const {
  std::int64_t sum = 0;
  for (const auto& [name, count] : counts) {
    sum += count.compared();
  }
  return sum;
}

Case draw_case(std::string_view relation, std::int64_t seed, int bodies) {
  const std::span<const Relation> all = relations();
  RandomSource random(seed);
  return std::find_if(all.begin(), all.end(), [&](const Relation& one) { return one.name == relation; })
      ->draw(random, bodies);
}

void require_known(const Registries& registries, const RunOptions& options) {
  std::vector<std::string> all;
  for (const Relation& relation : relations()) {
    all.emplace_back(relation.name);
  }
  for (const std::string& name : options.relations) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      throw std::invalid_argument(
          fmt::format("--class {}: there is no such class; {}", name, suggest_name(name, all, "classes")));
    }
  }
  for (const std::string& word : options.formulations) {
    static_cast<void>(choose_formulation(registries.formulations, word));
  }
}

Report run_metamorphic(const Registries& registries, const RunOptions& options) {
  require_known(registries, options);
  fs::create_directories(options.working);
  Report report = Run(registries, options).run();
  std::error_code ignored;
  fs::remove_all(options.working, ignored);
  return report;
}

Disagreement reduced(const Registries& registries, const Disagreement& found, const fs::path& working) {
  constexpr int kTrials = 3;
  for (int bodies = 1; bodies < found.bodies; ++bodies) {
    for (int trial = 0; trial < kTrials && !interruption_requested(); ++trial) {
      JobProcess process(registries, {found.relation, found.seed + trial, bodies, {found.formulation}}, working);
      while (!process.ended()) {
      }
      const Verdict verdict = process.take().front();
      if (verdict.outcome == Outcome::disagreed) {
        return {found.relation, found.formulation, found.seed + trial, bodies, verdict.what};
      }
    }
  }
  return found;
}

std::vector<fs::path> write_report(const Registries& registries, const Report& report, const RunOptions& options,
                                   const fs::path& output) {
  fs::create_directories(output);
  CsvTable table{{}, {"class", "compared", "agreed", "errors_of_integration", "disagreed", "refused"}, {}, {}};
  nlohmann::ordered_json json = {{"seed", options.seed}, {"compared", report.compared()}};
  for (const auto& [name, count] : report.counts) {
    table.rows.push_back({name, std::to_string(count.compared()), std::to_string(count.agreed),
                          std::to_string(count.integration), std::to_string(count.disagreed),
                          std::to_string(count.refused)});
    json["classes"][name] = {
        {"compared", count.compared()}, {"agreed", count.agreed},   {"errors_of_integration", count.integration},
        {"disagreed", count.disagreed}, {"refused", count.refused}, {"reasons_of_refusals", count.reasons}};
  }
  json["disagreements"] = nlohmann::ordered_json::array();
  for (const Disagreement& one : report.disagreements) {
    json["disagreements"].push_back({{"class", one.relation},
                                     {"formulation", one.formulation},
                                     {"seed", one.seed},
                                     {"bodies", one.bodies},
                                     {"what", one.what}});
  }
  json["not_compared"] = report.disturbed;
  write_csv(output / "metamorphic.csv", table);
  write_json(output / "metamorphic.json", json);
  std::set<std::string> seen;
  std::vector<fs::path> written;
  for (const Disagreement& one : report.disagreements) {
    if (seen.insert(one.relation).second) {
      written.push_back(write_failure(reduced(registries, one, options.working), output / "failures"));
    }
  }
  std::error_code ignored;
  fs::remove_all(options.working, ignored);
  return written;
}

}  // namespace mbdbench::metamorphic
