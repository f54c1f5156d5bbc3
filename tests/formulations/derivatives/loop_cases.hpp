#pragma once
/// \file
/// What tests of exact derivatives of loops share: who has them, mechanisms, states beside the constraints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "tests/formulations/derivatives/derivative_cases.hpp"

namespace mbdbench::test {

struct Variant {
  std::string_view key;
  std::string_view options;
};

// What closes loops by multipliers and has (q, u) or (q, p) for its state: velocities projected, and as they are;
// momenta with the tangent gauge, and as published.
inline constexpr Variant kVariants[] = {{"dense", ""},
                                        {"dense", "projection=off"},
                                        {"bae-haug", ""},
                                        {"bae-haug", "projection=off"},
                                        {"bae-haug", "kernel=general"},
                                        {"dca", ""},
                                        {"dca", "leaf=body"},
                                        {"dense-momentum", ""},
                                        {"dense-momentum", "gauge=none"},
                                        {"hdca", ""},
                                        {"hdca", "gauge=none"},
                                        {"hdca", "leaf=body"},
                                        {"hdca", "leaf=body,cut_axes=body"},
                                        {"hdca", "gauge=leak,leak=3,feedback=2"}};
inline constexpr const Variant* kMomenta = &kVariants[7];

inline bool has_momenta(const Variant& variant) {
  return variant.key == "hdca" || variant.key == "dense-momentum";
}

/// Whether rows repeat others, and not because they are zero everywhere, as those of planar loops.
inline bool repeats_rows(const Mechanism& mechanism) {
  const GenericRank& generic = mechanism.generic_rank();
  if (generic.rank == mechanism.constraint_size()) {
    return false;
  }
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(generic.positions.back()));
  const Eigen::MatrixXd rows = mechanism.scales().scaled(constraint_jacobian(kinematics));
  return (rows.rowwise().norm().array() > 1e-10).count() > generic.rank;  // rounding of rows of about 1
}

/// Whether x' beside the constraints is a compromise: velocities that keep nothing ask rows that repeat others for what
/// contradicts these.
inline bool is_compromise(const Variant& variant, const Mechanism& mechanism) {
  const bool projects = variant.options != "projection=off" && variant.key != "naudet-acc";
  return !projects && repeats_rows(mechanism);
}

/// `auto` takes sub-chains or sub-trees of some mechanisms, and p' as published has what rows carry that repeat others.
inline bool may_have_none(const Variant& variant) {
  return variant.key == "dca" || variant.key == "hdca" || variant.options == "gauge=none";
}

inline Mechanism loop_named(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

/// The mechanism without loads but gravity.
inline MechanismDescription unloaded(MechanismDescription description) {
  description.joint_loads.clear();
  description.joint_springs.clear();
  description.joint_frictions.clear();
  description.joint_stops.clear();
  description.body_loads.clear();
  description.point_springs.clear();
  description.bushings.clear();
  return description;
}

/// A state near the start whose loops are open by about `size` and whose velocities keep nothing.
inline std::vector<double> state_beside(Formulation& formulation, RandomSource& random, double size) {
  const Mechanism& mechanism = formulation.mechanism();
  const Eigen::VectorXd q = moved(mechanism, mechanism.q0(), random_vector(mechanism.u_size(), random), size);
  const Eigen::VectorXd u = random_vector(mechanism.u_size(), random);
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.3, view(q), view(u), x).ok);
  return x;
}

/// \returns the largest condition of Phi_q M^-1 Phi_q^T, with which products are solved: that of M times the square of
/// what singular values of Phi_q are apart. \param x begins with q
inline double condition_at(const Mechanism& mechanism, const std::vector<double>& x) {
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(x.data(), mechanism.q_size());
  const Eigen::Index rank = mechanism.generic_rank().rank;
  double spread = 1.0;
  if (rank > 0) {
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(q));
    const Eigen::VectorXd values =
        Eigen::JacobiSVD<Eigen::MatrixXd>(mechanism.scales().scaled(constraint_jacobian(kinematics))).singularValues();
    spread = values[0] / values[rank - 1];
  }
  return mass_condition(mechanism, q) * spread * spread;
}

/// Products against the rows, and forward against reverse.
inline void expect_products(Formulation& formulation, const std::vector<double>& x, const Eigen::MatrixXd& rows,
                            RandomSource& random, const std::string& what) {
  const Eigen::VectorXd direction = random_vector(static_cast<int>(x.size()), random);
  const Eigen::VectorXd weights = random_vector(static_cast<int>(x.size()), random);
  Eigen::VectorXd forward(direction.size());
  Eigen::VectorXd backward(direction.size());
  ASSERT_TRUE(formulation.jacobian_vector(0.3, x, view(direction), {forward.data(), x.size()}).ok) << what;
  ASSERT_TRUE(formulation.vector_jacobian(0.3, x, view(weights), {backward.data(), x.size()}).ok) << what;
  std::vector<double> q(static_cast<std::size_t>(formulation.mechanism().q_size()));
  std::vector<double> u(static_cast<std::size_t>(formulation.mechanism().u_size()));
  ASSERT_TRUE(formulation.unpack(0.3, x, q, u).ok) << what;
  // Each pass has its own rounding, which the condition magnifies.
  const double limit = 100.0 * std::numeric_limits<double>::epsilon() *
                       (10.0 + condition_at(formulation.mechanism(), q)) * static_cast<double>(x.size()) *
                       std::max(1.0, rows.cwiseAbs().maxCoeff());
  EXPECT_LT((forward - rows * direction).cwiseAbs().maxCoeff(), limit) << what;
  EXPECT_LT((backward - rows.transpose() * weights).cwiseAbs().maxCoeff(), limit) << what;
  EXPECT_NEAR(weights.dot(forward), backward.dot(direction), limit * std::sqrt(static_cast<double>(x.size()))) << what;
}

/// Where rows that closed loops repeat are independent beside them, x' has no one continuation there.
inline bool is_free_beside(const Mechanism& mechanism) {
  return !mechanism.generic_rank().overconstrained;
}

}  // namespace mbdbench::test
