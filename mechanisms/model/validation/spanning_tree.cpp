#include "mechanisms/model/validation/spanning_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kGroundVertex = static_cast<std::size_t>(-1);

std::size_t vertex(const std::unordered_map<std::string, std::size_t>& index_of, const std::string& name,
                   std::size_t joint, const std::string& joint_name, const char* key) {
  if (name == kGround) {
    return kGroundVertex;
  }
  const auto found = index_of.find(name);
  if (found == index_of.end()) {
    std::vector<std::string> known;
    known.reserve(index_of.size() + 1);
    std::transform(index_of.begin(), index_of.end(), std::back_inserter(known),
                   [](const auto& body) { return body.first; });
    known.emplace_back(kGround);
    std::sort(known.begin(), known.end());
    throw ModelError({"joints", joint, key}, fmt::format("joint '{}': {} = '{}' is not a body; {}", joint_name, key,
                                                         name, suggest_name(name, known, "bodies")));
  }
  return found->second;
}

/// Blames the joint that would have led to the bodies that were not reached, if there is one.
[[noreturn]] void report_unreached(const MechanismDescription& description, std::size_t body,
                                   const std::vector<bool>& reached,
                                   const std::unordered_map<std::string, std::size_t>& index_of) {
  const auto is_reached = [&](const std::string& name) { return name == kGround || reached[index_of.at(name)]; };
  for (std::size_t k = 0; k < description.joints.size(); ++k) {
    const JointDescription& joint = description.joints[k];
    if (joint.cut && is_reached(joint.a) && !is_reached(joint.b)) {
      throw ModelError(
          {"joints", k, "cut"},
          fmt::format("cutting joint '{}' disconnects body '{}' from the ground: cut another joint of the loop",
                      joint.name, joint.b));
    }
  }
  for (std::size_t k = 0; k < description.joints.size(); ++k) {
    const JointDescription& joint = description.joints[k];
    if (is_cut_only(joint.type) && is_reached(joint.a) != is_reached(joint.b)) {
      throw ModelError({"joints", k, "type"},
                       fmt::format("joint '{0}': a {1} joint only holds two bodies that other joints lead to, and only "
                                   "it leads to '{2}'; add a joint of type \"free\" with a = \"ground\", b = \"{2}\"",
                                   joint.name, to_string(joint.type), is_reached(joint.a) ? joint.b : joint.a));
    }
    if (!joint.cut && !is_reached(joint.a) && is_reached(joint.b)) {
      throw ModelError(
          {"joints", k, "a"},
          fmt::format("joint '{0}' points from '{1}' to '{2}', but '{1}' can only be reached from '{2}': swap a and "
                      "b (and their frames; the coordinate then changes its meaning)",
                      joint.name, joint.a, joint.b));
    }
  }
  const std::string& name = description.bodies[body].name;
  throw ModelError(
      {"bodies", body, "name"},
      fmt::format("body '{0}' is not connected to the ground: add a joint that leads to it; for a free-floating body "
                  "a joint of type \"free\" with a = \"ground\", b = \"{0}\"",
                  name));
}

/// \returns which joints are not marked as cut and have a prescribed motion or stand in a
/// coupling or a constraint of velocities.
std::vector<bool> bound_joints(const MechanismDescription& description) {
  std::unordered_set<std::string> coupled;
  for (const CouplingDescription& coupling : description.couplings) {
    for (const CouplingTerm& term : coupling.terms) {
      coupled.insert(term.joint);
    }
  }
  for (const VelocityConstraintDescription& constraint : description.velocity_constraints) {
    for (const VelocityTerm& term : constraint.terms) {
      coupled.insert(term.joint);
    }
  }
  std::vector<bool> bound;
  for (const JointDescription& joint : description.joints) {
    bound.push_back(!joint.cut && (!joint.motions.empty() || coupled.count(joint.name) > 0));
  }
  return bound;
}

}  // namespace

SpanningTree span_tree(const MechanismDescription& description) {
  std::unordered_map<std::string, std::size_t> index_of;
  for (std::size_t i = 0; i < description.bodies.size(); ++i) {
    index_of.emplace(description.bodies[i].name, i);
  }
  struct Edge {
    std::size_t a;
    std::size_t b;
  };
  std::vector<Edge> edges;
  for (std::size_t k = 0; k < description.joints.size(); ++k) {
    const JointDescription& joint = description.joints[k];
    edges.push_back({vertex(index_of, joint.a, k, joint.name, "a"), vertex(index_of, joint.b, k, joint.name, "b")});
    if (joint.a == joint.b) {
      throw ModelError({"joints", k, "b"}, fmt::format("joint '{}' connects '{}' with itself", joint.name, joint.a));
    }
    if (!joint.cut && !is_cut_only(joint.type) && edges.back().b == kGroundVertex) {
      throw ModelError({"joints", k, "b"},
                       fmt::format("joint '{}' leads to the ground, so it must be a cut joint (cut = true), or "
                                   "swap a and b",
                                   joint.name));
    }
  }

  // Without marks, joints with prescribed motions or couplings, which cut joints cannot have, lead to their bodies.
  const std::vector<bool> bound = bound_joints(description);
  std::vector<bool> bound_body(description.bodies.size(), false);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (bound[k] && edges[k].b != kGroundVertex) {
      bound_body[edges[k].b] = true;
    }
  }

  SpanningTree tree;
  std::vector<bool> reached(description.bodies.size(), false);
  std::vector<bool> used(edges.size(), false);
  const auto is_reached = [&](std::size_t v) { return v == kGroundVertex || reached[v]; };
  // Repeated passes in the description's order; a description in tree order is done in one pass.
  bool waits = true;  // for the bound joint of a body
  for (bool grown = true; grown || std::exchange(waits, false);) {
    grown = false;
    for (std::size_t k = 0; k < edges.size(); ++k) {
      if (used[k] || description.joints[k].cut || is_cut_only(description.joints[k].type) || !is_reached(edges[k].a) ||
          is_reached(edges[k].b) || (waits && bound_body[edges[k].b] && !bound[k])) {
        continue;
      }
      used[k] = true;
      reached[edges[k].b] = true;
      tree.tree_joints.push_back(k);
      tree.bodies.push_back(edges[k].b);
      grown = true;
    }
  }
  for (std::size_t body = 0; body < reached.size(); ++body) {
    if (!reached[body]) {
      report_unreached(description, body, reached, index_of);
    }
  }
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (!used[k]) {
      tree.cut_joints.push_back(k);
    }
  }
  return tree;
}

}  // namespace mbdbench
