#include "formulations/aba/revolute_aba.hpp"

#include <cmath>

#include "mechanisms/model/index_of.hpp"

namespace mbdbench {
namespace {

/// \returns omega x (omega x r).
inline LinkVector turned_twice(const LinkVector& omega, const LinkVector& r, double omega_square) {
  const double along = omega.x * r.x + omega.y * r.y + omega.z * r.z;
  return {omega.x * along - omega_square * r.x, omega.y * along - omega_square * r.y,
          omega.z * along - omega_square * r.z};
}

inline double square(const LinkVector& r) {
  return r.x * r.x + r.y * r.y + r.z * r.z;
}

/// What a rigid link needs about O_k for its angular velocity: m omega x (omega x l) and omega x J omega.
inline LinkWrench needed_wrench(const RevoluteLink& link, const LinkVector& omega, double omega_square) {
  const LinkVector force = turned_twice(omega, {link.hx, link.hy, link.hz}, omega_square);
  const double x = link.jxx * omega.x + link.jxy * omega.y + link.jxz * omega.z;
  const double y = link.jxy * omega.x + link.jyy * omega.y + link.jyz * omega.z;
  const double z = link.jxz * omega.x + link.jyz * omega.y + link.jzz * omega.z;
  return {force.x, force.y, force.z, omega.y * z - omega.z * y, omega.z * x - omega.x * z, omega.x * y - omega.y * x};
}

/// f += M c for c = [linear; x, y, 0] and the projected inertia; the last row of f is left to the joint.
inline void add_bias(const ProjectedInertia& m, const LinkVector& linear, double x, double y, LinkWrench& f) {
  f.fx += m.axx * linear.x + m.axy * linear.y + m.axz * linear.z + m.bxx * x + m.bxy * y;
  f.fy += m.axy * linear.x + m.ayy * linear.y + m.ayz * linear.z + m.byx * x + m.byy * y;
  f.fz += m.axz * linear.x + m.ayz * linear.y + m.azz * linear.z + m.bzx * x + m.bzy * y;
  f.nx += m.bxx * linear.x + m.byx * linear.y + m.bzx * linear.z + m.cxx * x + m.cxy * y;
  f.ny += m.bxy * linear.x + m.byy * linear.y + m.bzy * linear.z + m.cxy * x + m.cyy * y;
}

}  // namespace

RevoluteAba::RevoluteAba(const Mechanism& mechanism)
    : tree_(mechanism),
      links_(tree_.size()),
      slots_(index_of(tree_.slot_count())),
      angles_(tree_.size()),
      sines_(tree_.size()),
      cosines_(tree_.size()) {}

int RevoluteAba::evaluate(std::span<const double> q, std::span<const double> u, std::span<double> accelerations) {
  tree_.set_angles(q, angles_, sines_, cosines_);
  sweep_velocities(u);
  const int failed = sweep_inward();
  return failed >= 0 ? failed : sweep_accelerations(accelerations);
}

void RevoluteAba::sweep_velocities(std::span<const double> u) {
  for (const RevoluteRun& run : tree_.runs()) {
    LinkVector omega;
    if (run.slot >= 0) {
      omega = into_start(run, slots_[index_of(run.slot)].omega);
    }
    double omega_square = square(omega);
    for (std::size_t i = index_of(run.first); i < index_of(run.last); ++i) {
      const RevoluteLink& constants = tree_.links()[i];
      Link& link = links_[i];
      const double c = cosines_[i];
      const double s = sines_[i];
      const double rate = u[index_of(tree_.bodies()[i])];
      link.centripetal =
          rotated_outward(constants, c, s, turned_twice(omega, {constants.px, constants.py, 0.0}, omega_square));
      if (i == index_of(run.first) && run.d != 0.0) {
        const LinkVector slid = turned_twice(omega, {0.0, 0.0, run.d}, omega_square);
        const LinkVector moved = rotated_outward(constants, c, s, slid);
        link.centripetal.x += moved.x;
        link.centripetal.y += moved.y;
        link.centripetal.z += moved.z;
      }
      omega = rotated_outward(constants, c, s, omega);
      link.turned_x = omega.y * rate;
      link.turned_y = -omega.x * rate;
      omega.z += rate;
      omega_square = square(omega);
      link.needed = needed_wrench(constants, omega, omega_square);
      if (constants.slot >= 0) {
        slots_[index_of(constants.slot)].omega = omega;
      }
    }
  }
}

int RevoluteAba::sweep_inward() {
  for (Slot& slot : slots_) {
    slot.inertia = {};
    slot.wrench = {};
  }
  for (std::size_t r = tree_.runs().size(); r-- > 0;) {
    const RevoluteRun& run = tree_.runs()[r];
    ArticulatedInertia inertia;
    LinkWrench wrench;
    for (std::size_t i = index_of(run.last); i-- > index_of(run.first);) {
      const RevoluteLink& constants = tree_.links()[i];
      Link& link = links_[i];
      add_rigid(constants, inertia);
      add_wrench(link.needed, wrench);
      if (constants.slot >= 0) {
        add_inertia(slots_[index_of(constants.slot)].inertia, inertia);
        add_wrench(slots_[index_of(constants.slot)].wrench, wrench);
      }
      if (!(inertia.czz > 0.0)) {
        failed_pivot_ = inertia.czz;
        return tree_.bodies()[i];
      }
      const double inverse = 1.0 / inertia.czz;
      link.gain = joint_gain(inertia, inverse);
      link.rest = -wrench.nz * inverse;
      const ProjectedInertia rest = projected(inertia, link.gain);
      wrench.fx += inertia.bxz * link.rest;
      wrench.fy += inertia.byz * link.rest;
      wrench.fz += inertia.bzz * link.rest;
      wrench.nx += inertia.cxz * link.rest;
      wrench.ny += inertia.cyz * link.rest;
      wrench.nz = 0.0;
      add_bias(rest, link.centripetal, link.turned_x, link.turned_y, wrench);
      inertia = carried_inward(constants, cosines_[i], sines_[i], rest);
      wrench = carried_inward(constants, cosines_[i], sines_[i], wrench);
    }
    if (run.slot >= 0) {
      Slot& slot = slots_[index_of(run.slot)];
      add_inertia(across_start(run, inertia), slot.inertia);
      add_wrench(across_start(run, wrench), slot.wrench);
    }
  }
  return -1;
}

int RevoluteAba::sweep_accelerations(std::span<double> accelerations) {
  for (const RevoluteRun& run : tree_.runs()) {
    LinkVector linear{-run.gravity.x(), -run.gravity.y(), -run.gravity.z()};
    LinkVector angular;
    if (run.slot >= 0) {
      const Slot& slot = slots_[index_of(run.slot)];
      linear = slot.linear;
      linear.x += slot.angular.y * run.d;
      linear.y -= slot.angular.x * run.d;
      linear = into_start(run, linear);
      angular = into_start(run, slot.angular);
    }
    for (std::size_t i = index_of(run.first); i < index_of(run.last); ++i) {
      const RevoluteLink& constants = tree_.links()[i];
      const Link& link = links_[i];
      const double c = cosines_[i];
      const double s = sines_[i];
      linear = rotated_outward(constants, c, s, moved_outward(constants, linear, angular));
      linear.x += link.centripetal.x;
      linear.y += link.centripetal.y;
      linear.z += link.centripetal.z;
      angular = rotated_outward(constants, c, s, angular);
      angular.x += link.turned_x;
      angular.y += link.turned_y;
      const double inherited = angular.z;
      angular.z = link.rest - (link.gain.bx * linear.x + link.gain.by * linear.y + link.gain.bz * linear.z +
                               link.gain.cx * angular.x + link.gain.cy * angular.y);
      accelerations[index_of(tree_.bodies()[i])] = angular.z - inherited;
      if (constants.slot >= 0) {
        slots_[index_of(constants.slot)].linear = linear;
        slots_[index_of(constants.slot)].angular = angular;
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
