#include "formulations/recursion/links/link_tree.hpp"

#include <algorithm>
#include <cmath>

#include "formulations/kernels/quaternions.hpp"
#include "formulations/recursion/sines.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// Axes count as parallel where the sine of their angle is rounding.
constexpr double kParallelAxes = 1e-15;
// O_k may slide along its axis by so many times the size of its link; further out, levers would cost digits.
constexpr double kFarthestFoot = 4.0;

/// is_slide as a function that the compiler inlines later: set_positions keeps its rounding.
bool slides_alone(RowKind kind) {
  return is_slide(kind);
}

/// \returns a unit vector normal to the unit vector `axis`.
Vec3 unit_normal(const Vec3& axis) {
  Eigen::Index smallest = 0;
  axis.cwiseAbs().minCoeff(&smallest);
  return axis.cross(Vec3::Unit(smallest)).normalized();
}

/// \returns a unit vector normal to both unit vectors; any normal to `axis` where they are parallel.
Vec3 unit_normal(const Vec3& axis, const Vec3& other) {
  const Vec3 product = axis.cross(other);
  if (product.norm() <= kParallelAxes) {
    return unit_normal(axis);
  }
  const Vec3 unit = product.normalized();
  return (unit - axis.dot(unit) * axis).normalized();
}

}  // namespace

LinkTree::LinkTree(const Mechanism& mechanism, TreeLayout layout, int section_bodies) : layout_(layout) {
  LinkElements parts(mechanism);
  if (section_bodies != 0) {
    division_ = section_bodies == kSectionsInLanes ? in_twin_sections(mechanism, parts)
                                                   : mbdbench::in_sections(mechanism, parts, section_bodies);
    in_sections_ = !division_.costs.empty();
  }
  if (layout != TreeLayout::whole && !in_sections_) {
    division_ = TreeDivision(mechanism, parts);
  }
  elements_ = std::move(parts.elements);
  body_places_ = std::move(parts.bodies);
  choose_first_children();
  outboard_mass_.assign(elements_.size(), 0.0);
  bodies_of_.resize(elements_.size());
  for (std::size_t k = 0; k < body_places_.size(); ++k) {
    if (const int element = body_places_[k].element; element >= 0) {
      bodies_of_[index_of(element)].push_back(static_cast<int>(k));
      outboard_mass_[index_of(element)] += mechanism.bodies()[k].mass;
    }
  }
  for (std::size_t e = elements_.size(); e-- > 0;) {
    if (elements_[e].inboard >= 0) {
      outboard_mass_[index_of(elements_[e].inboard)] += outboard_mass_[e];
    }
  }
  choose_frames(mechanism);
  order_rows(mechanism);
  segments_ = divide_into_segments(rows_, runs_);
  number_turns();
}

void LinkTree::choose_first_children() {
  std::vector<int> outboard(elements_.size(), 1);
  first_child_.assign(elements_.size(), -1);
  for (int e = static_cast<int>(elements_.size()) - 1; e >= 0; --e) {
    const int inboard = elements_[index_of(e)].inboard;
    if (inboard < 0) {
      continue;
    }
    outboard[index_of(inboard)] += outboard[index_of(e)];
    int& first = first_child_[index_of(inboard)];
    if (first < 0 || outboard[index_of(e)] >= outboard[index_of(first)]) {
      first = e;
    }
  }
}

Vec3 LinkTree::place_of_origin(int element) const {
  const LinkElement& step = elements_[index_of(element)];
  // What slides does so from the step's own origin: how far O lies beyond it is part of d.
  if (is_slide(step.kind) || is_sphere(step.kind)) {
    return step.point_a;
  }
  return step.point_a + frames_[index_of(element)].slide * (step.axes_a * step.axis);
}

