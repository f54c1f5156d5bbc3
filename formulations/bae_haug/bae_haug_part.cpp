/// \file
/// The right-hand side of closed loops by several processes, each with the recursions of its own trees at the ground
/// [Malczyk2008, section 3], [Bae1988].
///
/// paper                                         -> name
///   beta, beta + 1 (sub-chains)                 -> GroundTree 0 and 1
///   PhiL_l^beta, RHS_l^beta                     -> the shares that are summed
///   lambda                                      -> multipliers_
///   gamma* (Eq. (7))                            -> set_cut_right_side
///
/// DEVIATES [Malczyk2008, Eq. (3), (5)]: both sub-chains are reduced to the ground; their shares of PhiL and RHS are
/// summed, and no Y_l' is an unknown (bae_haug_processes_test: accelerations and bits of one process).
///
/// Two messages a right-hand side: 27 numbers on the end of a cut joint, since D depends on both bodies, and six on the
/// end of every spring between trees; the small system of the multipliers, which all processes solve. Who integrates
/// the whole state on all processes needs a third one (shared_formulation.hpp).
///
/// Cost a process: O(n_beta m_path) + O(m^3), n_beta bodies of its trees, m rows of cut joints.
#include "formulations/bae_haug/bae_haug_part.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "formulations/bae_haug/ground_tree.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// \returns the first tree of every process, and behind the last one: about as many bodies each.
std::vector<std::size_t> divide_trees(const std::vector<int>& bodies, std::size_t processes) {
  double left = 0.0;
  for (const int count : bodies) {
    left += count;
  }
  std::vector<std::size_t> firsts = {0};
  std::size_t tree = 0;
  for (std::size_t others = processes; others-- > 0;) {
    const double goal = left / static_cast<double>(others + 1);
    double taken = bodies[tree++];
    while (bodies.size() - tree > others && taken + 0.5 * bodies[tree] <= goal) {
      taken += bodies[tree++];
    }
    left -= taken;
    firsts.push_back(tree);
  }
  return firsts;
}

/// One process's trees and their places in its state.
struct OwnTrees {
  OwnTrees(const Mechanism& whole, const ProcessExchange* processes) : all(whole) {
    const auto size = static_cast<std::size_t>(processes == nullptr ? 1 : processes->size());
    firsts = divide_trees(all.bodies, size);
    const std::size_t process = index_of(processes == nullptr ? 0 : processes->process());
    for (std::size_t place = firsts[process]; place < firsts[process + 1]; ++place) {
      trees.push_back(std::make_unique<GroundTree>(whole, all, place));
    }
  }

  [[nodiscard]] std::vector<StateComponent> layout() const {
    std::vector<StateComponent> names;
    for (const bool rate : {false, true}) {
      for (const auto& tree : trees) {
        const std::vector<StateComponent> own = joint_layout(tree->mechanism(), StateKind::velocity);
        const auto middle = own.begin() + tree->mechanism().q_size();
        names.insert(names.end(), rate ? middle : own.begin(), rate ? own.end() : middle);
      }
    }
    return names;
  }
  [[nodiscard]] std::vector<std::size_t> components(const Mechanism& whole) const {
    std::vector<std::size_t> places;
    for (const auto& tree : trees) {
      places.insert(places.end(), tree->coordinates().begin(), tree->coordinates().end());
    }
    for (const auto& tree : trees) {
      for (const std::size_t velocity : tree->velocities()) {
        places.push_back(index_of(whole.q_size()) + velocity);
      }
    }
    return places;
  }

  GroundTrees all;
  std::vector<std::size_t> firsts;  // tree of every process
  std::vector<std::unique_ptr<GroundTree>> trees;
};

