#pragma once
/// \file
/// What derivatives of states with reduced momenta ask of who has them (reduced_derivatives.hpp).
#include <span>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// A state [q; q of the cut joints; p_i; numbers without a rate], and what depends in it.
class ReducedMomenta {
 public:
  ReducedMomenta() = default;
  virtual ~ReducedMomenta() = default;
  ReducedMomenta(const ReducedMomenta&) = delete;
  ReducedMomenta& operator=(const ReducedMomenta&) = delete;
  ReducedMomenta(ReducedMomenta&&) = delete;
  ReducedMomenta& operator=(ReducedMomenta&&) = delete;

  /// Everything below is that of the state. \returns why there is no B
  virtual RhsStatus read(std::span<const double> x) = 0;
  /// \returns the components of u whose p the state holds, in its order.
  [[nodiscard]] virtual std::span<const int> independent() const = 0;
  /// B^T g in place. \param g over u
  virtual void reduce(std::span<double> g) = 0;
  /// B y in place. \param y over u, entries that depend are not read
  virtual void complete(std::span<double> y) = 0;
  /// \param g over u \param mu receives -Phi_d^-T g_d, by row of the cut joints
  virtual void multipliers(std::span<const double> g, std::span<double> mu) = 0;
};

}  // namespace mbdbench
