#pragma once
/// \file
/// A cut joint as lanes have it.
#include "formulations/parts/lanes/loop_data.hpp"
#include "formulations/recursion/links/link_tree.hpp"

namespace mbdbench {

/// \returns whether the rows of a cut joint are displacements along fixed directions and angles alone.
bool lanes_place(const Joint& cut);

/// \returns a cut joint in the frames of its rows; which of its rows count stays open. Of one that lanes do not place
/// there are no directions. \param a, b where its bodies sit \param weighs whether links are taken less g
LaneCut lane_cut(const Joint& joint, const BodyOnRow& a, const BodyOnRow& b, bool weighs);

}  // namespace mbdbench
