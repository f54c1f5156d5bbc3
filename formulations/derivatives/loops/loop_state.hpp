#pragma once
/// \file
/// A mechanism with loops at one state, as its linearisation needs it: motions about one point, M, Phi_q, what M u' and
/// Phi_q u' have to be (closed_data.hpp has the equations).
///
/// Cost: O(n); of M and Phi_q O(n d) for d quasi-velocities between a body and the ground.
#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulations/derivatives/loops/loads/loop_loads.hpp"
#include "formulations/derivatives/loops/passes/closed_data.hpp"
#include "formulations/derivatives/loops/slopes/velocity_slopes.hpp"
#include "formulations/kernels/aligned_memory.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// Workspace of one mechanism for which `obstacle` is empty.
class LoopState {
 public:
  /// \param momenta of which state it is linearised, or of velocities \param near as of LoadEvaluator, never nullptr
  /// \param width doubles a pack
  LoopState(const Mechanism& mechanism, bool momenta, const CutReferences* near, int width);

  /// Phi'' + 2 alpha Phi' + beta^2 Phi = 0 of cut joints and couplings; of velocities. 1/s.
  void stabilise(double alpha, double beta);

  /// Phi' + beta Phi = 0 of them; of momenta, before set_positions.
  void feed_back(double beta);
  /// The flow at hand has so much of it.
  void scale_feedback(double factor) { data_.feedback = factor * feedback_; }

  /// \returns why a mechanism has no derivatives by this room; empty where it has.
  [[nodiscard]] static std::string obstacle(const Mechanism& mechanism);

  /// Where everything is, and prescribed motions.
  void set_positions(double t, std::span<const double> q);
  /// M and Phi_q, after set_positions.
  void set_matrices();
  /// \returns M u, after set_positions, without M.
  [[nodiscard]] Eigen::VectorXd momenta_of(const Eigen::VectorXd& u);
  /// Loads, after set_positions. \param u on the constraints
  void set_loads(std::span<const double> q, const Eigen::VectorXd& u);
  /// Motions and forces at u' = 0, after set_loads. \param u likewise
  void set_velocities(std::span<const double> q, const Eigen::VectorXd& u);
  /// Accelerations and D lambda.
  void set_accelerations(const Eigen::VectorXd& accelerations, const Eigen::MatrixXd& lambda);
  /// What projecting velocities added to them, and D sigma.
  void set_change(const Eigen::VectorXd& change, const Eigen::MatrixXd& sigma);

  /// Momenta: motions, and M u - Phi_q^T sigma.
  void set_flow(const Eigen::VectorXd& u, const Eigen::MatrixXd& sigma);
  /// p' + Phi_q^T mu of the flow, which are wanted_forces then; after set_loads with its velocities.
  void set_momentum_rates(std::span<const double> q, const Eigen::VectorXd& mu);

  /// \returns how many u the cut joints of a mechanism have.
  [[nodiscard]] static int cut_velocity_count(const Mechanism& mechanism);
  /// Shows the passes u' of every cut joint as laws along axes behind those of the tree, after set_accelerations;
  /// momenta: u, after set_flow. \returns them
  const Eigen::VectorXd& watch_cuts();
  /// After watch_cuts of velocities. \returns what a change of u' adds to these u', by column
  [[nodiscard]] Eigen::MatrixXd watched_by(const Eigen::MatrixXd& accelerations);
  /// The same the other way. \returns what weights of these u' are worth by u'
  [[nodiscard]] Eigen::VectorXd weights_of_watched(const Eigen::VectorXd& weights);

  /// Wrenches that a unit of mass at a body's centre of mass needs: for its motion and, where projections changed
  /// velocities, for that change.
  struct UnitMass {
    Screw<double> force{};
    Screw<double> change{};
  };
  /// Shows the passes which way links become longer, after set_positions.
  void show_links();
  /// \returns that of a joint of the tree in the inboard body's frame, after show_links; zero: it has no length.
  [[nodiscard]] const Vec3& link_direction(int joint) const {
    return link_directions_[static_cast<std::size_t>(joint)];
  }
  /// After show_links and set_flow or set_velocities. \param lengths by body, a column a change \returns what they add
  /// to Phi, a row each of the cut joints'
  [[nodiscard]] Eigen::MatrixXd openings_by_lengths(const Eigen::MatrixXd& lengths) const;
  /// The same the other way: adds weights of Phi as weights of lengths.
  void add_weights_of_openings(std::span<const double> weights, std::span<double> by_lengths) const;

