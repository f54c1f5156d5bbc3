#include "formulations/parts/sections/sections_in_lanes.hpp"

#include <algorithm>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {
namespace {

/// Numbers of structures of packs, lane by lane.
template <typename Structure>
constexpr std::size_t kNumbers = sizeof(Structure) / sizeof(double);

template <typename Structure>
void put(const Structure& value, Structure* packs, std::size_t index, std::size_t lane, std::size_t lanes) {
  const auto* const from = reinterpret_cast<const double*>(&value);
  double* const to = reinterpret_cast<double*>(packs) + index * kNumbers<Structure> * lanes + lane;
  for (std::size_t k = 0; k < kNumbers<Structure>; ++k) {
    to[k * lanes] = from[k];
  }
}

template <typename Structure>
Structure get(const Structure* packs, std::size_t index, std::size_t lane, std::size_t lanes) {
  Structure value{};
  auto* const to = reinterpret_cast<double*>(&value);
  const double* const from = reinterpret_cast<const double*>(packs) + index * kNumbers<Structure> * lanes + lane;
  for (std::size_t k = 0; k < kNumbers<Structure>; ++k) {
    to[k] = from[k * lanes];
  }
  return value;
}

/// A pose as lanes have it: axes row by row, origin, velocity, omega.
struct PackedPose {
  double axes[9];
  double origin[3];
  double velocity[3];
  double omega[3];
};

constexpr std::size_t kPointOfCut = 42;  // of a CutPlace, and how many numbers it has
constexpr std::size_t kCutPlace = 45;

}  // namespace

std::unique_ptr<SectionsInLanes> SectionsInLanes::of(const Mechanism& mechanism, const LinkTree& tree,
                                                     const PartPlan& plan, const std::vector<int>& most,
                                                     double zero_row, const InstructionSet& set) {
  std::optional<SectionPlan> first;
  std::vector<SectionPlaces> places;
  for (int twin = 0; twin < tree.twin_count(); ++twin) {
    auto section = SectionPlan::of(mechanism, tree, plan, kFirst + index_of(twin), most);
    if (!section || (first && !section->is_twin_of(*first))) {
      return nullptr;
    }
    places.push_back(std::move(section->own));
    if (!first) {
      first = std::move(section);
    }
  }
  if (!first) {
    return nullptr;
  }
  return std::unique_ptr<SectionsInLanes>(
      new SectionsInLanes(std::move(*first), std::move(places), mechanism.cut_joints().size(), zero_row, set));
}

bool has_twin_sections(const Mechanism& mechanism) {
  if (!mechanism.constrained() || mechanism.rheonomic() || !mechanism.couplings().empty() ||
      LoadEvaluator(mechanism, nullptr).need_bodies()) {
    return false;
  }
  const LinkTree tree(mechanism, TreeLayout::branches, kSectionsInLanes);
  if (tree.twin_count() == 0) {
    return false;
  }
  const PartPlan plan(mechanism, tree);
  std::vector<int> most;
  for (const LoopClosing& closing : plan.closings) {
    most.push_back(closing.rows);
  }
  return SectionsInLanes::of(mechanism, tree, plan, most, 0.0, best_instruction_set()) != nullptr;
}

SectionsInLanes::SectionsInLanes(SectionPlan plan, std::vector<SectionPlaces> places, std::size_t cuts, double zero_row,
                                 const InstructionSet& set)
    : plan_(std::move(plan)),
      places_(std::move(places)),
      closes_(cuts),
      sweeps_(compiled_for(set, []<int W>() { return section_sweeps::sweeps<W>(); })),
      batches_(places_.size() / lanes()) {
  for (const SectionPlaces& section : places_) {
    for (int own = 0; own < plan_.closed_count; ++own) {
      closes_[index_of(section.loops[index_of(own)])] = true;
    }
  }
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    batches_[b].first = b * lanes();
    reserve(batches_[b], zero_row);
  }
}

