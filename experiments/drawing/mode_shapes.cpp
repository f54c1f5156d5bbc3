#include "experiments/drawing/mode_shapes.hpp"

#include <fmt/format.h>

#include "experiments/drawing/mechanism_drawing.hpp"
#include "experiments/drawing/motion_page.hpp"

namespace mbdbench {
namespace {

// Lines on a page, all places of all modes together: some 16 bytes each.
constexpr std::size_t kMostLines = 200'000;

const char* word_of(LineKind kind) {
  switch (kind) {
    case LineKind::link:
      return "link";
    case LineKind::arm:
      return "arm";
    case LineKind::cuboid:
      return "cuboid";
    case LineKind::guide:
      return "guide";
    case LineKind::spring:
      return "spring";
    case LineKind::gap:
      return "gap";
  }
  return "";
}

}  // namespace

std::string mode_shapes_text(const Mechanism& mechanism, const std::vector<double>& rest,
                             const std::vector<DrawnMode>& modes) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions(rest);
  const View view = view_of(kinematics);
  std::string text = "mode,place,line,kind,x1,y1,x2,y2\n";
  const auto add = [&](int mode, const char* place, const std::vector<double>& q) {
    kinematics.set_positions(q);
    const StickFigure figure = stick_figure(kinematics, view);
    for (std::size_t i = 0; i < figure.lines.size(); ++i) {
      const FigureLine& line = figure.lines[i];
      text += fmt::format("{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g}\n", mode, place, i, word_of(line.kind),
                          line.from.x(), line.from.y(), line.to.x(), line.to.y());
    }
  };
  add(0, "rest", rest);
  for (const DrawnMode& mode : modes) {
    add(mode.number, "first", mode.q.front());
    add(mode.number, "second", mode.q[mode.q.size() / 2]);
  }
  return text;
}

std::string modes_page(const Mechanism& mechanism, const std::vector<DrawnMode>& modes, const std::string& subtitle) {
  Kinematics kinematics(mechanism);
  std::string pictures;
  std::size_t lines = 0;
  for (const DrawnMode& mode : modes) {
    // One cycle, which the page repeats.
    MotionFrames frames;
    for (std::size_t k = 0; k <= mode.q.size(); ++k) {
      frames.times.push_back(mode.period * static_cast<double>(k) / static_cast<double>(mode.q.size()));
      frames.q.push_back(mode.q[k % mode.q.size()]);
    }
    kinematics.set_positions(mode.q.front());
    lines += frames.q.size() * stick_figure(kinematics, view_of(kinematics)).lines.size();
    if (lines > kMostLines && !pictures.empty()) {
      pictures += "<p>The others are left out: the page would be too large.</p>\n";
      break;
    }
    pictures += motion_picture(mechanism, frames, mode.title);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Modes of {0}</title>\n<style>\n"
      "body {{ font-family: Helvetica, Arial, sans-serif; margin: 1em auto; max-width: 70em; }}\n"
      ".modes {{ display: flex; flex-wrap: wrap; gap: 1.5em; }}\nsvg {{ width: 22em; height: auto; }}\n"
      "</style>\n</head>\n<body>\n<h1>Modes of {0}</h1>\n<p>{1}</p>\n<div class=\"modes\">\n{2}</div>\n</body>\n"
      "</html>\n",
      xml_text(mechanism.name()), xml_text(subtitle), pictures);
}

}  // namespace mbdbench
