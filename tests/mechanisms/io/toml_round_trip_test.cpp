/// \file
/// What the writer writes, the reader reads back bit for bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "tests/mechanisms/chain_with_everything.hpp"

namespace mbdbench {
namespace {

std::vector<std::uint64_t> bits(std::span<const double> values) {
  std::vector<std::uint64_t> result;
  for (const double value : values) {
    result.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return result;
}

template <typename Derived>
std::vector<std::uint64_t> bits(const Eigen::PlainObjectBase<Derived>& matrix) {
  return bits({matrix.data(), static_cast<std::size_t>(matrix.size())});
}

void expect_same(const Law& a, const Law& b) {
  EXPECT_EQ(a, b);
  if (std::holds_alternative<ConstantLaw>(a) && std::holds_alternative<ConstantLaw>(b)) {
    EXPECT_EQ(std::signbit(std::get<ConstantLaw>(a).value), std::signbit(std::get<ConstantLaw>(b).value));
  }
}

void expect_same(const JointFrame& a, const JointFrame& b) {
  EXPECT_EQ(bits(a.position), bits(b.position));
  EXPECT_EQ(bits(a.rotation), bits(b.rotation));
}

void expect_same(const BodyDescription& a, const BodyDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(bits({&a.mass, 1}), bits({&b.mass, 1}));
  EXPECT_EQ(bits(a.com), bits(b.com));
  EXPECT_EQ(bits(a.inertia), bits(b.inertia));
}

void expect_same(const JointDescription& a, const JointDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.a, b.a);
  EXPECT_EQ(a.b, b.b);
  expect_same(a.frame_a, b.frame_a);
  expect_same(a.frame_b, b.frame_b);
  EXPECT_EQ(bits(a.axis), bits(b.axis));
  EXPECT_EQ(bits(a.axis2), bits(b.axis2));
  EXPECT_EQ(a.pitch, b.pitch);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.cut, b.cut);
  EXPECT_EQ(bits(a.q0), bits(b.q0));
  EXPECT_EQ(bits(a.v0), bits(b.v0));
  EXPECT_EQ(a.dependent, b.dependent);
  ASSERT_EQ(a.motions.size(), b.motions.size());
  for (std::size_t i = 0; i < a.motions.size(); ++i) {
    EXPECT_EQ(a.motions[i].component, b.motions[i].component);
    EXPECT_EQ(a.motions[i].position, b.motions[i].position);
    EXPECT_EQ(a.motions[i].velocity, b.motions[i].velocity);
    EXPECT_EQ(a.motions[i].acceleration, b.motions[i].acceleration);
  }
}

void expect_same(const JointLoadDescription& a, const JointLoadDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.joint, b.joint);
  EXPECT_EQ(a.component, b.component);
  expect_same(a.law, b.law);
}

void expect_same(const std::vector<Law>& a, const std::vector<Law>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    expect_same(a[i], b[i]);
  }
}

void expect_same(const BodyLoadDescription& a, const BodyLoadDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.body, b.body);
  EXPECT_EQ(bits(a.point), bits(b.point));
  EXPECT_EQ(a.in_body_axes, b.in_body_axes);
  expect_same(a.force, b.force);
  expect_same(a.torque, b.torque);
}

void expect_same(const JointSpringDescription& a, const JointSpringDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.joint, b.joint);
  EXPECT_EQ(a.component, b.component);
  EXPECT_EQ(bits(Vec3(a.stiffness, a.damping, a.rest)), bits(Vec3(b.stiffness, b.damping, b.rest)));
}

void expect_same(const PointSpringDescription& a, const PointSpringDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.body1, b.body1);
  EXPECT_EQ(a.body2, b.body2);
  EXPECT_EQ(bits(a.point1), bits(b.point1));
  EXPECT_EQ(bits(a.point2), bits(b.point2));
  EXPECT_EQ(bits(Vec3(a.stiffness, a.damping, a.rest)), bits(Vec3(b.stiffness, b.damping, b.rest)));
}

