#pragma once
/// \file
/// A mechanism as an SVG picture of the width of a journal's column (84 mm): links, joints by kind, cuts, ground,
/// centres of mass, markers, springs, gravity, axes and a scale.
#include <span>
#include <string>
#include <string_view>

#include "experiments/drawing/stick_figure.hpp"

namespace mbdbench {

/// Where metres lie on the page.
struct DrawingScale {
  double pixels_per_metre = 1.0;
  Eigen::Vector2d left_bottom = Eigen::Vector2d::Zero();  ///< of everything that is drawn, m
  Eigen::Vector2d origin = Eigen::Vector2d::Zero();       ///< where that corner lies, pixels from the left and the top
  double height = 0.0;                                    ///< of the whole picture, pixels

  /// \returns pixels from the left and from the top.
  [[nodiscard]] Eigen::Vector2d pixel(const Eigen::Vector2d& place) const {
    const Eigen::Vector2d from_corner = pixels_per_metre * (place - left_bottom);
    return {origin.x() + from_corner.x(), origin.y() - from_corner.y()};
  }
};

/// \param figures all that the picture has to hold, of one mechanism
DrawingScale drawing_scale(std::span<const StickFigure> figures);

/// \param subtitle below the name, such as the time
/// \returns an SVG element; its lines and symbols come in the order of the figure, each of the classes `line` and
///          `symbol`, and symbols are placed by their attribute `transform`.
std::string mechanism_drawing(const Mechanism& mechanism, const View& view, const StickFigure& figure,
                              const DrawingScale& scale, std::string_view subtitle);

/// The same of one position. \param q coordinates
std::string mechanism_drawing(const Mechanism& mechanism, std::span<const double> q, std::string_view subtitle);

/// \returns the text with the characters replaced that XML reads as its own.
std::string xml_text(std::string_view text);

}  // namespace mbdbench
