#pragma once
/// \file
/// A mechanism whose links can be lengthened, for derivatives by lengths: before each of some joints stands a slide
/// that is held where it is, on a body without mass. A longer link is a displacement of the slide, so what a length
/// does is what a coordinate does.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// The direction in which a tree joint moves when the link that carries it becomes longer: in that body's own frame,
/// from the joint on which the body hangs (of the ground: from its origin) to this one. Unit.
/// \throws ModelError naming a joint that is not in the tree, that has no distance, or that moves along it by itself
Vec3 direction_of_length(const Mechanism& mechanism, const std::string& joint);

/// The same mechanism with slides, and states of both. States are (q, u) of the tree joints, or, with cut joints, (q of
/// the tree, of cut joints, u of the tree, of cut joints); momenta for velocities alike.
class LengthenedMechanism {
 public:
  /// \param joints in whose links there is a slide each; a joint may stand there several times \throws ModelError as of
  /// direction_of_length
  LengthenedMechanism(const Mechanism& mechanism, std::vector<std::string> joints, bool with_cut_joints);

  [[nodiscard]] const Mechanism& mechanism() const { return *longer_; }
  /// \returns the joints as they were given.
  [[nodiscard]] const std::vector<std::string>& asked() const { return asked_; }
  [[nodiscard]] std::size_t state_size() const { return own_.size(); }
  /// \returns the component of its state that displaces the slide of a joint. \param place of it among those given
  [[nodiscard]] std::size_t displacement(std::size_t place) const { return displacements_[place]; }
  /// The state at which all slides are where they are held.
  void set_state(std::span<const double> x, std::span<double> longer) const;
  /// Entries of the mechanism's own state. \param longer entries of the state with slides
  void get_own(std::span<const double> longer, std::span<double> x) const;

 private:
  std::vector<std::string> asked_;
  std::unique_ptr<Mechanism> longer_;
  std::vector<int> own_;  // of each component with slides that without; -1: of a slide
  std::vector<std::size_t> displacements_;
};

}  // namespace mbdbench
