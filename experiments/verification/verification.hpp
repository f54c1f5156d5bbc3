#pragma once
/// \file
/// Compares right-hand sides of formulations with the dense reference, block by block.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/records/record.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/verification/reference/verification_states.hpp"

namespace mbdbench {

/// A wrong term shows far above these: in what is computed; in differences, which divide its rounding by a step of
/// 1e-3 s and less.
inline constexpr double kWrongTerm = 1e-7;
inline constexpr double kWrongTermInDifferences = 1e-6;

/// How a comparison came out, from best to worst.
enum class CheckOutcome {
  not_compared,
  reference,  ///< the reference itself, of which nothing independent was checked
  passed,
  ill_conditioned,  ///< beyond the largest limit that says anything, but explained by the condition number
  failed
};

/// \returns "not compared", "reference", "passed", "ill-conditioned", "FAILED".
std::string_view to_string(CheckOutcome outcome);

/// One block (velocities, rates, ...) over all states: the one with the worst outcome, then the largest error over
/// limit.
struct BlockCheck {
  double error = 0.0;  ///< max|a - b| / max|b|
  double limit = 0.0;
  CheckOutcome outcome = CheckOutcome::not_compared;
  std::string component;  ///< where the error is, in words; empty for a number of the whole mechanism
  int state = 0;          ///< place in the list of states
  /// Of exact derivatives: along how many directions, all states together, and along how many of them with differences
  /// of 113 bits too, which find the tenth digit.
  int directions = 0;
  int precise_directions = 0;

  /// Adds a state. \param tolerance what rounding explains; the limit is at most `largest_limit`
  /// \returns whether this state is the worst so far.
  bool add(double state_error, double tolerance, double largest_limit);
};

/// The worst comparison of a row, so that somebody can look at it again.
struct WorstComparison {
  std::string what;  ///< "rate of joint 'hip', component 2: error 2e-06, limit 1e-12"; or what failed
  VerificationState state;
  std::vector<std::string> names;  ///< of the components of x
  std::vector<double> x;           ///< the formulation's state
};

/// One formulation on one mechanism.
struct VerificationResult {
  std::string mechanism;
  std::string word;  ///< that names the mechanism: a key or a file
  std::string formulation;
  std::string refusal;        ///< why the formulation does not treat the mechanism; then nothing below counts
  std::string failure;        ///< what went wrong before anything could be compared
  bool is_reference = false;  ///< blocks that would be compared with themselves are left out
  int states = 0;
  int skipped = 0;         ///< random states whose loops could not be closed
  double condition = 1.0;  ///< largest over the states
  /// States at which the formulation says itself that its passes have not converged, and the largest part of the
  /// reactions that it says is missing: limits are as much wider there.
  int unconverged = 0;
  double largest_remainder = 0.0;
  BlockCheck velocity;  ///< u and q'
  /// u' or p'; Z^T p' with redundant constraints. Only of states laid out as the reference's: the rates of others, such
  /// as p_i of closed loops, move u and are judged by `acceleration`.
  BlockCheck rate;
  BlockCheck reaction;      ///< constraint wrenches of all joints; Phi_q^T lambda with redundant constraints
  BlockCheck acceleration;  ///< u by differences along the right-hand side, where u' is not in it
  BlockCheck continuity;    ///< jumps of u' or p' from one to the next of states of a smooth motion, over the largest
  BlockCheck energy;        ///< |T' + V' - P| / (|T'| + |V'| + |P|), T' and V' by differences, P as Formulation::power

  /// Exact derivatives of x', where the formulation has them, along random directions: against differences, and the
  /// three ways to them against one another. Over the sum of absolute terms.
  BlockCheck derivative;
  /// The same by parameters of the mechanism, all of them together: against differences of mechanisms with others, and
  /// columns against weights.
  BlockCheck parameter;
  std::string parameters_left_out;  ///< which were not compared, and why; empty where all were
  /// Why exact derivatives were compared with differences in double precision alone; empty where 113 bits knew
  /// mechanism and state, and where no derivatives were compared.
  std::string without_113_bits;
  /// At which state first that reference failed, and why; empty where it did at none. All others are compared.
  std::string no_answer_of_113_bits;

  /// Of a row that failed or is ill-conditioned.
  std::optional<WorstComparison> worst;

  [[nodiscard]] CheckOutcome outcome() const;
  /// \returns whether everything is off by so little that rounding is the likelier reason than a wrong term.
  [[nodiscard]] bool only_imprecise() const;
};

/// What is compared.
struct VerificationOptions {
  std::vector<std::string> mechanisms;  ///< keys or files; empty: default_verification_mechanisms
  /// Keys, with options as in "hdca[ground=leaf]"; empty: all with defaults. Options that change the equations on
  /// purpose (feedback, stabilisation, cut_axes=body) come out as failures.
  std::vector<std::string> formulations;
  bool derivatives = true;  ///< whether exact derivatives are compared
  int states = 5;           ///< random states beside the initial one
  std::int64_t seed = 1;
  /// The only state to compare at, of the only mechanism, instead of the initial and random ones.
  std::optional<VerificationState> state;
};

/// \returns all catalogue entries with their defaults, and random mechanisms to make 30.
std::vector<std::string> default_verification_mechanisms(const Registries& registries);

/// What is compared, read and found to fit into memory.
struct VerificationInputs {
  std::vector<std::string> words;  ///< that name the mechanisms
  std::vector<Mechanism> mechanisms;
};

/// \throws std::invalid_argument for an unknown formulation or option, what `find_mechanism` throws for a mechanism,
/// MemoryRefusal
VerificationInputs read_verification_inputs(const Registries& registries, const VerificationOptions& options);

/// \param mechanism_done called after each mechanism with the number of all; \returns false to stop
std::vector<VerificationResult> verify(const Registries& registries, const VerificationOptions& options,
                                       const VerificationInputs& inputs,
                                       const std::function<bool(std::size_t done, std::size_t total)>& mechanism_done);

/// Both.
std::vector<VerificationResult> verify(const Registries& registries, const VerificationOptions& options,
                                       const std::function<bool(std::size_t done, std::size_t total)>& mechanism_done);

/// The same on one mechanism, which need not have a key or a file. \returns one row a formulation, in their order
std::vector<VerificationResult> verify(const Registries& registries, const Mechanism& mechanism,
                                       const VerificationOptions& options);

/// \returns with what a block of exact derivatives was compared, in words: "113 bits", "113 bits (7 of 12)" where loads
/// bend at the other states, passes have not converged or the reference has failed, maybe at all of them; "differences"
/// where no reference of 113 bits knows mechanism and state; "-" where nothing was. \param result whose block it is
std::string derivative_reference(const VerificationResult& result, const BlockCheck& block);

/// \returns one record a block.
std::vector<Record> verification_records(const std::vector<VerificationResult>& results);

}  // namespace mbdbench
