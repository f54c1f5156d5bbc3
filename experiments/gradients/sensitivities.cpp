#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "experiments/gradients/differentiable_run.hpp"
#include "experiments/gradients/placed_run.hpp"
#include "experiments/gradients/steps/stage_system.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::gradients {

/// Changes of the state along one direction of the numbers, forward.
struct DifferentiableRun::Sensitivities {
  Sensitivities(const DifferentiableRun& of, Placed& placed_run, std::span<const double> of_numbers)
      : owner(of),
        run(placed_run),
        direction(of_numbers),
        change(placed_run.x0.size()),
        moved(change.size()),
        rates(of.method_->stage_count() * change.size()),
        by_q(index_of(placed_run.mechanism.q_size())),
        by_u(index_of(placed_run.mechanism.u_size())),
        of_u(by_u.size()),
        of_links(of.numbers_.links().size()),
        by_links(of_links.size()),
        masses(placed_run.mechanism.bodies().size()),
        lengths(of_links.empty() ? 0 : masses.size()) {
    for (std::size_t c = 0; c < of.numbers_.controls().size(); ++c) {
      parameters.push_back(force_at(of.numbers_.loaded(c)));
    }
    for (std::size_t i = 0; i < of.numbers_.size(); ++i) {
      const VariedNumber& number = of.numbers_.numbers()[i];
      const MechanismDescription& description = placed_run.mechanism.description();
      if (number.kind == VariedKind::mass) {
        masses[number.place] = of_numbers[i];
        parameters.push_back({ParameterKind::mass, placed_run.mechanism.bodies()[number.place].name, 0});
      } else if (number.kind == VariedKind::stiffness) {
        parameters.push_back({ParameterKind::stiffness, spring_name(description, number.place), 0});
      } else if (number.kind == VariedKind::damping) {
        parameters.push_back({ParameterKind::damping, spring_name(description, number.place), 0});
      } else if (number.kind == VariedKind::length) {
        const VariedLink& link = of.numbers_.links()[number.place];
        of_links[number.place] = of_numbers[i];
        lengths[index_of(link.tree_joint)] = of_numbers[i];
        parameters.push_back({ParameterKind::length, link.joint, 0});
      } else {
        continue;
      }
      numbers.push_back(i);
    }
    factors.resize(parameters.size());
    columns.resize(parameters.size() * change.size());
  }

  [[nodiscard]] RateParameter force_at(std::size_t u) const {
    for (const Joint& joint : run.mechanism.tree_joints()) {
      if (index_of(joint.u_offset) <= u && u < index_of(joint.u_offset + joint.nu)) {
        return {ParameterKind::joint_force, joint.name, static_cast<int>(u) - joint.u_offset};
      }
    }
    throw std::logic_error("a control loads no joint");
  }

  void start(const StartDerivatives& derivatives) {
    std::vector<double> of_q(by_q.size());
    std::vector<double> of_rate(by_u.size());
    derivatives.change(direction, of_q, of_rate);
    const double t = run.times.at(0);
    require_run(run.map.start_change(t, run.x0, {of_q, of_rate, masses, lengths}, change), t);
  }

