#include "formulations/recursion/links/link_poses.hpp"

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

Vec3 triple(std::span<const double> values, int first) {
  return {values[index_of(first)], values[index_of(first) + 1], values[index_of(first) + 2]};
}

}  // namespace

LinkPoses::LinkPoses(const Mechanism& mechanism, const LinkTree& tree)
    : bodies_(mechanism), rows_(tree.size()), wrenches_(tree.size()) {}

// From the frame of the inboard row (or the run's start) to that of row i.
void LinkPoses::step(const LinkTree& tree, const LinkPositions& positions, std::size_t i, Row& frame) {
  const LinkRow& row = tree.rows()[i];
  if (is_sphere(row.kind)) {
    const auto k = index_of(row.ordinal);
    frame.origin += frame.axes * Vec3(positions.levers[k].x, positions.levers[k].y, positions.levers[k].z);
    frame.axes *= matrix_of(positions.rotations[k]);
    return;
  }
  const kernels::LinkConstants<double>& link = tree.links()[i];
  const kernels::LinkVector<double> r = kernels::lever(link, positions.slides[i]);
  frame.origin += frame.axes * Vec3(r.x, r.y, r.z);
  const double c = positions.cosines[i];
  const double s = positions.sines[i];
  Mat3 turn;
  turn << c, -s, 0.0, link.cos_alpha * s, link.cos_alpha * c, -link.sin_alpha, link.sin_alpha * s, link.sin_alpha * c,
      link.cos_alpha;
  frame.axes *= turn;
}

void LinkPoses::set_positions(const LinkTree& tree, const LinkPositions& positions, const LinkRange& range) {
  for (const LinkRun& run : runs_of(tree, range)) {
    Row frame;
    if (run.slot >= 0) {
      frame = rows_[index_of(tree.rows()[index_of(run.first)].inboard)];
      frame.origin += run.start.d * frame.axes.col(2);
      const Vec3 x = run.start.cos_beta * frame.axes.col(0) + run.start.sin_beta * frame.axes.col(1);
      frame.axes.col(1) = run.start.cos_beta * frame.axes.col(1) - run.start.sin_beta * frame.axes.col(0);
      frame.axes.col(0) = x;
    } else {
      frame.axes = matrix_of(run.axes);
      frame.origin = {run.origin.x, run.origin.y, run.origin.z};
    }
    for (std::size_t i = index_of(run.first); i < index_of(run.last); ++i) {
      step(tree, positions, i, frame);
      rows_[i] = frame;
    }
  }
  for (int b = range.first_body; b < range.last_body; ++b) {
    const auto k = index_of(tree.body_order()[index_of(b)]);
    const BodyOnRow& place = tree.bodies()[k];
    BodyKinematics& body = bodies_.bodies()[k];
    const Row ground;
    const Row& frame = place.row < 0 ? ground : rows_[index_of(place.row)];
    body.rotation.noalias() = frame.axes * place.rotation;
    body.origin = frame.origin + frame.axes * place.origin;
    body.com = body.origin + body.rotation * bodies_.mechanism().bodies()[k].com;
  }
}

void LinkPoses::set_velocities(const LinkTree& tree, std::span<const double> u, const LinkRange& range) {
  for (std::size_t i = index_of(range.first_row); i < index_of(range.last_row); ++i) {
    const LinkRow& row = tree.rows()[i];
    Row& frame = rows_[i];
    frame.velocity.setZero();
    frame.omega.setZero();
    if (row.inboard >= 0) {
      const Row& inner = rows_[index_of(row.inboard)];
      frame.velocity = inner.velocity + inner.omega.cross(frame.origin - inner.origin);
      frame.omega = inner.omega;
    }
    if (is_sphere(row.kind)) {
      const SphericalConstants& constants = tree.spherical()[index_of(row.ordinal)];
      if (row.kind == RowKind::free) {
        const Vec3 way = matrix_of(constants.axes_a) * triple(u, row.u + 3);  // in the inboard row's axes
        frame.velocity += row.inboard < 0 ? way : Vec3(rows_[index_of(row.inboard)].axes * way);
      }
      frame.omega += frame.axes * (matrix_of(constants.axes_b) * triple(u, row.u));
    } else {
      const bool slides = row.kind == RowKind::prismatic || row.kind == RowKind::driven_prismatic;
      (slides ? frame.velocity : frame.omega) += u[index_of(row.u)] * frame.axes.col(2);
      if (row.kind == RowKind::screw || row.kind == RowKind::driven_screw) {
        frame.velocity += row.pitch * u[index_of(row.u)] * frame.axes.col(2);
      }
    }
  }
  for (int b = range.first_body; b < range.last_body; ++b) {
    const auto k = index_of(tree.body_order()[index_of(b)]);
    const int row = tree.bodies()[k].row;
    BodyKinematics& body = bodies_.bodies()[k];
    if (row < 0) {
      body.velocity.setZero();
    } else {
      const Row& frame = rows_[index_of(row)];
      body.velocity << frame.velocity + frame.omega.cross(body.com - frame.origin), frame.omega;
    }
  }
}

void LinkPoses::add_wrench_at(std::size_t row, const Vec3& point, const Vec6& wrench,
                              kernels::LinkWrench<double>& to) const {
  const Row& frame = rows_[row];
  const Vec3 force = wrench.head<3>();
  const Vec3 f = frame.axes.transpose() * force;
  const Vec3 n = frame.axes.transpose() * (wrench.tail<3>() + (point - frame.origin).cross(force));
  kernels::add_wrench({f.x(), f.y(), f.z(), n.x(), n.y(), n.z()}, to);
}

}  // namespace mbdbench
