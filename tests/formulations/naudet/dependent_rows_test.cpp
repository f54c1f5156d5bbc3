// Sparse factors of dependent columns against dense matrices.
#include "formulations/naudet/dependents/dependent_rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace mbdbench {
namespace {

/// Loops of so many rows over their components, with random entries.
struct Loops {
  Loops(const std::vector<std::vector<int>>& ways, int components, int rows_per_loop, unsigned seed) {
    rows.columns.resize(index_of(components));
    for (const std::vector<int>& way : ways) {
      rows.add_loop(way, std::vector<double>(index_of(rows_per_loop), 1.0));
    }
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> entry(-1.0, 1.0);
    std::generate(rows.entries.begin(), rows.entries.end(), [&] { return entry(random); });
    dense = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.rows.size()), components);
    for (int component = 0; component < components; ++component) {
      for (const LoopRows::Place& place : rows.columns[index_of(component)]) {
        dense(place.row, component) = rows.entries[place.entry];
      }
    }
  }

  /// \returns how far the solutions of the last factors are from those of the dense matrix, over the condition.
  [[nodiscard]] double error(const DependentRows& factors) const {
    const std::vector<int> pivots(factors.pivots().begin(), factors.pivots().end());
    const std::vector<int> columns(factors.columns().begin(), factors.columns().end());
    const Eigen::MatrixXd phi_d = dense(pivots, columns);
    const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(phi_d.cols(), 1.0, 2.0);
    std::vector<double> solution(right.begin(), right.end());
    factors.solve(solution);
    std::vector<double> transposed(right.begin(), right.end());
    factors.solve_transposed(transposed);
    const Eigen::Map<const Eigen::VectorXd> x(solution.data(), right.size());
    const Eigen::Map<const Eigen::VectorXd> y(transposed.data(), right.size());
    return std::max({(phi_d * x - right).norm() / (phi_d.norm() * x.norm()),
                     (phi_d.transpose() * y - right).norm() / (phi_d.norm() * y.norm()),
                     error_of_sides(factors, phi_d)});
  }

  /// \returns the same of several right sides with zeros in their first half.
  static double error_of_sides(const DependentRows& factors, const Eigen::MatrixXd& phi_d) {
    const Eigen::Index first = phi_d.rows() / 2;
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(phi_d.rows(), RightSides::SizeAtCompileTime);
    std::vector<RightSides> sides(static_cast<std::size_t>(phi_d.rows()), RightSides::Zero());
    for (Eigen::Index i = first; i < phi_d.rows(); ++i) {
      for (Eigen::Index side = 0; side < right.cols(); ++side) {
        right(i, side) = std::cos(static_cast<double>(i + 3 * side));
        sides[static_cast<std::size_t>(i)][side] = right(i, side);
      }
    }
    factors.solve(sides, static_cast<int>(first));
    Eigen::MatrixXd x(right.rows(), right.cols());
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      x.row(i) = sides[static_cast<std::size_t>(i)].transpose();
    }
    return (phi_d * x - right).norm() / (phi_d.norm() * x.norm());
  }

  LoopRows rows;
  Eigen::MatrixXd dense;
};

/// A ladder whose components are numbered anyhow: loop i moves components i and i + 1 of a shuffled list.
std::vector<std::vector<int>> shuffled_ladder(int loops, unsigned seed) {
  std::vector<int> names(index_of(loops + 1));
  std::iota(names.begin(), names.end(), 0);
  std::shuffle(names.begin(), names.end(), std::mt19937(seed));
  std::vector<std::vector<int>> ways;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    ways.push_back({names[i], names[i + 1]});
  }
  return ways;
}

std::vector<int> all_of(int components) {
  std::vector<int> all(index_of(components));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(DependentRowsTest, SolvesWhatTheDenseMatrixSays) {
  int solved = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
    const int components = any(2, 30);
    std::vector<std::vector<int>> ways;
    for (int loop = any(1, 12); loop > 0; --loop) {
      std::vector<int> way = all_of(components);
      std::shuffle(way.begin(), way.end(), random);
      way.resize(index_of(any(1, std::min(components, 6))));
      ways.push_back(way);
    }
    const Loops loops(ways, components, any(1, 4), seed);
    std::vector<int> dependent = all_of(components);
    std::shuffle(dependent.begin(), dependent.end(), random);
    dependent.resize(index_of(any(1, components)));
    std::sort(dependent.begin(), dependent.end());
    DependentRows factors(loops.rows);
    factors.use_dependent(loops.rows, dependent);
    const double pivots = factors.factorise(loops.rows);
    const Eigen::VectorXd singular = Eigen::MatrixXd(loops.dense(Eigen::all, dependent)).bdcSvd().singularValues();
    const auto count = static_cast<Eigen::Index>(dependent.size());
    const bool independent = singular.size() == count && singular[count - 1] > 1e-12 * singular[0];
    // Random entries: dependent columns have no pivot that is more than rounding, others are far from it.
    EXPECT_EQ(pivots > 1e-12, independent) << "seed " << seed << ", pivots " << pivots;
    if (independent) {
      // Residuals of partial pivoting are rounding, times the growth of the factors, which is below ten here.
      EXPECT_LT(loops.error(factors), 1e-13) << "seed " << seed;
      ++solved;
    }
  }
  EXPECT_GT(solved, 40);
}

TEST(DependentRowsTest, LoopsOfLaddersTakeTheSameMemoryHoweverManyAndHoweverNumbered) {
  for (const int count : {10, 100, 1000}) {
    const Loops loops(shuffled_ladder(count, 7), count + 1, 1, 7);
    std::vector<int> dependent = all_of(count + 1);
    dependent.erase(dependent.begin() + count / 2);
    DependentRows factors(loops.rows);
    factors.use_dependent(loops.rows, dependent);
    // Its own two columns, and one that the neighbour fills.
    EXPECT_LE(factors.size(), 3 * index_of(count));
    ASSERT_GT(factors.factorise(loops.rows), 0.0);
  }
}

TEST(DependentRowsTest, RedundantRowsThatArePassedOverFillMoreThanExpected) {
  constexpr int kLoops = 40;
  const Loops loops(shuffled_ladder(kLoops, 3), kLoops + 1, 3, 3);
  DependentRows factors(loops.rows);
  factors.use_dependent(loops.rows, all_of(kLoops + 1));
  const std::size_t before = factors.size();
  ASSERT_GT(factors.factorise(loops.rows), 0.0);
  EXPECT_GT(factors.size(), before);
  EXPECT_LT(loops.error(factors), 1e-13);
  const std::size_t after = factors.size();
  ASSERT_GT(factors.factorise(loops.rows), 0.0);
  EXPECT_EQ(factors.size(), after);
}

TEST(DependentRowsTest, RowsThatReachNoColumnAnyMoreAreNoPivots) {
  const Loops loops({{0}, {1}}, 2, 1, 5);
  DependentRows factors(loops.rows);
  for (const int dependent : {0, 1}) {
    factors.use_dependent(loops.rows, std::vector<int>{dependent});
    ASSERT_GT(factors.factorise(loops.rows), 0.0);
    EXPECT_EQ(factors.pivot_of(dependent), 0);
    EXPECT_EQ(factors.pivot_of(1 - dependent), -1) << "once row " << dependent << " is it";
  }
}

}  // namespace
}  // namespace mbdbench
