/// \file
/// The table of relations: their names and what they say.
#include <array>

#include "experiments/metamorphic/relations/drawn_cases.hpp"

namespace mbdbench::metamorphic {

std::span<const Relation> relations() {
  static constexpr std::array kRelations = {
      Relation{"names", "bodies and joints in another order, with other names", names},
      Relation{"frames", "another frame of every body", frames},
      Relation{"world", "the world turned and moved, gravity with it", world},
      Relation{"units", "other units of length, mass and time, 1e-9 to 1e9", units},
      Relation{"cuts", "another spanning tree, joints told from the other side", cuts},
      Relation{"split", "a body as two with a fixed joint", split},
      Relation{"freed", "a tree joint as a cut beside a free joint", freed},
      Relation{"chained", "a joint as a chain of simpler ones through bodies of 1e-7 of the mass", chained},
      Relation{"screw", "a screw as a cylindrical joint with a coupling", screw},
      Relation{"gear", "a coupled wheel as inertia", gear},
      Relation{"coupling_factor", "a coupling times 1e-9 to 1e9, either sign", coupling_factor},
      Relation{"driven_coupling", "what follows a driven joint, driven itself", driven_coupling},
      Relation{"drives_as_loads", "the force of every drive in its place", drives_as_loads},
      Relation{"hinge_twice", "a hinge told twice with 9 to 16 digits or far from the origin", hinge_twice},
      Relation{"planar_digits", "a planar linkage askew, with 9 to 16 digits", planar_digits},
      Relation{"welded_twice", "what is welded, welded again", welded_twice},
      Relation{"dependent_marks", "joints marked as dependent at a start that agrees", dependent_marks},
      Relation{"free_cut", "a free cut joint more, with a force of a body in it", free_cut},
      Relation{"law_of_cut", "a law in q as a spring, in the tree, in a cut joint, for turns", law_of_cut},
      Relation{"superposition", "accelerations are linear in loads", superposition},
      Relation{"balance", "every body moves as its reactions and loads say", balance},
      Relation{"backwards", "backward in time with velocities turned round", backwards},
      Relation{"time_shift", "everything later", time_shift},
      Relation{"restart", "in two pieces", restart},
      Relation{"samples", "samples inside steps are as good as ends, and no others are written", samples},
      Relation{"tolerance", "smaller tolerances come nearer", tolerance},
      Relation{"threads", "the same bits with other threads", threads},
      Relation{"leaves", "sub-chains against bodies as leaves", leaves},
      Relation{"set_by_hand", "what --set sets is kept or refused", set_by_hand},
      Relation{"formulas", "functions of formulas are the C library's", formulas},
  };
  return kRelations;
}

}  // namespace mbdbench::metamorphic