void LinkTree::choose_frames(const Mechanism& mechanism) {
  frames_.resize(elements_.size());
  for (std::size_t e = elements_.size(); e-- > 0;) {
    const LinkElement& step = elements_[e];
    Frame& frame = frames_[e];
    const int child = first_child_[e];
    const bool child_has_axis = child >= 0 && !is_sphere(elements_[index_of(child)].kind);
    const Vec3 child_axis =
        child_has_axis ? Vec3(elements_[index_of(child)].axes_a * elements_[index_of(child)].axis) : Vec3::UnitZ();
    Vec3 z = step.axes_b * step.axis;
    frame.origin = step.point_b;
    if (is_sphere(step.kind)) {
      const Vec3 way = child >= 0 ? Vec3(place_of_origin(child) - step.point_b) : Vec3::Zero();
      z = way.norm() > 0.0 ? unit_normal(way.normalized()) : child_axis;
    } else {
      Vec3 target = step.point_b;  // what O_k is the foot of
      double size = 0.0;
      if (!bodies_of_[e].empty()) {
        const int body = bodies_of_[e].front();
        const BodyPlace& place = body_places_[index_of(body)];
        target = place.origin + place.rotation * mechanism.bodies()[index_of(body)].com;
        size = (target - step.point_b).norm();
      }
      if (child >= 0) {
        target = place_of_origin(child);
        size = std::max(size, (elements_[index_of(child)].point_a - step.point_b).norm());
      }
      frame.slide = z.dot(target - step.point_b);
      if (std::abs(frame.slide) > kFarthestFoot * size) {
        frame.slide = 0.0;
      }
      frame.origin += frame.slide * z;
    }
    const Vec3 x = child_has_axis ? unit_normal(z, child_axis) : unit_normal(z);
    frame.axes.col(0) = x;
    frame.axes.col(1) = z.cross(x);
    frame.axes.col(2) = z;
  }
}

LinkTree::Placement LinkTree::place(int element) const {
  const LinkElement& step = elements_[index_of(element)];
  const Frame& frame = frames_[index_of(element)];
  const bool from_ground = step.inboard < 0;
  const Frame inboard = from_ground ? Frame{} : frames_[index_of(step.inboard)];
  Placement placement;
  placement.start_axes = inboard.axes;
  placement.start_origin = from_ground ? step.point_a : inboard.origin;
  if (is_sphere(step.kind)) {
    return placement;  // its lever has three components and R takes any angle
  }
  const Vec3 axis = step.axes_a * step.axis;
  const Vec3 o = place_of_origin(element);
  Vec3 x = inboard.axes.col(0);
  Vec3 z = inboard.axes.col(2);
  if (from_ground) {
    x = unit_normal(axis);
    placement.start_axes << x, axis.cross(x), axis;
    placement.start_origin = o;
  } else {
    if (first_child_[index_of(step.inboard)] != element) {
      x = unit_normal(z, axis);
      placement.beta = std::atan2(inboard.axes.col(1).dot(x), inboard.axes.col(0).dot(x));
    }
    const Vec3 r = o - inboard.origin;
    placement.px = x.dot(r);
    placement.py = z.cross(x).dot(r);
    placement.d = z.dot(r);
    const double cosine = z.dot(axis);
    const double sine = x.dot(z.cross(axis));
    const double length = std::hypot(cosine, sine);
    const bool parallel = std::abs(sine) <= kParallelAxes;
    placement.cos_alpha = parallel ? std::copysign(1.0, cosine) : cosine / length;
    placement.sin_alpha = parallel ? 0.0 : sine / length;
    const double rounding = 1e-14 * (r.norm() + step.point_a.norm() + inboard.origin.norm());
    if (std::abs(placement.d) <= rounding) {
      placement.d = 0.0;
    }
  }
  const Vec3 x_at_zero = step.axes_a * (step.axes_b.transpose() * frame.axes.col(0));
  placement.angle = std::atan2(axis.dot(x.cross(x_at_zero)), x.dot(x_at_zero));
  placement.slide = is_slide(step.kind) ? frame.slide : 0.0;
  return placement;
}

