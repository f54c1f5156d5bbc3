#include "formulations/recursion/links/link_naudet.hpp"

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

LinkNaudet::LinkNaudet(const Mechanism& mechanism, const Execution& execution)
    : LinkRecursion(mechanism, execution),
      turns_(tree_.size()),
      general_(index_of(tree_.general_count())),
      spheres_(tree_.spherical().size()),
      slots_(index_of(tree_.slot_count())),
      roots_(tree_.roots().size()),
      root_loads_(tree_.roots().size()),
      velocities_(tree_.places().size()),
      rates_(tree_.places().size()) {
  point_at_rows(data_);
  data_.turns = turns_.data();
  data_.general = general_.data();
  data_.spheres = spheres_.data();
  data_.slots = slots_.data();
  data_.roots = roots_.data();
  data_.root_loads = root_loads_.data();
  write_letters(std::span(roots_), {velocities_, rates_});
  add_roots(std::span(root_loads_), loads_left_);
  add_places(tree_, rates_, loads_left_);
  mail_.post(loads_left_);
}

int LinkNaudet::evaluate(std::span<const double> q, std::span<const double> p, std::span<const double> motions,
                         bool weight, std::span<double> u, std::span<double> momentum_rates) {
  const LinkRange& trunk = tree_.ranges().front();
  Sweeps::clear_slots(data_, trunk.first_slot, trunk.last_slot);
  const auto inward = [&](const LinkRange& range, LinkFailure& failure) {
    tree_.set_positions(q, range, positions_);
    if (&range != &trunk) {
      Sweeps::clear_slots(data_, range.first_slot, range.last_slot);
    }
    sweep_inward(range, p.data(), motions.data(), failure);
  };
  if (!sweep_branches_first(inward,
                            [&](const LinkRun& run) { Sweeps::join(data_, run, roots_[index_of(run.root)]); })) {
    return failed_joint();
  }
  const std::span<double> velocities = sweep_target(u, velocities_);
  const std::span<double> rates = sweep_target(momentum_rates, rates_);
  const bool sound = sweep_trunk_first([&](const LinkRange& range, LinkFailure& failure) {
    sweep_outward(range, p.data(), weight, velocities.data(), rates.data(), failure);
  });
  deliver(team_, tree_, velocities, u);
  deliver(team_, tree_, rates, momentum_rates);
  return sound ? -1 : failed_joint();
}

void LinkNaudet::add_loads(std::span<const kernels::LinkWrench<double>> loads, std::span<double> momentum_rates) {
  if (loads.empty()) {
    return;
  }
  const std::span<double> rates = sweep_target(momentum_rates, rates_);  // as `evaluate` has left them
  const auto sweep = [&](std::size_t r) {
    const LinkRange& range = tree_.ranges()[r];
    Sweeps::add_loads(data_, first_run(range), last_run(range), loads.data(), rates.data());
  };
  team_.for_branches([&](std::size_t b) {
    Sweeps::clear_loads(data_, tree_.ranges()[b].first_slot, tree_.ranges()[b].last_slot);
    sweep(b);
  });
  mail_.send({&loads_left_});
  Sweeps::clear_loads(data_, tree_.ranges().front().first_slot, tree_.ranges().front().last_slot);
  for (const int root : tree_.roots()) {
    const LinkRun& run = tree_.runs()[index_of(root)];
    Sweeps::join_load(data_, run, root_loads_[index_of(run.root)]);
  }
  sweep(0);
  deliver(team_, tree_, rates, momentum_rates);
}

MBDBENCH_SWEEP void LinkNaudet::sweep_inward(const LinkRange& range, const double* p, const double* motions,
                                             LinkFailure& failure) {
  Sweeps::inward(data_, first_run(range), last_run(range), p, motions, failure);
}

MBDBENCH_SWEEP void LinkNaudet::sweep_outward(const LinkRange& range, const double* p, bool weight, double* u,
                                              double* rates, LinkFailure& failure) {
  Sweeps::outward(data_, first_run(range), last_run(range), p, weight, u, rates, failure);
}

}  // namespace mbdbench
