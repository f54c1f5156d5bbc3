#pragma once
/// \file
/// One short word for a text: changed and damaged files are told by it.
#include <string>
#include <string_view>

namespace mbdbench {

/// \returns a name-based UUID (RFC 4122, SHA-1) of the text: the same for the same text on every machine.
std::string text_digest(std::string_view text);

}  // namespace mbdbench
