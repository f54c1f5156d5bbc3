#pragma once
/// \file
/// The machine's name in its network.
#include <string>

namespace mbdbench {

std::string host_name();

}  // namespace mbdbench
