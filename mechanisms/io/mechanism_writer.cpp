#include "mechanisms/io/mechanism_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>

#include "mechanisms/model/description/visible_text.hpp"

namespace mbdbench {
namespace {

/// 0.0 and -0.0 differ.
template <int Size>
bool same_bits(const Eigen::Matrix<double, Size, 1>& a, const Eigen::Matrix<double, Size, 1>& b) {
  const auto equal = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return std::equal(a.begin(), a.end(), b.begin(), equal);
}

std::string number(double value) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(
        "write_mechanism: the description holds a number that is not finite; make a Mechanism of it to "
        "learn which");
  }
  std::string text = fmt::format("{}", value);
  // Without a point or an exponent it would be a TOML integer, which has no -0.
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string numbers(std::span<const double> values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + number(values[i]);
  }
  return text + "]";
}

template <int Size>
std::string numbers(const Eigen::Matrix<double, Size, 1>& vector) {
  return numbers(std::span<const double>(vector.data(), Size));
}

std::string toml_quoted(std::string_view text) {
  if (const std::string wrong = unseen_character(text); !wrong.empty()) {
    // The reader would refuse it.
    throw std::invalid_argument(fmt::format("write_mechanism: the text \"{}\" {}", visible_text(text), wrong));
  }
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\r') {
      result += "\\r";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string inertia_entries(const Mat3& inertia) {
  const Vec3 diagonal = inertia.diagonal();
  const Vec3 upper(inertia(0, 1), inertia(0, 2), inertia(1, 2));
  const Vec3 lower(inertia(1, 0), inertia(2, 0), inertia(2, 1));
  if (!same_bits(upper, lower)) {
    return fmt::format("[{}, {}, {}]", numbers<3>(inertia.row(0)), numbers<3>(inertia.row(1)),
                       numbers<3>(inertia.row(2)));
  }
  if (same_bits<3>(upper, Vec3::Zero())) {
    return numbers(diagonal);
  }
  Vec6 entries;
  entries << diagonal, upper;
  return numbers(entries);
}

std::string law_value(const Law& law) {
  if (const auto* constant = std::get_if<ConstantLaw>(&law)) {
    return number(constant->value);
  }
  if (const auto* table = std::get_if<TableLaw>(&law)) {
    return fmt::format("{{over = {}, x = {}, y = {}}}", toml_quoted(table->over), numbers(table->abscissa),
                       numbers(table->values));
  }
  return toml_quoted(std::get<ExpressionLaw>(law).text);
}

class MechanismWriter {
 public:
  std::string write(const MechanismDescription& description) {
    field("name", toml_quoted(description.name));
    text_unless_empty("source", description.source);
    texts_unless_empty("notes", description.notes);
    field("gravity", numbers(description.gravity));
    write_all("bodies", description.bodies);
    write_all("joints", description.joints);
    write_all("couplings", description.couplings);
    write_all("velocity_constraints", description.velocity_constraints);
    write_all("joint_loads", description.joint_loads);
    write_all("body_loads", description.body_loads);
    write_all("joint_springs", description.joint_springs);
    write_all("point_springs", description.point_springs);
    write_all("bushings", description.bushings);
    write_all("joint_frictions", description.joint_frictions);
    write_all("joint_stops", description.joint_stops);
    write_all("markers", description.markers);
    return std::move(text_);
  }

 private:
  void field(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), "{} = {}\n", key, value);
  }

  void text_unless_empty(std::string_view key, const std::string& value) {
    if (!value.empty()) {
      field(key, toml_quoted(value));
    }
  }

  void texts_unless_empty(std::string_view key, const std::vector<std::string>& values) {
    if (values.empty()) {
      return;
    }
    fmt::format_to(std::back_inserter(text_), "{} = [\n", key);
    for (const std::string& value : values) {
      fmt::format_to(std::back_inserter(text_), "  {},\n", toml_quoted(value));
    }
    text_ += "]\n";
  }

  void vector_unless(std::string_view key, const Vec3& value, const Vec3& usual) {
    if (!same_bits(value, usual)) {
      field(key, numbers(value));
    }
  }

  void flag_if_set(std::string_view key, bool value) {
    if (value) {
      field(key, "true");
    }
  }

  void frame(std::string_view key, const JointFrame& frame) {
    const JointFrame usual;
    if (!same_bits(frame.rotation, usual.rotation)) {
      field(key, fmt::format("{{position = {}, rotation = {}}}", numbers(frame.position), numbers(frame.rotation)));
    } else if (!same_bits(frame.position, usual.position)) {
      field(key, fmt::format("{{position = {}}}", numbers(frame.position)));
    }
  }

  template <typename Element>
  void write_all(std::string_view section, const std::vector<Element>& elements) {
    for (const Element& element : elements) {
      fmt::format_to(std::back_inserter(text_), "\n[[{}]]\n", section);
      field("name", toml_quoted(element.name));
      fields_of(element);
    }
  }

  void fields_of(const BodyDescription& body) {
    field("mass", number(body.mass));
    vector_unless("com", body.com, Vec3::Zero());
    field("inertia", inertia_entries(body.inertia));
  }

  void fields_of(const JointDescription& joint) {
    field("type", toml_quoted(to_string(joint.type)));
    field("a", toml_quoted(joint.a));
    field("b", toml_quoted(joint.b));
    frame("frame_a", joint.frame_a);
    frame("frame_b", joint.frame_b);
    const bool has_axis = joint.type != JointType::spherical && joint.type != JointType::free &&
                          joint.type != JointType::fixed && joint.type != JointType::distance;
    const JointDescription usual;
    if (has_axis || !same_bits(joint.axis, usual.axis)) {
      field("axis", numbers(joint.axis));
    }
    if (joint.type == JointType::universal || joint.type == JointType::rolling_disc ||
        !same_bits(joint.axis2, usual.axis2)) {
      field("axis2", numbers(joint.axis2));
    }
    if (joint.pitch != 0.0) {
      field("pitch", number(joint.pitch));
    }
    if (joint.length != 0.0) {
      field("length", number(joint.length));
    }
    if (joint.radius != 0.0) {
      field("radius", number(joint.radius));
    }
    flag_if_set("cut", joint.cut);
    numbers_unless_empty("q0", joint.q0);
    numbers_unless_empty("v0", joint.v0);
    flag_if_set("dependent", joint.dependent);
    if (joint.motions.empty()) {
      return;
    }
    text_ += "motions = [\n";
    for (const PrescribedMotion& motion : joint.motions) {
      fmt::format_to(std::back_inserter(text_),
                     "  {{component = {}, position = {}, velocity = {}, acceleration = {}}},\n", motion.component + 1,
                     toml_quoted(motion.position), toml_quoted(motion.velocity), toml_quoted(motion.acceleration));
    }
    text_ += "]\n";
  }

  void numbers_unless_empty(std::string_view key, const std::vector<double>& values) {
    if (!values.empty()) {
      field(key, numbers(values));
    }
  }

  void component_unless_first(int component) {
    if (component != 0) {
      field("component", fmt::format("{}", component + 1));
    }
  }

  void fields_of(const CouplingDescription& coupling) {
    text_ += "terms = [\n";
    for (const CouplingTerm& term : coupling.terms) {
      fmt::format_to(std::back_inserter(text_), "  {{joint = {}, component = {}, factor = {}}},\n",
                     toml_quoted(term.joint), term.component + 1, number(term.factor));
    }
    text_ += "]\n";
    if (coupling.value) {
      field("value", number(*coupling.value));
    }
  }

  void fields_of(const VelocityConstraintDescription& constraint) {
    text_ += "terms = [\n";
    for (const VelocityTerm& term : constraint.terms) {
      fmt::format_to(std::back_inserter(text_), "  {{joint = {}, component = {}, factor = {}}},\n",
                     toml_quoted(term.joint), term.component + 1, law_value(term.factor));
    }
    text_ += "]\n";
  }

  void fields_of(const JointLoadDescription& load) {
    field("joint", toml_quoted(load.joint));
    component_unless_first(load.component);
    field("law", law_value(load.law));
  }

  void laws_unless_empty(std::string_view key, const std::vector<Law>& laws) {
    if (!laws.empty()) {
      std::vector<std::string> values(laws.size());
      std::transform(laws.begin(), laws.end(), values.begin(), law_value);
      field(key, fmt::format("[{}]", fmt::join(values, ", ")));
    }
  }

  void fields_of(const BodyLoadDescription& load) {
    field("body", toml_quoted(load.body));
    vector_unless("point", load.point, Vec3::Zero());
    flag_if_set("in_body_axes", load.in_body_axes);
    laws_unless_empty("force", load.force);
    laws_unless_empty("torque", load.torque);
  }

  template <typename Spring>
  void coefficients(const Spring& spring) {
    field("stiffness", number(spring.stiffness));
    field("damping", number(spring.damping));
    field("rest", number(spring.rest));
  }

  void fields_of(const JointSpringDescription& spring) {
    field("joint", toml_quoted(spring.joint));
    component_unless_first(spring.component);
    coefficients(spring);
  }

  void fields_of(const PointSpringDescription& spring) {
    field("body1", toml_quoted(spring.body1));
    field("body2", toml_quoted(spring.body2));
    vector_unless("point1", spring.point1, Vec3::Zero());
    vector_unless("point2", spring.point2, Vec3::Zero());
    coefficients(spring);
  }

  void fields_of(const BushingDescription& bushing) {
    field("body1", toml_quoted(bushing.body1));
    field("body2", toml_quoted(bushing.body2));
    frame("frame1", bushing.frame1);
    frame("frame2", bushing.frame2);
    vector_unless("stiffness", bushing.stiffness, Vec3::Zero());
    vector_unless("damping", bushing.damping, Vec3::Zero());
    vector_unless("rotational_stiffness", bushing.rotational_stiffness, Vec3::Zero());
    vector_unless("rotational_damping", bushing.rotational_damping, Vec3::Zero());
  }

  void fields_of(const JointFrictionDescription& friction) {
    field("joint", toml_quoted(friction.joint));
    component_unless_first(friction.component);
    field("kinetic", number(friction.kinetic));
    field("breakaway", number(friction.breakaway));
    field("stribeck_velocity", number(friction.stribeck_velocity));
    field("regularisation_velocity", number(friction.regularisation_velocity));
    field("viscous", number(friction.viscous));
  }

  void fields_of(const JointStopDescription& stop) {
    field("joint", toml_quoted(stop.joint));
    component_unless_first(stop.component);
    if (stop.lower) {
      field("lower", number(*stop.lower));
    }
    if (stop.upper) {
      field("upper", number(*stop.upper));
    }
    field("stiffness", number(stop.stiffness));
    field("damping", number(stop.damping));
  }

  void fields_of(const MarkerDescription& marker) {
    field("body", toml_quoted(marker.body));
    vector_unless("point", marker.point, Vec3::Zero());
    if (!same_bits(marker.rotation, MarkerDescription().rotation)) {
      field("rotation", numbers(marker.rotation));
    }
  }

  std::string text_;
};

}  // namespace

std::string write_mechanism(const MechanismDescription& description) {
  return MechanismWriter().write(description);
}

}  // namespace mbdbench
