#include "experiments/ensembles/members/member_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "experiments/ensembles/quantities.hpp"
#include "experiments/files/write_error.hpp"
#include "experiments/simulation/judged_run.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// One member, set up, with everything that follows its run.
class FollowedMember {
 public:
  /// \throws what set_up_run throws
  FollowedMember(const SharedRun& shared, std::size_t member) : shared_(shared), member_(member) {
    const Mechanism mechanism = shared.members.mechanism(member);
    SimulateRequest request = shared.request;
    request.initial_values.clear();
    setup_ = set_up_run(shared.registries, request, nullptr, &mechanism);
    accuracy_ = std::make_unique<RunAccuracy>(*setup_.formulation);
    sampler_ = std::make_unique<QuantitySampler>(*setup_.formulation, shared.quantities, setup_.times);
  }

  /// \throws WriteError
  void open_trajectory() {
    if (!shared_.trajectories.empty()) {
      trajectory_ = std::make_unique<TrajectoryWriter>(
          shared_.trajectories / fmt::format("member_{:06}.csv", member_ + 1), *setup_.formulation, shared_.content);
    }
  }

  /// The member will be run again, into the same file.
  void close_trajectory() { trajectory_.reset(); }

  [[nodiscard]] const SimulateSetup& setup() const { return setup_; }
  [[nodiscard]] RunAccuracy& accuracy() { return *accuracy_; }
  [[nodiscard]] std::vector<OdeSink*> sinks() {
    std::vector<OdeSink*> sinks = {sampler_.get()};
    if (trajectory_) {
      sinks.push_back(trajectory_.get());
    }
    return sinks;
  }

  MemberRecord record(const JudgedRun& run) {
    if (trajectory_) {
      trajectory_->finish();
    }
    MemberRecord record;
    record.member = member_;
    record.status = run.verdict.status;
    record.message = run.verdict.message;
    record.t_end = run.result.ode.t;
    record.steps = static_cast<double>(run.result.ode.statistics.nsteps);
    record.evaluations = static_cast<double>(run.result.ode.statistics.nfevals);
    record.initial_energy = accuracy_->initial_energy();
    record.largest_imbalance = accuracy_->largest_imbalance();
    record.final_imbalance = accuracy_->final_imbalance();
    record.position_residual = accuracy_->largest_position_residual();
    record.velocity_residual = accuracy_->largest_velocity_residual();
    record.start = shared_.members.row(member_, setup_.mechanism.get());
    record.samples = std::move(sampler_->samples());
    return record;
  }

 private:
  const SharedRun& shared_;
  std::size_t member_;
  SimulateSetup setup_;
  std::unique_ptr<RunAccuracy> accuracy_;
  std::unique_ptr<QuantitySampler> sampler_;
  std::unique_ptr<TrajectoryWriter> trajectory_;
};

MemberRecord without_start(const SharedRun& shared, std::size_t member, const std::exception& why) {
  MemberRecord record;
  record.member = member;
  record.status = "no_start";
  record.message = why.what();
  record.start = shared.members.row(member, nullptr);
  return record;
}

/// \returns the member set up, or the record of one that has no start.
std::pair<std::unique_ptr<FollowedMember>, MemberRecord> set_up(const SharedRun& shared, std::size_t member) {
  try {
    return {std::make_unique<FollowedMember>(shared, member), MemberRecord{}};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return {nullptr, without_start(shared, member, error)};
  }
}

/// Members whose states stand one behind another in one system.
class Stack {
 public:
  Stack(std::vector<std::unique_ptr<FollowedMember>> members, MemberWatch& watch)
      : members_(std::move(members)),
        formulation_(*members_.front()->setup().formulation),
        size_(formulation_.state_size()),
        statuses_(members_.size()),
        failed_(members_.size(), false),
        changed_(members_.size(), 0),
        sinks_(*this) {
    for (const auto& member : members_) {
      std::vector<OdeSink*> chain = {&member->accuracy()};
      const std::vector<OdeSink*> others = member->sinks();
      chain.insert(chain.end(), others.begin(), others.end());
      chains_.emplace_back(chain);
    }
    watch_ = &watch;
  }

