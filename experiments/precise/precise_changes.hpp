#pragma once
/// \file
/// Accelerations, and exact changes of rates along directions of states and numbers, in 113 bits, for whoever has
/// doubles.
#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/precise/states/precise_state_map.hpp"
#include "experiments/precise/states/precise_states.hpp"
#include "formulations/formulation.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::precise {

/// With which a change takes some 10 ms.
constexpr int kMostPreciseBodies = 128;

/// u' rounded to double precision. \param q coordinates \param u quasi-velocities, on the constraints
/// \throws std::invalid_argument what refuse_precise_motion says
std::vector<double> precise_accelerations(const Mechanism& mechanism, double t, std::span<const double> q,
                                          std::span<const double> u);

/// \returns why there are no precise changes of a formulation's rates; empty where there are: where
/// refuse_precise_states has nothing, and no more bodies and rows of loops than take a second.
/// \param options of the formulation, complete \param most_bodies of whoever asks: a change takes 0.1 ms a body
std::string refuse_precise_changes(const Formulation& formulation, const Parameters& options,
                                   int most_bodies = kMostPreciseBodies);

/// A number of the mechanism, and by how much it changes along a direction.
struct NumberChange {
  ParameterKind kind = ParameterKind::mass;
  std::size_t place = 0;  ///< as of TreeNumbers: in u, among bodies, springs (in joints, then others), tree joints
  double change = 0.0;
};

/// A state of the tree's joints, and how it changes along a direction that keeps the constraints; as doubles.
struct MotionDirection {
  std::span<const double> q;
  std::span<const double> u;
  std::span<const double> q_change;
  std::span<const double> u_change;
};

/// Changes of one formulation's rates. All throw std::runtime_error at a state where there is no motion, as one with an
/// articulated inertia that is not positive.
class PreciseChanges {
 public:
  /// \param formulation that refuse_precise_changes takes with these options; must outlive this
  PreciseChanges(const Formulation& formulation, const Parameters& options);

  /// How x' changes with x and with numbers along a direction that keeps the constraints: differences of x' in 113
  /// bits, which have some 20 digits. \param x, direction of the formulation's state; a direction that is empty holds
  /// it \returns a number each component of x'
  [[nodiscard]] Eigen::VectorXd along(double t, std::span<const double> x, std::span<const double> direction,
                                      std::span<const NumberChange> numbers = {}) const;

  /// \returns whether states are functions of those of the tree's joints (precise_state_map.hpp): changes are then
  /// asked for along directions of these alone.
  [[nodiscard]] bool maps() const { return map_.has_value(); }
  /// How a state and x' change.
  struct Change {
    Eigen::VectorXd state;
    Eigen::VectorXd rates;
  };
  /// The same of states that are functions of those of the tree's joints. \param x the state there
  /// \param open as of PreciseStateMap::close \returns nothing where a load bends
  [[nodiscard]] std::optional<Change> along_motion(double t, const MotionDirection& along, std::span<const double> x,
                                                   std::span<const NumberChange> numbers = {}, double open = 0.0) const;
  /// \returns whether a state holds independent coordinates alone, which mean others that close the loops.
  [[nodiscard]] bool closes(std::span<const double> x) const;

  /// \returns how the state has to change with the numbers so that loops stay closed, and velocities on the
  /// constraints: coordinates and velocities by what takes the least kinetic energy; momenta stay. Empty where it need
  /// not. Of states that are functions of those of the tree's joints x is (q, u), and so is what is returned.
  [[nodiscard]] Eigen::VectorXd closing(double t, std::span<const double> x,
                                        std::span<const NumberChange> numbers) const;
  /// As `along`. \returns nothing where x' bends along the direction: a load does, as a table at one of its points or a
  /// stop at its edge; or kappa of the tangent gauge, the rate of the fastest joint, where several are as fast and go
  /// on differently, as of parallel bars that get other lengths.
  [[nodiscard]] std::optional<Eigen::VectorXd> along_where_smooth(double t, std::span<const double> x,
                                                                  std::span<const double> direction,
                                                                  std::span<const NumberChange> numbers = {}) const;

 private:
  [[nodiscard]] Reals rates_at(double t, std::span<const double> x, std::span<const double> direction, double step,
                               std::span<const NumberChange> numbers, Pieces& pieces) const;
  [[nodiscard]] bool gauge_bends(double t, std::span<const double> x, std::span<const double> direction,
                                 std::span<const NumberChange> numbers) const;
  [[nodiscard]] TreeNumbers numbers_at(double step, std::span<const NumberChange> changes) const;

  const Mechanism* mechanism_;
  std::vector<std::size_t> kinds_;  // of the state's numbers, which round by their own
  StateRules rules_;
  std::optional<PreciseStateMap> map_;
};

}  // namespace mbdbench::precise
