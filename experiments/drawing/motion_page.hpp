#pragma once
/// \file
/// A motion as one HTML page that needs nothing else: play, pause, and a slider over time.
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Positions of a mechanism over time.
struct MotionFrames {
  std::vector<double> times;           ///< s, increasing
  std::vector<std::vector<double>> q;  ///< as many, each q_size()
};

/// A motion as a piece of a page: one `div` with a script of its own that moves nothing else. Arguments as of
/// motion_page.
std::string motion_picture(const Mechanism& mechanism, const MotionFrames& frames, const std::string& run);

/// \param run what the motion was computed with, shown below the name
/// \returns the page; about 16 bytes a line and 12 a symbol and frame.
std::string motion_page(const Mechanism& mechanism, const MotionFrames& frames, const std::string& run);

}  // namespace mbdbench
