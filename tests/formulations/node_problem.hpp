#pragma once
/// \file
/// One node with random matrices, for the kernels of every instruction set.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <vector>

#include "formulations/assembly/nodes/node_plan.hpp"
#include "formulations/assembly/nodes/steps_for_set.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "formulations/kernels/aligned_memory.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::test {

/// \returns the kernels of every instruction set that this machine has.
inline std::vector<NodeSteps> available_steps() {
  std::vector<NodeSteps> list;
  for (const InstructionSet& set : instruction_sets()) {
    if (set.available) {
      list.push_back(node_kernels::steps_for(set));
    }
  }
  return list;
}

/// A node whose one child has all its handles. Rows that do not count are zeros, as kernels leave them.
class NodeProblem {
 public:
  /// \param closed, external rows of the handles
  NodeProblem(const std::vector<int>& closed, const std::vector<int>& external, std::uint64_t seed)
      : random_(static_cast<std::int64_t>(seed)) {
    plan_.closed = static_cast<int>(closed.size());
    plan_.external = static_cast<int>(external.size());
    std::vector<int> rows = closed;
    rows.insert(rows.end(), external.begin(), external.end());
    for (std::size_t h = 0; h < rows.size(); ++h) {
      handles_.push_back({8 * h, rows[h]});
      first_row_.push_back(static_cast<int>(size_));
      size_ += rows[h];
    }
    for (const int count : closed) {
      plan_.closed_rows += count;
    }
    plan_.handles = handles_.data();
    matrix = Eigen::MatrixXd::Zero(size_, size_);
    right_ = random_matrix(random_, size_, 1);
    external_ = random_matrix(random_, size_ - plan_.closed_rows, 1);
    reserve();
    connect();
  }

  Eigen::MatrixXd matrix;  ///< the front

  /// A positive definite front of condition about 1e2.
  void set_regular() {
    const Eigen::MatrixXd factor = random_matrix(random_, size_, size_);
    matrix = factor * factor.transpose() + 0.5 * Eigen::MatrixXd::Identity(size_, size_);
  }
  /// A positive semidefinite front whose closed block has the given rank, with a right side in its range.
  void set_rank(int rank) {
    const Eigen::Index directions = size_ + 2;
    Eigen::MatrixXd rows(size_, directions);
    rows.topRows(plan_.closed_rows) =
        random_matrix(random_, plan_.closed_rows, rank) * random_matrix(random_, rank, directions);
    rows.bottomRows(size_ - plan_.closed_rows) = random_matrix(random_, size_ - plan_.closed_rows, directions);
    matrix = rows * rows.transpose();
    right_ = rows * random_matrix(random_, directions, 1);
    set_shift_to(2.0 * matrix.diagonal().head(plan_.closed_rows));
  }
  void set_right(const Eigen::VectorXd& right) { right_ = right; }
  void set_shift(double value) { set_shift_to(Eigen::VectorXd::Constant(plan_.closed_rows, value)); }
  void set_shift_to(const Eigen::VectorXd& values) {
    std::copy(values.data(), values.data() + values.size(), scratch_.shift);
  }

  [[nodiscard]] int closed_rows() const { return plan_.closed_rows; }
  [[nodiscard]] Eigen::MatrixXd closed_block() const { return matrix.topLeftCorner(closed_rows(), closed_rows()); }
  /// F_EJ.
  [[nodiscard]] Eigen::MatrixXd outside_block() const {
    return matrix.bottomLeftCorner(size_ - closed_rows(), closed_rows());
  }
  [[nodiscard]] Eigen::VectorXd right_closed() const { return right_.head(closed_rows()); }
  [[nodiscard]] Eigen::VectorXd sigma_external() const { return external_; }
  [[nodiscard]] Eigen::VectorXd sigma_closed() const { return sigma_; }

  NodeRank close(const NodeSteps& steps, bool shifted) {
    put_matrix();
    steps.gather(plan_, scratch_);
    return keep(steps.close(plan_, scratch_, shifted));
  }
  NodeRank close_loops(const NodeSteps& steps, int most) {
    put_matrix();
    steps.gather(plan_, scratch_);
    return keep(steps.close_loops(plan_, scratch_, most));
  }

  /// Solves with the matrices closed, and compares matrix and right side of the external handles.
  /// \param inverse of the closed block
  void check_solution(const NodeSteps& steps, const Eigen::MatrixXd& inverse, double tolerance) {
    solve(steps);
    const Eigen::Index width = size_ - closed_rows();
    if (width == 0) {
      return;
    }
    const Eigen::MatrixXd b = outside_block();
    const Eigen::MatrixXd expected = matrix.bottomRightCorner(width, width) - b * inverse * b.transpose();
    EXPECT_LT((result() - expected).cwiseAbs().maxCoeff(), tolerance);
    const Eigen::VectorXd right = right_.tail(width) - b * inverse * right_closed();
    EXPECT_LT((right_outside_ - right).cwiseAbs().maxCoeff(), tolerance);
  }

  /// sigma of the closed handles from that of the external ones.
  void solve(const NodeSteps& steps) {
    std::vector<double> given(8 * handles_.size(), 0.0);
    std::vector<double> sigma(given.size(), 0.0);
    put(right_, 0, source_right_.get());
    put(external_, plan_.closed, sigma.data());
    steps.gather_right(plan_);
    steps.eliminate(plan_, given.data());
    right_outside_ = taken(plan_.right, plan_.closed, static_cast<int>(handles_.size()));
    steps.recover(plan_, sigma.data());
    sigma_ = taken(sigma.data(), 0, plan_.closed);
  }

