#include "experiments/ensembles/ensemble_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "experiments/ensembles/ensemble_folder.hpp"
#include "experiments/ensembles/members/member_runs.hpp"
#include "experiments/ensembles/quantities.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/result_folder.hpp"
#include "experiments/files/result_removal.hpp"
#include "experiments/records/provenance/provenance.hpp"
#include "experiments/records/timing/timing.hpp"
#include "experiments/simulation/output/trajectory_content.hpp"
#include "experiments/simulation/processes/process_start.hpp"
#include "experiments/simulation/time_span.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/interruption.hpp"
#include "experiments/terminal/message.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/execution/thread_team.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

// Members that go together in lanes: their states and stages stay in a processor's own cache.
constexpr std::size_t kTogether = 16;
constexpr int kIntervals = 100;

/// Members are compared at the same times: without --time START:STEP:END at a hundred intervals.
std::string time_of_samples(const std::string& text) {
  const TimeSpan span = parse_time_span(text);
  return span.output_step ? text : fmt::format("{}:{}:{}", span.start, (span.end - span.start) / kIntervals, span.end);
}

void require_fitting_options(const EnsembleRequest& request) {
  const SimulateRequest& run = request.run;
  if (!request.trajectories && (run.reactions || !run.columns.empty())) {
    throw std::invalid_argument(
        "--reactions and --columns are of trajectories, which an ensemble writes with --trajectories; --quantities "
        "says of what statistics are made");
  }
  if (!request.trajectories && run.reaction_point != SimulateRequest().reaction_point) {
    throw std::invalid_argument("--reaction-point is of trajectories, which an ensemble writes with --trajectories");
  }
  if (run.record_local_error.value_or(false)) {
    throw std::invalid_argument("--local-error works for a single run only; leave it out, or --ensemble");
  }
  if (run.checkpoint != SimulateRequest().checkpoint) {
    throw std::invalid_argument(
        "--checkpoint works for a single run only: of an ensemble every finished member is kept; leave it out, or "
        "--ensemble");
  }
}

SimulateRequest shared_request(const EnsembleRequest& request) {
  SimulateRequest run = request.run;
  run.time = time_of_samples(run.time);
  return run;
}

/// Everything that is known before anything is written.
struct Ensemble {
  Ensemble(const Registries& all, const EnsembleRequest& words)
      : registries(all),
        request(shared_request(words)),
        members(all, words),
        base(set_up_run(all, without_start(request), nullptr, &members.base())),
        quantities(chosen_quantities(*base.formulation, words.quantities)),
        in_lanes(go_in_lanes(base, request, members)),
        trajectories(words.trajectories) {}

  [[nodiscard]] const Execution& execution() const { return registries.formulations.execution; }
  [[nodiscard]] EnsembleProblem problem() const {
    return {base, request, members, quantities, trajectories, in_lanes, execution().instruction_set};
  }
  [[nodiscard]] SharedRun shared(const fs::path& folder) const {
    return {registries,
            request,
            members,
            quantities,
            trajectories ? folder / "trajectories" : fs::path(),
            trajectory_content(request)};
  }

  static SimulateRequest without_start(SimulateRequest run) {
    run.initial_values.clear();
    return run;
  }

  const Registries& registries;
  SimulateRequest request;
  EnsembleMembers members;
  SimulateSetup base;
  std::vector<std::string> quantities;
  bool in_lanes;
  bool trajectories;
};

/// \returns the members of this process that are not finished. \param group so many go to one process together
std::vector<std::size_t> open_members(const Ensemble& ensemble, const KeptMembers& kept, std::size_t process,
                                      std::size_t processes) {
  const std::size_t group = ensemble.in_lanes ? index_of(ensemble.base.formulation->batch_lanes()) : 1;
  std::vector<std::size_t> open;
  for (std::size_t member = 0; member < ensemble.members.size(); ++member) {
    if (member / group % processes == process && !kept.has(member)) {
      open.push_back(member);
    }
  }
  return open;
}

