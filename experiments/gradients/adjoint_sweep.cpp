#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "experiments/gradients/differentiable_run.hpp"
#include "experiments/gradients/placed_run.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::gradients {

/// The way back: weights of the state, and what has been collected by numbers.
struct DifferentiableRun::Sweep {
  Sweep(const DifferentiableRun& of, Placed& placed_run, std::span<double> sums)
      : owner(of),
        run(placed_run),
        slopes(of, placed_run),
        by_numbers(sums),
        weights(slopes.size()),
        stage_weights(of.method_->stage_count() * weights.size()),
        products(stage_weights.size()),
        own_by_q(index_of(placed_run.mechanism.q_size())),
        own_by_u(index_of(placed_run.mechanism.u_size())),
        by_q(slopes.q_size()),
        by_u(slopes.u_size()),
        by_lengths(of.numbers_.links().size()),
        forces(forces_wanted() ? by_u.size() : 0),
        masses(of.numbers_.any(VariedKind::mass) ? slopes.mechanism->bodies().size() : 0),
        mass_sums(masses.size()) {}

  [[nodiscard]] bool forces_wanted() const {
    return owner.numbers_.any(VariedKind::control) || owner.numbers_.any(VariedKind::stiffness) ||
           owner.numbers_.any(VariedKind::damping);
  }

  /// What the objective has at the end of a step.
  void add_share(Objective& objective, std::size_t step, std::span<const double> x) {
    if (!objective.has_share(step)) {
      return;
    }
    const double t = owner.times_.at(step);
    std::fill(own_by_q.begin(), own_by_q.end(), 0.0);
    std::fill(own_by_u.begin(), own_by_u.end(), 0.0);
    const StepState seen = run.seen(step, t, x, objective.needs_velocities());
    objective.add_derivatives(seen, own_by_q, own_by_u);
    objective.add_length_derivatives(seen, owner.numbers_.links(), by_lengths);
    for (std::size_t i = 0; i < own_by_q.size(); ++i) {
      weights[slopes.places[i]] += own_by_q[i];
    }
    if (std::any_of(own_by_u.begin(), own_by_u.end(), [](double weight) { return weight != 0.0; })) {
      std::fill(by_u.begin(), by_u.end(), 0.0);
      slopes.spread(own_by_u, own_by_q.size(), by_u, by_q.size());
      const std::span<double> all = weights;
      require_run(slopes.map->add_weights(t, slopes.state(x), by_u,
                                          {all.first(by_q.size()), all.subspan(by_q.size()), mass_sums}),
                  t);
    }
  }

