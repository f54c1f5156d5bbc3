// Pinocchio (`pip install pin`, whose wheel holds its headers) as an engine: ABA for trees, its proximal constrained
// dynamics for loops. setup/install_engines.sh compiles it.
//   mbdbench verify -f pinocchio --engine pinocchio='sh examples/engines/run_engine.sh pinocchio_engine'
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/proximal.hpp>

#include <boost/numeric/odeint.hpp>
#include <memory>

#include "engine_protocol.hpp"

namespace pin = pinocchio;
using engine::Joint;
using engine::Vector3;

namespace {

// The relative change at which its proximal iteration ends here; rounding in M's inverse leaves about this much.
constexpr double kProximal = 1e-13;

pin::SE3 pose(const engine::Frame& frame) {
  return {frame.rotation, frame.position};
}

/// Pinocchio is faster about its own axes.
template <typename X, typename Y, typename Z, typename Unaligned>
pin::JointModel about(const Vector3& axis) {
  return axis == Vector3::UnitX()   ? pin::JointModel(X())
         : axis == Vector3::UnitY() ? pin::JointModel(Y())
         : axis == Vector3::UnitZ() ? pin::JointModel(Z())
                                    : pin::JointModel(Unaligned(axis));
}

pin::JointModel revolute(const Vector3& axis) {
  return about<pin::JointModelRX, pin::JointModelRY, pin::JointModelRZ, pin::JointModelRevoluteUnaligned>(axis);
}

pin::JointModel prismatic(const Vector3& axis) {
  return about<pin::JointModelPX, pin::JointModelPY, pin::JointModelPZ, pin::JointModelPrismaticUnaligned>(axis);
}

pin::JointModel joint_model(const Joint& joint) {
  if (joint.type == "revolute") {
    return revolute(joint.axis);
  }
  if (joint.type == "prismatic") {
    return prismatic(joint.axis);
  }
  if (joint.type == "screw") {
    return pin::JointModelHelicalUnaligned(joint.axis, joint.pitch);
  }
  if (joint.type == "spherical") {
    return pin::JointModelSpherical();
  }
  if (joint.type == "free") {
    return pin::JointModelFreeFlyer();
  }
  pin::JointModelComposite model;
  if (joint.type == "planar") {
    model.addJoint(prismatic(joint.normal1)).addJoint(prismatic(joint.normal2)).addJoint(revolute(joint.axis));
  } else {
    model.addJoint(revolute(joint.axis));
    model.addJoint(joint.type == "universal" ? revolute(joint.axis2) : prismatic(joint.axis));
  }
  return model;
}

class Engine {
 public:
  explicit Engine(const engine::Mechanism& mechanism) : mechanism_(mechanism), places_(mechanism.bodies.size() + 1) {
    model_.gravity.linear() = mechanism.gravity;
    place(-1) = {0, pin::SE3::Identity()};
    add_outboard(-1);
    data_ = pin::Data(model_);
    for (const Joint& joint : mechanism.joints) {
      if (joint.cut) {
        close(joint);
      }
    }
    for (const auto& contact : contacts_) {
      contact_data_.push_back(contact.createData());
    }
    if (!contacts_.empty()) {
      pin::initConstraintDynamics(model_, data_, contacts_, contact_data_);
    }
    q_ = Eigen::VectorXd::Zero(model_.nq);
    v_ = tau_ = Eigen::VectorXd::Zero(model_.nv);
  }

  /// Pinocchio has no integrator: Boost's Fehlberg 7(8) goes around it, of mechanisms without quaternions.
  engine::Motion simulate(const engine::Simulation& asked) {
    namespace odeint = boost::numeric::odeint;
    const Eigen::Index n = mechanism_.v_size;
    std::vector<double> x(asked.q.begin(), asked.q.end());
    x.insert(x.end(), asked.v.begin(), asked.v.end());
    engine::State state = {asked.q, asked.v, asked.joint_forces, {}};
    const auto rate = [&](const std::vector<double>& at, std::vector<double>& slope, double /*t*/) {
      state.q = Eigen::Map<const Eigen::VectorXd>(at.data(), n);
      state.v = Eigen::Map<const Eigen::VectorXd>(at.data() + n, n);
      set(state);
      add_springs(asked.springs);
      solve();
      std::copy(at.begin() + n, at.end(), slope.begin());
      for_each_moving([&](const Joint& joint, const pin::JointModel& model) {
        std::copy_n(data_.ddq.data() + model.idx_v(), joint.v_count, slope.begin() + n + joint.v);
      });
    };
    const auto stepper =
        odeint::make_controlled<odeint::runge_kutta_fehlberg78<std::vector<double>>>(asked.control, asked.control);
    engine::Motion motion;
    double step = 0.01 * (asked.times.at(1) - asked.times.front());
    const double start = engine::processor_seconds();
    for (std::size_t k = 0; k < asked.times.size(); ++k) {
      if (k > 0) {
        odeint::integrate_adaptive(stepper, rate, x, asked.times[k - 1], asked.times[k], step);
      }
      motion.q.emplace_back(Eigen::Map<const Eigen::VectorXd>(x.data(), n));
    }
    motion.seconds = engine::processor_seconds() - start;
    return motion;
  }