  /// What a unit of mass on a body leaves less: of M u' - Phi_q^T lambda and of M w; after set_accelerations. Momenta:
  /// what it adds to p', and leaves less of M u.
  void add_unit_mass(int body, Eigen::Ref<Eigen::VectorXd> forces, Eigen::Ref<Eigen::VectorXd> changes) const;
  /// The same the other way: adds weights of one of the two, by quasi-velocity, as weights of all masses. O(n).
  void add_weights_of_masses(const Eigen::VectorXd& weights, Screw<double> UnitMass::*of, std::span<double> by_masses);

  [[nodiscard]] const linear::ClosedData& data() const { return data_; }
  /// \returns the constraints of velocities alone, of which `data` has nothing.
  [[nodiscard]] const VelocitySlopes& velocity_slopes() const { return velocity_slopes_; }
  [[nodiscard]] const Eigen::MatrixXd& mass() const { return mass_; }
  [[nodiscard]] const Eigen::MatrixXd& constraints() const { return constraints_; }
  /// \returns -Phi_t, with feedback less beta Phi.
  [[nodiscard]] const Eigen::VectorXd& prescribed_velocities() const { return velocities_; }
  /// \returns M u' - Phi_q^T lambda, after set_velocities; momenta: p' + Phi_q^T mu.
  [[nodiscard]] const Eigen::VectorXd& wanted_forces() const { return forces_; }
  /// \returns Phi_q u', after set_velocities.
  [[nodiscard]] const Eigen::VectorXd& wanted_accelerations() const { return accelerations_; }

 private:
  struct Spring {
    int q = 0;
    int u = 0;
    double constant = 0.0;
    const TableLaw* table = nullptr;  // over time, of the mechanism: gives `constant`
    double stiffness = 0.0;
    double damping = 0.0;
  };

  void add_loads();
  /// Phi of cut joints, by row of Phi, and of couplings.
  [[nodiscard]] Eigen::VectorXd openings(std::span<const double> q) const;
  /// What Baumgarte's constants add to the accelerations that are wanted.
  void add_stabilisation(std::span<const double> q, const Eigen::VectorXd& u);
  /// \returns the velocity of a body, or its acceleration.
  [[nodiscard]] Vec6 motion_of(int body, Screw<double> linear::LoopBody::*of) const;
  /// \returns S . (sum of flows_ of all outboard bodies), by u; flows_ receives the sums.
  [[nodiscard]] Eigen::VectorXd along_axes();
  /// Starts what is carried inward with the own forces of bodies, less what loads do.
  void begin_carried();
  [[nodiscard]] UnitMass unit_mass(std::size_t body) const;
  /// Sums of u along motions, or their rates, of all axes inboard of each body.
  void set_flows(const Eigen::VectorXd& u, Screw<double> linear::LoopAxis::*along = &linear::LoopAxis::motion);
  void move_bodies(const Eigen::VectorXd& u);
  void add_joint_forces(std::span<const double> q);
  void place_axes(std::size_t joint);
  void place_cut(std::size_t cut);
  void set_mass();
  void set_constraints();
  void set_cut_motions();
  /// \returns sum of factors times the rows of a cut joint.
  static Screw<double> wrench_of(const linear::LoopCut& cut, const Screw<double>* rows, const double* factors);
  /// Adds a wrench on b, less it on a, to what bodies need less.
  void take_wrench(const linear::LoopCut& cut, const Screw<double>& wrench, Screw<double> linear::LoopBody::*from);
  void carry_inward(Screw<double> linear::LoopBody::*member);

  const Mechanism* mechanism_;
  Kinematics kinematics_;
  PrescribedMotions motions_;
  VelocitySlopes velocity_slopes_;
  std::vector<linear::LoopBody> bodies_;
  std::vector<linear::LoopAxis> axes_;
  std::vector<linear::LoopCut> cuts_;
  std::vector<Vec3> link_directions_;  // as of link_length.hpp, once they are asked for
  std::vector<Spring> springs_;        // where all loads are such
  std::optional<LoopLoads> loads_;     // else
  // Of loads, and of cut joints that are watched.
  std::vector<linear::LoopLaw> laws_;
  std::vector<linear::LoopArgument> arguments_;
  Eigen::VectorXd watched_;
  std::vector<RigidBody> composites_;
  std::vector<Screw<double>> flows_;
  std::vector<AlignedMemory> memory_;
  double t_ = 0.0;
  double feedback_ = 0.0;
  Vec3 center_ = Vec3::Zero();
  linear::ClosedData data_;
  Eigen::MatrixXd mass_;
  Eigen::MatrixXd constraints_;
  Eigen::VectorXd velocities_;
  Eigen::VectorXd accelerations_;
  Eigen::VectorXd forces_;
};

}  // namespace mbdbench
