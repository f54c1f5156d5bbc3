#include "experiments/metamorphic/told_mechanism.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace mbdbench::metamorphic {
namespace {

constexpr int kAllDigits = 17;

class Text {
 public:
  explicit Text(const Told& told) : told_(told) {}

  std::string write() {
    line("name = \"told\"\ngravity = {}", vector(told_.gravity));
    for (const std::size_t k : order(told_.body_order, told_.bodies.size())) {
      const ToldBody& body = told_.bodies[k];
      const Mat3& i = body.inertia;
      line("\n[[bodies]]\nname = \"{}\"\nmass = {}\ncom = {}\ninertia = [{}, {}, {}, {}, {}, {}]", body.name,
           number(body.mass), vector(body.com), number(i(0, 0)), number(i(1, 1)), number(i(2, 2)), number(i(0, 1)),
           number(i(0, 2)), number(i(1, 2)));
    }
    for (const std::size_t k : order(told_.joint_order, told_.joints.size())) {
      write(told_.joints[k]);
    }
    for (std::size_t k = 0; k < told_.laws.size(); ++k) {
      write(told_.laws[k], k);
    }
    for (std::size_t k = 0; k < told_.body_loads.size(); ++k) {
      const ToldBodyLoad& load = told_.body_loads[k];
      line("\n[[body_loads]]\nname = \"push{}\"\nbody = \"{}\"\npoint = {}\nin_body_axes = {}\nforce = {}\ntorque = {}",
           k, body_name(load.body), vector(load.point), load.in_body_axes, laws(load.force, load.size),
           laws(load.torque, load.size));
    }
    for (std::size_t k = 0; k < told_.point_springs.size(); ++k) {
      const ToldPointSpring& spring = told_.point_springs[k];
      line(
          "\n[[point_springs]]\nname = \"tie{}\"\nbody1 = \"{}\"\nbody2 = \"{}\"\npoint1 = {}\npoint2 = {}\n"
          "stiffness = {}\ndamping = {}\nrest = {}",
          k, body_name(spring.body1), body_name(spring.body2), vector(spring.point1), vector(spring.point2),
          number(spring.stiffness), number(spring.damping), number(spring.rest));
    }
    for (std::size_t k = 0; k < told_.bushings.size(); ++k) {
      const ToldBushing& bushing = told_.bushings[k];
      line(
          "\n[[bushings]]\nname = \"bush{}\"\nbody1 = \"{}\"\nbody2 = \"{}\"\nframe1 = {}\nframe2 = {}\n"
          "stiffness = {}\ndamping = {}\nrotational_stiffness = {}\nrotational_damping = {}",
          k, body_name(bushing.body1), body_name(bushing.body2), frame(bushing.frame1), frame(bushing.frame2),
          vector(bushing.stiffness), vector(bushing.damping), vector(bushing.rotational_stiffness),
          vector(bushing.rotational_damping));
    }
    for (std::size_t k = 0; k < told_.couplings.size(); ++k) {
      std::vector<std::string> terms;
      for (const ToldCoupling::Term& term : told_.couplings[k].terms) {
        terms.push_back(fmt::format("{{joint = \"{}\", component = {}, factor = {}}}", told_.joints[term.joint].name,
                                    term.component + 1, number(term.factor)));
      }
      line("\n[[couplings]]\nname = \"gear{}\"\nterms = [{}]", k, fmt::join(terms, ", "));
    }
    for (std::size_t k = 0; k < told_.markers.size(); ++k) {
      line("\n[[markers]]\nname = \"m{}\"\nbody = \"{}\"\npoint = {}", k, body_name(told_.markers[k].body),
           vector(told_.markers[k].point));
    }
    return std::move(text_);
  }

 private:
  template <typename... Parts>
  void line(fmt::format_string<Parts...> pattern, Parts&&... parts) {
    text_ += fmt::format(pattern, std::forward<Parts>(parts)...) + "\n";
  }

  [[nodiscard]] std::string number(double value) const {
    std::string digits = fmt::format("{:.{}g}", value, told_.digits);
    return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;  // a TOML float
  }

  [[nodiscard]] std::string numbers(const std::vector<double>& values) const {
    std::vector<std::string> parts;
    parts.reserve(values.size());
    for (const double value : values) {
      parts.push_back(number(value));
    }
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }

