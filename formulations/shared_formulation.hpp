#pragma once
/// \file
/// A formulation whose right-hand sides several processes evaluate together, each its part, while all hold the whole
/// state: for integrators that need it, and for what one process does with a divided plan.
#include <functional>
#include <memory>
#include <vector>

#include "formulations/execution/process_exchange.hpp"
#include "formulations/formulation_part.hpp"

namespace mbdbench {

/// Processes integrate the same numbers, and decide alike. `rhs` is a call that all of them make together, as are the
/// constructor and `clone`; it costs one exchange more than the parts make, of all rates.
class SharedFormulation final : public Formulation {
 public:
  using PartMaker = std::function<std::unique_ptr<FormulationPart>()>;
  /// \param whole does everything but right-hand sides \param processes those of the parts; nullptr: the part is the
  /// whole
  SharedFormulation(std::unique_ptr<Formulation> whole, PartMaker make_part, ProcessExchange* processes);

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override;
  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    return whole_->pack(t, q, u, x);
  }
  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    return whole_->unpack(t, x, q, u);
  }
  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    return whole_->reactions(t, x, reactions);
  }
  [[nodiscard]] CutReferences& cut_references() override { return whole_->cut_references(); }
  [[nodiscard]] double largest_sigma() const override { return whole_->largest_sigma(); }
  void diagnostics(const DiagnosticSink& sink) const override { part_->diagnostics(sink); }
  [[nodiscard]] bool is_divided() const override { return processes_ != nullptr; }
  bool after_step(double t, std::span<double> x) override { return whole_->after_step(t, x); }
  [[nodiscard]] std::string without_jacobian() const override {
    return "right-hand sides that processes share have no derivatives";
  }
  [[nodiscard]] bool observes_absolute() const override { return whole_->observes_absolute(); }
  RhsStatus observe_absolute(double t, std::span<const double> x, AbsoluteObservation& observation) override {
    return whole_->observe_absolute(t, x, observation);
  }
  [[nodiscard]] std::string last_change() const override { return whole_->last_change(); }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override;

 private:
  std::unique_ptr<Formulation> whole_;
  PartMaker make_part_;
  ProcessExchange* processes_;
  std::unique_ptr<FormulationPart> part_;
  std::vector<std::size_t> bounds_;  // of the processes' components in order_, bytes of a number each
  std::vector<std::size_t> order_;   // which component of the state each of these is
  std::vector<double> own_;          // x of this process
  std::vector<double> rates_;        // x' of all processes, one behind another
};

}  // namespace mbdbench
