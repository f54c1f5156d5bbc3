#pragma once
/// \file
/// What recursions over an open tree in link frames share: rows and positions, threads and processes that share the
/// branches of the tree, and which row stops them. LinkAba and LinkNaudet are their arithmetic.
#include <cmath>
#include <span>
#include <vector>

#include "formulations/execution/branch_mail.hpp"
#include "formulations/recursion/branch_results.hpp"
#include "formulations/recursion/links/link_tree.hpp"
#include "formulations/recursion/links/row_sweeps.hpp"

namespace mbdbench {

/// The row that stops a sweep over the trunk or over a branch (row_sweeps.hpp).
struct LinkFailure {
  int row = -1;  ///< -1: none does
  double pivot = 0.0;

  MBDBENCH_KERNEL bool stops(int i, double value) {
    if (value > 0.0) {
      return false;
    }
    *this = {i, value};
    return true;
  }
  /// What is not a number at a link stays so outboard of it.
  MBDBENCH_KERNEL bool breaks(int i, double value) {
    if (std::isfinite(value)) {
      return false;
    }
    *this = {i, value};
    return true;
  }
};

/// Allocates nothing after construction.
class LinkRecursion {
 public:
  LinkRecursion(const LinkRecursion&) = delete;
  LinkRecursion& operator=(const LinkRecursion&) = delete;
  LinkRecursion(LinkRecursion&&) = delete;
  LinkRecursion& operator=(LinkRecursion&&) = delete;

  [[nodiscard]] const LinkTree& tree() const { return tree_; }
  /// \returns those that were set last.
  [[nodiscard]] const LinkPositions& positions() const { return positions_; }
  [[nodiscard]] const BranchTeam& team() const { return team_; }
  /// Those of the branches of other processes too, where loads need them.
  void set_other_positions(std::span<const double> q);
  /// \returns of the joint that `evaluate` has told of.
  [[nodiscard]] double failed_pivot() const { return failure_.pivot; }

 protected:
  /// \param execution processes and threads share the branches of the tree
  LinkRecursion(const Mechanism& mechanism, const Execution& execution);
  ~LinkRecursion() = default;

  /// What branches carry to the trunk, and what sweeps outward find. \param found by LinkRow::place
  template <typename Carried>
  void write_letters(std::span<Carried> roots, std::initializer_list<std::span<double>> found) {
    add_roots(roots, left_);
    for (std::size_t b = 1; b < failures_.size(); ++b) {
      left_.add(b, std::span(&failures_[b], 1));
      found_.add(b, std::span(&failures_[b], 1));
    }
    for (const std::span<double> numbers : found) {
      add_places(tree_, numbers, found_);
    }
    mail_.post(left_);
    mail_.post(found_);
  }
  template <typename Carried>
  void add_roots(std::span<Carried> roots, BranchLetter& letter) const {
    for (std::size_t b = 1; b < tree_.ranges().size(); ++b) {
      const LinkRange& range = tree_.ranges()[b];
      letter.add(b, roots.subspan(static_cast<std::size_t>(range.first_root),
                                  static_cast<std::size_t>(range.last_root - range.first_root)));
    }
  }

  /// The constants and the positions of a tree, for the sweeps.
  void point_at_rows(RowData<double>& data) const;
  [[nodiscard]] const LinkRun* first_run(const LinkRange& range) const { return tree_.runs().data() + range.first_run; }
  [[nodiscard]] const LinkRun* last_run(const LinkRange& range) const { return tree_.runs().data() + range.last_run; }

  /// Calls inward(range, failure) for the branches, side by side, and then, after `join` of what they leave, for the
  /// trunk. \returns whether no row stops them
  template <typename Inward, typename Join>
  bool sweep_branches_first(const Inward& inward, const Join& join) {
    team_.for_branches([&](std::size_t b) {
      failures_[b] = {};
      inward(tree_.ranges()[b], failures_[b]);
    });
    mail_.send({&left_});
    failures_.front() = {};
    for (const int root : tree_.roots()) {
      join(tree_.runs()[static_cast<std::size_t>(root)]);
    }
    inward(tree_.ranges().front(), failures_.front());
    return settle();
  }
  /// Calls outward(range, failure) for the trunk and then for the branches; all processes have what was found.
  template <typename Outward>
  bool sweep_trunk_first(const Outward& outward) {
    failures_.front() = {};
    outward(tree_.ranges().front(), failures_.front());
    team_.for_branches([&](std::size_t b) { outward(tree_.ranges()[b], failures_[b]); });
    mail_.send({&found_});
    return settle();
  }
  /// \returns the tree joint whose articulated inertia is not positive.
  [[nodiscard]] int failed_joint() const { return tree_.joint(static_cast<std::size_t>(failure_.row)); }

  LinkTree tree_;
  BranchTeam team_;
  BranchMail mail_;
  LinkPositions positions_;

 private:
  /// \returns whether no range has failed; keeps the first that has.
  bool settle();

  std::vector<LinkFailure> failures_;  // by range
  LinkFailure failure_;
  BranchLetter left_;   // what branches leave, and their failures
  BranchLetter found_;  // what sweeps outward find, and their failures
};

}  // namespace mbdbench
