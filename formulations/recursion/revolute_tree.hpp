#pragma once
/// \file
/// A tree of revolute joints under gravity alone, in frames that are chosen anew at set-up so that recursions in link
/// frames become short.
///
/// The frame of link k has z along its inboard joint's axis, its origin O_k on that axis. Seen from the inboard link's
/// frame it is
///
///   T(p_x, p_y, 0) Rx(alpha) Rz(q_k + constant)
///
/// O of the inboard link is the foot of O_k on its own axis, hence no p_z; its x axis is normal to both axes, hence one
/// angle alpha. Nothing is divided by the sine of an angle between axes, so that parallel and almost parallel axes are
/// no special case. A link has only one frame to give: its first child (the one with most links outboard) continues
/// the `run`, every other child starts a run of its own behind an additional constant T(0, 0, d) Rz(beta). So does a
/// child whose O would lead far away along the axes.
#include <span>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Constants of one link in its own frame.
struct RevoluteLink {
  double px = 0.0;  ///< O_k in the frame of the inboard link (of the run's start for its first link)
  double py = 0.0;
  double cos_alpha = 1.0;
  double sin_alpha = 0.0;
  double mass = 0.0;
  double hx = 0.0;  ///< first moment m (C - O_k)
  double hy = 0.0;
  double hz = 0.0;
  double jxx = 0.0;  ///< inertia about O_k
  double jxy = 0.0;
  double jxz = 0.0;
  double jyy = 0.0;
  double jyz = 0.0;
  double jzz = 0.0;
  double outboard_mass = 0.0;  ///< of this link and all links outboard of it
  int slot = -1;               ///< where runs that start at this link leave what they carry inward; -1: none do
};

/// A chain of links, positions [first, last), each the first child of the one before.
struct RevoluteRun {
  int first = 0;
  int last = 0;
  int slot = -1;  ///< of the link where the run starts; -1: the ground
  double cos_beta = 1.0;
  double sin_beta = 0.0;
  double d = 0.0;
  Vec3 gravity = Vec3::Zero();  ///< in the run's start frame; ground only
};

/// Frames, constants and order of the links. Inboard links come before outboard ones.
class RevoluteTree {
 public:
  /// \returns whether all joints are revolute tree joints without prescribed motion and gravity is the only load.
  static bool describes(const Mechanism& mechanism);

  /// \param mechanism one that `describes` accepts
  explicit RevoluteTree(const Mechanism& mechanism);

  [[nodiscard]] std::size_t size() const { return links_.size(); }
  [[nodiscard]] std::span<const RevoluteLink> links() const { return links_; }
  [[nodiscard]] std::span<const RevoluteRun> runs() const { return runs_; }
  /// \returns the constants added to q, by position.
  [[nodiscard]] std::span<const double> offsets() const { return angles_; }
  /// \returns which body (joint, component of q and u) stands at each position.
  [[nodiscard]] std::span<const int> bodies() const { return bodies_; }
  [[nodiscard]] int slot_count() const { return slot_count_; }

  /// Sines and cosines of all q_k + constant, by position. \param q by body \param angles workspace
  void set_angles(std::span<const double> q, std::span<double> angles, std::span<double> sines,
                  std::span<double> cosines) const;

 private:
  /// Where a link's frame sits on its body.
  struct Frame {
    Mat3 axes = Mat3::Identity();  // columns x, y, z in body axes
    Vec3 origin = Vec3::Zero();    // in the body's frame
    double slide = 0.0;            // O_k minus the joint's origin, along the axis
  };
  /// What `T(0, 0, d) Rz(beta) T(px, py, 0) Rx(alpha)` and the joint's constant angle are for one child.
  struct Placement {
    double beta = 0.0;
    double d = 0.0;
    double px = 0.0;
    double py = 0.0;
    double cos_alpha = 1.0;
    double sin_alpha = 0.0;
    double angle = 0.0;
  };

  void choose_first_children(const Mechanism& mechanism);
  void choose_frames(const Mechanism& mechanism);
  void order_links(const Mechanism& mechanism);
  [[nodiscard]] Placement place(const Mechanism& mechanism, int body) const;
  void set_link(const Mechanism& mechanism, int body, const Placement& placement);

  std::vector<RevoluteLink> links_;
  std::vector<RevoluteRun> runs_;
  std::vector<int> bodies_;
  std::vector<double> angles_;  // the constants added to q
  int slot_count_ = 0;
  // Set-up only, by body.
  std::vector<Frame> frames_;
  std::vector<int> first_child_;
  std::vector<double> outboard_mass_;
};

}  // namespace mbdbench
