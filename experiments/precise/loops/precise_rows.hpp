#pragma once
/// \file
/// Rows of Phi over the joints' own coordinates in 113 bits: prescribed motions of tree joints, q_i = f(t); couplings,
/// sum of c_i q_i = value; constraints of velocities alone, sum of a_i(q) u_i = 0.
#include <span>
#include <utility>
#include <vector>

#include "experiments/precise/numbers/precise_formula.hpp"
#include "mechanisms/model/loads/motions.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::precise {

/// Those of one mechanism.
class PreciseRows {
 public:
  /// \param mechanism must outlive this \throws std::invalid_argument for a factor that is not known
  explicit PreciseRows(const Mechanism& mechanism);

  [[nodiscard]] Eigen::Index count() const { return static_cast<Eigen::Index>(rows_.size()); }

  /// Factors at coordinates.
  void place(std::span<const Real> q);
  /// Their rates, after that. \param qdot rates of coordinates
  void move(std::span<const Real> qdot);

  /// \returns count() x u_size().
  [[nodiscard]] const RealMatrix& jacobian() const { return jacobian_; }
  [[nodiscard]] const RealMatrix& jacobian_rate() const { return jacobian_rate_; }
  /// \returns on which pieces of theirs the factors are where they were placed.
  [[nodiscard]] const Pieces& pieces() const { return pieces_; }
  /// \returns Phi where it was placed, zero of velocities alone. \param motions f(t), as PrescribedMotions has them
  [[nodiscard]] RealVector openings(std::span<const double> motions) const;
  /// \returns f, f' or f'' of those that are prescribed, zero of others.
  [[nodiscard]] RealVector prescribed(std::span<const double> motions) const;

 private:
  struct Term {
    Eigen::Index u = 0;
    std::size_t q = 0;  ///< of what has a position
    Real factor = 0.0;
    int formula = -1;  ///< of the factor; negative: it is constant
  };
  struct Row {
    std::vector<Term> terms;
    int motion = -1;  ///< in PrescribedMotions; negative: the row is not prescribed
    bool has_position = true;
    Real value = 0.0;  ///< of a coupling
  };
  struct Factor {
    PreciseFormula formula;
    std::vector<std::size_t> variables;  ///< in q
    Real scale = 1.0;
  };
  void add_motions(const Mechanism& mechanism);
  void add_velocity_constraint(const Mechanism& mechanism, const VelocityConstraint& constraint);
  [[nodiscard]] Rated factor_of(const Term& term, std::span<const Real> qdot, Pieces& pieces) const;

  std::vector<Row> rows_;
  std::vector<Factor> factors_;
  Reals q_;
  Pieces pieces_;
  RealMatrix jacobian_;
  RealMatrix jacobian_rate_;
};

}  // namespace mbdbench::precise