void expect_same(const BushingDescription& a, const BushingDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.body1, b.body1);
  EXPECT_EQ(a.body2, b.body2);
  expect_same(a.frame1, b.frame1);
  expect_same(a.frame2, b.frame2);
  EXPECT_EQ(bits(a.stiffness), bits(b.stiffness));
  EXPECT_EQ(bits(a.damping), bits(b.damping));
  EXPECT_EQ(bits(a.rotational_stiffness), bits(b.rotational_stiffness));
  EXPECT_EQ(bits(a.rotational_damping), bits(b.rotational_damping));
}

void expect_same(const JointFrictionDescription& a, const JointFrictionDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.joint, b.joint);
  EXPECT_EQ(a.component, b.component);
  EXPECT_EQ(bits(Vec3(a.kinetic, a.breakaway, a.viscous)), bits(Vec3(b.kinetic, b.breakaway, b.viscous)));
  EXPECT_EQ(a.stribeck_velocity, b.stribeck_velocity);
  EXPECT_EQ(a.regularisation_velocity, b.regularisation_velocity);
}

void expect_same(const JointStopDescription& a, const JointStopDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.joint, b.joint);
  EXPECT_EQ(a.component, b.component);
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
  EXPECT_EQ(a.stiffness, b.stiffness);
  EXPECT_EQ(a.damping, b.damping);
}

void expect_same(const MarkerDescription& a, const MarkerDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.body, b.body);
  EXPECT_EQ(bits(a.point), bits(b.point));
}

template <typename Element>
void expect_same_list(const std::vector<Element>& a, const std::vector<Element>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    expect_same(a[i], b[i]);
  }
}

void expect_round_trip(const MechanismDescription& description) {
  const std::string text = write_mechanism(description);
  SCOPED_TRACE(text);
  const MechanismDescription back = parse_mechanism(text, "round_trip.toml");
  EXPECT_EQ(back.name, description.name);
  EXPECT_EQ(back.source, description.source);
  EXPECT_EQ(bits(back.gravity), bits(description.gravity));
  expect_same_list(back.bodies, description.bodies);
  expect_same_list(back.joints, description.joints);
  ASSERT_EQ(back.couplings.size(), description.couplings.size());
  for (std::size_t i = 0; i < back.couplings.size(); ++i) {
    EXPECT_EQ(back.couplings[i].name, description.couplings[i].name);
    EXPECT_EQ(back.couplings[i].value, description.couplings[i].value);
    ASSERT_EQ(back.couplings[i].terms.size(), description.couplings[i].terms.size());
    for (std::size_t k = 0; k < back.couplings[i].terms.size(); ++k) {
      EXPECT_EQ(back.couplings[i].terms[k].joint, description.couplings[i].terms[k].joint);
      EXPECT_EQ(back.couplings[i].terms[k].component, description.couplings[i].terms[k].component);
      EXPECT_EQ(back.couplings[i].terms[k].factor, description.couplings[i].terms[k].factor);
    }
  }
  expect_same_list(back.joint_loads, description.joint_loads);
  expect_same_list(back.body_loads, description.body_loads);
  expect_same_list(back.joint_springs, description.joint_springs);
  expect_same_list(back.point_springs, description.point_springs);
  expect_same_list(back.bushings, description.bushings);
  expect_same_list(back.joint_frictions, description.joint_frictions);
  expect_same_list(back.joint_stops, description.joint_stops);
  expect_same_list(back.markers, description.markers);
  EXPECT_EQ(write_mechanism(back), text);
}

TEST(TomlRoundTrip, Defaults) {
  expect_round_trip({});
  MechanismDescription description;
  description.bodies.resize(1);
  description.joints.resize(1);
  description.joint_loads.resize(1);
  description.body_loads.resize(1);
  description.joint_springs.resize(1);
  description.point_springs.resize(1);
  description.bushings.resize(1);
  description.joint_frictions.resize(1);
  description.joint_stops.resize(1);
  description.markers.resize(1);
  expect_round_trip(description);
}

