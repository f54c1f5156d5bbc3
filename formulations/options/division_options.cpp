#include "formulations/options/division_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

constexpr std::int64_t kLanes = 8;

}  // namespace

ParameterSpecification leaf_option() {
  ParameterSpecification leaf;
  leaf.name = "leaf";
  leaf.default_value = std::string("auto");
  leaf.help =
      "what the assembly starts from: every body (as published); sub-chains (of serial chains of revolute joints from "
      "the ground, free or meeting in one cut joint), which the recursion eliminates eight at a time; sub-trees of "
      "equal form, a lane each; auto: what is fastest for the mechanism "
      "(docs/understanding/formulations/parts.md); N: sections of about N bodies, each eliminated as one piece, which "
      "threads and processes share: for ladders, rings and other "
      "lines of loops (leaf=1 is as many sections as bodies, in the recursion of one piece; leaf=body is the papers' "
      "assembly)";
  leaf.choices = {"auto", "body", "subchain", "subtree"};
  leaf.counts = true;
  return leaf;
}

ParameterSpecification section_option() {
  ParameterSpecification leaf;
  leaf.name = "leaf";
  leaf.default_value = std::string("auto");
  leaf.help =
      "auto: one recursion, of a tree in branches, of long ladders in sections of equal form; N: sections of about N "
      "bodies, which threads and processes share: for ladders, rings and other lines of loops";
  leaf.choices = {"auto"};
  leaf.counts = true;
  return leaf;
}

int section_bodies_in(const Parameters& options) {
  const std::string& leaf = options.text("leaf");
  int bodies = 0;
  std::from_chars(leaf.data(), leaf.data() + leaf.size(), bodies);
  return bodies;  // stays 0 where it is a word
}

ParameterSpecification subchains_option() {
  constexpr std::int64_t kMost = 1 << 20;
  return {"subchains", std::int64_t{0},
          "into how many sub-chains a chain is divided, a multiple of 8; 0: chosen from its length, never from the "
          "machine (leaf=subchain, and chains whose bodies are leaves)",
          0, kMost};
}

int subchains_in(const Parameters& options) {
  const std::int64_t subchains = options.integer("subchains");
  if (subchains % kLanes != 0) {
    throw ModelError({},
                     fmt::format("option subchains: {} is not a multiple of 8, one sub-chain a lane, or 0", subchains));
  }
  return static_cast<int>(subchains);
}

ParameterSpecification exchange_option() {
  ParameterSpecification exchange;
  exchange.name = "exchange";
  exchange.default_value = std::string("auto");
  exchange.help =
      "what processes that share sub-chains tell each other: all: everything to everybody, each closes all handles "
      "between them; tree: inward and outward along a tree, each handle is closed once; auto: tree from 64 processes "
      "on. The numbers are the same";
  exchange.choices = {"auto", "all", "tree"};
  return exchange;
}

SegmentExchange exchange_in(const Parameters& options) {
  const std::string& exchange = options.text("exchange");
  return exchange == "all"    ? SegmentExchange::all
         : exchange == "tree" ? SegmentExchange::tree
                              : SegmentExchange::automatic;
}

ParameterSpecification threads_option() {
  return {"threads", std::int64_t{0},
          "OpenMP threads that share branches, sub-chains, sub-trees or bodies in lanes; 0: as --threads or "
          "OMP_NUM_THREADS says",
          0, kMostThreads};
}

Execution execution_in(const Parameters& options, const Execution& execution) {
  Execution chosen = execution;
  if (const auto threads = static_cast<int>(options.integer("threads")); threads != 0) {
    chosen.threads = threads;
  }
  return chosen;
}

bool asks_for_lanes(const Parameters& options) {
  return options.text("leaf") == "subchain" || options.text("leaf") == "subtree";
}

}  // namespace mbdbench
