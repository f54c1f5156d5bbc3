#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

PrescribedMotions::PrescribedMotions(std::span<const Joint> tree_joints) : time_(std::make_unique<double>(0.0)) {
  const std::vector<ExpressionVariable> variables = {{"t", time_.get()}};
  for (const Joint& joint : tree_joints) {
    for (const JointMotion& motion : joint.motions) {
      formulas_.push_back({Expression(motion.position, variables), Expression(motion.velocity, variables),
                           Expression(motion.acceleration, variables)});
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
