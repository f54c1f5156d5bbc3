#pragma once
/// \file
/// A mechanism and its assembly tree as graphs in the language of Graphviz: `dot -Tpdf mechanism.dot -o mechanism.pdf`.
#include <string>

#include "formulations/assembly/assembly_tree.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \returns bodies as boxes, tree joints as arrows from the inboard to the outboard body, cut joints as dashed lines.
std::string mechanism_graph(const Mechanism& mechanism);

/// \returns the assembly tree as divide-and-conquer formulations use it: leaves are bodies, every other node names the
///          joints it closes and its external handles; raked arms hang on their hub by dotted lines.
std::string assembly_graph(const Mechanism& mechanism, GroundClosure ground);

/// \returns depth, width and cost of the assembly tree in aligned lines, for `mbdbench inspect`.
std::string assembly_summary(const Mechanism& mechanism, GroundClosure ground);

}  // namespace mbdbench
