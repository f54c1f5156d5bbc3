#pragma once
/// \file
/// The same physics in other words. Every function changes what a text says and nothing of what happens; markers keep
/// their numbers.
#include "experiments/metamorphic/told_mechanism.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench::metamorphic {

/// Bodies and joints in another order, with other names.
void rename_and_shuffle(RandomSource& random, Told& told);

/// New units: the number of every length is multiplied by `length`, likewise masses and times.
void change_units(double length, double mass, double time, Told& told);

/// The whole world, gravity with it, moved by `motion`.
void move_world(const Frame& motion, Told& told);

/// Another frame of one body: what was at x is at change(x).
void change_body_frame(int body, const Frame& change, Told& told);

/// b to a in place of a to b.
void reverse_joint(std::size_t joint, Told& told);

/// Another spanning tree at random. \returns false where there is no other one
bool cut_elsewhere(RandomSource& random, Told& told);

/// All joints that are not cut away from the ground, by reversals.
void orient_tree(Told& told);

/// One body as two with a fixed joint between them, which share its mass, its joints and markers.
void split_body(RandomSource& random, int body, Told& told);

/// A joint in the tree as a free one there and itself as a cut.
void free_and_cut(std::size_t joint, Told& told);

/// A joint of several freedoms as a chain of simple ones through bodies of `share` of the mass of b.
void chain_of_joints(std::size_t joint, double share, Told& told);

/// A screw as a cylindrical joint and a coupling.
void screw_as_coupling(std::size_t joint, Told& told);

/// Motion backwards in time: velocities and the sense of time in loads.
void reverse_time(Told& told);

/// What happened at t happens at t + shift.
void shift_time(double shift, Told& told);

}  // namespace mbdbench::metamorphic
