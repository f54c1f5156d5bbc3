#include "formulations/parts/forms/closed_momenta.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {

ClosedMomenta::ClosedMomenta(const Mechanism& mechanism, GaugeControl gauge, double leak, double feedback,
                             const Execution& execution, const CutReferences* near, int section_bodies)
    : mechanism_(&mechanism),
      gauge_(gauge),
      leak_(gauge == GaugeControl::leak || gauge == GaugeControl::tangent ? leak : 0.0),
      feedback_(feedback),
      part_(mechanism, LoadEvaluator(mechanism, near).need_bodies() ? PosesWanted::bodies : PosesWanted::rows,
            execution, section_bodies),
      loads_(mechanism, near),
      loads_on_bodies_(loads_.need_bodies()),
      motions_(mechanism),
      wanted_(Eigen::VectorXd::Zero(mechanism.closing_row_count())),
      cut_loads_(mechanism.cut_joints().size()),
      link_loads_(part_.tree().size()),
      own_(index_of(mechanism.u_size())),
      velocity_(index_of(mechanism.u_size())),
      free_(index_of(mechanism.u_size())) {}

RhsStatus ClosedMomenta::set_state(double t, std::span<const double> q, std::span<const double> p,
                                   std::span<double> u) {
  RhsStatus status = set_positions(q);
  return status.ok ? move(t, q, p, u) : status;
}

RhsStatus ClosedMomenta::move(double t, std::span<const double> q, std::span<const double> p, std::span<double> u) {
  if (mechanism_->rheonomic()) {
    motions_.evaluate(t);
  }
  set_wanted(q);
  if (const RhsStatus status =
          part_.move(p, wanted_, mechanism_->rheonomic() ? motions_.velocities() : std::span<const double>(), u, true);
      !status.ok) {
    return status;
  }
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      if (const double value = u[index_of(joint.u_offset + i)]; !std::isfinite(value)) {
        return {false, joint.name, "the velocity of the joint is not finite, it is", value};
      }
    }
  }
  return {};
}

void ClosedMomenta::set_wanted(std::span<const double> q) {
  wanted_.setZero();
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    if (feedback_ != 0.0 && part_.knows_cut(c)) {
      const JointKinematics& state = part_.cuts()[c];
      std::array<double, 6> residual{};
      closure_residual(cut, state.axes_a, state.axes_b, state.displacement, residual);
      drive_residual(cut, motions_.positions(), residual);
      for (int i = 0; i < cut.nc; ++i) {
        wanted_[cut.row_offset + i] = -feedback_ * residual[index_of(i)];
      }
    }
    for (const DrivenRow& driven : cut.driven) {
      wanted_[cut.row_offset + driven.row] += motions_.velocities()[index_of(driven.place)];
    }
  }
  for (std::size_t c = 0; c < mechanism_->couplings().size(); ++c) {
    const Coupling& coupling = mechanism_->couplings()[c];
    double rate = feedback_ * coupling.residual(q);
    for (const LinkRow& row : part_.tree().rows()) {
      for (std::size_t k = 0; row.motion >= 0 && k < coupling.terms.size(); ++k) {
        rate +=
            coupling.terms[k].u == row.u ? coupling.terms[k].factor * motions_.velocities()[index_of(row.motion)] : 0.0;
      }
    }
    wanted_[mechanism_->cut_row_count() + static_cast<int>(c)] = -rate;
  }
}

RhsStatus ClosedMomenta::momentum_rates(double t, std::span<const double> q, std::span<const double> p,
                                        std::span<const double> u, std::span<double> rates) {
  evaluate_loads(t, q, u);
  add_cut_loads();
  const bool in_joints = loads_.in_joints() || loads_on_bodies_;
  part_.momentum_rates(in_joints ? view(loads_.joint_forces()) : std::span<const double>(), link_loads_,
                       leak_ != 0.0 ? std::span<double>(own_) : std::span<double>(), rates);
  if (gauge_ == GaugeControl::tangent) {
    make_tangent(p, u, rates);
  } else if (leak_ != 0.0) {
    // Phi_q^T sigma of all rows, prescribed motions and couplings included, is M u - p.
    for (std::size_t i = 0; i < rates.size(); ++i) {
      rates[i] += leak_ * (own_[i] - p[i]);
    }
  }
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      if (const double value = rates[index_of(joint.u_offset + i)]; !std::isfinite(value)) {
        return {false, joint.name, "the rate of the joint's momentum is not finite, it is", value};
      }
    }
  }
  return {};
}

