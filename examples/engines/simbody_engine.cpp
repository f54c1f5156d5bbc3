// Simbody (Debian's libsimbody-dev) as an engine: trees and loops of every joint type. setup/install_engines.sh
// compiles it.
//   mbdbench verify -f simbody --engine simbody='sh examples/engines/run_engine.sh simbody_engine'
#include <Simbody.h>

#include <map>
#include <memory>

#include "engine_protocol.hpp"

using engine::Joint;
using engine::Vector3;

namespace {

SimTK::Vec3 vec(const Vector3& given) {
  return {given[0], given[1], given[2]};
}

SimTK::Transform pose(const engine::Frame& frame) {
  SimTK::Mat33 rotation;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      rotation(i, j) = frame.rotation(i, j);
    }
  }
  return {SimTK::Rotation(rotation, true), vec(frame.position)};
}

/// Axes of which z (for pins) or x (for sliders) is the direction.
SimTK::Transform along(const Vector3& direction, SimTK::CoordinateAxis axis) {
  return SimTK::Rotation(SimTK::UnitVec3(vec(direction)), axis);
}

class Engine {
 public:
  explicit Engine(const engine::Mechanism& mechanism, const std::vector<engine::Spring>& springs = {})
      : mechanism_(mechanism), matter_(system_), forces_(system_), applied_(forces_, matter_) {
    SimTK::Force::UniformGravity(forces_, matter_, vec(mechanism.gravity));
    for (const Joint& joint : mechanism.joints) {
      joint.cut ? close(joint) : add(joint);
    }
    for (const engine::Spring& spring : springs) {
      const SimTK::MobilizedBody one = body(spring.a), two = body(spring.b);
      const SimTK::Vec3 on_one = vec(spring.point_a), on_two = vec(spring.point_b);
      SimTK::Force::TwoPointLinearSpring(forces_, one, on_one, two, on_two, spring.stiffness, spring.rest);
      SimTK::Force::TwoPointLinearDamper(forces_, one, on_one, two, on_two, spring.damping);
    }
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
  }

  /// Of mechanisms without quaternions.
  engine::Motion simulate(const engine::Simulation& asked) {
    set({asked.q, asked.v, asked.joint_forces, {}});
    const std::unique_ptr<SimTK::Integrator> integrator = integrator_named(asked.integrator);
    integrator->setAccuracy(asked.control);
    integrator->setFinalTime(asked.times.back());
    state_.setTime(asked.times.front());
    engine::Motion motion;
    const double start = engine::processor_seconds();
    integrator->initialize(state_);
    for (const double t : asked.times) {
      while (integrator->getTime() < t) {
        integrator->stepTo(t);
      }
      Eigen::VectorXd q(mechanism_.q_size);
      for_each_row([&](const Joint& joint, const Row& row) {
        int at = joint.q;
        for (const SimTK::MobilizedBody& body : row) {
          for (int i = 0; i < body.getNumQ(state_); ++i) {
            q[at++] = body.getOneQ(integrator->getState(), i);
          }
        }
      });
      motion.q.push_back(q);
    }
    motion.seconds = engine::processor_seconds() - start;
    return motion;
  }

