#include "experiments/gradients/velocity_map.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "formulations/registry.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::gradients {
namespace {

/// 4 / |e|^2 where it is a quaternion's: N^T N is a quarter of |e|^2.
double inverse_square(std::span<const double> e) {
  return 4.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
}

/// \returns bodies and tree joints, which nothing ties, drives or loads.
Mechanism tree_alone(const Mechanism& mechanism) {
  const MechanismDescription& all = mechanism.description();
  MechanismDescription tree;
  tree.name = all.name;
  tree.gravity = all.gravity;
  tree.bodies = all.bodies;
  for (JointDescription joint : all.joints) {
    if (!mechanism.find_joint(joint.name)->cut) {
      joint.motions.clear();
      joint.dependent = false;
      tree.joints.push_back(std::move(joint));
    }
  }
  return Mechanism(std::move(tree));
}

}  // namespace

struct VelocityMap::OpenTree {
  explicit OpenTree(const Mechanism& constrained)
      : mechanism(tree_alone(constrained)),
        formulation(make_formulation(formulation_registry(), *find_formulation(formulation_registry(), "naudet"),
                                     mechanism, "")),
        map(*formulation) {}

  Mechanism mechanism;
  std::unique_ptr<Formulation> formulation;
  VelocityMap map;
};

VelocityMap::VelocityMap(Formulation& formulation)
    : formulation_(&formulation),
      momenta_(!formulation.layout().empty() && formulation.layout().back().kind == StateKind::momentum),
      q_(index_of(formulation.mechanism().q_size())),
      u_(index_of(formulation.mechanism().u_size())),
      weights_(formulation.state_size()),
      product_(formulation.state_size()),
      direction_(formulation.state_size()),
      masses_(formulation.mechanism().bodies().size()),
      lengths_(masses_.size()),
      work_(formulation.state_size()) {}

VelocityMap::~VelocityMap() = default;

VelocityMap& VelocityMap::open_tree() {
  if (open_tree_ == nullptr) {
    open_tree_ = std::make_unique<OpenTree>(formulation_->mechanism());
  }
  return open_tree_->map;
}

RhsStatus VelocityMap::set_velocities(double t, std::span<const double> x) {
  return formulation_->unpack(t, x, q_, u_);
}

void VelocityMap::set_turned_rates(std::span<const double> of_q, std::span<double> rates) {
  for (const Joint& joint : formulation_->mechanism().tree_joints()) {
    const std::size_t first = index_of(joint.q_offset);
    const std::span<double> own = rates.subspan(first, index_of(joint.nq));
    std::fill(own.begin(), own.end(), 0.0);
    if (!has_coordinate_rates(joint.type)) {
      std::array<double, 7> all{};
      coordinate_rates(joint, of_q.subspan(first, own.size()),
                       std::span<const double>(u_).subspan(index_of(joint.u_offset), index_of(joint.nu)), all);
      std::copy_n(all.begin(), 4, own.begin());
    }
  }
}

RhsStatus VelocityMap::add_weights(double t, std::span<const double> x, std::span<const double> by_u,
                                   const Sums& sums) {
  if (!momenta_) {
    std::transform(by_u.begin(), by_u.end(), sums.rate.begin(), sums.rate.begin(), std::plus<>());
    return {};
  }
  RhsStatus status = set_velocities(t, x);
  if (!status.ok) {
    return status;
  }
  // Weights w of q' with N^T w = by_u: then w q' = by_u u, but for what N changes by.
  std::fill(weights_.begin(), weights_.end(), 0.0);
  for (const Joint& joint : formulation_->mechanism().tree_joints()) {
    const std::size_t first = index_of(joint.q_offset);
    const std::size_t count = index_of(joint.nq);
    const std::span<const double> own = by_u.subspan(index_of(joint.u_offset), index_of(joint.nu));
    const std::span<double> of_q = std::span(weights_).subspan(first, count);
    coordinate_rates(joint, x.subspan(first, count), own, of_q);
    if (!has_coordinate_rates(joint.type)) {
      const double scale = inverse_square(x.subspan(first, 4));
      std::for_each_n(of_q.begin(), 4, [scale](double& weight) { weight *= scale; });
    }
  }
  status = formulation_->weighted_derivatives(
      t, x, weights_, product_,
      {{}, std::span(masses_).first(sums.masses.size()), std::span(lengths_).first(sums.lengths.size())});
  std::transform(sums.q.begin(), sums.q.end(), product_.begin(), sums.q.begin(), std::plus<>());
  std::transform(sums.rate.begin(), sums.rate.end(), product_.begin() + static_cast<std::ptrdiff_t>(q_.size()),
                 sums.rate.begin(), std::plus<>());
  std::transform(sums.masses.begin(), sums.masses.end(), masses_.begin(), sums.masses.begin(), std::plus<>());
  std::transform(sums.lengths.begin(), sums.lengths.end(), lengths_.begin(), sums.lengths.begin(), std::plus<>());
  for (const Joint& joint : formulation_->mechanism().tree_joints()) {
    for (std::size_t c = 0; !has_coordinate_rates(joint.type) && c < 4; ++c) {
      std::array<double, 7> unit{};
      std::array<double, 7> rates{};
      unit[c] = 1.0;
      coordinate_rates(joint, std::span(unit).first(index_of(joint.nq)),
                       std::span<const double>(u_).subspan(index_of(joint.u_offset), index_of(joint.nu)), rates);
      for (std::size_t r = 0; r < 4; ++r) {
        sums.q[index_of(joint.q_offset) + c] -= weights_[index_of(joint.q_offset) + r] * rates[r];
      }
    }
  }
  return status;
}

