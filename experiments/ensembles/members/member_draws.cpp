#include "experiments/ensembles/members/member_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "experiments/records/number_text.hpp"

namespace mbdbench {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
  return z ^ (z >> 31U);
}

/// \returns 64 random bits, other ones for every `turn`.
std::uint64_t bits(std::uint64_t seed, std::uint64_t member, std::string_view name, std::uint64_t turn) {
  std::uint64_t state = mixed(seed + kGolden);
  state = mixed(state ^ mixed(member + 2 * kGolden));
  for (const char letter : name) {
    state = mixed(state + kGolden + static_cast<unsigned char>(letter));
  }
  return mixed(state + (turn + 3) * kGolden);
}

double in_unit_interval(std::uint64_t random) {
  return (static_cast<double>(random >> 11U) + 0.5) * 0x1p-53;
}

struct Group {
  std::string_view name;
  std::string_view prefix;  // of its variables' names
  bool start;               // initial values: absolute, and nothing is held
};

constexpr std::array kGroups = {Group{"positions", "q.", true}, Group{"velocities", "v.", true},
                                Group{"mass", "mass.", false}, Group{"stiffness", "stiffness.", false},
                                Group{"damping", "damping.", false}};

bool is_group(std::string_view name) {
  return std::any_of(kGroups.begin(), kGroups.end(), [&](const Group& group) { return group.name == name; });
}

}  // namespace

std::vector<Spread> parse_spreads(const std::vector<std::string>& texts) {
  std::vector<Spread> spreads;
  for (const std::string& text : texts) {
    const auto [name, value] = split_assignment(text, "--spread");
    Spread spread{.name = std::string(name)};
    std::string_view number = value;
    if (const std::size_t colon = value.find(':'); colon != std::string_view::npos) {
      const std::string_view distribution = value.substr(0, colon);
      if (distribution != "normal" && distribution != "uniform") {
        throw std::invalid_argument(
            fmt::format("--spread {}: '{}' is no distribution; write {}=normal:{} (standard deviation) or "
                        "{}=uniform:{} (half the width)",
                        text, distribution, name, value.substr(colon + 1), name, value.substr(colon + 1)));
      }
      spread.uniform = distribution == "uniform";
      number.remove_prefix(colon + 1);
    }
    spread.size = parse_number(number, fmt::format("--spread {}", text));
    if (spread.size < 0.0) {
      throw std::invalid_argument(fmt::format(
          "--spread {}: a spread is at least 0: the standard deviation of a normal one, half the width of a "
          "uniform one",
          text));
    }
    spreads.push_back(std::move(spread));
  }
  return spreads;
}

double uniform_draw(std::uint64_t seed, std::uint64_t member, std::string_view name) {
  return in_unit_interval(bits(seed, member, name, 0));
}

double normal_draw(std::uint64_t seed, std::uint64_t member, std::string_view name) {
  const double radius = std::sqrt(-2.0 * std::log(in_unit_interval(bits(seed, member, name, 0))));
  return radius * std::cos(2.0 * std::numbers::pi * in_unit_interval(bits(seed, member, name, 1)));
}

MemberDraws::MemberDraws(const MemberVariables& variables, const std::vector<Spread>& spreads, std::uint64_t seed)
    : variables_(variables), seed_(seed) {
  const auto known = [&](const Spread& spread) {
    return std::any_of(variables.all().begin(), variables.all().end(),
                       [&](const MemberVariable& variable) { return variable.name == spread.name; });
  };
  for (const Spread& spread : spreads) {
    if (known(spread)) {
      add(variables.find(spread.name, "--spread"), spread, true);
    } else if (is_group(spread.name)) {
      add_group(spread);
    } else {
      add_joint(spread);
    }
  }
}

