#include "experiments/engines/engine_formulation.hpp"

#include <fmt/format.h>

#include <Eigen/Core>

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
#include "formulations/batches/batch_tree.hpp"
#include "formulations/joint_state.hpp"

namespace mbdbench {
namespace {

// How far accelerations of many states may be from those of one, relative to the largest of these and of u: MuJoCo's
// are differences of velocities over a step.
constexpr double kBatchDifference = 1e-8;

class EngineFormulation final : public JointVelocityFormulation, public EngineBatches {
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

  /// By the engine, with forces of springs and dampers in joints added (docs/developing/engine_protocol.md).
  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) override;

  [[nodiscard]] std::string without_jacobian() const override {
    if (!answer_.derivatives) {
      return answer_.engine + " gives no derivatives through the protocol of engines";
    }
    const std::string load = loads_without_lanes(mechanism().description());
    return load.empty()
               ? std::string()
               : "derivatives of engines are asked for with springs, dampers and forces in joints, constant or "
                 "tables over time; " +
                     load + " has none";
  }

  [[nodiscard]] bool takes_batches() const override { return answer_.batches; }

  RhsStatus time_batch(double t, std::span<const double> x, int count, int threads, double& seconds) override;

  /// The protocol has none: no joint's.
  RhsStatus reactions(double /*t*/, std::span<const double> /*x*/, Reactions& reactions) override {
    reactions = {};
    return {};
  }

  /// "stated_accuracy": relative, of the accelerations, as the engine says; "engine_seconds": the least that it took
  /// for a right-hand side by its own clock, without what passing it on takes; "engine_seconds_last": the last time;
  /// "engine_derivative_seconds": the least for derivatives.
  void diagnostics(const DiagnosticSink& sink) const override {
    sink("stated_accuracy", answer_.accuracy);
    sink("engine_seconds", fastest_);
    sink("engine_seconds_last", last_);
    sink("engine_derivative_seconds", derivatives_);
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const std::span<const double> q = q_of(x);
    const std::span<const double> u = rate_of(x);
    StateAnswer answer;
    try {
      answer = read_state_answer(engine_.ask(placed(t, q, u).dump()), u.size());
    } catch (const std::runtime_error& error) {
      answer.failure = error.what();
    }
    if (!answer.failure.empty()) {
      return failed(answer.failure);
    }
    last_ = answer.seconds;
    lower(fastest_, answer.seconds);
    set_coordinate_rates(q, u, xdot.first(q.size()));
    std::copy(answer.accelerations.begin(), answer.accelerations.end(), rate_of(xdot).begin());
    return {};
  }

 private:
  /// Loads of a state. \returns its message
  nlohmann::json placed(double t, std::span<const double> q, std::span<const double> u) {
    kinematics_.set_positions(q);
    kinematics_.set_velocities(u);
    loads_.evaluate(t, q, u, kinematics_);
    return state_message(t, q, u, kinematics_, loads_);
  }

  RhsStatus failed(const std::string& why) {
    failure_ = fmt::format("engine '{}': {}", answer_.engine, why);
    return {false, {}, failure_, 0.0};
  }

  static void lower(double& least, double seconds) {
    least = seconds > 0.0 && (least == 0.0 || seconds < least) ? seconds : least;
  }

  /// How u' changes with every coordinate and every component of u.
  Eigen::MatrixXd acceleration_slopes(double t, std::span<const double> x, const DerivativeAnswer& answer);

