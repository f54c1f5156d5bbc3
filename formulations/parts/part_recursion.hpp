#pragma once
/// \file
/// One part: the tree of a mechanism in link frames with its loops, each closed at the link where it meets
/// [Featherstone1983], [Bae1988], [Malczyk2008]. Inertias are eliminated once for the positions; then loads, or
/// impulses, go inward and rates outward as often as asked.
///
///   M u' + ... = tau + Phi_q^T lambda,  Phi_q u' = w       accelerations
///   M du = Phi_q^T sigma,               Phi_q du = w       impulses
///
/// Processes that share the branches of the tree know their own ones and the trunk. What branches leave for the trunk,
/// the poses of bodies where loops leave branches, and all results they tell one another (part_processes.cpp).
///
/// Cost: O(n) where loops are closed at links; O(m r^2) for the m rows of rank r that are closed at one place.
#include <Eigen/Core>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "formulations/execution/branch_mail.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/formulation.hpp"
#include "formulations/kernels/aligned_memory.hpp"
#include "formulations/parts/part_plan.hpp"
#include "formulations/parts/sections/sections_in_lanes.hpp"
#include "formulations/recursion/links/link_poses.hpp"
#include "formulations/recursion/semidefinite_solver.hpp"

namespace mbdbench {

/// Workspace of one mechanism: all joint types, prescribed motions, couplings. Allocates nothing after construction.
class PartRecursion {
 public:
  /// \param execution processes and threads share the branches of the tree; processes call the same functions together
  /// \param section_bodies 0: branches as it pays off; about how many bodies a section shall have; or kSectionsInLanes,
  /// for accelerations on one process alone
  PartRecursion(const Mechanism& mechanism, PosesWanted poses, const Execution& execution, int section_bodies = 0);
  ~PartRecursion() = default;
  PartRecursion(const PartRecursion&) = delete;
  PartRecursion& operator=(const PartRecursion&) = delete;
  PartRecursion(PartRecursion&&) = delete;
  PartRecursion& operator=(PartRecursion&&) = delete;

  [[nodiscard]] const LinkTree& tree() const { return tree_; }
  [[nodiscard]] const LinkPositions& positions() const { return positions_; }
  [[nodiscard]] const BranchTeam& team() const { return team_; }
  /// Calls work(range) for the trunk (0), then for every branch of this process, side by side.
  template <typename Work>
  void for_ranges(const Work& work) const {
    work(std::size_t{0});
    team_.for_branches(work);
  }
  /// \returns whether this process knows a row: one of the trunk or of its branches.
  [[nodiscard]] bool knows_row(int row) const { return knows_range(plan_.range_of(row)); }
  /// \returns whether sections go side by side in lanes, which evaluate the rows of their cut joints themselves.
  [[nodiscard]] bool uses_lanes() const { return uses_lanes_; }
  /// Takes lanes, where there are any, or one section after another.
  void use_lanes(bool uses) { uses_lanes_ = uses && twins_ != nullptr; }
  /// \returns whether the last accelerations of all lanes are right for sure.
  [[nodiscard]] bool lanes_are_sure() const { return !uses_lanes_ || twins_->are_sure(); }
  /// Baumgarte's constants of the cut joints that lanes evaluate, 1/s.
  void use_baumgarte(double alpha, double beta);

