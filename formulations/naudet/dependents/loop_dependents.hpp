#pragma once
/// \file
/// Which joints close which loop when velocities are reduced by constraint matrices [Naudet2005, Eq. (22)-(23)]: for
/// every loop as many consecutive degrees of freedom next to its cut joint as it has independent constraints.
///
/// A cut joint connects two bodies. The dependent joints stand on the way from one of them, the `end`, to the body
/// where the ways of both to the ground meet. The velocity of a dependent body follows from that of its inboard body
/// and from that of the `other` end, unless this is the ground. So all bodies from the outermost dependent one inward
/// to that meeting body have a second body that their equations refer to; and so have the bodies of the other way, when
/// the two ways meet in a moving body.
#include <span>
#include <vector>

#include "formulations/naudet/dependents/dependent_joints.hpp"

namespace mbdbench {

/// Dependent components of one joint.
struct DependentJoint {
  int body = 0;                 ///< the joint leads to this body
  std::vector<int> components;  ///< of the joint's own u, ascending; all of them but in the innermost dependent joint
};

/// One loop and the joints that close it.
struct DependentLoop {
  int cut = 0;                         ///< index of the cut joint
  int end = 0;                         ///< body of the cut joint from which the dependent joints lead inward
  int other = -1;                      ///< the cut joint's other body; -1 is the ground
  std::vector<int> rows;               ///< independent rows of the cut joint's D at the start, ascending: how many
  std::vector<DependentJoint> joints;  ///< from the cut inward
};

/// All loops of a mechanism, and in which order its bodies have to be visited.
struct DependentLoops {
  std::vector<DependentLoop> loops;  ///< without those that add no independent constraint
  DependentChoice choice;            ///< the same for all loops together
  std::vector<int> reference;        ///< by body: the other body that its equations refer to, -1 where there is none
  std::vector<int> order;            ///< bodies; each before its inboard body and before its reference
};

/// Chooses for every cut joint the end whose joints are marked `dependent`, unless the other end's are a hundred times
/// better conditioned at the initial position; else the better conditioned end. Where loops then stand in one another's
/// way, other ends are tried: whether a mechanism is treated does not depend on the order of its cut joints, unless
/// they imply one another's rows.
/// \param allowed components of u that may depend, see `dependent_candidates`
/// \throws ModelError saying which loop cannot be treated and why
DependentLoops plan_dependent_loops(const Mechanism& mechanism, const std::vector<bool>& allowed);

}  // namespace mbdbench
