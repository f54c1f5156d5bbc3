#pragma once
/// \file
/// Joints of a URDF file with what they bring along: axes, dampers, joints that follow others.
#include <map>
#include <string>
#include <vector>

#include "mechanisms/io/robot_options.hpp"
#include "mechanisms/io/text/fitting_names.hpp"
#include "mechanisms/io/text/source_lines.hpp"
#include "mechanisms/io/urdf/urdf_graph.hpp"
#include "mechanisms/model/description/description.hpp"

namespace mbdbench::urdf {

/// Writes joints, dampers and couplings into a description.
class JointReader {
 public:
  /// All arguments must outlive it.
  JointReader(const UrdfGraph& graph, const RobotOptions& options, MechanismDescription& description,
              SourceLines& lines, Findings& findings)
      : graph_(graph), options_(options), description_(description), lines_(lines), findings_(findings) {}

  /// Checks type and axis of every joint, also of fixed ones, and chooses names. To be called first.
  void prepare();

  /// Writes one joint that moves, or a fixed one that is kept. \param a, b bodies \param frame of the joint on a
  void read(int joint, const std::string& a, const std::string& b, const Pose& frame);

  /// Joints that follow others, after all have been read; and the notes of what was left out.
  void finish();

  /// \returns the joint's name here.
  [[nodiscard]] const std::string& name(int joint) const { return names_[static_cast<std::size_t>(joint)]; }

 private:
  void read_limit(const UrdfJoint& from, const JointDescription& joint, const XMLElement& limit);
  void read_friction(const UrdfJoint& from, const JointDescription& joint, const XMLElement& dynamics, double friction);
  void read_dynamics(const UrdfJoint& from, const JointDescription& joint);
  void read_mimic(int follower, const XMLElement& mimic);
  [[nodiscard]] bool has_one_coordinate(int joint) const;

  const UrdfGraph& graph_;
  const RobotOptions& options_;
  MechanismDescription& description_;
  SourceLines& lines_;
  Findings& findings_;
  std::vector<std::string> names_;
  std::map<int, std::size_t> places_;  ///< in the description, of joints that were read
  FittingNames load_names_;
  FittingNames coupling_names_;
  std::vector<std::string> limited_;
  std::vector<std::string> rubbing_;
};

/// \returns whether the joint's type is "fixed".
inline bool is_fixed(const UrdfJoint& joint) {
  return joint.type == "fixed";
}

}  // namespace mbdbench::urdf
