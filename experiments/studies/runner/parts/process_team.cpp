#include "experiments/studies/runner/parts/process_team.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "experiments/studies/runner/study_times.hpp"
#include "formulations/formulation.hpp"
#include "formulations/formulation_part.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench::studies {
namespace {

// Processes wait for one another within a batch: more of them than of a single process.
constexpr int kTeamBatches = 50;
constexpr double kTeamBatchTime = 2e-3;  // s

}  // namespace

bool ProcessTeam::has_processes_of(const StudyVariant& variant) const {
  return processes_ != nullptr && processes_->size() == processes_of(variant);
}

TeamRun ProcessTeam::run(const CellKey& cell) {
  call(Kind::run, cell);
  return std::move(made_);
}

TeamRun ProcessTeam::right_hand_side(std::size_t mechanism, std::size_t variant) {
  call(Kind::right_hand_side, {mechanism, variant, 0, 0});
  return std::move(made_);
}

RepeatedTimes ProcessTeam::exchange(int numbers) {
  call(Kind::exchange, {}, numbers);
  return std::move(made_.times);
}

void ProcessTeam::dismiss() {
  if (processes_ != nullptr) {
    call(Kind::over, {});
  }
}

void ProcessTeam::serve() {
  Task task{};
  do {
    task.fill(-1.0);
    processes_->rest_until_all();
    processes_->take_largest(task);
  } while (perform(task));
}

void ProcessTeam::call(Kind kind, const CellKey& cell, int numbers) {
  Task task = {static_cast<double>(kind), static_cast<double>(cell.mechanism), static_cast<double>(cell.variant),
               static_cast<double>(cell.integrator),
               static_cast<double>(kind == Kind::exchange ? static_cast<std::size_t>(numbers) : cell.control)};
  processes_->rest_until_all();
  processes_->take_largest(task);
  perform(task);
}

bool ProcessTeam::perform(const Task& task) {
  made_ = {};
  const auto place = [&](std::size_t k) { return static_cast<std::size_t>(task[k]); };
  const CellKey cell{place(1), place(2), place(3), place(4)};
  switch (static_cast<Kind>(place(0))) {
    case Kind::run:
      perform_run(cell);
      return true;
    case Kind::right_hand_side:
      perform_right_hand_side(cell);
      return true;
    case Kind::exchange:
      perform_exchange(cell.control);
      return true;
    default:
      return false;
  }
}

void ProcessTeam::perform_run(const CellKey& cell) {
  StudyCase prepared(registries_, study_.mechanisms[cell.mechanism], study_.variants[cell.variant], processes_);
  made_.refusal = prepared.can_run() ? "" : prepared.obstacle().note;
  for (int repetition = 0; prepared.can_run() && repetition < study_.repetitions; ++repetition) {
    if (repetition > 0 && timed_once(study_, made_.times)) {
      return;
    }
    NullSink sink;
    made_.times.add(together([&] { made_.end = prepared.run(study_, cell, sink).ode.x; }));
  }
}

void ProcessTeam::perform_right_hand_side(const CellKey& cell) {
  const StudyVariant& variant = study_.variants[cell.variant];
  if (variant.processes > 1) {
    StudyCase whole(registries_, study_.mechanisms[cell.mechanism], variant);
    if (whole.can_run()) {
      perform_divided(variant, whole);
    }
    return;
  }
  StudyCase prepared(registries_, study_.mechanisms[cell.mechanism], study_.variants[cell.variant], processes_);
  std::vector<double> xdot(prepared.x0().size());
  if (prepared.can_run() && prepared.formulation().rhs(0.0, prepared.x0(), xdot).ok) {
    time_batches([&] { prepared.formulation().rhs(0.0, prepared.x0(), xdot); });
  }
}

void ProcessTeam::perform_divided(const StudyVariant& variant, StudyCase& alone) {
  try {
    const auto [part, whole, why_whole] = make_process_formulation(
        registries_.formulations, *variant.entry, alone.formulation().mechanism(), variant.options, false, *processes_);
    if (whole && !whole->is_divided()) {
      made_.refusal = "there is nothing that processes could share";
      return;
    }
    std::vector<double> x(alone.x0().begin(), alone.x0().end());
    if (part) {
      x.clear();
      for (const std::size_t component : part->components()) {
        x.push_back(alone.x0()[component]);
      }
    }
    std::vector<double> xdot(x.size());
    const auto evaluate = [&, &slice = part, &shared = whole] {
      return slice ? slice->rhs(0.0, x, xdot).ok : shared->rhs(0.0, x, xdot).ok;
    };
    if (evaluate()) {
      time_batches([&] { static_cast<void>(evaluate()); });
    }
  } catch (const ModelError& error) {  // the same on all processes
    made_.refusal = error.what();
  }
}

void ProcessTeam::perform_exchange(std::size_t numbers) {
  std::vector<double> all(numbers * static_cast<std::size_t>(processes_->size()));
  std::vector<std::size_t> bounds;
  for (std::size_t process = 0; process <= static_cast<std::size_t>(processes_->size()); ++process) {
    bounds.push_back(process * numbers * sizeof(double));
  }
  time_batches([&] { processes_->share(std::as_writable_bytes(std::span(all)), bounds); });
}

TimedRepetition ProcessTeam::together(const std::function<void()>& work) {
  std::array<double, 1> here{};
  processes_->take_largest(here);
  const Stopwatch stopwatch;
  work();
  const TimedRepetition own = stopwatch.elapsed();
  std::array<double, 2> all = {own.wall, -own.share()};
  processes_->take_largest(all);
  return {all[0], -all[1] * all[0]};
}

void ProcessTeam::time_batches(const std::function<void()>& call) {
  std::size_t calls = 1;
  const auto batch = [&] {
    return together([&] {
      for (std::size_t k = 0; k < calls; ++k) {
        call();
      }
    });
  };
  // All processes know the same times, and decide alike.
  while (batch().wall < kTeamBatchTime) {
    calls *= 2;
  }
  for (int k = 0; k < kTeamBatches; ++k) {
    const TimedRepetition all = batch();
    const auto count = static_cast<double>(calls);
    made_.times.add({all.wall / count, all.processor / count});
  }
}

}  // namespace mbdbench::studies
