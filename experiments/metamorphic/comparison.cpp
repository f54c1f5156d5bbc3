/// \file
/// Answers against one another.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/metamorphic/relation.hpp"

namespace mbdbench::metamorphic {
namespace {

// A difference that is one of integration falls with the fifth power of the step.
constexpr double kFinerStep = 0.25;
constexpr double kComesNearer = 0.1;

double extent_of(const Told& told) {
  return (told.markers[1].point - told.markers[0].point).norm();
}

class Comparison {
 public:
  Comparison(const Case& drawn, const Answer& one, const Answer& other)
      : map_(drawn.map), limits_(drawn.limits), extent_(extent_of(drawn.tellings[0].told)), one_(one), other_(other) {}

  std::vector<Deviation> deviations() {
    if (one_.status != other_.status) {
      found_.push_back({"verdict", 1.0, 0.0,
                        fmt::format("{} {} against {} {}", one_.status, one_.message, other_.status, other_.message)});
      return std::move(found_);
    }
    for (const Answer* const answer : {&one_, &other_}) {
      check("start", answer->start_shift, limits_.start);
      check("start velocity", answer->start_speed_shift, 10.0 * limits_.start);
      check("balance of a body", answer->imbalance, limits_.balance);
      check("linear gap of a joint", answer->linear_gap, limits_.gap);
      check("angular gap of a joint", answer->angular_gap, limits_.gap);
    }
    compare_accelerations();
    if (one_.samples.size() != other_.samples.size()) {
      found_.push_back({"samples", static_cast<double>(other_.samples.size()), static_cast<double>(one_.samples.size()),
                        "another number of rows"});
      return std::move(found_);
    }
    compare_samples();
    return std::move(found_);
  }

 private:
  void check(const char* output, double value, double limit) {
    if (!(value <= limit)) {
      found_.push_back({output, value, limit});
    }
  }

  void compare_accelerations() {
    double largest = 9.81 * extent_;
    double apart = 0.0;
    const double unit = map_.length / (map_.time * map_.time);
    for (std::size_t m = 0; m < std::min(one_.accelerations.size(), other_.accelerations.size()); ++m) {
      const Vec3 expected = map_.world.rotation * one_.accelerations[m];
      largest = std::max(largest, expected.norm());
      apart = std::max(apart, not_less(other_.accelerations[m] / unit - expected));
    }
    check("acceleration", apart / largest,
          limits_.acceleration + (one_.uncertainty + other_.uncertainty / unit) / largest);
  }

  void compare_samples() {
    double points = 0.0;
    double velocities = 0.0;
    double kinetic = 0.0;
    double times = 0.0;
    double speed = extent_;
    double energy = 1.0;
    for (std::size_t i = 0; i < one_.samples.size(); ++i) {
      const Sample& a = one_.samples[i];
      const Sample& b = other_.samples[i];
      times = std::max(times, std::abs(b.t / map_.time - (map_.time_sign * a.t + map_.time_shift)));
      kinetic = std::max(kinetic, std::abs(b.kinetic / map_.mass / std::pow(map_.length / map_.time, 2) - a.kinetic));
      energy = std::max(energy, a.kinetic);
      for (std::size_t m = 0; m < a.points.size(); ++m) {
        points = std::max(points, not_less(b.points[m] / map_.length - map_.world.point(a.points[m])));
        const Vec3 expected = map_.world.rotation * a.velocities[m] * map_.time_sign;
        velocities = std::max(velocities, not_less(b.velocities[m] / (map_.length / map_.time) - expected));
        speed = std::max(speed, a.velocities[m].norm());
      }
    }
    check("sample times", times, 1e-9);
    check("motion", points / extent_, limits_.motion);
    check("velocities", velocities / speed, 10.0 * limits_.motion);
    check("kinetic energy", kinetic / energy, 10.0 * limits_.motion);
  }

  /// \returns the length; infinity of what is not a number.
  static double not_less(const Vec3& vector) {
    return vector.allFinite() ? vector.norm() : std::numeric_limits<double>::infinity();
  }

  const Correspondence& map_;
  const Limits& limits_;
  double extent_;
  const Answer& one_;
  const Answer& other_;
  std::vector<Deviation> found_;
};

struct Judged {
  std::string refusal;
  std::vector<Deviation> deviations;
};

Judged judged(const Registries& registries, const Case& drawn, const std::string& formulation,
              const std::filesystem::path& directory) {
  std::vector<Answer> answers;
  for (const Telling& telling : drawn.tellings) {
    answers.push_back(answer_of(registries, telling, formulation, directory));
    if (!answers.back().refusal.empty()) {
      return {answers.back().refusal, {}};
    }
  }
  const auto failed = [](const Answer& answer) { return !answer.failure.empty(); };
  if (const auto first = std::find_if(answers.begin(), answers.end(), failed); first != answers.end()) {
    const bool all = std::all_of(answers.begin(), answers.end(), failed);
    return all ? Judged{"no answer to any telling: " + first->failure, {}}
               : Judged{"", {{"failure", 1.0, 0.0, first->failure}}};
  }
  return {"", drawn.judge(drawn, answers)};
}

const Deviation& worst_of(const std::vector<Deviation>& deviations) {
  return *std::max_element(deviations.begin(), deviations.end(), [](const Deviation& a, const Deviation& b) {
    return a.value / std::max(a.limit, 1e-300) < b.value / std::max(b.limit, 1e-300);
  });
}

}  // namespace

std::vector<Deviation> same_motion(const Case& drawn, const std::vector<Answer>& answers) {
  std::vector<Deviation> all;
  for (std::size_t i = 1; i < answers.size(); ++i) {
    const std::vector<Deviation> found = Comparison(drawn, answers[0], answers[i]).deviations();
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

Verdict compare(const Registries& registries, const Case& drawn, const std::string& formulation,
                const std::filesystem::path& directory) {
  const Judged first = judged(registries, drawn, formulation, directory);
  if (!first.refusal.empty()) {
    return {Outcome::refused, first.refusal};
  }
  if (first.deviations.empty()) {
    return {};
  }
  const Deviation& worst = worst_of(first.deviations);
  const std::string what = fmt::format("{} {:.3g}, limit {:.3g}{}{}", worst.output, worst.value, worst.limit,
                                       worst.what.empty() ? "" : ": ", worst.what);
  // With smaller steps an error of integration falls, something wrong stays.
  Case finer = drawn;
  for (Telling& telling : finer.tellings) {
    telling.plan.step *= kFinerStep;
    telling.plan.tolerance = telling.plan.tolerance ? std::optional(1e-2 * *telling.plan.tolerance) : std::nullopt;
  }
  const bool of_motion = std::all_of(first.deviations.begin(), first.deviations.end(), [](const Deviation& one) {
    return one.output == "motion" || one.output == "velocities" || one.output == "kinetic energy" ||
           one.output == "verdict" || one.output.find("gap") != std::string::npos;
  });
  if (of_motion) {
    const Judged again = judged(registries, finer, formulation, directory);
    const auto nearer = [&](const Deviation& left) {
      const auto before = std::find_if(first.deviations.begin(), first.deviations.end(),
                                       [&](const Deviation& one) { return one.output == left.output; });
      return before != first.deviations.end() && left.value <= kComesNearer * before->value;
    };
    if (again.refusal.empty() && std::all_of(again.deviations.begin(), again.deviations.end(), nearer)) {
      return {Outcome::integration, what + "; with smaller steps it falls"};
    }
  }
  return {Outcome::disagreed, what};
}

}  // namespace mbdbench::metamorphic
