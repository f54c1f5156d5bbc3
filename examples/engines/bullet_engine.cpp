// Bullet (Debian's libbullet-dev, in double precision) as an engine: its multibody, by the articulated-body algorithm.
// setup/install_engines.sh compiles it.
//   mbdbench verify -f bullet --engine bullet='sh examples/engines/run_engine.sh bullet_engine'
#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <Eigen/Geometry>
#include <limits>
#include <map>
#include <memory>

#include "engine_protocol.hpp"

using Eigen::Matrix3d;
using engine::Joint;
using engine::Vector3;

namespace {

btVector3 vec(const Vector3& given) {
  return {given[0], given[1], given[2]};
}

btQuaternion quaternion(const Matrix3d& rotation) {
  const Eigen::Quaterniond q(rotation);
  return {q.x(), q.y(), q.z(), q.w()};
}

/// A body's frame in Bullet: principal axes at its centre of mass, in the body's.
struct Solid {
  Matrix3d axes = Matrix3d::Identity();
  Vector3 moments = Vector3::Zero();
  Vector3 com = Vector3::Zero();
  int link = -1;  ///< -1: the base
};

class Engine {
 public:
  explicit Engine(const engine::Mechanism& mechanism) : mechanism_(mechanism), solids_(mechanism.bodies.size()) {
    floats_ = mechanism.joints.front().type == "free" && mechanism.joints.front().a == -1;
    int links = 0;
    for (const Joint& joint : mechanism.joints) {
      links += static_cast<int>(letters_of(joint).size());
    }
    for (std::size_t i = 0; i < solids_.size(); ++i) {
      const engine::Body& body = mechanism.bodies[i];
      const Eigen::SelfAdjointEigenSolver<Matrix3d> principal(body.inertia);
      Matrix3d axes = principal.eigenvectors();
      axes.col(2) *= axes.determinant() < 0.0 ? -1.0 : 1.0;
      solids_[i] = {axes, principal.eigenvalues(), body.com, -1};
    }
    const double base_mass = floats_ ? mechanism.bodies.front().mass : 0.0;
    const Vector3 base_inertia = floats_ ? solids_.front().moments : Vector3::Zero();
    bullet_ = std::make_unique<btMultiBody>(links, base_mass, vec(base_inertia), !floats_, false);
    for (const Joint& joint : mechanism.joints) {
      add(joint);
    }
    bullet_->finalizeMultiDof();
    bullet_->setLinearDamping(0.0);
    bullet_->setAngularDamping(0.0);
    bullet_->setMaxCoordinateVelocity(std::numeric_limits<double>::max());
  }

