#include "tests/experiments/user_entries.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "formulations/dense/dense.hpp"
#include "formulations/registry.hpp"
#include "tests/support/forwarding_formulation.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_pendulum(const Parameters& parameters) {
  MechanismDescription description;
  BodyDescription body;
  body.name = "bob";
  body.mass = parameters.number("mass");
  body.com = Vec3(0.3, 0.0, 0.0);
  body.inertia = Mat3::Identity();
  JointDescription joint;
  joint.name = "hinge";
  joint.b = body.name;
  joint.axis = Vec3::UnitY();
  description.bodies = {body};
  description.joints = {joint};
  return description;
}

/// Passes everything on to a momentum formulation and spoils p'.
class WrongFormulation final : public test::ForwardingFormulation {
 public:
  using ForwardingFormulation::ForwardingFormulation;

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<WrongFormulation>(right().clone());
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = right().rhs(t, x, xdot);
    for (std::size_t i = 0; i < xdot.size(); ++i) {
      xdot[i] *= layout()[i].kind == StateKind::momentum ? 1.0 + 1e-6 : 1.0;
    }
    return status;
  }
};

/// The dense formulation with the state written backwards.
class ReversedFormulation final : public Formulation {
 public:
  explicit ReversedFormulation(std::unique_ptr<Formulation> right)
      : Formulation(right->mechanism(), {right->layout().rbegin(), right->layout().rend()}),
        right_(std::move(right)),
        x_(layout().size()),
        xdot_(layout().size()) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<ReversedFormulation>(right_->clone());
  }
  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    const RhsStatus status = right_->pack(t, q, u, x);
    std::reverse(x.begin(), x.end());
    return status;
  }
  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    return right_->unpack(t, forward(x), q, u);
  }
  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    return right_->reactions(t, forward(x), reactions);
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = right_->rhs(t, forward(x), xdot_);
    std::reverse_copy(xdot_.begin(), xdot_.end(), xdot.begin());
    return status;
  }

 private:
  std::span<const double> forward(std::span<const double> x) {
    std::reverse_copy(x.begin(), x.end(), x_.begin());
    return x_;
  }

  std::unique_ptr<Formulation> right_;
  std::vector<double> x_;
  std::vector<double> xdot_;
};

}  // namespace

MechanismEntry user_mechanism() {
  static const ParameterSpecification mass{"mass", 2.0, "mass of the bob, kg", 0.1, 10.0};
  return {"user_pendulum", "one link", "user", {&mass, 1}, make_pendulum};
}

FormulationEntry wrong_formulation() {
  FormulationEntry entry = dense_momentum_entry();
  entry.key = "user_wrong";
  entry.make = [](const Mechanism& mechanism, const Parameters& options,
                  const Execution& execution) -> std::unique_ptr<Formulation> {
    return std::make_unique<WrongFormulation>(dense_momentum_entry().make(mechanism, options, execution));
  };
  return entry;
}

FormulationEntry wrong_naudet_formulation() {
  FormulationEntry entry = *find_formulation(formulation_registry(), "naudet");
  entry.key = "user_wrong_naudet";
  entry.make = [](const Mechanism& mechanism, const Parameters& options,
                  const Execution& execution) -> std::unique_ptr<Formulation> {
    return std::make_unique<WrongFormulation>(
        find_formulation(formulation_registry(), "naudet")->make(mechanism, options, execution));
  };
  return entry;
}

FormulationEntry reversed_formulation() {
  FormulationEntry entry = dense_entry();
  entry.key = "user_reversed";
  entry.make = [](const Mechanism& mechanism, const Parameters& options,
                  const Execution& execution) -> std::unique_ptr<Formulation> {
    return std::make_unique<ReversedFormulation>(dense_entry().make(mechanism, options, execution));
  };
  return entry;
}

Registries registries_with_user_entries() {
  Registries registries = default_registries();
  registries.mechanisms.push_back(user_mechanism());
  registries.formulations.push_back(wrong_formulation());
  registries.formulations.push_back(reversed_formulation());
  return registries;
}

}  // namespace mbdbench
