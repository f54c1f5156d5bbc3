#pragma once
/// \file
/// Members that are drawn around a mechanism: a spread of positions, velocities and parameters, from a seed.
///
/// A number depends on the seed, the member's number and the variable's name alone: members are the same whatever their
/// number, and a further spread leaves the others as they are. The generator is the mixing function of SplitMix64
/// [Steele2014], normal numbers are those of Box and Muller [Box1958]: the same on every machine.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/ensembles/members/member_variables.hpp"

namespace mbdbench {

/// How far something spreads.
struct Spread {
  std::string name;      ///< a variable, "q.JOINT" or "v.JOINT" of a joint with several, or a group
  double size = 0.0;     ///< normal: the standard deviation; uniform: half the width
  bool uniform = false;  ///< else normal
};

/// Reads "positions=0.05,mass=uniform:0.02". \throws std::invalid_argument saying what would be right
std::vector<Spread> parse_spreads(const std::vector<std::string>& texts);

/// \returns a number in (0, 1), and a normal one of mean 0 and standard deviation 1.
double uniform_draw(std::uint64_t seed, std::uint64_t member, std::string_view name);
double normal_draw(std::uint64_t seed, std::uint64_t member, std::string_view name);

/// The spreads of one mechanism.
class MemberDraws {
 public:
  /// \throws std::invalid_argument for names that the mechanism does not have, or that are given twice
  MemberDraws(const MemberVariables& variables, const std::vector<Spread>& spreads, std::uint64_t seed);

  /// \returns deviations from what the member itself starts with.
  [[nodiscard]] MemberChange change(std::size_t member) const;
  /// \returns the parameters, not initial values, in which members differ.
  [[nodiscard]] std::vector<const MemberVariable*> parameters() const;

 private:
  struct Drawn {
    const MemberVariable* variable = nullptr;  // of quaternions the first component
    double size = 0.0;
    bool uniform = false;
    bool held = false;  // by name, as --set
  };
  void add(const MemberVariable& variable, const Spread& spread, bool held);
  void add_group(const Spread& spread);
  void add_joint(const Spread& spread);
  [[nodiscard]] double deviation(const Drawn& drawn, std::size_t member, std::string_view name) const;

  const MemberVariables& variables_;
  std::uint64_t seed_;
  std::vector<Drawn> drawn_;
};

}  // namespace mbdbench