  std::string command_;
  double patience_;
  EngineProcess engine_;
  Kinematics kinematics_;
  LoadEvaluator loads_;
  MechanismAnswer answer_;
  std::string failure_;  ///< of the last evaluation
  double fastest_ = 0.0;
  double last_ = 0.0;
  double derivatives_ = 0.0;
};

/// \returns the motion of a joint, in components of u, that changes of its coordinates are: of a quaternion e
/// 2 vec(e* o de) in b's axes.
Eigen::MatrixXd motion_by_coordinates(const Joint& joint, std::span<const double> q) {
  if (has_coordinate_rates(joint.type)) {
    return Eigen::MatrixXd::Identity(joint.nu, joint.nq);
  }
  Eigen::MatrixXd motion = Eigen::MatrixXd::Zero(joint.nu, joint.nq);
  const Eigen::Vector4d e = Eigen::Vector4d(q[0], q[1], q[2], q[3]);
  motion.topLeftCorner<3, 4>() << -e[1], e[0], e[3], -e[2],  //
      -e[2], -e[3], e[0], e[1],                              //
      -e[3], e[2], -e[1], e[0];
  // Unaffected by the quaternion's length, as right-hand sides are.
  motion.topLeftCorner<3, 4>() *= 2.0 / e.squaredNorm();
  motion.bottomRightCorner(joint.nu - 3, joint.nq - 4).setIdentity();
  return motion;
}

Eigen::MatrixXd EngineFormulation::acceleration_slopes(double t, std::span<const double> x,
                                                       const DerivativeAnswer& answer) {
  const auto n_q = static_cast<Eigen::Index>(mechanism().q_size());
  const auto n_u = static_cast<Eigen::Index>(mechanism().u_size());
  Eigen::MatrixXd slopes(n_u, n_q + n_u);
  for (const Joint& joint : mechanism().tree_joints()) {
    const auto q = q_of(x).subspan(static_cast<std::size_t>(joint.q_offset), static_cast<std::size_t>(joint.nq));
    slopes.middleCols(joint.q_offset, joint.nq) =
        answer.by_motion.middleCols(joint.u_offset, joint.nu) * motion_by_coordinates(joint, q);
  }
  slopes.rightCols(n_u) = answer.by_u;
  // Forces of springs and dampers in joints are linear: differences over any step are their slopes.
  static_cast<void>(placed(t, q_of(x), rate_of(x)));
  const Eigen::VectorXd forces = loads_.joint_forces();
  std::vector<double> moved(x.begin(), x.end());
  for (Eigen::Index j = 0; j < n_q + n_u; ++j) {
    moved[static_cast<std::size_t>(j)] += 1.0;
    static_cast<void>(placed(t, q_of(std::span<const double>(moved)), rate_of(std::span<const double>(moved))));
    slopes.col(j) += answer.by_forces * (loads_.joint_forces() - forces);
    moved[static_cast<std::size_t>(j)] = x[static_cast<std::size_t>(j)];
  }
  return slopes;
}

RhsStatus EngineFormulation::jacobian(double t, std::span<const double> x, std::span<double> derivatives) {
  const std::size_t size = state_size();
  const std::size_t n_q = size - rate_of(x).size();
  DerivativeAnswer answer;
  try {
    const nlohmann::json message = {{"derivatives", placed(t, q_of(x), rate_of(x))}};
    answer = read_derivative_answer(engine_.ask(message.dump()), rate_of(x).size());
  } catch (const std::runtime_error& error) {
    answer.failure = error.what();
  }
  if (!answer.failure.empty()) {
    return failed(answer.failure);
  }
  lower(derivatives_, answer.seconds);
  // q' is linear in q and in u.
  std::vector<double> rates(n_q);
  std::vector<double> moved_rates(n_q);
  std::vector<double> moved(x.begin(), x.end());
  set_coordinate_rates(q_of(x), rate_of(x), rates);
  for (std::size_t j = 0; j < size; ++j) {
    moved[j] += 1.0;
    set_coordinate_rates(q_of(std::span<const double>(moved)), rate_of(std::span<const double>(moved)), moved_rates);
    moved[j] = x[j];
    for (std::size_t i = 0; i < n_q; ++i) {
      derivatives[i * size + j] = moved_rates[i] - rates[i];
    }
  }
  const Eigen::MatrixXd slopes = acceleration_slopes(t, x, answer);
  for (Eigen::Index i = 0; i < slopes.rows(); ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      derivatives[(n_q + static_cast<std::size_t>(i)) * size + j] = slopes(i, static_cast<Eigen::Index>(j));
    }
  }
  return {};
}

RhsStatus EngineFormulation::time_batch(double t, std::span<const double> x, int count, int threads, double& seconds) {
  const std::span<const double> u = rate_of(x);
  StateAnswer alone;
  StateAnswer many;
  try {
    const nlohmann::json state = placed(t, q_of(x), u);
    alone = read_state_answer(engine_.ask(state.dump()), u.size());
    many = read_state_answer(engine_.ask(batch_message(state, count, threads).dump()), u.size());
  } catch (const std::runtime_error& error) {
    many.failure = error.what();
  }
  if (!many.failure.empty() || !alone.failure.empty()) {
    return failed(many.failure.empty() ? alone.failure : many.failure);
  }
  const auto n = static_cast<Eigen::Index>(u.size());
  const Eigen::Map<const Eigen::VectorXd> one(alone.accelerations.data(), n);
  const Eigen::Map<const Eigen::VectorXd> last(many.accelerations.data(), n);
  const Eigen::Map<const Eigen::VectorXd> speeds(u.data(), n);
  const double size = n > 0 ? std::max(one.lpNorm<Eigen::Infinity>(), speeds.lpNorm<Eigen::Infinity>()) : 0.0;
  if (n > 0 && !((last - one).lpNorm<Eigen::Infinity>() <= kBatchDifference * size)) {
    return failed("many states have other accelerations than one");
  }
  seconds = many.seconds;
  return {};
}

std::string refuse(const Mechanism& mechanism) {
  return mechanism.rheonomic() ? "engines are not told of prescribed motions" : "";
}

std::unique_ptr<Formulation> make(const Mechanism& mechanism, const Parameters& options,
                                  const Execution& /*execution*/) {
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

EngineBatches* engine_batches(Formulation& formulation) {
  auto* const engine = dynamic_cast<EngineFormulation*>(&formulation);
  return engine != nullptr && engine->takes_batches() ? engine : nullptr;
}

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