void SectionsInLanes::reserve(Batch& batch, double zero_row) {
  SectionData& data = batch.data;
  batch.memory = std::make_unique<LoopMemory>(sweeps_.loops);
  plan_.point_at_constants(data);
  data.zero_row = zero_row;
  data.crossing_count = plan_.crossing_count;
  data.carried_count = plan_.carried_count;
  data.seam_columns = plan_.seam_columns;
  data.on_way = plan_.on_way.get();
  data.at_end = plan_.at_end.get();
  batch.tree_memory.reserve(data.tree, StateKind::velocity, lanes(), {0, static_cast<int>(plan_.sizes.spheres)}, false);
  batch.memory->reserve(data, plan_.sizes);
  data.way_sizes = batch.memory->packs(3 * index_of(data.crossing_count + data.carried_count));
  sweeps_.loops.prepare(data, plan_.joints.data(), static_cast<int>(plan_.joints.size()));
}

int SectionsInLanes::redundant_rows() const {
  int redundant = 0;
  for (const LoopClosing& closing : plan_.closings) {
    redundant += closing.rows - closing.rank;
  }
  return redundant;
}

void SectionsInLanes::use_baumgarte(double alpha, double beta) {
  for (Batch& batch : batches_) {
    batch.data.alpha = alpha;
    batch.data.beta = beta;
  }
}

template <typename Work>
void SectionsInLanes::for_batches(std::size_t leader, const Work& work) {
  const std::size_t first = (leader - kFirst) / lanes();
  for (std::size_t b = first; b < first + kTwinsTogether / lanes(); ++b) {
    work(batches_[b]);
  }
}

template <typename Work>
void SectionsInLanes::for_lanes(const Batch& batch, const Work& work) const {
  for (std::size_t lane = 0; lane < lanes(); ++lane) {
    work(lane, places_[batch.first + lane]);
  }
}

void SectionsInLanes::set_ways(std::size_t leader, std::span<const double> q, std::span<const double> u) {
  for_batches(leader, [&](Batch& batch) {
    for_lanes(batch, [&](std::size_t lane, const SectionPlaces& section) {
      for (std::size_t k = 0; k < section.coordinates.size(); ++k) {
        batch.data.tree.state[k * lanes() + lane] = q[index_of(section.coordinates[k])];
      }
      for (std::size_t k = 0; k < section.velocities.size(); ++k) {
        batch.data.tree.velocities[k * lanes() + lane] = u.empty() ? 0.0 : u[index_of(section.velocities[k])];
      }
    });
    sweeps_.set_ways(batch.data);
  });
}

LinkPoses::Row SectionsInLanes::pose(const Batch& batch, std::size_t lane, int row) const {
  const PackedPose packed = get(reinterpret_cast<const PackedPose*>(batch.data.poses), index_of(row), lane, lanes());
  LinkPoses::Row pose;
  pose.axes = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(packed.axes);
  pose.origin = Eigen::Map<const Vec3>(packed.origin);
  pose.velocity = Eigen::Map<const Vec3>(packed.velocity);
  pose.omega = Eigen::Map<const Vec3>(packed.omega);
  return pose;
}

LinkPoses::Row SectionsInLanes::way_of(std::size_t range) const {
  return pose(batch_of(range), lane_of(range), plan_.seam_row);
}

LinkPoses::Row SectionsInLanes::row_of(std::size_t range, int row) const {
  return pose(batch_of(range), lane_of(range), row - places_of(range).first_row);
}

void SectionsInLanes::set_poses(std::size_t leader, std::span<const LinkPoses::Row> bases) {
  for_batches(leader, [&](Batch& batch) {
    for_lanes(batch, [&](std::size_t lane, const SectionPlaces& section) {
      const LinkPoses::Row& base = bases[index_of(section.hangs_at)];
      PackedPose packed{};
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(packed.axes) = base.axes;
      Eigen::Map<Vec3>(packed.origin) = base.origin;
      Eigen::Map<Vec3>(packed.velocity) = base.velocity;
      Eigen::Map<Vec3>(packed.omega) = base.omega;
      put(packed, reinterpret_cast<PackedPose*>(batch.data.poses), plan_.rows.size(), lane, lanes());
    });
    sweeps_.set_poses(batch.data);
  });
}

