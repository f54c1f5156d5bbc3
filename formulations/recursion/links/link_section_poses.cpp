/// \file
/// Poses of sections, which hang on one another: what a row has does not depend on who places the rows before it. Of
/// all other ranges LinkPoses::set_positions and set_velocities say the same, compiled as one loop.
#include "formulations/recursion/links/link_poses.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

Vec3 three_of(std::span<const double> values, int first) {
  return {values[index_of(first)], values[index_of(first) + 1], values[index_of(first) + 2]};
}

}  // namespace

void LinkPoses::follow(const LinkTree& tree, const LinkPositions& positions, const WayStep& at, Row& frame) {
  if (at.run >= 0) {
    const LinkRun& run = tree.runs()[index_of(at.run)];
    if (run.slot >= 0) {
      const Vec3 x = run.start.cos_beta * frame.axes.col(0) + run.start.sin_beta * frame.axes.col(1);
      frame.origin += run.start.d * frame.axes.col(2);
      frame.axes.col(1) = run.start.cos_beta * frame.axes.col(1) - run.start.sin_beta * frame.axes.col(0);
      frame.axes.col(0) = x;
    } else {
      frame.axes = matrix_of(run.axes);
      frame.origin = {run.origin.x, run.origin.y, run.origin.z};
    }
  }
  step(tree, positions, index_of(at.row), frame);
}

void LinkPoses::move_row(const LinkTree& tree, std::span<const double> u, std::size_t i, const Row* inner, Row& frame) {
  const LinkRow& row = tree.rows()[i];
  frame.velocity.setZero();
  frame.omega.setZero();
  if (inner != nullptr) {
    frame.velocity = inner->velocity + inner->omega.cross(frame.origin - inner->origin);
    frame.omega = inner->omega;
  }
  if (is_sphere(row.kind)) {
    const SphericalConstants& constants = tree.spherical()[index_of(row.ordinal)];
    if (row.kind == RowKind::free) {
      const Vec3 way = matrix_of(constants.axes_a) * three_of(u, row.u + 3);  // in the inboard row's axes
      frame.velocity += inner == nullptr ? way : Vec3(inner->axes * way);
    }
    frame.omega += frame.axes * (matrix_of(constants.axes_b) * three_of(u, row.u));
  } else {
    const bool slides = row.kind == RowKind::prismatic || row.kind == RowKind::driven_prismatic;
    (slides ? frame.velocity : frame.omega) += u[index_of(row.u)] * frame.axes.col(2);
    if (row.kind == RowKind::screw || row.kind == RowKind::driven_screw) {
      frame.velocity += row.pitch * u[index_of(row.u)] * frame.axes.col(2);
    }
  }
}

LinkPoses::Row LinkPoses::at_end(const LinkTree& tree, const LinkPositions& positions, std::span<const double> u,
                                 std::span<const WayStep> way) {
  Row frame;
  Row inner;
  for (std::size_t k = 0; k < way.size(); ++k) {
    follow(tree, positions, way[k], frame);
    if (!u.empty()) {
      move_row(tree, u, index_of(way[k].row), k > 0 ? &inner : nullptr, frame);
      inner = frame;
    }
  }
  return frame;
}

void LinkPoses::place_bodies(const LinkTree& tree, const LinkRange& range) {
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

void LinkPoses::move_bodies(const LinkTree& tree, const LinkRange& range) {
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

void LinkPoses::set_section_positions(const LinkTree& tree, const LinkPositions& positions, const LinkRange& range,
                                      const Row* base) {
  for (int r = range.first_run; r < range.last_run; ++r) {
    const LinkRun& run = tree.runs()[index_of(r)];
    const int inboard = tree.rows()[index_of(run.first)].inboard;
    Row frame;
    if (inboard >= 0) {
      frame = inboard < range.first_row ? *base : rows_[index_of(inboard)];
    }
    for (int i = run.first; i < run.last; ++i) {
      follow(tree, positions, {i, i == run.first ? r : -1}, frame);
      rows_[index_of(i)] = frame;
    }
  }
  place_bodies(tree, range);
}

void LinkPoses::set_section_velocities(const LinkTree& tree, std::span<const double> u, const LinkRange& range,
                                       const Row* base) {
  for (int i = range.first_row; i < range.last_row; ++i) {
    const int inboard = tree.rows()[index_of(i)].inboard;
    const Row* const inner = inboard < 0 ? nullptr : inboard < range.first_row ? base : &rows_[index_of(inboard)];
    move_row(tree, u, index_of(i), inner, rows_[index_of(i)]);
  }
  move_bodies(tree, range);
}

}  // namespace mbdbench