TEST(TomlRoundTrip, ChainWithEverything) {
  expect_round_trip(chain_with_everything());
}

TEST(TomlRoundTrip, EveryJointTypeWithEveryField) {
  MechanismDescription description;
  description.name = "all joints";
  std::vector<JointType> types(kAllJointTypes.begin(), kAllJointTypes.end());
  types.insert(types.end(), kCutOnlyTypes.begin(), kCutOnlyTypes.end());
  for (const JointType type : types) {
    JointDescription joint;
    joint.name = "joint_" + std::string(to_string(type));
    joint.type = type;
    joint.a = "inboard";
    joint.b = "outboard";
    joint.frame_a = {Vec3(0.1, -0.0, 1e-300), Eigen::Vector4d(0.5, -0.5, 0.5, -0.5)};
    joint.frame_b = {Vec3(0.0, -0.0, 0.0), Eigen::Vector4d(1.0, -0.0, 0.0, 0.0)};
    joint.axis = Vec3(1.0, 2.0, 3.0).normalized();
    joint.axis2 = Vec3(-0.0, 1.0, 0.0);
    joint.pitch = -1e-3 / 3.0;
    joint.length = 1.0 / 3.0;
    joint.cut = position_count(type) % 2 == 0;
    joint.dependent = !joint.cut;
    for (int i = 0; i < position_count(type); ++i) {
      joint.q0.push_back(1.0 / (3.0 + i));
    }
    for (int i = 0; i < velocity_count(type); ++i) {
      joint.v0.push_back(-1e22 / (7.0 + i));
      joint.motions.push_back({i, "sin(t)", "cos(t)", "-sin(t)"});
    }
    description.joints.push_back(joint);
    JointDescription plain;
    plain.name = "plain_" + std::string(to_string(type));
    plain.type = type;
    description.joints.push_back(plain);
  }
  expect_round_trip(description);
}

TEST(TomlRoundTrip, CouplingsWithAndWithoutValue) {
  MechanismDescription description;
  description.name = "gears";
  description.couplings = {{"one", {{"a", 0, 1.0 / 3.0}, {"b", 2, -1e22}}, -0.1},
                           {"two", {{"c", 1, 5.0}}, std::nullopt}};
  expect_round_trip(description);
}

