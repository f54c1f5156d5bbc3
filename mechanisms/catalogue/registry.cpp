#include <array>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {

std::span<const MechanismEntry> mechanism_registry() {
  static const std::array entries = {
      pendulum_entry(),       //
      pendulum_yz_entry(),    //
      pendulum_xyz_entry(),   //
      balanced_tree_entry(),  //
      caterpillar_entry(),    //
      random_tree_entry(),    //
      random_closed_entry(),
  };
  return entries;
}

}  // namespace mbdbench