/// What all trees tell each other, one behind another.
struct TreeMessage {
  /// \param starts of the trees' numbers \param firsts tree of every process
  TreeMessage(const std::vector<std::size_t>& starts, const std::vector<std::size_t>& firsts) : numbers(starts.back()) {
    for (const std::size_t tree : firsts) {
      bounds.push_back(starts[tree] * sizeof(double));
    }
  }
  void share(ProcessExchange* processes) {
    if (processes != nullptr) {
      processes->share(std::as_writable_bytes(std::span(numbers)), bounds);
    }
  }

  std::vector<double> numbers;
  std::vector<std::size_t> bounds;  // of the processes, bytes
};

/// \returns where the trees' shares of the system of m multipliers start: lower triangle, right side, limits.
std::vector<std::size_t> share_starts(std::size_t trees, int rows) {
  std::vector<std::size_t> starts(trees + 1);
  for (std::size_t tree = 0; tree <= trees; ++tree) {
    starts[tree] = tree * index_of(rows * (rows + 1) / 2 + 2 * rows);
  }
  return starts;
}

class BaeHaugPart final : public FormulationPart {
 public:
  BaeHaugPart(const Mechanism& mechanism, BaumgarteConstants baumgarte, ProcessExchange* processes, OwnTrees own)
      : FormulationPart(own.layout(), own.components(mechanism)),
        mechanism_(&mechanism),
        baumgarte_(baumgarte),
        processes_(processes),
        own_(std::move(own)),
        first_(own_.firsts[index_of(processes == nullptr ? 0 : processes->process())]),
        cuts_(mechanism.cut_joints().size()),
        ends_(own_.all.starts, own_.firsts),
        shares_(share_starts(own_.all.bodies.size(), mechanism.cut_row_count()), own_.firsts),
        matrix_(Eigen::MatrixXd::Zero(mechanism.cut_row_count(), mechanism.cut_row_count())),
        matrix_share_(matrix_),
        multipliers_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
        right_share_(multipliers_),
        smallest_(multipliers_),
        smallest_share_(multipliers_),
        solver_(rows_of_one_unit(mechanism)),
        generic_rank_(mechanism.cut_row_count() == 0 ? 0
                                                     : mechanism.generic_rank().rank - mechanism.motion_row_count()) {}

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    for_own_trees([&](GroundTree& tree, std::size_t, std::size_t q, std::size_t u) {
      tree.set_state(t, x.subspan(q, tree.coordinates().size()), x.subspan(u, tree.velocities().size()), ends_.numbers);
    });
    ends_.share(processes_);
    RhsStatus status = joint_status();
    if (!status.ok) {
      return status;
    }
    place_cut_joints();
    for_own_trees([&](GroundTree& tree, std::size_t place, std::size_t, std::size_t) {
      tree.condense(t, ends_.numbers, cuts_, matrix_share_, right_share_, smallest_share_);
      write_share(place);
    });
    shares_.share(processes_);
    status = solve_multipliers();
    if (status.ok) {
      for_own_trees([&](GroundTree& tree, std::size_t, std::size_t q, std::size_t u) {
        tree.accelerate(multipliers_, xdot.subspan(q, tree.coordinates().size()),
                        xdot.subspan(u, tree.velocities().size()));
      });
    }
    return status;
  }

 private:
  /// \param body called with a tree, its place among all, and the places of its coordinates and velocities in the state
  template <class Body>
  void for_own_trees(const Body& body) {
    std::size_t q = 0;
    std::size_t u = 0;
    for (const auto& tree : own_.trees) {
      u += tree->coordinates().size();
    }
    for (std::size_t i = 0; i < own_.trees.size(); ++i) {
      GroundTree& tree = *own_.trees[i];
      body(tree, first_ + i, q, u);
      q += tree.coordinates().size();
      u += tree.velocities().size();
    }
  }

  /// \returns the same status on all processes.
  RhsStatus joint_status() {
    for (std::size_t tree = 0; tree < own_.all.bodies.size(); ++tree) {
      const double* const told = &ends_.numbers[own_.all.starts[tree]];
      if (told[0] != GroundTree::kTaken) {
        return {false, mechanism_->tree_joints()[static_cast<std::size_t>(told[1])].name,
                told[0] == GroundTree::kNotFinite
                    ? "its velocity is not finite, it is"
                    : "the articulated inertia of its tree is not positive definite or not finite, the number that "
                      "tells is",
                told[2]};
      }
    }
    return {};
  }

  void place_cut_joints() {
    const auto end = [&](std::size_t place) {
      return place == GroundTrees::kNowhere
                 ? CutEnd()
                 : CutEnd::read(std::span<const double>(ends_.numbers).subspan(place, CutEnd::kSize));
    };
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      const Joint& joint = mechanism_->cut_joints()[c];
      const CutEnd a = end(own_.all.cut_ends[c][0]);
      const CutEnd b = end(own_.all.cut_ends[c][1]);
      place_joint(joint, a.body, b.body, cuts_[c]);
      set_joint_rates(joint, a.body, b.body, cuts_[c]);
      set_cut_right_side(joint, cuts_[c], a, b, baumgarte_, multipliers_);
    }
  }

  void write_share(std::size_t place) {
    // Without cut joints there are no numbers, and none are written.
    double* to = shares_.numbers.data() + place * (shares_.numbers.size() / own_.all.bodies.size());
    const Eigen::Index rows = multipliers_.size();
    for (Eigen::Index i = 0; i < rows; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        *to++ = matrix_share_(i, j);
      }
    }
    to = std::copy_n(right_share_.data(), rows, to);
    std::copy_n(smallest_share_.data(), rows, to);
  }

  /// The shares in the order of the trees, whoever made them.
  RhsStatus solve_multipliers() {
    const Eigen::Index rows = multipliers_.size();
    if (rows == 0) {
      return {};
    }
    matrix_.setZero();
    right_share_.setZero();
    smallest_.setZero();
    const double* from = shares_.numbers.data();
    for (std::size_t tree = 0; tree < own_.all.bodies.size(); ++tree) {
      for (Eigen::Index i = 0; i < rows; ++i) {
        for (Eigen::Index j = 0; j <= i; ++j) {
          matrix_(i, j) += *from++;
        }
      }
      right_share_ += Eigen::Map<const Eigen::VectorXd>(from, rows);
      smallest_ += Eigen::Map<const Eigen::VectorXd>(from + rows, rows);
      from += 2 * rows;
    }
    multipliers_ += right_share_;
    if (!solver_.decompose(matrix_, smallest_, generic_rank_)) {
      return {false, mechanism_->cut_joints().front().name, "the matrix of the cut joints is not finite, its trace is",
              matrix_.trace()};
    }
    solver_.solve(multipliers_);
    return {};
  }

  const Mechanism* mechanism_;
  BaumgarteConstants baumgarte_;
  ProcessExchange* processes_;
  OwnTrees own_;
  std::size_t first_;                  // own tree among all
  std::vector<JointKinematics> cuts_;  // all, on every process
  TreeMessage ends_;
  TreeMessage shares_;
  Eigen::MatrixXd matrix_;  // lower triangle
  Eigen::MatrixXd matrix_share_;
  Eigen::VectorXd multipliers_;
  Eigen::VectorXd right_share_;
  Eigen::VectorXd smallest_;
  Eigen::VectorXd smallest_share_;
  SemidefiniteSolver solver_;
  Eigen::Index generic_rank_;
};

}  // namespace

std::unique_ptr<FormulationPart> make_bae_haug_part(const Mechanism& mechanism, BaumgarteConstants baumgarte,
                                                    ProcessExchange* processes) {
  const std::string refusal =
      refuse_ground_trees(mechanism, static_cast<std::size_t>(processes == nullptr ? 1 : processes->size()));
  if (!refusal.empty()) {
    throw ModelError({}, refusal);
  }
  return std::make_unique<BaeHaugPart>(mechanism, baumgarte, processes, OwnTrees(mechanism, processes));
}

}  // namespace mbdbench
