#include "experiments/metamorphic/special_judges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/metamorphic/told_motion.hpp"

namespace mbdbench::metamorphic {
namespace {

/// \returns the largest distance of points, in bodies' extents.
double apart(const Sample& a, const Sample& b) {
  double largest = 0.0;
  for (std::size_t m = 0; m < a.points.size(); ++m) {
    const double distance = (a.points[m] - b.points[m]).norm();
    largest = std::isfinite(distance) ? std::max(largest, distance) : std::numeric_limits<double>::infinity();
  }
  return largest;
}

void check(const char* output, double value, double limit, std::vector<Deviation>& found, std::string what = {}) {
  if (!(value <= limit)) {
    found.push_back({output, value, limit, std::move(what)});
  }
}

}  // namespace

std::vector<Deviation> superposed(const Case& drawn, const std::vector<Answer>& answers) {
  double largest = 9.81;
  double left = 0.0;
  double uncertainty = 0.0;
  for (std::size_t m = 0; m < answers[0].accelerations.size(); ++m) {
    Vec3 sum = Vec3::Zero();
    constexpr std::array kSigns = {1.0, -1.0, -1.0, 1.0};
    for (std::size_t i = 0; i < kSigns.size(); ++i) {
      sum += kSigns[i] * answers[i].accelerations[m];
      largest = std::max(largest, answers[i].accelerations[m].norm());
      uncertainty = std::max(uncertainty, answers[i].uncertainty);
    }
    left = std::max(left, sum.norm());
  }
  std::vector<Deviation> found;
  check("superposition", left / largest, drawn.limits.acceleration + 4.0 * uncertainty / largest, found);
  return found;
}

std::vector<Deviation> balanced(const Case& drawn, const std::vector<Answer>& answers) {
  std::vector<Deviation> found;
  check("balance of a body", answers[0].imbalance, drawn.limits.balance, found);
  return found;
}

std::vector<Deviation> same_bits(const Case& /*drawn*/, const std::vector<Answer>& answers) {
  const std::vector<Sample>& a = answers[0].samples;
  const std::vector<Sample>& b = answers[1].samples;
  const auto same = [](const Sample& one, const Sample& other) {
    return one.t == other.t && one.points == other.points && one.velocities == other.velocities;
  };
  if (a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same)) {
    return {};
  }
  return {{"bits", 1.0, 0.0}};
}

std::vector<Deviation> same_with_pause(const Case& drawn, const std::vector<Answer>& answers) {
  std::vector<Answer> joined = answers;
  std::vector<Sample>& samples = joined[1].samples;
  const auto pause =
      std::adjacent_find(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.t == b.t; });
  if (pause != samples.end()) {
    samples.erase(pause);
  }
  return same_motion(drawn, joined);
}

std::vector<Deviation> samples_like_ends(const Case& drawn, const std::vector<Answer>& answers) {
  std::vector<Deviation> found;
  constexpr std::size_t kSamples = 8;
  // A fixed step that is too long for the motion stops the run and says so.
  if (answers[1].status == "rhs_failed" || answers[1].status == "not_finite") {
    return found;
  }
  for (std::size_t i : {0U, 1U}) {
    if (answers[i].samples.size() != kSamples) {
      found.push_back({"samples", static_cast<double>(answers[i].samples.size()), kSamples, "rows at 7 equal times"});
      return found;
    }
  }
  // A run that ends at a sample has the error of its steps: the interpolation may be ten times as bad, no more.
  double of_ends = apart(answers[1].samples.back(), answers[0].samples.back());
  double of_samples = 0.0;
  for (const auto& [answer, sample] : {std::pair<std::size_t, std::size_t>{2, 3}, {3, 5}}) {
    if (answers[answer].samples.size() != 2) {
      found.push_back({"samples", static_cast<double>(answers[answer].samples.size()), 2.0, "rows at start and end"});
      continue;
    }
    of_ends = std::max(of_ends, apart(answers[answer].samples.back(), answers[0].samples[sample]));
    of_samples = std::max(of_samples, apart(answers[1].samples[sample], answers[0].samples[sample]));
  }
  constexpr double kWorse = 10.0;
  const double tolerance = *drawn.tellings[1].plan.tolerance;
  check("error of samples", of_samples, kWorse * std::max(of_ends, 10.0 * tolerance), found,
        drawn.tellings[1].plan.integrator);
  return found;
}

std::vector<Deviation> digits_of_tolerance(const Case& drawn, const std::vector<Answer>& answers) {
  std::vector<Deviation> found;
  for (std::size_t i = 1; i < answers.size(); ++i) {
    if (answers[i].samples.size() != answers[0].samples.size()) {
      found.push_back({"verdict", 1.0, 0.0, fmt::format("{} {}", answers[i].status, answers[i].message)});
      return found;
    }
    double error = 0.0;
    for (std::size_t k = 0; k < answers[i].samples.size(); ++k) {
      error = std::max(error, apart(answers[i].samples[k], answers[0].samples[k]));
    }
    // n steps of errors of the tolerance, which a short motion amplifies by no more than ten.
    constexpr double kSteps = 1e3;
    check("error at a tolerance", error, kSteps * *drawn.tellings[i].plan.tolerance, found);
  }
  return found;
}

std::vector<Deviation> kept_as_set(const Case& drawn, const std::vector<Answer>& answers) {
  const Told& told = drawn.tellings[0].told;
  const ToldJoint& joint = told.joints[drawn.joint];
  const auto frame = [&](int body) {
    return body == kWorld ? Frame{} : frame_shown(told, body, answers[0].samples.front().points);
  };
  const double angle = joint_angle(joint, frame(joint.a), frame(joint.b));
  // What loops cannot reach is refused; a hundredth is granted to values typed with few digits.
  constexpr double kGranted = 1e-2;
  std::vector<Deviation> found;
  check("start of what was set", std::abs(std::remainder(angle - drawn.special, 2.0 * M_PI)), kGranted, found,
        fmt::format("{} set to {}", joint.name, drawn.special));
  return found;
}

}  // namespace mbdbench::metamorphic