/// \returns how many members a thread takes at once: few enough that all threads have some.
std::size_t portion(const Ensemble& ensemble, std::size_t open, int threads) {
  if (!ensemble.in_lanes) {
    return 1;
  }
  const std::size_t lanes = index_of(ensemble.base.formulation->batch_lanes());
  const std::size_t each = (open + index_of(threads) - 1) / index_of(threads);
  return std::clamp((each + lanes - 1) / lanes * lanes, lanes, kTogether);
}

/// Threads share the open members, until all are finished or the user interrupts.
void run_open(const Ensemble& ensemble, const fs::path& folder, const std::vector<std::size_t>& open,
              MemberJournal& journal, EnsembleProgress& progress) {
  const SharedRun shared = ensemble.shared(folder);
  if (!shared.trajectories.empty()) {
    fs::create_directories(shared.trajectories);
  }
  const ThreadTeam team(checked_threads(ensemble.execution().threads));
  const std::size_t together = portion(ensemble, open.size(), team.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> ended{false};
  std::exception_ptr failure;
  std::mutex failing;
  team.run([&](const TeamMember& /*member*/) {
    try {
      for (;;) {
        const std::size_t first = next.fetch_add(together);
        if (first >= open.size() || ended || interruption_requested()) {
          return;
        }
        const std::span<const std::size_t> own =
            std::span(open).subspan(first, std::min(together, open.size() - first));
        std::size_t finished = 0;
        if (ensemble.in_lanes) {
          for (const MemberRecord& record : run_in_lanes(shared, own, progress)) {
            journal.append(record);
            ++finished;
          }
        } else if (const std::optional<MemberRecord> record = run_member(shared, own.front(), progress)) {
          journal.append(*record);
          ++finished;
        }
        ended = ended || finished < own.size();
      }
    } catch (...) {
      const std::lock_guard lock(failing);
      failure = failure ? failure : std::current_exception();
      ended = true;
    }
  });
  if (failure) {
    std::rethrow_exception(failure);
  }
}

void print_outcome(const fs::path& folder, const EnsembleOutcome& outcome, std::size_t members) {
  const std::size_t ok = outcome.of("ok");
  const std::size_t inaccurate = outcome.of("inaccurate");
  say("{} members: {} ok, {} inaccurate, {} failed; {:.0f} evaluations\n", members, ok, inaccurate,
      members - ok - inaccurate, outcome.evaluations);
  for (const std::string& reason : outcome.reasons) {
    tell("{}\n", reason);
  }
  if (outcome.counted.size() < members) {
    tell("mbdbench: note: ensemble.csv covers {} members{}; members.csv lists all\n", outcome.counted.size(),
         inaccurate > 0 && outcome.counted.size() == ok ? " (--accept counts the inaccurate ones too)" : "");
  }
  say("results: {}\n", folder.string());
}

int exit_code_of(const EnsembleOutcome& outcome, std::size_t members, bool accept) {
  return outcome.of("ok") + (accept ? outcome.of("inaccurate") : 0) == members ? kExitOk : kExitCheckFailed;
}

/// \returns what the first process found, on all of them. \param start nullptr: there is one
bool found_complete(ProcessStart* start, bool complete) {
  double found = complete ? 1.0 : 0.0;
  if (start != nullptr) {
    start->processes().take_largest(std::span(&found, 1));
  }
  return found > 0.0;
}

/// The members of this process, until all are finished or the user interrupts.
void run_share(const Ensemble& ensemble, const fs::path& folder, int process, int processes, bool quiet) {
  std::vector<std::size_t> open;
  std::size_t share = 0;
  {
    const KeptMembers kept(folder);
    open = open_members(ensemble, kept, index_of(process), index_of(processes));
    share = std::max(open.size(), ensemble.members.size() / index_of(processes));
  }
  MemberJournal journal(folder, process);
  EnsembleProgress progress(share, share - open.size(), quiet);
  run_open(ensemble, folder, open, journal, progress);
}

void tell_notes(const Ensemble& ensemble, const ResultFolder& folder) {
  if (!folder.note().empty()) {
    tell("mbdbench: note: {}", folder.note());
  }
  for (const std::string& note : ensemble.base.notes) {
    if (!note.empty()) {
      tell("mbdbench: note: {}\n", note);
    }
  }
  if (ensemble.members.drawn()) {
    say("seed {}\n", ensemble.members.seed());
  }
}

/// The first process, or the only one. \param start nullptr: this process is alone
int run_and_write(const Registries& registries, const EnsembleRequest& request, ProcessStart* start) {
  const Ensemble ensemble(registries, request);
  const nlohmann::ordered_json inputs = inputs_of(ensemble.problem());
  if (start != nullptr) {
    start->compare(json_text(inputs));
  }
  const fs::path directory(ensemble.request.output);
  const FolderOwner owner = {.command = "ensemble", .continues = true};
  const ResultFolder folder(directory, owner, ensemble.request.overwrite);
  const FolderState state = folder_state(directory, inputs);
  const bool complete = state == FolderState::complete;
  if (!complete) {
    clear_for(directory, state);
    tell_notes(ensemble, folder);
    write_provenance(directory / "provenance.json", capture_provenance(owner, ensemble.execution()));
    replace_file(directory / "mechanism.toml", ensemble.base.mechanism_text);
    write_json(directory / "inputs.json", inputs);
  }
  const std::size_t members = ensemble.members.size();
  const InterruptionGuard guard;
  const Stopwatch stopwatch;
  if (start != nullptr) {
    start->begin();
  }
  static_cast<void>(found_complete(start, complete));
  if (!complete) {
    run_share(ensemble, directory, 0, start == nullptr ? 1 : start->processes().size(), ensemble.request.quiet);
  }
  if (start != nullptr) {
    start->processes().rest_until_all();
    start->over();
  }
  if (complete) {
    remove_results(directory, "parts");  // of a program that was killed when all else was there
    say("complete already\n");
    const EnsembleOutcome outcome = read_outcome(directory);
    print_outcome(directory, outcome, members);
    return exit_code_of(outcome, members, ensemble.request.accept);
  }
  EnsembleOutcome outcome;
  {
    const KeptMembers kept(directory);
    if (kept.size() < members) {
      tell("interrupted; {} of {} members are finished and kept. The same command goes on with the others\n",
           kept.size(), members);
      return kExitInterrupted;
    }
    outcome = write_outcome(directory, ensemble.problem(), kept);
  }
  const TimedRepetition time = stopwatch.elapsed();
  write_json(directory / "timings.json", {{"wall_time", time.wall},
                                          {"processor_time", time.processor},
                                          {"processor_share", time.share()},
                                          {"repetitions", 1}});
  remove_results(directory, "parts");
  print_outcome(directory, outcome, members);
  return exit_code_of(outcome, members, ensemble.request.accept);
}

/// A process behind the first: its members alone.
int run_part(const Registries& registries, const EnsembleRequest& request, ProcessStart& start) {
  const Ensemble ensemble(registries, request);
  start.compare(json_text(inputs_of(ensemble.problem())));
  const InterruptionGuard guard;
  start.begin();
  const fs::path directory(ensemble.request.output);
  if (!found_complete(&start, false)) {
    run_share(ensemble, directory, start.processes().process(), start.processes().size(), true);
  }
  start.processes().rest_until_all();
  start.over();
  return kExitOk;
}

}  // namespace

int run_ensemble(const Registries& registries, const EnsembleRequest& request) {
  require_fitting_options(request);
  if (processes_in_use() == nullptr) {
    return run_and_write(registries, request, nullptr);
  }
  processes_in_use()->set_patience(request.run.process_timeout);
  ProcessStart start(*processes_in_use());
  return start.run([&] {
    return start.processes().process() == 0 ? run_and_write(registries, request, &start)
                                            : run_part(registries, request, start);
  });
}

}  // namespace mbdbench
