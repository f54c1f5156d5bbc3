#include "formulations/naudet/revolute_naudet.hpp"

#include <cmath>

#include "mechanisms/model/index_of.hpp"

namespace mbdbench {
namespace {

inline void add(const LinkVector& other, LinkVector& r) {
  r.x += other.x;
  r.y += other.y;
  r.z += other.z;
}

}  // namespace

RevoluteNaudet::RevoluteNaudet(const Mechanism& mechanism)
    : tree_(mechanism),
      links_(tree_.size()),
      slots_(index_of(tree_.slot_count())),
      angles_(tree_.size()),
      sines_(tree_.size()),
      cosines_(tree_.size()) {}

int RevoluteNaudet::evaluate(std::span<const double> q, std::span<const double> p, std::span<double> u,
                             std::span<double> momentum_rates) {
  tree_.set_angles(q, angles_, sines_, cosines_);
  const int failed = sweep_inward(p);
  return failed >= 0 ? failed : sweep_outward(u, momentum_rates);
}

int RevoluteNaudet::sweep_inward(std::span<const double> p) {
  for (Slot& slot : slots_) {
    slot.inertia = {};
    slot.momentum = {};
    slot.first_moment = {};
  }
  for (std::size_t r = tree_.runs().size(); r-- > 0;) {
    const RevoluteRun& run = tree_.runs()[r];
    ArticulatedInertia inertia;
    LinkWrench momentum;
    LinkVector first_moment;
    for (std::size_t i = index_of(run.last); i-- > index_of(run.first);) {
      const RevoluteLink& constants = tree_.links()[i];
      Link& link = links_[i];
      const double c = cosines_[i];
      const double s = sines_[i];
      const double own = p[index_of(tree_.bodies()[i])];
      add_rigid(constants, inertia);
      add({constants.hx, constants.hy, constants.hz}, first_moment);
      if (constants.slot >= 0) {
        const Slot& slot = slots_[index_of(constants.slot)];
        add_inertia(slot.inertia, inertia);
        add_wrench(slot.momentum, momentum);
        add(slot.first_moment, first_moment);
      }
      if (!(inertia.czz > 0.0)) {
        failed_pivot_ = inertia.czz;
        return tree_.bodies()[i];
      }
      const double inverse = 1.0 / inertia.czz;
      link.gain = joint_gain(inertia, inverse);
      link.rest = (own - momentum.nz) * inverse;
      link.inertia = projected(inertia, link.gain);
      momentum.fx += inertia.bxz * link.rest;
      momentum.fy += inertia.byz * link.rest;
      momentum.fz += inertia.bzz * link.rest;
      momentum.nx += inertia.cxz * link.rest;
      momentum.ny += inertia.cyz * link.rest;
      momentum.nz = own;  // [Naudet2005, Eq. (18)]
      link.fx = momentum.fx;
      link.fy = momentum.fy;
      link.nx = momentum.nx;
      link.ny = momentum.ny;
      link.hx = first_moment.x;
      link.hy = first_moment.y;
      inertia = carried_inward(constants, c, s, link.inertia);
      momentum = carried_inward(constants, c, s, momentum);  // [Naudet2005, Eq. (16)]
      first_moment = rotated_inward(constants, c, s, first_moment);
      first_moment.x += constants.outboard_mass * constants.px;
      first_moment.y += constants.outboard_mass * constants.py;
    }
    if (run.slot >= 0) {
      Slot& slot = slots_[index_of(run.slot)];
      add_inertia(across_start(run, inertia), slot.inertia);
      add_wrench(across_start(run, momentum), slot.momentum);
      first_moment = out_of_start(run, first_moment);
      first_moment.z += tree_.links()[index_of(run.first)].outboard_mass * run.d;
      add(first_moment, slot.first_moment);
    }
  }
  return -1;
}

int RevoluteNaudet::sweep_outward(std::span<double> u, std::span<double> momentum_rates) {
  for (const RevoluteRun& run : tree_.runs()) {
    LinkVector linear;
    LinkVector angular;
    LinkVector gravity{run.gravity.x(), run.gravity.y(), run.gravity.z()};
    if (run.slot >= 0) {
      const Slot& slot = slots_[index_of(run.slot)];
      linear = slot.linear;
      linear.x += slot.angular.y * run.d;
      linear.y -= slot.angular.x * run.d;
      linear = into_start(run, linear);
      angular = into_start(run, slot.angular);
      gravity = into_start(run, slot.gravity);
    }
    for (std::size_t i = index_of(run.first); i < index_of(run.last); ++i) {
      const RevoluteLink& constants = tree_.links()[i];
      const Link& link = links_[i];
      const ProjectedInertia& m = link.inertia;
      const double c = cosines_[i];
      const double s = sines_[i];
      const auto body = index_of(tree_.bodies()[i]);
      linear = rotated_outward(constants, c, s, moved_outward(constants, linear, angular));
      angular = rotated_outward(constants, c, s, angular);
      gravity = rotated_outward(constants, c, s, gravity);
      const double inherited = angular.z;
      angular.z = link.rest - (link.gain.bx * linear.x + link.gain.by * linear.y + link.gain.bz * linear.z +
                               link.gain.cx * angular.x + link.gain.cy * angular.y);
      u[body] = angular.z - inherited;
      // The components of P* = A V + b that turn the momentum about z.
      const double fx =
          link.fx + m.axx * linear.x + m.axy * linear.y + m.axz * linear.z + m.bxx * angular.x + m.bxy * angular.y;
      const double fy =
          link.fy + m.axy * linear.x + m.ayy * linear.y + m.ayz * linear.z + m.byx * angular.x + m.byy * angular.y;
      const double nx =
          link.nx + m.bxx * linear.x + m.byx * linear.y + m.bzx * linear.z + m.cxx * angular.x + m.cxy * angular.y;
      const double ny =
          link.ny + m.bxy * linear.x + m.byy * linear.y + m.bzy * linear.z + m.cxy * angular.x + m.cyy * angular.y;
      // DEVIATES [Naudet2005, Eq. (21)]: printed with T'* and E' P*; it is E^T (T* - Omega x P*), E constant in the
      // link's frame (revolute_tree_test, against dense-momentum).
      momentum_rates[body] = (link.hx * gravity.y - link.hy * gravity.x) - (linear.x * fy - linear.y * fx) -
                             (angular.x * ny - angular.y * nx);
      if (constants.slot >= 0) {
        Slot& slot = slots_[index_of(constants.slot)];
        slot.linear = linear;
        slot.angular = angular;
        slot.gravity = gravity;
      }
    }
    // What is not a number at a link stays so outboard of it.
    if (!std::isfinite(angular.z)) {
      failed_pivot_ = angular.z;
      return tree_.bodies()[index_of(run.last - 1)];
    }
  }
  return -1;
}

}  // namespace mbdbench