void LinkTree::add_row(const Mechanism& mechanism, int element, const Placement& placement) {
  const LinkElement& step = elements_[index_of(element)];
  const Frame& frame = frames_[index_of(element)];
  double mass = 0.0;
  Vec3 moment = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  for (const int body : bodies_of_[index_of(element)]) {
    const Body& properties = mechanism.bodies()[index_of(body)];
    const BodyPlace& place = body_places_[index_of(body)];
    const Mat3 rotation = frame.axes.transpose() * place.rotation;
    const Vec3 l = frame.axes.transpose() * (place.origin - frame.origin) + rotation * properties.com;
    const Mat3 l_skew = skew(l);
    mass += properties.mass;
    moment += properties.mass * l;
    inertia += rotation * properties.inertia * rotation.transpose() - properties.mass * l_skew * l_skew;
  }
  links_.push_back({placement.px, placement.py, placement.cos_alpha, placement.sin_alpha, mass, moment.x(), moment.y(),
                    moment.z(), inertia(0, 0), inertia(0, 1), inertia(0, 2), inertia(1, 1), inertia(1, 2),
                    inertia(2, 2), outboard_mass_[index_of(element)]});
  const int position = static_cast<int>(rows_.size());
  LinkRow row{step.kind, step.q, step.u, step.u, -1, 0, step.motion, element, bodies_of_[index_of(element)].empty()};
  angles_.push_back(placement.angle);
  slides_.push_back(placement.slide);
  switch (step.kind) {
    case RowKind::revolute:
      turns_.push_back(position);
      break;
    case RowKind::screw:
    case RowKind::driven_screw:
      turns_.push_back(position);
      sliding_rows_.push_back(position);
      row.pitch = mechanism.tree_joints()[index_of(step.joint)].pitch;
      break;
    case RowKind::driven_revolute:
      turns_.push_back(position);
      row.ordinal = general_count_++;
      break;
    case RowKind::prismatic:
    case RowKind::driven_prismatic:
      sliding_rows_.push_back(position);
      row.ordinal = general_count_++;
      break;
    case RowKind::spherical:
    case RowKind::free: {
      const bool from_ground = step.inboard < 0;
      const Frame inboard = from_ground ? Frame{} : frames_[index_of(step.inboard)];
      row.ordinal = static_cast<int>(spherical_.size());
      spherical_rows_.push_back(position);
      spherical_.push_back({plain_of(Mat3(inboard.axes.transpose() * step.axes_a)),
                            plain_of(Mat3(frame.axes.transpose() * step.axes_b)),
                            plain_of(from_ground ? Vec3(Vec3::Zero())
                                                 : Vec3(inboard.axes.transpose() * (step.point_a - inboard.origin)))});
      break;
    }
  }
  rows_.push_back(row);
}

LinkPositions LinkTree::positions() const {
  LinkPositions positions;
  positions.angles.resize(rows_.size());
  positions.sines.resize(rows_.size());
  positions.cosines.resize(rows_.size());
  positions.slides = slides_;
  positions.rotations.resize(spherical_.size());
  positions.levers.resize(spherical_.size());
  return positions;
}

void LinkTree::set_positions(std::span<const double> q, LinkPositions& positions) const {
  for (const LinkRange& range : ranges_) {
    set_positions(q, range, positions);
  }
}

void LinkTree::set_positions(std::span<const double> q, const LinkRange& range, LinkPositions& positions) const {
  const auto first_row = index_of(range.first_row);
  const auto row_count = index_of(range.last_row - range.first_row);
  const std::span<double> angles = std::span(positions.angles).subspan(first_row, row_count);
  const std::span<const double> offsets = std::span(angles_).subspan(first_row, row_count);
  const std::span<const int> turns =
      std::span(turns_).subspan(index_of(range.first_turn), index_of(range.last_turn - range.first_turn));
  const std::span<const int> coordinates =
      std::span(turn_coordinates_).subspan(index_of(range.first_turn), turns.size());
  if (turns.size() == row_count) {
    for (std::size_t i = 0; i < row_count; ++i) {
      angles[i] = offsets[i] + q[index_of(coordinates[i])];
    }
  } else {
    std::copy(offsets.begin(), offsets.end(), angles.begin());
    for (std::size_t i = 0; i < turns.size(); ++i) {
      positions.angles[index_of(turns[i])] += q[index_of(coordinates[i])];
    }
  }
  sines_and_cosines(angles, std::span(positions.sines).subspan(first_row, row_count),
                    std::span(positions.cosines).subspan(first_row, row_count));
  for (int s = range.first_sliding; s < range.last_sliding; ++s) {
    const int row = sliding_rows_[index_of(s)];
    const LinkRow& sliding = rows_[index_of(row)];
    const double advance = slides_alone(sliding.kind) ? 1.0 : sliding.pitch;
    positions.slides[index_of(row)] = slides_[index_of(row)] + advance * q[index_of(sliding.q)];
  }
  for (std::size_t s = index_of(range.first_spherical); s < index_of(range.last_spherical); ++s) {
    const LinkRow& row = rows_[index_of(spherical_rows_[s])];
    const SphericalConstants& constants = spherical_[s];
    const auto first = index_of(row.q);
    const kernels::Matrix3<double> relative = kernels::rotation_of(q[first], q[first + 1], q[first + 2], q[first + 3]);
    positions.rotations[s] =
        kernels::product_transposed(kernels::product(constants.axes_a, relative), constants.axes_b);
    positions.levers[s] = constants.lever;
    if (row.kind == RowKind::free) {
      const kernels::LinkVector<double> way =
          kernels::turned(constants.axes_a, kernels::LinkVector<double>{q[first + 4], q[first + 5], q[first + 6]});
      positions.levers[s].x += way.x;
      positions.levers[s].y += way.y;
      positions.levers[s].z += way.z;
    }
  }
}

}  // namespace mbdbench