void SectionsInLanes::eliminate(std::size_t leader, std::span<const JointKinematics> cuts, const LineMemory& memory) {
  const std::size_t n = lanes();
  for_batches(leader, [&](Batch& batch) {
    const PartData<double>& part = batch.data.part;
    for_lanes(batch, [&](std::size_t lane, const SectionPlaces& section) {
      const auto put_point = [&](std::size_t loop, int cut) {
        const Vec3& point = cuts[index_of(cut)].point;
        for (std::size_t i = 0; i < 3; ++i) {
          batch.data.directions[(kCutPlace * loop + kPointOfCut + i) * n + lane] = point[static_cast<int>(i)];
        }
      };
      for (std::size_t k = 0; k < index_of(plan_.crossing_count); ++k) {
        const std::size_t loop = index_of(plan_.closed_count) + k;
        put_point(loop, section.loops[loop]);
      }
      for (std::size_t k = 0; k < section.carried.size(); ++k) {
        put_point(section.loops.size() + k, section.carried[k]);
      }
      for (std::size_t e = 0; e < plan_.crossing_columns.size(); ++e) {
        const std::size_t rows = index_of(plan_.loop_rows[index_of(plan_.crossing_loops[e])]);
        const double* const from = memory.columns + doubles(6 * section.crossing_columns[e]);
        double* const to = part.columns + doubles(6 * plan_.crossing_columns[e]) * n + lane;
        for (std::size_t i = 0; i < 6; ++i) {
          for (std::size_t j = 0; j < rows; ++j) {
            to[(i * kLoopLanes + j) * n] = from[i * kLoopLanes + j];
          }
        }
      }
    });
    sweeps_.eliminate(batch.data);
    for_lanes(batch, [&](std::size_t lane, const SectionPlaces& section) {
      memory.inertias[section.base] = get(part.inertias, plan_.rows.size(), lane, n);
      for (std::size_t b = 0; b < plan_.base_columns.size(); ++b) {
        const double* const from = part.columns + doubles(6 * plan_.base_columns[b]) * n + lane;
        double* const to = memory.columns + doubles(6 * section.base_columns[b]);
        // Lanes behind the rows, too: they might not be finite since a state that was not.
        const std::size_t rows = index_of(plan_.base_column_rows[b]);
        for (std::size_t i = 0; i < 6; ++i) {
          for (std::size_t j = 0; j < kLoopLanes; ++j) {
            to[i * kLoopLanes + j] = j < rows ? from[(i * kLoopLanes + j) * n] : 0.0;
          }
        }
      }
      for (std::size_t b = 0; b < plan_.left_blocks.size(); ++b) {
        const LeftBlock& block = plan_.left_blocks[b];
        const double* const from = part.products + doubles(block.place) * n + lane;
        double* const to = memory.products + doubles(section.left_blocks[b]);
        for (std::size_t i = 0; i < index_of(block.rows); ++i) {
          for (std::size_t j = 0; j < kLoopLanes; ++j) {
            const bool above = block.is_own && j > i;
            const std::size_t at = above ? j * kLoopLanes + i : i * kLoopLanes + j;
            to[i * kLoopLanes + j] = j < index_of(block.columns) ? from[at * n] : 0.0;
          }
        }
      }
      for (std::size_t k = 0; k < section.stretches.size(); ++k) {
        const double* const size = batch.data.way_sizes + 3 * k * n + lane;
        if (section.stretches[k] >= 0) {
          memory.sizes[section.stretches[k]] = {size[0], size[n], size[2 * n], 0.0};
        }
      }
    });
  });
}

void SectionsInLanes::leave_wrenches(const Batch& batch, const PartRightSide<double>& own,
                                     const PartRightSide<double>& side) const {
  const std::size_t n = lanes();
  for_lanes(batch, [&](std::size_t lane, const SectionPlaces& section) {
    side.wrenches[section.base] = get(own.wrenches, plan_.rows.size(), lane, n);
    for (std::size_t k = 0; k < plan_.left_rates.size(); ++k) {
      const double* const from = own.rates + doubles(plan_.left_rates[k]) * n + lane;
      double* const to = side.rates + doubles(section.left_rates[k]);
      for (std::size_t j = 0; j < kLoopLanes; ++j) {
        to[j] = from[j * n];
      }
    }
  });
}

