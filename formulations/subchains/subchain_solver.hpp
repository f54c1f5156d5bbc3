#pragma once
/// \file
/// Accelerations or momenta of a serial chain by sub-chains in lanes: the divide-and-conquer algorithms of
/// [Featherstone1999] and [Chadaj2015] with sub-chains as leaves instead of bodies.
///
/// What the papers do at a leaf and in the lower levels of the assembly tree, the recursion does for all lanes at once;
/// handles between sub-chains are closed as in kernels/closing.hpp.
#include <memory>
#include <span>

#include "formulations/rank_exchange.hpp"
#include "formulations/subchains/chain_plan.hpp"

namespace mbdbench {

/// One chain in its plan. Allocates nothing after construction.
class SubchainSolver {
 public:
  /// \param ranks none: the whole chain, with q, u, p by joint. Otherwise the blocks of this rank
  /// (ChainPlan::blocks_of), with q, u, p of their links alone, by position; all ranks call the same functions and get
  /// the same return value
  explicit SubchainSolver(const ChainPlan& plan, RankExchange* ranks = nullptr);
  ~SubchainSolver();
  SubchainSolver(const SubchainSolver&) = delete;
  SubchainSolver& operator=(const SubchainSolver&) = delete;
  SubchainSolver(SubchainSolver&&) = delete;
  SubchainSolver& operator=(SubchainSolver&&) = delete;

  /// u' from q and u. Two exchanges between sub-chains: angular velocities, then the handles.
  /// \returns -1, or a joint whose articulated inertia H^T M H is not positive; see `failed_pivot`
  int accelerations(std::span<const double> q, std::span<const double> u, std::span<double> udot);
  /// u and p' from q and p. One exchange: the Hamiltonian form needs no velocities before the handles are closed.
  int momenta(std::span<const double> q, std::span<const double> p, std::span<double> u, std::span<double> pdot);
  [[nodiscard]] double failed_pivot() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace mbdbench
