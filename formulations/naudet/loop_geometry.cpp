#include "formulations/naudet/loop_geometry.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

LoopGeometry::Tree::Tree(const Mechanism& mechanism)
    : links(mechanism),
      positions(links.positions()),
      poses(mechanism, links, PosesWanted::cuts),
      cuts(mechanism.cut_joints().size()) {}

LoopGeometry::LoopGeometry(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      own_(std::make_unique<Tree>(mechanism)),
      tree_(&own_->links),
      poses_(&own_->poses),
      cuts_(own_->cuts) {
  find_rows();
}

LoopGeometry::LoopGeometry(const Mechanism& mechanism, const PartRecursion& part)
    : mechanism_(&mechanism), tree_(&part.tree()), poses_(&part.poses()), cuts_(part.cuts()) {
  find_rows();
}

void LoopGeometry::find_rows() {
  rows_.resize(index_of(mechanism_->u_size()));
  for (std::size_t i = 0; i < tree_->size(); ++i) {
    const LinkRow& row = tree_->rows()[i];
    const int width = row.kind == RowKind::free ? 6 : row.kind == RowKind::spherical ? 3 : 1;
    std::fill_n(rows_.begin() + row.u, width, static_cast<int>(i));
  }
}

void LoopGeometry::set_positions(std::span<const double> q) {
  own_->links.set_positions(q, own_->positions);
  for (const LinkRange& range : tree_->ranges()) {
    own_->poses.set_positions(own_->links, own_->positions, range);
  }
  const BodyMotions& bodies = own_->poses.bodies();
  for (std::size_t c = 0; c < own_->cuts.size(); ++c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    place_joint(cut, bodies.body(cut.a), bodies.body(cut.b), own_->cuts[c]);
  }
}

// What is on no way has no pose and is at the origin.
double LoopGeometry::largest_distance() const {
  double largest = 0.0;
  for (std::size_t i = 0; i < tree_->size(); ++i) {
    largest = std::max(largest, poses_->row(i).origin.lpNorm<Eigen::Infinity>());
  }
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    largest = std::max(largest, poses_->bodies().body(k).origin.lpNorm<Eigen::Infinity>());
  }
  return largest;
}

LoopGeometry::Motion LoopGeometry::motion(int component, const Vec3& point) const {
  const int at = rows_[index_of(component)];
  const LinkRow& row = tree_->rows()[index_of(at)];
  const LinkPoses::Row& frame = poses_->row(index_of(at));
  const auto turn = [&](const Vec3& axis) { return Motion{axis.cross(point - frame.origin), axis}; };
  if (is_sphere(row.kind)) {
    const SphericalConstants& constants = tree_->spherical()[index_of(row.ordinal)];
    const int direction = component - row.u;
    if (direction < 3) {
      return turn(frame.axes * matrix_of(constants.axes_b).col(direction));
    }
    const Vec3 along = matrix_of(constants.axes_a).col(direction - 3);  // in the inboard row's axes
    return {row.inboard < 0 ? along : Vec3(poses_->row(index_of(row.inboard)).axes * along), Vec3::Zero()};
  }
  const Vec3 axis = frame.axes.col(2);
  if (row.kind == RowKind::prismatic || row.kind == RowKind::driven_prismatic) {
    return {axis, Vec3::Zero()};
  }
  Motion motion = turn(axis);
  if (row.kind == RowKind::screw || row.kind == RowKind::driven_screw) {
    motion.linear += row.pitch * axis;
  }
  return motion;
}

}  // namespace mbdbench
