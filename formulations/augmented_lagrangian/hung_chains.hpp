#pragma once
/// \file
/// A mechanism as chains of bodies, as the printed equations of [Malczyk2012] see it: each hangs with its first body on
/// the ground or on a body of another chain, and its last body is free or closes a loop on the same body.
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

struct HungChain {
  int base = -1;            ///< the body that carries it, -1: the ground
  std::vector<int> bodies;  ///< from the first to the last; joints between them are tree joints
  int closing = -1;         ///< the cut joint from the last body to the base; -1: the last body is free
};

/// \returns the chains, every one after that which carries it. What `refuse_hung_chains` refuses is undefined.
std::vector<HungChain> hung_chains(const Mechanism& mechanism);

/// \returns the loop that does not close on the body that carries its bodies, in words; empty if there is none.
std::string refuse_hung_chains(const Mechanism& mechanism);

}  // namespace mbdbench
