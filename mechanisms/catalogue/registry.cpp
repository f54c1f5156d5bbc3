#include <array>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {

std::span<const MechanismEntry> mechanism_registry() {
  static const std::array entries = {
      pendulum_entry(),        //
      pendulum_yz_entry(),     //
      pendulum_xyz_entry(),    //
      balanced_tree_entry(),   //
      caterpillar_entry(),     //
      star_entry(),            //
      four_bar_entry(),        //
      loop8_entry(),           //
      double_loop_entry(),     //
      loop_entry(),            //
      rings_entry(),           //
      ladder_entry(),          //
      grid_entry(),            //
      five_bar_entry(),        //
      coupled_loops_entry(),   //
      biped_entry(),           //
      slider_crank_entry(),    //
      bricard_entry(),         //
      bennett_entry(),         //
      sarrus_entry(),          //
      n_four_bar_entry(),      //
      squeezer_entry(),        //
      point_pendulum_entry(),  //
      euler_top_entry(),       //
      lagrange_top_entry(),    //
      car_axis_entry(),        //
      babyboot_entry(),        //
      cart_pole_entry(),       //
      coil_entry(),            //
      dill_entry(),            //
      robot_arm_entry(),       //
      quadruped_entry(),       //
      humanoid_entry(),        //
      random_tree_entry(),     //
      random_closed_entry(),
  };
  return entries;
}

}  // namespace mbdbench
