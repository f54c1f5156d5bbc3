#pragma once
/// \file
/// What the experiment compares: the paper's three cases, and DCA and HDCA with the options that matter.
#include <array>
#include <string>
#include <string_view>

namespace mbdbench::chadaj2017 {

inline constexpr std::string_view kExperiment = "chadaj2017";

/// The paper's cases 1 to 3, by their catalogue keys.
inline constexpr std::array<std::string_view, 3> kCases = {"four_bar", "loop8", "double_loop"};

/// A formulation with options.
struct Variant {
  std::string_view name;  ///< of files
  std::string_view key;
  std::string_view options;  ///< as the command line takes them
  /// \returns the formulation as records name it: "hdca[gauge=leak]".
  [[nodiscard]] std::string label() const {
    return options.empty() ? std::string(key) : std::string(key) + "[" + std::string(options) + "]";
  }
};

/// The paper's two formulations. It resolves H and D in joint axes ("ones and zeros"), so the rows of the cut joints
/// turn with the body.
inline constexpr Variant kDca = {"dca", "dca", ""};
inline constexpr Variant kHdca = {"hdca", "hdca", "cut_axes=body"};
/// The same with rows along the world's axes: the same motion, other momenta.
inline constexpr Variant kHdcaWorld = {"hdca_world", "hdca", ""};
/// The paper's with gauge control: a leak of 5 1/s.
inline constexpr Variant kHdcaLeak = {"hdca_leak", "hdca", "cut_axes=body,gauge=leak,leak=5"};
/// Stabilised as a user of DCA would.
inline constexpr Variant kDcaBaumgarte = {"dca_baumgarte", "dca", "baumgarte_alpha=10,baumgarte_beta=10"};

/// Those of the figures of accuracy, and those of the comparison of work.
inline constexpr std::array kShown = {kDca, kHdca, kHdcaLeak};
inline constexpr std::array kCompared = {kDca, kDcaBaumgarte, kHdca, kHdcaWorld, kHdcaLeak};

inline constexpr std::array<std::string_view, 3> kIntegrators = {"ode45", "ode113", "ode23"};

}  // namespace mbdbench::chadaj2017
