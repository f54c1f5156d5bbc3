#include "formulations/augmented_lagrangian/derivatives/linear_passes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// What passes leave below it, relative, is rounding.
constexpr double kRounding = 1e-15;
/// Plain passes of a derivative, at least: it may move what the state leaves in peace and passes shrink by little.
constexpr int kMostPlainPasses = 200;
/// The same where rates may end at zero, next to which no pass is small.
constexpr int kMostPassesToZero = 1000;
/// What is left of zero, next to the largest rates on the way: rounding of sums of some tens.
constexpr double kZero = 1e2 * std::numeric_limits<double>::epsilon();
/// Of rates, what their last pass may change them by.
constexpr double kNearlyThere = 1e-9;
/// Most passes in which what rows that repeat others have against one another is told from the rest.
constexpr int kMostDrops = 30;

/// \returns whether the next pass would change rounding alone: it leaves of an error what this one left of the last.
bool is_last(double change, double last, double size) {
  return change * change <= kRounding * last * size;
}

double size_of(std::span<const double> rows) {
  return Eigen::Map<const Eigen::VectorXd>(rows.data(), static_cast<Eigen::Index>(rows.size())).norm();
}

double size_of(std::span<const Vec6> rates) {
  double sum = 0.0;
  for (const Vec6& rate : rates) {
    sum += rate.squaredNorm();
  }
  return std::sqrt(sum);
}

/// \returns the size of changes of (r'', e''): e'' changes by half of what omega' does, and the part of it along e not
/// at all.
double size_of_unknowns(std::span<const Vec6> rates) {
  double sum = 0.0;
  for (const Vec6& rate : rates) {
    sum += rate.head<3>().squaredNorm() + 0.25 * rate.tail<3>().squaredNorm();
  }
  return std::sqrt(sum);
}

template <typename Value>
void add(std::span<const Value> change, std::span<Value> to) {
  std::transform(to.begin(), to.end(), change.begin(), to.begin(), std::plus<>());
}

}  // namespace

LinearPasses::LinearPasses(const Mechanism& mechanism, const AugmentedOptions& options, IterationForm form,
                           AugmentedSystem& system)
    : mechanism_(&mechanism),
      form_(form),
      system_(&system),
      most_(options.most_iterations),
      alpha_(options.alpha),
      change_(options.acceleration),
      conjugate_(options.conjugate),
      redundant_(mechanism.generic_rank().rank < mechanism.constraint_size()),
      residual_(index_of(system.row_count())),
      multipliers_(residual_.size()),
      rates_(mechanism.bodies().size(), Vec6::Zero()) {
  for (const Body& body : mechanism.bodies()) {
    largest_inverse_ = std::max({largest_inverse_, 1.0 / body.mass, body.inertia_inverse.norm()});
  }
}

Vec6 LinearPasses::over_mass(std::size_t body, const Vec6& wrench) const {
  Vec6 result;
  result.head<3>() = wrench.head<3>() / mechanism_->bodies()[body].mass;
  result.tail<3>().noalias() = system_->kinematics().body(static_cast<int>(body)).inertia_inverse * wrench.tail<3>();
  return result;
}

LinearPasses::Pass LinearPasses::start() const {
  Pass result{std::vector<Vec6>(rates_.size()), std::vector<double>(multipliers_.size(), 0.0)};
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    result.accelerations[i] = over_mass(i, system_->input()[i]);
  }
  return result;
}

double LinearPasses::add_pass(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates) {
  system_->row_residual(r, rates, residual_);
  system_->correct(residual_, multipliers_, rates_);
  add<double>(multipliers_, sigma);
  add<Vec6>(rates_, rates);
  return size_of(rates_);
}

int LinearPasses::count_primal_passes(double t) {
  // Those of the printed recursion without its rounding, alpha^2 eps, at which it stands still.
  system_->set_equations(t);
  Pass now = start();
  for (int k = 1; k <= most_; ++k) {
    add_pass(system_->right(), now.multipliers, now.accelerations);
    // The first pass begins at zero.
    if (size_of_unknowns(k == 1 ? now.accelerations : rates_) < change_) {
      cut_off_ = false;
      return k;
    }
  }
  cut_off_ = true;
  return most_;
}

int LinearPasses::count_passes(double t) {
  if (form_ == IterationForm::primal) {
    return count_primal_passes(t);
  }
  const int count = system_->solve_accelerations(t);
  cut_off_ = system_->remainder().rates > 0.0;
  return count;
}

RhsStatus LinearPasses::find(double t) {
  const int count = count_passes(t);
  if (cut_off_ && mechanism_->generic_rank().overconstrained) {
    return {false, {}, "passes end before they converge where rows repeat others: no derivatives, passes", 1.0 * count};
  }
  if (cut_off_ && conjugate_ && count > PassLimits::kPlainPasses) {
    // What they make of right sides, and of changes of these, is not linear before they are there.
    return {false, {}, "conjugate residuals end before they converge: no derivatives, passes", 1.0 * count};
  }
  found_.assign(1, start());
  if (!cut_off_) {
    return find_limit(system_->right(), found_.front().multipliers, found_.front().accelerations);
  }
  for (int k = 0; k < count; ++k) {
    if (k > 0) {
      found_.push_back(found_.back());
    }
    add_pass(system_->right(), found_.back().multipliers, found_.back().accelerations);
  }
  return {};
}

