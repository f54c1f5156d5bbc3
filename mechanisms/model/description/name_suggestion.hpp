#pragma once
/// \file
/// Help for a name that does not exist: the nearest one that does, and the list of all.
#include <string>
#include <string_view>
#include <vector>

namespace mbdbench {

/// \returns the known name that a slip of the pen could have turned into `wrong` (up to two letters changed, added,
/// left
///          out or swapped with the neighbour, but fewer than half of its letters), empty if there is none.
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known);

/// \returns `did you mean "x"? NOUN: a, b, c` for messages; long lists are cut short.
/// \param noun what the names are, in the plural ("bodies")
std::string suggest_name(std::string_view wrong, const std::vector<std::string>& known, std::string_view noun);

}  // namespace mbdbench
