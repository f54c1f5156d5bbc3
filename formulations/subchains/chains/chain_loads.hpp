#pragma once
/// \file
/// Forces in the joints of a ChainPlan, once a right-hand side: of all links, or of those that one of several processes
/// holds.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formulations/subchains/chains/chain_plan.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {

/// Costs nothing where there are no loads. Allocates nothing after construction.
class ChainLoads {
 public:
  /// \param held positions of one process, with q, u and forces by position; nothing: all, by coordinate
  /// \throws ModelError where a load in a held joint depends on others
  ChainLoads(const Mechanism& mechanism, const ChainPlan& plan, const std::optional<ChainRange>& held);

  [[nodiscard]] bool empty() const { return !loads_.has_value(); }
  void evaluate(double t, std::span<const double> q, std::span<const double> u);
  /// \returns tau, dual to u; nothing where there are no loads.
  [[nodiscard]] std::span<const double> forces() const {
    return places_.empty() && !empty() ? view(loads_->joint_forces()) : std::span<const double>(forces_);
  }

 private:
  std::unique_ptr<const Mechanism> part_;  // of a process: its bodies alone
  std::optional<LoadEvaluator> loads_;
  std::vector<std::size_t> places_;  // where the part has what is held at a position
  std::vector<double> q_;
  std::vector<double> u_;
  std::vector<double> forces_;
};

/// \returns why processes cannot evaluate the loads of their own joints alone, empty if they can.
std::string refuse_divided_loads(const Mechanism& mechanism, const ChainPlan& plan, int processes);

}  // namespace mbdbench