  /// \returns whether this process knows the kinematics of a cut joint, and evaluates its rows.
  [[nodiscard]] bool knows_cut(std::size_t cut) const {
    if (uses_lanes_ && twins_->closes(cut)) {
      return false;
    }
    return !team_.is_divided() || poses_wanted_ == PosesWanted::bodies ||
           (plan_.loop_rows[cut] > 0 && knows_range(plan_.closed_in[cut]));
  }
  /// Calls work(c) for the cut joints whose kinematics this process knows. Threads share them where they are many.
  template <typename Work>
  void for_cuts(const Work& work) const {
    for_shares_of(cuts_.size(), kManyCuts, [&](std::size_t first, std::size_t last) {
      for (std::size_t c = first; c < last; ++c) {
        if (knows_cut(c)) {
          work(c);
        }
      }
    });
  }
  /// Calls work(c, row, sign) for the links of a range at which cut joints c act, unless all their rows are left out.
  template <typename Work>
  void for_ends(std::size_t range, const Work& work) const {
    for (int e = plan_.ranges[range].first_end; e < plan_.ranges[range].last_end; ++e) {
      const PartPlan::End& end = plan_.ends[static_cast<std::size_t>(e)];
      if (plan_.loop_rows[static_cast<std::size_t>(end.cut)] > 0) {
        work(static_cast<std::size_t>(end.cut), static_cast<std::size_t>(end.row), end.sign);
      }
    }
  }
  /// Poses of rows and bodies in world axes, as they are wanted.
  [[nodiscard]] LinkPoses& poses() { return poses_; }
  [[nodiscard]] const LinkPoses& poses() const { return poses_; }
  [[nodiscard]] std::span<const JointKinematics> cuts() const { return cuts_; }
  [[nodiscard]] std::span<JointKinematics> cuts() { return cuts_; }

  /// Poses, inertias and loops at q. \returns which joint or loop stops it; where processes share the branches, the
  /// first right side after it tells
  /// \param u velocities of the poses; empty: not wanted yet
  RhsStatus set_positions(std::span<const double> q, std::span<const double> u = {});
  /// Velocity products, after set_positions.
  void set_velocities(std::span<const double> u);

  /// What acts beside velocities.
  struct Loads {
    std::span<const double> tau;                         ///< dual to u; empty: zero
    std::span<const kernels::LinkWrench<double>> links;  ///< by row about O_k, weights included; empty: weights alone
    std::span<const double> driven;                      ///< prescribed accelerations, by motion
  };
  /// Accelerations for velocities that were set. \param wanted Phi'' of every closing row, without what the links'
  /// accelerations add; \param accelerations receives u'
  RhsStatus accelerate(const Loads& loads, const Eigen::VectorXd& wanted, std::span<double> accelerations);
  /// Impulses in the loops that change Phi' of every closing row as wanted, and prescribed changes; the poses move with
  /// the new velocities. \param driven changes of prescribed velocities, by motion; empty: none \param u is changed
  RhsStatus push(const Eigen::VectorXd& wanted, std::span<const double> driven, std::span<double> u);
  /// Velocities u of momenta: M u = p + Phi_q^T sigma, Phi_q u as wanted. Prescribed joints follow their motion.
  /// \param driven prescribed velocities, by motion; empty: zero \param moves_poses whether the poses move with u
  RhsStatus move(std::span<const double> p, const Eigen::VectorXd& wanted, std::span<const double> driven,
                 std::span<double> u, bool moves_poses);
  /// The multipliers of `move` alone, for constraints that nothing drives: no motion is set.
  RhsStatus find_multipliers(std::span<const double> p);
  /// J^T M V of the velocities of the last `move` or `push`. \param p over u
  void momenta(std::span<double> p);
  /// The same, and p' of all joints. \param loads by row about O_k, weights included, and what loops add
  void momentum_rates(std::span<const double> tau, std::span<const kernels::LinkWrench<double>> loads,
                      std::span<double> own, std::span<double> rates);
  /// Adds Phi_q^T nu of cut joints and couplings with the multipliers of the last `move`, without what prescribed
  /// motions add to their own rows. \param values over u
  void add_closing_momenta(std::span<double> values);
  /// \returns lambda or sigma of all closing rows after `accelerate`, `push` or `move`.
  [[nodiscard]] const Eigen::VectorXd& multipliers() const { return multipliers_; }
  /// \returns [a; alpha] of a body at the point of a cut joint in world axes after `accelerate`, less g where weights
  /// were left to the sweep; -1 is the ground. \param cut placed, with its rates
  [[nodiscard]] Vec6 body_rate_at(int body, const JointKinematics& cut) const;
  /// \returns how many closing rows depend on others.
  [[nodiscard]] int redundant_rows() const;
  /// \returns how many rows count at most where a loop is closed, with all that are closed there.
  [[nodiscard]] Eigen::Index rank_limit(int loop) const;
  /// \returns by closing row whether it counts: others are left out, since nothing that the mechanism can do is felt by
  /// them.
  [[nodiscard]] const std::vector<bool>& rows_are_kept() const { return rows_are_kept_; }

