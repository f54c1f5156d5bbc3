#pragma once
/// \file
/// Right-hand sides of two formulations at the same physical state, and the error that rounding explains.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formulations/dense/dense_dynamics.hpp"
#include "formulations/followed_cuts.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/model/validation/spectrum.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::test {

/// \returns max|a - b| / max|b|; where b is rounding noise beside 1, max|a - b|.
inline double block_error(std::span<const double> a, std::span<const double> b) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return size > 1e-9 ? difference / size : difference;
}

/// State vector and right-hand side of one formulation.
struct Evaluation {
  std::vector<double> x;
  std::vector<double> xdot;
  RhsStatus status;
};

inline Evaluation evaluate_at(Formulation& formulation, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  Evaluation result;
  result.x.resize(formulation.state_size());
  result.xdot.resize(formulation.state_size());
  result.status = formulation.pack(t, view(q), view(u), result.x);
  if (result.status.ok) {
    result.status = formulation.rhs(t, result.x, result.xdot);
  }
  return result;
}

/// \returns options with which a formulation has all its digits: the penalised equations lose alpha^2 eps
/// (augmented_primal_form_test), so their penalty is small here.
inline std::string_view precise_options(std::string_view key) {
  return key == "dca-alm-printed" ? "alpha=1e2,iterations=200" : "";
}

/// \returns the formulation itself, whose state has its own components only: angles of cut joints that laws know are
/// looked for near the start (turns_of_cut_joints_test follows them).
inline std::unique_ptr<Formulation> make(std::string_view key, const Mechanism& mechanism,
                                         std::string_view options = {}) {
  FormulationRegistry registry = formulation_registry();
  registry.execution.instruction_set = InstructionSetInUse::now();
  return without_following(make_formulation(registry, *find_formulation(registry, key), mechanism,
                                            options.empty() ? precise_options(key) : options));
}

/// \returns the option of one body a leaf where a formulation has leaves, else no option.
inline std::string_view bodies_as_leaves(std::string_view key) {
  return key == "dca" || key == "hdca" ? "leaf=body" : "";
}

/// \returns whether the state is that of the reference of its kind: joint coordinates, then u or p.
inline bool in_joint_coordinates(const FormulationEntry& entry) {
  return !entry.key.starts_with("dca-alm");
}

/// \returns whether the formulation takes trees such as this: HDCA as printed refuses light bodies
/// (hdca_printed_formulas_test compares it on trees), Bae and Haug's recursion as printed has no prescribed motions.
inline bool takes_trees(const FormulationEntry& entry, const Mechanism& tree) {
  return entry.key != "hdca-printed" && (entry.key != "bae-haug-printed" || !tree.rheonomic());
}

/// \returns the key of the reference with the same kind of state.
inline std::string_view reference_of(const FormulationEntry& entry) {
  return entry.rate_kind == StateKind::momentum ? "dense-momentum" : "dense";
}

/// Condition number of the mass matrix at q: what any method that solves with it must lose in digits, up to a factor.
inline double mass_condition(const Mechanism& mechanism, const Eigen::VectorXd& q) {
  if (mechanism.u_size() == 0) {
    return 1.0;
  }
  DenseDynamics dynamics(mechanism, nullptr);
  if (!dynamics.set_positions(0.0, view(q)).ok) {
    return 1e300;
  }
  const Eigen::VectorXd values = symmetric_eigenvalues(dynamics.mass_matrix());
  return values.maxCoeff() / values.minCoeff();
}

/// Largest error of q' and of the rates against the dense reference, in units of n eps cond(M).
inline double share_of_rounding(std::string_view key, std::string_view options, const Mechanism& mechanism) {
  const FormulationEntry& entry = *find_formulation(formulation_registry(), key);
  const auto formulation = make(key, mechanism, options);
  const auto reference = make(reference_of(entry), mechanism);
  const Evaluation expected = evaluate_at(*reference, 0.0, mechanism.q0(), mechanism.u0());
  std::vector<double> xdot(formulation->state_size());
  EXPECT_TRUE(expected.status.ok);
  const RhsStatus status = formulation->rhs(0.0, expected.x, xdot);
  EXPECT_TRUE(status.ok) << status.message();
  const auto split = static_cast<std::size_t>(mechanism.q_size());
  const double error = std::max(block_error(std::span(xdot).first(split), std::span(expected.xdot).first(split)),
                                block_error(std::span(xdot).subspan(split), std::span(expected.xdot).subspan(split)));
  return error / std::max(1e-12, std::numeric_limits<double>::epsilon() * mechanism.u_size() *
                                     mass_condition(mechanism, mechanism.q0()));
}

}  // namespace mbdbench::test
