#include "experiments/drawing/mechanism_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "experiments/drawing/joint_symbol.hpp"

namespace mbdbench {
namespace {

// 84 mm, so that 10 pixels are letters of 6.6 points.
constexpr double kWidth = 360.0;
constexpr double kMargin = 26.0;
constexpr double kHead = 34.0;
constexpr double kScaleRow = 54.0;

// More names would cover one another.
constexpr std::size_t kMostNames = 12;

const char* style_of(LineKind kind) {
  switch (kind) {
    case LineKind::link:
      return R"(stroke="#1b3a57" stroke-width="2.4")";
    case LineKind::arm:
      return R"(stroke="#1b3a57" stroke-width="1")";
    case LineKind::cuboid:
      return R"(stroke="#1b3a57" stroke-width="0.9")";
    case LineKind::guide:
      return R"(stroke="#666666" stroke-width="0.8" stroke-dasharray="4 2")";
    case LineKind::spring:
      return R"(stroke="#007a5a" stroke-width="1.4" stroke-dasharray="2 1.5")";
    case LineKind::gap:
      return R"(stroke="#d40000" stroke-width="2.4" stroke-dasharray="5 2")";
  }
  return "";
}

std::string text_at(double x, double y, std::string_view text, std::string_view attributes = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, attributes.empty() ? "" : " ", attributes,
                     xml_text(text));
}

/// \param head of the arrow, relative to its tail, pixels from the left and the top
std::string arrow(const Eigen::Vector2d& tail, const Eigen::Vector2d& head, std::string_view name) {
  const Eigen::Vector2d tip = tail + head;
  const Eigen::Vector2d along = head.normalized();
  const Eigen::Vector2d across(-along.y(), along.x());
  const Eigen::Vector2d left = tip - 5.0 * along + 2.0 * across;
  const Eigen::Vector2d right = tip - 5.0 * along - 2.0 * across;
  const Eigen::Vector2d label = tip + 7.0 * along;
  return fmt::format(
             "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}\" fill=\"none\" "
             "stroke=\"#1a1a1a\"/>\n",
             tail.x(), tail.y(), tip.x(), tip.y(), left.x(), left.y(), tip.x(), tip.y(), right.x(), right.y()) +
         text_at(label.x(), label.y() + 3.0, name, "text-anchor=\"middle\"");
}

/// \returns 1, 2 or 5 times a power of ten, at most `length`.
double round_length(double length) {
  const double power = std::pow(10.0, std::floor(std::log10(length)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= length) {
      return factor * power;
    }
  }
  return power;
}

/// Axes, gravity and a scale in one row.
std::string orientation(const Mechanism& mechanism, const View& view, const DrawingScale& scale, double top) {
  std::string text;
  constexpr double kArrow = 20.0;
  // Shorter ones point at the reader.
  constexpr double kShortest = 4.0;
  const auto seen = [&](const Vec3& direction) {
    const Eigen::Vector2d place = kArrow * view.of(direction);
    return Eigen::Vector2d(place.x(), -place.y());
  };
  const std::array<std::pair<const char*, Vec3>, 3> axes = {
      {{"x", Vec3::UnitX()}, {"y", Vec3::UnitY()}, {"z", Vec3::UnitZ()}}};
  for (const auto& [name, axis] : axes) {
    if (const Eigen::Vector2d head = seen(axis); head.norm() > kShortest) {
      text += arrow({46.0, top + 30.0}, head, name);
    }
  }
  const Vec3& gravity = mechanism.gravity();
  if (gravity.norm() > 0.0) {
    const Eigen::Vector2d head = seen(gravity.normalized());
    text += head.norm() > kShortest ? arrow({130.0, top + 16.0}, head, "g")
                                    : text_at(130.0, top + 30.0, "g normal to the page", "text-anchor=\"middle\"");
  } else {
    text += text_at(130.0, top + 30.0, "no gravity", "text-anchor=\"middle\"");
  }
  constexpr double kLongestAxis = 90.0;
  const double length = round_length(kLongestAxis / scale.pixels_per_metre);
  const double right = kWidth - kMargin;
  const double left = right - length * scale.pixels_per_metre;
  text += fmt::format("<path d=\"M{0:.1f} {2:.1f}v6m0 -3H{1:.1f}m0 -3v6\" fill=\"none\" stroke=\"#1a1a1a\"/>\n", left,
                      right, top + 20.0);
  return text + text_at(0.5 * (left + right), top + 38.0, fmt::format("{:g} m", length), "text-anchor=\"middle\"");
}

/// \returns how far a symbol's middle lies below its point, in its sizes.
double depth_of(const FigureSymbol& symbol) {
  switch (symbol.kind) {
    case SymbolKind::ground:
      return 1.6;
    case SymbolKind::spring:
      return symbol.type == JointType::revolute ? 0.0 : -2.0;
    case SymbolKind::damper:
      return symbol.type == JointType::revolute ? 0.0 : 1.9;
    default:
      return 0.0;
  }
}

/// One entry for every kind of symbol that the figure has, three a row. \returns SVG and its height.
std::pair<std::string, double> legend(const StickFigure& figure, double top) {
  std::vector<std::pair<FigureSymbol, std::string>> entries;
  std::set<std::string> named;
  const auto add = [&](FigureSymbol symbol, const std::string& name) {
    if (named.insert(name).second) {
      symbol.angle = 0.0;
      entries.emplace_back(std::move(symbol), name);
    }
  };
  for (const FigureSymbol& symbol : figure.symbols) {
    if (symbol.kind == SymbolKind::joint) {
      FigureSymbol held = symbol;
      held.cut = false;
      add(held, std::string(to_string(symbol.type)));
    } else {
      add(symbol, symbol_meaning(symbol.kind));
    }
  }
  for (const FigureSymbol& symbol : figure.symbols) {
    if (symbol.cut) {
      add(symbol, "cut joint");
    }
  }
  constexpr std::size_t kColumns = 3;
  constexpr double kRow = 17.0;
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double x = kMargin + static_cast<double>(i % kColumns) * (kWidth - kMargin) / static_cast<double>(kColumns);
    const std::size_t row = i / kColumns;
    const double y = top + 8.0 + kRow * static_cast<double>(row);
    const double raised = kLargestSymbol * depth_of(entries[i].first);
    text += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}</g>\n", x, y - raised,
                        joint_symbol(entries[i].first, kLargestSymbol));
    text += text_at(x + 12.0, y + 3.5, entries[i].second);
  }
  const std::size_t rows = (entries.size() + kColumns - 1) / kColumns;
  return {text, kRow * static_cast<double>(rows)};
}