  [[nodiscard]] std::string vector(const Vec3& v) const { return numbers({v.x(), v.y(), v.z()}); }

  [[nodiscard]] std::string laws(const Vec3& direction, const Wave& size) const {
    std::vector<std::string> parts;
    for (const double component : direction) {
      const Wave wave{component * size.offset, component * size.amplitude, size.rate, size.phase};
      parts.push_back(fmt::format("\"{}\"", wave.text(told_.digits)));
    }
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }

  [[nodiscard]] std::string frame(const Frame& frame) const {
    const Eigen::Quaterniond& r = frame.rotation;
    return fmt::format("{{position = {}, rotation = {}{}}}", vector(frame.position),
                       numbers({r.w(), r.x(), r.y(), r.z()}), told_.digits < kAllDigits ? ", normalise = true" : "");
  }

  [[nodiscard]] std::string body_name(int body) const {
    return body == kWorld ? "ground" : told_.bodies[static_cast<std::size_t>(body)].name;
  }

  static std::vector<std::size_t> order(std::vector<std::size_t> given, std::size_t count) {
    if (given.empty()) {
      given.resize(count);
      std::iota(given.begin(), given.end(), std::size_t{0});
    }
    return given;
  }

  void write(const ToldJoint& joint) {
    line("\n[[joints]]\nname = \"{}\"\ntype = \"{}\"\na = \"{}\"\nb = \"{}\"\nframe_a = {}\nframe_b = {}", joint.name,
         joint.type, body_name(joint.a), body_name(joint.b), frame(joint.frame_a), frame(joint.frame_b));
    if (joint.type != "spherical" && joint.type != "free" && joint.type != "fixed") {
      line("axis = {}", vector(joint.axis));
    }
    if (joint.type == "universal") {
      line("axis2 = {}", vector(joint.axis2));
    }
    if (joint.type == "screw") {
      line("pitch = {}", number(joint.pitch));
    }
    if (!joint.q.empty()) {
      line("q0 = {}", numbers(joint.q));
    }
    if (joint.cut) {
      line("cut = true");
    } else if (!joint.v.empty()) {
      line("v0 = {}", numbers(joint.v));
    }
    if (joint.dependent) {
      line("dependent = true");
    }
    if (!joint.motion.empty()) {
      line("motions = [{{component = 1, position = \"{}\"}}]", joint.motion[0].text(told_.digits));
    }
  }

  void write(const ToldLaw& law, std::size_t k) {
    const std::string& joint = told_.joints[law.joint].name;
    std::string formula = law.wave.text(told_.digits);
    if (!law.as_spring && law.stiffness != 0.0) {
      formula += fmt::format(" - ({})*(q - ({}))", number(law.stiffness), number(law.rest));
    }
    if (!law.as_spring && law.damping != 0.0) {
      formula += fmt::format(" - ({})*v", number(law.damping));
    }
    formula += law.formula.empty() ? "" : " + " + law.formula;
    line("\n[[joint_loads]]\nname = \"load{}\"\njoint = \"{}\"\ncomponent = {}\nlaw = \"{}\"", k, joint,
         law.component + 1, formula);
    if (law.as_spring) {
      line(
          "\n[[joint_springs]]\nname = \"spring{}\"\njoint = \"{}\"\ncomponent = {}\nstiffness = {}\ndamping = {}\n"
          "rest = {}",
          k, joint, law.component + 1, number(law.stiffness), number(law.damping), number(law.rest));
    }
  }

  const Told& told_;
  std::string text_;
};

}  // namespace

double Wave::at(double t) const {
  return offset + amplitude * std::sin(rate * t + phase);
}

std::string Wave::text(int digits) const {
  const auto number = [digits](double value) { return fmt::format("({:.{}g})", value, digits); };
  return number(offset) +
         (amplitude == 0.0 ? "" : fmt::format(" + {}*sin({}*t + {})", number(amplitude), number(rate), number(phase)));
}

bool is_displacement(const std::string& type, std::size_t component) {
  return type == "prismatic" || (type == "cylindrical" && component == 1) || (type == "planar" && component < 2) ||
         (type == "free" && component >= 3);
}

std::string toml_text(const Told& told) {
  return Text(told).write();
}

}  // namespace mbdbench::metamorphic
