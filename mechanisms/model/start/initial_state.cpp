#include "mechanisms/model/start/initial_state.hpp"

#include "mechanisms/model/start/loop_closure.hpp"
#include "mechanisms/model/start/motion_start.hpp"

namespace mbdbench {
namespace {

/// \returns the field of all tree joints, one after the other.
Eigen::VectorXd given(const Mechanism& mechanism, std::vector<double> JointDescription::*field, int size) {
  Eigen::VectorXd values(size);
  int next = 0;
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    for (const double value : mechanism.description().joints[k].*field) {
      values[next++] = value;
    }
  }
  return values;
}

}  // namespace

InitialState given_initial_state(const Mechanism& mechanism) {
  return {.q = given(mechanism, &JointDescription::q0, mechanism.q_size()),
          .u = given(mechanism, &JointDescription::v0, mechanism.u_size()),
          .cut_q = {}};
}

InitialState consistent_initial_state(const Mechanism& mechanism, InitialState state) {
  // Only loops, couplings and constraints of velocities tie joints to one another; dense Jacobians would keep large
  // trees from being built.
  if (!mechanism.cut_joints().empty() || !mechanism.couplings().empty() || !mechanism.velocity_constraints().empty()) {
    close_loops(mechanism, state);
  } else if (mechanism.rheonomic()) {
    start_motions(mechanism, state);
  }
  return state;
}

}  // namespace mbdbench