/// Names of joints and bodies beside them.
std::string names(const StickFigure& figure, const DrawingScale& scale) {
  std::string text;
  std::set<std::pair<long, long>> taken;
  std::set<std::string> springs;
  for (const FigureSymbol& symbol : figure.symbols) {
    const bool is_spring = symbol.kind == SymbolKind::spring || symbol.kind == SymbolKind::damper;
    // One that has both symbols has its name once.
    if (symbol.kind == SymbolKind::ground || (is_spring && !springs.insert(symbol.name).second)) {
      continue;
    }
    const Eigen::Vector2d place = scale.pixel(symbol.at);
    constexpr double kLine = 9.0;
    double y = place.y() - 6.0;
    // The next free line below, where several lie at one point.
    while (!taken.insert({std::lround(place.x() / kWidth * 6.0), std::lround(y / kLine)}).second) {
      y += kLine;
    }
    const bool at_the_right = place.x() > 0.8 * kWidth;
    text += text_at(place.x() + (at_the_right ? -6.0 : 6.0), y, symbol.name,
                    at_the_right ? R"(text-anchor="end" class="name")" : R"(class="name")");
  }
  // White around the letters keeps them readable on lines.
  return "<g font-size=\"8\" fill=\"#444444\" stroke=\"#ffffff\" stroke-width=\"2\" paint-order=\"stroke\">\n" + text +
         "</g>\n";
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return result;
}

