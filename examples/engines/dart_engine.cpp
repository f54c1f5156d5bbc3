// DART (Debian's libdart-dev) as an engine: its skeletons, by the articulated-body algorithm. setup/install_engines.sh
// compiles it.
//   mbdbench verify -f dart --engine dart='sh examples/engines/run_engine.sh dart_engine'
#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlanarJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/ScrewJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/UniversalJoint.hpp>
#include <dart/dynamics/WeldJoint.hpp>

#include <cmath>
#include <iostream>
#include <memory>

#include "engine_protocol.hpp"

namespace dynamics = dart::dynamics;
using Eigen::Isometry3d;
using Eigen::Matrix3d;
using engine::Joint;
using engine::Vector3;

namespace {

Isometry3d pose(const engine::Frame& frame) {
  Isometry3d made = Isometry3d::Identity();
  made.linear() = frame.rotation;
  made.translation() = frame.position;
  return made;
}

/// Keeps what DART tells of the names that it makes from standard output, which is for answers.
struct Quiet {
  std::streambuf* answers = std::cout.rdbuf(nullptr);
  ~Quiet() { std::cout.rdbuf(answers); }
};

Matrix3d turned(const Eigen::VectorXd& q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

class Engine {
 public:
  explicit Engine(const engine::Mechanism& mechanism)
      : mechanism_(mechanism), skeleton_(dynamics::Skeleton::create("mechanism")) {
    const Quiet quiet;
    skeleton_->setGravity(mechanism.gravity);
    for (const Joint& joint : mechanism.joints) {
      add(joint);
    }
    q_ = v_ = forces_ = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(skeleton_->getNumDofs()));
  }

  engine::Answer accelerations(const engine::State& state) {
    for (const Part& part : parts_) {
      place(part, state);
    }
    skeleton_->setForces(forces_);
    skeleton_->setPositions(q_);  // wrenches are turned into the bodies' axes as they are given
    skeleton_->clearExternalForces();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const auto& wrench = state.body_wrenches[i];
      bodies_[i]->addExtForce(wrench.head<3>(), mechanism_.bodies[i].com, false, true);
      bodies_[i]->addExtTorque(wrench.tail<3>(), false);
    }
    engine::Answer answer;
    // DART keeps what it has computed for a state that is set again: every other call is for one beside it.
    const Eigen::VectorXd beside_q = q_.array() + 1e-12;
    const Eigen::VectorXd beside_v = v_.array() + 1e-12;
    bool beside = true;
    const auto evaluate = [&] {
      skeleton_->setPositions(beside ? beside_q : q_);
      skeleton_->setVelocities(beside ? beside_v : v_);
      skeleton_->computeForwardDynamics();
      beside = !beside;
    };
    answer.seconds = engine::timed(evaluate);
    beside = false;
    evaluate();
    const Eigen::VectorXd found = skeleton_->getAccelerations();
    answer.accelerations = Eigen::VectorXd::Zero(mechanism_.v_size);
    for (const Part& part : parts_) {
      for (int i = 0; i < part.count; ++i) {
        answer.accelerations[part.v + i] = found[part.at + i];
      }
      if (part.joint->type == "free") {  // DART's velocity is that of the origin on b in axes of b, ours in axes of a
        const Vector3 omega = v_.segment<3>(part.at);
        answer.accelerations.segment<3>(part.v + 3) =
            turned(state.q.segment<4>(part.q)) *
            (found.segment<3>(part.at + 3) + omega.cross(Vector3(v_.segment<3>(part.at + 3))));
      }
    }
    return answer;
  }

 private:
  /// A joint of DART and its places in DART's coordinates and in ours.
  struct Part {
    const Joint* joint;
    int at;
    int q;
    int v;
    int count;
  };

  void place(const Part& part, const engine::State& state) {
    v_.segment(part.at, part.count) = state.v.segment(part.v, part.count);
    forces_.segment(part.at, part.count) = state.joint_forces.segment(part.v, part.count);
    if (part.joint->type == "spherical") {
      q_.segment<3>(part.at) = dynamics::BallJoint::convertToPositions(turned(state.q.segment<4>(part.q)));
    } else if (part.joint->type == "free") {
      Isometry3d place = Isometry3d::Identity();
      place.linear() = turned(state.q.segment<4>(part.q));
      place.translation() = state.q.segment<3>(part.q + 4);
      q_.segment<6>(part.at) = dynamics::FreeJoint::convertToPositions(place);
      v_.segment<3>(part.at + 3) = place.linear().transpose() * state.v.segment<3>(part.v + 3);
      forces_.segment<3>(part.at + 3) = place.linear().transpose() * state.joint_forces.segment<3>(part.v + 3);
    } else {
      q_.segment(part.at, part.count) = state.q.segment(part.q, part.count);
    }
  }

