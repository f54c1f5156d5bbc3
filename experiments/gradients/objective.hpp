#pragma once
/// \file
/// What is made small: a sum over the ends of steps, the start included, of functions of coordinates and velocities.
#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "experiments/gradients/numbers/varied_numbers.hpp"
#include "experiments/gradients/steps/step_times.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench::gradients {

/// A state of the tree joints at the end of a step; step 0 is the start.
struct StepState {
  std::size_t step = 0;
  double t = 0.0;
  std::span<const double> q;
  std::span<const double> u;  ///< empty unless the objective needs velocities
};

/// Shares of all steps. One objective belongs to one thread.
class Objective {
 public:
  Objective() = default;
  virtual ~Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;
  Objective(Objective&&) = delete;
  Objective& operator=(Objective&&) = delete;

  /// A run of this mechanism, which has the numbers of the run and outlives it, begins, with these steps.
  virtual void begin(const Mechanism& /*mechanism*/, const StepTimes& /*times*/) {}
  [[nodiscard]] virtual bool needs_velocities() const = 0;
  /// \returns whether the step has a share at all: otherwise it is not asked for it.
  [[nodiscard]] virtual bool has_share(std::size_t step) const = 0;
  [[nodiscard]] virtual double share(const StepState& state) = 0;
  /// Adds the derivatives of the share. \param by_q as many entries as q \param by_u as many as the mechanism has
  virtual void add_derivatives(const StepState& state, std::span<double> by_q, std::span<double> by_u) = 0;
  /// Adds those by lengths of links, coordinates and velocities held, as many as links.
  virtual void add_length_derivatives(const StepState& /*state*/, std::span<const VariedLink> /*links*/,
                                      std::span<double> /*by_lengths*/) {}
};

/// Sums of squares: distances of markers from measured places, and distances of coordinates and velocities from
/// targets.
class SquareSum : public Objective {
 public:
  /// \param mechanism must outlive it; numbers and lengths of it may vary
  SquareSum(const Mechanism& mechanism, const StepTimes& times);

  // The steps of a run that chooses them are those of the last `begin`; times of markers are landings.

  /// Adds factor times the sum over the times of the squared distance of a marker from where it was seen, m^2.
  /// \param places x, y, z of every time, in world axes
  /// \throws std::invalid_argument for a marker that is not there, a time that is no end of a step, numbers that are
  /// not finite
  void add_track(const std::string& marker, std::span<const double> at, std::span<const double> places, double factor);

  /// Adds factor times the square of a coordinate's or velocity's ("q.hip", "v.hip.2") distance from a value: at the
  /// end; or, `running`, summed over the ends of all steps, each times its step, as an integral over time; of chosen
  /// steps over landings (StepTimes::weight_of).
  /// \throws std::invalid_argument for a name that is not there
  void add_target(const std::string& name, double value, double factor, bool running);

  void begin(const Mechanism& mechanism, const StepTimes& times) override;
  [[nodiscard]] bool needs_velocities() const override { return needs_velocities_; }
  [[nodiscard]] bool has_share(std::size_t step) const override;
  [[nodiscard]] double share(const StepState& state) override;
  void add_derivatives(const StepState& state, std::span<double> by_q, std::span<double> by_u) override;
  void add_length_derivatives(const StepState& state, std::span<const VariedLink> links,
                              std::span<double> by_lengths) override;
  /// \returns whether anything was added.
  [[nodiscard]] bool empty() const { return sights_.empty() && targets_.empty(); }

  /// A marker's measured place.
  struct Sight {
    double t = 0.0;
    std::size_t step = 0;  ///< at whose end that is
    int marker = 0;
    double factor = 1.0;
    Vec3 place = Vec3::Zero();
  };
  struct Target {
    std::size_t place = 0;  ///< in q or u
    bool rate = false;
    bool running = false;
    double value = 0.0;
    double factor = 1.0;
  };
  [[nodiscard]] std::span<const Sight> sights_at(std::size_t step) const;
  [[nodiscard]] std::span<const Target> targets() const { return targets_; }
  /// \returns what a target's square is multiplied with at a step; 0: it has no share.
  [[nodiscard]] double factor_at(const Target& target, std::size_t step) const;

 private:
  const Mechanism* mechanism_;
  StepTimes times_;
  Kinematics kinematics_;      // of the run
  std::vector<Sight> sights_;  // by step
  std::vector<Target> targets_;
  std::vector<double> force_;  // of one marker, dual to u
  bool needs_velocities_ = false;
  bool runs_ = false;  // a target is running
};

/// Derivatives that somebody else knows: rows of all steps, the value of the objective left out. Of what depends on
/// lengths by itself, it knows nothing. A run with another number of steps is refused.
class GivenDerivatives : public Objective {
 public:
  /// \param by_q rows of q_size entries a step, start included \param by_u likewise; may be empty
  GivenDerivatives(std::span<const double> by_q, std::span<const double> by_u) : by_q_(by_q), by_u_(by_u) {}

  /// \throws std::invalid_argument where there are not as many rows as steps, and one for the start
  void begin(const Mechanism& mechanism, const StepTimes& times) override;
  [[nodiscard]] bool needs_velocities() const override { return !by_u_.empty(); }
  [[nodiscard]] bool has_share(std::size_t /*step*/) const override { return true; }
  [[nodiscard]] double share(const StepState& /*state*/) override { return 0.0; }
  void add_derivatives(const StepState& state, std::span<double> by_q, std::span<double> by_u) override;

 private:
  std::span<const double> by_q_;
  std::span<const double> by_u_;
};

/// Derivatives by quasi-velocities turned into those by coordinates: what a force does in a small displacement.
/// \param by_u dual to u \param by_q receives sums
void add_by_coordinates(const Mechanism& mechanism, std::span<const double> q, std::span<const double> by_u,
                        std::span<double> by_q);

}  // namespace mbdbench::gradients
