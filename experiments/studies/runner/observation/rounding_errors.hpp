#pragma once
/// \file
/// How many digits a right-hand side keeps: observers `acceleration_error`, `velocity_error` and
/// `jacobian_error`.
#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "experiments/studies/runner/study_results.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::studies {

/// Compares formulations of one mechanism at one state near its start: rates of up to 1 rad/s or m/s and coordinates
/// off by up to 0.05 (quaternions are left), the same for all, drawn from a fixed seed.
class RoundingErrors {
 public:
  explicit RoundingErrors(const Mechanism& mechanism);

  /// \returns the largest difference of u' from that of 113 bits over the largest u'.
  [[nodiscard]] Measured acceleration(Formulation& formulation);
  /// \returns the largest difference of u after packing and unpacking over the largest u: what solving M u = p costs.
  [[nodiscard]] Measured velocity(Formulation& formulation) const;

  /// \returns the largest difference of derivatives times directions from that of 113 bits over the largest of these;
  /// of closed loops at a state that keeps them closed, along directions that do. \param options complete
  [[nodiscard]] Measured jacobian(Formulation& formulation, const Parameters& options) const;

 private:
  struct DirectedState {
    std::vector<double> q;
    std::vector<double> u;
    Eigen::MatrixXd directions;  ///< a column each over q, then u or momenta
  };
  [[nodiscard]] DirectedState directed_state() const;

  const Mechanism& mechanism_;
  std::vector<double> q_;
  std::vector<double> u_;
  std::optional<std::vector<double>> reference_;  ///< made when first asked for
};

}  // namespace mbdbench::studies
