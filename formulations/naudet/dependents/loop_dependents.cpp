#include "formulations/naudet/dependents/loop_dependents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "formulations/naudet/loop_order.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// Smallest over largest column of G below which an end is not taken. Velocities lose k^2 cond(M) eps with the gain k,
// about the reciprocal of this share. Two links of a regular polygon of n joints have pi / n: `verify` passes
// loop:256 and not loop:512.
constexpr double kSmallestColumn = 1e-2;

// Ends that are tried beyond one a loop before a mechanism is refused: all combinations of ten loops.
constexpr std::size_t kMostTrials = 2048;

/// One end of a cut joint and the joints next to it.
struct Candidate {
  DependentLoop loop;
  double smallest = 0.0;      ///< column of G, after orthogonalisation
  double largest = 0.0;       ///< column of G
  double conditioning = 0.0;  ///< smallest over largest
  bool marked = false;
  std::string refusal;  ///< why they cannot close the loop; empty if they can
};

/// Plans loop after loop.
class Planner {
 public:
  Planner(const Mechanism& mechanism, const std::vector<bool>& allowed);

  DependentLoops plan();

 private:
  /// Rows of a cut joint that no cut joint before it implies, by elimination in left_.
  std::vector<int> independent_rows(const Joint& cut);
  Candidate candidate(int cut, const std::vector<int>& rows, int end, int other) const;
  /// Takes components of joint k until the candidate has `count`; \returns why it cannot.
  std::string take_joint(int k, std::size_t count, Eigen::MatrixXd& basis, Candidate& result) const;
  /// The ends of a cut joint, best first. Empty if the loops before imply all of its rows.
  std::vector<Candidate> candidates(int cut);
  /// Plans the loops from `first` on, going back to other ends of those before where one finds no place.
  bool close_loops(const std::vector<std::vector<Candidate>>& ends, std::size_t first);
  [[noreturn]] void refuse(const std::string& reason) const;
  /// \returns why the loop cannot join those planned before; otherwise it has joined them.
  std::string add(const DependentLoop& loop);
  std::string add_references(const DependentLoop& loop, std::vector<int>& reference) const;
  [[nodiscard]] const std::string& body_name(int k) const { return mechanism_->bodies()[index_of(k)].name; }
  [[nodiscard]] const std::string& cut_name(int c) const { return mechanism_->cut_joints()[index_of(c)].name; }

  const Mechanism* mechanism_;
  const std::vector<bool>* allowed_;
  Eigen::MatrixXd phi_q_;
  double size_ = 0.0;  // what its entries are made of
  Eigen::MatrixXd left_;
  std::vector<bool> usable_;
  std::vector<int> loop_of_joint_;  // cut whose loop the joint closes
  DependentLoops result_;
  std::size_t trials_ = 0;
  std::string first_refusal_;  // of the search, which goes on to other ends
};

Planner::Planner(const Mechanism& mechanism, const std::vector<bool>& allowed)
    : mechanism_(&mechanism),
      allowed_(&allowed),
      usable_(index_of(mechanism.u_size()), true),
      loop_of_joint_(mechanism.bodies().size(), -1) {
  LoopGeometry geometry(mechanism);
  geometry.set_positions({mechanism.q0().data(), index_of(mechanism.q_size())});
  DependentJoints dependents(mechanism);
  dependents.set_positions(geometry);
  phi_q_ = dependents.phi_q();
  size_ = dependents.size(geometry);
  left_ = phi_q_;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      usable_[index_of(joint.u_offset + motion.component)] = false;
    }
  }
  result_.reference.assign(mechanism.bodies().size(), -1);
}

std::vector<int> Planner::independent_rows(const Joint& cut) {
  std::vector<int> rows;
  std::vector<bool> rows_left(index_of(cut.nc), true);
  for (;;) {
    Eigen::Index row = -1;
    Eigen::Index column = -1;
    double size = kDependentRank * size_;
    for (int i = 0; i < cut.nc; ++i) {
      for (Eigen::Index j = 0; rows_left[index_of(i)] && j < left_.cols(); ++j) {
        const double entry = std::abs(left_(cut.row_offset + i, j));
        if (usable_[static_cast<std::size_t>(j)] && is_clearly_larger(entry, size)) {
          size = entry;
          row = cut.row_offset + i;
          column = j;
        }
      }
    }
    if (row < 0) {
      std::sort(rows.begin(), rows.end());
      return rows;
    }
    rows.push_back(static_cast<int>(row) - cut.row_offset);
    rows_left[static_cast<std::size_t>(row - cut.row_offset)] = false;
    usable_[static_cast<std::size_t>(column)] = false;
    // Rows of cut joints before this one that were left over are zero.
    for (Eigen::Index other = cut.row_offset; other < left_.rows(); ++other) {
      const bool taken =
          other < cut.row_offset + cut.nc && !rows_left[static_cast<std::size_t>(other - cut.row_offset)];
      if (!taken && left_(other, column) != 0.0) {
        left_.row(other) -= left_(other, column) / left_(row, column) * left_.row(row);
      }
    }
  }
}

