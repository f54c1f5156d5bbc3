#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "experiments/gradients/differentiable_run.hpp"
#include "experiments/gradients/placed_run.hpp"
#include "experiments/gradients/steps/stage_system.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::gradients {

/// The way back: weights of the state, and what has been collected by numbers.
struct DifferentiableRun::Sweep {
  Sweep(const DifferentiableRun& of, Placed& placed_run, std::span<double> sums)
      : owner(of),
        run(placed_run),
        by_numbers(sums),
        stage_system(*placed_run.formulation, *of.method_),
        weights(placed_run.x0.size()),
        stage_weights(of.method_->stage_count() * weights.size()),
        products(stage_weights.size()),
        by_q(index_of(placed_run.mechanism.q_size())),
        by_u(index_of(placed_run.mechanism.u_size())),
        by_links(of.numbers_.links().size()),
        forces(forces_wanted() ? by_u.size() : 0),
        masses(of.numbers_.any(VariedKind::mass) ? placed_run.mechanism.bodies().size() : 0),
        lengths(by_links.empty() ? 0 : placed_run.mechanism.bodies().size()),
        mass_sums(masses.size()),
        length_sums(lengths.size()) {}

  [[nodiscard]] bool forces_wanted() const {
    return owner.numbers_.any(VariedKind::control) || owner.numbers_.any(VariedKind::stiffness) ||
           owner.numbers_.any(VariedKind::damping);
  }

  /// What the objective has at the end of a step.
  void add_share(Objective& objective, std::size_t step, std::span<const double> x) {
    if (!objective.has_share(step)) {
      return;
    }
    const double t = run.times.at(step);
    std::fill(by_q.begin(), by_q.end(), 0.0);
    std::fill(by_u.begin(), by_u.end(), 0.0);
    const StepState seen = run.seen(step, t, x, objective.needs_velocities());
    objective.add_derivatives(seen, by_q, by_u);
    objective.add_length_derivatives(seen, owner.numbers_.links(), by_links);
    const std::span<double> all = weights;
    std::transform(by_q.begin(), by_q.end(), all.begin(), all.begin(), std::plus<>());
    if (std::any_of(by_u.begin(), by_u.end(), [](double weight) { return weight != 0.0; })) {
      require_run(
          run.map.add_weights(t, x, by_u, {all.first(by_q.size()), all.subspan(by_q.size()), mass_sums, length_sums}),
          t);
    }
  }

  /// e / |e|: what changes the length is lost.
  void unsettle(std::span<const double> norms, std::span<const double> x) {
    for (std::size_t k = 0; k < norms.size(); ++k) {
      if (norms[k] == 0.0) {
        continue;
      }
      const std::size_t place = run.stepper.quaternions()[k];
      const std::span<double> own = std::span(weights).subspan(place, 4);
      double along = 0.0;
      for (std::size_t c = 0; c < 4; ++c) {
        along += own[c] * x[place + c];
      }
      for (std::size_t c = 0; c < 4; ++c) {
        own[c] = (own[c] - along * x[place + c]) / norms[k];
      }
    }
  }

  /// Back over a step from time k.
  void step(std::size_t k, const StepRecord& record) {
    const StepMethod& method = *owner.method_;
    const std::size_t size = weights.size();
    const StepInterval interval = run.times.step(k);
    weigh_implicit_stages(interval, record);
    for (std::size_t i = method.stage_count(); i-- > 0;) {
      const std::span<double> w = std::span(stage_weights).subspan(i * size, size);
      for (std::size_t c = 0; i < method.explicit_stages && c < size; ++c) {
        double sum = method.weights[i] * weights[c];
        for (std::size_t j = i + 1; j < method.stage_count(); ++j) {
          sum += method.coefficient(j, i) * products[j * size + c];
        }
        w[c] = interval.size * sum;
      }
      const double t = method.time_of(i, interval);
      const std::span<const double> x = record.stages.subspan(i * size, size);
      const std::span<double> product = std::span(products).subspan(i * size, size);
      const WeightsByParameter by{forces, masses, lengths};
      require_run(by.empty() ? run.formulation->vector_jacobian(t, x, w, product)
                             : run.formulation->weighted_derivatives(t, x, w, product, by),
                  t);
      const std::size_t wanted = record.rates.size() / method.stage_count();
      add_by_numbers(t, x, record.rates.subspan(i * wanted, wanted));
    }
    for (std::size_t i = 0; i < products.size(); ++i) {
      weights[i % size] += products[i];
    }
  }

