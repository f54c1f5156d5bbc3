#pragma once
/// \file
/// What the experiment compares: mechanisms and formulations with the options that matter.
#include <array>
#include <string>
#include <string_view>

namespace mbdbench::malczyk2012 {

inline constexpr std::string_view kExperiment = "malczyk2012";

/// A mechanism of section 4; the geometry is ours, the paper's figures are lost.
struct Model {
  std::string_view name;  ///< of files
  std::string_view key;
  int rank;  ///< of Phi_q at regular positions
};

inline constexpr Model kRect = {"rect", "five_bar:shape=rect", 2};
inline constexpr Model kRhombus = {"rhombus", "five_bar:shape=rhombus", 2};
inline constexpr Model kLine = {"line", "five_bar:shape=line", 2};
inline constexpr Model kCoupled = {"coupled", "coupled_loops", 4};
inline constexpr std::array kModels = {kRect, kRhombus, kLine, kCoupled};
/// Those whose penalty is varied.
inline constexpr std::array kSweptModels = {kRect, kRhombus, kCoupled};

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

/// The paper's first variant with its mu = Omega = 1, the same without stabilisation, and its second variant.
inline constexpr Variant kPenalty = {"alm", "dca-alm", ""};
inline constexpr Variant kPlainPenalty = {"alm_plain", "dca-alm", "omega=0"};
inline constexpr Variant kProjected = {"alm_proj", "dca-alm-proj", ""};
/// Beside them: loops closed by a rank decision, or by regularised rows.
inline constexpr Variant kDca = {"dca", "dca", ""};
inline constexpr Variant kDcaProximal = {"dca_proximal", "dca", "loops=proximal"};
inline constexpr Variant kHdca = {"hdca", "hdca", ""};
inline constexpr Variant kHdcaLeak = {"hdca_leak", "hdca", "gauge=leak,leak=5"};
inline constexpr Variant kHdcaProximal = {"hdca_proximal", "hdca", "gauge=leak,leak=5,loops=proximal"};
inline constexpr Variant kBaeHaug = {"bae_haug", "bae-haug", ""};

inline constexpr std::array kVariants = {kPenalty, kPlainPenalty, kProjected,    kDca,    kDcaProximal,
                                         kHdca,    kHdcaLeak,     kHdcaProximal, kBaeHaug};

}  // namespace mbdbench::malczyk2012
