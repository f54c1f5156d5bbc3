#pragma once
/// \file
/// A tree of any joints in frames that are chosen anew at set-up so that recursions in link frames become short.
///
/// Every step of the tree (link_elements.hpp) is a `row`. The frame of row k has z along its joint's axis, its origin
/// O_k on that axis. Seen from the inboard row's frame it is
///
///   T(px, py, 0) Rx(alpha) Rz(theta) T(0, 0, d)      theta = q + constant, d = 0     turns
///                                                    theta constant, d = q + constant     slides
///
/// O of the inboard link is the foot of O_k on its own axis (of a slide: of where it slides from), hence no p_z; its x
/// axis is normal to both axes, hence one angle alpha. Nothing is divided by the sine of an angle between axes, so that
/// parallel and almost parallel axes are no special case. Where the inboard joint is spherical or free, O is its centre
/// and z any direction normal to the way to O_k. Rows of spherical and free joints have a rotation R and a lever of
/// their own.
///
/// A link has only one frame to give: its first child (the one with most elements outboard) continues the `run`, every
/// other child starts a run of its own behind an additional constant T(0, 0, d) Rz(beta). So does a child whose O would
/// lead far away along the axes, and one that begins a branch. Within a run neighbouring rows of one kind form a
/// segment. Rows of the trunk come first, then those of one branch after another (tree_division.hpp).
#include <span>
#include <vector>

#include "formulations/recursion/links/link_elements.hpp"
#include "formulations/recursion/links/link_rows.hpp"
#include "formulations/recursion/tree_division.hpp"

namespace mbdbench {

inline kernels::Matrix3<double> plain_of(const Mat3& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
}

inline kernels::LinkVector<double> plain_of(const Vec3& r) {
  return {r.x(), r.y(), r.z()};
}

inline Mat3 matrix_of(const kernels::Matrix3<double>& m) {
  Mat3 r;
  r << m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz;
  return r;
}

/// Where a body sits on a row: -1 on the ground.
struct BodyOnRow {
  int row = -1;
  Mat3 rotation = Mat3::Identity();  ///< body axes to the row's (world)
  Vec3 origin = Vec3::Zero();        ///< of the body's frame, in the row's frame (world)
};

/// What belongs to the trunk, or to one branch: neighbours everywhere, [first, last).
struct LinkRange {
  int first_row = 0;
  int last_row = 0;
  int first_run = 0;
  int last_run = 0;
  int first_slot = 0;
  int last_slot = 0;
  int first_turn = 0;  ///< rows whose theta has a coordinate
  int last_turn = 0;
  int first_sliding = 0;  ///< rows whose d has
  int last_sliding = 0;
  int first_spherical = 0;
  int last_spherical = 0;
  int first_root = 0;  ///< runs from the trunk into this branch
  int last_root = 0;
  int first_body = 0;  ///< among body_order
  int last_body = 0;
  double cost = 0.0;  ///< of a branch, ns about
};

/// What depends on q, by row. Filled by LinkTree::set_positions.
struct LinkPositions {
  std::vector<double> angles;  // workspace
  std::vector<double> sines;
  std::vector<double> cosines;
  std::vector<double> slides;                       ///< d
  std::vector<kernels::Matrix3<double>> rotations;  ///< R of spherical and free rows, by ordinal
  std::vector<kernels::LinkVector<double>> levers;  ///< O_k of spherical and free rows in the inboard row's frame
};

/// Frames, constants and order of the rows. Inboard rows come before outboard ones.
class LinkTree {
 public:
  /// \param mechanism any; cut joints are left out
  /// \param section_bodies with branches: 0, about how many bodies each section shall have, or kSectionsInLanes
  explicit LinkTree(const Mechanism& mechanism, TreeLayout layout = TreeLayout::whole, int section_bodies = 0);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] std::span<const kernels::LinkConstants<double>> links() const { return links_; }
  [[nodiscard]] std::span<const LinkRow> rows() const { return rows_; }
  [[nodiscard]] std::span<const LinkRun> runs() const { return runs_; }
  [[nodiscard]] std::span<const LinkSegment> segments() const { return segments_; }
  [[nodiscard]] std::span<const SphericalConstants> spherical() const { return spherical_; }
  /// \returns for every body of the mechanism where it sits.
  [[nodiscard]] std::span<const BodyOnRow> bodies() const { return bodies_; }
  /// \returns the trunk, with all bodies that do not move, and the branches, in the order of the rows.
  [[nodiscard]] std::span<const LinkRange> ranges() const { return ranges_; }
  /// \returns whether the branches are sections (tree_division.hpp), one hanging on another.
  [[nodiscard]] bool in_sections() const { return in_sections_; }
  /// \returns how many sections, from the second one on, are to be alike (TreeDivision::twins).
  [[nodiscard]] int twin_count() const { return division_.twins; }
  /// \returns the runs that lead from the trunk, or from another section, into branches.
  [[nodiscard]] std::span<const int> roots() const { return roots_; }
  /// \returns bodies by the range that they are in.
  [[nodiscard]] std::span<const int> body_order() const { return body_order_; }
  /// \returns LinkRow::place by quasi-velocity; empty where places are quasi-velocities. Threads that write side by
  /// side into one piece of memory wait for one another: in shared branches each has its own.
  [[nodiscard]] std::span<const int> places() const { return places_; }
  /// \returns the tree joint that a row is a part of.
  [[nodiscard]] int joint(std::size_t row) const {
    return elements_[static_cast<std::size_t>(rows_[row].element)].joint;
  }
  /// \returns the constants of theta, by row.
  [[nodiscard]] std::span<const double> offsets() const { return angles_; }
  [[nodiscard]] int slot_count() const { return slot_count_; }
  /// \returns how many rows slide or are driven.
  [[nodiscard]] int general_count() const { return general_count_; }

