#include "formulations/recursion/links/link_aba.hpp"

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

LinkAba::LinkAba(const Mechanism& mechanism, const Execution& execution)
    : LinkRecursion(mechanism, execution),
      turns_(tree_.size()),
      gains_(index_of(tree_.general_count())),
      spheres_(tree_.spherical().size()),
      slots_(index_of(tree_.slot_count())),
      roots_(tree_.roots().size()),
      rates_(tree_.places().size()) {
  point_at_rows(data_);
  data_.turns = turns_.data();
  data_.gains = gains_.data();
  data_.spheres = spheres_.data();
  data_.slots = slots_.data();
  data_.roots = roots_.data();
  write_letters(std::span(roots_), {rates_});
}

void LinkAba::set_positions(std::span<const double> q) {
  tree_.set_positions(q, tree_.ranges().front(), positions_);
  team_.for_branches([&](std::size_t b) { tree_.set_positions(q, tree_.ranges()[b], positions_); });
}

int LinkAba::evaluate(std::span<const double> u, std::span<const double> tau, std::span<const double> motions,
                      Loads loads, std::span<double> accelerations) {
  const LinkRange& trunk = tree_.ranges().front();
  sweep_velocities(trunk, u.data(), motions.data(), loads);
  Sweeps::clear_slots(data_, trunk.first_slot, trunk.last_slot);
  const auto inward = [&](const LinkRange& range, LinkFailure& failure) {
    if (&range != &trunk) {
      sweep_velocities(range, u.data(), motions.data(), loads);
      Sweeps::clear_slots(data_, range.first_slot, range.last_slot);
    }
    sweep_inward(range, tau.data(), failure);
  };
  if (!sweep_branches_first(inward,
                            [&](const LinkRun& run) { Sweeps::join(data_, run, roots_[index_of(run.root)]); })) {
    return failed_joint();
  }
  const std::span<double> rates = sweep_target(accelerations, rates_);
  const bool sound = sweep_trunk_first([&](const LinkRange& range, LinkFailure& failure) {
    sweep_outward(range, loads.empty(), rates.data(), failure);
  });
  deliver(team_, tree_, rates, accelerations);
  return sound ? -1 : failed_joint();
}

MBDBENCH_SWEEP void LinkAba::sweep_velocities(const LinkRange& range, const double* u, const double* motions,
                                              Loads loads) {
  Sweeps::velocities(data_, first_run(range), last_run(range), u, motions);
  if (!loads.empty()) {
    Sweeps::subtract(data_, range.first_row, range.last_row, loads.data());
  }
}

MBDBENCH_SWEEP void LinkAba::sweep_inward(const LinkRange& range, const double* tau, LinkFailure& failure) {
  Sweeps::inward(data_, first_run(range), last_run(range), tau, failure);
}

MBDBENCH_SWEEP void LinkAba::sweep_outward(const LinkRange& range, bool weight, double* accelerations,
                                           LinkFailure& failure) {
  Sweeps::outward(data_, first_run(range), last_run(range), weight, accelerations, failure);
}

}  // namespace mbdbench
