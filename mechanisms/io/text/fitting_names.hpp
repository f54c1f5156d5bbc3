#pragma once
/// \file
/// Names of other formats ("left-hip", "7_joint", "base link") as names that mechanisms can have.
#include <string>
#include <string_view>
#include <unordered_set>

namespace mbdbench {

/// Names of one kind: no two of them become the same.
class FittingNames {
 public:
  /// \returns the name where it is free and one of ours: letters, digits and _, no digit first, at most 64. Else the
  ///          nearest one that is: other signs become _, a number is added.
  /// \param components of a joint: q_J_2 is its second coordinate in formulas, so no other joint is called J_2
  std::string fit(std::string_view name, int components = 1);

  /// Nothing else is called so from now on.
  void take(const std::string& name) { taken_.insert(name); }

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace mbdbench
