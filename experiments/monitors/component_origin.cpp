#include "experiments/monitors/component_origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "mechanisms/model/description/short_text.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {
namespace {

std::string law_text(const Law& law) {
  const auto* const formula = std::get_if<ExpressionLaw>(&law);
  return formula == nullptr ? std::string() : fmt::format(" ('{}')", short_text(formula->text));
}

/// \returns the load whose law is not finite at (t, x), in words; empty if there is none.
std::string load_without_value(Formulation& formulation, double t, std::span<const double> x) {
  const Mechanism& mechanism = formulation.mechanism();
  std::vector<double> q(static_cast<std::size_t>(mechanism.q_size()));
  std::vector<double> u(static_cast<std::size_t>(mechanism.u_size()));
  const bool finite = std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
  if (!finite || !formulation.unpack(t, x, q, u).ok) {
    return {};
  }
  Kinematics kinematics(mechanism);
  kinematics.set_positions(q);
  kinematics.set_velocities(u);
  const std::string name =
      LoadEvaluator(mechanism, &formulation.cut_references()).name_of_not_finite(t, q, u, kinematics);
  if (name.empty()) {
    return {};
  }
  std::string law;
  for (const JointLoadDescription& load : mechanism.description().joint_loads) {
    law = load.name == name ? law_text(load.law) : law;
  }
  return fmt::format("load '{}'{} gives no finite number at t = {}", name, law, t);
}

template <class Spring>
std::string spring_text(const Spring& spring) {
  return fmt::format("spring '{}' (stiffness {:.3g}, damping {:.3g})", spring.name, spring.stiffness, spring.damping);
}

/// \returns "load 'a', spring 'b' and 3 more act there".
std::string acting(std::vector<std::string> names, std::string_view where) {
  constexpr std::size_t kNamed = 3;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  const bool several = names.size() > 1;
  names.resize(names.size() - more);
  return fmt::format("{}{} {} {}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "",
                     several ? "act" : "acts", where);
}

}  // namespace

std::string loads_on(const MechanismDescription& mechanism, std::string_view joint_or_body) {
  std::vector<std::string> here;
  // The stiffest spring is what makes a motion fast, wherever it acts.
  std::vector<std::pair<double, std::string>> springs;
  std::vector<std::string> elsewhere;
  for (const JointLoadDescription& load : mechanism.joint_loads) {
    const std::string text = fmt::format("load '{}'{}", load.name, law_text(load.law));
    if (load.joint == joint_or_body) {
      here.push_back(text);
    } else {
      elsewhere.push_back(fmt::format("{} on joint '{}'", text, load.joint));
    }
  }
  for (const JointSpringDescription& spring : mechanism.joint_springs) {
    const std::string text = spring_text(spring);
    if (spring.joint == joint_or_body) {
      here.push_back(text);
    } else {
      springs.emplace_back(spring.stiffness, fmt::format("{} on joint '{}'", text, spring.joint));
    }
  }
  for (const JointFrictionDescription& friction : mechanism.joint_frictions) {
    const std::string text =
        fmt::format("friction '{}', regularised below {:.3g}", friction.name, friction.regularisation_velocity);
    if (friction.joint == joint_or_body) {
      here.push_back(text);
    } else {
      elsewhere.push_back(fmt::format("{} on joint '{}'", text, friction.joint));
    }
  }
  for (const JointStopDescription& stop : mechanism.joint_stops) {
    const std::string text = fmt::format("stop '{}' of stiffness {:.3g}", stop.name, stop.stiffness);
    if (stop.joint == joint_or_body) {
      here.push_back(text);
    } else {
      springs.emplace_back(stop.stiffness, fmt::format("{} on joint '{}'", text, stop.joint));
    }
  }
  const bool on_joint = !here.empty();
  for (const BodyLoadDescription& load : mechanism.body_loads) {
    (load.body == joint_or_body ? here : elsewhere)
        .push_back(fmt::format("load '{}' on body '{}'", load.name, load.body));
  }
  for (const PointSpringDescription& spring : mechanism.point_springs) {
    springs.emplace_back(spring.stiffness, spring_text(spring));
  }
  for (const BushingDescription& bushing : mechanism.bushings) {
    springs.emplace_back(std::max(bushing.stiffness.maxCoeff(), bushing.rotational_stiffness.maxCoeff()),
                         fmt::format("bushing '{}'", bushing.name));
  }
  if (on_joint) {
    return acting(std::move(here), "there");
  }
  std::stable_sort(springs.begin(), springs.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [stiffness, text] : springs) {
    here.push_back(std::move(text));
  }
  std::move(elsewhere.begin(), elsewhere.end(), std::back_inserter(here));
  return here.empty() ? "no load acts there" : acting(std::move(here), "somewhere");
}

std::string component_origin(Formulation& formulation, std::size_t component, double t, std::span<const double> x) {
  const StateComponent& described = formulation.layout()[component];
  const std::string guilty = load_without_value(formulation, t, x);
  const MechanismDescription& mechanism = formulation.mechanism().description();
  const bool is_joint = formulation.mechanism().find_joint(described.joint).has_value();
  return fmt::format("'{}' ({} '{}'; {})", described.name, is_joint ? "joint" : "body", described.joint,
                     guilty.empty() ? loads_on(mechanism, described.joint) : guilty);
}

}  // namespace mbdbench
