// Gradients of runs against differences of the same run in 113 bits: the recursion in lanes, with a number of 113 bits
// in the place of a pack, stepped by Kutta's method of order 4.
#ifdef __SIZEOF_FLOAT128__  // compilers for other processors have no such number

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/batches/lane_sweeps.hpp"
#include "tests/experiments/gradients/gradient_problem.hpp"
#include "tests/experiments/gradients/precise_number.hpp"

namespace mbdbench {

namespace {

using gradients::VariedKind;

constexpr int kSteps = 40;
constexpr double kStep = 0.0125;  // rounded as in the run itself

/// Three links on a slide, all driven, with springs whose numbers are short: products of theirs are exact.
Mechanism chain_on_a_slide() {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:3").description();
  description.joints.front().type = JointType::prismatic;
  description.joints.front().axis = Vec3::UnitX();
  for (const char* const joint : {"joint1", "joint2", "joint3"}) {
    description.joint_springs.push_back({.name = std::string("spring_") + joint,
                                         .joint = joint,
                                         .component = 0,
                                         .stiffness = 3.0,
                                         .damping = 0.5,
                                         .rest = 0.25});
  }
  return Mechanism(description);
}

/// Changes of numbers of a run beside doubles: what 113 bits are for.
struct Moved {
  std::size_t number = 0;
  Precise by = Precise(0.0);
};

class PreciseRun {
 public:
  PreciseRun(const Mechanism& mechanism, StateKind kind, const gradients::DifferentiableRun& run,
             const std::vector<double>& values)
      : mechanism_(mechanism),
        kind_(kind),
        run_(run),
        values_(values),
        tree_(mechanism, kind, sizeof(Precise) / sizeof(double), nullptr, false) {}

  /// \returns the sum of squares of the coordinates at the end, each less its target, and of the velocities.
  Precise objective(const Moved& moved) {
    std::vector<Precise> x = start(moved);
    const std::size_t size = x.size();
    const std::array<double, 4> nodes = {0.0, 0.5, 0.5, 1.0};
    for (int k = 0; k < kSteps; ++k) {
      std::array<std::vector<Precise>, 4> rates;
      for (std::size_t i = 0; i < 4; ++i) {
        std::vector<Precise> at = x;
        for (std::size_t c = 0; i > 0 && c < size; ++c) {
          at[c] += Precise(kStep) * (i == 3 ? Precise(1.0) : Precise(0.5)) * rates[i - 1][c];
        }
        rates[i] = rate((k + nodes[i]) * kStep, at, moved);
      }
      for (std::size_t c = 0; c < size; ++c) {
        x[c] += Precise(kStep) *
                (Precise(1.0 / 6.0) * (rates[0][c] + rates[3][c]) + Precise(1.0 / 3.0) * (rates[1][c] + rates[2][c]));
      }
    }
    const std::vector<Precise> end = rate(kSteps * kStep, x, moved);
    Precise sum = 0.0;
    for (int i = 0; i < mechanism_.q_size(); ++i) {
      const auto place = static_cast<std::size_t>(i);
      const Precise distance = x[place] - Precise(0.3);
      sum += distance * distance + end[place] * end[place];  // q' is u
    }
    return sum;
  }

 private:
  Precise number(VariedKind kind, std::size_t place, double otherwise, const Moved& moved) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const gradients::VariedNumber& one = run_.numbers().numbers()[i];
      if (one.kind == kind && one.place == place) {
        return Precise(values_[i]) + (i == moved.number ? moved.by : Precise(0.0));
      }
    }
    return otherwise;
  }

  /// Momenta start from rest: there is no M u in 113 bits here.
  std::vector<Precise> start(const Moved& moved) const {
    std::vector<Precise> x(static_cast<std::size_t>(mechanism_.q_size() + mechanism_.u_size()));
    for (int i = 0; i < mechanism_.q_size(); ++i) {
      const auto place = static_cast<std::size_t>(i);
      x[place] = number(VariedKind::start_position, place, mechanism_.q0()[i], moved);
      if (kind_ == StateKind::velocity) {
        x[x.size() / 2 + place] = number(VariedKind::start_velocity, place, mechanism_.u0()[i], moved);
      } else {
        x[x.size() / 2 + place] = Precise(0.0);
      }
    }
    return x;
  }

