#pragma once
/// \file
/// Which build of the program runs.
#include <string>

namespace mbdbench {

/// \returns a name-based UUID (RFC 4122, SHA-1) of the running executable: other sources, flags or libraries linked in
///          give another one, which a commit with uncommitted changes does not tell. Empty where it cannot be read.
///          Read once: 16 MB take 80 ms.
const std::string& program_digest();

}  // namespace mbdbench
