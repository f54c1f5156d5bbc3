#pragma once
/// \file
/// Which joints span the tree and which are cut, from the graph alone.
#include <cstddef>
#include <vector>

#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// The order in which bodies and joints are numbered.
struct SpanningTree {
  std::vector<std::size_t> tree_joints;  ///< indices into the description; the k-th leads to the k-th body
  std::vector<std::size_t> bodies;       ///< indices into the description
  std::vector<std::size_t> cut_joints;   ///< in the description's order
};

/// Grows the tree from the ground along joints a -> b, taking joints in the description's order; joints marked `cut`
/// and joints whose outboard body is already reached become cuts. If the description is in tree order already, it is
/// kept. \throws ModelError for unknown bodies, bodies that no tree joint reaches, joints that point the wrong way.
SpanningTree span_tree(const MechanismDescription& description);

}  // namespace mbdbench
