#include "formulations/recursion/links/link_poses.hpp"

#include <set>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

Vec3 triple(std::span<const double> values, int first) {
  return {values[index_of(first)], values[index_of(first) + 1], values[index_of(first) + 2]};
}

Vec3 in_world(const LinkPoses::Row& frame, const kernels::LinkVector<double>& r) {
  return r.x * frame.axes.col(0) + r.y * frame.axes.col(1) + r.z * frame.axes.col(2);
}

/// Turns two axes towards one another, by the angle of (c, s).
void turn(double c, double s, int from, int to, Mat3& axes) {
  const Vec3 first = c * axes.col(from) + s * axes.col(to);
  axes.col(to) = c * axes.col(to) - s * axes.col(from);
  axes.col(from) = first;
}

}  // namespace

LinkPoses::LinkPoses(const Mechanism& mechanism, const LinkTree& tree, PosesWanted wanted)
    : bodies_(mechanism),
      rows_(tree.size()),
      wrenches_(tree.size()),
      ends_(tree.ranges().size()),
      row_is_wanted_(tree.size(), wanted == PosesWanted::cuts ? 0 : 1),
      body_is_wanted_(mechanism.bodies().size(), wanted == PosesWanted::bodies ? 1 : 0) {
  for (const BodyOnRow& place : tree.bodies()) {
    rows_of_bodies_.push_back(place.row);
  }
  std::set<int> bodies;
  for (const Joint& cut : mechanism.cut_joints()) {
    bodies.insert({cut.a, cut.b});
  }
  bodies.erase(-1);
  std::vector<bool> is_end(tree.size());
  for (const int body : bodies) {
    body_is_wanted_[index_of(body)] = 1;
    const int first = rows_of_bodies_[index_of(body)];
    for (int row = first; row >= 0 && row_is_wanted_[index_of(row)] == 0; row = tree.rows()[index_of(row)].inboard) {
      row_is_wanted_[index_of(row)] = 1;
    }
    if (first < 0) {
      continue;
    }
    // Rows stand range by range; a range may have none.
    const auto behind = std::upper_bound(tree.ranges().begin(), tree.ranges().end(), first,
                                         [](int row, const LinkRange& range) { return row < range.last_row; });
    Ends& ends = ends_[static_cast<std::size_t>(behind - tree.ranges().begin())];
    ends.bodies.push_back(body);
    if (!is_end[index_of(first)]) {
      ends.rows.push_back(first);
    }
    is_end[index_of(first)] = true;
  }
}

void LinkPoses::follow(const LinkTree& tree, const LinkPositions& positions, const WayStep& at, Row& frame) {
  if (at.run >= 0) {
    const LinkRun& run = tree.runs()[index_of(at.run)];
    if (run.slot >= 0) {
      frame.origin += run.start.d * frame.axes.col(2);
      turn(run.start.cos_beta, run.start.sin_beta, 0, 1, frame.axes);
    } else {
      frame.axes = matrix_of(run.axes);
      frame.origin = {run.origin.x, run.origin.y, run.origin.z};
    }
  }
  const auto i = index_of(at.row);
  const LinkRow& row = tree.rows()[i];
  if (is_sphere(row.kind)) {
    const auto k = index_of(row.ordinal);
    frame.origin += in_world(frame, positions.levers[k]);
    const kernels::Matrix3<double>& r = positions.rotations[k];
    const Vec3 x = in_world(frame, {r.xx, r.yx, r.zx});
    const Vec3 y = in_world(frame, {r.xy, r.yy, r.zy});
    frame.axes.col(2) = in_world(frame, {r.xz, r.yz, r.zz});
    frame.axes.col(0) = x;
    frame.axes.col(1) = y;
    return;
  }
  const kernels::LinkConstants<double>& link = tree.links()[i];
  frame.origin += in_world(frame, kernels::lever(link, positions.slides[i]));
  turn(link.cos_alpha, link.sin_alpha, 1, 2, frame.axes);
  turn(positions.cosines[i], positions.sines[i], 0, 1, frame.axes);
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
      const Vec3 way = matrix_of(constants.axes_a) * triple(u, row.u + 3);  // in the inboard row's axes
      frame.velocity += inner == nullptr ? way : Vec3(inner->axes * way);
    }
    const Vec3 rate = matrix_of(constants.axes_b) * triple(u, row.u);
    frame.omega += in_world(frame, {rate.x(), rate.y(), rate.z()});
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

