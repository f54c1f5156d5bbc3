#include "experiments/precise/states/precise_states.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "experiments/precise/loops/precise_cut_coordinates.hpp"
#include "experiments/precise/states/precise_state_map.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/options/gauge_option.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench::precise {
namespace {

/// Of the mechanism's own rate: the leak of the tangent gauge is at most so many times that (gauge_option.hpp).
constexpr double kStiffestLeak = 100.0;

bool has_momenta(const Formulation& formulation) {
  const auto layout = formulation.layout();
  return std::any_of(layout.begin(), layout.end(),
                     [](const StateComponent& one) { return one.kind == StateKind::momentum; });
}

std::string text_in(const Parameters& options, std::string_view name) {
  const auto found = options.values().find(name);
  return found == options.values().end() ? std::string() : std::get<std::string>(found->second);
}

double number_in(const Parameters& options, std::string_view name, double otherwise) {
  const auto found = options.values().find(name);
  return found == options.values().end() ? otherwise : std::get<double>(found->second);
}

/// \returns whether rows of loops repeat others; those that the tree keeps by itself are zero everywhere.
bool rows_repeat(const Mechanism& mechanism) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  const Eigen::MatrixXd rows = constraint_jacobian(kinematics);
  const Eigen::Index others = (rows.cwiseAbs().rowwise().sum().array() > 0.0).count();
  return mechanism.generic_rank().overconstrained || others > mechanism.generic_rank().rank;
}

std::string refuse_gauge(const Mechanism& mechanism, const Parameters& options) {
  if (text_in(options, "gauge") == "reset") {
    return "gauge=reset changes momenta after steps";
  }
  if (number_in(options, "feedback", 0.0) != 0.0) {
    return "feedback takes velocities off the constraints";
  }
  if (gauge_is_tangent(mechanism, options)) {
    return {};
  }
  if (text_in(options, "cut_axes") == "body") {
    return "with cut_axes=body momenta are those of other axes";
  }
  return rows_repeat(mechanism) ? "each formulation divides impulses among rows that repeat others in its own way"
                                : std::string();
}

/// Baumgarte's constants, of which `dca` has names of its own.
std::pair<double, double> pull_of(const Parameters& options) {
  return {number_in(options, "alpha", number_in(options, "baumgarte_alpha", 0.0)),
          number_in(options, "beta", number_in(options, "baumgarte_beta", 0.0))};
}

std::string refuse_pull(const Mechanism& mechanism, const Parameters& options) {
  const auto& cuts = mechanism.cut_joints();
  const bool turns =
      std::any_of(cuts.begin(), cuts.end(), [](const Joint& one) { return one.type == JointType::screw; });
  return turns && pull_of(options) != std::pair(0.0, 0.0)
             ? "Baumgarte's constants of cut screws pull at a turn that it does not follow"
             : std::string();
}

}  // namespace

bool begins_with_joint_states(const Formulation& formulation) {
  const std::span<const StateComponent> own = formulation.layout();
  const std::size_t turns = followed_angles(formulation.mechanism()).size();
  const auto begins = [&](StateKind rate_kind) {
    const std::vector<StateComponent> layout = joint_layout(formulation.mechanism(), rate_kind);
    return (own.size() == layout.size() || own.size() == layout.size() + turns) &&
           std::equal(layout.begin(), layout.end(), own.begin(),
                      [](const StateComponent& a, const StateComponent& b) { return a.name == b.name; });
  };
  return begins(StateKind::velocity) || begins(StateKind::momentum);
}