  engine::Answer accelerations(const engine::State& state) {
    bullet_->clearForcesAndTorques();
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      const auto& [link, q, v] = coordinates_[i];
      bullet_->setJointPos(link, state.q[q]);
      bullet_->setJointVel(link, state.v[v]);
      bullet_->addJointTorque(link, state.joint_forces[v]);
    }
    for (std::size_t i = 0; i < solids_.size(); ++i) {
      const auto& wrench = state.body_wrenches[i];
      const Vector3 force = wrench.head<3>() + mechanism_.bodies[i].mass * mechanism_.gravity;
      push(solids_[i].link, force, wrench.tail<3>());
    }
    if (floats_) {
      place_base(state);
    }
    engine::Answer answer;
    std::vector<double> before(bullet_->getVelocityVector(), bullet_->getVelocityVector() + 6 + bullet_->getNumDofs());
    // The algorithm adds the accelerations, times a step of 1 s, to the velocities, which are put back before each
    // call.
    auto* const velocities = const_cast<double*>(bullet_->getVelocityVector());
    answer.seconds = engine::timed([&] {
      std::copy(before.begin(), before.end(), velocities);
      bullet_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(1.0, numbers_, vectors_, matrices_, false, false,
                                                                    false);
    });
    answer.accelerations = Eigen::VectorXd::Zero(mechanism_.v_size);
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      answer.accelerations[coordinates_[i].v] = velocities[6 + i] - before[6 + i];
    }
    if (floats_) {
      const Eigen::Map<const Vector3> turning(velocities), moving(velocities + 3);
      const Vector3 alpha = turning - Eigen::Map<const Vector3>(before.data());
      const Vector3 rate = moving - Eigen::Map<const Vector3>(before.data() + 3) + alpha.cross(base_.lever) +
                           base_.omega.cross(base_.omega.cross(base_.lever));
      const Joint& joint = mechanism_.joints.front();
      answer.accelerations.segment<3>(joint.v) = base_.joint_axes.transpose() * alpha;
      answer.accelerations.segment<3>(joint.v + 3) = joint.frame_a.rotation.transpose() * rate;
    }
    return answer;
  }

 private:
  /// A coordinate with a link of its own.
  struct Coordinate {
    int link;
    int q;
    int v;
  };
  /// A free base at a state, in world axes.
  struct Base {
    Matrix3d joint_axes;  ///< of the joint on the body
    Vector3 lever;        ///< from the centre of mass to the joint's origin on the body
    Vector3 omega;
  };

  /// \returns a letter a link: t, 2 turns, s, m, n slides, f neither.
  [[nodiscard]] std::string letters_of(const Joint& joint) const {
    if (joint.cut) {
      throw engine::Refused("it has closed loops; this adapter uses Bullet's multibody, which is a tree");
    }
    if (floats_ && &joint == &mechanism_.joints.front()) {
      return {};
    }
    if (floats_ && joint.a == -1) {
      throw engine::Refused("joint '" + joint.name + "' is at the ground beside a free base, which Bullet cannot have");
    }
    const std::map<std::string, std::string> motions = {{"revolute", "t"},   {"prismatic", "s"}, {"cylindrical", "ts"},
                                                        {"universal", "t2"}, {"planar", "mnt"},  {"fixed", "f"}};
    const auto found = motions.find(joint.type);
    if (found == motions.end()) {
      throw engine::Refused("joint '" + joint.name + "' is " + joint.type + ", which this adapter has not");
    }
    return found->second;
  }

  /// The joint as Bullet's links in a row, those without mass first.
  void add(const Joint& joint) {
    const std::string letters = letters_of(joint);
    const Solid inboard = joint.a < 0 ? Solid{} : solids_[static_cast<std::size_t>(joint.a)];
    Solid& solid = solids_[static_cast<std::size_t>(joint.b)];
    Matrix3d axes = inboard.axes.transpose() * joint.frame_a.rotation;
    Vector3 pivot = inboard.axes.transpose() * (joint.frame_a.position - inboard.com);
    int parent = inboard.link;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const bool last = i + 1 == letters.size();
      const char motion = letters[i];
      const Vector3& direction = motion == '2'   ? joint.axis2
                                 : motion == 'm' ? joint.normal1
                                 : motion == 'n' ? joint.normal2
                                                 : joint.axis;
      const Matrix3d own = last ? Matrix3d(joint.frame_b.rotation.transpose() * solid.axes) : Matrix3d::Identity();
      const double mass = last ? mechanism_.bodies[static_cast<std::size_t>(joint.b)].mass : 0.0;
      const btVector3 inertia = vec(last ? solid.moments : Vector3::Zero());
      const btQuaternion inward = quaternion((axes * own).transpose());
      const btVector3 along = vec(own.transpose() * direction);
      const btVector3 to_com =
          vec(last ? Vector3(solid.axes.transpose() * (solid.com - joint.frame_b.position)) : Vector3::Zero());
      if (motion == 'f') {
        bullet_->setupFixed(next_, mass, inertia, parent, inward, vec(pivot), to_com);
      } else if (motion == 't' || motion == '2') {
        bullet_->setupRevolute(next_, mass, inertia, parent, inward, along, vec(pivot), to_com, true);
      } else {
        bullet_->setupPrismatic(next_, mass, inertia, parent, inward, along, vec(pivot), to_com, true);
      }
      if (motion != 'f') {
        coordinates_.push_back({next_, joint.q + static_cast<int>(i), joint.v + static_cast<int>(i)});
      }
      parent = next_++;
      axes.setIdentity();
      pivot.setZero();
    }
    if (!letters.empty()) {
      solid.link = parent;
    }
  }

  /// In world axes, at the centre of mass.
  void push(int link, const Vector3& force, const Vector3& moment) {
    if (link < 0) {
      bullet_->addBaseForce(vec(force));
      bullet_->addBaseTorque(vec(moment));
    } else {
      bullet_->addLinkForce(link, vec(force));
      bullet_->addLinkTorque(link, vec(moment));
    }
  }

  void place_base(const engine::State& state) {
    const Joint& joint = mechanism_.joints.front();
    const auto q = state.q.segment<7>(joint.q);
    const Matrix3d turned = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
    base_.joint_axes = joint.frame_a.rotation * turned;
    const Matrix3d body_axes = base_.joint_axes * joint.frame_b.rotation.transpose();
    base_.lever = body_axes * (joint.frame_b.position - solids_.front().com);
    base_.omega = base_.joint_axes * state.v.segment<3>(joint.v);
    const Vector3 origin = joint.frame_a.position + joint.frame_a.rotation * q.tail<3>();
    bullet_->setBasePos(vec(origin - base_.lever));
    bullet_->setWorldToBaseRot(quaternion((body_axes * solids_.front().axes).transpose()));
    bullet_->setBaseOmega(vec(base_.omega));
    bullet_->setBaseVel(vec(joint.frame_a.rotation * state.v.segment<3>(joint.v + 3) - base_.omega.cross(base_.lever)));
    const Vector3 force = joint.frame_a.rotation * state.joint_forces.segment<3>(joint.v + 3);
    push(-1, force, base_.joint_axes * state.joint_forces.segment<3>(joint.v) + base_.lever.cross(force));
  }

  const engine::Mechanism& mechanism_;
  std::vector<Solid> solids_;
  std::vector<Coordinate> coordinates_;
  std::unique_ptr<btMultiBody> bullet_;
  btAlignedObjectArray<double> numbers_;
  btAlignedObjectArray<btVector3> vectors_;
  btAlignedObjectArray<btMatrix3x3> matrices_;
  Base base_;
  bool floats_ = false;
  int next_ = 0;
};

}  // namespace

int main() {
  const std::string version = std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
  engine::serve("Bullet " + version + ", C++", [](const engine::Mechanism& mechanism) {
    const auto made = std::make_shared<Engine>(mechanism);
    return [made](const engine::State& state) { return made->accelerations(state); };
  });
}