  engine::Answer accelerations(const engine::State& given) {
    const std::map<int, Eigen::Matrix3d> turns = set(given);
    system_.realize(state_, SimTK::Stage::Position);
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const auto& w = given.body_wrenches[k];
      const SimTK::Vec3 force(w[0], w[1], w[2]), moment(w[3], w[4], w[5]);
      const SimTK::Vec3 arm = bodies_[k].getBodyRotation(state_) * vec(mechanism_.bodies[k].com);
      applied_.setOneBodyForce(state_, bodies_[k], SimTK::SpatialVec(moment + arm % force, force));
    }
    engine::Answer answer;
    answer.seconds = engine::timed([&] {
      state_.invalidateAll(SimTK::Stage::Position);
      system_.realize(state_, SimTK::Stage::Acceleration);
    });
    answer.accelerations.resize(mechanism_.v_size);
    for_each_row([&](const Joint& joint, const Row& row) {
      Eigen::VectorXd own(joint.v_count);
      int at = 0;
      for (const SimTK::MobilizedBody& body : row) {
        for (int i = 0; i < body.getNumU(state_); ++i) {
          own[at++] = body.getOneUDot(state_, i);
        }
      }
      if (const auto turn = turns.find(joint.b); turn != turns.end()) {
        own.head<3>() = (turn->second.transpose() * own.head<3>()).eval();
      }
      answer.accelerations.segment(joint.v, joint.v_count) = own;
    });
    return answer;
  }

 private:
  /// A joint as Simbody's in a row, with bodies without mass between them.
  using Row = std::vector<SimTK::MobilizedBody>;

  std::unique_ptr<SimTK::Integrator> integrator_named(const std::string& name) {
    if (name == "CPodes-Adams") {
      return std::make_unique<SimTK::CPodesIntegrator>(system_, SimTK::CPodes::Adams, SimTK::CPodes::Functional);
    }
    if (name == "CPodes-BDF") {
      return std::make_unique<SimTK::CPodesIntegrator>(system_, SimTK::CPodes::BDF, SimTK::CPodes::Newton);
    }
    if (name == "RungeKuttaMerson") {
      return std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
    }
    throw engine::Refused("this adapter has not the integrator '" + name + "'");
  }

  /// \returns the turns of joints with quaternions, by body.
  std::map<int, Eigen::Matrix3d> set(const engine::State& given) {
    std::map<int, Eigen::Matrix3d> turns;  // Simbody has angular velocities of joints in the inboard axes
    for_each_row([&](const Joint& joint, const Row& row) {
      Eigen::VectorXd q = given.q.segment(joint.q, joint.q_count), v = given.v.segment(joint.v, joint.v_count);
      Eigen::VectorXd force = given.joint_forces.segment(joint.v, joint.v_count);
      if (joint.type == "spherical" || joint.type == "free") {
        q.head<4>().normalize();
        const Eigen::Matrix3d turn = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
        v.head<3>() = (turn * v.head<3>()).eval();
        force.head<3>() = (turn * force.head<3>()).eval();
        turns[joint.b] = turn;
      }
      int at_q = 0;
      int at_v = 0;
      for (const SimTK::MobilizedBody& body : row) {
        for (int i = 0; i < body.getNumQ(state_); ++i) {
          body.setOneQ(state_, i, q[at_q++]);
        }
        for (int i = 0; i < body.getNumU(state_); ++i, ++at_v) {
          body.setOneU(state_, i, v[at_v]);
          applied_.setOneMobilityForce(state_, body, SimTK::MobilizerUIndex(i), force[at_v]);
        }
      }
    });
    return turns;
  }

  SimTK::MobilizedBody& body(int number) {
    return number < 0 ? matter_.updGround() : bodies_[static_cast<std::size_t>(number)];
  }

  void add(const Joint& joint) {
    const engine::Body& data = mechanism_.bodies[static_cast<std::size_t>(joint.b)];
    const Eigen::Matrix3d& c = data.inertia;
    const SimTK::Inertia central(SimTK::SymMat33(c(0, 0), c(1, 0), c(1, 1), c(2, 0), c(2, 1), c(2, 2)));
    const SimTK::Vec3 com = vec(data.com);
    const SimTK::Body::Rigid solid(SimTK::MassProperties(data.mass, com, central.shiftFromMassCenter(com, data.mass)));
    const SimTK::Transform a = pose(joint.frame_a), b = pose(joint.frame_b);
    SimTK::MobilizedBody inboard = body(joint.a);
    Row row;
    if (joint.type == "spherical") {
      row.push_back(SimTK::MobilizedBody::Ball(inboard, a, solid, b));
    } else if (joint.type == "free") {
      row.push_back(SimTK::MobilizedBody::Free(inboard, a, solid, b));
    } else if (joint.type == "screw") {
      const SimTK::Transform axes = along(joint.axis, SimTK::CoordinateAxis(SimTK::ZAxis));
      row.push_back(SimTK::MobilizedBody::Screw(inboard, a * axes, solid, b * axes, joint.pitch));
    } else if (joint.type == "fixed") {
      row.push_back(SimTK::MobilizedBody::Weld(inboard, a, solid, b));
    } else {
      const std::map<std::string, std::string> motions = {
          {"revolute", "t"}, {"prismatic", "s"}, {"cylindrical", "ts"}, {"universal", "t2"}, {"planar", "mnt"}};
      const std::string& letters = motions.at(joint.type);
      for (std::size_t i = 0; i < letters.size(); ++i) {
        const char motion = letters[i];
        const Vector3& direction = motion == '2'   ? joint.axis2
                                   : motion == 'm' ? joint.normal1
                                   : motion == 'n' ? joint.normal2
                                                   : joint.axis;
        const bool turn = motion == 't' || motion == '2';
        const SimTK::Transform axes =
            along(direction, turn ? SimTK::CoordinateAxis(SimTK::ZAxis) : SimTK::CoordinateAxis(SimTK::XAxis));
        const bool last = i + 1 == letters.size();
        const SimTK::Body::Rigid middle(SimTK::MassProperties(0.0, SimTK::Vec3(0), SimTK::Inertia(0)));
        const SimTK::Transform from = i == 0 ? a * axes : axes, to = last ? b * axes : axes;
        const SimTK::Body& carried = last ? solid : middle;
        row.push_back(
            turn ? static_cast<SimTK::MobilizedBody>(SimTK::MobilizedBody::Pin(inboard, from, carried, to))
                 : static_cast<SimTK::MobilizedBody>(SimTK::MobilizedBody::Slider(inboard, from, carried, to)));
        inboard = row.back();
      }
    }
    bodies_.push_back(row.back());
    rows_.push_back(row);
  }

  /// Equations that are as few as the joint takes freedoms.
  void close(const Joint& joint) {
    SimTK::MobilizedBody &one = body(joint.a), &two = body(joint.b);
    const SimTK::Transform a = pose(joint.frame_a), b = pose(joint.frame_b);
    const auto right_angle = [&](const Vector3& on_a, const Vector3& on_b) {
      SimTK::Constraint::ConstantAngle(one, SimTK::UnitVec3(a.R() * vec(on_a)), two,
                                       SimTK::UnitVec3(b.R() * vec(on_b)));
    };
    const auto in_plane = [&](const Vector3& normal) {
      const SimTK::UnitVec3 on_a(a.R() * vec(normal));
      SimTK::Constraint::PointInPlane(one, on_a, ~on_a * a.p(), two, b.p());
    };
    if (joint.type == "screw") {
      throw engine::Refused("joint '" + joint.name +
                            "' closes a loop and is a screw, for which Simbody has no constraint");
    }
    if (joint.type == "fixed") {
      SimTK::Constraint::Weld(one, a, two, b);
      return;
    }
    if (joint.type == "revolute" || joint.type == "spherical" || joint.type == "universal") {
      SimTK::Constraint::Ball(one, a.p(), two, b.p());
    }
    if (joint.type == "universal") {
      const double angle = std::acos(joint.axis.dot(joint.axis2));
      SimTK::Constraint::ConstantAngle(one, SimTK::UnitVec3(a.R() * vec(joint.axis)), two,
                                       SimTK::UnitVec3(b.R() * vec(joint.axis2)), angle);
    }
    if (joint.type == "revolute" || joint.type == "cylindrical" || joint.type == "planar") {
      right_angle(joint.normal1, joint.axis);
      right_angle(joint.normal2, joint.axis);
    }
    if (joint.type == "prismatic") {
      SimTK::Constraint::ConstantOrientation(one, a.R(), two, b.R());
    }
    if (joint.type == "prismatic" || joint.type == "cylindrical") {
      in_plane(joint.normal1);
      in_plane(joint.normal2);
    }
    if (joint.type == "planar") {
      in_plane(joint.axis);
    }
  }

  template <typename Visit>
  void for_each_row(const Visit& visit) {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      visit(mechanism_.joints[k], rows_[k]);
    }
  }

  const engine::Mechanism& mechanism_;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::DiscreteForces applied_;
  SimTK::State state_;
  std::vector<SimTK::MobilizedBody> bodies_;
  std::vector<Row> rows_;
};

}  // namespace

int main() {
  int major = 0, minor = 0, patch = 0;
  SimTK_version_simbody(&major, &minor, &patch);
  engine::serve(
      "Simbody " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch) + ", C++",
      [](const engine::Mechanism& mechanism) {
        const auto made = std::make_shared<Engine>(mechanism);
        return [made](const engine::State& state) { return made->accelerations(state); };
      },
      1e-9,
      [](const engine::Mechanism& mechanism, const engine::Simulation& asked) {
        return Engine(mechanism, asked.springs).simulate(asked);
      });
}
