#include "mechanisms/io/mechanism_reader.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "mechanisms/io/file_format.hpp"
#include "mechanisms/io/robot_file.hpp"
#include "mechanisms/io/text/field_reader.hpp"
#include "mechanisms/io/text/file_text.hpp"
#include "mechanisms/io/toml_text.hpp"
#include "mechanisms/model/description/rotor.hpp"
#include "mechanisms/model/loads/expression.hpp"
#include "mechanisms/model/loads/formula_derivative.hpp"

namespace mbdbench {
namespace {

constexpr std::string_view kWanted = "a mechanism file (.toml, .urdf, .xml)";

void read_body(FieldReader& fields, BodyDescription& body) {
  fields.require("name").read("name", body.name);
  fields.require("mass").read("mass", body.mass);
  fields.read("com", body.com);
  fields.require("inertia").read_inertia("inertia", body.inertia);
}

/// What is left out follows from what is there; the model compares all with finite differences.
void differentiate(const FieldReader& fields, PrescribedMotion& motion) {
  if (motion.position.empty()) {
    return;  // a missing field, which is reported as such
  }
  try {
    if (motion.velocity.empty()) {
      motion.velocity = derivative_of(motion.position, "t");
    }
    if (motion.acceleration.empty()) {
      motion.acceleration = derivative_of(motion.velocity, "t");
    }
  } catch (const ExpressionError& error) {
    fields.fail_element(fmt::format("{}; give velocity and acceleration as formulas", error.what()));
  }
}

void read_joint(FieldReader& fields, JointDescription& joint) {
  fields.require("name").read("name", joint.name);
  fields.require("type").read("type", joint.type);
  fields.read("a", joint.a);
  fields.require("b").read("b", joint.b);
  fields.read("frame_a", joint.frame_a);
  fields.read("frame_b", joint.frame_b);
  fields.read("axis", joint.axis);
  fields.read("axis2", joint.axis2);
  fields.read("pitch", joint.pitch);
  fields.read("length", joint.length);
  fields.read("radius", joint.radius);
  fields.read("cut", joint.cut);
  fields.read("q0", joint.q0);
  fields.read("v0", joint.v0);
  fields.read("dependent", joint.dependent);
  fields.read_tables("motions", "", "motion", [&](FieldReader& motion_fields) {
    PrescribedMotion& motion = joint.motions.emplace_back();
    motion_fields.read_component("component", motion.component);
    motion_fields.require("position").read("position", motion.position);
    motion_fields.read("velocity", motion.velocity);
    motion_fields.read("acceleration", motion.acceleration);
    differentiate(motion_fields, motion);
  });
}

void read_coupling(FieldReader& fields, CouplingDescription& coupling) {
  fields.require("name").read("name", coupling.name);
  fields.require("terms").read_tables("terms", "", "term", [&](FieldReader& term_fields) {
    CouplingTerm& term = coupling.terms.emplace_back();
    term_fields.require("joint").read("joint", term.joint);
    term_fields.read_component("component", term.component);
    term_fields.require("factor").read("factor", term.factor);
  });
  fields.read("value", coupling.value);
}

void read_velocity_constraint(FieldReader& fields, VelocityConstraintDescription& constraint) {
  fields.require("name").read("name", constraint.name);
  fields.require("terms").read_tables("terms", "", "term", [&](FieldReader& term_fields) {
    VelocityTerm& term = constraint.terms.emplace_back();
    term_fields.require("joint").read("joint", term.joint);
    term_fields.read_component("component", term.component);
    term_fields.require("factor").read("factor", term.factor);
  });
}

void read_joint_load(FieldReader& fields, JointLoadDescription& load) {
  fields.require("name").read("name", load.name);
  fields.require("joint").read("joint", load.joint);
  fields.read_component("component", load.component);
  fields.require("law").read("law", load.law);
}

void read_body_load(FieldReader& fields, BodyLoadDescription& load) {
  fields.require("name").read("name", load.name);
  fields.require("body").read("body", load.body);
  fields.read("point", load.point);
  fields.read("in_body_axes", load.in_body_axes);
  fields.read("force", load.force);
  fields.read("torque", load.torque);
}

void read_joint_spring(FieldReader& fields, JointSpringDescription& spring) {
  fields.require("name").read("name", spring.name);
  fields.require("joint").read("joint", spring.joint);
  fields.read_component("component", spring.component);
  fields.read("stiffness", spring.stiffness);
  fields.read("damping", spring.damping);
  fields.read("rest", spring.rest);
}

void read_point_spring(FieldReader& fields, PointSpringDescription& spring) {
  fields.require("name").read("name", spring.name);
  fields.read("body1", spring.body1);
  fields.require("body2").read("body2", spring.body2);
  fields.read("point1", spring.point1);
  fields.read("point2", spring.point2);
  fields.read("stiffness", spring.stiffness);
  fields.read("damping", spring.damping);
  fields.read("rest", spring.rest);
}

void read_bushing(FieldReader& fields, BushingDescription& bushing) {
  fields.require("name").read("name", bushing.name);
  fields.read("body1", bushing.body1);
  fields.require("body2").read("body2", bushing.body2);
  fields.read("frame1", bushing.frame1);
  fields.read("frame2", bushing.frame2);
  fields.read("stiffness", bushing.stiffness);
  fields.read("damping", bushing.damping);
  fields.read("rotational_stiffness", bushing.rotational_stiffness);
  fields.read("rotational_damping", bushing.rotational_damping);
}

void read_joint_friction(FieldReader& fields, JointFrictionDescription& friction) {
  fields.require("name").read("name", friction.name);
  fields.require("joint").read("joint", friction.joint);
  fields.read_component("component", friction.component);
  fields.require("kinetic").read("kinetic", friction.kinetic);
  friction.breakaway = friction.kinetic;
  fields.read("breakaway", friction.breakaway);
  fields.read("stribeck_velocity", friction.stribeck_velocity);
  fields.require("regularisation_velocity").read("regularisation_velocity", friction.regularisation_velocity);
  fields.read("viscous", friction.viscous);
}

void read_joint_stop(FieldReader& fields, JointStopDescription& stop) {
  fields.require("name").read("name", stop.name);
  fields.require("joint").read("joint", stop.joint);
  fields.read_component("component", stop.component);
  fields.read("lower", stop.lower);
  fields.read("upper", stop.upper);
  fields.require("stiffness").read("stiffness", stop.stiffness);
  fields.read("damping", stop.damping);
}

/// \param description has all joints and couplings of the file
void read_rotor(FieldReader& fields, MechanismDescription& description) {
  RotorDescription rotor;
  fields.require("name").read("name", rotor.name);
  fields.require("joint").read("joint", rotor.joint);
  fields.read_component("component", rotor.component);
  fields.require("inertia").read("inertia", rotor.inertia);
  fields.require("ratio").read("ratio", rotor.ratio);
  fields.read("mass", rotor.mass);
  if (rotor.name.empty() || rotor.joint.empty() || rotor.inertia == 0.0) {
    return;  // a missing field, which is reported as such
  }
  try {
    add_rotor(description, rotor);
  } catch (const std::invalid_argument& error) {
    const std::string_view told = error.what();
    fields.fail_element(told.substr(told.find(": ") + 2));  // which names the rotor itself
  }
}

void read_marker(FieldReader& fields, MarkerDescription& marker) {
  fields.require("name").read("name", marker.name);
  fields.require("body").read("body", marker.body);
  fields.read("point", marker.point);
  fields.read("rotation", marker.rotation);
}

template <typename Element>
void read_list(FieldReader& root, const char* section, const char* kind, std::vector<Element>& elements,
               void (*read_element)(FieldReader&, Element&)) {
  root.read_tables(section, section, kind, [&](FieldReader& fields) { read_element(fields, elements.emplace_back()); });
}

/// \param context receives the lines of all elements
MechanismDescription parse(std::string_view text, const RobotOptions& options, FileContext& context) {
  if (is_robot_file(context.file_name)) {
    return parse_robot(text, context.file_name, options, context.lines);
  }
  if (options != RobotOptions()) {
    throw FileError(
        context.file_name, 0,
        fmt::format("[{}] is for files of robots (.urdf, .xml); TOML files say it themselves", to_text(options)));
  }
  toml::table table = parse_toml(text, context.file_name);
  take_format(table, context.file_name, kMechanismFormat);
  MechanismDescription description;
  FieldReader root(context, table, {}, "mechanism");
  root.require("name").read("name", description.name);
  root.read("source", description.source);
  root.read("notes", description.notes);
  root.read("gravity", description.gravity);
  read_list(root, "bodies", "body", description.bodies, read_body);
  read_list(root, "joints", "joint", description.joints, read_joint);
  read_list(root, "couplings", "coupling", description.couplings, read_coupling);
  read_list(root, "velocity_constraints", "velocity constraint", description.velocity_constraints,
            read_velocity_constraint);
  root.read_tables("rotors", "rotors", "rotor", [&](FieldReader& fields) { read_rotor(fields, description); });
  read_list(root, "joint_loads", "joint load", description.joint_loads, read_joint_load);
  read_list(root, "body_loads", "body load", description.body_loads, read_body_load);
  read_list(root, "joint_springs", "joint spring", description.joint_springs, read_joint_spring);
  read_list(root, "point_springs", "point spring", description.point_springs, read_point_spring);
  read_list(root, "bushings", "bushing", description.bushings, read_bushing);
  read_list(root, "joint_frictions", "joint friction", description.joint_frictions, read_joint_friction);
  read_list(root, "joint_stops", "joint stop", description.joint_stops, read_joint_stop);
  read_list(root, "markers", "marker", description.markers, read_marker);
  root.finish();
  return description;
}

}  // namespace

MechanismDescription parse_mechanism(std::string_view text, std::string_view file_name, const RobotOptions& options) {
  FileContext context{std::string(file_name), {}};
  return parse(text, options, context);
}

MechanismDescription read_mechanism(const std::filesystem::path& path, const RobotOptions& options) {
  return parse_mechanism(read_file_text(path, kWanted), path.string(), options);
}

Mechanism load_mechanism(std::string_view text, std::string_view file_name, const RobotOptions& options) {
  FileContext context{std::string(file_name), {}};
  MechanismDescription description = parse(text, options, context);
  try {
    return Mechanism(std::move(description));
  } catch (const ModelError& error) {
    const auto [file, line] = context.lines.place(file_name, context.lines.line_of(error.where()));
    throw FileError(file, line, error.what());
  }
}

Mechanism load_mechanism(const std::filesystem::path& path, const RobotOptions& options) {
  return load_mechanism(read_file_text(path, kWanted), path.string(), options);
}

}  // namespace mbdbench
