#include "experiments/simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "experiments/monitors/component_origin.hpp"
#include "experiments/simulation/processes/sink_barrier.hpp"

namespace mbdbench {
namespace {

/// \param option of the command line that asks for it
void require_kind(std::string_view option, StateKind kind, std::span<const StateComponent> layout) {
  std::string present;
  for (const StateComponent& component : layout) {
    if (component.kind == kind) {
      return;
    }
    const std::string_view name = to_string(component.kind);
    if (present.find(name) == std::string::npos) {
      present += fmt::format("{}{}", present.empty() ? "" : ", ", name);
    }
  }
  throw std::invalid_argument(
      fmt::format("{}: the state has no component of kind {}; it has {}", option, to_string(kind), present));
}

}  // namespace

bool SinkChain::wants_samples() const {
  return std::any_of(sinks_.begin(), sinks_.end(), [](const OdeSink* sink) { return sink->wants_samples(); });
}

bool SinkChain::sample(double t, std::span<const double> x) {
  return std::all_of(sinks_.begin(), sinks_.end(), [&](OdeSink* sink) { return sink->sample(t, x); });
}

bool SinkChain::step(double t, std::span<const double> x, const OdeStatistics& so_far) {
  return std::all_of(sinks_.begin(), sinks_.end(), [&](OdeSink* sink) { return sink->step(t, x, so_far); });
}

/// df/dx by differences of f, where auto finds that a state has no exact one.
std::string difference_rows(Formulation& formulation, double t, std::span<const double> x, std::span<double> rows) {
  constexpr double kStep = 6e-6;  // the third root of eps: of order two
  const std::size_t size = x.size();
  std::vector<double> moved(x.begin(), x.end());
  std::vector<double> ahead(size);
  std::vector<double> behind(size);
  for (std::size_t j = 0; j < size; ++j) {
    const double step = kStep * std::max(1.0, std::abs(x[j]));
    moved[j] = x[j] + step;
    RhsStatus status = formulation.rhs(t, moved, ahead);
    moved[j] = x[j] - step;
    status = status.ok ? formulation.rhs(t, moved, behind) : status;
    moved[j] = x[j];
    if (!status.ok) {
      return status.message();
    }
    for (std::size_t i = 0; i < size; ++i) {
      rows[i * size + j] = (ahead[i] - behind[i]) / (2.0 * step);
    }
  }
  return {};
}

OdeSystem ode_system(Formulation& formulation, Formulation* derivatives, std::size_t* replaced) {
  OdeSystem system;
  system.size = formulation.state_size();
  for (const StateComponent& component : formulation.layout()) {
    system.constant.push_back(component.constant);
  }
  const auto too_far = std::make_shared<bool>(false);
  system.rhs = [&formulation, too_far](double t, std::span<const double> x, std::span<double> xdot) {
    const RhsStatus status = formulation.rhs(t, x, xdot);
    *too_far = status.too_far;
    return status.message();
  };
  if (derivatives != nullptr) {
    system.jacobian = [derivatives, too_far, replaced](double t, std::span<const double> x, std::span<double> rows) {
      const RhsStatus status = derivatives->jacobian(t, x, rows);
      if (!status.ok && replaced != nullptr) {
        ++*replaced;
        return difference_rows(*derivatives, t, x, rows);
      }
      *too_far = status.too_far;
      return status.message();
    };
  }
  system.reached_too_far = [too_far] { return *too_far; };
  system.after_step = [&formulation](double t, std::span<double> x) { return formulation.after_step(t, x); };
  system.component_name = [&formulation](std::size_t component, double t, std::span<const double> x) {
    return component_origin(formulation, component, t, x);
  };
  return system;
}

OdeOptions ode_options(const SimulationOptions& options, std::span<const StateComponent> layout) {
  OdeOptions ode = options.ode;
  ode.absolute_tolerance = {options.absolute_tolerance};
  for (const auto& [kind, tolerance] : options.absolute_tolerance_of) {
    require_kind("--atol", kind, layout);
    // Spread over the components only when kinds differ: norm control wants a single number.
    ode.absolute_tolerance.resize(layout.size(), options.absolute_tolerance);
    for (std::size_t i = 0; i < layout.size(); ++i) {
      if (layout[i].kind == kind) {
        ode.absolute_tolerance[i] = tolerance;
      }
    }
  }
  ode.error_mask.clear();
  for (const StateKind kind : options.controlled) {
    require_kind("--control", kind, layout);
    ode.error_mask.resize(layout.size(), false);
    for (std::size_t i = 0; i < layout.size(); ++i) {
      ode.error_mask[i] = ode.error_mask[i] || layout[i].kind == kind;
    }
  }
  return ode;
}

std::vector<double> initial_state(Formulation& formulation, double t0) {
  const Mechanism& mechanism = formulation.mechanism();
  std::vector<double> x0(formulation.state_size());
  const std::span q(mechanism.q0().data(), static_cast<std::size_t>(mechanism.q_size()));
  const std::span u(mechanism.u0().data(), static_cast<std::size_t>(mechanism.u_size()));
  const RhsStatus status = formulation.pack(t0, q, u, x0);
  if (!status.ok) {
    throw std::runtime_error("the initial state cannot be represented: " + status.message());
  }
  return x0;
}

void require_for_mechanisms(const OdeEntry& integrator) {
  if (integrator.needs_separable) {
    throw std::invalid_argument(
        fmt::format("integrator '{}' is for separable systems only, where q' depends on p and p' on q alone; in the "
                    "equations of a mechanism the mass matrix depends on q: implicit-midpoint, gauss4 and gauss6 are "
                    "symplectic there, for formulations with the state (q, p)",
                    integrator.key));
  }
}

SimulationResult simulate(Formulation& formulation, const OdeEntry& integrator, std::span<const double> tspan,
                          std::span<const double> x0, const SimulationOptions& options, OdeSink& sink) {
  require_for_mechanisms(integrator);
  OdeOptions ode = ode_options(options, formulation.layout());
  ode.newton_stages = options.jacobian == JacobianChoice::exact;
  SinkBarrier barrier(sink);
  SimulationResult result;
  Formulation& own = options.derivatives != nullptr ? *options.derivatives : formulation;
  result.exact_jacobian = takes_exact_jacobian(options.jacobian, integrator, own);
  OdeSystem system = ode_system(formulation, result.exact_jacobian ? &own : nullptr,
                                options.jacobian == JacobianChoice::automatic ? &result.replaced_jacobians : nullptr);
  std::vector<double> told(result.exact_jacobian && &own != &formulation ? x0.size() : 0);
  system.after_step = [&](double t, std::span<double> x) {
    if (options.step_reached) {
      options.step_reached(t, x);
    }
    if (!told.empty()) {
      // What depends on the last accepted step, such as a choice of dependent joints, is to be the same in both.
      std::copy(x.begin(), x.end(), told.begin());
      own.after_step(t, told);
    }
    const bool changed = formulation.after_step(t, x);
    result.changed_states += changed ? 1 : 0;
    if (std::string change = formulation.last_change(); !change.empty()) {
      result.changes.push_back({t, std::move(change)});
    }
    return changed;
  };
  const std::size_t calls_before = formulation.rhs_calls();
  const Stopwatch stopwatch;
  result.ode = integrator.solve(system, tspan, x0, ode, barrier);
  result.time = stopwatch.elapsed();
  result.rhs_calls = formulation.rhs_calls() - calls_before;
  result.sink_failure = barrier.failure();
  result.write_failed = barrier.write_failed();
  return result;
}

}  // namespace mbdbench