  /// \returns the body's node behind a joint of DART's. \param from, to frames of the joint on the two bodies
  template <typename Kind>
  std::pair<Kind*, dynamics::BodyNode*> link(dynamics::BodyNode* inboard, const Isometry3d& from,
                                             const Isometry3d& to) {
    const auto pair = skeleton_->createJointAndBodyNodePair<Kind>(inboard);
    pair.first->setTransformFromParentBodyNode(from);
    pair.first->setTransformFromChildBodyNode(to);
    return pair;
  }

  void add(const Joint& joint) {
    if (joint.cut) {
      throw engine::Refused("it has closed loops; this adapter uses DART's skeletons, which are trees");
    }
    dynamics::BodyNode* inboard = joint.a < 0 ? nullptr : bodies_[static_cast<std::size_t>(joint.a)];
    Isometry3d from = pose(joint.frame_a);
    const Isometry3d to = pose(joint.frame_b);
    dynamics::BodyNode* body = nullptr;
    if (joint.type == "revolute" || joint.type == "cylindrical") {
      const bool slides = joint.type == "cylindrical";  // on a link without mass that turns
      const auto [made, outboard] = link<dynamics::RevoluteJoint>(inboard, from, slides ? Isometry3d::Identity() : to);
      made->setAxis(joint.axis);
      take(joint, *made, 0);
      body = outboard;
      if (slides) {
        outboard->setInertia(dynamics::Inertia(0.0, Vector3::Zero(), Matrix3d::Zero()));
        inboard = outboard;
        from.setIdentity();
      }
    }
    if (joint.type == "prismatic" || joint.type == "cylindrical") {
      const auto [made, outboard] = link<dynamics::PrismaticJoint>(inboard, from, to);
      made->setAxis(joint.axis);
      take(joint, *made, joint.type == "cylindrical" ? 1 : 0);
      body = outboard;
    } else if (joint.type == "universal") {
      const auto [made, outboard] = link<dynamics::UniversalJoint>(inboard, from, to);
      made->setAxis1(joint.axis);
      made->setAxis2(joint.axis2);
      take(joint, *made, 0);
      body = outboard;
    } else if (joint.type == "planar") {
      const auto [made, outboard] = link<dynamics::PlanarJoint>(inboard, from, to);
      made->setArbitraryPlane(joint.normal1, joint.normal2);
      take(joint, *made, 0);
      body = outboard;
    } else if (joint.type == "spherical") {
      const auto [made, outboard] = link<dynamics::BallJoint>(inboard, from, to);
      take(joint, *made, 0);
      body = outboard;
    } else if (joint.type == "free") {
      const auto [made, outboard] = link<dynamics::FreeJoint>(inboard, from, to);
      take(joint, *made, 0);
      body = outboard;
    } else if (joint.type == "screw") {
      const auto [made, outboard] = link<dynamics::ScrewJoint>(inboard, from, to);
      made->setAxis(joint.axis);
      made->setPitch(2.0 * M_PI * joint.pitch);  // DART's is that of a whole turn
      take(joint, *made, 0);
      body = outboard;
    } else if (joint.type == "fixed") {
      body = link<dynamics::WeldJoint>(inboard, from, to).second;
    } else if (body == nullptr) {
      throw engine::Refused("joint '" + joint.name + "' is " + joint.type + ", which this adapter has not");
    }
    const engine::Body& data = mechanism_.bodies[static_cast<std::size_t>(joint.b)];
    body->setInertia(dynamics::Inertia(data.mass, data.com, data.inertia));
    bodies_.push_back(body);
  }

  void take(const Joint& joint, const dynamics::Joint& made, int component) {
    parts_.push_back({&joint, static_cast<int>(made.getIndexInSkeleton(0)), joint.q + component, joint.v + component,
                      static_cast<int>(made.getNumDofs())});
  }

  const engine::Mechanism& mechanism_;
  dynamics::SkeletonPtr skeleton_;
  std::vector<dynamics::BodyNode*> bodies_;
  std::vector<Part> parts_;
  Eigen::VectorXd q_, v_, forces_;  ///< in DART's order
};

}  // namespace

int main() {
  engine::serve("DART " DART_VERSION ", C++", [](const engine::Mechanism& mechanism) {
    const auto made = std::make_shared<Engine>(mechanism);
    return [made](const engine::State& state) { return made->accelerations(state); };
  });
}
