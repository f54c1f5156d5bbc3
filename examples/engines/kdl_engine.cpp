// Orocos KDL (Debian's liborocos-kdl-dev) as an engine: chains, by the inertia matrix and recursive Newton-Euler
// forces. setup/install_engines.sh compiles it.
//   mbdbench verify -f kdl --engine kdl='sh examples/engines/run_engine.sh kdl_engine'
#include <kdl/config.h>
#include <kdl/chain.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>

#include <map>
#include <memory>

#include "engine_protocol.hpp"

using engine::Joint;
using engine::Vector3;

namespace {

KDL::Vector vec(const Vector3& given) {
  return {given[0], given[1], given[2]};
}

KDL::Rotation rotation(const Eigen::Matrix3d& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
}

KDL::Frame pose(const engine::Frame& frame) {
  return {rotation(frame.rotation), vec(frame.position)};
}

class Engine {
 public:
  explicit Engine(const engine::Mechanism& mechanism) : mechanism_(mechanism) {
    for (const Joint& joint : mechanism.joints) {
      add(joint);
    }
    solver_ = std::make_unique<KDL::ChainFdSolver_RNE>(chain_, vec(mechanism.gravity));
    q_ = v_ = forces_ = accelerations_ = KDL::JntArray(chain_.getNrOfJoints());
    wrenches_.assign(chain_.getNrOfSegments(), KDL::Wrench::Zero());
  }

  engine::Answer accelerations(const engine::State& state) {
    q_.data = state.q, v_.data = state.v, forces_.data = state.joint_forces;
    // KDL wants wrenches about the origins of the bodies in their axes.
    KDL::Rotation turned = KDL::Rotation::Identity();
    unsigned int at = 0;
    std::size_t body = 0;
    for (unsigned int i = 0; i < chain_.getNrOfSegments(); ++i) {
      const KDL::Segment& segment = chain_.getSegment(i);
      const bool moves = segment.getJoint().getType() != KDL::Joint::Fixed;
      turned = turned * segment.pose(moves ? q_(at) : 0.0).M;
      at += moves ? 1U : 0U;
      if (i == last_segment_[body]) {
        const auto& w = state.body_wrenches[body];
        const KDL::Wrench at_com(turned.Inverse(KDL::Vector(w[0], w[1], w[2])),
                                 turned.Inverse(KDL::Vector(w[3], w[4], w[5])));
        wrenches_[i] = at_com.RefPoint(-vec(mechanism_.bodies[body].com));
        ++body;
      }
    }
    engine::Answer answer;
    int code = 0;
    answer.seconds = engine::timed([&] { code = solver_->CartToJnt(q_, v_, forces_, wrenches_, accelerations_); });
    if (code < 0) {
      throw std::runtime_error(solver_->strError(code));
    }
    answer.accelerations = accelerations_.data;
    return answer;
  }

 private:
  /// The joint as KDL's segments in a row, those without mass first.
  void add(const Joint& joint) {
    if (joint.cut || joint.a + 1 != joint.b) {
      throw engine::Refused("joint '" + joint.name +
                            "' does not lead from one body to the next, and this adapter treats chains");
    }
    const std::map<std::string, std::string> motions = {{"revolute", "t"},   {"prismatic", "s"}, {"cylindrical", "ts"},
                                                        {"universal", "t2"}, {"planar", "mnt"},  {"fixed", "f"}};
    const auto found = motions.find(joint.type);
    if (found == motions.end()) {
      throw engine::Refused("joint '" + joint.name + "' is " + joint.type + ", which KDL has not");
    }
    const engine::Body& data = mechanism_.bodies[static_cast<std::size_t>(joint.b)];
    const Eigen::Matrix3d& c = data.inertia;
    const KDL::RigidBodyInertia solid(data.mass, vec(data.com),
                                      KDL::RotationalInertia(c(0, 0), c(1, 1), c(2, 2), c(0, 1), c(0, 2), c(1, 2)));
    KDL::Frame from = pose(joint.frame_a);
    const std::string& letters = found->second;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const char motion = letters[i];
      const bool last = i + 1 == letters.size();
      const Vector3& direction = motion == '2'   ? joint.axis2
                                 : motion == 'm' ? joint.normal1
                                 : motion == 'n' ? joint.normal2
                                                 : joint.axis;
      const std::string name = joint.name + letters[i];
      const KDL::Joint made =
          motion == 'f' ? KDL::Joint(name, KDL::Joint::Fixed)
                        : KDL::Joint(name, from.p, from.M * vec(direction),
                                     motion == 't' || motion == '2' ? KDL::Joint::RotAxis : KDL::Joint::TransAxis);
      chain_.addSegment(KDL::Segment(name, made, last ? from * pose(joint.frame_b).Inverse() : from,
                                     last ? solid : KDL::RigidBodyInertia::Zero()));
      from = KDL::Frame::Identity();
    }
    last_segment_.push_back(chain_.getNrOfSegments() - 1);
  }

  const engine::Mechanism& mechanism_;
  KDL::Chain chain_;
  std::vector<unsigned int> last_segment_;  ///< of each body, its own
  std::unique_ptr<KDL::ChainFdSolver_RNE> solver_;
  KDL::JntArray q_, v_, forces_, accelerations_;
  KDL::Wrenches wrenches_;
};

}  // namespace

int main() {
  engine::serve("Orocos KDL " KDL_VERSION_STRING ", C++", [](const engine::Mechanism& mechanism) {
    const auto made = std::make_shared<Engine>(mechanism);
    return [made](const engine::State& state) { return made->accelerations(state); };
  });
}
