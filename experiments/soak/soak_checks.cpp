#include "experiments/soak/soak_checks.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "experiments/registries/formulation_choice.hpp"
#include "experiments/simulation/output/saved_state.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/soak/momentum_balance.hpp"
#include "experiments/soak/run_ends.hpp"
#include "experiments/verification/verification.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench::soak {
namespace {

// Errors of a quarter of a second at 1e-8 stay below 1e-6 of the size unless something amplifies them a hundredfold;
// a lost term moves the end by a percent or more.
constexpr double kLargestEndDifference = 1e-4;
// A formulation's own errors need not be those of the reference: they may be this many times as large.
constexpr double kOtherErrors = 10.0;
// What is left of a difference that was one of integration when both tolerances are kTighter times smaller. A wrong
// term stays.
constexpr double kComesNearer = 0.1;
// As verify's limits of differences.
constexpr double kSmallestMomentumLimit = 1e-8;
constexpr double kLargestMomentumLimit = 1e-4;
constexpr double kLargestPackError = 1e-9;
constexpr int kStates = 2;
constexpr RunTolerance kRunAsJudged = {kRunTolerance, kRunTolerance};
constexpr RunTolerance kRunTighter = {kRunTolerance / kTighter, kRunTolerance / kTighter};

constexpr std::array kVariants = {"hdca[leaf=body]",     "dca[leaf=body]",         "hdca[ground=leaf]",
                                  "hdca[leaf=subchain]", "hdca[loops=proximal]",   "dca[ground=leaf]",
                                  "aba[kernel=general]", "naudet[kernel=general]", "naudet[loops=matrices]"};

/// Quaternions mean the same with either sign.
double pack_error(std::span<const double> a, std::span<const double> b, std::span<const StateComponent> layout) {
  double largest = 0.0;
  double size = 1.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool quaternion = layout[i].kind == StateKind::quaternion;
    const double error = quaternion ? std::min(std::abs(a[i] - b[i]), std::abs(a[i] + b[i])) : std::abs(a[i] - b[i]);
    if (!std::isfinite(error)) {
      return std::numeric_limits<double>::infinity();
    }
    largest = std::max(largest, error);
    size = std::max(size, std::abs(b[i]));
  }
  return largest / size;
}

class FormulationSoak {
 public:
  FormulationSoak(const Registries& registries, const Mechanism& mechanism, std::string word, ReferenceEnd& reference,
                  Findings& findings)
      : registries_(registries),
        mechanism_(mechanism),
        word_(std::move(word)),
        reference_(reference),
        findings_(findings) {}

  /// \returns whether the formulation treats the mechanism.
  bool make() {
    formulation_ = made();
    return formulation_ != nullptr;
  }

  void check_packing() {
    const Eigen::VectorXd& u = mechanism_.u0();
    x0_.resize(formulation_->state_size());
    std::vector<double> again(x0_.size());
    Eigen::VectorXd q2(mechanism_.q_size());
    Eigen::VectorXd u2(u.size());
    for (const RhsStatus& status :
         {formulation_->pack(0.0, view(mechanism_.q0()), view(u), x0_),
          formulation_->unpack(0.0, x0_, view(q2), view(u2)), formulation_->pack(0.0, view(q2), view(u2), again)}) {
      if (!status.ok) {
        fail("pack and unpack", status.message());
        x0_.clear();
        return;
      }
    }
    const double error = pack_error(again, x0_, formulation_->layout());
    // Velocities that are solved for carry the condition of the mass matrix, which `verify` knows and judges.
    const double limit = kLargestPackError * std::max(1.0, condition_);
    if (!(error <= limit)) {
      fail("pack and unpack", fmt::format("the state comes back with an error of {:.2g}, limit {:.2g}", error, limit));
    }
  }

  void check_momentum() {
    const MomentumBalance balance = momentum_balance(*formulation_, 0.0, x0_);
    if (!balance.status.ok) {
      fail("balance of momentum", balance.status.message());
      return;
    }
    const double limit = std::max(kSmallestMomentumLimit, balance.uncertainty) + 1e-14 * condition_;
    if (balance.uncertainty < kLargestMomentumLimit && !(balance.imbalance <= std::min(limit, kLargestMomentumLimit))) {
      const bool imprecise = balance.imbalance <= kWrongTermInDifferences;
      (imprecise ? findings_.imprecise : findings_.failures)
          .push_back(
              {word_, "balance of momentum", fmt::format("imbalance {:.2g}, limit {:.2g}", balance.imbalance, limit)});
    }
  }

