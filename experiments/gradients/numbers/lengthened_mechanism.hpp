#pragma once
/// \file
/// A mechanism whose links can be lengthened, for starts that close loops by other lengths: before each of some joints
/// stands a slide, on a body without mass. A longer link is a displacement of the slide.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::gradients {

/// The same mechanism with slides, and states (q, u) of the tree joints of both.
class LengthenedMechanism {
 public:
  /// \param joints in whose links there is a slide each \throws ModelError as of link_length
  LengthenedMechanism(const Mechanism& mechanism, const std::vector<std::string>& joints);

  [[nodiscard]] const Mechanism& mechanism() const { return *longer_; }
  [[nodiscard]] std::size_t state_size() const { return own_.size(); }
  /// \returns the component of its state that displaces the slide of a joint. \param place of it among those given
  [[nodiscard]] std::size_t displacement(std::size_t place) const { return displacements_[place]; }
  /// \returns the component of the mechanism's own state that each of its components is; -1: that of a slide.
  [[nodiscard]] std::span<const int> own() const { return own_; }

 private:
  std::optional<Mechanism> longer_;
  std::vector<int> own_;
  std::vector<std::size_t> displacements_;
};

}  // namespace mbdbench::gradients
