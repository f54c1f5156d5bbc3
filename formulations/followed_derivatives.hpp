#pragma once
/// \file
/// Derivatives of states [x; angles] (followed_cuts.hpp). With F those of x',
///
///   theta' = g(q, q'),   dtheta' = g_q dq + g_q' (F dx)_q,   and nothing depends on theta but which turn is meant
///
/// Cost beside those of the formulation inside: a right-hand side and O(n) an angle.
#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulations/derivatives/loops/slopes/turning_slopes.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// The motion of the tree at the last right-hand side.
struct FollowedMotion {
  const Kinematics& kinematics;
  const std::vector<double>& q;
  const std::vector<double>& u;
};

/// All arguments of the constructor must outlive it.
class FollowedDerivatives final : public StateDerivatives {
 public:
  using OneState = std::function<RhsStatus(double t, std::span<const double> x, std::span<double> rates)>;

  /// \param begins_with_coordinates whether the state of the formulation inside begins with all coordinates of the
  /// tree; else there are none \param one x' of one state, after which `motion` is that of the state
  FollowedDerivatives(Formulation& inner, std::span<const FollowedAngle> angles, bool begins_with_coordinates,
                      FollowedMotion motion, OneState one);

  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) override;
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override;
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override;
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> derivatives) override;
  [[nodiscard]] std::string without_jacobian() const override;

 private:
  /// How the rates of all angles depend on q and q'.
  RhsStatus set_slopes(double t, std::span<const double> x);
  template <class Number>
  [[nodiscard]] std::span<Number> inner_of(std::span<Number> x) const {
    return x.first(x.size() - angles_.size());
  }
  template <class Number>
  [[nodiscard]] std::span<Number> angles_of(std::span<Number> x) const {
    return x.last(angles_.size());
  }

  Formulation* inner_;
  std::span<const FollowedAngle> angles_;
  bool begins_with_coordinates_;
  FollowedMotion motion_;
  OneState one_;
  std::optional<TurningSlopes> slopes_;  // once they were asked for
  Eigen::MatrixXd by_coordinate_;        // a row an angle
  Eigen::MatrixXd by_rate_;
  std::vector<double> rates_;
  std::vector<double> weights_;
};

}  // namespace mbdbench
