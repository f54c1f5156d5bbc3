#pragma once
/// \file
/// Exact derivatives of a right-hand side by parameters of the mechanism: against differences of right-hand sides of
/// mechanisms with other parameters, and columns against weights of all of them in one pass.
#include <Eigen/Core>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "experiments/precise/precise_changes.hpp"
#include "experiments/verification/derivatives/derivative_comparison.hpp"
#include "experiments/verification/reference/parameter_variation.hpp"
#include "experiments/verification/reference/verification_states.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// Compares those of one formulation at one state after another.
class ParameterCheck {
 public:
  /// \param options of the formulation, complete \param variation of its mechanism \param precise of the formulation,
  /// nullptr: there is no reference of 113 bits; all must outlive the check
  ParameterCheck(const FormulationEntry& entry, const Parameters& options, const Execution& execution,
                 ParameterVariation& variation, const precise::PreciseChanges* precise);

  /// \returns by how much forces along the quasi-velocities change along the direction of all parameters.
  [[nodiscard]] Eigen::VectorXd force_changes() const;

  /// With the columns C of Formulation::parameter_jacobian and a direction d of the parameters: C d against differences
  /// of x' of mechanisms whose parameters change along d, with x held, and against those of 113 bits; w C for weights w
  /// against weighted_derivatives, and what that says of the state against vector_jacobian. What the formulation or the
  /// mechanism has not is left out. \param state that place.x packs \param place its change_terms are those of
  /// force_changes \param random draws the weights \returns what could not be evaluated; empty when all is well
  std::string compare(Formulation& formulation, const VerificationState& state, const DerivativePlace& place,
                      RandomSource& random, const DeviationSink& tell);

  /// \returns what was left out at some state, and why; empty: nothing.
  [[nodiscard]] const std::string& left_out() const { return left_out_; }
  /// \returns along how many directions columns were compared, a state each, and along how many by 113 bits too.
  [[nodiscard]] int directions() const { return directions_; }
  [[nodiscard]] int precise_directions() const { return precise_directions_; }
  /// \returns at which state first the reference of 113 bits failed, and why; empty where it did at none.
  [[nodiscard]] const std::string& no_answer() const { return no_answer_; }

 private:
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  [[nodiscard]] std::span<const VaryingParameter> parameters() const;
  /// \returns why there are none of the parameters asked for, in left_out_, or at this state.
  RhsStatus read_columns(Formulation& formulation, double t, std::span<const double> x, Columns& columns);
  /// \returns whether there are columns of them: lengths may be refused, or all.
  bool ask(Formulation& formulation, const DerivativePlace& place, Columns& columns, std::string& failure);
  /// \returns the formulation of the mechanism with parameters changed by s. \throws ModelError
  std::shared_ptr<Formulation> changed(double s, Formulation& formulation);
  std::string compare_differences(Formulation& formulation, const VerificationState& state,
                                  const DerivativePlace& place, const DerivativeProduct& product,
                                  const DerivativeComparison& comparison);
  std::string compare_weights(Formulation& formulation, const DerivativePlace& place, const Columns& columns,
                              const Eigen::VectorXd& weights, const DerivativeComparison& comparison,
                              const DeviationSink& tell);

  /// Weights of parameters, in their order and times their sizes.
  struct Weighted {
    Eigen::VectorXd by_columns;
    Eigen::VectorXd by_pass;
    Eigen::VectorXd by_state;  ///< as the pass has it
  };
  RhsStatus weigh(Formulation& formulation, double t, std::span<const double> x, const Columns& columns,
                  const Eigen::VectorXd& weights, Weighted& found) const;
  [[nodiscard]] Eigen::VectorXd rounding_of_weights(Formulation& formulation, const DerivativePlace& place,
                                                    const Eigen::VectorXd& weights, const Weighted& here);

  const FormulationEntry* entry_;
  const Parameters* options_;
  Execution execution_;
  ParameterVariation* variation_;
  const precise::PreciseChanges* precise_;
  bool lengths_;                                         // whether they are compared
  std::map<double, std::shared_ptr<Formulation>> kept_;  // by s, where they are small
  std::string left_out_;
  std::string no_answer_;
  int directions_ = 0;
  int precise_directions_ = 0;
};

}  // namespace mbdbench
