#pragma once
/// \file
/// A mechanism as lines and symbols in the plane of a view, m. Figures of one mechanism have the same lines and symbols
/// in the same order whatever its position, so that a motion is a list of them.
#include <string>
#include <vector>

#include "experiments/drawing/view.hpp"

namespace mbdbench {

/// What a line stands for.
enum class LineKind {
  link,    ///< of a body, from its inboard joint to a further joint or marker
  arm,     ///< of a body, from its inboard joint to its centre of mass
  cuboid,  ///< edge of the cuboid with the inertia of a body that has no link
  guide,   ///< between the two origins of a joint that slides
  spring,  ///< between two points
  gap      ///< between the two halves of a joint that does not close
};

/// A line between two points of the picture.
struct FigureLine {
  LineKind kind = LineKind::link;
  Eigen::Vector2d from = Eigen::Vector2d::Zero();
  Eigen::Vector2d to = Eigen::Vector2d::Zero();
};

/// What a symbol stands for.
enum class SymbolKind { joint, ground, centre_of_mass, marker, spring, damper };

/// A symbol at a point of the picture.
struct FigureSymbol {
  SymbolKind kind = SymbolKind::joint;
  JointType type = JointType::fixed;  ///< of joints; of springs and dampers in joints: revolute where they turn
  bool cut = false;                   ///< of joints
  std::string name;
  Eigen::Vector2d at = Eigen::Vector2d::Zero();
  double angle = 0.0;  ///< from the picture's right to the joint's axis or the spring's line, rad
};

/// What is drawn.
struct StickFigure {
  std::vector<FigureLine> lines;
  std::vector<FigureSymbol> symbols;
};

/// \param kinematics positions set
StickFigure stick_figure(const Kinematics& kinematics, const View& view);

}  // namespace mbdbench
