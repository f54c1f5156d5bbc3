#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

PrescribedMotions::PrescribedMotions(const Mechanism& mechanism) : time_(std::make_unique<double>(0.0)) {
  const std::vector<ExpressionVariable> variables = {{"t", time_.get()}};
  const auto add = [&](const JointMotion& motion, int row) {
    formulas_.push_back({Expression(motion.position, variables), Expression(motion.velocity, variables),
                         Expression(motion.acceleration, variables)});
    rows_.push_back(row);
  };
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      add(motion, mechanism.cut_row_count() + static_cast<int>(rows_.size()));
    }
  }
  for (const Joint& joint : mechanism.cut_joints()) {
    for (const DrivenRow& driven : joint.driven) {
      add(driven.motion, joint.row_offset + driven.row);
    }
  }
  positions_.resize(formulas_.size());
  velocities_.resize(formulas_.size());
  accelerations_.resize(formulas_.size());
}

void PrescribedMotions::evaluate(double t) {
  *time_ = t;
  for (std::size_t i = 0; i < formulas_.size(); ++i) {
    positions_[i] = formulas_[i].position();
    velocities_[i] = formulas_[i].velocity();
    accelerations_[i] = formulas_[i].acceleration();
  }
}

}  // namespace mbdbench