std::string Planner::take_joint(int k, std::size_t count, Eigen::MatrixXd& basis, Candidate& result) const {
  const Joint& joint = mechanism_->tree_joints()[index_of(k)];
  std::vector<int> open;
  for (int i = 0; i < joint.nu; ++i) {
    if ((*allowed_)[index_of(joint.u_offset + i)]) {
      open.push_back(i);
    }
  }
  auto taken = static_cast<std::size_t>(basis.cols());
  if (open.size() < index_of(joint.nu) && taken + open.size() < count) {
    return joint.motions.empty()
               ? fmt::format(
                     "joint '{}' is one of the {} degrees of freedom next to the cut joint, but its coordinates "
                     "cannot be solved for by themselves",
                     joint.name, count)
               : fmt::format(
                     "joint '{}' is one of the {} degrees of freedom next to the cut joint, but its motion is "
                     "prescribed",
                     joint.name, count);
  }
  DependentJoint own{k, {}};
  const Joint& cut = mechanism_->cut_joints()[index_of(result.loop.cut)];
  while (!open.empty() && taken < count) {
    // The column that is farthest from those before.
    Eigen::VectorXd best = Eigen::VectorXd::Zero(basis.rows());
    std::size_t best_at = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
      Eigen::VectorXd column(basis.rows());
      for (Eigen::Index row = 0; row < column.size(); ++row) {
        column[row] =
            phi_q_(cut.row_offset + result.loop.rows[static_cast<std::size_t>(row)], joint.u_offset + open[i]);
      }
      result.largest = std::max(result.largest, column.norm());
      column -= basis * (basis.transpose() * column);
      column -= basis * (basis.transpose() * column);
      if (is_clearly_larger(column.norm(), best.norm())) {
        best = column;
        best_at = i;
      }
    }
    result.smallest = taken == 0 ? best.norm() : std::min(result.smallest, best.norm());
    own.components.push_back(open[best_at]);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(best_at));
    basis.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(++taken));
    basis.col(basis.cols() - 1) = best.norm() > 0.0 ? Eigen::VectorXd(best.normalized()) : best;
  }
  if (!own.components.empty()) {
    std::sort(own.components.begin(), own.components.end());
    result.marked = result.marked || mechanism_->description().joints[index_of(k)].dependent;
    result.loop.joints.push_back(std::move(own));
  }
  return {};
}

Candidate Planner::candidate(int cut, const std::vector<int>& rows, int end, int other) const {
  Candidate result;
  result.loop = {cut, end, other, rows, {}};
  const int meeting = common_ancestor(*mechanism_, end, other);
  Eigen::MatrixXd basis(static_cast<Eigen::Index>(rows.size()), 0);
  for (int k = end; k != meeting && basis.cols() < basis.rows(); k = mechanism_->parent(k)) {
    result.refusal = take_joint(k, rows.size(), basis, result);
    if (!result.refusal.empty()) {
      return result;
    }
  }
  if (basis.cols() < basis.rows()) {
    result.refusal = fmt::format(
        "the loop of cut joint '{}' has {} independent constraints, but the way from body '{}' to where both ways meet "
        "has only {} degree{} of freedom",
        cut_name(cut), basis.rows(), body_name(end), basis.cols(), basis.cols() == 1 ? "" : "s");
    return result;
  }
  // Columns that cancel are rounding of the terms that Phi_q is made of.
  const bool cancels = !(result.smallest > kDependentRank * size_);
  result.conditioning = cancels ? 0.0 : result.smallest / result.largest;
  if (!(result.conditioning > kSmallestColumn)) {
    result.refusal = fmt::format(
        "the {} degrees of freedom next to cut joint '{}' on the way from body '{}' cannot close its loop at the "
        "initial position (smallest over largest column of G is {:.1e})",
        rows.size(), cut_name(cut), body_name(end), result.conditioning);
  }
  return result;
}

std::string Planner::add_references(const DependentLoop& loop, std::vector<int>& reference) const {
  if (loop.other < 0) {
    return {};
  }
  const int meeting = common_ancestor(*mechanism_, loop.end, loop.other);
  const auto refer = [&](int first, int to) -> std::string {
    for (int k = first; k != meeting; k = mechanism_->parent(k)) {
      int& own = reference[index_of(k)];
      if (own >= 0 && own != to) {
        return fmt::format(
            "the equations of body '{}' would refer to two bodies at once, '{}' and '{}' (loops that share part of "
            "their ways; the second is that of cut joint '{}')",
            body_name(k), body_name(own), body_name(to), cut_name(loop.cut));
      }
      own = to;
    }
    return {};
  };
  std::string refusal = refer(loop.joints.front().body, loop.other);
  if (refusal.empty() && meeting >= 0 && meeting != loop.other) {
    refusal = refer(loop.other, meeting);
  }
  return refusal;
}