  /// Where the reference's run came through.
  void check_run() {
    const Attempt whole = whole_run(kRunAsJudged);
    if (!whole.places) {
      judge_failure("run", whole, [&] { return whole_run(kSecondLook); });
      return;
    }
    std::optional<Places> tighter;
    const auto tighter_whole = [&]() -> const Places& {
      if (!tighter) {
        tighter = whole_run(kRunTighter).places;
      }
      return *tighter;
    };
    judge_end("end state", difference(whole.places, reference_.at_tolerance()), "from that of dense",
              [&] { return difference(tighter_whole(), reference_.at_tighter()); });
    const Attempt paused = paused_run(kRunAsJudged);
    if (!paused.places) {
      judge_failure("restart", paused, [&] { return paused_run(kSecondLook); });
      return;
    }
    judge_end("restart", difference(paused.places, whole.places), "from that of the run without a pause",
              [&] { return difference(paused_run(kRunTighter).places, tighter_whole()); });
  }

  void set_condition(double condition) { condition_ = condition; }
  [[nodiscard]] const std::vector<double>& x0() const { return x0_; }
  [[nodiscard]] Formulation& formulation() { return *formulation_; }

 private:
  std::unique_ptr<Formulation> made() const {
    const FormulationChoice choice = choose_formulation(registries_.formulations, word_);
    if (!refusal_of(*choice.entry, mechanism_).empty()) {
      return nullptr;
    }
    try {
      return make_formulation(registries_.formulations, *choice.entry, mechanism_, choice.options);
    } catch (const ModelError&) {
      if (choice.options.empty()) {
        throw;  // its refusal should have told
      }
      return nullptr;
    }
  }

  /// Where a run has come, or why it has not.
  struct Attempt {
    Places places;
    std::string failure;
    bool inaccurate = false;  ///< it reached its end, beyond limits
  };

  [[nodiscard]] Attempt whole_run(const RunTolerance& tolerance) {
    const RunEnd end =
        run_between(registries_, *formulation_, 0.0, kRunEnd, initial_state(*formulation_, 0.0), tolerance);
    return places_of(*formulation_, end, "");
  }

  /// Half the time, then the rest from a file by an object that has not seen the first half.
  [[nodiscard]] Attempt paused_run(const RunTolerance& tolerance) {
    // From where the run began: some look for coordinates near the last ones that they have met.
    const RunEnd half =
        run_between(registries_, *formulation_, 0.0, 0.5 * kRunEnd, initial_state(*formulation_, 0.0), tolerance);
    if (!half.failure.empty()) {
      return {std::nullopt, "to half the time: " + half.failure, half.inaccurate};
    }
    SavedState saved;
    saved.t = half.t;
    saved.x = half.x;
    saved.q.resize(static_cast<std::size_t>(mechanism_.q_size()));
    saved.u.resize(static_cast<std::size_t>(mechanism_.u_size()));
    if (!formulation_->unpack(half.t, half.x, saved.q, saved.u).ok) {
      return {std::nullopt, "the state at half the time cannot be unpacked"};
    }
    for (const StateComponent& component : formulation_->layout()) {
      saved.names.push_back(component.name);
    }
    // Through the text of a file and not through a file: a disk is no formulation's business.
    const SavedState read = parse_saved_state(saved_state_text(saved), "state.json");
    const std::unique_ptr<Formulation> fresh = made();
    std::vector<double> unused(fresh->state_size());
    static_cast<void>(fresh->pack(read.t, read.q, read.u, unused));  // positions to search others from
    return places_of(*fresh, run_between(registries_, *fresh, read.t, kRunEnd, read.x, tolerance),
                     "from half the time: ");
  }

  static Attempt places_of(Formulation& formulation, const RunEnd& end, std::string_view when) {
    if (!end.failure.empty()) {
      return {std::nullopt, std::string(when) + end.failure, end.inaccurate};
    }
    Places found = places(formulation, end);
    return {found, found ? "" : "its end cannot be unpacked"};
  }

