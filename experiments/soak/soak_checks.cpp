#include "experiments/soak/soak_checks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "experiments/monitors/accuracy_limits.hpp"
#include "experiments/monitors/run_accuracy.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/simulation/output/saved_state.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/soak/momentum_balance.hpp"
#include "experiments/verification/verification.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench::soak {
namespace {

constexpr double kEnd = 0.25;
constexpr double kTolerance = 1e-8;
// Errors of a quarter of a second at 1e-8 stay below 1e-6 of the size unless something amplifies them a hundredfold;
// a lost term moves the end by a percent or more.
constexpr double kLargestEndDifference = 1e-4;
// A formulation's own errors need not be those of the reference: they may be this many times as large.
constexpr double kOtherErrors = 10.0;
// The tolerance is changed by this to see what a motion makes of errors.
constexpr double kOtherTolerance = 10.0;
// An end that comes to that of the reference as both tolerances fall by the first number was an integration error: it
// keeps at most the second of what it was. A wrong term stays.
constexpr double kTighter = 100.0;
constexpr double kComesNearer = 0.1;
constexpr std::size_t kMostEvaluations = 300'000;
// As verify's limits of differences.
constexpr double kSmallestMomentumLimit = 1e-8;
constexpr double kLargestMomentumLimit = 1e-4;
constexpr double kLargestPackError = 1e-9;
constexpr int kStates = 2;

constexpr std::array kVariants = {"hdca[ground=leaf]",     "hdca[leaf=subchain]", "hdca[loops=proximal]",
                                  "dca[ground=leaf]",      "aba[kernel=general]", "naudet[kernel=general]",
                                  "naudet[loops=matrices]"};

/// How a run ended.
struct RunEnd {
  std::string failure;  ///< empty: it reached its end and is accurate
  std::vector<double> x;
  double t = 0.0;
};

RunEnd run(const Registries& registries, Formulation& formulation, double start, double end, std::span<const double> x0,
           double tolerance = kTolerance) {
  RunAccuracy accuracy(formulation);
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  options.ode.max_evaluations = kMostEvaluations;
  options.step_reached = [&](double t, std::span<const double> x) { accuracy.reached(t, x); };
  const std::array span = {start, end};
  const SimulationResult result =
      simulate(formulation, *find_integrator(registries.integrators, "ode45"), span, x0, options, accuracy);
  RunEnd ended{result.message(), result.ode.x, result.ode.t};
  if (result.succeeded()) {
    ended.failure =
        fmt::format("{}", fmt::join(inaccuracies(accuracy, accuracy_limits(accuracy, tolerance, {})), "; "));
  }
  return ended;
}

/// Poses of all bodies, for comparisons across formulations.
std::optional<std::vector<Vec3>> places(Formulation& formulation, const RunEnd& end) {
  const Mechanism& mechanism = formulation.mechanism();
  Eigen::VectorXd q(mechanism.q_size());
  Eigen::VectorXd u(mechanism.u_size());
  if (!formulation.unpack(end.t, end.x, view(q), view(u)).ok) {
    return std::nullopt;
  }
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(q));
  std::vector<Vec3> all;
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const BodyKinematics& body = kinematics.body(k);
    all.push_back(body.com);
    all.insert(all.end(), {body.rotation.col(0), body.rotation.col(1)});
  }
  return all;
}

/// \returns the largest difference, relative to the larger of one and the extent.
double difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0.0;
  double extent = 1.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, (a[i] - b[i]).norm());
    extent = std::max(extent, b[i].norm());
  }
  return largest / extent;
}

/// Quaternions mean the same with either sign.
double pack_error(std::span<const double> a, std::span<const double> b, std::span<const StateComponent> layout) {
  double largest = 0.0;
  double size = 1.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool quaternion = layout[i].kind == StateKind::quaternion;
    const double error = quaternion ? std::min(std::abs(a[i] - b[i]), std::abs(a[i] + b[i])) : std::abs(a[i] - b[i]);
    largest = std::max(largest, error);
    size = std::max(size, std::abs(b[i]));
  }
  return largest / size;
}

// A wrong term shows far above these: in what is computed, as in verify; in differences, which divide its rounding by a
// step of 1e-3 s and less.
constexpr double kWrongTerm = 1e-7;
constexpr double kWrongTermInDifferences = 1e-6;

/// \returns whether everything is off by so little that rounding is the likelier reason.
bool only_imprecise(const VerificationResult& result) {
  const auto small = [](const BlockCheck& block, double least) {
    return block.outcome != CheckOutcome::failed || block.error <= least;
  };
  return result.failure.empty() && small(result.velocity, kWrongTerm) && small(result.rate, kWrongTerm) &&
         small(result.reaction, kWrongTerm) && small(result.acceleration, kWrongTermInDifferences) &&
         small(result.energy, kWrongTermInDifferences) && small(result.continuity, 0.0);
}

/// Where `dense` ends, and how far apart its own ends are at other tolerances.
class ReferenceEnd {
 public:
  ReferenceEnd(const Registries& registries, const Mechanism& mechanism)
      : registries_(registries), mechanism_(mechanism), places_(at(kTolerance)) {}

