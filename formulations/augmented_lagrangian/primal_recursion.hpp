#pragma once
/// \file
/// The recursion of [Malczyk2012, Sect. 2.2 and 2.3] as printed: penalised equations of motion of chains of bodies,
/// assembled to those of their first and last bodies, and back. Names: dca_alm_printed.cpp.
#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <vector>

#include "formulations/augmented_lagrangian/absolute/euler_parameters.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

using Mat7 = Eigen::Matrix<double, 7, 7>;
using Vec7 = Eigen::Matrix<double, 7, 1>;
using Rows = Eigen::Matrix<double, 6, 7>;

/// One joint between bodies a and b, -1 for the ground.
struct JointRows {
  int a = -1;
  int b = -1;
  Rows phi_a = Rows::Zero();
  Rows phi_b = Rows::Zero();
  Vec6 gamma = Vec6::Zero();
  Vec6 lambda = Vec6::Zero();
  Vec6 before = Vec6::Zero();  // lambda* of the pass
};

/// One body alone.
struct BodyEquations {
  EulerParameters e;
  Mat7 mass, m;
  Vec7 load, q, unknown, before;
  Vec7 phi_n = Vec7::Zero();
  double gamma_n = 0.0;
  double lambda_n = 0.0;
  double size = 0.0;  // of the terms of its equation
};

/// Bodies first .. last of a chain: A and B joined, or a leaf of one to three bodies.
struct Subassembly {
  int first = 0;
  int last = 0;
  int middle = -1;  // of a leaf of three bodies
  int joint = -1;   // between A and B, or inboard of the last body of a leaf of two; the tree joint of that number
  std::size_t a = 0;
  std::size_t b = 0;
  bool leaf = true;
  Mat7 m11 = Mat7::Zero(), m12 = Mat7::Zero(), m22 = Mat7::Zero();
  Vec7 q1 = Vec7::Zero(), q2 = Vec7::Zero();
  Mat7 inverse_a, inverse_b;  // of M_22^A and M_11^B; of a leaf of three the first is that of the middle body
  Mat6 c;
};

/// The joints at the two ends of a chain: their columns for its first and last body, and for the body that carries it.
struct ChainEnds {
  struct End {
    int joint = -1;
    Eigen::Matrix<double, 6, 14> chain = Eigen::Matrix<double, 6, 14>::Zero();
    Rows base = Rows::Zero();
  };
  int base = -1;
  std::size_t root = 0;
  std::array<End, 2> ends;
  Eigen::Matrix<double, 14, 14> inverse;
  Eigen::Matrix<double, 14, 7> coupling;
  Eigen::Matrix<double, 14, 1> right;
};

/// One mechanism. Matrices once for `assemble`, then any number of passes. No allocation after construction.
class PrimalRecursion {
 public:
  PrimalRecursion(const Mechanism& mechanism, double alpha);

  /// Mass, load, e, Phi^N_q and gamma^N are the caller's; unknown and lambda^N are results.
  [[nodiscard]] std::vector<BodyEquations>& bodies() { return bodies_; }
  /// Tree joints, then cut joints. Phi_q and gamma are the caller's, lambda is a result.
  [[nodiscard]] std::vector<JointRows>& joints() { return joints_; }

  /// lambda* = 0.
  void start();
  /// All matrices, from mass, Phi_q and Phi^N_q.
  void assemble();
  /// One pass: Q_1, Q_2 of all subassemblies, unknowns from the ends of every chain inwards, multipliers.
  void pass();
  /// \returns the largest |M q'' + Phi_q^T lambda - Q| of a body, relative to its terms.
  [[nodiscard]] double residual();

 private:
  /// Halves of a chain until two or three bodies are left. \returns the subassembly
  std::size_t divide(const std::vector<int>& chain, std::size_t begin, std::size_t end);
  void assemble_matrices(std::size_t index);
  void set_leaf_matrices(Subassembly& node);
  /// The joints at the ends, and what the body that carries the chain gets of it.
  void close_matrices(ChainEnds& chain);
  /// \returns lambda* + alpha gamma of a joint.
  [[nodiscard]] Vec6 known(int joint) const;
  void assemble_loads(std::size_t index);
  void set_leaf_loads(Subassembly& node);
  void close_loads(ChainEnds& chain);
  void solve_ends(const ChainEnds& chain);
  void disassemble(std::size_t index, const Vec7& first, const Vec7& last);

  double alpha_;
  std::vector<BodyEquations> bodies_;
  std::vector<JointRows> joints_;
  std::vector<Subassembly> nodes_;
  std::vector<ChainEnds> chains_;
};

}  // namespace mbdbench