DrawingScale drawing_scale(std::span<const StickFigure> figures) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Eigen::Vector2d smallest = Eigen::Vector2d::Constant(kInfinity);
  Eigen::Vector2d largest = -smallest;
  const auto hold = [&](const Eigen::Vector2d& place) {
    smallest = smallest.cwiseMin(place);
    largest = largest.cwiseMax(place);
  };
  for (const StickFigure& figure : figures) {
    for (const FigureLine& line : figure.lines) {
      hold(line.from);
      hold(line.to);
    }
    for (const FigureSymbol& symbol : figure.symbols) {
      hold(symbol.at);
    }
  }
  const double inner = kWidth - 2.0 * kMargin;
  constexpr double kHighest = 340.0;
  const Eigen::Vector2d size = largest - smallest;
  DrawingScale scale;
  // A point of no size is drawn one metre wide.
  const double across = size.maxCoeff() > 0.0 ? std::max(size.x() / inner, size.y() / kHighest) : 1.0 / inner;
  scale.pixels_per_metre = 1.0 / across;
  constexpr double kLowest = 60.0;
  const double height = std::max(kLowest, size.y() / across);
  scale.left_bottom = smallest;
  scale.origin = {0.5 * (kWidth - size.x() / across), kHead + kMargin + 0.5 * (height + size.y() / across)};
  scale.height = kHead + 2.0 * kMargin + height;
  return scale;
}

std::string mechanism_drawing(const Mechanism& mechanism, const View& view, const StickFigure& figure,
                              const DrawingScale& scale, std::string_view subtitle) {
  const double size = std::clamp(4.0 * kLargestSymbol / std::sqrt(1.0 + mechanism.body_count()), 1.0, kLargestSymbol);
  std::string body;
  body += text_at(kMargin, 17.0, mechanism.name(), R"(font-size="12" font-weight="bold")");
  body += text_at(kMargin, 30.0, subtitle, R"(class="subtitle")");
  for (const FigureLine& line : figure.lines) {
    const Eigen::Vector2d from = scale.pixel(line.from);
    const Eigen::Vector2d to = scale.pixel(line.to);
    body += fmt::format(
        "<line class=\"line\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {} stroke-linecap=\"round\"/>\n",
        from.x(), from.y(), to.x(), to.y(), style_of(line.kind));
  }
  for (const FigureSymbol& symbol : figure.symbols) {
    const Eigen::Vector2d place = scale.pixel(symbol.at);
    body += fmt::format("<g class=\"symbol\" transform=\"translate({:.1f} {:.1f}) rotate({:.1f})\">{}</g>\n", place.x(),
                        place.y(), -symbol.angle * 180.0 / std::numbers::pi, joint_symbol(symbol, size));
  }
  if (mechanism.bodies().size() <= kMostNames) {
    body += names(figure, scale);
  }
  body += orientation(mechanism, view, scale, scale.height);
  const auto [symbols, symbols_height] = legend(figure, scale.height + kScaleRow);
  const double height = scale.height + kScaleRow + symbols_height + 8.0;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"84mm\" height=\"{0:.1f}mm\" viewBox=\"0 0 {1:.0f} "
             "{2:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"10\" fill=\"#1a1a1a\">\n"
             "<title>{3}</title>\n<rect width=\"{1:.0f}\" height=\"{2:.0f}\" fill=\"#ffffff\"/>\n",
             height * 84.0 / kWidth, kWidth, height, xml_text(mechanism.name())) +
         body + symbols + "</svg>\n";
}

std::string mechanism_drawing(const Mechanism& mechanism, std::span<const double> q, std::string_view subtitle) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions(q);
  const View view = view_of(kinematics);
  const std::array figure = {stick_figure(kinematics, view)};
  return mechanism_drawing(mechanism, view, figure.front(), drawing_scale(figure), subtitle);
}

}  // namespace mbdbench
