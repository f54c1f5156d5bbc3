#include "experiments/drawing/motion_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "experiments/drawing/mechanism_drawing.hpp"

namespace mbdbench {
namespace {

// Speed 1 is real time; the page is redrawn by the browser's own clock, so that a slow one leaves frames out.
constexpr const char* kScript = R"(
const lines = [...document.querySelectorAll(".line")];
const symbols = [...document.querySelectorAll(".symbol")];
const slider = document.getElementById("slider");
const button = document.getElementById("play");
const speed = document.getElementById("speed");
const clock = document.getElementById("clock");
const start = times[0], end = times[times.length - 1];
let now = start, playing = false, before = 0;
function show(t) {
  now = t;
  let k = 0;
  while (k + 1 < times.length && times[k + 1] <= t) k++;
  const frame = frames[k];
  let i = 0;
  for (const line of lines)
    for (const name of ["x1", "y1", "x2", "y2"]) line.setAttribute(name, frame[i++] / 10);
  for (const symbol of symbols) {
    symbol.setAttribute("transform", `translate(${frame[i] / 10} ${frame[i + 1] / 10}) rotate(${frame[i + 2]})`);
    i += 3;
  }
  clock.textContent = "t = " + times[k].toFixed(3) + " s";
  slider.value = t;
}
function tick(stamp) {
  if (!playing) return;
  const next = now + Number(speed.value) * (stamp - before) / 1000;
  before = stamp;
  show(next > end ? start : next);
  requestAnimationFrame(tick);
}
function play(on) {
  playing = on;
  button.textContent = on ? "Pause" : "Play";
  if (on) requestAnimationFrame(stamp => { before = stamp; tick(stamp); });
}
button.onclick = () => play(!playing);
slider.oninput = () => { play(false); show(Number(slider.value)); };
document.onkeydown = key => { if (key.key === " ") { key.preventDefault(); play(!playing); } };
show(start);
)";

void append_frame(std::string& text, const StickFigure& figure, const DrawingScale& scale) {
  const auto append = [&text](double number) { text += fmt::format("{},", std::lround(number)); };
  const auto append_place = [&](const Eigen::Vector2d& place) {
    // Tenths of a pixel: less cannot be seen.
    const Eigen::Vector2d tenths = 10.0 * scale.pixel(place);
    append(tenths.x());
    append(tenths.y());
  };
  text += '[';
  for (const FigureLine& line : figure.lines) {
    append_place(line.from);
    append_place(line.to);
  }
  for (const FigureSymbol& symbol : figure.symbols) {
    append_place(symbol.at);
    append(-symbol.angle * 180.0 / std::numbers::pi);
  }
  text.back() = ']';
}

}  // namespace

std::string motion_page(const Mechanism& mechanism, const MotionFrames& frames, const std::string& run) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions(frames.q.front());
  const View view = view_of(kinematics);
  std::vector<StickFigure> figures;
  figures.reserve(frames.q.size());
  for (const std::vector<double>& q : frames.q) {
    kinematics.set_positions(q);
    figures.push_back(stick_figure(kinematics, view));
  }
  const DrawingScale scale = drawing_scale(figures);
  std::string numbers;
  for (const StickFigure& figure : figures) {
    append_frame(numbers, figure, scale);
    numbers += ",\n";
  }
  numbers.resize(numbers.size() - 2);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>\n"
      "body {{ font-family: Helvetica, Arial, sans-serif; margin: 1em auto; max-width: 46em; }}\n"
      "svg {{ width: 100%; height: auto; max-height: 80vh; }}\n"
      ".name {{ display: none; }}\n"
      "#controls {{ display: flex; gap: 0.8em; align-items: center; }}\n#slider {{ flex: 1; }}\n"
      "#clock {{ min-width: 8em; font-variant-numeric: tabular-nums; }}\n</style>\n</head>\n<body>\n{1}"
      "<div id=\"controls\"><button id=\"play\">Play</button>\n"
      "<input id=\"slider\" type=\"range\" min=\"{2}\" max=\"{3}\" step=\"any\" value=\"{2}\" aria-label=\"Time\">\n"
      "<span id=\"clock\"></span>\n<label>Speed <select id=\"speed\"><option>0.1</option><option>0.25</option>"
      "<option selected>1</option><option>4</option></select></label></div>\n"
      "<script>\nconst times = [{4}];\nconst frames = [{5}];{6}</script>\n</body>\n</html>\n",
      xml_text(mechanism.name()), mechanism_drawing(mechanism, view, figures.front(), scale, run), frames.times.front(),
      frames.times.back(), fmt::join(frames.times, ","), numbers, kScript);
}

}  // namespace mbdbench