  void set_factors(double t) {
    const std::size_t controls = owner.numbers_.controls().size();
    for (std::size_t c = 0; c < controls; ++c) {
      const KnotShares shares = owner.numbers_.shares(c, t);
      const std::size_t place = owner.numbers_.first_of(c) + shares.knot;
      factors[c] =
          shares.first * direction[place] + (shares.second != 0.0 ? shares.second * direction[place + 1] : 0.0);
    }
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      factors[controls + k] = direction[numbers[k]];
    }
  }

  /// \param stages those of the step, factorised
  void step(std::size_t k, const StepRecord& record, const StageSystem& stages, std::span<const double> x_new) {
    const StepMethod& method = *owner.method_;
    const std::size_t size = change.size();
    const StepInterval interval = run.times.step(k);
    const double h = interval.size;
    for (std::size_t i = 0; i < method.stage_count(); ++i) {
      const double t = method.time_of(i, interval);
      const std::span<const double> x = record.stages.subspan(i * size, size);
      const std::span<double> rate = std::span(rates).subspan(i * size, size);
      // What implicit stages add to one another comes behind.
      const std::size_t before = std::min(method.stages[i].size(), method.explicit_stages);
      advance_by(change, h, std::span(method.stages[i]).first(before), rates, moved, SumOrder::step_first);
      require_run(run.formulation->jacobian_vector(t, x, moved, rate), t);
      if (!parameters.empty()) {
        require_run(run.formulation->parameter_jacobian(t, x, parameters, columns), t);
        set_factors(t);
      }
      for (std::size_t e = 0; e < columns.size(); ++e) {
        rate[e / factors.size()] += columns[e] * factors[e % factors.size()];
      }
    }
    stages.solve(std::span(rates).subspan(method.explicit_stages * size));
    advance_by(change, h, method.weights, rates, moved, SumOrder::step_first);
    std::swap(change, moved);
    for (std::size_t q = 0; q < record.lengths.size(); ++q) {
      if (record.lengths[q] == 0.0) {
        continue;
      }
      const std::size_t place = run.stepper.quaternions()[q];
      const std::span<double> own = std::span(change).subspan(place, 4);
      double along = 0.0;
      for (std::size_t c = 0; c < 4; ++c) {
        along += own[c] * x_new[place + c];
      }
      for (std::size_t c = 0; c < 4; ++c) {
        own[c] = (own[c] - along * x_new[place + c]) / record.lengths[q];
      }
    }
  }

  /// \returns how the share of a step changes.
  double share(Objective& objective, std::size_t step, std::span<const double> x) {
    if (!objective.has_share(step)) {
      return 0.0;
    }
    const double t = run.times.at(step);
    std::fill(by_q.begin(), by_q.end(), 0.0);
    std::fill(by_u.begin(), by_u.end(), 0.0);
    std::fill(by_links.begin(), by_links.end(), 0.0);
    const StepState seen = run.seen(step, t, x, objective.needs_velocities());
    objective.add_derivatives(seen, by_q, by_u);
    objective.add_length_derivatives(seen, owner.numbers_.links(), by_links);
    double sum = std::inner_product(by_links.begin(), by_links.end(), of_links.begin(), 0.0);
    for (std::size_t i = 0; i < by_q.size(); ++i) {
      sum += by_q[i] * change[i];
    }
    if (objective.needs_velocities()) {
      const std::span<const double> all = change;
      const std::size_t count = by_q.size();
      require_run(run.map.change(t, x, {all.first(count), all.subspan(count), masses, lengths}, of_u), t);
      for (std::size_t i = 0; i < by_u.size(); ++i) {
        sum += by_u[i] * of_u[i];
      }
    }
    return sum;
  }

  const DifferentiableRun& owner;
  Placed& run;
  std::span<const double> direction;
  std::vector<double> change;
  std::vector<double> moved;
  std::vector<double> rates;
  std::vector<double> by_q;
  std::vector<double> by_u;
  std::vector<double> of_u;
  std::vector<double> of_links;
  std::vector<double> by_links;
  std::vector<double> masses;
  std::vector<double> lengths;
  std::vector<RateParameter> parameters;  // of controls first
  std::vector<std::size_t> numbers;       // of the others, in `direction`
  std::vector<double> factors;
  std::vector<double> columns;
};

RunGradient DifferentiableRun::along(std::span<const double> values, std::span<const double> directions,
                                     Objective& objective) {
  const std::size_t width = values.size();
  if (width == 0 || directions.size() % width != 0) {
    throw std::invalid_argument(fmt::format("directions: {} numbers are no rows of {}", directions.size(), width));
  }
  const std::unique_ptr<Placed> run = stepped(values);
  objective.begin(run->mechanism, run->times);
  RunGradient result;
  std::vector<Sensitivities> all;
  std::vector<double> of_controls(width);
  result.value = control_cost(values, of_controls);
  const StartDerivatives of_start = numbers_.start_derivatives(run->start);
  for (std::size_t first = 0; first < directions.size(); first += width) {
    const std::span<const double> direction = directions.subspan(first, width);
    all.emplace_back(*this, *run, direction);
    all.back().start(of_start);
    result.gradient.push_back(std::inner_product(direction.begin(), direction.end(), of_controls.begin(), 0.0));
  }
  StepTape before(1, run->stepper.sizes());
  StageSystem stages(*run->formulation, *method_);
  const auto arrive = [&](std::size_t k, std::span<const double> x) {
    if (k > 0) {
      stages.factorise(run->times.step(k - 1), before.record(0).stages);
    }
    for (std::size_t d = 0; d < all.size(); ++d) {
      if (k > 0) {
        all[d].step(k - 1, before.record(0), stages, x);
      }
      result.gradient[d] += all[d].share(objective, k, x);
    }
    result.value += share(*run, objective, k, x);
  };
  const std::vector<double> end =
      forward(*run, [&](std::size_t k, std::span<const double> x, const StepRecord& record) {
        arrive(k, x);
        before.keep(0, record);
      });
  arrive(run->times.count(), end);
  result.value = finite_value(result.value);
  return result;
}

}  // namespace mbdbench::gradients
