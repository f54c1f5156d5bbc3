#include "formulations/parts/forms/closed_accelerations.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {

ClosedAccelerations::ClosedAccelerations(const Mechanism& mechanism, BaumgarteConstants baumgarte, bool projects,
                                         const Execution& execution, const CutReferences* near, int section_bodies)
    : mechanism_(&mechanism),
      baumgarte_(baumgarte),
      projects_(projects),
      part_(mechanism, LoadEvaluator(mechanism, near).need_bodies() ? PosesWanted::bodies : PosesWanted::cuts,
            execution, section_bodies),
      loads_(mechanism, near),
      loads_on_bodies_(loads_.need_bodies()),
      motions_(mechanism),
      wanted_(Eigen::VectorXd::Zero(mechanism.closing_row_count())) {
  motion_components_.assign(motions_.positions().size(), -1);
  catch_up_.resize(motions_.positions().size());
  for (const LinkRow& row : part_.tree().rows()) {
    if (row.motion >= 0) {
      motion_components_[index_of(row.motion)] = row.u;
    }
  }
  part_.use_baumgarte(baumgarte_.alpha, baumgarte_.beta);
}

// Where lanes are not sure, one section after another tells; so it says what stops it, too.
RhsStatus ClosedAccelerations::evaluate(double t, std::span<const double> q, std::span<const double> state_velocities,
                                        std::span<double> u, std::span<double> accelerations) {
  RhsStatus status = evaluate_once(t, q, state_velocities, u, accelerations);
  if (part_.uses_lanes() && !(status.ok && part_.lanes_are_sure())) {
    part_.use_lanes(false);
    status = evaluate_once(t, q, state_velocities, u, accelerations);
    part_.use_lanes(true);
  }
  return status;
}

RhsStatus ClosedAccelerations::evaluate_once(double t, std::span<const double> q,
                                             std::span<const double> state_velocities, std::span<double> u,
                                             std::span<double> accelerations) {
  std::copy(state_velocities.begin(), state_velocities.end(), u.begin());
  if (const RhsStatus status = part_.set_positions(q, u); !status.ok) {
    return status;
  }
  if (mechanism_->rheonomic()) {
    motions_.evaluate(t);
  }
  if (projects_ && mechanism_->constrained()) {
    if (const RhsStatus status = project_velocities(u); !status.ok) {
      return status;
    }
  }
  evaluate_loads(t, q, u);
  part_.set_velocities(u);
  set_wanted_accelerations(q, u);
  const PartRecursion::Loads loads{
      loads_.in_joints() || loads_on_bodies_ ? view(loads_.joint_forces()) : std::span<const double>(),
      loads_on_bodies_ ? part_.poses().wrenches() : std::span<const kernels::LinkWrench<double>>(),
      mechanism_->rheonomic() ? motions_.accelerations() : std::span<const double>()};
  const RhsStatus status = part_.accelerate(loads, wanted_, accelerations);
  return status.ok ? finite(accelerations) : status;
}

RhsStatus ClosedAccelerations::project_velocities(std::span<double> u) {
  const BodyMotions& bodies = part_.poses().bodies();
  part_.for_cuts([&](std::size_t c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    const JointKinematics& state = part_.cuts()[c];
    const Vec6 relative = bodies.velocity_at(cut.b, state.point) - bodies.velocity_at(cut.a, state.point);
    for (int i = 0; i < cut.nc; ++i) {
      wanted_[cut.row_offset + i] = -state.d.col(i).dot(relative);
    }
    for (const DrivenRow& driven : cut.driven) {
      wanted_[cut.row_offset + driven.row] += motions_.velocities()[index_of(driven.place)];
    }
  });
  for (std::size_t m = 0; m < motion_components_.size(); ++m) {
    const int component = motion_components_[m];
    catch_up_[m] = component < 0 ? 0.0 : motions_.velocities()[m] - u[index_of(component)];
  }
  for (std::size_t c = 0; c < mechanism_->couplings().size(); ++c) {
    const Coupling& coupling = mechanism_->couplings()[c];
    double rate = coupling.rate(u);
    for (const Coupling::Term& term : coupling.terms) {
      for (std::size_t m = 0; m < motion_components_.size(); ++m) {
        rate += term.u == motion_components_[m] ? term.factor * catch_up_[m] : 0.0;
      }
    }
    wanted_[mechanism_->cut_row_count() + static_cast<int>(c)] = -rate;
  }
  return part_.push(wanted_, mechanism_->rheonomic() ? std::span<const double>(catch_up_) : std::span<const double>(),
                    u);
}

