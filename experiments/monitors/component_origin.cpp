#include "experiments/monitors/component_origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
  const std::string name = LoadEvaluator(mechanism).name_of_not_finite(t, q, u, kinematics);
  if (name.empty()) {
    return {};
  }
  std::string law;
  for (const JointLoadDescription& load : mechanism.description().joint_loads) {
    law = load.name == name ? law_text(load.law) : law;
  }
  return fmt::format("load '{}'{} gives no finite number at t = {}", name, law, t);
}

}  // namespace

std::string loads_on(const MechanismDescription& mechanism, std::string_view joint_or_body) {
  std::vector<std::string> names;
  for (const JointLoadDescription& load : mechanism.joint_loads) {
    if (load.joint == joint_or_body) {
      names.push_back(fmt::format("load '{}'{}", load.name, law_text(load.law)));
    }
  }
  for (const JointSpringDescription& spring : mechanism.joint_springs) {
    if (spring.joint == joint_or_body) {
      names.push_back(
          fmt::format("spring '{}' (stiffness {:.3g}, damping {:.3g})", spring.name, spring.stiffness, spring.damping));
    }
  }
  const bool on_joint = !names.empty();
  for (const BodyLoadDescription& load : mechanism.body_loads) {
    if (!on_joint || load.body == joint_or_body) {
      names.push_back(fmt::format("load '{}' on body '{}'", load.name, load.body));
    }
  }
  for (const PointSpringDescription& spring : mechanism.point_springs) {
    if (!on_joint) {
      names.push_back(fmt::format("spring '{}'", spring.name));
    }
  }
  constexpr std::size_t kNamed = 3;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  return names.empty()
             ? "no load acts there"
             : fmt::format("{}{} {}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "",
                           names.size() + more > 1 ? "act" : "acts", on_joint ? " there" : " somewhere");
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
