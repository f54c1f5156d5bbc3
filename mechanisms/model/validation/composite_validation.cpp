#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench {
namespace {

// What is left of inertias that cancel, relative to what was added up; a mass on the axis of its joint leaves this.
// What joints further out take away cancels too, so that sums are those of everything carried, as if these joints were
// stiff.
constexpr double kNoInertia = 1e-12;

/// \returns the inertia of a body about a point, 6 x 6, in world axes.
Mat6 inertia_about(const Body& body, const BodyKinematics& state, const Vec3& point) {
  Mat6 own = Mat6::Zero();
  own.topLeftCorner<3, 3>() = body.mass * Mat3::Identity();
  own.bottomRightCorner<3, 3>() = state.inertia;
  const Mat6 shift = shift_matrix(state.com - point);
  return shift * own * shift.transpose();
}

/// Sizes of the entries of X I X^T, without their signs.
Mat6 shifted_sizes(const Mat6& shift, const Mat6& sizes) {
  return shift.cwiseAbs() * sizes * shift.cwiseAbs().transpose();
}

/// \returns whether some motion of the joint moves no inertia. \param d H^T I H \param sizes of what I adds up from
bool lacks_inertia(const JointMatrix& d, const SpatialColumns& h, const Mat6& sizes) {
  // Each column by what its entries add up from, so that lengths and angles compare.
  const Eigen::VectorXd size = (h.cwiseAbs().transpose() * sizes * h.cwiseAbs()).diagonal();
  if (!(size.minCoeff() > 0.0)) {
    return true;
  }
  const Eigen::VectorXd scale = size.cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * d * scale.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled, Eigen::EigenvaluesOnly).eigenvalues()[0] < kNoInertia;
}

}  // namespace

/// Articulated inertias from the tips inwards [Featherstone1983]: a joint whose pivot is zero moves nothing, given that
/// all joints beyond it move freely. O(n), and only for mechanisms with such bodies.
void validate_composites(const Mechanism& mechanism) {
  const auto bodies = mechanism.bodies();
  if (std::all_of(bodies.begin(), bodies.end(), [](const Body& body) { return body.regular; })) {
    return;
  }
  Kinematics kinematics(mechanism);
  kinematics.set_positions({mechanism.q0().data(), static_cast<std::size_t>(mechanism.q_size())});
  // About the point of the body's own joint.
  std::vector<Mat6> carried(bodies.size(), Mat6::Zero());
  std::vector<Mat6> carried_sizes(bodies.size(), Mat6::Zero());
  for (int k = mechanism.body_count() - 1; k >= 0; --k) {
    const JointKinematics& joint = kinematics.tree_joint(k);
    const Mat6 own = inertia_about(bodies[static_cast<std::size_t>(k)], kinematics.body(k), joint.point);
    Mat6 inertia = carried[static_cast<std::size_t>(k)] + own;
    const Mat6 sizes = carried_sizes[static_cast<std::size_t>(k)] + own.cwiseAbs();
    const SpatialColumns& h = joint.h;
    if (h.cols() > 0) {
      const SpatialColumns moved = inertia * h;
      const JointMatrix d = h.transpose() * moved;
      if (lacks_inertia(d, h, sizes)) {
        const Joint& named = mechanism.tree_joints()[static_cast<std::size_t>(k)];
        throw ModelError({"bodies", static_cast<std::size_t>(k), "mass"},
                         fmt::format("body '{}' and what it carries have no inertia along joint '{}', so that its "
                                     "acceleration is not determined; give the body mass and inertia, or make the "
                                     "joint fixed",
                                     bodies[static_cast<std::size_t>(k)].name, named.name));
      }
      inertia -= moved * d.ldlt().solve(JointMatrix::Identity(d.rows(), d.cols())) * moved.transpose();
    }
    if (const int parent = mechanism.parent(k); parent >= 0) {
      const Mat6 shift = shift_matrix(joint.point - kinematics.tree_joint(parent).point);
      carried[static_cast<std::size_t>(parent)] += shift * inertia * shift.transpose();
      carried_sizes[static_cast<std::size_t>(parent)] += shifted_sizes(shift, sizes);
    }
  }
}

}  // namespace mbdbench