  engine::Answer accelerations(const engine::State& state) {
    set(state);
    engine::Answer answer;
    answer.seconds = engine::timed([&] { solve(); });
    answer.accelerations.resize(mechanism_.v_size);
    for_each_moving([&](const Joint& joint, const pin::JointModel& model) {
      Eigen::VectorXd own = data_.ddq.segment(model.idx_v(), model.nv());
      if (joint.type == "free") {
        const Eigen::VectorXd own_v = v_.segment(model.idx_v(), 6), found = own;
        own << found.tail<3>(), turn(model) * (found.head<3>() + own_v.tail<3>().cross(own_v.head<3>()));
      }
      answer.accelerations.segment(joint.v, joint.v_count) = own;
    });
    return answer;
  }

  /// Pinocchio's are by its own velocities; of a free joint they are linear, then angular, both in the body's axes.
  engine::Derivatives derivatives(const engine::State& state) {
    set(state);
    engine::Derivatives found;
    found.seconds = engine::timed([&] { pin::computeABADerivatives(model_, data_, q_, v_, tau_); });
    Eigen::MatrixXd inverse = data_.Minv;
    inverse.triangularView<Eigen::StrictlyLower>() = inverse.transpose().triangularView<Eigen::StrictlyLower>();
    // Its velocities and forces by ours, and how both change where a free body turns and ours are held.
    const Eigen::Index n = mechanism_.v_size;
    Eigen::MatrixXd own = Eigen::MatrixXd::Zero(model_.nv, n), turned_v = own, turned_force = own;
    for_each_moving([&](const Joint& joint, const pin::JointModel& model) {
      const int i = model.idx_v();
      if (joint.type != "free") {
        own.block(i, joint.v, joint.v_count, joint.v_count).setIdentity();
        return;
      }
      own.block<3, 3>(i, joint.v + 3) = turn(model).transpose();
      own.block<3, 3>(i + 3, joint.v).setIdentity();
      turned_v.block<3, 3>(i, joint.v) = pin::skew(Vector3(v_.segment<3>(i)));
      turned_force.block<3, 3>(i, joint.v) = pin::skew(Vector3(tau_.segment<3>(i)));
    });
    const Eigen::MatrixXd by_motion = data_.ddq_dq * own + data_.ddq_dv * turned_v + inverse * turned_force;
    found.by_motion = found.by_v = found.by_forces = Eigen::MatrixXd::Zero(n, n);
    for_each_moving([&](const Joint& joint, const pin::JointModel& model) {
      found.by_motion.middleRows(joint.v, joint.v_count) = of_joint(joint, model, by_motion, own, turned_v);
      found.by_v.middleRows(joint.v, joint.v_count) =
          of_joint(joint, model, data_.ddq_dv * own, Eigen::MatrixXd::Zero(model_.nv, n), own);
      found.by_forces.middleRows(joint.v, joint.v_count) = of_joint(
          joint, model, inverse * own, Eigen::MatrixXd::Zero(model_.nv, n), Eigen::MatrixXd::Zero(model_.nv, n));
    });
    return found;
  }

  /// Not of loops. Of composite joints, whose axes turn, those of Pinocchio 4.1.0 differ by their size from centred
  /// differences and from the textbook's, and it says nothing.
  [[nodiscard]] bool has_derivatives() const {
    const auto composite = [](const Joint& joint) {
      return joint.type == "cylindrical" || joint.type == "universal" || joint.type == "planar";
    };
    return contacts_.empty() && std::none_of(mechanism_.joints.begin(), mechanism_.joints.end(), composite);
  }