  /// \returns the judged runs, in order; those of members that `failed` mean nothing.
  std::vector<JudgedRun> run(const SimulateRequest& request) {
    const SimulateSetup& setup = members_.front()->setup();
    std::vector<double> x0;
    for (const auto& member : members_) {
      x0.insert(x0.end(), member->setup().x0.begin(), member->setup().x0.end());
    }
    OdeOptions options = ode_options(setup.options, formulation_.layout());
    // Only methods that control their error look at these.
    options.absolute_tolerance = {setup.settings.absolute_tolerance};
    options.error_mask.clear();
    const OdeResult result = setup.integrator.solve(system(), setup.times, x0, options, sinks_);
    interrupted_ = result.status == OdeStatus::stopped && watch_stopped_;
    std::vector<JudgedRun> runs(members_.size());
    for (std::size_t k = 0; k < members_.size(); ++k) {
      failed_[k] = failed_[k] || result.status != OdeStatus::ok;
      SimulationResult& own = runs[k].result;
      own.ode = result;
      own.ode.x.assign(result.x.begin() + static_cast<std::ptrdiff_t>(k * size_),
                       result.x.begin() + static_cast<std::ptrdiff_t>((k + 1) * size_));
      // A changed state is evaluated once more, here together with all others.
      own.ode.statistics.nfevals = result.statistics.nfevals - changed_steps_ + changed_[k];
      own.changed_states = changed_[k];
      if (!failed_[k]) {
        runs[k].verdict = run_verdict(members_[k]->setup(), own, members_[k]->accuracy(), request, {});
      }
    }
    return runs;
  }

  [[nodiscard]] bool interrupted() const { return interrupted_; }
  [[nodiscard]] bool failed(std::size_t k) const { return failed_[k]; }
  [[nodiscard]] FollowedMember& member(std::size_t k) { return *members_[k]; }

 private:
  /// Passes every member its part of samples and steps.
  class Sinks final : public OdeSink {
   public:
    explicit Sinks(Stack& stack) : stack_(stack) {}
    bool sample(double t, std::span<const double> x) override {
      stack_.for_each([&](std::size_t k) { stack_.chains_[k].sample(t, stack_.part(x, k)); });
      return stack_.any_left();
    }
    bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override {
      stack_.for_each([&](std::size_t k) { stack_.chains_[k].step(t, stack_.part(x, k), so_far); });
      stack_.watch_stopped_ = !stack_.watch_->step(t, x, so_far);
      return stack_.any_left() && !stack_.watch_stopped_;
    }

   private:
    Stack& stack_;
  };

  template <typename Number>
  [[nodiscard]] std::span<Number> part(std::span<Number> x, std::size_t k) const {
    return x.subspan(k * size_, size_);
  }

  [[nodiscard]] bool any_left() const { return std::find(failed_.begin(), failed_.end(), false) != failed_.end(); }

  /// Calls work(k) for the members that have not failed; what it throws is their failure. A disk that is full is
  /// everybody's.
  template <typename Work>
  void for_each(const Work& work) {
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (failed_[k]) {
        continue;
      }
      try {
        work(k);
      } catch (const WriteError&) {
        throw;
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const std::exception&) {
        failed_[k] = true;  // it will fail alone again, and say why
      }
    }
  }

  /// What RunAccuracy::reached does, with the right-hand sides of all members together.
  void follow_work(double t, std::span<const double> x) {
    std::vector<WorkQuadrature*> followed;
    for_each([&](std::size_t k) {
      WorkQuadrature& work = members_[k]->accuracy().quadrature();
      if (work.end_step(t, part(x, k))) {
        followed.push_back(&work);
      }
    });
    evaluate(followed, WorkQuadrature::kEnd);
    for (int node = 1; node < WorkQuadrature::kEnd; ++node) {
      std::for_each(followed.begin(), followed.end(), [node](WorkQuadrature* work) { work->predict(node); });
      evaluate(followed, node);
    }
    std::for_each(followed.begin(), followed.end(), [](WorkQuadrature* work) { work->close_step(); });
  }

  void evaluate(std::span<WorkQuadrature* const> followed, int node) {
    states_.resize(size_ * followed.size());
    rates_.resize(states_.size());
    for (std::size_t k = 0; k < followed.size(); ++k) {
      std::copy_n(followed[k]->state(node).begin(), size_, states_.begin() + static_cast<std::ptrdiff_t>(k * size_));
    }
    const std::span<RhsStatus> statuses = std::span(statuses_).first(followed.size());
    if (!followed.empty()) {
      formulation_.rhs_batch(followed.front()->time_of(node), states_, rates_, statuses);
    }
    for (std::size_t k = 0; k < followed.size(); ++k) {
      if (statuses[k].ok) {
        std::copy_n(rates_.begin() + static_cast<std::ptrdiff_t>(k * size_), size_, followed[k]->rates(node).begin());
      } else {
        followed[k]->evaluate(node);  // which notes why
      }
    }
  }

  OdeSystem system() {
    OdeSystem system;
    system.size = size_ * members_.size();
    for (std::size_t k = 0; k < members_.size(); ++k) {
      for (const StateComponent& component : formulation_.layout()) {
        system.constant.push_back(component.constant);
      }
    }
    system.rhs = [this](double t, std::span<const double> x, std::span<double> xdot) {
      formulation_.rhs_batch(t, x, xdot, statuses_);
      for (std::size_t k = 0; k < members_.size(); ++k) {
        const std::span<double> rates = part(xdot, k);
        // A product with zero is zero unless a factor is not finite.
        double not_finite = 0.0;
        for (const double rate : rates) {
          not_finite += 0.0 * rate;
        }
        failed_[k] = failed_[k] || !statuses_[k].ok || not_finite != 0.0;
        if (failed_[k]) {
          std::fill(rates.begin(), rates.end(), 0.0);  // it rests, so that the others can go on
        }
      }
      return std::string();
    };
    system.after_step = [this](double t, std::span<double> x) {
      bool any = false;
      follow_work(t, x);
      for_each([&](std::size_t k) {
        const bool changed = members_[k]->setup().formulation->after_step(t, part(x, k));
        changed_[k] += changed ? 1 : 0;
        any = any || changed;
      });
      changed_steps_ += any ? 1 : 0;
      return any;
    };
    return system;
  }

  std::vector<std::unique_ptr<FollowedMember>> members_;
  Formulation& formulation_;
  std::size_t size_;
  std::vector<RhsStatus> statuses_;
  std::vector<double> states_;  // of quadratures
  std::vector<double> rates_;
  std::vector<bool> failed_;
  std::vector<std::size_t> changed_;
  std::size_t changed_steps_ = 0;
  std::vector<SinkChain> chains_;
  MemberWatch* watch_ = nullptr;
  bool watch_stopped_ = false;
  bool interrupted_ = false;
  Sinks sinks_;
};