 private:
  /// Memory of one right side.
  struct Side {
    std::vector<kernels::AccelerationRow<double>> rows;
    std::vector<kernels::SphericalAccelerationRow<double>> spheres;
    std::vector<kernels::LinkWrench<double>> wrenches;
    std::vector<kernels::LinkVector<double>> linear;
    std::vector<kernels::LinkVector<double>> angular;
    AlignedMemory rates;
    AlignedMemory wanted;
    AlignedMemory multipliers;
    std::vector<double> right;
    PartRightSide<double> view;
    [[nodiscard]] double* multipliers_of(std::size_t loop) const {
      return multipliers.get() + loop * static_cast<std::size_t>(kLoopLanes);
    }
    BranchLetter inward;  ///< wrenches, and rates of loops that branches leave
    BranchLetter closed;  ///< multipliers of loops that are closed in branches
  };

  /// What the trunk or a branch finds out in set_positions.
  struct Outcome {
    int failed = kSound;  ///< a row, or the loops
    int redundant = 0;    ///< rows that others repeat
    double value = 0.0;   ///< that makes it fail
  };
  /// From how many cut joints on it pays off that threads share them; a region costs as much as ten or twenty.
  static constexpr std::size_t kManyCuts = 48;
  static constexpr std::size_t kManyPacks = 512;  ///< the same, of packs that are cleared or copied
  /// Up to how many rows at the ground H pays off for a position with two right sides: it costs r^3 / 6, and saves
  /// substitutions with their short dependent sums.
  static constexpr int kHalfAtGround = 16;
  static constexpr int kSound = -1;
  static constexpr int kLoops = -2;

  /// The rows that are closed at one place.
  struct Solver {
    SemidefiniteSolver factors;
    Eigen::MatrixXd a;  ///< C, lower triangle
    Eigen::VectorXd smallest;
    Eigen::VectorXd right;
    Eigen::Index most;  ///< limit of the rank
  };

