#pragma once
/// \file
/// Constraints of velocities alone, sum of a_k(q) u_k = 0 (velocity_rows.hpp), in a linearised mechanism: what a row A
/// adds to Phi_q, and to the equations of closed_data.hpp,
///
///   r -= lambda dA_k,   s += dA u' + d(A' u),   r2 -= sigma dA_k,   s1 += dA u
///   p'_k += mu dA_k - sigma dA'_k - A'_k dsigma
///
/// with dA_k = sum of slopes dtheta_j and A'_k = sum of slopes u_j. The passes over bodies know nothing of these rows:
/// LoopWorkspace adds what stands here to what they leave.
///
/// Cost: O(terms times their variables squared) a direction; formulas once a state, second derivatives included.
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/kinematics/velocity_rows.hpp"

namespace mbdbench {

class VelocitySlopes {
 public:
  /// \param mechanism for which `obstacle` is empty
  explicit VelocitySlopes(const Mechanism& mechanism);

  /// \returns why a constraint has no derivatives; empty where all have.
  [[nodiscard]] static std::string obstacle(const Mechanism& mechanism);
  [[nodiscard]] bool empty() const { return terms_.empty(); }

  // ---- A state, as of LoopState; multipliers by row of Phi.

  void set_positions(std::span<const double> q);
  /// u of the state or of a flow; no impulses and no gauge until they are set.
  void set_velocities(const Eigen::VectorXd& u);
  void set_accelerations(const Eigen::VectorXd& accelerations, const Eigen::MatrixXd& lambda);
  void set_impulses(const Eigen::MatrixXd& sigma);
  void set_gauge(const Eigen::VectorXd& mu);

  // ---- What it needs.

  void add_rows(Eigen::MatrixXd& constraints) const;
  /// Less A' u, to the accelerations that are wanted.
  void take_second_rates(Eigen::VectorXd& wanted) const;
  /// A^T mu - A'^T sigma, to p'.
  void add_momentum_rates(Eigen::VectorXd& rates) const;

  // ---- Directions, a column each.

  void add_forces(const Eigen::Ref<const Eigen::MatrixXd>& turns, Eigen::MatrixXd& forces) const;
  void add_seconds(const Eigen::Ref<const Eigen::MatrixXd>& turns, const Eigen::Ref<const Eigen::MatrixXd>& pushes,
                   Eigen::MatrixXd& seconds) const;
  void add_changes(const Eigen::Ref<const Eigen::MatrixXd>& turns, Eigen::MatrixXd& changes) const;
  void add_firsts(const Eigen::Ref<const Eigen::MatrixXd>& turns, Eigen::MatrixXd& firsts) const;
  /// \param multipliers dsigma; no columns: zero
  void add_momentum_rates(const Eigen::Ref<const Eigen::MatrixXd>& turns,
                          const Eigen::Ref<const Eigen::MatrixXd>& pushes,
                          const Eigen::Ref<const Eigen::MatrixXd>& multipliers, Eigen::MatrixXd& rates) const;

  // ---- The same the other way: adds what weights are worth.

  /// Weights of r and of s.
  void add_weights(const Eigen::VectorXd& of_forces, const Eigen::VectorXd& of_seconds, Eigen::VectorXd& by_turn,
                   Eigen::VectorXd& by_push) const;
  /// Weights of r2 and of s1.
  void add_weights_of_changes(const Eigen::VectorXd& of_changes, const Eigen::VectorXd& of_firsts,
                              Eigen::VectorXd& by_turn) const;
  /// Weights of -p'.
  void add_weights_of_momenta(const Eigen::VectorXd& of_rates, Eigen::VectorXd& by_turn, Eigen::VectorXd& by_push,
                              Eigen::VectorXd& by_multiplier) const;

 private:
  /// The derivative of A_k by a turn, as a formula, and that of A'_k.
  struct Slope {
    int axis = 0;
    Expression formula;
    std::vector<Expression> seconds;  ///< by the turn of every slope of the term
    double value = 0.0;
    double of_rate = 0.0;
  };
  struct Term {
    int row = 0;
    int axis = 0;
    double scale = 1.0;
    std::optional<Expression> formula;  ///< none: the factor is constant
    std::vector<Slope> slopes;
    double factor = 0.0;
    double rate = 0.0;
    // Of the row and of the axis.
    double speed = 0.0;
    double acceleration = 0.0;
    double lambda = 0.0;
    double sigma = 0.0;
    double mu = 0.0;
  };

  /// \param variables of q \throws ExpressionError where a derivative has too many letters
  static std::vector<Term> terms_of(const Mechanism& mechanism, const VelocityConstraint& constraint,
                                    const std::vector<ExpressionVariable>& variables);

  std::unique_ptr<std::vector<double>> q_;  // the formulas keep its addresses
  std::vector<Term> terms_;
};

}  // namespace mbdbench
