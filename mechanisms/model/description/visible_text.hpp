#pragma once
/// \file
/// The gate for text that comes from elsewhere: files, engines, Python. What terminals obey and readers do not see has
/// no place in names, titles and formulas, and is written out where a message has to quote it.
#include <string>
#include <string_view>

namespace mbdbench {

/// Whether text may have several lines.
enum class Lines { one, several };

/// Unseen are the control characters of ASCII and Unicode (U+0000 to U+001F without tabulator and line feed, U+007F to
/// U+009F; a stray byte of that range too), marks that reorder what is displayed (U+200E, U+200F, U+202A to U+202E,
/// U+2066 to U+2069) and the separators U+2028 and U+2029, which some readers take for ends of lines.
/// \returns what is wrong, "holds the control character U+001B at letter 5, ..."; empty for text that all can see
std::string unseen_character(std::string_view text, Lines lines = Lines::several);

/// \returns the text with every unseen character written out as `\u001b`; line feeds and tabulators stay.
std::string visible_text(std::string_view text);

}  // namespace mbdbench
