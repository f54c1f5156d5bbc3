#pragma once
/// \file
/// How long links are: parameters of a mechanism that derivatives and gradients are taken by.
#include <optional>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// How far a tree joint is from the one on which its inboard body hangs (of the ground: from its origin), in the frame
/// of that body.
struct LinkLength {
  std::size_t joint = 0;       ///< among the description's joints
  Vec3 from = Vec3::Zero();    ///< where the body hangs
  Vec3 along = Vec3::UnitX();  ///< unit, in which the joint moves when the link becomes longer
  double length = 0.0;
};

/// \throws ModelError naming a joint that is not in the tree, that has no distance, or that moves along it by itself
LinkLength link_length(const Mechanism& mechanism, const std::string& joint);
/// \returns nothing where link_length would throw.
std::optional<LinkLength> find_link_length(const Mechanism& mechanism, const std::string& joint);
/// \returns the same of every joint of the tree; what is asked of all costs no more than of one, O(n).
std::vector<std::optional<LinkLength>> link_lengths(const Mechanism& mechanism);
/// \returns of every joint of the tree the direction in which it moves when its link becomes longer, in the frame of
/// the inboard body; zero where link_length would throw.
std::vector<Vec3> link_directions(const Mechanism& mechanism);

}  // namespace mbdbench
