#pragma once
/// \file
/// Loads of all kinds at a state, and how they change with it: springs between points, bushings, loads on bodies,
/// formulas, tables over a joint's own state, friction and stops, in tree joints and in cut ones.
///
/// Values come from LoadEvaluator. What depends on the motions of two bodies becomes a LoopLoad, what a formula makes
/// of joints and markers a LoopLaw, what depends on a tree joint's own component a stiffness and a damping. Wrenches
/// and motions are about the common point of closed_data.hpp.
///
/// Cost: O(number of loads), about fifteen evaluations of a spring; of formulas one for each variable in them.
#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulations/derivatives/loops/loads/load_slopes.hpp"
#include "mechanisms/model/loads/load_variables.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {

class LoopLoads {
 public:
  /// \param mechanism for which `obstacle` is empty \param near as of LoadEvaluator, never nullptr
  LoopLoads(const Mechanism& mechanism, const CutReferences* near);

  /// \returns why a load has no derivatives; empty where all have.
  [[nodiscard]] static std::string obstacle(const Mechanism& mechanism);

  /// Everything at a state. \param kinematics positions set; velocities are set here \param center the common point
  void set(double t, std::span<const double> q, std::span<const double> u, Kinematics& kinematics, const Vec3& center);

  [[nodiscard]] const Eigen::VectorXd& joint_forces() const { return evaluator_.joint_forces(); }
  [[nodiscard]] const Screw<double>& wrench(std::size_t body) const { return wrenches_[body]; }
  /// By quasi-velocity, all springs included: less the derivatives of the force along it.
  [[nodiscard]] double stiffness(int u) const { return stiffness_[u]; }
  [[nodiscard]] double damping(int u) const { return damping_[u]; }
  [[nodiscard]] std::span<const linear::LoopLaw> laws() const { return laws_; }
  [[nodiscard]] std::span<const linear::LoopArgument> arguments() const { return arguments_; }
  /// Shows the passes what there is. \param data keeps pointers into this
  void show(linear::ClosedData& data) const;

 private:
  using Slopes = Eigen::Matrix<double, 6, linear::LoopCut::kSlopes, Eigen::RowMajor>;
  /// The derivative of a formula by one of its variables.
  struct Partial {
    Expression slope;
    bool own = false;                  ///< by the joint's own q or v
    LoadVariables::Variable variable;  ///< whether position or velocity; of others which
    std::size_t argument = 0;          ///< of others; of a component of a quaternion the first of three
    const Joint* turning = nullptr;    ///< whose quaternion has it as a component
  };
  struct Formula {
    std::size_t law = 0;
    std::vector<Partial> partials;
  };
  /// One number of a load.
  struct Number {
    const Law* law = nullptr;
    std::optional<Expression> formula;
    std::optional<std::size_t> own_formula;  ///< where it depends on the state
  };
  struct BodyLoad {
    const BodyLoadDescription* description = nullptr;
    int body = -1;
    std::vector<Number> force;
    std::vector<Number> torque;
  };
  /// A component of a cut joint in which something acts.
  struct CutForce {
    int cut = 0;
    int component = 0;
    std::size_t load = 0;
    CutComponent now{};
    double value = 0.0;
    double by_q = 0.0;
    double by_v = 0.0;
  };
  enum class Resistance { load, spring, friction, stop };
  /// What acts in one component of a joint.
  struct OwnLaw {
    Resistance kind = Resistance::load;
    std::size_t index = 0;  ///< of its kind in the description
    const Joint* joint = nullptr;
    int component = 0;
    std::optional<std::size_t> cut_force;
    Number number;  ///< of a load
  };
  /// A force and its slopes by the own coordinate and velocity.
  struct OwnForce {
    double value = 0.0;
    double by_q = 0.0;
    double by_v = 0.0;
  };
  struct PointSpring {
    const PointSpringDescription* description = nullptr;
    int first = -1;
    int second = -1;
  };
  struct TwistedSpring {
    const BushingDescription* description = nullptr;
    Bushing bushing;
  };

  void add_body_load(const BodyLoadDescription& load);
  OwnLaw& add_own_law(Resistance kind, std::size_t index, const std::string& joint, int component);
  /// \param target of what a formula depends on beside its own joint
  Number bound(const Law& law, const Joint* joint, const linear::LoopLaw& target);
  std::optional<std::size_t> add_formula(const std::string& text, const Joint* joint, const linear::LoopLaw& target);
  [[nodiscard]] static double value_of(const Number& number, double t, double own_q, double own_v);
  [[nodiscard]] OwnForce force_of(const OwnLaw& law, double t, double own_q, double own_v) const;
  void set_joints(double t, std::span<const double> q, std::span<const double> u, const Kinematics& kinematics,
                  const Vec3& center);
  /// Slopes of a formula by what others do. \returns those by its own joint
  OwnForce set_formula(const Formula& formula, const Kinematics& kinematics, const Vec3& center);
  /// The same of a component of a quaternion, by its three turns.
  void set_turns(const Partial& partial, double slope);
  void set_wrench(const Number& number, const Vec3& force, const Vec3& torque, const Kinematics& kinematics,
                  const Vec3& center);
  void set_body_load(const BodyLoad& load, double t, const Kinematics& kinematics, const Vec3& center,
                     Eigen::Map<Slopes> slopes);

  const Mechanism* mechanism_;
  const CutReferences* near_;
  LoadEvaluator evaluator_;
  LoadVariables variables_;
  std::span<const double> q_;  ///< of the state
  std::vector<Screw<double>> wrenches_;
  Eigen::VectorXd stiffness_;
  Eigen::VectorXd damping_;
  std::vector<Formula> formulas_;
  std::vector<OwnLaw> own_laws_;
  std::vector<CutForce> cut_forces_;
  std::vector<BodyLoad> body_loads_;
  std::vector<PointSpring> point_springs_;
  std::vector<TwistedSpring> bushings_;
  std::vector<linear::LoopLoad> loads_;  // of loads on bodies, springs between points, bushings, cut joints
  std::vector<linear::LoopLaw> laws_;
  std::vector<linear::LoopArgument> arguments_;
};

}  // namespace mbdbench
