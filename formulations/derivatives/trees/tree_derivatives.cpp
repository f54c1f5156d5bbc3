#include "formulations/derivatives/trees/tree_derivatives.hpp"

#include <algorithm>

#include "formulations/derivatives/moderate_turn.hpp"
#include "formulations/derivatives/rate_parameters.hpp"
#include "formulations/derivatives/screws.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/link_length.hpp"

namespace mbdbench {

TreeDerivatives::TreeDerivatives(const Mechanism& mechanism, StateKind kind, const CutReferences* near,
                                 const InstructionSet& set)
    : sweeps_(compiled_for(set, []<int W>() { return linear::sweeps<W>(); })),
      tree_(mechanism, kind, 1, near, false),
      mechanism_(&mechanism),
      links_(link_directions(mechanism)),
      node_of_row_(tree_.tree().size()),
      x_(index_of(mechanism.q_size() + mechanism.u_size())) {
  data_.momenta = kind == StateKind::momentum;
  data_.gravity = plain_of(mechanism.gravity());
  add_nodes();
  reserve();
}

void TreeDerivatives::add_nodes() {
  const LinkTree& tree = tree_.tree();
  for (const LinkRun& run : tree.runs()) {
    for (std::size_t i = index_of(run.first); i < index_of(run.last); ++i) {
      const LinkRow& row = tree.rows()[i];
      LinearNode node;
      node.row = static_cast<int>(i);
      node.inboard = row.inboard < 0 ? -1 : node_of_row_[index_of(row.inboard)];
      if (row.inboard < 0) {
        node.start = NodeStart::ground_run;
        node.ground_axes = run.axes;
      } else if (static_cast<int>(i) == run.first) {
        node.start = NodeStart::inboard_run;
        node.run = run.start;
      }
      node.first_axis = static_cast<int>(axes_.size());
      if (row.kind == RowKind::free) {
        node.free_slides = true;
        node.axis_count = 3;
        add_axes(i, 3, row.u + 3);
        nodes_.push_back(node);
        node = LinearNode{};
        node.row = static_cast<int>(i);
        node.inboard = static_cast<int>(nodes_.size()) - 1;
        node.first_axis = static_cast<int>(axes_.size());
      }
      node.axis_count = is_sphere(row.kind) ? 3 : 1;
      add_axes(i, node.axis_count, row.u);
      node_of_row_[i] = static_cast<int>(nodes_.size());
      nodes_.push_back(node);
    }
  }
}

void TreeDerivatives::add_axes(std::size_t row, int count, int first_u) {
  const LinkRow& own = tree_.tree().rows()[row];
  const LaneData& tree = tree_.data();
  for (int a = 0; a < count; ++a) {
    LinearAxis axis;
    axis.u = first_u + a;
    axis.slides = own.kind == RowKind::prismatic || own.kind == RowKind::driven_prismatic ||
                  (own.kind == RowKind::free && first_u > own.u);
    axis.slide = axis.slides ? 1.0 : 0.0;
    axis.turn = axis.slides ? 0.0 : 1.0;
    axis.motion = own.motion;
    for (int f = 0; f < tree.force_count; ++f) {
      if (tree.forces[f].u == axis.u) {
        axis.stiffness += tree.forces[f].stiffness;
        axis.damping += tree.forces[f].damping;
      }
    }
    axes_.push_back(axis);
  }
}

void TreeDerivatives::reserve() {
  const LaneData& tree = tree_.data();
  const std::size_t width = index_of(sweeps_.lanes);
  directions_.resize(x_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const LinearNode& node = nodes_[i];
    if (node.inboard >= 0 && (node.free_slides || node.inboard + 1 != static_cast<int>(i))) {
      nodes_[index_of(node.inboard)].kept = true;
    }
  }
  weights_.resize(nodes_.size());
  along_.resize(nodes_.size());
  flags_.resize(nodes_.size());
  data_.node_count = static_cast<int>(nodes_.size());
  data_.axis_count = static_cast<int>(axes_.size());
  data_.q_count = tree.q_count;
  data_.row_count = tree.row_count;
  data_.force_count = tree.force_count;
  data_.tree = &tree;
  data_.nodes = nodes_.data();
  data_.weights = weights_.data();
  data_.along = along_.data();
  data_.axes = axes_.data();
  data_.directions = directions_.data();
  data_.flags = flags_.data();
  const auto numbers = [&](double* LinearData::*array, std::size_t count) {
    memory_.push_back(aligned_memory(std::max<std::size_t>(1, count)));
    data_.*array = memory_.back().get();
  };
  numbers(&LinearData::turns, 2 * (tree_.tree().size() + width));
  numbers(&LinearData::forces, axes_.size());
  numbers(&LinearData::velocities, axes_.size());
  numbers(&LinearData::lanes, std::max(LaneOffsets::kSize * width, index_of(LaneOffsets::kSizeOfOne)) * nodes_.size());
  numbers(&LinearData::block, LaneOffsets::kBlock * width);
  numbers(&LinearData::torques, axes_.size() * width);
  numbers(&LinearData::changes, axes_.size() * width);
  numbers(&LinearData::rates, axes_.size() * width);
  add_directions();
}

void TreeDerivatives::set_state(double t, std::span<const double> x) {
  tree_.set_time(t);
  std::copy(x.begin(), x.end(), x_.begin());
  data_.given = x.data();
  for (const LinkRow& row : tree_.tree().rows()) {
    if (row.kind == RowKind::revolute || row.kind == RowKind::driven_revolute) {
      double& q = x_[index_of(row.q)];
      q = moderate_turn(q);
    }
  }
}

bool TreeDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  set_state(t, x);
  const bool sound = sweeps_.linearise(data_, x_.data());
  return sweeps_.jacobian(data_, x_.data(), rows.data()) && sound;
}