  /// \returns workspace of the right size.
  [[nodiscard]] LinkPositions positions() const;
  /// Sines, cosines, slides, rotations and levers. Quaternions of any non-zero length.
  void set_positions(std::span<const double> q, LinkPositions& positions) const;
  /// The same for the rows of one range.
  void set_positions(std::span<const double> q, const LinkRange& range, LinkPositions& positions) const;

 private:
  /// Where a link's frame sits on its element.
  struct Frame {
    Mat3 axes = Mat3::Identity();  // columns x, y, z in the element's axes
    Vec3 origin = Vec3::Zero();    // in the element's axes
    double slide = 0.0;            // O_k minus the step's origin, along the axis
  };
  /// What `T(0, 0, d) Rz(beta) T(px, py, 0) Rx(alpha)` and the constants of theta and d are for one child.
  struct Placement {
    double beta = 0.0;
    double d = 0.0;
    double px = 0.0;
    double py = 0.0;
    double cos_alpha = 1.0;
    double sin_alpha = 0.0;
    double angle = 0.0;
    double slide = 0.0;
    Mat3 start_axes = Mat3::Identity();  // of the run's start frame if it should start here, in the inboard axes
    Vec3 start_origin = Vec3::Zero();
  };

  [[nodiscard]] int branch_of(int element) const;
  void choose_first_children();
  void choose_frames(const Mechanism& mechanism);
  void order_rows(const Mechanism& mechanism);
  void add_run(const Mechanism& mechanism, int start, std::vector<int>& position);
  void open_range(int branch);
  void close_range();
  void number_slots();
  void number_places(const Mechanism& mechanism);
  void place_bodies(std::span<const int> position);
  void number_turns();
  [[nodiscard]] Placement place(int element) const;
  void add_row(const Mechanism& mechanism, int element, const Placement& placement);
  /// \returns O of the element when its coordinates are zero, in the inboard element's axes.
  [[nodiscard]] Vec3 place_of_origin(int element) const;

  std::vector<kernels::LinkConstants<double>> links_;
  std::vector<LinkRow> rows_;
  std::vector<LinkRun> runs_;
  std::vector<LinkSegment> segments_;
  std::vector<SphericalConstants> spherical_;
  std::vector<BodyOnRow> bodies_;
  std::vector<LinkRange> ranges_;
  std::vector<int> roots_;
  std::vector<int> body_order_;
  std::vector<int> places_;
  std::vector<double> angles_;  // the constants of theta
  std::vector<double> slides_;  // and of d
  std::vector<int> turns_;      // rows whose theta has a coordinate
  std::vector<int> turn_coordinates_;
  std::vector<int> sliding_rows_;
  std::vector<int> spherical_rows_;
  std::vector<LinkElement> elements_;
  int slot_count_ = 0;
  int general_count_ = 0;
  bool in_sections_ = false;
  // Set-up only, by element.
  std::vector<Frame> frames_;
  TreeLayout layout_;
  TreeDivision division_;
  std::vector<int> first_child_;
  std::vector<double> outboard_mass_;
  std::vector<std::vector<int>> bodies_of_;
  std::vector<BodyPlace> body_places_;
};

/// \returns the segments of runs, one run after another; the runs receive theirs.
std::vector<LinkSegment> divide_into_segments(std::span<const LinkRow> rows, std::span<LinkRun> runs);

}  // namespace mbdbench