  /// e / |e|: what changes the length is lost.
  void unsettle(std::span<const double> lengths, std::span<const double> x) {
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      if (lengths[k] == 0.0) {
        continue;
      }
      const std::size_t place = run.stepper.quaternions()[k];
      const std::span<double> own = std::span(weights).subspan(slopes.places[place], 4);
      double along = 0.0;
      for (std::size_t c = 0; c < 4; ++c) {
        along += own[c] * x[place + c];
      }
      for (std::size_t c = 0; c < 4; ++c) {
        own[c] = (own[c] - along * x[place + c]) / lengths[k];
      }
    }
  }

  /// Back over a step from time k.
  void step(std::size_t k, const StepRecord& record) {
    const StepMethod& method = *owner.method_;
    const std::size_t size = weights.size();
    const double h = owner.times_.size_of(k);
    for (std::size_t i = method.stage_count(); i-- > 0;) {
      const std::span<double> w = std::span(stage_weights).subspan(i * size, size);
      for (std::size_t c = 0; c < size; ++c) {
        double sum = method.weights[i] * weights[c];
        for (std::size_t j = i + 1; j < method.stage_count(); ++j) {
          sum += method.stages[j][i] * products[j * size + c];
        }
        w[c] = h * sum;
      }
      const double t = owner.times_.at(k) + method.nodes[i] * h;
      const std::span<const double> x = slopes.state(record.stages.subspan(i * run.x0.size(), run.x0.size()));
      const std::span<double> product = std::span(products).subspan(i * size, size);
      require_run(forces.empty() && masses.empty()
                      ? slopes.formulation->vector_jacobian(t, x, w, product)
                      : slopes.formulation->weighted_derivatives(t, x, w, product, forces, masses),
                  t);
      const std::size_t wanted = record.rates.size() / method.stage_count();
      add_by_numbers(t, x, record.rates.subspan(i * wanted, wanted));
    }
    for (std::size_t i = 0; i < products.size(); ++i) {
      weights[i % size] += products[i];
    }
  }

  /// \param x of the mechanism that is differentiated \param velocities of dampers that are varied
  void add_by_numbers(double t, std::span<const double> x, std::span<const double> velocities) {
    std::transform(masses.begin(), masses.end(), mass_sums.begin(), mass_sums.begin(), std::plus<>());
    if (forces.empty()) {
      return;
    }
    const VariedNumbers& numbers = owner.numbers_;
    for (std::size_t c = 0; c < numbers.controls().size(); ++c) {
      const KnotShares shares = numbers.shares(c, t);
      const double by_force = forces[slopes.places[own_by_q.size() + numbers.loaded(c)] - by_q.size()];
      by_numbers[numbers.first_of(c) + shares.knot] += shares.first * by_force;
      if (shares.second != 0.0) {
        by_numbers[numbers.first_of(c) + shares.knot + 1] += shares.second * by_force;
      }
    }
    std::size_t damper = 0;
    for (const SpringTerm& term : slopes.springs) {
      by_numbers[term.number] += forces[term.u] * (term.damping ? -velocities[damper++] : term.rest - x[term.q]);
    }
  }

  /// At last, by the start, and by the masses and lengths that it depends on.
  void finish() {
    std::fill(by_q.begin(), by_q.end(), 0.0);
    std::fill(by_u.begin(), by_u.end(), 0.0);
    const VariedNumbers& numbers = owner.numbers_;
    if (!masses.empty() || !by_lengths.empty() || numbers.any(VariedKind::start_position) ||
        numbers.any(VariedKind::start_velocity)) {
      const double t = owner.times_.at(0);
      require_run(slopes.map->add_start_weights(t, slopes.x0, weights, {by_q, by_u, mass_sums}), t);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const VariedNumber& number = numbers.numbers()[i];
      if (number.kind == VariedKind::mass) {
        by_numbers[i] += mass_sums[slopes.bodies[number.place]];
      } else if (number.kind == VariedKind::length) {
        by_numbers[i] += by_lengths[number.place] + by_q[slopes.longer->displacement(number.place)];
      }
    }
    slopes.gather(by_q, 0, 0, own_by_q);
    slopes.gather(by_u, by_q.size(), own_by_q.size(), own_by_u);
    numbers.start_derivatives(run.start).add_weights(own_by_q, own_by_u, by_numbers);
  }

  const DifferentiableRun& owner;
  Placed& run;
  Differentiated slopes;
  std::span<double> by_numbers;
  std::vector<double> weights;
  std::vector<double> stage_weights;
  std::vector<double> products;
  std::vector<double> own_by_q;  // of the run; the others of the mechanism that is differentiated
  std::vector<double> own_by_u;
  std::vector<double> by_q;
  std::vector<double> by_u;
  std::vector<double> by_lengths;
  std::vector<double> forces;
  std::vector<double> masses;
  std::vector<double> mass_sums;
};

RunGradient DifferentiableRun::gradient(std::span<const double> values, Objective& objective) {
  const std::unique_ptr<Placed> run = placed(values);
  objective.begin(run->mechanism);
  RunGradient result;
  result.gradient.resize(values.size());
  result.value = control_cost(values, result.gradient);
  const std::size_t count = times_.count();
  const bool all = distance_ == count;
  StepTape tape(distance_, run->stepper.sizes());
  std::vector<double> checkpoints;
  std::vector<double> end = forward(*run, [&](std::size_t k, std::span<const double> x, const StepRecord& record) {
    result.value += share(*run, objective, k, x);
    if (all) {
      tape.keep(k, record);
    } else if (k % distance_ == 0) {
      checkpoints.insert(checkpoints.end(), x.begin(), x.end());
    }
  });
  result.value = finite_value(result.value + share(*run, objective, count, end));

  Sweep sweep(*this, *run, result.gradient);
  sweep.add_share(objective, count, end);
  for (std::size_t last = count; last > 0;) {
    const std::size_t first = all ? 0 : (last - 1) / distance_ * distance_;
    if (!all) {
      std::vector<double> x(checkpoints.begin() + static_cast<std::ptrdiff_t>(first / distance_ * end.size()),
                            checkpoints.begin() + static_cast<std::ptrdiff_t>((first / distance_ + 1) * end.size()));
      for (std::size_t k = first; k < last; ++k) {
        std::vector<double> x_new(x.size());
        run->stepper.step(times_.at(k), times_.size_of(k), x, tape.record(k - first), x_new);
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
