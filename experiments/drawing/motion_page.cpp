#include "experiments/drawing/motion_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "experiments/drawing/mechanism_drawing.hpp"

namespace mbdbench {
namespace {

// Speed 1 is real time; the picture is redrawn by the browser's own clock, so that a slow one leaves frames out. Lines
// move evenly between frames, symbols turn at frames. Whoever wants less motion gets it a tenth at a time.
constexpr const char* kScript = R"script(
(() => {
const root = document.currentScript.parentElement, part = name => root.querySelector(name);
const lines = [...root.querySelectorAll(".line")], symbols = [...root.querySelectorAll(".symbol")];
const button = part("button"), slider = part("input"), speed = part("select"), clock = part(".clock");
const start = times[0], end = times[times.length - 1];
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
let now = start, playing = false, before = 0;
function show(t) {
  now = t;
  let k = 0;
  while (k + 1 < times.length && times[k + 1] <= t) k++;
  const next = Math.min(k + 1, times.length - 1), frame = frames[k];
  const share = next > k ? (t - times[k]) / (times[next] - times[k]) : 0;
  const at = i => (frame[i] + share * (frames[next][i] - frame[i])) / 10;
  let i = 0;
  for (const line of lines)
    for (const name of ["x1", "y1", "x2", "y2"]) line.setAttribute(name, at(i++));
  for (const symbol of symbols) {
    symbol.setAttribute("transform", `translate(${at(i)} ${at(i + 1)}) rotate(${frame[i + 2]})`);
    i += 3;
  }
  clock.textContent = "t = " + t.toFixed(2) + " s";
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
if (still) button.textContent = "Next";
button.onclick = () => still ? show(now >= end ? start : Math.min(end, now + (end - start) / 10)) : play(!playing);
slider.oninput = () => { if (!still) play(false); show(Number(slider.value)); };
show(start);
})();
)script";

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

std::string motion_picture(const Mechanism& mechanism, const MotionFrames& frames, const std::string& run) {
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
      // Controls as wide as the picture.
      "<div class=\"motion\">\n<style>.motion {{ width: fit-content; }} .motion .name {{ display: none; }} "
      ".motion .controls {{ display: flex; gap: 0.5em; align-items: center; width: 0; min-width: 100%; font-size: "
      "0.85em; }} "
      ".motion input {{ flex: 1; min-width: 0; }} .motion .clock {{ min-width: 5.5em; font-variant-numeric: "
      "tabular-nums; "
      "}}</style>\n{0}"
      "<div class=\"controls\"><button>Play</button>\n"
      "<input type=\"range\" min=\"{1}\" max=\"{2}\" step=\"any\" value=\"{1}\" aria-label=\"Time\">\n"
      "<span class=\"clock\"></span>\n<select aria-label=\"Speed\"><option value=\"0.1\">0.1x</option><option "
      "value=\"0.25\">0.25x</option><option value=\"1\" selected>1x</option><option "
      "value=\"4\">4x</option></select></div>\n"
      "<script>\n{{const times = [{3:.6g}];\nconst frames = [{4}];{5}}}</script>\n</div>\n",
      mechanism_drawing(mechanism, view, figures.front(), scale, run), frames.times.front(), frames.times.back(),
      fmt::join(frames.times, ","), numbers, kScript);
}

std::string motion_page(const Mechanism& mechanism, const MotionFrames& frames, const std::string& run) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>\n"
      "body {{ font-family: Helvetica, Arial, sans-serif; margin: 1em auto; max-width: 46em; }}\n"
      "svg {{ width: 100%; height: auto; max-height: 80vh; }}\nbody > .motion {{ width: auto; "
      "}}\n</style>\n</head>\n<body>\n{1}"
      "<script>document.onkeydown = key => {{ if (key.key === \" \") {{ key.preventDefault(); "
      "document.querySelector(\"button\").click(); }} }};</script>\n</body>\n</html>\n",
      xml_text(mechanism.name()), motion_picture(mechanism, frames, run));
}

}  // namespace mbdbench
