#pragma once
/// \file
/// Poses and velocities of all rows of a LinkTree in world axes, and of the bodies on them: what loads on bodies,
/// markers and point springs need, and nothing else needs. One outward sweep.
#include <algorithm>
#include <span>
#include <vector>

#include "formulations/recursion/branch_results.hpp"
#include "formulations/recursion/links/link_tree.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Workspace, sized once.
class LinkPoses {
 public:
  /// Frame of a row and the velocity of its O_k, in world axes.
  struct Row {
    Mat3 axes = Mat3::Identity();
    Vec3 origin = Vec3::Zero();
    Vec3 velocity = Vec3::Zero();
    Vec3 omega = Vec3::Zero();
  };

  /// A row on a way, and the run that it begins, -1: none.
  struct WayStep {
    int row = 0;
    int run = -1;
  };

  LinkPoses(const Mechanism& mechanism, const LinkTree& tree);

  /// Poses of a range; those of the trunk first. Inertias of the bodies stay unset.
  void set_positions(const LinkTree& tree, const LinkPositions& positions, const LinkRange& range);
  /// Velocities of a range after its poses, as often as asked. \param u quasi-velocities
  void set_velocities(const LinkTree& tree, std::span<const double> u, const LinkRange& range);
  /// The same of a section. \param base the row that it hangs on; of the first one nothing
  void set_section_positions(const LinkTree& tree, const LinkPositions& positions, const LinkRange& range,
                             const Row* base);
  void set_section_velocities(const LinkTree& tree, std::span<const double> u, const LinkRange& range, const Row* base);
  /// \returns what the last row of a way from the ground has, with the same bits, from nothing but the coordinates.
  /// \param u empty: its velocity is not wanted
  static Row at_end(const LinkTree& tree, const LinkPositions& positions, std::span<const double> u,
                    std::span<const WayStep> way);
  [[nodiscard]] const BodyMotions& bodies() const { return bodies_; }
  [[nodiscard]] const Row& row(std::size_t i) const { return rows_[i]; }
  /// Both for who knows some of them from another process.
  [[nodiscard]] BodyMotions& bodies() { return bodies_; }
  [[nodiscard]] Row& row(std::size_t i) { return rows_[i]; }

  /// Takes a wrench on every body at its centre of mass in world axes to its row, about O_k in the row's axes.
  template <typename WrenchOfBody>
  void collect(const LinkTree& tree, const LinkRange& range, const WrenchOfBody& wrench_of_body) {
    std::fill(wrenches_.begin() + range.first_row, wrenches_.begin() + range.last_row, kernels::LinkWrench<double>{});
    for (int place = range.first_body; place < range.last_body; ++place) {
      const int k = tree.body_order()[static_cast<std::size_t>(place)];
      if (const int row = tree.bodies()[static_cast<std::size_t>(k)].row; row >= 0) {
        const auto to = static_cast<std::size_t>(row);
        add_wrench_at(to, bodies_.body(k).com, wrench_of_body(k), wrenches_[to]);
      }
    }
  }
  /// Adds a wrench at a point, in world axes, to one about O of a row in the row's axes.
  void add_wrench_at(std::size_t row, const Vec3& point, const Vec6& wrench, kernels::LinkWrench<double>& to) const;
  /// \returns what was collected, by row.
  [[nodiscard]] std::span<const kernels::LinkWrench<double>> wrenches() const { return wrenches_; }

 private:
  static void step(const LinkTree& tree, const LinkPositions& positions, std::size_t i, Row& frame);
  // Never inlined: their bits are the same wherever they are called.
  [[gnu::noinline]] static void follow(const LinkTree& tree, const LinkPositions& positions, const WayStep& at,
                                       Row& frame);
  /// \param inner the inboard row; nullptr: the ground
  [[gnu::noinline]] static void move_row(const LinkTree& tree, std::span<const double> u, std::size_t i,
                                         const Row* inner, Row& frame);
  void place_bodies(const LinkTree& tree, const LinkRange& range);
  void move_bodies(const LinkTree& tree, const LinkRange& range);

  BodyMotions bodies_;
  std::vector<Row> rows_;
  std::vector<kernels::LinkWrench<double>> wrenches_;
};

}  // namespace mbdbench
