#pragma once
/// \file
/// The mechanism: plain immutable data, validated once. Bodies are numbered so that every tree joint leads from a body
/// with a smaller index (or the ground, -1) to the body with the joint's own index.
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/model/characteristic_scales.hpp"
#include "mechanisms/model/description/description.hpp"
#include "mechanisms/model/description/joint.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/description/name_index.hpp"
#include "mechanisms/model/start/generic_rank.hpp"
#include "mechanisms/model/start/moved_start.hpp"

namespace mbdbench {

/// A validated rigid body.
struct Body {
  std::string name;
  double mass = 1.0;
  Vec3 com = Vec3::Zero();                  ///< in the body's frame
  Mat3 inertia = Mat3::Identity();          ///< about the centre of mass, body axes
  Mat3 inertia_inverse = Mat3::Identity();  ///< zero where the body is not regular
  /// Mass and all principal moments are positive. Bodies that are not move only with what they carry, and formulations
  /// that invert the inertia of each body refuse them.
  bool regular = true;
};

/// A validated marker; body -1 is the ground.
struct Marker {
  std::string name;
  int body = -1;
  Vec3 point = Vec3::Zero();
  Mat3 rotation = Mat3::Identity();  ///< the marker's axes to body axes
};

/// A validated coupling of tree joints: the row sum factor q - value of Phi. Factors and value are those of the
/// description over a power of two, so that an equation times any number is the same coupling: the largest factor is
/// about 1, where a displacement is tied about 1 for displacements and the mechanism's length for turns.
struct Coupling {
  struct Term {
    int q = 0;  ///< place in q
    int u = 0;  ///< place in u
    double factor = 1.0;
  };
  std::string name;
  std::vector<Term> terms;
  double value = 0.0;
  int row = 0;                      ///< in Phi
  double scale = 1.0;               ///< what the description's numbers were divided by
  bool ties_displacements = false;  ///< the row is a distance, otherwise an angle
  /// \returns Phi: sum of factor q, less the value.
  [[nodiscard]] double residual(std::span<const double> q) const;
  /// \returns sum of factor u.
  [[nodiscard]] double rate(std::span<const double> u) const;
};

/// A validated constraint of velocities alone: the row sum factor(q) u of Phi', with zero in Phi.
struct VelocityConstraint {
  struct Term {
    int u = 0;  ///< place in u
    Law factor;
  };
  std::string name;
  std::vector<Term> terms;
  int row = 0;                      ///< in Phi
  double scale = 1.0;               ///< what the factors are divided by, as those of a coupling
  bool ties_displacements = false;  ///< the row is a velocity, otherwise an angular velocity
};

/// A joint by kind and index.
struct JointReference {
  bool cut = false;
  int index = 0;  ///< into tree_joints() or cut_joints()
};

/// Immutable, validated mechanism with a consistent initial state.
class Mechanism {
 public:
  /// Checks everything, builds the spanning tree, closes the loops from the given initial coordinates.
  /// \throws ModelError naming the element, what is wrong and what would be right.
  explicit Mechanism(MechanismDescription description);

  /// \returns the description in the mechanism's own order with the consistent initial state; making a Mechanism from
  /// it
  ///          gives the same mechanism bit for bit.
  [[nodiscard]] const MechanismDescription& description() const { return description_; }
  [[nodiscard]] const std::string& name() const { return description_.name; }
  [[nodiscard]] const Vec3& gravity() const { return description_.gravity; }

  [[nodiscard]] int body_count() const { return static_cast<int>(bodies_.size()); }
  [[nodiscard]] std::span<const Body> bodies() const { return bodies_; }
  /// \returns the tree joints; joint k leads to body k.
  [[nodiscard]] std::span<const Joint> tree_joints() const { return tree_joints_; }
  [[nodiscard]] std::span<const Joint> cut_joints() const { return cut_joints_; }
  [[nodiscard]] std::span<const Coupling> couplings() const { return couplings_; }
  [[nodiscard]] std::span<const VelocityConstraint> velocity_constraints() const { return velocity_constraints_; }
  /// \returns the name of a joint that rolls or of a constraint of velocities alone; empty if there is none.
  [[nodiscard]] std::string_view held_by_velocity() const;
  [[nodiscard]] std::span<const Marker> markers() const { return markers_; }
  /// \returns the inboard body of body k, -1 for the ground.
  [[nodiscard]] int parent(int body) const { return tree_joints_[static_cast<std::size_t>(body)].a; }

