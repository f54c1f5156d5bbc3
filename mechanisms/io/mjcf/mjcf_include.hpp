#pragma once
/// \file
/// Files that an MJCF file includes.
#include <tinyxml2.h>

#include <cstddef>
#include <deque>
#include <string_view>

#include "mechanisms/io/text/findings.hpp"
#include "mechanisms/io/text/source_lines.hpp"

namespace mbdbench::mjcf {

/// Puts what stands within the outermost element of every included file into the place of its <include>, as MuJoCo
/// does. Files are looked for beside `file_name`, and each is included once. An error where a file cannot be read, is
/// no XML, or is included twice. \param kept receives the lines of the elements from there, and must outlive the use of
/// `model`
void resolve_includes(tinyxml2::XMLDocument& model, std::string_view file_name, SourceLines& lines,
                      std::deque<std::size_t>& kept, Findings& findings);

}  // namespace mbdbench::mjcf
