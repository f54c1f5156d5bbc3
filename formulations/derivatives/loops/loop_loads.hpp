#pragma once
/// \file
/// Loads of all kinds at a state, and how they change with it: springs between points, bushings, loads on bodies,
/// formulas, tables over a joint's own state, friction and stops.
///
/// Values come from LoadEvaluator. What depends on the motions of two bodies becomes a LoopLoad, what a formula makes
/// of joints and markers a LoopLaw, what depends on a joint's own component a stiffness and a damping. Wrenches and
/// motions are about the common point of closed_data.hpp.
///
/// Cost: O(number of loads), about fifteen evaluations of a spring; of formulas one for each variable in them.
#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulations/derivatives/loops/passes/closed_data.hpp"
#include "mechanisms/model/loads/bushing.hpp"
#include "mechanisms/model/loads/load_variables.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {

class LoopLoads {
 public:
  /// \param mechanism for which `obstacle` is empty
  explicit LoopLoads(const Mechanism& mechanism);

  /// \returns why a load has no derivatives; empty where all have.
  [[nodiscard]] static std::string obstacle(const Mechanism& mechanism);

  /// Everything at a state. \param kinematics positions set; velocities are set here \param center the common point
  void set(double t, std::span<const double> q, std::span<const double> u, Kinematics& kinematics, const Vec3& center);

  [[nodiscard]] const Eigen::VectorXd& joint_forces() const { return evaluator_.joint_forces(); }
  [[nodiscard]] const Screw<double>& wrench(std::size_t body) const { return wrenches_[body]; }
  /// By quasi-velocity, all springs included: less the derivatives of the force along it.
  [[nodiscard]] double stiffness(int u) const { return stiffness_[u]; }
  [[nodiscard]] double damping(int u) const { return damping_[u]; }
  /// Shows the passes what there is. \param data keeps pointers into this
  void show(linear::ClosedData& data) const;

 private:
  using Slopes = Eigen::Matrix<double, 6, linear::LoopCut::kSlopes, Eigen::RowMajor>;
  /// The derivative of a formula by one of its variables.
  struct Partial {
    Expression slope;
    bool own = false;                  ///< by the joint's own q or v
    LoadVariables::Variable variable;  ///< whether position or velocity; of others which
    std::size_t argument = 0;          ///< of others
  };
  struct Formula {
    const Joint* joint = nullptr;  ///< nullptr: on a body
    int component = 0;
    std::size_t law = 0;
    std::vector<Partial> partials;
  };
  /// One number of a load on a body.
  struct Number {
    const Law* law = nullptr;
    std::optional<Expression> formula;
    std::optional<std::size_t> own_law;  ///< where it depends on the state
    [[nodiscard]] double value(double t) const;
  };
  struct BodyLoad {
    const BodyLoadDescription* description = nullptr;
    int body = -1;
    std::vector<Number> force;
    std::vector<Number> torque;
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
  /// \returns the law of a formula that depends on the state.
  std::optional<std::size_t> add_formula(const Law& law, const Joint* joint, int component);
  void set_joints(std::span<const double> q, std::span<const double> u);
  void set_formulas(std::span<const double> q, std::span<const double> u, const Kinematics& kinematics,
                    const Vec3& center);
  void set_body_load(const BodyLoad& load, double t, const Kinematics& kinematics, const Vec3& center,
                     Eigen::Map<Slopes> slopes);

  const Mechanism* mechanism_;
  LoadEvaluator evaluator_;
  LoadVariables variables_;
  std::vector<Screw<double>> wrenches_;
  Eigen::VectorXd stiffness_;
  Eigen::VectorXd damping_;
  std::vector<Formula> formulas_;
  std::vector<BodyLoad> body_loads_;
  std::vector<PointSpring> point_springs_;
  std::vector<TwistedSpring> bushings_;
  std::vector<linear::LoopLoad> loads_;  // of loads on bodies, springs between points, bushings
  std::vector<linear::LoopLaw> laws_;
  std::vector<linear::LoopArgument> arguments_;
};

}  // namespace mbdbench
