#pragma once
/// \file
/// Poses and velocities of rows of a LinkTree in world axes, and of the bodies on them: what loads on bodies, markers,
/// point springs and cut joints need, and nothing else needs. One outward sweep.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "formulations/recursion/branch_results.hpp"
#include "formulations/recursion/links/link_tree.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Whose poses in world axes are wanted.
enum class PosesWanted : std::uint8_t {
  cuts,   ///< of what leads to ends of cut joints, and of the bodies there
  rows,   ///< of all rows that this process knows, also where there are no cut joints, and of the bodies as above
  bodies  ///< of all bodies, on every process
};

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

  LinkPoses(const Mechanism& mechanism, const LinkTree& tree, PosesWanted wanted = PosesWanted::bodies);

  /// Poses of a range; those of the trunk first. Inertias of the bodies stay unset.
  /// \param base of a section the row that it hangs on, if it is not the first one
  void set_positions(const LinkTree& tree, const LinkPositions& positions, const LinkRange& range,
                     const Row* base = nullptr);
  /// Velocities of a range after its poses, as often as asked. \param u quasi-velocities
  void set_velocities(const LinkTree& tree, std::span<const double> u, const LinkRange& range,
                      const Row* base = nullptr);
  /// Velocities of the rows and bodies of a range that have ends of cut joints, from those of O_k in the rows' axes.
  /// \param range which of the tree's ranges \param changes whether they are added
  void move_ends(std::size_t range, std::span<const kernels::LinkVector<double>> linear,
                 std::span<const kernels::LinkVector<double>> angular, bool changes);
  /// Takes the frame of a body's row from who knows it, and places and moves the body.
  void take(const LinkTree& tree, std::size_t body, const Row& frame);
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
  /// Bodies with ends of cut joints, and their rows, each once.
  struct Ends {
    std::vector<int> rows;
    std::vector<int> bodies;
  };

  // Neither is ever inlined: their bits are the same wherever they are called, so that what a section has does not
  // depend on who places the rows before it.
  [[gnu::noinline]] static void follow(const LinkTree& tree, const LinkPositions& positions, const WayStep& at,
                                       Row& frame);
  /// \param inner the inboard row; nullptr: the ground
  [[gnu::noinline]] static void move_row(const LinkTree& tree, std::span<const double> u, std::size_t i,
                                         const Row* inner, Row& frame);
  /// The row that a row hangs on; nullptr: the ground.
  [[nodiscard]] const Row* inboard_of(const LinkTree& tree, int row, const LinkRange& range, const Row* base) const;
  void place_body(const LinkTree& tree, std::size_t body);
  void move_body(std::size_t body);
  /// Calls work(body) for all bodies of a range that somebody asks about.
  template <typename Work>
  void for_bodies(const LinkTree& tree, const LinkRange& range, const Work& work) const;

  BodyMotions bodies_;
  std::vector<Row> rows_;
  std::vector<kernels::LinkWrench<double>> wrenches_;
  std::vector<Ends> ends_;           // by range
  std::vector<int> rows_of_bodies_;  // -1: fixed to the ground
  std::vector<char> row_is_wanted_;  // a row that leads to another one is, if that is
  std::vector<char> body_is_wanted_;
};

}  // namespace mbdbench
