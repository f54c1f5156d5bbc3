#pragma once
/// \file
/// What standard output and standard error are: a terminal or not, how wide, with colours or not.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mbdbench {

/// When text is coloured. `automatic`: on a terminal, unless NO_COLOR is set or TERM is dumb.
enum class ColourChoice { automatic, always, never };

/// \param name auto, always or never. \throws std::invalid_argument for others
void use_colours(std::string_view name);
/// Tables may be wider than the terminal.
void use_wide_tables(bool wide);

/// \returns whether the stream is a terminal that somebody looks at. A launcher of processes gives them pseudo
/// terminals and passes on what they write, also to files. \param descriptor STDOUT_FILENO, STDERR_FILENO
bool is_terminal(int descriptor);

/// \returns how many columns a terminal has; nothing where the stream is none. COLUMNS counts where the system does not
/// know. \param descriptor STDOUT_FILENO, STDERR_FILENO
std::optional<std::size_t> terminal_columns(int descriptor);

/// \returns how wide a table on standard output may be; nothing: as wide as it is.
std::optional<std::size_t> table_columns();

/// \returns whether coloured text is wanted. \param choice what the user has said \param terminal whether it is one
bool wants_colours(ColourChoice choice, bool terminal);

/// \returns the text as standard output shows it: failures red, verdicts that are no success yellow, successes green,
/// everything else plain. \param word of which the colour is: "FAILED", "not reproduced", "holds", ...
std::string coloured(std::string_view text, std::string_view word);

}  // namespace mbdbench