void SectionsInLanes::take_motions(const Batch& batch, const PartRightSide<double>& own,
                                   const PartRightSide<double>& side) const {
  const std::size_t n = lanes();
  for_lanes(batch, [&](std::size_t lane, const SectionPlaces& section) {
    put(side.linear[section.base], own.linear, plan_.rows.size(), lane, n);
    put(side.angular[section.base], own.angular, plan_.rows.size(), lane, n);
    for (std::size_t loop = index_of(plan_.closed_count); loop < section.loops.size(); ++loop) {
      const double* const from = side.multipliers + doubles(section.loops[loop]);
      double* const to = own.multipliers + doubles(static_cast<int>(loop)) * n + lane;
      for (std::size_t j = 0; j < index_of(plan_.loop_rows[loop]); ++j) {
        to[j * n] = from[j];
      }
    }
  });
}

void SectionsInLanes::leave_rates(const Batch& batch, const PartRightSide<double>& own, const double* rates,
                                  const PartRightSide<double>& side) const {
  const std::size_t n = lanes();
  for_lanes(batch, [&](std::size_t lane, const SectionPlaces& section) {
    for (std::size_t k = 0; k < section.places.size(); ++k) {
      side.joint_rates[section.places[k]] = rates[k * n + lane];
    }
    for (std::size_t loop = 0; loop < index_of(plan_.closed_count); ++loop) {
      const double* const from = own.multipliers + doubles(static_cast<int>(loop)) * n + lane;
      double* const to = side.multipliers + doubles(section.loops[loop]);
      for (std::size_t j = 0; j < index_of(plan_.loop_rows[loop]); ++j) {
        to[j] = from[j * n];
      }
    }
  });
}

void SectionsInLanes::push_inward(std::size_t leader, const PartRightSide<double>& side) {
  for_batches(leader, [&](Batch& batch) {
    sweeps_.push_inward(batch.data);
    leave_wrenches(batch, batch.data.impulses, side);
  });
}

void SectionsInLanes::push_outward(std::size_t leader, const PartRightSide<double>& side) {
  for_batches(leader, [&](Batch& batch) {
    take_motions(batch, batch.data.impulses, side);
    sweeps_.push_outward(batch.data);
    leave_rates(batch, batch.data.impulses, batch.data.changes, side);
  });
}

void SectionsInLanes::accelerate_inward(std::size_t leader, std::span<const kernels::Turning<double>> turnings,
                                        const PartRightSide<double>& side) {
  for_batches(leader, [&](Batch& batch) {
    SectionData& data = batch.data;
    data.pushes_joints = side.tau != nullptr;
    for_lanes(batch, [&](std::size_t lane, const SectionPlaces& section) {
      put(turnings[index_of(section.base)], reinterpret_cast<kernels::Turning<double>*>(data.turnings),
          plan_.rows.size(), lane, lanes());
      for (std::size_t k = 0; data.pushes_joints && k < section.velocities.size(); ++k) {
        data.tree.torques[k * lanes() + lane] = side.tau[section.velocities[k]];
      }
    });
    sweeps_.accelerate_inward(data);
    leave_wrenches(batch, data.accelerations, side);
  });
}

void SectionsInLanes::accelerate_outward(std::size_t leader, const PartRightSide<double>& side) {
  for_batches(leader, [&](Batch& batch) {
    const SectionData& data = batch.data;
    take_motions(batch, data.accelerations, side);
    sweeps_.accelerate_outward(data);
    leave_rates(batch, data.accelerations, data.tree.rates + index_of(data.tree.q_count) * lanes(), side);
  });
}

bool SectionsInLanes::are_sure() const {
  return std::all_of(batches_.begin(), batches_.end(), [this](const Batch& batch) {
    return std::all_of(batch.data.tree.verdict, batch.data.tree.verdict + lanes(),
                       [](double verdict) { return verdict > 0.0; });
  });
}

}  // namespace mbdbench