 private:
  /// Rows of a joint's own accelerations. \param changes of Pinocchio's accelerations \param motion of its coordinates
  /// \param speeds changes of its velocities
  [[nodiscard]] Eigen::MatrixXd of_joint(const Joint& joint, const pin::JointModel& model,
                                         const Eigen::MatrixXd& changes, const Eigen::MatrixXd& motion,
                                         const Eigen::MatrixXd& speeds) const {
    const int i = model.idx_v();
    const Eigen::MatrixXd rows = changes.middleRows(i, model.nv());
    if (joint.type != "free") {
      return rows;
    }
    // Ours: [alpha; R (a + omega x v)].
    const Vector3 v = v_.segment<3>(i), omega = v_.segment<3>(i + 3), a = data_.ddq.segment<3>(i);
    Eigen::MatrixXd found(6, rows.cols());
    found.topRows(3) = rows.bottomRows(3);
    found.bottomRows(3) =
        turn(model) * (rows.topRows(3) - pin::skew(Vector3(a + omega.cross(v))) * motion.middleRows(i + 3, 3) -
                       pin::skew(v) * speeds.middleRows(i + 3, 3) + pin::skew(omega) * speeds.middleRows(i, 3));
    return found;
  }

  /// A body's joint in Pinocchio and its pose there; fixed joints are none.
  struct Place {
    pin::JointIndex joint = 0;
    pin::SE3 inside;
  };

  void solve() {
    if (contacts_.empty()) {
      pin::aba(model_, data_, q_, v_, tau_, pin::Convention::LOCAL);
    } else {
      pin::ProximalSettings settings(kProximal, kProximal, 1e-8, 100);
      pin::constraintDynamics(model_, data_, q_, v_, tau_, contacts_, contact_data_, settings);
    }
  }

  Place& place(int body) { return places_[static_cast<std::size_t>(body + 1)]; }

  /// Branch after branch: Pinocchio's factorisation for loops takes a subtree's joints to be neighbours, and is wrong
  /// without a word where they are not.
  void add_outboard(int inboard) {
    std::vector<int> open = {inboard};
    while (!open.empty()) {
      const int body = open.back();
      open.pop_back();
      if (body >= 0) {
        add(mechanism_.joints[static_cast<std::size_t>(body)]);
      }
      for (const Joint& joint : mechanism_.joints) {
        if (!joint.cut && joint.a == body) {
          open.push_back(joint.b);
        }
      }
    }
  }

  void add(const Joint& joint) {
    const Place from = place(joint.a);
    const pin::SE3 at = from.inside * pose(joint.frame_a);
    const pin::SE3 inside = pose(joint.frame_b).inverse();
    place(joint.b) = joint.type == "fixed"
                         ? Place{from.joint, at * inside}
                         : Place{model_.addJoint(from.joint, joint_model(joint), at, joint.name), inside};
    const engine::Body& body = mechanism_.bodies[static_cast<std::size_t>(joint.b)];
    model_.appendBodyToJoint(place(joint.b).joint, pin::Inertia(body.mass, body.com, body.inertia),
                             place(joint.b).inside);
  }

  /// A revolute joint is two points of its axis that stay together, a spherical one a single point.
  void close(const Joint& joint) {
    const auto& [one, inside_a] = place(joint.a);
    const auto& [two, inside_b] = place(joint.b);
    const pin::SE3 a = inside_a * pose(joint.frame_a), b = inside_b * pose(joint.frame_b);
    if (joint.type == "fixed") {
      contacts_.emplace_back(pin::CONTACT_6D, model_, one, a, two, b, pin::LOCAL);
      return;
    }
    if (joint.type != "spherical" && joint.type != "revolute") {
      throw engine::Refused("joint '" + joint.name + "' closes a loop and is " + joint.type +
                            ": this adapter closes loops with revolute, spherical and fixed joints");
    }
    for (int point = 0; point < (joint.type == "revolute" ? 2 : 1); ++point) {
      const pin::SE3 shift(Eigen::Matrix3d::Identity(), point * joint.axis);
      contacts_.emplace_back(pin::CONTACT_3D, model_, one, a * shift, two, b * shift, pin::LOCAL);
    }
  }

  template <typename Visit>
  void for_each_moving(const Visit& visit) {
    for (const Joint& joint : mechanism_.joints) {
      if (!joint.cut && joint.type != "fixed") {
        visit(joint, model_.joints[place(joint.b).joint]);
      }
    }
  }

