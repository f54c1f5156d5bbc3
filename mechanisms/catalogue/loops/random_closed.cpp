/// \file
/// A random tree (random_tree.hpp) whose loops are closed by `cuts` cut joints of random constraining types.
///
/// Each cut joint connects two random bodies, or a body and the ground. Random coordinates are drawn for it and the
/// frame on its second body follows from the poses at q0, so that every loop is closed at the drawn q0 to rounding. One
/// cut in ten doubles a tree joint instead (same two bodies, type, frames and coordinates), which adds redundant
/// constraints only.
///
/// Mobility: the rank of Phi_q at q0 is computed with each new cut. A cut that would leave no degree of freedom, or
/// whose smallest non-zero singular value of Phi_q is below 1e-3 of the largest (a badly conditioned loop), is drawn
/// again; after 100 draws a tree joint is doubled. Hence u_size() - rank(Phi_q) >= 1 for every seed. Initial velocities
/// are the consistent ones nearest to the drawn ones.
///
/// The default seed 82 gives two loops of five bodies each that share three of them, closed by a prismatic and a
/// revolute joint: 10 independent rows of Phi_q for 17 quasi-velocities, smallest over largest singular value 0.09.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/trees/random_tree.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/validation/spectrum.hpp"

namespace mbdbench {
namespace {

constexpr std::array kConstrainingTypes = {JointType::revolute,    JointType::prismatic, JointType::universal,
                                           JointType::cylindrical, JointType::spherical, JointType::planar,
                                           JointType::fixed};
constexpr double kDoublingProbability = 0.1;
constexpr int kMaxDraws = 100;
constexpr double kWorstConditioning = 1e-3;
// Singular values of Phi_q are of order one; those of redundant rows are rounding.
constexpr double kRankTolerance = 1e-10;

Eigen::Isometry3d frame_pose(const JointFrame& frame) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = rotation_of_quaternion(frame.rotation[0], frame.rotation[1], frame.rotation[2], frame.rotation[3]);
  pose.translation() = frame.position;
  return pose;
}

JointFrame joint_frame(const Eigen::Isometry3d& pose) {
  const Eigen::Quaterniond e = Eigen::Quaterniond(pose.linear()).normalized();
  return {pose.translation(), Eigen::Vector4d(e.w(), e.x(), e.y(), e.z())};
}

/// \returns pose of b's joint axes in a's at the joint's q0: that of a body without frames on a joint from the ground.
Eigen::Isometry3d pose_across(JointDescription joint, const BodyDescription& any_body) {
  joint.a = kGround;
  joint.b = any_body.name;
  joint.frame_a = {};
  joint.frame_b = {};
  joint.cut = false;
  MechanismDescription description;
  description.name = "joint";
  description.bodies = {any_body};
  description.joints = {std::move(joint)};
  const Mechanism mechanism(std::move(description));
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = kinematics.body(0).rotation;
  pose.translation() = kinematics.body(0).origin;
  return pose;
}

/// \returns world poses of all bodies of the tree at q0, in the description's order.
std::vector<Eigen::Isometry3d> initial_poses(const MechanismDescription& tree) {
  const Mechanism mechanism(tree);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  std::vector<Eigen::Isometry3d> poses(tree.bodies.size(), Eigen::Isometry3d::Identity());
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const BodyKinematics& body = kinematics.body(*mechanism.find_body(tree.bodies[k].name));
    poses[k].linear() = body.rotation;
    poses[k].translation() = body.origin;
  }
  return poses;
}

/// Draws cut joints on a tree whose bodies stay at their initial poses.
class CutDrawer {
 public:
  CutDrawer(RandomSource& random, const MechanismDescription& tree, bool screws)
      : random_(random),
        bodies_(tree.bodies),
        tree_joints_(tree.joints),
        poses_(initial_poses(tree)),
        screws_(screws) {}

  /// \returns a joint that closes a loop at q0.
  JointDescription draw(std::string name) {
    JointDescription cut;
    cut.name = std::move(name);
    cut.cut = true;
    cut.type = random_.pick(kConstrainingTypes);
    if (screws_) {
      make_screw(cut);
    }
    // Index 0 is the ground; the two ends differ.
    const std::size_t vertices = bodies_.size() + 1;
    const std::size_t a = random_.index(vertices);
    const std::size_t b = (a + 1 + random_.index(vertices - 1)) % vertices;
    cut.a = vertex_name(a);
    cut.b = vertex_name(b);
    draw_geometry(random_, cut);
    cut.q0 = draw_coordinates(random_, cut.type);
    const Eigen::Isometry3d axes_b = vertex_pose(a) * frame_pose(cut.frame_a) * pose_across(cut, bodies_.front());
    cut.frame_b = joint_frame(vertex_pose(b).inverse() * axes_b);
    return cut;
  }