void ClosedMomenta::evaluate_loads(double t, std::span<const double> q, std::span<const double> u) {
  LinkPoses& poses = part_.poses();
  const BodyMotions& bodies = poses.bodies();
  part_.for_cuts([&](std::size_t c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    set_joint_rates(cut, bodies.body(cut.a), bodies.body(cut.b), part_.cuts()[c]);
  });
  if (loads_on_bodies_) {
    loads_.evaluate(t, q, u, bodies, part_.cuts());
  } else if (loads_.in_joints()) {
    loads_.evaluate_joint_forces(t, q, u);
  }
  part_.for_ranges([this](std::size_t range) { set_link_loads(range); });
}

void ClosedMomenta::set_link_loads(std::size_t range) {
  LinkPoses& poses = part_.poses();
  const LinkRange& rows = part_.tree().ranges()[range];
  if (loads_on_bodies_) {
    poses.collect(part_.tree(), rows, [this](int body) -> const Vec6& { return loads_.body_wrench(body); });
    std::copy(poses.wrenches().begin() + rows.first_row, poses.wrenches().begin() + rows.last_row,
              link_loads_.begin() + rows.first_row);
    return;
  }
  for (std::size_t i = index_of(rows.first_row); i < index_of(rows.last_row); ++i) {
    const kernels::LinkConstants<double>& link = part_.tree().links()[i];
    const Vec3 g = poses.row(i).axes.transpose() * mechanism_->gravity();
    const Vec3 n = Vec3(link.hx, link.hy, link.hz).cross(g);
    link_loads_[i] = {link.mass * g.x(), link.mass * g.y(), link.mass * g.z(), n.x(), n.y(), n.z()};
  }
}

// -(Sdot_c D_c + Ddot_c) sigma_c on the bodies of every cut joint [Chadaj2017, Eq. (69)-(77)]; hdca.cpp says where the
// printed signs hold.
void ClosedMomenta::add_cut_loads() {
  part_.for_cuts([this](std::size_t c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    const JointKinematics& state = part_.cuts()[c];
    Vec6 impulse = Vec6::Zero();
    Vec6 load = Vec6::Zero();
    for (int i = 0; i < cut.nc; ++i) {
      const double sigma = part_.multipliers()[cut.row_offset + i];
      impulse += sigma * state.d.col(i);
      load -= sigma * state.d_rate.col(i);
    }
    load -= shift_rate_wrench(state.velocity, impulse);
    cut_loads_[c] = load;
  });
  part_.for_ranges([this](std::size_t range) {
    part_.for_ends(range, [this](std::size_t c, std::size_t row, double sign) {
      part_.poses().add_wrench_at(row, part_.cuts()[c].point, sign * cut_loads_[c], link_loads_[row]);
    });
  });
}

// p' <- p' + Phi_q^T nu + kappa (M u - p) (gauge_option.hpp); Phi_q^T sigma is M u - p. What nu is off by stays within
// range(Phi_q^T), where it moves nothing; the rounding of M w would not.
void ClosedMomenta::make_tangent(std::span<const double> p, std::span<const double> u, std::span<double> rates) {
  if (mechanism_->rheonomic()) {
    wanted_.setZero();
    part_.move(rates, wanted_, {}, velocity_, false);
  } else {
    part_.find_multipliers(rates);
  }
  part_.add_closing_momenta(rates);
  if (mechanism_->rheonomic()) {
    // The multiplier of a prescribed motion is what M w leaves of the joint's own row, and nothing moves with it.
    part_.momenta(free_);
    for (const LinkRow& row : part_.tree().rows()) {
      if (row.motion >= 0) {
        rates[index_of(row.u)] = free_[index_of(row.u)];
      }
    }
  }
  const double kappa = tangent_leak(leak_, *mechanism_, u);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i] += kappa * (own_[i] - p[i]);
  }
}

double ClosedMomenta::largest_cut_multiplier() const {
  return mechanism_->cut_row_count() == 0 ? 0.0
                                          : part_.multipliers().head(mechanism_->cut_row_count()).cwiseAbs().maxCoeff();
}

}  // namespace mbdbench