std::string refuse_precise_states(const Formulation& formulation, const Parameters& options) {
  const Mechanism& mechanism = formulation.mechanism();
  if (std::string refusal = refuse_precise_motion(mechanism); !refusal.empty()) {
    return refusal;
  }
  if (!begins_with_joint_states(formulation)) {
    try {
      const PreciseStateMap map(formulation);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  }
  if (mechanism.constraint_size() == 0) {
    return {};
  }
  return has_momenta(formulation) ? refuse_gauge(mechanism, options) : refuse_pull(mechanism, options);
}

std::string refuse_open_loops(const Mechanism& mechanism) {
  if (mechanism.rheonomic() || !mechanism.couplings().empty() || !mechanism.held_by_velocity().empty()) {
    return "prescribed motions, couplings and what rolls are known where they are kept alone";
  }
  const auto in_cut = [&](const auto& loads) {
    return std::any_of(loads.begin(), loads.end(),
                       [&](const auto& load) { return mechanism.find_joint(load.joint)->cut; });
  };
  const MechanismDescription& given = mechanism.description();
  if (in_cut(given.joint_loads) || in_cut(given.joint_springs) || in_cut(given.joint_frictions) ||
      in_cut(given.joint_stops)) {
    return "loads in cut joints are known where these are closed alone";
  }
  for (const Joint& joint : mechanism.cut_joints()) {
    if (joint.type == JointType::screw) {
      return "cut screw '" + joint.name + "' is known where it is closed alone; cut another joint of the loop";
    }
  }
  return !mechanism.cut_joints().empty() && rows_repeat(mechanism)
             ? "rows of its loops repeat others, and each formulation has equations of its own where loops are open"
             : std::string();
}

StateRules state_rules(const Formulation& formulation, const Parameters& options) {
  StateRules rules;
  const Mechanism& mechanism = formulation.mechanism();
  rules.momenta = has_momenta(formulation);
  if (formulation.state_size() > index_of(mechanism.q_size() + mechanism.u_size())) {
    rules.turns = followed_angles(mechanism);  // otherwise they are near q0
  }
  if (mechanism.constraint_size() == 0) {
    return rules;
  }
  if (!rules.momenta) {
    rules.velocities.projects = text_in(options, "projection") == "velocities";
    const auto [alpha, beta] = pull_of(options);
    rules.velocities.pull = {alpha, beta};
    return rules;
  }
  MomentumGauge& gauge = rules.gauge;
  gauge.tangent = gauge_is_tangent(mechanism, options);
  if (gauge.tangent) {
    const CharacteristicScales& scales = mechanism.scales();
    const double own = std::max(scales.rate, mechanism.u0().cwiseQuotient(scales.columns).lpNorm<Eigen::Infinity>());
    const double leak = number_in(options, "leak", kDefaultLeak);
    gauge.leak = own > 0.0 ? std::min(leak, kStiffestLeak * own) : leak;
    gauge.units = scales.columns;
  } else if (text_in(options, "gauge") == "leak") {
    gauge.leak = number_in(options, "leak", kDefaultLeak);
  }
  return rules;
}

Reals state_rates(PreciseMotion& motion, const StateRules& rules, double t, std::span<const Real> x) {
  const std::size_t q_size = index_of(motion.mechanism().q_size());
  const std::span<const Real> q = x.first(q_size);
  const std::span<const Real> second = x.subspan(q_size, index_of(motion.mechanism().u_size()));
  const std::span<const Real> turns = x.last(rules.turns.size());
  for (std::size_t i = 0; i < turns.size(); ++i) {
    motion.near().set(rules.turns[i], turns[i].convert_to<double>());
  }
  PreciseMotion::StateRates both = rules.momenta ? motion.momentum_rates(t, q, second, rules.gauge)
                                                 : motion.velocity_rates(t, q, second, rules.velocities);
  both.q.insert(both.q.end(), both.second.begin(), both.second.end());
  std::transform(rules.turns.begin(), rules.turns.end(), std::back_inserter(both.q), [&](const FollowedAngle& angle) {
    const Joint& joint = motion.mechanism().cut_joints()[index_of(angle.cut)];
    return cut_velocity(joint, angle.component, {motion.body(joint.a), motion.body(joint.b)});
  });
  return std::move(both.q);
}

}  // namespace mbdbench::precise
