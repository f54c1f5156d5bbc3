/// \file
/// Which rows of loops count at all, and how many of those closed at every place are independent: settled once, by
/// random positions and by the mechanism's generic rank.
#include <algorithm>
#include <random>
#include <utility>

#include "formulations/parts/part_recursion.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// Pivots of a closing are rounding divided by those of the closings outboard of it: 1e-11 and more where these are
// 1e-5.
constexpr double kClearlyIndependent = 1e-6;

/// \returns coordinates anywhere: quaternions of any length, displacements of the mechanism's size.
Eigen::VectorXd random_coordinates(const Mechanism& mechanism, std::minstd_rand& random) {
  std::uniform_real_distribution<double> number(-2.0, 2.0);
  Eigen::VectorXd q(mechanism.q_size());
  std::generate(q.begin(), q.end(), [&] { return number(random); });
  for (const Joint& joint : mechanism.tree_joints()) {
    const int quaternions = joint.nq - joint.nu;  // has one number more than velocities
    for (int i = quaternions > 0 ? 3 : 0; i < joint.nu; ++i) {
      q[joint.q_offset + quaternions + i] *= mechanism.scales().columns[joint.u_offset + i];
    }
  }
  return q;
}

}  // namespace

void PartRecursion::note_felt_rows(std::vector<bool>& felt) const {
  for (std::size_t c = 0; c < solvers_.size(); ++c) {
    const LoopClosing& closing = plan_.closings[c];
    int at = 0;
    for (int l = closing.first_loop; l < closing.last_loop; ++l) {
      const auto loop = index_of(plan_.closed_loops[index_of(l)]);
      for (int j = 0; j < plan_.loop_rows[loop]; ++j, ++at) {
        if (solvers_[c].a(at, at) > solvers_[c].smallest[at]) {
          felt[index_of(plan_.row_number(loop, j))] = true;
        }
      }
    }
  }
}

// What is zero at random coordinates, all loops open, is zero at all of them: Phi_q H is an analytic function of the
// coordinates. A loop that was closed, if only at a place further outboard, might be rigid there and mobile elsewhere.
void PartRecursion::leave_out_rows() {
  const bool has_cuts = mechanism_->cut_row_count() > 0;
  std::vector<bool> felt(index_of(mechanism_->closing_row_count()), !has_cuts);
  std::fill(felt.begin() + mechanism_->cut_row_count(), felt.end(), true);
  limit_ranks(0);
  std::minstd_rand random(1);
  constexpr int kPositions = 4;
  for (int k = 0; k < kPositions && has_cuts; ++k) {
    const Eigen::VectorXd q = random_coordinates(*mechanism_, random);
    if (!set_positions(view(q)).ok) {
      felt.assign(felt.size(), true);
      break;
    }
    note_felt_rows(felt);
  }
  keep_rows(std::move(felt));
}

void PartRecursion::keep_rows(std::vector<bool> are_kept) {
  rows_are_kept_ = std::move(are_kept);
  plan_.keep_rows(rows_are_kept_);
  make_solvers();
}

void PartRecursion::limit_ranks(Eigen::Index most) {
  for (Solver& solver : solvers_) {
    solver.most = std::min(most, solver.right.size());
  }
}

void PartRecursion::settle_ranks() {
  if (solvers_.empty()) {
    return;
  }
  const Eigen::VectorXd& start = mechanism_->q0();
  if (!set_positions(view(start)).ok) {
    return;
  }
  const bool clear = std::all_of(solvers_.begin(), solvers_.end(), [](const Solver& solver) {
    return solver.factors.rank() == solver.right.size() && solver.factors.smallest_pivot() > kClearlyIndependent;
  });
  if (clear) {
    return;
  }
  const GenericRank& generic = mechanism_->generic_rank();
  const int rank = generic.rank - mechanism_->motion_row_count();
  if (solvers_.size() == 1) {
    limit_ranks(rank);
    return;
  }
  std::vector<Eigen::Index> most(solvers_.size(), 0);
  for (const Eigen::VectorXd& q : generic.positions) {
    limit_ranks(mechanism_->closing_row_count());
    if (set_positions(view(q)).ok) {
      lower_ranks(q, mechanism_->closing_row_count() - rank);
      for (std::size_t c = 0; c < most.size(); ++c) {
        most[c] = std::max(most[c], solvers_[c].factors.rank());
      }
    }
  }
  for (std::size_t c = 0; c < most.size(); ++c) {
    solvers_[c].most = most[c];
  }
}

// Lowers the rank of the closing with the smallest pivot until as many rows are redundant at q as the constraints
// repeat: the rank of the whole is the sum of those of its closings, and each alone may be misled by rounding.
void PartRecursion::lower_ranks(const Eigen::VectorXd& q, int redundant) {
  while (redundant_rows() < redundant) {
    const auto smallest = std::min_element(solvers_.begin(), solvers_.end(), [](const Solver& a, const Solver& b) {
      return a.factors.smallest_pivot() < b.factors.smallest_pivot();
    });
    if (!(smallest->factors.smallest_pivot() < kClearlyIndependent)) {
      return;
    }
    for (Solver& solver : solvers_) {
      solver.most = solver.factors.rank();
    }
    --smallest->most;
    if (!set_positions(view(q)).ok) {
      return;
    }
  }
}

}  // namespace mbdbench