bool TreeDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                      std::span<double> product) {
  set_state(t, x);
  return sweeps_.along(data_, x_.data(), direction.data(), product.data());
}

bool TreeDerivatives::weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                           std::span<double> product, const WeightsByParameter& by) {
  set_state(t, x);
  const bool sound = sweeps_.weigh(data_, x_.data(), weights.data(), product.data());
  const double* const by_rates = weights.data() + data_.q_count;
  for (const LinearAxis& axis : axes_) {
    if (!by.forces.empty()) {
      by.forces[index_of(axis.u)] = data_.momenta ? by_rates[axis.u] : data_.changes[axis.u];
    }
  }
  for (std::size_t joint = 0; joint < by.lengths.size(); ++joint) {
    // A joint that moves on its inboard node does as a slide would that is held.
    const LinearParameter link = on_link(joint);
    by.lengths[joint] = link.node < 0 ? 0.0 : linear::dot(link.way, weights_[index_of(link.node)].displaced.linear);
  }
  for (std::size_t body = 0; body < by.masses.size(); ++body) {
    const LinearParameter mass = on_body(static_cast<int>(body));
    by.masses[body] = mass.node < 0 ? 0.0 : sweeps_.weighted_mass(data_, mass);
  }
  return sound;
}

LinearParameter TreeDerivatives::on_body(int body) const {
  const BodyOnRow& place = tree_.tree().bodies()[index_of(body)];
  LinearParameter result;
  if (place.row >= 0) {
    result.node = node_of_row_[index_of(place.row)];
    const Vec3 point = place.rotation * mechanism_->bodies()[index_of(body)].com + place.origin;
    result.point = kernels::turned(nodes_[index_of(result.node)].axes, plain_of(point));
  }
  return result;
}

LinearParameter TreeDerivatives::on_axis(int u, double force) const {
  LinearParameter parameter;
  parameter.axis = directions_[index_of(data_.q_count + u)].axis;
  parameter.force = force;
  return parameter;
}

LinearParameter TreeDerivatives::on_link(std::size_t joint) const {
  const Joint& own = mechanism_->tree_joints()[joint];
  LinearParameter result;
  if (links_[joint].isZero(0.0)) {
    return result;
  }
  Vec3 way = links_[joint];
  int row = -1;
  if (own.a >= 0) {
    const BodyOnRow& place = tree_.tree().bodies()[index_of(own.a)];
    way = place.rotation * way;
    row = place.row;
  }
  result.lengthens = true;
  result.way = plain_of(way);
  if (row >= 0) {
    result.way = kernels::turned(nodes_[index_of(node_of_row_[index_of(row)])].axes, result.way);
  }
  // The first of the rows that a joint may have.
  result.node = directions_[index_of(data_.q_count + own.u_offset)].node;
  for (int u = own.u_offset; u < own.u_offset + own.nu; ++u) {
    result.node = std::min(result.node, directions_[index_of(data_.q_count + u)].node);
  }
  return result;
}

LinearParameter TreeDerivatives::located(const RateParameter& parameter) const {
  const ParameterPlace place = place_of(*mechanism_, parameter);
  switch (place.kind) {
    case ParameterKind::mass:
      return on_body(place.body);
    case ParameterKind::joint_force:
      return on_axis(place.u, 1.0);
    case ParameterKind::stiffness:
      return on_axis(place.u, place.rest - x_[index_of(place.q)]);
    case ParameterKind::length:
      require_length(*mechanism_, parameter, links_[index_of(place.link)]);
      return on_link(index_of(place.link));
    case ParameterKind::damping:
      break;
  }
  return on_axis(place.u, -data_.velocities[place.u]);
}

bool TreeDerivatives::parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                                         std::span<double> rows) {
  set_state(t, x);
  bool sound = sweeps_.linearise(data_, x_.data());
  // A spring knows turns, which the angles that sines take may have lost.
  std::copy(x.begin(), x.end(), x_.begin());
  std::vector<double> column(x.size());
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    sound = sweeps_.by_parameter(data_, x_.data(), located(parameters[k]), column.data()) && sound;
    for (std::size_t i = 0; i < column.size(); ++i) {
      rows[i * parameters.size() + k] = column[i];
    }
  }
  return sound;
}

}  // namespace mbdbench