TEST(TomlRoundTrip, EveryKindOfInertia) {
  MechanismDescription description;
  const auto add = [&](const Mat3& inertia) { description.bodies.push_back({"body", 1.0, Vec3::Zero(), inertia}); };
  Mat3 inertia = Vec3(1.0, 2.0, 3.0).asDiagonal();
  add(inertia);
  inertia(0, 1) = inertia(1, 0) = -0.0;
  add(inertia);
  inertia(0, 1) = 0.0;
  add(inertia);
  inertia << 1.0, 0.1, 0.2, 0.1, 2.0, 0.3, 0.2, 0.3, 3.0;
  add(inertia);
  inertia(2, 1) = std::nextafter(0.3, 1.0);
  add(inertia);
  expect_round_trip(description);
  const std::string text = write_mechanism(description);
  EXPECT_NE(text.find("inertia = [1.0, 2.0, 3.0]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("inertia = [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]\n"), std::string::npos) << text;
}

TEST(TomlRoundTrip, EveryKindOfLaw) {
  MechanismDescription description;
  const std::vector<Law> laws = {ConstantLaw{-0.0}, ExpressionLaw{"q > 0 ? \"a\\b\" : t"},
                                 TableLaw{"v", {-1e-320, 0.5}, {3.0, -0.0}}};
  for (std::size_t i = 0; i < laws.size(); ++i) {
    description.joint_loads.push_back({"load", "joint", static_cast<int>(i), laws[i]});
  }
  description.body_loads.push_back({"both", "body", Vec3(1.0, 2.0, 3.0), true, laws, laws});
  description.body_loads.push_back({"torque", "body", Vec3::Zero(), false, {}, laws});
  expect_round_trip(description);
}

TEST(TomlRoundTrip, EveryCharacter) {
  MechanismDescription description;
  description.name = "\t\n\r\n";
  for (int c = ' '; c < 127; ++c) {
    description.name += static_cast<char>(c);
  }
  description.source = "\"quoted\" and 'quoted' \"\"\" \\ \\u0041 \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x94\xA7\r\n";
  expect_round_trip(description);
}

// Nothing is written that the reader would refuse, and no mechanism has what the writer would.
TEST(TomlRoundTrip, CharactersThatNobodySeesAreRefusedOnTheWayOutToo) {
  MechanismDescription good = make_mechanism(mechanism_registry(), "pendulum:2").description();
  for (int c = 0; c < 128; ++c) {
    if ((c >= ' ' && c < 127) || c == '\n' || c == '\t') {
      continue;
    }
    for (std::string MechanismDescription::*const field :
         {&MechanismDescription::name, &MechanismDescription::source}) {
      MechanismDescription description = good;
      description.*field = std::string("a") + static_cast<char>(c);
      EXPECT_THROW(write_mechanism(description), std::invalid_argument) << c;
      EXPECT_THROW(Mechanism{description}, ModelError) << c;
    }
  }
}

TEST(TomlRoundTrip, RandomBitPatterns) {
  std::mt19937_64 generator(20240607);
  MechanismDescription description;
  JointDescription joint;
  while (joint.q0.size() < 20000) {
    const auto value = std::bit_cast<double>(generator());
    if (std::isfinite(value)) {
      joint.q0.push_back(value);
    }
  }
  std::uniform_real_distribution<double> ordinary(-10.0, 10.0);
  for (int i = 0; i < 20000; ++i) {
    joint.q0.push_back(ordinary(generator));
  }
  using Limits = std::numeric_limits<double>;
  joint.v0 = {Limits::max(),
              Limits::lowest(),
              Limits::min(),
              Limits::denorm_min(),
              Limits::epsilon(),
              0.0,
              -0.0,
              1e15,
              1e16,
              1e17,
              1e22,
              1e23,
              5e-324};
  description.joints.push_back(joint);
  const MechanismDescription back = parse_mechanism(write_mechanism(description), "numbers.toml");
  EXPECT_EQ(bits(back.joints[0].q0), bits(joint.q0));
  EXPECT_EQ(bits(back.joints[0].v0), bits(joint.v0));
}

TEST(TomlRoundTrip, ExportedMechanismIsTheSameMechanism) {
  MechanismDescription description = chain_with_everything();
  // Rough values, so that closing the loop has something to do.
  description.joints[0].dependent = true;
  description.joints[2].dependent = true;
  description.joints[2].q0 = {0.3, -0.2};
  description.joints[3].frame_b.position = Vec3(2.7, 0.0, 0.1);
  const Mechanism mechanism(description);
  expect_round_trip(mechanism.description());
  const Mechanism again = load_mechanism(write_mechanism(mechanism.description()), "export.toml");
  EXPECT_EQ(bits(again.q0()), bits(mechanism.q0()));
  EXPECT_EQ(bits(again.u0()), bits(mechanism.u0()));
  EXPECT_EQ(write_mechanism(again.description()), write_mechanism(mechanism.description()));
}

TEST(TomlRoundTrip, NumbersThatAreNotFiniteAreRefused) {
  MechanismDescription description;
  description.gravity[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(write_mechanism(description)), std::invalid_argument);
  description.gravity[2] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(static_cast<void>(write_mechanism(description)), std::invalid_argument);
}

}  // namespace
}  // namespace mbdbench