  [[nodiscard]] bool knows_range(int range) const {
    const auto [first, last] = team_.own_branches();
    const auto which = static_cast<std::size_t>(range);
    return range == 0 || (first <= which && which < last);
  }
  void size_side(Side& side) const;
  void point_at_memory();
  void write_letters();
  void write_side(Side& side);
  void write_ends();
  /// Makes everything of other processes' branches no number.
  void forget_others();
  /// Clears inertias and columns of a range that are added to before anything is written there.
  void clear(std::size_t range);
  /// Unit wrenches of all cut joints on their bodies.
  void start_columns(std::size_t which);
  void place_cuts();
  /// Threads have a share each of so many things, if they are many. \param work called with things [first, last)
  template <typename Work>
  void for_shares_of(std::size_t things, std::size_t many, const Work& work) const {
    if (things < many) {
      work(std::size_t{0}, things);
      return;
    }
    team_.for_shares(
        [&](std::size_t index, std::size_t count) { work(things * index / count, things * (index + 1) / count); });
  }
  /// Calls work(range) for all ranges whose poses this process wants: its own, then those of others. Loads may know any
  /// body.
  template <typename Work>
  void for_posed_ranges(const Work& work) const {
    for_ranges(work);
    for (std::size_t range = 1; poses_wanted_ == PosesWanted::bodies && range < tree_.ranges().size(); ++range) {
      if (!knows_range(static_cast<int>(range))) {
        work(range);
      }
    }
  }
  /// Calls of_range(range) for the trunk, then side by side of_range for branches and of_twins for the first of every
  /// group of sections in lanes.
  template <typename OfRange, typename OfTwins>
  void for_ranges_and_twins(const OfRange& of_range, const OfTwins& of_twins) const {
    of_range(std::size_t{0});
    for_branches_and_twins(of_range, of_twins);
  }
  template <typename OfRange, typename OfTwins>
  void for_branches_and_twins(const OfRange& of_range, const OfTwins& of_twins) const {
    team_.for_branches([&](std::size_t range) {
      if (!uses_lanes_ || !twins_->has(range)) {
        of_range(range);
      } else if (twins_->leads(range)) {
        of_twins(range);
      }
    });
  }
  /// The same as place_sections with sections in lanes.
  void place_line(std::span<const double> q, std::span<const double> u);
  /// Poses and velocities of links with ends of cut joints that cross the ends of sections in lanes.
  void place_crossing_ends();
  [[nodiscard]] LineMemory line_memory();
  /// Clears the products of loops that are not closed in lanes.
  void clear_beside_lanes();
  void clear_products();
  void make_twins(const InstructionSet& set);
  /// Poses and perhaps velocities of sections, side by side.
  void place_sections(std::span<const double> q, std::span<const double> u);
  /// \returns the link that a section hangs on; nullptr: the ground, or a range that is no section.
  [[nodiscard]] const LinkPoses::Row* base_of(std::size_t range) const {
    const LinkRange& of = tree_.ranges()[range];
    return bases_.empty() || of.first_root == of.last_root ? nullptr : &bases_[static_cast<std::size_t>(of.first_root)];
  }
  /// Velocities of the links on which sections hang, after impulses have changed them (or made them).
  void move_bases(const Side& side, bool changes);
  /// The trunk, after what branches have left is there. \returns which joint or loop stops it
  RhsStatus finish_positions();
  /// Inertias and loops of the trunk or of a branch.
  [[nodiscard]] Outcome eliminate(std::size_t range);
  /// A group of sections in lanes.
  void eliminate_twins(std::size_t leader);
  /// Unit wrenches of a cut joint on one of its links.
  void start_end(const PartPlan::End& end);
  [[nodiscard]] RhsStatus status_of(const Outcome& outcome) const;
  /// Takes over what branches have left, as far as positions say.
  void join_branches();
  /// Positions at the bases of sections: seams and loops that are closed there. \returns what stops it
  [[nodiscard]] Outcome join_sections();
  /// Makes loops that go on inward from what hangs at a seam those of its section. \returns whether it is finite
  bool join_seam(const PartPlan::Step& step);
  /// H of a seam from the inertia of what hangs there and C. \returns whether both are finite
  bool set_seam_half(const PartPlan::Seam& seam, const Mat6& c, LoopClosing& closing);
  /// A right side at the bases, inward and, once loops at the ground are known, outward.
  void join_right_sides(const Side& side);
  void part_right_sides(const Side& side);
  /// Turning of the links on which sections hang.
  void start_turnings();
  /// \returns whether the matrix of the loops is finite.
  bool close_loops(int which, const PartData<double>& data);
  void gather(const LoopClosing& closing, Solver& solver);
  [[nodiscard]] StretchSize size_of(const PartPlan::Stretch& stretch) const;
  [[nodiscard]] double factor_size(const PartPlan::Stretch& stretch) const;
  /// The diagonal entries of C at which rows of a loop count as zero.
  void set_negligible(int loop, int first_row, Solver& solver);
  void make_solvers();
  /// Rows of cut joints that nothing is felt by, such as those out of the plane of planar loops.
  void leave_out_rows();
  void keep_rows(std::vector<bool> are_kept);
  /// Notes rows that count at the positions that are set.
  void note_felt_rows(std::vector<bool>& felt) const;
  void settle_ranks();
  void lower_ranks(const Eigen::VectorXd& q, int redundant);
  void limit_ranks(Eigen::Index most);
  void set_wanted(const Eigen::VectorXd& wanted, Side& side) const;
  /// From the loads of a side to multipliers of the loops at the ground. \returns what stops it
  RhsStatus solve_inward(Side& side);
  /// Motion, and multipliers of other loops. \param parts data_, or reached_: as far as loops are closed
  void solve_outward(Side& side, std::span<const PartData<double>> parts);
  /// Loads of one range, or of a group of sections in lanes.
  void sweep_inward(const Side& side);
  void take_multipliers(const Side& side);
  /// \param rates receives those of the joints \param velocities called after rates have been received, perhaps for
  /// own branches only: gives the velocities with which the poses move; empty: they stay
  /// \param changes whether the velocities of links are changed by those, or are those
  template <typename Velocities>
  RhsStatus solve(Side& side, std::span<double> rates, const Velocities& velocities, bool changes);
  template <typename Velocities>
  void finish_rates(const Side& side, std::span<double> swept, std::span<double> rates, const Velocities& velocities,
                    bool changes);
  void close_at_ground(Side& side);
  void sweep_momenta(PartMomenta<double>& side, std::span<double> own, std::span<double> rates);
  /// The same for sections, outboard ones first: each needs what those that hang on it transmit.
  void sweep_sections(const PartMomenta<double>& side);
  void gather_impulses();