  /// Of a free joint, whose linear velocity Pinocchio has in the body's axes.
  [[nodiscard]] Eigen::Matrix3d turn(const pin::JointModel& model) const {
    return Eigen::Quaterniond(Eigen::Vector4d(q_.segment<4>(model.idx_q() + 3))).toRotationMatrix();
  }

  void set(const engine::State& state) {
    for_each_moving([&](const Joint& joint, const pin::JointModel& model) {
      Eigen::VectorXd q = state.q.segment(joint.q, joint.q_count), v = state.v.segment(joint.v, joint.v_count);
      Eigen::VectorXd force = state.joint_forces.segment(joint.v, joint.v_count);
      if (joint.type == "spherical" || joint.type == "free") {
        const Eigen::Vector4d unit = q.head<4>().normalized();
        const Eigen::VectorXd shift = q.tail(q.size() - 4);
        q << shift, unit.tail<3>(), unit[0];
      }
      q_.segment(model.idx_q(), model.nq()) = q;
      if (joint.type == "free") {
        for (Eigen::VectorXd* const one : {&v, &force}) {
          const Eigen::VectorXd given = *one;
          *one << turn(model).transpose() * given.tail<3>(), given.head<3>();
        }
      }
      v_.segment(model.idx_v(), model.nv()) = v;
      tau_.segment(model.idx_v(), model.nv()) = force;
    });
    add_wrenches(state);
  }

  void add_wrenches(const engine::State& state) {
    const auto none = [](const auto& wrench) { return wrench.isZero(0.0); };
    if (std::all_of(state.body_wrenches.begin(), state.body_wrenches.end(), none)) {
      return;
    }
    pin::computeJointJacobians(model_, data_, q_);
    for (std::size_t k = 0; k < state.body_wrenches.size(); ++k) {
      add_wrench(static_cast<int>(k), mechanism_.bodies[k].com, state.body_wrenches[k]);
    }
  }

  /// At a point of a body; after computeJointJacobians.
  void add_wrench(int body, const Vector3& point, Eigen::Matrix<double, 6, 1> wrench) {
    const auto& [number, inside] = place(body);
    if (number == 0) {
      return;
    }
    pin::Data::Matrix6x jacobian = pin::Data::Matrix6x::Zero(6, model_.nv);
    pin::getJointJacobian(model_, data_, number, pin::LOCAL_WORLD_ALIGNED, jacobian);
    const pin::SE3& at = data_.oMi[number];
    const Vector3 arm = at.act(inside.act(point)) - at.translation();
    wrench.tail<3>() += arm.cross(Vector3(wrench.head<3>()));
    tau_ += jacobian.transpose() * wrench;
  }

  void add_springs(const std::vector<engine::Spring>& springs) {
    if (springs.empty()) {
      return;
    }
    pin::computeJointJacobians(model_, data_, q_);
    const auto at = [&](int body, const Vector3& point) {
      return data_.oMi[place(body).joint].act(place(body).inside.act(point));
    };
    for (const engine::Spring& spring : springs) {
      if (spring.damping != 0.0) {
        throw engine::Refused("this adapter has no dampers in simulations");
      }
      const Vector3 between = at(spring.b, spring.point_b) - at(spring.a, spring.point_a);
      Eigen::Matrix<double, 6, 1> pull = Eigen::Matrix<double, 6, 1>::Zero();
      pull.head<3>() = spring.stiffness * (between.norm() - spring.rest) * between.normalized();
      add_wrench(spring.a, spring.point_a, pull);
      add_wrench(spring.b, spring.point_b, -pull);
    }
  }

  const engine::Mechanism& mechanism_;
  std::vector<Place> places_;  ///< of the ground, then of every body
  pin::Model model_;
  pin::Data data_;
  std::vector<pin::RigidConstraintModel> contacts_;
  std::vector<pin::RigidConstraintData> contact_data_;
  Eigen::VectorXd q_, v_, tau_;
};

}  // namespace

int main() {
  engine::serve(
      "Pinocchio " PINOCCHIO_VERSION ", C++",
      [](const engine::Mechanism& mechanism) {
        const auto made = std::make_shared<Engine>(mechanism);
        const auto accelerations = [made](const engine::State& state) { return made->accelerations(state); };
        return made->has_derivatives()
                   ? engine::Solver(accelerations,
                                    [made](const engine::State& state) { return made->derivatives(state); })
                   : engine::Solver(accelerations);
      },
      1e-9,
      [](const engine::Mechanism& mechanism, const engine::Simulation& asked) {
        return Engine(mechanism).simulate(asked);
      });
}
