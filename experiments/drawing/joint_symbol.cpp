#include "experiments/drawing/joint_symbol.hpp"

#include <fmt/format.h>

namespace mbdbench {
namespace {

constexpr const char* kOutline = R"(fill="#ffffff" stroke="#1a1a1a" stroke-width="1.2")";

std::string circle(double radius, const char* style) {
  return fmt::format("<circle r=\"{:.2f}\" {}/>", radius, style);
}

std::string box(double half_width, double half_height, const char* style) {
  return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {}/>", -half_width,
                     -half_height, 2.0 * half_width, 2.0 * half_height, style);
}

std::string strokes(const std::string& path) {
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#1a1a1a\" stroke-width=\"1\"/>", path);
}

std::string held_joint(JointType type, double size) {
  constexpr const char* kFilled = R"(fill="#1a1a1a")";
  switch (type) {
    case JointType::revolute:
      return circle(0.8 * size, kOutline);
    case JointType::prismatic:
      return box(1.4 * size, 0.8 * size, kOutline);
    case JointType::universal:
      return circle(0.9 * size, kOutline) + strokes(fmt::format("M{0:.2f} 0H{1:.2f}M0 {0:.2f}V{1:.2f}", -size, size));
    case JointType::screw:
      return box(1.4 * size, 0.8 * size, kOutline) +
             strokes(fmt::format("M{0:.2f} {2:.2f}L0 {1:.2f}M0 {2:.2f}L{3:.2f} {1:.2f}", -0.7 * size, -0.4 * size,
                                 0.4 * size, 0.7 * size));
    case JointType::cylindrical:
      return box(1.4 * size, 0.8 * size, kOutline) + circle(0.4 * size, kOutline);
    case JointType::spherical:
      return circle(0.8 * size, kFilled);
    case JointType::planar:
      return fmt::format("<path d=\"M{0:.2f} 0L0 {0:.2f}L{1:.2f} 0L0 {1:.2f}Z\" {2}/>", -size, size, kOutline);
    case JointType::fixed:
      return box(0.6 * size, 0.6 * size, kFilled);
    case JointType::distance:
    case JointType::revolute_spherical:
      return circle(0.5 * size, kFilled);
    case JointType::point_on_line:
    case JointType::point_on_plane:
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      return circle(0.5 * size, kFilled) +
             strokes(fmt::format("M{:.2f} {:.2f}H{:.2f}", -1.6 * size, 0.5 * size, 1.6 * size));
    case JointType::free:
      break;  // holds nothing and is not drawn
  }
  return "";
}

/// A hatched line below the point, whatever the angle of the joint on it.
std::string ground(double size) {
  std::string path = fmt::format("M{:.2f} {:.2f}H{:.2f}", -1.8 * size, 1.2 * size, 1.8 * size);
  for (int i = -1; i <= 2; ++i) {
    path += fmt::format("M{:.2f} {:.2f}l{:.2f} {:.2f}", 0.85 * size * i, 1.2 * size, -0.7 * size, 0.8 * size);
  }
  return strokes(path);
}

std::string forces(const std::string& path) {
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#007a5a\" stroke-width=\"1.2\"/>", path);
}

/// A spring that turns: around the joint, open at its lower right.
std::string spiral(double size) {
  return forces(fmt::format("M{0:.2f} 0A{0:.2f} {0:.2f} 0 1 0 0 {0:.2f}A{1:.2f} {1:.2f} 0 0 0 {1:.2f} 0", 1.9 * size,
                            2.5 * size));
}

/// A spring along the line, above it.
std::string coil(double size) {
  std::string path = fmt::format("M{:.2f} {:.2f}", -2.0 * size, -1.6 * size);
  for (int i = 0; i < 4; ++i) {
    path += fmt::format("l{0:.2f} {1:.2f}l{0:.2f} {2:.2f}", 0.5 * size, -0.9 * size, 0.9 * size);
  }
  return forces(path);
}

/// A damper that turns: two shoes at the left and at the right of the joint.
std::string brake(double size) {
  return forces(
      fmt::format("M{0:.2f} {1:.2f}A{3:.2f} {3:.2f} 0 0 0 {0:.2f} {2:.2f}M{4:.2f} {1:.2f}A{3:.2f} {3:.2f} 0 0 1 "
                  "{4:.2f} {2:.2f}",
                  -1.1 * size, -1.1 * size, 1.1 * size, 1.55 * size, 1.1 * size));
}

/// A damper along the line, below it: a piston in a cylinder that is open at one side.
std::string dashpot(double size) {
  return forces(
      fmt::format("M{0:.2f} {1:.2f}H{2:.2f}M{2:.2f} {3:.2f}v{4:.2f}M{5:.2f} {6:.2f}H{7:.2f}v{8:.2f}H{5:.2f}M{7:.2f} "
                  "{1:.2f}H{9:.2f}",
                  -2.0 * size, 1.9 * size, -0.1 * size, 1.4 * size, 1.0 * size, -0.8 * size, 1.2 * size, 0.9 * size,
                  1.4 * size, 2.0 * size));
}

}  // namespace

std::string joint_symbol(const FigureSymbol& symbol, double size) {
  switch (symbol.kind) {
    case SymbolKind::joint:
      // Beside the colour a second ring, for whoever sees none.
      return (symbol.cut
                  ? circle(1.5 * size, R"(fill="none" stroke="#c04d00" stroke-width="1.4" stroke-dasharray="3 2")")
                  : "") +
             held_joint(symbol.type, size);
    case SymbolKind::ground:
      return ground(size);
    case SymbolKind::centre_of_mass:
      return circle(0.4 * size, R"(fill="#d9a400" stroke="#1a1a1a" stroke-width="0.7")");
    case SymbolKind::marker:
      return fmt::format(
          "<path d=\"M{0:.2f} {0:.2f}L{1:.2f} {1:.2f}M{0:.2f} {1:.2f}L{1:.2f} {0:.2f}\" fill=\"none\" "
          "stroke=\"#0072b2\" stroke-width=\"1.4\"/>",
          -0.7 * size, 0.7 * size);
    case SymbolKind::spring:
      return symbol.type == JointType::revolute ? spiral(size) : coil(size);
    case SymbolKind::damper:
      return symbol.type == JointType::revolute ? brake(size) : dashpot(size);
  }
  return "";
}

std::string symbol_meaning(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::ground:
      return "ground";
    case SymbolKind::centre_of_mass:
      return "centre of mass";
    case SymbolKind::marker:
      return "marker";
    case SymbolKind::spring:
      return "spring";
    case SymbolKind::damper:
      return "damper";
    case SymbolKind::joint:
      break;
  }
  return "joint";
}

}  // namespace mbdbench
