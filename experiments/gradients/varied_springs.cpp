#include "experiments/gradients/varied_springs.hpp"

#include <algorithm>
#include <numeric>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::gradients {
namespace {

/// u of q' = N(q) u. N^T N of a quaternion e is |e|^2 / 4.
void velocities_of_rates(const Joint& joint, std::span<const double> q, std::span<const double> rates,
                         std::span<double> u) {
  std::size_t ahead = 0;
  if (has_quaternion(joint.type)) {
    const Vec3 vector(q[1], q[2], q[3]);
    const Vec3 rate(rates[1], rates[2], rates[3]);
    const Vec3 turn =
        (2.0 / (q[0] * q[0] + vector.squaredNorm())) * Vec3(q[0] * rate - rates[0] * vector - vector.cross(rate));
    std::copy(turn.begin(), turn.end(), u.begin());
    rates = rates.subspan(4);
    ahead = 3;
  }
  std::copy_n(rates.begin(), u.size() - ahead, u.begin() + static_cast<std::ptrdiff_t>(ahead));
}

}  // namespace

VariedSprings::VariedSprings(const Mechanism& mechanism, const VariedNumbers& numbers, const CutReferences& near)
    : mechanism_(&mechanism), u_(index_of(mechanism.u_size())), forces_(mechanism.u_size()) {
  bool bodies_damped = false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const VariedNumber& number = numbers.numbers()[i];
    if (number.kind != VariedKind::stiffness && number.kind != VariedKind::damping) {
      continue;
    }
    const bool damps = number.kind == VariedKind::damping;
    const ParameterPlace place = place_of(mechanism, {damps ? ParameterKind::damping : ParameterKind::stiffness,
                                                      spring_name(mechanism.description(), number.place), 0});
    terms_.push_back({i, place});
    if (place.moves_bodies() && on_bodies_ == nullptr) {
      on_bodies_ = std::make_unique<SpringForces>(mechanism, &near);
    }
    bodies_damped = bodies_damped || (place.moves_bodies() && damps);
    if (damps && !place.moves_bodies()) {
      wanted_.push_back(index_of(place.q));
    }
  }
  in_joints_ = wanted_.size();
  if (bodies_damped) {
    wanted_.resize(in_joints_ + index_of(mechanism.q_size()));
    std::iota(wanted_.begin() + static_cast<std::ptrdiff_t>(in_joints_), wanted_.end(), std::size_t{0});
  }
}

void VariedSprings::set_velocities(std::span<const double> q, std::span<const double> rates) {
  for (const Joint& joint : mechanism_->tree_joints()) {
    const std::size_t first = index_of(joint.q_offset);
    velocities_of_rates(joint, q.subspan(first, index_of(joint.nq)), rates.subspan(first, index_of(joint.nq)),
                        std::span(u_).subspan(index_of(joint.u_offset), index_of(joint.nu)));
  }
}

void VariedSprings::add_weights(std::span<const double> q, std::span<const double> rates,
                                std::span<const double> by_forces, std::span<double> by_numbers) {
  if (on_bodies_ != nullptr) {
    if (rates.size() > in_joints_) {
      set_velocities(q, rates.subspan(in_joints_));
    }
    on_bodies_->set_state(q, u_);
  }
  std::size_t damper = 0;
  for (const Term& term : terms_) {
    const ParameterPlace& place = term.place;
    if (place.moves_bodies()) {
      forces_.setZero();
      on_bodies_->add(place, forces_);
      by_numbers[term.number] += std::inner_product(forces_.begin(), forces_.end(), by_forces.begin(), 0.0);
    } else {
      by_numbers[term.number] +=
          by_forces[index_of(place.u)] *
          (place.kind == ParameterKind::damping ? -rates[damper++] : place.rest - q[index_of(place.q)]);
    }
  }
}

}  // namespace mbdbench::gradients