  std::vector<Precise> rate(double t, const std::vector<Precise>& x, const Moved& moved) {
    tree_.set_time(t);
    LaneData data = tree_.data();
    data.force_count = 0;
    Precise* const state = reinterpret_cast<Precise*>(data.state);
    std::copy(x.begin(), x.end(), state);
    Precise* const torques = reinterpret_cast<Precise*>(data.torques);
    Precise* const rates = reinterpret_cast<Precise*>(data.rates);
    const auto count = static_cast<std::size_t>(mechanism_.u_size());
    std::vector<Precise> u(count);
    if (kind_ == StateKind::momentum) {
      lane_sweeps::StateSweeps<Precise>::momenta(data);  // q' is u; forces come on top
      std::copy_n(rates, count, u.begin());
    } else {
      std::copy(x.begin() + static_cast<std::ptrdiff_t>(count), x.end(), u.begin());
    }
    for (std::size_t j = 0; j < count; ++j) {
      const JointSpringDescription& spring = mechanism_.description().joint_springs[j];
      const Precise torque = number(VariedKind::stiffness, j, spring.stiffness, moved) * (Precise(spring.rest) - x[j]) -
                             number(VariedKind::damping, j, spring.damping, moved) * u[j] + force(j, t, moved);
      if (kind_ == StateKind::momentum) {
        rates[count + j] += torque;
      } else {
        torques[j] = torque;
      }
    }
    if (kind_ == StateKind::velocity) {
      lane_sweeps::StateSweeps<Precise>::accelerations(data);
    }
    return {rates, rates + x.size()};
  }

  Precise force(std::size_t joint, double t, const Moved& moved) const {
    Precise sum = 0.0;
    for (std::size_t c = 0; c < run_.numbers().controls().size(); ++c) {
      if (run_.numbers().loaded(c) != joint) {
        continue;
      }
      const gradients::KnotShares shares = run_.numbers().shares(c, t);
      const std::size_t first = run_.numbers().first_of(c) + shares.knot;
      const auto at = [&](std::size_t i) {
        return Precise(values_[i]) + (i == moved.number ? moved.by : Precise(0.0));
      };
      sum += Precise(shares.first) * at(first);
      sum += shares.second == 0.0 ? Precise(0.0) : Precise(shares.second) * at(first + 1);
    }
    return sum;
  }

  const Mechanism& mechanism_;
  StateKind kind_;
  const gradients::DifferentiableRun& run_;
  std::vector<double> values_;
  BatchTree tree_;
};

TEST(run_gradient, agrees_with_differences_of_113_bits) {
  const Mechanism mechanism = chain_on_a_slide();
  for (const char* const key : {"aba", "naudet"}) {
    const bool momenta = std::string(key) == "naudet";
    std::vector<std::string> names = {"q.joint1",
                                      "q.joint2",
                                      "q.joint3",
                                      "stiffness.spring_joint2",
                                      "damping.spring_joint1",
                                      "damping.spring_joint3"};
    if (!momenta) {  // at rest, momenta are zero in any precision
      names.insert(names.end(), {"v.joint1", "v.joint2", "v.joint3"});
    }
    const gradients::VariedNumbers numbers(mechanism, names, {{"joint1", {0.0, 0.2, 0.5}}, {"joint3", {0.1, 0.3}}});
    gradients::DifferentiableRun run(formulation_registry(), mechanism, numbers,
                                     {key, "rk4", 0.0, kSteps * kStep, kStep, 1e9});
    ASSERT_EQ(run.times().count(), static_cast<std::size_t>(kSteps));
    gradients::SquareSum objective(mechanism, run.times());
    for (const char* const joint : {"joint1", "joint2", "joint3"}) {
      objective.add_target(std::string("q.") + joint, 0.3, 1.0, false);
      objective.add_target(std::string("v.") + joint, 0.0, 1.0, false);
    }
    std::vector<double> values = numbers.own_values();
    RandomSource random(8);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (numbers.numbers()[i].kind == VariedKind::control || numbers.numbers()[i].kind == VariedKind::start_velocity) {
        values[i] = random.uniform(-4.0, 4.0);
      }
    }
    const gradients::RunGradient got = run.gradient(values, objective);
    PreciseRun precise(mechanism, momenta ? StateKind::momentum : StateKind::velocity, run, values);
    double size = 0.0;
    for (const double derivative : got.gradient) {
      size = std::max(size, std::abs(derivative));
    }
    EXPECT_NEAR(got.value, static_cast<double>(precise.objective({}).value), 1e-12 * got.value) << key;
    const double h = 0x1p-36;
    double worst = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Precise difference =
          (precise.objective({i, Precise(h)}) - precise.objective({i, Precise(-h)})) / Precise(2.0 * h);
      // Differences leave h^2 = 2e-22; the run itself has the rounding of 160 right-hand sides in double precision.
      const double error = std::abs(static_cast<double>(difference.value) - got.gradient[i]) / size;
      EXPECT_LT(error, 1e-13) << key << ", " << numbers.numbers()[i].name << ": " << got.gradient[i];
      worst = std::max(worst, error);
    }
    fmt::print("{}: largest error of the gradient {:.1e}\n", key, worst);
  }
}

}  // namespace
}  // namespace mbdbench

#endif
