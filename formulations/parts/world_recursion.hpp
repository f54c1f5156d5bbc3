#pragma once
/// \file
/// The recursion in world axes with loops closed at the ground: for reactions, for momenta of given velocities, and as
/// the independent path that tests compare with.
#include <span>
#include <vector>

#include "formulations/formulation.hpp"
#include "formulations/recursion/cut_rows.hpp"

namespace mbdbench {

/// Workspace of one mechanism.
struct WorldRecursion {
  /// \param near as of LoadEvaluator
  WorldRecursion(const Mechanism& mechanism, BaumgarteConstants baumgarte, const CutReferences* near)
      : tree(mechanism, near), cuts(mechanism, baumgarte), momenta(static_cast<std::size_t>(mechanism.u_size())) {}

  RhsStatus solve(double t, std::span<const double> q, std::span<const double> u, bool projects) {
    RhsStatus status = tree.set_positions(t, q);
    if (status.ok) {
      status = cuts.set_positions(tree, q);
    }
    if (status.ok) {
      tree.set_velocities(u);
      if (projects) {
        project_velocities();
      }
      tree.evaluate_loads(t, q);
      tree.sweep_loads();
      cuts.close_accelerations(tree);
      tree.sweep_accelerations();
    }
    return status;
  }

  /// All constraint wrenches after `solve`.
  void reactions(const Mechanism& mechanism, Reactions& result) const {
    std::vector<Vec6> wrenches;
    for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
      wrenches.push_back(cuts.wrench(tree, static_cast<int>(c)));
    }
    tree.reactions(wrenches, result);
  }

  /// The velocities nearest in the norm of M that keep the constraints: those of the momenta M u.
  void project_velocities() {
    tree.momenta(momenta);
    tree.sweep_momenta(momenta);
    cuts.close_velocities(tree);
    tree.sweep_velocities();
  }

  BodyRecursion tree;
  CutRows cuts;
  std::vector<double> momenta;
};

}  // namespace mbdbench
