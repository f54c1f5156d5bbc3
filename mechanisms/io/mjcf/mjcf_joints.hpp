#pragma once
/// \file
/// The joints of one MJCF body.
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/io/mjcf/mjcf_geometry.hpp"
#include "mechanisms/io/robot_options.hpp"
#include "mechanisms/io/text/fitting_names.hpp"
#include "mechanisms/io/text/source_lines.hpp"
#include "mechanisms/model/description/description.hpp"
#include "mechanisms/model/description/rotor.hpp"

namespace mbdbench::mjcf {

/// What became of a joint of the file.
struct ReadJoint {
  std::string name;        ///< ours
  int component = 0;       ///< of its coordinates; -1: it has no single one
  double reference = 0.0;  ///< its coordinate in MuJoCo where ours is zero
};

/// Reads joints into a description.
class JointReader {
 public:
  /// All arguments must outlive it.
  JointReader(const RobotOptions& options, const Defaults& defaults, const AngleConvention& angles,
              MechanismDescription& description, SourceLines& lines, Findings& findings)
      : options_(options),
        defaults_(defaults),
        angles_(angles),
        description_(description),
        lines_(lines),
        findings_(findings) {}

  /// Writes what leads from `parent` to the body: one joint, or several with massless bodies between.
  /// \param joints elements, at least one \param pose of the body at rest, in the parent's frame
  /// \param body_names for bodies between
  void read(const std::vector<const XMLElement*>& joints, const std::string& childclass, const std::string& parent,
            const std::string& body, const Pose& pose, FittingNames& body_names);

  /// \returns what the file's joint of this name became, nullptr if there is none.
  [[nodiscard]] const ReadJoint* find(const std::string& name) const;

  /// Notes what was left out.
  void finish();

 private:
  struct Part;
  Part part_of(const XMLElement& element, const std::string& childclass);
  /// Friction and stops that the options ask for.
  void add_resistance(const Part& part, const std::string& joint, int component);
  void add_loads(const Part& part, const std::string& joint, int component);

  const RobotOptions& options_;
  const Defaults& defaults_;
  const AngleConvention& angles_;
  MechanismDescription& description_;
  SourceLines& lines_;
  Findings& findings_;
  FittingNames names_;
  FittingNames load_names_;
  std::map<std::string, ReadJoint> read_;
  std::vector<std::pair<std::size_t, RotorDescription>> rotors_;  ///< with their lines, to be added after all joints
  std::vector<std::string> renamed_, limited_, rubbing_, armoured_;
};

}  // namespace mbdbench::mjcf