  /// Those stages that need one another.
  void weigh_implicit_stages(const StepInterval& interval, const StepRecord& record) {
    const StepMethod& method = *owner.method_;
    const std::size_t size = weights.size();
    const std::span<double> own = std::span(stage_weights).subspan(method.explicit_stages * size);
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = interval.size * method.weights[method.explicit_stages + i / size] * weights[i % size];
    }
    stage_system.factorise(interval, record.stages);
    stage_system.solve_transposed(own);
  }

  /// \param rates that springs want
  void add_by_numbers(double t, std::span<const double> x, std::span<const double> rates) {
    std::transform(masses.begin(), masses.end(), mass_sums.begin(), mass_sums.begin(), std::plus<>());
    std::transform(lengths.begin(), lengths.end(), length_sums.begin(), length_sums.begin(), std::plus<>());
    if (forces.empty()) {
      return;
    }
    const VariedNumbers& numbers = owner.numbers_;
    for (std::size_t c = 0; c < numbers.controls().size(); ++c) {
      const KnotShares shares = numbers.shares(c, t);
      const double by_force = forces[numbers.loaded(c)];
      by_numbers[numbers.first_of(c) + shares.knot] += shares.first * by_force;
      if (shares.second != 0.0) {
        by_numbers[numbers.first_of(c) + shares.knot + 1] += shares.second * by_force;
      }
    }
    run.springs.add_weights(x.first(by_q.size()), rates, forces, by_numbers);
  }

  /// At last, by the start, and by the masses and lengths that it depends on.
  void finish() {
    std::fill(by_q.begin(), by_q.end(), 0.0);
    std::fill(by_u.begin(), by_u.end(), 0.0);
    const VariedNumbers& numbers = owner.numbers_;
    if (!masses.empty() || !lengths.empty() || numbers.any(VariedKind::start_position) ||
        numbers.any(VariedKind::start_velocity)) {
      const double t = run.times.at(0);
      require_run(run.map.add_start_weights(t, run.x0, weights, {by_q, by_u, mass_sums, length_sums}), t);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const VariedNumber& number = numbers.numbers()[i];
      if (number.kind == VariedKind::mass) {
        by_numbers[i] += mass_sums[number.place];
      } else if (number.kind == VariedKind::length) {
        by_numbers[i] += by_links[number.place] + length_sums[index_of(numbers.links()[number.place].tree_joint)];
      }
    }
    numbers.start_derivatives(run.start).add_weights(by_q, by_u, by_numbers);
  }

  const DifferentiableRun& owner;
  Placed& run;
  std::span<double> by_numbers;
  StageSystem stage_system;
  std::vector<double> weights;
  std::vector<double> stage_weights;
  std::vector<double> products;
  std::vector<double> by_q;
  std::vector<double> by_u;
  std::vector<double> by_links;  // of the objective itself
  std::vector<double> forces;
  std::vector<double> masses;
  std::vector<double> lengths;
  std::vector<double> mass_sums;
  std::vector<double> length_sums;
};

RunGradient DifferentiableRun::gradient(std::span<const double> values, Objective& objective) {
  const std::unique_ptr<Placed> run = stepped(values);
  objective.begin(run->mechanism, run->times);
  RunGradient result;
  result.gradient.resize(values.size());
  result.value = control_cost(values, result.gradient);
  const std::size_t count = run->times.count();
  const std::size_t distance = distance_of(run->times, run->stepper.sizes());
  const bool all = distance == count;
  StepTape tape(distance, run->stepper.sizes());
  std::vector<double> checkpoints;
  std::vector<double> end = forward(*run, [&](std::size_t k, std::span<const double> x, const StepRecord& record) {
    result.value += share(*run, objective, k, x);
    if (all) {
      tape.keep(k, record);
    } else if (k % distance == 0) {
      checkpoints.insert(checkpoints.end(), x.begin(), x.end());
    }
  });
  result.value = finite_value(result.value + share(*run, objective, count, end));

  Sweep sweep(*this, *run, result.gradient);
  sweep.add_share(objective, count, end);
  for (std::size_t last = count; last > 0;) {
    const std::size_t first = all ? 0 : (last - 1) / distance * distance;
    if (!all) {
      std::vector<double> x(checkpoints.begin() + static_cast<std::ptrdiff_t>(first / distance * end.size()),
                            checkpoints.begin() + static_cast<std::ptrdiff_t>((first / distance + 1) * end.size()));
      for (std::size_t k = first; k < last; ++k) {
        std::vector<double> x_new(x.size());
        run->stepper.step(run->times.step(k), x, tape.record(k - first), x_new);
        std::swap(x, x_new);
      }
    }
    for (std::size_t k = last; k-- > first;) {
      if (watch_ && k % kStepsBetweenWatches == 0) {
        watch_();
      }
      const std::span<const double> x_new = k + 1 == last ? std::span<const double>(end) : tape.start(k + 1 - first);
      const StepRecord record = tape.record(k - first);
      sweep.unsettle(record.lengths, x_new);
      sweep.step(k, record);
      sweep.add_share(objective, k, tape.start(k - first));
    }
    std::copy_n(tape.start(0).begin(), end.size(), end.begin());
    last = first;
  }
  sweep.finish();
  require_finite(result.gradient);
  return result;
}

}  // namespace mbdbench::gradients
