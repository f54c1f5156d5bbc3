#pragma once
/// \file
/// What closing the loops moved of the start that a user typed, said by every command that reads a mechanism.
#include <string>

#include "experiments/terminal/message.hpp"
#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/start/moved_start.hpp"

namespace mbdbench {

inline void tell_moved_start(const Mechanism& mechanism) {
  if (const std::string moved = moved_start_text(mechanism); !moved.empty()) {
    tell("mbdbench: note: {}\n", moved);
  }
}

}  // namespace mbdbench
