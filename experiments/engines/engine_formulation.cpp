#include "experiments/engines/engine_formulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/engines/engine_messages.hpp"
#include "experiments/engines/engine_permission.hpp"
#include "experiments/engines/engine_process.hpp"
#include "formulations/joint_state.hpp"

namespace mbdbench {
namespace {

class EngineFormulation final : public JointVelocityFormulation {
 public:
  EngineFormulation(const Mechanism& mechanism, std::string command, double patience)
      : JointVelocityFormulation(mechanism),
        command_(std::move(command)),
        patience_(patience),
        engine_(command_, patience),
        kinematics_(mechanism),
        loads_(mechanism, near()) {
    answer_ = read_mechanism_answer(engine_.ask(mechanism_message(mechanism).dump()));
    if (!answer_.refusal.empty()) {
      throw ModelError({}, fmt::format("{}: {}", answer_.engine, answer_.refusal));
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<EngineFormulation>(mechanism(), command_, patience_);
  }

  /// The protocol has none: no joint's.
  RhsStatus reactions(double /*t*/, std::span<const double> /*x*/, Reactions& reactions) override {
    reactions = {};
    return {};
  }

  /// "stated_accuracy": relative, of the accelerations, as the engine says; "engine_seconds": the least that it took
  /// for a right-hand side by its own clock, without what passing it on takes; "engine_seconds_last": the last time.
  void diagnostics(const DiagnosticSink& sink) const override {
    sink("stated_accuracy", answer_.accuracy);
    sink("engine_seconds", fastest_);
    sink("engine_seconds_last", last_);
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const std::span<const double> q = q_of(x);
    const std::span<const double> u = rate_of(x);
    kinematics_.set_positions(q);
    kinematics_.set_velocities(u);
    loads_.evaluate(t, q, u, kinematics_);
    StateAnswer answer;
    try {
      answer = read_state_answer(engine_.ask(state_message(t, q, u, kinematics_, loads_).dump()), u.size());
    } catch (const std::runtime_error& error) {
      answer.failure = error.what();
    }
    if (!answer.failure.empty()) {
      failure_ = answer.failure;
      return {false, answer_.engine, failure_, 0.0};
    }
    last_ = answer.seconds;
    if (answer.seconds > 0.0) {
      fastest_ = fastest_ > 0.0 ? std::min(fastest_, answer.seconds) : answer.seconds;
    }
    set_coordinate_rates(q, u, xdot.first(q.size()));
    std::copy(answer.accelerations.begin(), answer.accelerations.end(), rate_of(xdot).begin());
    return {};
  }

 private:
  std::string command_;
  double patience_;
  EngineProcess engine_;
  Kinematics kinematics_;
  LoadEvaluator loads_;
  MechanismAnswer answer_;
  std::string failure_;  ///< of the last evaluation
  double fastest_ = 0.0;
  double last_ = 0.0;
};

std::string refuse(const Mechanism& mechanism) {
  return mechanism.rheonomic() ? "engines are not told of prescribed motions" : "";
}

std::unique_ptr<Formulation> make(const Mechanism& mechanism, const Parameters& options) {
  require_permitted(options.text("program"));
  return std::make_unique<EngineFormulation>(mechanism, options.text("program"), options.number("timeout"));
}

/// What an entry only refers to.
struct EngineText {
  std::string name;
  std::vector<ParameterSpecification> options;
};

bool may_be_key(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !name.empty() && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

FormulationEntry engine_entry(std::string_view word) {
  const std::size_t sign = word.find('=');
  const std::string_view name = word.substr(0, sign);
  if (sign == std::string_view::npos || sign + 1 == word.size() || !may_be_key(name)) {
    throw std::invalid_argument(fmt::format(
        "--engine '{}': give it as NAME=COMMAND, such as textbook='python3 examples/engines/newton_euler_engine.py'",
        word));
  }
  static std::deque<EngineText> kept;
  kept.push_back({std::string(name),
                  {{"program", std::string(word.substr(sign + 1)), "command that starts the engine"},
                   {"timeout", 60.0, "s, longest wait for one answer", 1e-3, 1e6}}});
  FormulationEntry entry;
  entry.key = kept.back().name;
  entry.summary = "another engine, through the protocol of docs/developing/engine_protocol.md";
  entry.source = "engine";
  entry.rate_kind = StateKind::velocity;
  entry.options = kept.back().options;
  entry.refusal = refuse;
  entry.make = make;
  entry.takes_massless_bodies = true;
  return entry;
}

std::string engine_version(const std::string& command, const Mechanism& mechanism, double patience) {
  require_permitted(command);
  EngineProcess engine(command, patience);
  return read_mechanism_answer(engine.ask(mechanism_message(mechanism).dump())).engine;
}

}  // namespace mbdbench
