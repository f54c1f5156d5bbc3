#include "formulations/parts/lanes/reduced_constants.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

kernels::LinkVector<double> column_of(const kernels::Matrix3<double>& m, int i) {
  return i == 0   ? kernels::LinkVector<double>{m.xx, m.yx, m.zx}
         : i == 1 ? kernels::LinkVector<double>{m.xy, m.yy, m.zy}
                  : kernels::LinkVector<double>{m.xz, m.yz, m.zz};
}

/// \returns whether a column of H is fixed in b (motion_subspace_rate).
bool turns_with_b(const Joint& joint, int column) {
  return joint.type == JointType::spherical || (joint.type == JointType::universal && column == 1) ||
         (joint.type == JointType::free && column < 3);
}

}  // namespace

ReducedConstants::ReducedConstants(const Mechanism& mechanism, const LinkTree& tree, const PartPlan& plan,
                                   std::span<const LaneCut> cuts, int first_place, int first_rate) {
  const CharacteristicScales& scales = mechanism.scales();
  columns_.assign(scales.columns.begin(), scales.columns.end());
  int place = first_place;
  int rate_place = first_rate;
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const Joint& joint = mechanism.cut_joints()[c];
    first_rows_.push_back(static_cast<int>(row_scales_.size()));
    for (int k = 0; k < cuts[c].row_count; ++k) {
      row_scales_.push_back(scales.rows[joint.row_offset + cuts[c].rows[k]]);
    }
    add_reaches(mechanism, tree, plan, cuts[c], static_cast<int>(c));
    add_coordinates(tree, joint, place, rate_place);
    place += joint.nq;
    rate_place += joint.nu;
  }
  for (const Coupling& coupling : mechanism.couplings()) {
    const auto loop = static_cast<int>(first_rows_.size());
    first_rows_.push_back(static_cast<int>(row_scales_.size()));
    row_scales_.push_back(scales.rows[coupling.row]);
    for (const Coupling::Term& term : coupling.terms) {
      LaneReach reach;
      reach.loop = loop;
      reach.u = term.u;
      reach.factor = row_scales_.back() * term.factor * scales.columns[term.u];
      all_.push_back(reach);
    }
  }
  reaches_.reserve(all_.size());
}

void ReducedConstants::add_reaches(const Mechanism& mechanism, const LinkTree& tree, const PartPlan& plan,
                                   const LaneCut& cut, int loop) {
  std::vector<bool> on_way_to_b(tree.size());
  for (int row = cut.b.row; row >= 0; row = tree.rows()[index_of(row)].inboard) {
    on_way_to_b[index_of(row)] = true;
  }
  for (const int row : plan.ways[index_of(loop)]) {
    const LinkRow& link = tree.rows()[index_of(row)];
    LaneReach reach;
    reach.loop = loop;
    reach.row = row;
    const auto add = [&](int component, const kernels::LinkVector<double>& about,
                         const kernels::LinkVector<double>& along) {
      reach.u = link.u + component;
      reach.about = about;
      reach.along = along;
      reach.factor = (on_way_to_b[index_of(row)] ? 1.0 : -1.0) * mechanism.scales().columns[reach.u];
      all_.push_back(reach);
    };
    const kernels::LinkVector<double> none{0.0, 0.0, 0.0};
    const kernels::LinkVector<double> z{0.0, 0.0, 1.0};
    if (!is_sphere(link.kind)) {
      reach.along_in = row;
      add(0, is_slide(link.kind) ? none : z,
          is_slide(link.kind) ? z : kernels::LinkVector<double>{0.0, 0.0, link.pitch});
      continue;
    }
    const SphericalConstants& constants = tree.spherical()[index_of(link.ordinal)];
    for (int i = 0; i < 3; ++i) {
      add(i, column_of(constants.axes_b, i), none);
    }
    reach.along_in = link.inboard;
    for (int i = 0; link.kind == RowKind::free && i < 3; ++i) {
      add(3 + i, none, column_of(constants.axes_a, i));
    }
  }
}

void ReducedConstants::add_coordinates(const LinkTree& tree, const Joint& joint, int place, int rate_place) {
  const auto axes_of = [&](int body) {
    return body < 0 ? Mat3(Mat3::Identity()) : Mat3(tree.bodies()[index_of(body)].rotation);
  };
  SpatialColumns h;
  motion_subspace(joint, axes_of(joint.a) * joint.rotation_a, axes_of(joint.b) * joint.rotation_b, h);
  LaneCutCoordinates own;
  own.place = place;
  own.rate_place = rate_place;
  own.count = joint.nu;
  own.turns_freely = has_quaternion(joint.type);
  for (int i = 0; i < joint.nu; ++i) {
    const auto column = h.col(i);
    own.directions[i] = {{column[0], column[1], column[2]}, {column[3], column[4], column[5]}, turns_with_b(joint, i)};
  }
  if (joint.nu == 1 || joint.nu == 2) {
    const JointMatrix inverse = motion_gram_inverse(joint);
    own.inverse = inverse(0, 0);
    own.crossed = inverse(0, joint.nu - 1);
  }
  coordinates_.push_back(own);
}

void ReducedConstants::use_dependent(std::span<const int> dependent, std::span<const int> independent, LoopData& data) {
  dependents_.assign(dependent.begin(), dependent.end());
  independents_.assign(independent.begin(), independent.end());
  dependent_scales_.clear();
  for (const int u : dependents_) {
    dependent_scales_.push_back(columns_[index_of(u)]);
  }
  reaches_.clear();
  for (LaneReach reach : all_) {
    const auto found = std::find(dependents_.begin(), dependents_.end(), reach.u);
    if (found != dependents_.end()) {
      reach.column = static_cast<int>(found - dependents_.begin());
      reaches_.push_back(reach);
    }
  }
  data.reduced = true;
  data.dependent_count = static_cast<int>(dependents_.size());
  data.dependent_rows = static_cast<int>(row_scales_.size());
  data.reach_count = static_cast<int>(reaches_.size());
  data.independent_count = static_cast<int>(independents_.size());
  data.reaches = reaches_.data();
  data.first_rows = first_rows_.data();
  data.row_scales = row_scales_.data();
  data.dependents = dependents_.data();
  data.independents = independents_.data();
  data.dependent_scales = dependent_scales_.data();
}

}  // namespace mbdbench
