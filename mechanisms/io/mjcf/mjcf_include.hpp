#pragma once
/// \file
/// Files that an MJCF file includes.
#include <tinyxml2.h>

#include <string_view>

#include "mechanisms/io/text/findings.hpp"

namespace mbdbench::mjcf {

/// Puts what stands within the outermost element of every included file into the place of its <include>, as MuJoCo
/// does; elements from there have line 0. Files are looked for beside `file_name`, and each is included once. An error
/// where a file cannot be read, is no XML, or is included twice.
void resolve_includes(tinyxml2::XMLDocument& model, std::string_view file_name, Findings& findings);

}  // namespace mbdbench::mjcf
