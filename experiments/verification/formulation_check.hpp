#pragma once
/// \file
/// Compares one formulation with the reference at one state after another.
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "experiments/precise/precise_changes.hpp"
#include "experiments/verification/derivatives/tangent_directions.hpp"
#include "experiments/verification/parameters/parameter_check.hpp"
#include "experiments/verification/reference/verification_reference.hpp"
#include "experiments/verification/verification.hpp"

namespace mbdbench {

/// An error and the entry that has it.
struct Deviation {
  double error = 0.0;
  Eigen::Index entry = 0;
};

/// Fills the blocks of a VerificationResult.
class FormulationCheck {
 public:
  /// \param options of the formulation, complete \param reference of the same mechanism; all must outlive the check
  /// \param derivatives whether exact derivatives are compared, where the formulation has them
  FormulationCheck(const FormulationEntry& entry, const Parameters& options, const Mechanism& mechanism,
                   const Execution& execution, VerificationReference& reference, bool derivatives);

  /// Compares at one state; a reference only with what is not itself. Sets result.failure when the formulation cannot
  /// be evaluated there.
  void compare(const Reference& reference, VerificationResult& result);

  /// Fills names and x of the formulation's state there, as far as it can be packed.
  void keep_state(const Reference& reference, WorstComparison& worst);

 private:
  // Limits. A stable solution of an n x n system with condition number c is right to about n eps c; the factor covers
  // the recursion around it. c is that of the scaled matrices, which a formulation may do better than but not much
  // worse.
  static constexpr double kRoundingFactor = 10.0;
  // A wrong term shows far above this. Where rounding may explain more, a disagreement proves nothing.
  static constexpr double kLargestLimit = 1e-7;
  // The same for differences, whose own uncertainty is estimated from two steps.
  static constexpr double kSmallestDifferenceLimit = 1e-9;
  static constexpr double kLargestDifferenceLimit = 1e-4;
  static constexpr double kDifferenceStep = 1e-3;
  // Passes that begin at zero and shrink every error leave at most all of it.
  static constexpr double kUnconvergedLimit = 1.0;
  static constexpr double kEps = std::numeric_limits<double>::epsilon();

  /// \returns the largest absolute entry; zero of none.
  static double largest_entry(const Eigen::VectorXd& vector);
  /// \returns max|a - b| / max(max|b|, scale); infinite for a value that is not finite.
  static Deviation relative_error(const Eigen::VectorXd& a, const Eigen::VectorXd& b, double scale);
  /// Adds a state to a block and names the entry if it is the worst.
  static void add(BlockCheck& block, const VerificationResult& result, Deviation deviation, double tolerance,
                  double largest_limit, const std::string& component);
  /// \returns the step of differences along a direction: every joint turns by about 1 along one of states, every number
  /// changes by about itself along one of parameters; at the end of a chain changes of random signs add up to the root
  /// of their number.
  static double step_along_directions(const Mechanism& mechanism);
  /// \returns what the condition of the equations explains, relative.
  static double rounding_limit(const Reference& reference);

  [[nodiscard]] RhsStatus set_state(const Reference& reference);
  /// A block that the reference has below the rounding of its terms is zero, and errors are the rounding of these
  /// terms. \returns what errors of a block are measured by where it is small
  [[nodiscard]] double scale_of(const Eigen::VectorXd& expected, double scale, double terms) const;
  /// \returns what velocities that are solved for may be off by: at least what rounding of their momenta makes.
  [[nodiscard]] double velocity_limit(const Reference& reference) const;
  void compare_velocities(const Reference& reference, VerificationResult& result) const;
  /// \returns by what impulses leave p in the formulation's gauge, 1/s.
  [[nodiscard]] double leak_at(const Reference& reference) const;
  void compare_rates(const Reference& reference, VerificationResult& result) const;
  void compare_reactions(const Reference& reference, const Reactions& reactions, VerificationResult& result) const;
  void compare_differences(const Reference& reference, VerificationResult& result);
  void compare_neighbours(const Reference& reference, VerificationResult& result);
  void compare_derivatives(const Reference& reference, VerificationResult& result);
  void compare_by_state(const Reference& reference, RandomSource& random, VerificationResult& result);
  void compare_by_parameters(const Reference& reference, RandomSource& random, VerificationResult& result);
  /// \returns DerivativePlace::missing: of states whose x' is compared with that of the motion.
  [[nodiscard]] double missing_of_motion() const;
  /// \returns the largest term of which rates of velocities or momenta are sums.
  [[nodiscard]] double rate_terms(const Reference& reference) const;
  /// \returns what adds derivatives' errors to a block.
  [[nodiscard]] DeviationSink adding_to(BlockCheck& block, VerificationResult& result) const;
  /// A fourth difference of u' or p' over their size.
  struct Jump {
    Deviation size;
    std::size_t first = 0;  ///< the first of the five states
  };
  /// \returns the largest one along the states; nothing where all rates are zero.
  std::optional<Jump> largest_jump(const NeighbouringStates& neighbours, double scale);
  /// State and rates of momenta or velocities at a neighbour; empty where they cannot be had.
  struct NeighbourRates {
    Eigen::VectorXd x;
    Eigen::VectorXd rates;
  };
  [[nodiscard]] NeighbourRates rates_at(const NeighbouringState& neighbour);
  /// What rounding explains at this state, relative: limit_, rate_limit_ and scatter_.
  void set_rounding_limits(const Reference& reference);

  const Mechanism* mechanism_;
  VerificationReference* reference_;
  std::unique_ptr<Formulation> formulation_;
  StateKind rate_kind_;
  std::optional<TangentDirections> directions_;     // of derivatives, where they are compared
  std::optional<precise::PreciseChanges> precise_;  // likewise, where there is a reference of 113 bits
  std::string without_precise_;                     // why there is none
  std::optional<ParameterCheck> parameters_;        // likewise
  bool tangent_;                                    // p' in the tangent gauge
  double leak_;                                     // of the gauge, 1/s
  bool same_layout_;                                // as the reference's: rates can be compared component by component
  double limit_ = 0.0;                              // of rounding, at the present state: velocities and reactions
  double rate_limit_ = 0.0;                         // of the state's own rates
  double scatter_ = 0.0;                            // of these, where the formulation says that it leaves something
  bool converged_ = true;                           // as the formulation says of its own iteration
  double missing_ = 0.0;                            // of reactions, relative, likewise
  bool by_engine_ = false;                          // another engine's rates, as it says itself
  double stated_accuracy_ = 0.0;  // relative, of its rates, as another engine says of its own iteration
  Eigen::VectorXd x_;
  Eigen::VectorXd xdot_;
  Eigen::VectorXd q_;
  Eigen::VectorXd u_;
};

}  // namespace mbdbench
