#pragma once
/// \file
/// A mechanism whose links can be lengthened, for derivatives by lengths: before each of some joints stands a slide
/// that is held where it is, on a body without mass. A longer link is a displacement of the slide, so what a length
/// does is what a coordinate does.
#include <memory>
#include <optional>
#include <span>
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

/// What slides do.
enum class Slides {
  held,  ///< they stay where they are
  free   ///< they move like any joint
};

/// The same mechanism with slides, and states of both. States are (q, u) of the tree joints, or, with cut joints, (q of
/// the tree, of cut joints, u of the tree, of cut joints); momenta for velocities alike.
class LengthenedMechanism {
 public:
  /// \param joints in whose links there is a slide each; a joint may stand there several times \throws ModelError as of
  /// link_length
  LengthenedMechanism(const Mechanism& mechanism, std::vector<std::string> joints, bool with_cut_joints,
                      Slides slides = Slides::held);

  [[nodiscard]] const Mechanism& mechanism() const { return *longer_; }
  /// \returns the joints as they were given.
  [[nodiscard]] const std::vector<std::string>& asked() const { return asked_; }
  [[nodiscard]] std::size_t state_size() const { return own_.size(); }
  /// \returns the component of its state that displaces the slide of a joint. \param place of it among those given
  [[nodiscard]] std::size_t displacement(std::size_t place) const { return displacements_[place]; }
  /// \returns the component of the mechanism's own state that each of its components is; -1: that of a slide.
  [[nodiscard]] std::span<const int> own() const { return own_; }
  /// The state at which all slides are where they are held.
  void set_state(std::span<const double> x, std::span<double> longer) const;
  /// Entries of the mechanism's own state. \param longer entries of the state with slides
  void get_own(std::span<const double> longer, std::span<double> x) const;

 private:
  std::vector<std::string> asked_;
  std::shared_ptr<const Mechanism> longer_;  // copies share it
  std::vector<int> own_;                     // of each component with slides that without; -1: of a slide
  std::vector<std::size_t> displacements_;
};

}  // namespace mbdbench