void MemberDraws::add(const MemberVariable& variable, const Spread& spread, bool held) {
  if (variable.quaternion && held) {
    const std::string joint = variable.name.substr(0, variable.name.rfind('.'));
    throw std::invalid_argument(
        fmt::format("--spread {}: components of a quaternion do not spread alone; {}={} turns the joint about all axes",
                    spread.name, joint, spread.size));
  }
  const auto same = [&](const Drawn& drawn) { return drawn.variable == &variable; };
  if (std::any_of(drawn_.begin(), drawn_.end(), same)) {
    throw std::invalid_argument(fmt::format("--spread {}: '{}' has a spread already", spread.name, variable.name));
  }
  if (variable.kind != VariableKind::start && variable.value == 0.0 && held && spread.size > 0.0) {
    throw std::invalid_argument(
        fmt::format("--spread {0}: spreads of parameters are shares of their value, and '{0}' is 0; give values in a "
                    "table with --members",
                    variable.name));
  }
  drawn_.push_back({&variable, spread.size, spread.uniform, held});
}

void MemberDraws::add_group(const Spread& spread) {
  const Group& group =
      *std::find_if(kGroups.begin(), kGroups.end(), [&](const Group& each) { return each.name == spread.name; });
  bool any = false;
  bool differ = spread.size == 0.0;
  for (const MemberVariable& variable : variables_.all()) {
    const bool first_of_quaternion = !variable.quaternion || variable.name.ends_with(".1");
    if ((variable.kind == VariableKind::start) == group.start && variable.name.starts_with(group.prefix) &&
        variable.kind != VariableKind::catalogue && first_of_quaternion) {
      add(variable, spread, false);
      any = true;
      differ = differ || group.start || variable.value != 0.0;
    }
  }
  if (!any) {
    throw std::invalid_argument(
        fmt::format("--spread {}: mechanism '{}' has none", spread.name, variables_.mechanism().name()));
  }
  if (!differ) {
    throw std::invalid_argument(
        fmt::format("--spread {}: spreads of parameters are shares of their value, and all of mechanism '{}' are 0; "
                    "give values in a table with --members",
                    spread.name, variables_.mechanism().name()));
  }
}

void MemberDraws::add_joint(const Spread& spread) {
  bool any = false;
  for (const MemberVariable& variable : variables_.all()) {
    // A name that is less than a joint's, as q alone, is refused below.
    if (variable.kind == VariableKind::start && variables_.joint_text(variable) == spread.name) {
      if (!variable.quaternion || variable.name.ends_with(".1")) {
        add(variable, spread, !variable.quaternion);
      }
      any = true;
    }
  }
  if (!any) {
    try {
      static_cast<void>(variables_.find(spread.name, "--spread"));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(
          fmt::format("{}; and these for all: positions, velocities, mass, stiffness, damping", error.what()));
    }
  }
}

double MemberDraws::deviation(const Drawn& drawn, std::size_t member, std::string_view name) const {
  return drawn.size *
         (drawn.uniform ? 2.0 * uniform_draw(seed_, member, name) - 1.0 : normal_draw(seed_, member, name));
}

MemberChange MemberDraws::change(std::size_t member) const {
  MemberChange change;
  change.deviations = true;
  for (const Drawn& drawn : drawn_) {
    const MemberVariable& variable = *drawn.variable;
    if (variable.quaternion) {
      const auto along = [&](const char* axis) { return deviation(drawn, member, variable.name + axis); };
      change.turns.push_back({variables_.joint_of(variable), Vec3(along("x"), along("y"), along("z"))});
    } else if (variable.kind == VariableKind::start) {
      (drawn.held ? change.values : change.guesses).emplace_back(&variable, deviation(drawn, member, variable.name));
    } else {
      const double share = 1.0 + deviation(drawn, member, variable.name);
      change.values.emplace_back(&variable, variable.kind == VariableKind::catalogue ? variable.value * share : share);
    }
  }
  return change;
}

std::vector<const MemberVariable*> MemberDraws::parameters() const {
  std::vector<const MemberVariable*> found;
  for (const Drawn& drawn : drawn_) {
    if (drawn.variable->kind != VariableKind::start) {
      found.push_back(drawn.variable);
    }
  }
  return found;
}

}  // namespace mbdbench
