#pragma once
/// \file
/// One physics as a text tells it, in types of their own: a description that a metamorphic test can tell again in
/// another way, and its TOML text. Nothing here knows the suite's model or reader: the text is all they get.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstddef>
#include <string>
#include <vector>

namespace mbdbench::metamorphic {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

constexpr int kWorld = -1;  ///< "ground"

/// A place on a body: x_body = rotation x + position.
struct Frame {
  Vec3 position = Vec3::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  /// \returns this frame, then `inner` within it.
  [[nodiscard]] Frame then(const Frame& inner) const {
    return {position + rotation * inner.position, (rotation * inner.rotation).normalized()};
  }
  [[nodiscard]] Frame inverse() const { return {-(rotation.conjugate() * position), rotation.conjugate()}; }
  [[nodiscard]] Vec3 point(const Vec3& inner) const { return position + rotation * inner; }
};

struct ToldBody {
  std::string name;
  double mass = 1.0;
  Vec3 com = Vec3::Zero();
  Mat3 inertia = Mat3::Identity();
};

/// amplitude sin(rate t + phase) + offset.
struct Wave {
  double offset = 0.0;
  double amplitude = 0.0;
  double rate = 0.0;
  double phase = 0.0;
  [[nodiscard]] double at(double t) const;
  [[nodiscard]] std::string text(int digits) const;
};

/// Every joint has coordinates and velocities, cut or not: another telling may cut another one.
struct ToldJoint {
  std::string name;
  std::string type;
  int a = kWorld;
  int b = 0;
  Frame frame_a;
  Frame frame_b;
  Vec3 axis = Vec3::UnitZ();
  Vec3 axis2 = Vec3::UnitX();
  double pitch = 0.0;
  std::vector<double> q;
  std::vector<double> v;
  bool cut = false;
  bool dependent = false;
  std::vector<Wave> motion;  ///< of the first component; at most one
};

/// Force in one component of a joint: wave(t) - stiffness (q - rest) - damping v.
struct ToldLaw {
  std::size_t joint = 0;
  int component = 0;
  Wave wave;
  double stiffness = 0.0;
  double rest = 0.0;
  double damping = 0.0;
  std::string formula = {};    ///< one more summand
  double formula_value = 0.0;  ///< what that is
  bool as_spring = false;      ///< stiffness and damping as [[joint_springs]], not in the formula
};

struct ToldBodyLoad {
  int body = 0;
  Vec3 point = Vec3::Zero();
  bool in_body_axes = false;
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();
  Wave size{1.0, 0.0, 0.0, 0.0};  ///< what both are multiplied by
};

struct ToldPointSpring {
  int body1 = kWorld;
  int body2 = 0;
  Vec3 point1 = Vec3::Zero();
  Vec3 point2 = Vec3::Zero();
  double stiffness = 0.0;
  double damping = 0.0;
  double rest = 0.0;
};

/// Coefficients along and about the axes of frame 1.
struct ToldBushing {
  int body1 = kWorld;
  int body2 = 0;
  Frame frame1;
  Frame frame2;
  Vec3 stiffness = Vec3::Zero();
  Vec3 damping = Vec3::Zero();
  Vec3 rotational_stiffness = Vec3::Zero();
  Vec3 rotational_damping = Vec3::Zero();
};

struct ToldCoupling {
  struct Term {
    std::size_t joint = 0;
    double factor = 1.0;
    int component = 0;
  };
  std::vector<Term> terms;
};

struct ToldMarker {
  int body = 0;
  Vec3 point = Vec3::Zero();
};

/// What one text says.
struct Told {
  Vec3 gravity = Vec3::Zero();
  std::vector<ToldBody> bodies;
  std::vector<ToldJoint> joints;
  std::vector<ToldLaw> laws;
  std::vector<ToldBodyLoad> body_loads;
  std::vector<ToldPointSpring> point_springs;
  std::vector<ToldBushing> bushings;
  std::vector<ToldCoupling> couplings;
  std::vector<ToldMarker> markers;       ///< called m0, m1, ...
  int digits = 17;                       ///< significant digits of every number
  std::vector<std::size_t> body_order;   ///< in the text; empty: as they stand
  std::vector<std::size_t> joint_order;  ///< likewise
};

/// \returns whether a component of u of this type of joint is a displacement, not a turn.
bool is_displacement(const std::string& type, std::size_t component);

/// \returns the TOML text.
std::string toml_text(const Told& told);

}  // namespace mbdbench::metamorphic
