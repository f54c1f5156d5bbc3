#include "formulations/subtrees/tree_form.hpp"

namespace mbdbench {

int coordinates_of(RowKind kind) {
  return kind == RowKind::free ? 7 : kind == RowKind::spherical ? 4 : 1;
}

int velocities_of(RowKind kind) {
  return kind == RowKind::free ? 6 : kind == RowKind::spherical ? 3 : 1;
}

void TreeForm::add(const LinkRow& row) {
  LinkRow own = row;
  own.q = q_count;
  own.u = u_count;
  own.place = u_count;
  own.slot = -1;
  own.inboard = -1;  // sweeps go along runs
  if (is_sphere(row.kind)) {
    own.ordinal = shared.spheres++;
  } else if (row.kind != RowKind::revolute) {
    own.ordinal = shared.general++;
  }
  q_count += coordinates_of(row.kind);
  u_count += velocities_of(row.kind);
  rows.push_back(own);
}

}  // namespace mbdbench