void ClosedAccelerations::evaluate_loads(double t, std::span<const double> q, std::span<const double> u) {
  const BodyMotions& bodies = part_.poses().bodies();
  part_.for_cuts([&](std::size_t c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    set_joint_rates(cut, bodies.body(cut.a), bodies.body(cut.b), part_.cuts()[c]);
  });
  if (loads_on_bodies_) {
    loads_.evaluate(t, q, u, bodies, part_.cuts());
    part_.for_ranges([this](std::size_t range) {
      part_.poses().collect(part_.tree(), part_.tree().ranges()[range],
                            [this](int body) -> const Vec6& { return loads_.body_wrench(body); });
    });
  } else if (loads_.in_joints()) {
    loads_.evaluate_joint_forces(t, q, u);
  }
}

EndMotion ClosedAccelerations::end_of(int body) const {
  static const CutEnd ground;
  const int row = body < 0 ? -1 : part_.tree().bodies()[index_of(body)].row;
  return {body < 0 ? ground.body : part_.poses().bodies().body(body),
          row < 0 ? ground.point_velocity : part_.poses().row(index_of(row)).velocity};
}

void ClosedAccelerations::set_wanted_accelerations(std::span<const double> q, std::span<const double> u) {
  part_.for_cuts([&](std::size_t c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    const JointKinematics& state = part_.cuts()[c];
    set_cut_right_side(cut, state, end_of(cut.a), end_of(cut.b), baumgarte_, wanted_);
    if (!cut.driven.empty()) {
      add_drive_right_side(cut, state, motions_, baumgarte_, wanted_);
    }
    if (!loads_on_bodies_) {
      // The links' accelerations are taken less g, so that weights need no poses: the ground's is -g then.
      const auto rests = [&](int body) { return body < 0 || part_.tree().bodies()[index_of(body)].row < 0; };
      const double sign = (rests(cut.a) ? 1.0 : 0.0) - (rests(cut.b) ? 1.0 : 0.0);
      for (int i = 0; sign != 0.0 && i < cut.nc; ++i) {
        wanted_[cut.row_offset + i] -= sign * state.d.col(i).head<3>().dot(mechanism_->gravity());
      }
    }
  });
  for (std::size_t c = 0; c < mechanism_->couplings().size(); ++c) {
    const Coupling& coupling = mechanism_->couplings()[c];
    wanted_[mechanism_->cut_row_count() + static_cast<int>(c)] =
        -prescribed_rate(coupling) - 2.0 * baumgarte_.alpha * coupling.rate(u) -
        baumgarte_.beta * baumgarte_.beta * coupling.residual(q);
  }
}

double ClosedAccelerations::prescribed_rate(const Coupling& coupling) const {
  double sum = 0.0;
  for (const Coupling::Term& term : coupling.terms) {
    for (std::size_t m = 0; m < motion_components_.size(); ++m) {
      sum += term.u == motion_components_[m] ? term.factor * motions_.accelerations()[m] : 0.0;
    }
  }
  return sum;
}

RhsStatus ClosedAccelerations::finite(std::span<const double> accelerations) const {
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      if (const double value = accelerations[index_of(joint.u_offset + i)]; !std::isfinite(value)) {
        return {false, joint.name, "the acceleration of the joint is not finite, it is", value};
      }
    }
  }
  return {};
}

}  // namespace mbdbench
