#include "experiments/studies/runner/observation/run_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "experiments/records/timing/timed_turns.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench::studies {
namespace {

constexpr double kEnd = 1.0;    // s
constexpr double kStep = 0.01;  // s
constexpr std::uint64_t kDrawnWith = 20040306;
constexpr std::size_t kAlong = 2;
constexpr int kTurnsOfBoth = 9;
constexpr double kLeastTime = 2e-3;  // s, a thousand times the clock's resolution
constexpr double kForce = 0.1;       // N, N m: what controls begin with

/// \returns "v.hip", "v.hip.2" of all tree joints that are not driven.
std::vector<std::string> speeds(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 1; joint.motions.empty() && i <= joint.nu; ++i) {
      names.push_back(joint.nu == 1 ? "v." + joint.name : fmt::format("v.{}.{}", joint.name, i));
    }
  }
  return names;
}

gradients::VariedNumbers all_numbers(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const Body& body : mechanism.bodies()) {
    names.push_back("mass." + body.name);
  }
  const auto add_spring = [&names](const auto& spring) {
    names.push_back("stiffness." + spring.name);
    names.push_back("damping." + spring.name);
  };
  for (const JointSpringDescription& spring : mechanism.description().joint_springs) {
    if (!mechanism.find_joint(spring.joint)->cut) {
      add_spring(spring);
    }
  }
  const auto& between = mechanism.description().point_springs;
  std::for_each(between.begin(), between.end(), add_spring);
  if (mechanism.cut_joints().empty() && !mechanism.constrained()) {  // loops tie starts to one another
    for (const std::string& speed : speeds(mechanism)) {
      names.push_back(speed);
    }
  }
  std::vector<gradients::Control> controls;
  for (const Joint& joint : mechanism.tree_joints()) {
    if (joint.nu == 1 && joint.motions.empty()) {
      controls.push_back({joint.name, {0.0, 0.25 * kEnd, 0.5 * kEnd, 0.75 * kEnd, kEnd}});
    }
  }
  return {mechanism, names, controls};
}

}  // namespace

RunGradients::RunGradients(const Registries& registries, const Mechanism& mechanism, const StudyVariant& variant) {
  try {
    run_ = std::make_unique<gradients::DifferentiableRun>(
        registries.formulations, mechanism, all_numbers(mechanism),
        gradients::RunSettings{.formulation = variant.formulation(), .tf = kEnd, .step = kStep});
    objective_ = std::make_unique<gradients::SquareSum>(mechanism, run_->times());
    for (const std::string& speed : speeds(mechanism)) {
      objective_->add_target(speed, 0.0, 1.0, false);
    }
    values_ = run_->numbers().own_values();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (run_->numbers().numbers()[i].kind == gradients::VariedKind::control) {
        values_[i] = i % 2 == 0 ? kForce : -kForce;
      }
    }
  } catch (const std::invalid_argument& error) {
    refusal_ = error.what();
  } catch (const ModelError& error) {
    refusal_ = error.what();
  }
}

Measured RunGradients::cost() {
  if (!refusal_.empty()) {
    return Measured::refused(refusal_);
  }
  std::string failure;
  const auto call = [&](const auto& work) {
    return [&failure, work] {
      try {
        work();
        return true;
      } catch (const std::exception& error) {
        failure = error.what();
        return false;
      }
    };
  };
  const std::vector<TimedCall> calls = {call([this] { static_cast<void>(run_->value(values_, *objective_)); }),
                                        call([this] { static_cast<void>(run_->gradient(values_, *objective_)); })};
  const std::vector<RepeatedTimes> times = time_in_turns(calls, kTurnsOfBoth, kLeastTime);
  if (!failure.empty()) {
    return Measured::failed(failure);
  }
  if (times[0].count() == 0 || times[1].count() == 0) {
    return Measured::failed("interrupted");
  }
  const Timing run = times[0].fastest();
  const Timing gradient = times[1].fastest();
  Measured cost = Measured::number(gradient.seconds / run.seconds);
  cost.note = fmt::format("by {} numbers; a run takes {:.4g} s", numbers(), run.seconds);
  if (run.disturbed() || gradient.disturbed()) {
    cost.state = CellState::disturbed;
  }
  return cost;
}

Measured RunGradients::error() {
  if (!refusal_.empty()) {
    return Measured::refused(refusal_);
  }
  std::mt19937_64 engine(kDrawnWith);
  // The same on every machine, which the library's distributions are not.
  std::vector<double> directions(kAlong * numbers());
  std::generate(directions.begin(), directions.end(),
                [&engine] { return std::ldexp(static_cast<double>(engine() >> 11U), -52) - 1.0; });
  try {
    const std::vector<double> gradient = run_->gradient(values_, *objective_).gradient;
    const std::vector<double> expected = run_->precise_along(values_, directions, *objective_);
    double largest = 0.0;
    for (std::size_t k = 0; k < kAlong; ++k) {
      double found = 0.0;
      double terms = 0.0;
      for (std::size_t i = 0; i < numbers(); ++i) {
        const double term = gradient[i] * directions[k * numbers() + i];
        found += term;
        terms += std::abs(term);
      }
      const double error = std::abs(found - expected[k]) / terms;
      if (!std::isfinite(error)) {
        return Measured::failed("the gradient or its reference is not a number");
      }
      largest = std::max(largest, error);
    }
    return Measured::number(largest);
  } catch (const std::invalid_argument& error) {
    return Measured::refused(error.what());
  } catch (const std::exception& error) {
    return Measured::failed(error.what());
  }
}

}  // namespace mbdbench::studies