void LinearPasses::forward(std::span<const double> r, std::span<Vec6> pushed, std::span<Vec6> rates) {
  system_->row_residual(r, rates, residual_);
  system_->correct(residual_, multipliers_, rates_);
  add<Vec6>(rates_, pushed);
  add<Vec6>(rates_, rates);
}

void LinearPasses::back(std::span<Vec6> of_rates, std::span<Vec6> of_g, std::span<double> of_h) {
  const std::vector<double> none(multipliers_.size(), 0.0);
  system_->row_residual(none, of_rates, residual_);
  system_->correct(residual_, multipliers_, rates_);
  add<Vec6>(rates_, of_rates);
  add<Vec6>(rates_, of_g);
  std::transform(of_h.begin(), of_h.end(), multipliers_.begin(), of_h.begin(), std::minus<>());
}

// Rates settle before multipliers do: of those that press a light body against a heavy one they know as much less as it
// is lighter, and weights of derivatives are made of them. Where rows repeat others, multipliers along what is
// redundant never settle.
RhsStatus LinearPasses::find_plain_limit(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates) {
  double last = size_of(rates);
  double largest = last;
  double last_of_rows = 0.0;
  bool waits = !redundant_;
  const int enough = std::max(most_, kMostPlainPasses);
  const int most = std::max(enough, kMostPassesToZero);
  for (int k = 1; k <= most; ++k) {
    const double change = add_pass(r, sigma, rates);
    const double of_rows = size_of(multipliers_);
    const double size = size_of(rates);
    // What shrinks by less than half a pass is taken for rounding: passes that need more are far from alpha's purpose.
    waits = waits && (k == 1 || !(is_last(of_rows, last_of_rows, size_of(sigma)) || of_rows > 0.5 * last_of_rows));
    if (k > 1 && !waits && is_last(change, last, size)) {
      return {};
    }
    if (k >= enough && (change <= kNearlyThere * size || size <= kZero * largest)) {
      return {};
    }
    last = change;
    last_of_rows = of_rows;
    largest = std::max(largest, size);
  }
  return {false, {}, "passes of a derivative do not converge, passes", 1.0 * most};
}

RhsStatus LinearPasses::find_limit(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates) {
  if (!conjugate_) {
    return find_plain_limit(r, sigma, rates);
  }
  // Where A is small, B makes of rounding of the rates changes of them by sqrt(alpha) eps.
  const double rounding = 10.0 * std::numeric_limits<double>::epsilon() * std::sqrt(alpha_);
  double size = size_of(rates);
  system_->refine(r, sigma, rates, {PassLimits::kPlainPasses, rounding * size, true});
  size = std::max(size, size_of(rates));
  // As many as there are rows suffice but for rounding: changes of a state wake directions that it leaves in peace, and
  // its own number of passes does not bound those of them.
  const PassLimits limits{most_ + system_->row_count(), rounding * size, true};
  const int passes = system_->refine(r, sigma, rates, limits);
  if (system_->remainder().rates > 0.0) {
    return {false, {}, "conjugate residuals of a derivative do not converge, passes", 1.0 * passes};
  }
  // Passes end by their change next to the rates. Of what they miss others know no more than that it is small.
  system_->row_residual(r, rates, residual_);
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  std::fill(rates_.begin(), rates_.end(), Vec6::Zero());
  system_->refine(residual_, multipliers_, rates_, limits);
  add<double>(multipliers_, sigma);
  add<Vec6>(rates_, rates);
  return {};
}

void LinearPasses::drop_redundant(std::span<double> of_rows) {
  if (!redundant_) {
    return;
  }
  // Light bodies make A large, and rounding of it next to 1 / alpha leaves up to a thousandth each time.
  constexpr int kMostRounds = 4;
  const double whole = size_of(of_rows);
  double last = whole;
  for (int round = 0; round < kMostRounds; ++round) {
    const double dropped = drop_most(of_rows);
    if (is_last(dropped, last, whole)) {
      return;
    }
    last = dropped;
  }
}

double LinearPasses::drop_most(std::span<double> of_rows) {
  // B / alpha leaves them, and of all others less at every time, until what is left moves bodies by rounding alone.
  constexpr double kOfRounding = 1e3 * std::numeric_limits<double>::epsilon();  // sums of some tens, levers of metres
  std::vector<double> left(of_rows.begin(), of_rows.end());
  const double nothing = std::numeric_limits<double>::epsilon() * size_of(of_rows);
  for (int k = 0; k < kMostDrops && size_of(left) > nothing; ++k) {
    std::transform(left.begin(), left.end(), left.begin(), [this](double row) { return row / alpha_; });
    system_->correct(left, multipliers_, rates_);
    left = multipliers_;
    if (size_of(rates_) <= kOfRounding * largest_inverse_ * size_of(left)) {
      std::transform(of_rows.begin(), of_rows.end(), left.begin(), of_rows.begin(), std::minus<>());
      return size_of(left);
    }
  }
  return 0.0;
}

}  // namespace mbdbench