  /// Of momenta far below one a tolerance that is a number, as the absolute one, leaves few digits, and the energy
  /// shows it: with tighter ones the run must come within tighter limits, and end where `dense` does.
  void judge_failure(const char* check, const Attempt& attempt, const std::function<Attempt()>& second_look) {
    if (attempt.inaccurate) {
      const Attempt again = second_look();
      if (again.places && difference(again.places, reference_.at_tighter()) <= kLargestEndDifference) {
        findings_.integration_errors.push_back(
            {word_, check,
             fmt::format("{}; within the limits of {:.0e} at a tolerance of {:.0e}", attempt.failure,
                         kSecondLook.of_limits, kSecondLook.of_steps)});
        return;
      }
    }
    fail(check, attempt.failure);
  }

  /// \param at_tighter the same difference with both tolerances kTighter times smaller
  void judge_end(const char* check, double error, const char* from, const std::function<double()>& at_tighter) {
    if (error <= kLargestEndDifference) {
      return;
    }
    const std::string what = fmt::format("ends {:.2g} {}", error, from);
    if (error <= kOtherErrors * reference_.sensitivity()) {
      findings_.sensitive.push_back(
          {word_, check,
           fmt::format("{}; those of dense at other tolerances differ by {:.2g}", what, reference_.sensitivity())});
      return;
    }
    const double tighter = at_tighter();
    (tighter <= kComesNearer * error ? findings_.integration_errors : findings_.failures)
        .push_back(
            {word_, check,
             fmt::format("{}, {:.2g} at a tolerance of {:.0e}; those of dense at other tolerances differ by {:.2g}",
                         what, tighter, kRunTolerance / kTighter, reference_.sensitivity())});
  }

  void fail(const char* check, const std::string& what) { findings_.failures.push_back({word_, check, what}); }

  const Registries& registries_;
  const Mechanism& mechanism_;
  std::string word_;
  ReferenceEnd& reference_;
  Findings& findings_;
  std::unique_ptr<Formulation> formulation_;
  std::vector<double> x0_;
  double condition_ = 1.0;
};

}  // namespace

std::string soaked_formulation(std::string_view key) {
  return key == "dca-alm-printed" ? "dca-alm-printed[alpha=1e2,iterations=200]" : std::string(key);
}

std::vector<std::string> soaked_formulations(const Registries& registries) {
  std::vector<std::string> words;
  for (const FormulationEntry& entry : registries.formulations) {
    words.push_back(soaked_formulation(entry.key));
  }
  const auto known = [&](const std::string& word) {
    return std::any_of(registries.formulations.begin(), registries.formulations.end(),
                       [&](const FormulationEntry& entry) { return entry.key == word.substr(0, word.find('[')); });
  };
  for (const char* const variant : kVariants) {
    if (known(variant)) {
      words.emplace_back(variant);
    }
  }
  return words;
}

Findings check_mechanism(const Registries& registries, const Mechanism& mechanism,
                         const std::vector<std::string>& formulations) {
  Findings findings;
  VerificationOptions options;
  options.formulations = formulations;
  options.states = kStates;
  const std::vector<VerificationResult> verified = verify(registries, mechanism, options);
  ReferenceEnd reference(registries, mechanism);
  findings.without_run = reference.at_tolerance() ? 0 : 1;
  for (std::size_t i = 0; i < formulations.size(); ++i) {
    FormulationSoak soak(registries, mechanism, formulations[i], reference, findings);
    if (!soak.make()) {
      ++findings.refused;
      continue;
    }
    ++findings.compared;
    const CheckOutcome outcome = verified[i].outcome();
    findings.ill_conditioned += outcome == CheckOutcome::ill_conditioned ? 1 : 0;
    if (outcome == CheckOutcome::failed) {
      const bool imprecise = verified[i].only_imprecise();
      (imprecise ? findings.imprecise : findings.failures)
          .push_back({formulations[i], "verify", verified[i].worst ? verified[i].worst->what : ""});
      continue;  // what follows would fail for the same reason
    }
    if (verified[i].unconverged > 0) {
      ++findings.unconverged;  // its momentum and its run would say so again
      continue;
    }
    soak.set_condition(verified[i].condition);
    soak.check_packing();
    if (soak.x0().empty()) {
      continue;
    }
    soak.check_momentum();
    if (reference.at_tolerance()) {
      soak.check_run();
    }
  }
  return findings;
}

}  // namespace mbdbench::soak
