#include "formulations/recursion/link_poses.hpp"

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

Mat3 matrix(const kernels::Matrix3<double>& m) {
  Mat3 r;
  r << m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz;
  return r;
}

Vec3 triple(std::span<const double> values, int first) {
  return {values[index_of(first)], values[index_of(first) + 1], values[index_of(first) + 2]};
}

}  // namespace

// From the frame of the inboard row (or the run's start) to that of row i.
void LinkPoses::step(const LinkTree& tree, const LinkPositions& positions, std::span<const double> u, std::size_t i,
                     Row& frame) {
  const LinkRow& row = tree.rows()[i];
  if (row.kind == RowKind::spherical || row.kind == RowKind::free) {
    const auto k = index_of(row.ordinal);
    const SphericalConstants& constants = tree.spherical()[k];
    const Vec3 way = frame.axes * Vec3(positions.levers[k].x, positions.levers[k].y, positions.levers[k].z);
    frame.origin += way;
    frame.velocity += frame.omega.cross(way);
    if (row.kind == RowKind::free) {
      frame.velocity += frame.axes * (matrix(constants.axes_a) * triple(u, row.u + 3));
    }
    frame.axes *= matrix(positions.rotations[k]);
    frame.omega += frame.axes * (matrix(constants.axes_b) * triple(u, row.u));
    return;
  }
  const kernels::LinkConstants<double>& link = tree.links()[i];
  const kernels::LinkVector<double> r = kernels::lever(link, positions.slides[i]);
  const Vec3 way = frame.axes * Vec3(r.x, r.y, r.z);
  frame.origin += way;
  frame.velocity += frame.omega.cross(way);
  const double c = positions.cosines[i];
  const double s = positions.sines[i];
  Mat3 turn;
  turn << c, -s, 0.0, link.cos_alpha * s, link.cos_alpha * c, -link.sin_alpha, link.sin_alpha * s, link.sin_alpha * c,
      link.cos_alpha;
  frame.axes *= turn;
  const bool slides = row.kind == RowKind::prismatic || row.kind == RowKind::driven_prismatic;
  (slides ? frame.velocity : frame.omega) += u[index_of(row.u)] * frame.axes.col(2);
}

void LinkPoses::evaluate(const LinkTree& tree, const LinkPositions& positions, std::span<const double> u) {
  for (const LinkRun& run : tree.runs()) {
    Row frame;
    if (run.slot >= 0) {
      frame = rows_[index_of(slot_rows_[index_of(run.slot)])];
      const Vec3 way = run.start.d * frame.axes.col(2);
      frame.origin += way;
      frame.velocity += frame.omega.cross(way);
      const Vec3 x = run.start.cos_beta * frame.axes.col(0) + run.start.sin_beta * frame.axes.col(1);
      frame.axes.col(1) = run.start.cos_beta * frame.axes.col(1) - run.start.sin_beta * frame.axes.col(0);
      frame.axes.col(0) = x;
    } else {
      frame.axes = run.axes;
      frame.origin = run.origin;
    }
    for (std::size_t i = index_of(run.first); i < index_of(run.last); ++i) {
      step(tree, positions, u, i, frame);
      rows_[i] = frame;
      if (tree.rows()[i].slot >= 0) {
        slot_rows_[index_of(tree.rows()[i].slot)] = static_cast<int>(i);
      }
    }
  }
  for (std::size_t k = 0; k < tree.bodies().size(); ++k) {
    const BodyOnRow& place = tree.bodies()[k];
    BodyKinematics& body = bodies_.bodies()[k];
    const Row frame = place.row < 0 ? Row{} : rows_[index_of(place.row)];
    body.rotation.noalias() = frame.axes * place.rotation;
    body.origin = frame.origin + frame.axes * place.origin;
    body.com = body.origin + body.rotation * bodies_.mechanism().bodies()[k].com;
    body.velocity << frame.velocity + frame.omega.cross(body.com - frame.origin), frame.omega;
  }
}

void LinkPoses::add(std::size_t row, const Vec3& place, const Vec6& wrench) {
  const Row& frame = rows_[row];
  const Vec3 force = wrench.head<3>();
  const Vec3 f = frame.axes.transpose() * force;
  const Vec3 n = frame.axes.transpose() * (wrench.tail<3>() + (place - frame.origin).cross(force));
  kernels::add_wrench({f.x(), f.y(), f.z(), n.x(), n.y(), n.z()}, wrenches_[row]);
}

}  // namespace mbdbench
