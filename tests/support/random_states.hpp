#pragma once
/// \file
/// Random states of a mechanism and paths through them, for checks by finite differences.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "mechanisms/catalogue/trees/random_tree.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::test {

/// \returns random coordinates of the whole tree; loops stay open.
inline Eigen::VectorXd random_coordinates(const Mechanism& mechanism, RandomSource& random) {
  Eigen::VectorXd q(mechanism.q_size());
  for (const Joint& joint : mechanism.tree_joints()) {
    const std::vector<double> own = draw_coordinates(random, joint.type);
    for (int i = 0; i < joint.nq; ++i) {
      q[joint.q_offset + i] = own[static_cast<std::size_t>(i)];
    }
  }
  return q;
}

/// \returns `size` numbers in [-1, 1).
inline Eigen::VectorXd random_vector(int size, RandomSource& random) {
  Eigen::VectorXd vector(size);
  for (int i = 0; i < size; ++i) {
    vector[i] = random.uniform(-1.0, 1.0);
  }
  return vector;
}

/// \returns a matrix of numbers in [-1, 1).
inline Eigen::MatrixXd random_matrix(RandomSource& random, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd matrix(rows, columns);
  for (Eigen::Index i = 0; i < matrix.size(); ++i) {
    matrix(i) = random.uniform(-1.0, 1.0);
  }
  return matrix;
}

/// \returns the seed of a run: one fixed default, so that a failure repeats; another by MBDBENCH_SEED=...
inline std::uint64_t seed_of_run(std::uint64_t by_default) {
  const char* text = std::getenv("MBDBENCH_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : by_default;
}

/// \returns q + s N(q) u, a path through q whose tangent at s = 0 is q' = N(q) u.
inline Eigen::VectorXd moved(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u, double s) {
  Eigen::VectorXd result = q;
  std::vector<double> rates(7);
  for (const Joint& joint : mechanism.tree_joints()) {
    coordinate_rates(
        joint, view(q).subspan(static_cast<std::size_t>(joint.q_offset), static_cast<std::size_t>(joint.nq)),
        view(u).subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu)), rates);
    for (int i = 0; i < joint.nq; ++i) {
      result[joint.q_offset + i] += s * rates[static_cast<std::size_t>(i)];
    }
  }
  return result;
}

/// Step of `difference`: truncation s^4 f^(5) / 30 and rounding eps |f| / s are both near 1e-13 for functions of order
/// one.
inline constexpr double kDifferenceStep = 1e-3;

/// \returns df/ds at s = 0 by the central difference of fourth order. \param f returns an Eigen matrix or a number
template <typename Function>
auto difference(Function f) {
  using Result = decltype(f(0.0));
  const double h = kDifferenceStep;
  const Result near = f(h) - f(-h);
  const Result far = f(2.0 * h) - f(-2.0 * h);
  return Result((8.0 * near - far) / (12.0 * h));
}

/// Largest entry of a - b over the largest of b, at least 1: what finite differences of order-one functions resolve.
template <typename A, typename B>
double relative_error(const A& a, const B& b) {
  if (b.size() == 0) {
    return 0.0;
  }
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

}  // namespace mbdbench::test