bool is_interrupted(const JudgedRun& run) {
  return run.result.sink_failure.empty() && run.result.ode.status == OdeStatus::stopped &&
         run.verdict.status != "endless";
}

}  // namespace

bool go_in_lanes(const SimulateSetup& base, const SimulateRequest& request, const EnsembleMembers& members) {
  return base.integrator.takes_stacks && base.formulation->batch_lanes() > 1 && !members.vary_parameters() &&
         !request.max_evaluations && base.settings.projection_tolerance == 0.0 && !base.settings.record_local_error;
}

std::optional<MemberRecord> run_member(const SharedRun& shared, std::size_t member, EnsembleProgress& progress) {
  auto [followed, record] = set_up(shared, member);
  if (!followed) {
    progress.advance(EnsembleProgress::kUnits);
    return std::move(record);
  }
  followed->open_trajectory();
  const std::vector<double>& times = followed->setup().times;
  MemberWatch watch(progress, times.front(), times.back(), 1);
  std::vector<OdeSink*> sinks = followed->sinks();
  sinks.push_back(&watch);
  const JudgedRun run = judged_run(followed->setup(), shared.request, followed->accuracy(), sinks, nullptr);
  if (run.result.write_failed) {
    throw WriteError(shared.trajectories.string(), run.result.sink_failure);
  }
  if (is_interrupted(run)) {
    return std::nullopt;
  }
  watch.finish();
  return followed->record(run);
}

std::vector<MemberRecord> run_in_lanes(const SharedRun& shared, std::span<const std::size_t> members,
                                       EnsembleProgress& progress) {
  std::vector<MemberRecord> records;
  std::vector<std::size_t> numbers;
  std::vector<std::unique_ptr<FollowedMember>> followed;
  for (const std::size_t member : members) {
    auto [made, record] = set_up(shared, member);
    if (!made) {
      records.push_back(std::move(record));
      progress.advance(EnsembleProgress::kUnits);
      continue;
    }
    made->open_trajectory();
    numbers.push_back(member);
    followed.push_back(std::move(made));
  }
  if (followed.empty()) {
    return records;
  }
  const std::vector<double> times = followed.front()->setup().times;
  MemberWatch watch(progress, times.front(), times.back(), followed.size());
  Stack stack(std::move(followed), watch);
  const std::vector<JudgedRun> runs = stack.run(shared.request);
  if (stack.interrupted()) {
    return {};
  }
  watch.finish();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (!stack.failed(k)) {
      records.push_back(stack.member(k).record(runs[k]));
    } else {
      stack.member(k).close_trajectory();
      // Its progress is told already.
      EnsembleProgress silent(1, 0, true);
      std::optional<MemberRecord> alone = run_member(shared, numbers[k], silent);
      if (!alone) {
        return records;
      }
      records.push_back(*std::move(alone));
    }
  }
  return records;
}

}  // namespace mbdbench