  /// \returns a copy of a random tree joint that constrains, as a cut; nothing if all tree joints are free.
  std::optional<JointDescription> draw_double(std::string name) {
    std::vector<JointDescription> candidates;
    for (const JointDescription& joint : tree_joints_) {
      if (joint.type != JointType::free) {
        candidates.push_back(joint);
      }
    }
    if (candidates.empty()) {
      return std::nullopt;
    }
    JointDescription cut = random_.pick(candidates);
    cut.name = std::move(name);
    cut.cut = true;
    cut.v0.clear();
    return cut;
  }

 private:
  [[nodiscard]] std::string vertex_name(std::size_t vertex) const {
    return vertex == 0 ? kGround : bodies_[vertex - 1].name;
  }
  [[nodiscard]] Eigen::Isometry3d vertex_pose(std::size_t vertex) const {
    return vertex == 0 ? Eigen::Isometry3d::Identity() : poses_[vertex - 1];
  }

  RandomSource& random_;
  std::vector<BodyDescription> bodies_;
  std::vector<JointDescription> tree_joints_;
  std::vector<Eigen::Isometry3d> poses_;
  bool screws_;
};

/// \returns whether the mechanism can move at q0 and its constraints are well conditioned.
bool well_posed(const MechanismDescription& description) {
  const Mechanism mechanism(description);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  Jacobians jacobians(mechanism);
  jacobians.set_positions(kinematics);
  const Eigen::VectorXd values = singular_values(jacobians.constraints());
  int rank = 0;
  while (rank < values.size() && values[rank] > kRankTolerance) {
    ++rank;
  }
  return rank < mechanism.u_size() && (rank == 0 || values[rank - 1] > kWorstConditioning * values[0]);
}

MechanismDescription with_joint(const MechanismDescription& description, JointDescription joint) {
  MechanismDescription extended = description;
  extended.joints.push_back(std::move(joint));
  return extended;
}

MechanismDescription add_cut(CutDrawer& drawer, RandomSource& random, const MechanismDescription& description,
                             const std::string& name) {
  for (int attempt = 0; attempt < kMaxDraws; ++attempt) {
    if (random.chance(kDoublingProbability)) {
      if (auto doubled = drawer.draw_double(name)) {
        return with_joint(description, std::move(*doubled));
      }
    }
    MechanismDescription extended = with_joint(description, drawer.draw(name));
    if (well_posed(extended)) {
      return extended;
    }
  }
  auto doubled = drawer.draw_double(name);
  if (!doubled) {
    throw MechanismKeyError(
        fmt::format("random_closed: no place for '{}' leaves the mechanism movable: give fewer cuts or more "
                    "bodies",
                    name));
  }
  return with_joint(description, std::move(*doubled));
}

MechanismDescription make_random_closed(const Parameters& parameters) {
  RandomTreeOptions options;
  options.bodies = parameters.integer("bodies");
  options.branching = parameters.number("branching");
  options.screws = parameters.integer("screws") != 0;
  RandomSource random(parameters.integer("seed"));
  MechanismDescription description = draw_tree(random, options);
  description.name = "random_closed";
  CutDrawer drawer(random, description, options.screws);
  for (std::int64_t c = 1; c <= parameters.integer("cuts"); ++c) {
    description = add_cut(drawer, random, description, fmt::format("cut{}", c));
  }
  if (parameters.integer("loads") != 0) {
    add_random_loads(random, description);
  }
  // The start that closes the loops: what was drawn is nobody's wish.
  return Mechanism(std::move(description)).description();
}

}  // namespace

MechanismEntry random_closed_entry() {
  static const std::array<ParameterSpecification, 6> parameters = {
      {{"seed", std::int64_t{82}, "seed of the random numbers", 0, 1e15},
       {"bodies", std::int64_t{8}, "number of bodies", 1, 1000},
       {"cuts", std::int64_t{2}, "number of cut joints", 0, 1000},
       {"branching", 0.5, "probability that a body does not continue the chain", 0.0, 1.0},
       {"loads", std::int64_t{1}, "1: joint loads, body loads, springs and dampers, 0: gravity only", 0, 1},
       {"screws", std::int64_t{0}, "1: revolute joints are screws", 0, 1}}};
  return {"random_closed", "random tree of all joint types with loops closed by cuts of all types", "generated",
          parameters, make_random_closed};
}

}  // namespace mbdbench