 private:
  NodeRank keep(const NodeRank& found) {
    plan_.rank = found.rank;
    return found;
  }

  [[nodiscard]] int row_of(std::size_t handle) const { return first_row_[handle]; }

  double* piece(int numbers) {
    memory_.push_back(aligned_memory(static_cast<std::size_t>(std::max(numbers, 8))));
    return memory_.back().get();
  }

  void reserve() {
    const int all = static_cast<int>(handles_.size());
    const int padded = plan_.padded_rows();
    plan_.matrix = piece(6 * 8 * all * all);
    plan_.right = piece(8 * all);
    plan_.weights = piece(plan_.closed_rows * padded);
    plan_.columns = piece(plan_.closed_rows * 8 * plan_.closed);
    plan_.outside = piece(plan_.closed_rows * 8 * all);
    plan_.reduced = piece(padded);
    scratch_.front = piece(plan_.closed_rows * 8 * all);
    for (double** const part : {&scratch_.matrix, &scratch_.factor, &scratch_.inverse, &scratch_.upper,
                                &scratch_.follow, &scratch_.followed, &scratch_.gram}) {
      *part = piece(plan_.closed_rows * padded);
    }
    scratch_.vectors = piece(3 * padded);
    scratch_.shift = piece(padded);
    order_.resize(static_cast<std::size_t>(plan_.closed_rows));
    scratch_.order = order_.data();
    source_ = aligned_memory(static_cast<std::size_t>(6 * 8 * all * all));
    source_right_ = aligned_memory(static_cast<std::size_t>(8 * all));
  }

  /// The child's lower triangle of blocks, in columns of all handles.
  [[nodiscard]] double* block(std::size_t h, std::size_t g) const {
    return source_.get() + 8 * (6 * g * handles_.size() + h);
  }

  void connect() {
    const int stride = 8 * static_cast<int>(handles_.size());
    for (std::size_t g = 0; g < handles_.size(); ++g) {
      for (std::size_t h = g; h < handles_.size(); ++h) {
        blocks_.push_back({block(h, g), nullptr, stride, 0});
      }
      rights_.push_back({source_right_.get() + 8 * g, nullptr});
    }
    plan_.blocks = blocks_.data();
    plan_.rights = rights_.data();
  }

  void put_matrix() const {
    for (std::size_t g = 0; g < handles_.size(); ++g) {
      for (std::size_t h = g; h < handles_.size(); ++h) {
        for (int c = 0; c < handles_[g].rows; ++c) {
          for (int r = 0; r < handles_[h].rows; ++r) {
            block(h, g)[static_cast<std::size_t>(c) * 8 * handles_.size() + static_cast<std::size_t>(r)] =
                matrix(row_of(h) + r, row_of(g) + c);
          }
        }
      }
    }
  }

  void put(const Eigen::VectorXd& values, int first_handle, double* to) const {
    Eigen::Index next = 0;
    for (std::size_t h = static_cast<std::size_t>(first_handle); h < handles_.size(); ++h) {
      for (int r = 0; r < handles_[h].rows; ++r) {
        to[8 * h + static_cast<std::size_t>(r)] = values[next++];
      }
    }
  }

  [[nodiscard]] Eigen::VectorXd taken(const double* from, int first, int last) const {
    std::vector<double> values;
    for (int h = first; h < last; ++h) {
      for (int r = 0; r < kHandle; ++r) {
        if (r < handles_[static_cast<std::size_t>(h)].rows) {
          values.push_back(from[8 * h + r]);
        } else {
          EXPECT_EQ(from[8 * h + r], 0.0);
        }
      }
    }
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }

  /// Xi^C of the external handles, both triangles.
  [[nodiscard]] Eigen::MatrixXd result() const {
    const int width = static_cast<int>(size_) - plan_.closed_rows;
    Eigen::MatrixXd full(width, width);
    const double* column = plan_.matrix;
    for (std::size_t g = static_cast<std::size_t>(plan_.closed); g < handles_.size(); ++g) {
      for (int c = 0; c < handles_[g].rows; ++c) {
        for (std::size_t h = g; h < handles_.size(); ++h, column += kHandle) {
          for (int r = 0; r < handles_[h].rows; ++r) {
            const int row = row_of(h) + r - plan_.closed_rows;
            const int col = row_of(g) + c - plan_.closed_rows;
            full(row, col) = column[r];
            full(col, row) = column[r];
          }
        }
      }
    }
    return full;
  }

  RandomSource random_;
  Eigen::Index size_ = 0;
  NodePlan plan_;
  ClosingScratch scratch_;
  std::vector<HandleRows> handles_;
  std::vector<int> first_row_;
  std::vector<int> order_;
  std::vector<BlockSource> blocks_;
  std::vector<RightSource> rights_;
  std::vector<AlignedMemory> memory_;
  AlignedMemory source_;
  AlignedMemory source_right_;
  Eigen::VectorXd right_;
  Eigen::VectorXd external_;
  Eigen::VectorXd sigma_;
  Eigen::VectorXd right_outside_;
};

}  // namespace mbdbench::test