const LinkPoses::Row* LinkPoses::inboard_of(const LinkTree& tree, int row, const LinkRange& range,
                                            const Row* base) const {
  const int inboard = tree.rows()[index_of(row)].inboard;
  return inboard < 0 ? nullptr : base != nullptr && inboard < range.first_row ? base : &rows_[index_of(inboard)];
}

template <typename Work>
void LinkPoses::for_bodies(const LinkTree& tree, const LinkRange& range, const Work& work) const {
  for (int b = range.first_body; b < range.last_body; ++b) {
    const auto body = index_of(tree.body_order()[index_of(b)]);
    if (body_is_wanted_[body] != 0) {
      work(body);
    }
  }
}

void LinkPoses::set_positions(const LinkTree& tree, const LinkPositions& positions, const LinkRange& range,
                              const Row* base) {
  for (int r = range.first_run; r < range.last_run; ++r) {
    const LinkRun& run = tree.runs()[index_of(r)];
    Row frame;
    if (const Row* const inboard = inboard_of(tree, run.first, range, base)) {
      frame = *inboard;
    }
    for (int i = run.first; i < run.last && row_is_wanted_[index_of(i)] != 0; ++i) {
      follow(tree, positions, {i, i == run.first ? r : -1}, frame);
      rows_[index_of(i)] = frame;
    }
  }
  for_bodies(tree, range, [&](std::size_t body) { place_body(tree, body); });
}

void LinkPoses::set_velocities(const LinkTree& tree, std::span<const double> u, const LinkRange& range,
                               const Row* base) {
  for (int i = range.first_row; i < range.last_row; ++i) {
    if (row_is_wanted_[index_of(i)] != 0) {
      move_row(tree, u, index_of(i), inboard_of(tree, i, range, base), rows_[index_of(i)]);
    }
  }
  for_bodies(tree, range, [&](std::size_t body) { move_body(body); });
}

void LinkPoses::move_ends(std::size_t range, std::span<const kernels::LinkVector<double>> linear,
                          std::span<const kernels::LinkVector<double>> angular, bool changes) {
  for (const int row : ends_[range].rows) {
    Row& frame = rows_[index_of(row)];
    const Vec3 velocity = in_world(frame, linear[index_of(row)]);
    const Vec3 omega = in_world(frame, angular[index_of(row)]);
    frame.velocity = changes ? Vec3(frame.velocity + velocity) : velocity;
    frame.omega = changes ? Vec3(frame.omega + omega) : omega;
  }
  for (const int body : ends_[range].bodies) {
    move_body(index_of(body));
  }
}

void LinkPoses::take(const LinkTree& tree, std::size_t body, const Row& frame) {
  rows_[index_of(rows_of_bodies_[body])] = frame;
  place_body(tree, body);
  move_body(body);
}

void LinkPoses::place_body(const LinkTree& tree, std::size_t body) {
  const BodyOnRow& place = tree.bodies()[body];
  BodyKinematics& pose = bodies_.bodies()[body];
  const Row ground;
  const Row& frame = place.row < 0 ? ground : rows_[index_of(place.row)];
  pose.rotation.noalias() = frame.axes * place.rotation;
  pose.origin = frame.origin + frame.axes * place.origin;
  pose.com = pose.origin + pose.rotation * bodies_.mechanism().bodies()[body].com;
}

void LinkPoses::move_body(std::size_t body) {
  const int row = rows_of_bodies_[body];
  BodyKinematics& motion = bodies_.bodies()[body];
  if (row < 0) {
    motion.velocity.setZero();
  } else {
    const Row& frame = rows_[index_of(row)];
    motion.velocity << frame.velocity + frame.omega.cross(motion.com - frame.origin), frame.omega;
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