std::string Planner::add(const DependentLoop& loop) {
  for (const DependentJoint& joint : loop.joints) {
    const int before = loop_of_joint_[index_of(joint.body)];
    if (before >= 0) {
      return fmt::format("joint '{}' would have to close two loops, those of cut joints '{}' and '{}'",
                         mechanism_->tree_joints()[index_of(joint.body)].name, cut_name(before), cut_name(loop.cut));
    }
  }
  std::vector<int> reference = result_.reference;
  std::string refusal = add_references(loop, reference);
  if (!refusal.empty()) {
    return refusal;
  }
  std::vector<DependentLoop> loops = result_.loops;
  loops.push_back(loop);
  std::optional<std::vector<int>> ordered = visiting_order(*mechanism_, loops);
  if (!ordered) {
    return fmt::format("the dependent joints of cut joint '{}' and those of other loops follow one another in a circle",
                       cut_name(loop.cut));
  }
  for (const DependentJoint& joint : loop.joints) {
    loop_of_joint_[index_of(joint.body)] = loop.cut;
  }
  result_.reference = std::move(reference);
  result_.loops = std::move(loops);
  result_.order = std::move(*ordered);
  return {};
}

std::vector<Candidate> Planner::candidates(int cut) {
  const Joint& joint = mechanism_->cut_joints()[index_of(cut)];
  const std::vector<int> rows = independent_rows(joint);
  std::vector<Candidate> ends;
  for (const auto& [end, other] : {std::pair(joint.b, joint.a), std::pair(joint.a, joint.b)}) {
    if (!rows.empty() && end >= 0 && common_ancestor(*mechanism_, end, other) != end) {
      ends.push_back(candidate(cut, rows, end, other));
    }
  }
  const auto worth = [](const Candidate& end) {
    return !end.refusal.empty() ? 0.0 : end.marked ? end.conditioning / kDependentPreference : end.conditioning;
  };
  if (ends.size() == 2 && is_clearly_larger(worth(ends[1]), worth(ends[0]))) {
    std::swap(ends[0], ends[1]);
  }
  return ends;
}

void Planner::refuse(const std::string& reason) const {
  throw ModelError(
      {}, fmt::format("loops=matrices cannot treat mechanism '{}': {}. Use loops=impulses, which treats all loops",
                      mechanism_->name(), reason));
}

bool Planner::close_loops(const std::vector<std::vector<Candidate>>& ends, std::size_t first) {
  if (first == ends.size()) {
    return true;
  }
  const std::vector<int> reference_before = result_.reference;
  std::string refusal;
  for (const Candidate& end : ends[first]) {
    if (trials_++ > kMostTrials + ends.size()) {
      return false;
    }
    const std::string why = end.refusal.empty() ? add(end.loop) : end.refusal;
    if (why.empty()) {
      if (close_loops(ends, first + 1)) {
        return true;
      }
      for (const DependentJoint& joint : end.loop.joints) {
        loop_of_joint_[index_of(joint.body)] = -1;
      }
      result_.loops.pop_back();
      result_.reference = reference_before;
    } else {
      refusal += refusal.empty() ? why : "; from the other end: " + why;
    }
  }
  if (first_refusal_.empty()) {
    first_refusal_ = refusal;
  }
  return false;
}

DependentLoops Planner::plan() {
  if (mechanism_->drives_cut_joints()) {
    refuse("a cut joint has a prescribed motion, which the matrices C_K do not know");
  }
  if (!mechanism_->couplings().empty()) {
    refuse(fmt::format("the coupling '{}' is no loop, which the matrices C_K belong to",
                       mechanism_->couplings().front().name));
  }
  result_.order.resize(mechanism_->bodies().size());
  std::iota(result_.order.rbegin(), result_.order.rend(), 0);
  std::vector<std::vector<Candidate>> ends;
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    std::vector<Candidate> own = candidates(static_cast<int>(c));
    if (own.empty()) {
      continue;
    }
    if (!own.front().refusal.empty()) {  // usable ends stand first
      refuse(own.front().refusal + (own.size() > 1 ? "; from the other end: " + own.back().refusal : ""));
    }
    ends.push_back(std::move(own));
  }
  if (!close_loops(ends, 0)) {
    refuse(first_refusal_);
  }
  for (const DependentLoop& loop : result_.loops) {
    for (const int row : loop.rows) {
      result_.choice.rows.push_back(mechanism_->cut_joints()[index_of(loop.cut)].row_offset + row);
    }
    for (const DependentJoint& joint : loop.joints) {
      for (const int component : joint.components) {
        result_.choice.dependent.push_back(mechanism_->tree_joints()[index_of(joint.body)].u_offset + component);
      }
    }
  }
  std::sort(result_.choice.rows.begin(), result_.choice.rows.end());
  std::sort(result_.choice.dependent.begin(), result_.choice.dependent.end());
  return std::move(result_);
}

}  // namespace

DependentLoops plan_dependent_loops(const Mechanism& mechanism, const std::vector<bool>& allowed) {
  return Planner(mechanism, allowed).plan();
}

}  // namespace mbdbench