RhsStatus VelocityMap::add_parameter_change(double t, std::span<const double> x, const Change& change) {
  std::vector<RateParameter> parameters;
  std::vector<double> factors;
  const auto add = [&](ParameterKind kind, std::span<const double> values, const auto& owners) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k] != 0.0) {
        parameters.push_back({kind, owners[k].name, 0});
        factors.push_back(values[k]);
      }
    }
  };
  add(ParameterKind::mass, change.masses, formulation_->mechanism().bodies());
  add(ParameterKind::length, change.lengths, formulation_->mechanism().tree_joints());
  if (parameters.empty()) {
    return {};
  }
  std::vector<double> columns(x.size() * parameters.size());
  const RhsStatus status = formulation_->parameter_jacobian(t, x, parameters, columns);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    product_[i / factors.size()] += columns[i] * factors[i % factors.size()];
  }
  return status;
}

RhsStatus VelocityMap::change(double t, std::span<const double> x, const Change& change, std::span<double> u) {
  if (!momenta_) {
    std::copy(change.rate.begin(), change.rate.end(), u.begin());
    return {};
  }
  RhsStatus status = set_velocities(t, x);
  if (!status.ok) {
    return status;
  }
  std::copy(change.q.begin(), change.q.end(), direction_.begin());
  std::copy(change.rate.begin(), change.rate.end(), direction_.begin() + static_cast<std::ptrdiff_t>(q_.size()));
  status = formulation_->jacobian_vector(t, x, direction_, product_);
  if (status.ok) {
    status = add_parameter_change(t, x, change);
  }
  set_turned_rates(change.q, work_);
  for (const Joint& joint : formulation_->mechanism().tree_joints()) {
    const std::size_t first = index_of(joint.q_offset);
    const std::size_t first_u = index_of(joint.u_offset);
    if (has_coordinate_rates(joint.type)) {
      std::copy_n(product_.begin() + joint.q_offset, joint.nu, u.begin() + joint.u_offset);
      continue;
    }
    for (int i = 0; i < joint.nu; ++i) {
      std::array<double, 6> unit{};
      std::array<double, 7> rates{};
      unit[index_of(i)] = 1.0;
      coordinate_rates(joint, x.subspan(first, index_of(joint.nq)), std::span(unit).first(index_of(joint.nu)), rates);
      double sum = 0.0;
      for (std::size_t r = 0; r < index_of(joint.nq); ++r) {
        sum += rates[r] * (product_[first + r] - work_[first + r]);
      }
      u[first_u + index_of(i)] = i < 3 ? inverse_square(x.subspan(first, 4)) * sum : sum;
    }
  }
  return status;
}

RhsStatus VelocityMap::add_start_weights(double t, std::span<const double> x, std::span<const double> weights,
                                         const Sums& sums) {
  if (starts_in_tree()) {
    return open_tree().add_start_weights(t, x, weights, sums);
  }
  const std::size_t count = q_.size();
  std::transform(sums.q.begin(), sums.q.end(), weights.begin(), sums.q.begin(), std::plus<>());
  if (!momenta_) {
    std::transform(sums.rate.begin(), sums.rate.end(), weights.begin() + static_cast<std::ptrdiff_t>(count),
                   sums.rate.begin(), std::plus<>());
    return {};
  }
  // y = M times the weights of p: by u it is y, by q and masses -y dU.
  std::vector<double> packed(x.size());
  RhsStatus status = formulation_->pack(t, x.first(count), weights.subspan(count), packed);
  if (!status.ok) {
    return status;
  }
  const std::span<const double> y = std::span<const double>(packed).subspan(count);
  std::transform(sums.rate.begin(), sums.rate.end(), y.begin(), sums.rate.begin(), std::plus<>());
  std::vector<double> negative(y.size());
  std::transform(y.begin(), y.end(), negative.begin(), std::negate<>());
  std::vector<double> unused(y.size());
  return add_weights(t, x, negative, {sums.q, unused, sums.masses, sums.lengths});
}

RhsStatus VelocityMap::start_change(double t, std::span<const double> x, const Change& change, std::span<double> of_x) {
  if (starts_in_tree()) {
    return open_tree().start_change(t, x, change, of_x);
  }
  const std::size_t count = q_.size();
  if (!momenta_) {
    std::copy(change.q.begin(), change.q.end(), of_x.begin());
    std::copy(change.rate.begin(), change.rate.end(), of_x.begin() + static_cast<std::ptrdiff_t>(count));
    return {};
  }
  const std::vector<double> none(u_.size());
  std::vector<double> by_others(u_.size());
  RhsStatus status = this->change(t, x, {change.q, none, change.masses, change.lengths}, by_others);
  if (!status.ok) {
    return status;
  }
  std::transform(change.rate.begin(), change.rate.end(), by_others.begin(), by_others.begin(), std::minus<>());
  status = formulation_->pack(t, x.first(count), by_others, of_x);
  std::copy(change.q.begin(), change.q.end(), of_x.begin());
  return status;
}

}  // namespace mbdbench::gradients
