#include "formulations/augmented_lagrangian/hung_chains.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr int kNone = -2;

/// What a loop asks of a body that is part of it.
struct InLoop {
  int next = kNone;     // the body outboard of it in the loop; itself: the last one
  int closing = kNone;  // of the first body: the cut joint
};

/// \returns the name of a cut joint that closes no chain on its base, or a second one through the same body; else
/// empty.
std::string follow_loops(const Mechanism& mechanism, std::vector<InLoop>& loops) {
  loops.assign(mechanism.bodies().size(), {});
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    const Joint& cut = mechanism.cut_joints()[c];
    // Bodies are numbered outwards, so the base is the end with the lower number.
    const int base = std::min(cut.a, cut.b);
    int outboard = std::max(cut.a, cut.b);
    for (int body = outboard; body != base; outboard = body, body = mechanism.parent(body)) {
      if (body < base || loops[index_of(body)].next != kNone) {
        return cut.name;
      }
      loops[index_of(body)].next = outboard;
      if (mechanism.parent(body) == base) {
        loops[index_of(body)].closing = static_cast<int>(c);
      }
    }
  }
  return {};
}

}  // namespace

std::vector<HungChain> hung_chains(const Mechanism& mechanism) {
  std::vector<InLoop> loops;
  static_cast<void>(follow_loops(mechanism, loops));
  std::vector<bool> taken(mechanism.bodies().size(), false);
  const auto next_of = [&](int body) {
    if (loops[index_of(body)].next != kNone) {
      return loops[index_of(body)].next == body ? kNone : loops[index_of(body)].next;
    }
    for (int child = body + 1; child < mechanism.body_count(); ++child) {
      if (mechanism.parent(child) == body && loops[index_of(child)].next == kNone) {
        return child;
      }
    }
    return kNone;
  };
  std::vector<HungChain> chains;
  for (int first = 0; first < mechanism.body_count(); ++first) {
    if (taken[index_of(first)]) {
      continue;
    }
    HungChain chain;
    chain.base = mechanism.parent(first);
    chain.closing = std::max(loops[index_of(first)].closing, -1);
    for (int body = first; body != kNone; body = next_of(body)) {
      taken[index_of(body)] = true;
      chain.bodies.push_back(body);
    }
    chains.push_back(std::move(chain));
  }
  return chains;
}

std::string refuse_hung_chains(const Mechanism& mechanism) {
  std::vector<InLoop> loops;
  const std::string cut = follow_loops(mechanism, loops);
  return cut.empty() ? std::string()
                     : "the printed equations close a loop on the body, or on the ground, that carries its bodies, one "
                       "loop a body; '" +
                           cut + "' closes another one, which dca-alm takes";
}

}  // namespace mbdbench