  const Mechanism* mechanism_;
  std::unique_ptr<SectionsInLanes> twins_;
  bool uses_lanes_ = false;
  std::vector<std::pair<int, int>> cleared_beside_lanes_;  // places of products, [first, last)
  LinkTree tree_;
  PosesWanted poses_wanted_;
  bool keeps_poses_;
  BranchTeam team_;
  LinkPositions positions_;
  LinkPoses poses_;
  PartPlan plan_;
  std::vector<LinkPoses::Row> bases_;  // by seam: the link that a section hangs on
  PartSweeps sweeps_;
  std::vector<PartData<double>> data_;     // by range
  std::vector<PartData<double>> reached_;  // the same without what is outboard of all closings
  std::vector<Outcome> outcomes_;          // by range, of the last positions
  std::vector<StretchSize> sizes_;         // by stretch
  std::vector<JointKinematics> cuts_;
  std::vector<kernels::RunStart<double>> starts_;
  std::vector<kernels::LinkVector<double>> gravity_;
  std::vector<kernels::ArticulatedInertia<double>> inertias_;
  std::vector<kernels::TurnInertia<double>> turns_;
  std::vector<kernels::JointGain<double>> turn_gains_;
  std::vector<kernels::ArticulatedInertia<double>> whole_;
  std::vector<kernels::SlideGain<double>> slide_gains_;
  std::vector<kernels::LinkWrench<double>> screw_gains_;
  std::vector<double> inverses_;
  std::vector<kernels::SphericalInertia<double>> spheres_;
  std::vector<kernels::Matrix3<double>> sphere_gains_;
  std::vector<kernels::Turning<double>> turnings_;
  AlignedMemory columns_;
  AlignedMemory along_;
  AlignedMemory products_;
  AlignedMemory across_;
  std::vector<double> halves_;
  AlignedMemory seam_products_;  // workspace of join_seam
  /// Written at every row: on its own piece of memory, lest threads wait for one another.
  struct alignas(64) Pivot {
    double value = 0.0;
  };
  std::vector<Pivot> pivots_;        // by range
  std::vector<double> joint_rates_;  // over u, by place
  std::vector<double> own_momenta_;  // likewise
  std::unique_ptr<bool[]> loaded_;   // rows that impulses in loops reach on their way inward
  Side accelerations_;
  Side impulses_;
  std::vector<kernels::LinkWrench<double>> loop_impulses_;  // on the links, by row
  std::vector<kernels::LinkWrench<double>> carried_;        // workspace of momenta
  std::vector<double> closing_momenta_;                     // over u
  std::vector<double> changes_;                             // of u, of push; or of nobody
  std::vector<double> pushed_;                              // u after it
  Eigen::VectorXd multipliers_;
  bool pending_ = false;             // whether the trunk waits for what branches leave
  Eigen::VectorXd reduced_;          // H (w - v) at the ground
  std::vector<bool> rows_are_kept_;  // by closing row
  std::vector<Solver> solvers_;      // by closing
  BranchMail mail_;
  BranchLetter end_poses_;       // of bodies on loops that leave a branch
  BranchLetter end_velocities_;  // likewise
  BranchLetter matrices_;        // what branches leave, and their outcomes
  BranchLetter momenta_left_;    // what they leave in a sweep of momenta
  BranchLetter rates_swept_;     // joint_rates_
  BranchLetter momenta_swept_;   // own_momenta_
};

}  // namespace mbdbench
