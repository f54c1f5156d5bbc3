// What derivatives of states with coordinates of cut joints ask of LoopState: numbers of these joints, which depend on
// the motions of two bodies, as laws that the passes know.
#include <utility>

#include "formulations/derivatives/loops/loop_state.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

namespace {

using linear::LoopBody;
using linear::LoopCut;

Screw<double> six_as_screw(const Vec6& six) {
  return {{six[0], six[1], six[2]}, {six[3], six[4], six[5]}};
}

}  // namespace

int LoopState::cut_velocity_count(const Mechanism& mechanism) {
  int count = 0;
  for (const Joint& joint : mechanism.cut_joints()) {
    count += joint.nu;
  }
  return count;
}

Vec6 LoopState::motion_of(int body, Screw<double> LoopBody::*of) const {
  const Screw<double> ground = of == &LoopBody::acceleration ? data_.ground : Screw<double>{};
  const Screw<double> m = body < 0 ? ground : bodies_[index_of(body)].*of;
  return (Vec6() << m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z).finished();
}

const Eigen::VectorXd& LoopState::watch_cuts() {
  laws_.clear();
  arguments_.clear();
  watched_.resize(cut_velocity_count(*mechanism_));
  if (loads_) {
    laws_.assign(loads_->laws().begin(), loads_->laws().end());
    arguments_.assign(loads_->arguments().begin(), loads_->arguments().end());
  }
  Eigen::Index count = 0;
  // Appends a law. \param slopes a row of them \param by_acceleration of b; no columns: none
  const auto watch = [&](const linear::CutShape& shape, double value, const auto& slopes, const auto& by_acceleration) {
    linear::LoopLaw law;
    law.axis = data_.axis_count + static_cast<int>(count);
    law.first_argument = static_cast<int>(arguments_.size());
    law.argument_count = 2;
    laws_.push_back(law);
    for (const auto& [body, first] : {std::pair(shape.body_a, 0), std::pair(shape.body_b, 6)}) {
      linear::LoopArgument argument;
      argument.body = body;
      argument.by_displacement = six_as_screw(slopes.template segment<6>(first));
      argument.by_velocity = six_as_screw(slopes.template segment<6>(LoopCut::kSlopes / 2 + first));
      if (!data_.momenta) {
        argument.accelerates = true;
        argument.by_acceleration = six_as_screw(first == 0 ? Vec6(-by_acceleration) : by_acceleration);
      }
      arguments_.push_back(argument);
    }
    watched_[count++] = value;
  };
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const linear::CutShape& shape = cuts_[c].shape;
    const auto own = static_cast<int>(c);
    const std::pair velocities(motion_of(shape.body_a, &LoopBody::velocity),
                               motion_of(shape.body_b, &LoopBody::velocity));
    if (data_.momenta) {
      const CutVelocitySlopes cut =
          cut_velocity_slopes(own, kinematics_, velocities.second - velocities.first, center_);
      for (Eigen::Index i = 0; i < cut.u.size(); ++i) {
        watch(shape, cut.u[i], cut.slopes.row(i), Vec6());
      }
    } else {
      const Vec6 pulled =
          motion_of(shape.body_b, &LoopBody::acceleration) - motion_of(shape.body_a, &LoopBody::acceleration);
      const CutAccelerationSlopes cut = cut_acceleration_slopes(own, kinematics_, velocities, pulled, center_);
      for (Eigen::Index i = 0; i < cut.rates.size(); ++i) {
        watch(shape, cut.rates[i], cut.slopes.row(i), Vec6(cut.by_acceleration.row(i)));
      }
    }
  }
  data_.law_count = static_cast<int>(laws_.size());
  data_.laws = laws_.data();
  data_.arguments = arguments_.data();
  return watched_;
}

Eigen::MatrixXd LoopState::watched_by(const Eigen::MatrixXd& accelerations) {
  Eigen::MatrixXd changes = Eigen::MatrixXd::Zero(watched_.size(), accelerations.cols());
  for (Eigen::Index c = 0; c < accelerations.cols(); ++c) {
    set_flows(accelerations.col(c));
    for (const linear::LoopLaw& law : laws_) {
      for (int k = law.first_argument; k < law.first_argument + law.argument_count; ++k) {
        const linear::LoopArgument& argument = arguments_[index_of(k)];
        if (argument.accelerates && argument.body >= 0) {
          changes(law.axis - data_.axis_count, c) +=
              linear::dot(argument.by_acceleration, flows_[index_of(argument.body)]);
        }
      }
    }
  }
  return changes;
}

Eigen::VectorXd LoopState::weights_of_watched(const Eigen::VectorXd& weights) {
  flows_.assign(bodies_.size(), {});
  for (const linear::LoopLaw& law : laws_) {
    for (int k = law.first_argument; k < law.first_argument + law.argument_count; ++k) {
      const linear::LoopArgument& argument = arguments_[index_of(k)];
      if (argument.accelerates && argument.body >= 0) {
        linear::add(argument.by_acceleration, weights[law.axis - data_.axis_count], flows_[index_of(argument.body)]);
      }
    }
  }
  return along_axes();
}

}  // namespace mbdbench
