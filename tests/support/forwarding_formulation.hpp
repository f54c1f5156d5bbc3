#pragma once
/// \file
/// A formulation that leaves most of its work to another one, for tests that change a part of what it says.
#include <memory>
#include <span>
#include <utility>

#include "formulations/formulation.hpp"

namespace mbdbench::test {

/// Has the layout of the formulation that it holds and passes `pack`, `unpack` and `reactions` on to it; `evaluate` and
/// `clone` are the derived class's. Largest sigma and what happens after a step are those of `Formulation`.
class ForwardingFormulation : public Formulation {
 public:
  explicit ForwardingFormulation(std::unique_ptr<Formulation> right)
      : Formulation(right->mechanism(), {right->layout().begin(), right->layout().end()}), right_(std::move(right)) {}

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    return right_->pack(t, q, u, x);
  }
  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    return right_->unpack(t, x, q, u);
  }
  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    return right_->reactions(t, x, reactions);
  }
  [[nodiscard]] CutReferences& cut_references() override { return right_->cut_references(); }
  void look_near(std::span<const double> x) override { right_->look_near(x); }

 protected:
  /// \returns the formulation that is held.
  [[nodiscard]] Formulation& right() const { return *right_; }

 private:
  std::unique_ptr<Formulation> right_;
};

}  // namespace mbdbench::test