  /// \returns the number of coordinates q (quaternions count four).
  [[nodiscard]] int q_size() const { return q_size_; }
  /// \returns the number of quasi-velocities u.
  [[nodiscard]] int u_size() const { return u_size_; }
  /// \returns the number of rows of Phi: all cut joints, then all prescribed motions, then all couplings, then
  /// all constraints of velocities alone.
  [[nodiscard]] int constraint_size() const { return constraint_size_; }
  /// \returns how many of those rows belong to cut joints.
  [[nodiscard]] int cut_row_count() const { return cut_row_count_; }
  /// \returns the number of rows of cut joints, couplings and velocities: all but the prescribed motions of tree
  /// joints.
  [[nodiscard]] int closing_row_count() const {
    return cut_row_count_ + static_cast<int>(couplings_.size() + velocity_constraints_.size());
  }
  /// \returns how many of them belong to prescribed motions of tree joints; those of cut joints count as theirs.
  [[nodiscard]] int motion_row_count() const { return constraint_size_ - closing_row_count(); }
  /// \returns whether Phi has rows: of a prescribed motion, a coupling or a cut joint, unless that is free and has
  /// none.
  [[nodiscard]] bool constrained() const { return constraint_size_ > 0; }
  /// \returns whether a prescribed motion makes the constraints depend on time.
  [[nodiscard]] bool rheonomic() const { return motion_row_count() > 0 || drives_cut_joints(); }
  /// \returns whether a cut joint has a prescribed motion.
  [[nodiscard]] bool drives_cut_joints() const { return driven_row_count_ > 0; }
  /// \returns whether loads, dampers, friction or prescribed motions may add or take energy: else T + V is constant.
  [[nodiscard]] bool exchanges_energy() const;

  /// \returns the initial coordinates; they satisfy Phi(q0, t = 0) = 0.
  [[nodiscard]] const Eigen::VectorXd& q0() const { return q0_; }
  /// \returns the initial quasi-velocities; they satisfy Phi_q u + Phi_t = 0.
  [[nodiscard]] const Eigen::VectorXd& u0() const { return u0_; }
  /// \returns which initial values of the description that was given moved by more than kWorthTelling to become q0 and
  /// u0, without those that it leaves out or marks as dependent.
  [[nodiscard]] std::span<const MovedValue> moved_start() const { return moved_start_; }

  /// \returns what the mechanism is measured with.
  [[nodiscard]] const CharacteristicScales& scales() const { return scales_; }

  /// \returns the rank that the constraints have in general, settled when somebody asks for the first time
  /// (generic_rank.hpp has the cost). Copies share it; any thread may ask.
  [[nodiscard]] const GenericRank& generic_rank() const;

  /// \returns the joint of that name, in constant time like `find_body` and `find_marker`.
  [[nodiscard]] std::optional<JointReference> find_joint(std::string_view joint_name) const;
  /// \returns the index of the body of that name, -1 for "ground", nothing if there is none.
  [[nodiscard]] std::optional<int> find_body(std::string_view body_name) const;
  /// \returns the index of the marker of that name.
  [[nodiscard]] std::optional<int> find_marker(std::string_view marker_name) const {
    return marker_index_.find(marker_name);
  }
  [[nodiscard]] const Joint& joint(JointReference reference) const {
    const auto& list = reference.cut ? cut_joints_ : tree_joints_;
    return list[static_cast<std::size_t>(reference.index)];
  }

 private:
  void adopt_bodies();
  void adopt_joints();
  void adopt_motions();
  void adopt_couplings();
  void adopt_velocity_constraints();
  void adopt_markers();
  void check_loads() const;
  void check_masses() const;
  void set_initial_state(const TypedStart& typed);

  MechanismDescription description_;
  std::vector<Body> bodies_;
  std::vector<Joint> tree_joints_;
  std::vector<Joint> cut_joints_;
  std::vector<Coupling> couplings_;
  std::vector<VelocityConstraint> velocity_constraints_;
  std::vector<Marker> markers_;
  NameIndex body_index_;
  NameIndex joint_index_;  // tree joints, then cut joints, like the description
  NameIndex marker_index_;
  int q_size_ = 0;
  int u_size_ = 0;
  int constraint_size_ = 0;
  int cut_row_count_ = 0;
  int driven_row_count_ = 0;  // among those of cut joints
  CharacteristicScales scales_;
  Eigen::VectorXd q0_;
  Eigen::VectorXd u0_;
  std::vector<MovedValue> moved_start_;
  struct SettledRank;
  std::shared_ptr<SettledRank> generic_rank_;
};

}  // namespace mbdbench