  /// \returns the places; nothing where its run did not come through.
  [[nodiscard]] const std::optional<std::vector<Vec3>>& places() const { return places_; }

  /// \returns the difference of ends that the motion makes of errors of the size of the tolerance. The first time it
  /// takes two runs.
  double sensitivity() {
    if (!sensitivity_) {
      sensitivity_ = 0.0;
      for (const double tolerance : {kOtherTolerance * kTolerance, kTolerance / kOtherTolerance}) {
        const auto other = at(tolerance);
        sensitivity_ = std::max(*sensitivity_, other ? difference(*other, *places_) : 0.0);
      }
    }
    return *sensitivity_;
  }

  /// \returns the places at the end of a run at that tolerance.
  [[nodiscard]] std::optional<std::vector<Vec3>> at(double tolerance) const {
    const auto formulation = make_formulation(registries_.formulations,
                                              *choose_formulation(registries_.formulations, "dense").entry, mechanism_);
    const RunEnd end = run(registries_, *formulation, 0.0, kEnd, initial_state(*formulation, 0.0), tolerance);
    return end.failure.empty() ? soak::places(*formulation, end) : std::nullopt;
  }

 private:
  const Registries& registries_;
  const Mechanism& mechanism_;
  std::optional<std::vector<Vec3>> places_;
  std::optional<double> sensitivity_;
};

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
    const RunEnd end = run(registries_, *formulation_, 0.0, kEnd, x0_);
    if (!end.failure.empty()) {
      fail("run", end.failure);
      return;
    }
    const auto end_places = places(*formulation_, end);
    if (!end_places) {
      fail("run", "its end cannot be unpacked");
      return;
    }
    judge_end("end state", difference(*end_places, *reference_.places()), "from that of dense");
    check_restart(*end_places);
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

  void check_restart(const std::vector<Vec3>& whole) {
    // From where the run began: some look for coordinates near the last ones that they have met.
    const RunEnd half = run(registries_, *formulation_, 0.0, 0.5 * kEnd, initial_state(*formulation_, 0.0));
    if (!half.failure.empty()) {
      fail("restart", "to half the time: " + half.failure);
      return;
    }
    SavedState saved;
    saved.t = half.t;
    saved.x = half.x;
    saved.q.resize(static_cast<std::size_t>(mechanism_.q_size()));
    saved.u.resize(static_cast<std::size_t>(mechanism_.u_size()));
    if (!formulation_->unpack(half.t, half.x, saved.q, saved.u).ok) {
      fail("restart", "the state at half the time cannot be unpacked");
      return;
    }
    for (const StateComponent& component : formulation_->layout()) {
      saved.names.push_back(component.name);
    }
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / fmt::format("mbdbench-soak-{}.json", getpid());
    write_saved_state(file, saved);
    const SavedState read = read_saved_state(file);
    std::filesystem::remove(file);
    const std::unique_ptr<Formulation> fresh = made();
    std::vector<double> unused(fresh->state_size());
    static_cast<void>(fresh->pack(read.t, read.q, read.u, unused));  // positions to search others from
    const RunEnd rest = run(registries_, *fresh, read.t, kEnd, read.x);
    const auto rest_places = rest.failure.empty() ? places(*fresh, rest) : std::nullopt;
    if (!rest_places) {
      fail("restart", "from half the time: " + rest.failure);
    } else {
      judge_end("restart", difference(*rest_places, whole), "from that of the run without a pause");
    }
  }

  [[nodiscard]] bool comes_nearer(double error) {
    const RunEnd end =
        run(registries_, *formulation_, 0.0, kEnd, initial_state(*formulation_, 0.0), kTolerance / kTighter);
    const auto own = end.failure.empty() ? places(*formulation_, end) : std::nullopt;
    const auto reference = own ? reference_.at(kTolerance / kTighter) : std::nullopt;
    return reference && difference(*own, *reference) <= kComesNearer * error;
  }

  void judge_end(const char* check, double error, const char* from) {
    if (error <= kLargestEndDifference) {
      return;
    }
    const double explained = kOtherErrors * reference_.sensitivity();
    (error <= explained || comes_nearer(error) ? findings_.sensitive : findings_.failures)
        .push_back({word_, check,
                    fmt::format("ends {:.2g} {}; those of dense at other tolerances differ by {:.2g}", error, from,
                                reference_.sensitivity())});
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

std::vector<std::string> soaked_formulations(const Registries& registries) {
  std::vector<std::string> words;
  for (const FormulationEntry& entry : registries.formulations) {
    words.emplace_back(entry.key);
  }
  const auto known = [&](const std::string& word) {
    return std::find(words.begin(), words.end(), word.substr(0, word.find('['))) != words.end();
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
  findings.without_run = reference.places() ? 0 : 1;
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
      const bool imprecise = only_imprecise(verified[i]);
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
    if (reference.places()) {
      soak.check_run();
    }
  }
  return findings;
}

}  // namespace mbdbench::soak
