#include "formulations/naudet/loop_geometry.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

LoopGeometry::LoopGeometry(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      tree_(mechanism),
      positions_(tree_.positions()),
      poses_(mechanism, tree_, PosesWanted::cuts),
      cuts_(mechanism.cut_joints().size()),
      rows_(index_of(mechanism.u_size())) {
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    const LinkRow& row = tree_.rows()[i];
    const int width = row.kind == RowKind::free ? 6 : row.kind == RowKind::spherical ? 3 : 1;
    std::fill_n(rows_.begin() + row.u, width, static_cast<int>(i));
  }
}

void LoopGeometry::set_positions(std::span<const double> q) {
  tree_.set_positions(q, positions_);
  for (const LinkRange& range : tree_.ranges()) {
    poses_.set_positions(tree_, positions_, range);
  }
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    place_joint(cut, poses_.bodies().body(cut.a), poses_.bodies().body(cut.b), cuts_[c]);
  }
}

// What is on no way has no pose and is at the origin.
double LoopGeometry::largest_distance() const {
  double largest = 0.0;
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    largest = std::max(largest, poses_.row(i).origin.lpNorm<Eigen::Infinity>());
  }
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    largest = std::max(largest, poses_.bodies().body(k).origin.lpNorm<Eigen::Infinity>());
  }
  return largest;
}

Vec6 LoopGeometry::motion(int component, const Vec3& point) const {
  const int at = rows_[index_of(component)];
  const LinkRow& row = tree_.rows()[index_of(at)];
  const LinkPoses::Row& frame = poses_.row(index_of(at));
  const int direction = component - row.u;
  const auto turn = [&](const Vec3& axis) {
    Vec6 motion;
    motion << axis.cross(point - frame.origin), axis;
    return motion;
  };
  const auto slide = [](const Vec3& along) {
    Vec6 motion;
    motion << along, Vec3::Zero();
    return motion;
  };
  if (is_sphere(row.kind)) {
    const SphericalConstants& constants = tree_.spherical()[index_of(row.ordinal)];
    if (direction < 3) {
      return turn(frame.axes * matrix_of(constants.axes_b).col(direction));
    }
    const Vec3 along = matrix_of(constants.axes_a).col(direction - 3);  // in the inboard row's axes
    return slide(row.inboard < 0 ? along : Vec3(poses_.row(index_of(row.inboard)).axes * along));
  }
  const Vec3 axis = frame.axes.col(2);
  if (row.kind == RowKind::prismatic || row.kind == RowKind::driven_prismatic) {
    return slide(axis);
  }
  Vec6 motion = turn(axis);
  if (row.kind == RowKind::screw || row.kind == RowKind::driven_screw) {
    motion.head<3>() += row.pitch * axis;
  }
  return motion;
}

}  // namespace mbdbench
