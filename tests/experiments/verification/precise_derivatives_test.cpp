/// \file
/// Exact derivatives along the constraints to all digits of a double, against differences of Kane's equations with 113
/// bits: trees and loops in space, with screws, couplings and rows that repeat others, in velocities and in momenta.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/registries/formulation_choice.hpp"
#include "experiments/verification/reference/verification_reference.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/experiments/kane/kane_derivatives.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

/// Rates of coordinates of the tree joints.
Eigen::VectorXd coordinate_rates_of(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  Eigen::VectorXd rates(q.size());
  for (const Joint& joint : mechanism.tree_joints()) {
    const auto nq = static_cast<std::size_t>(joint.nq);
    const auto at = static_cast<std::size_t>(joint.q_offset);
    coordinate_rates(joint, view(q).subspan(at, nq),
                     view(u).subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu)),
                     view(rates).subspan(at, nq));
  }
  return rates;
}

/// The largest error of derivatives along the motion, over the sum of their absolute terms; of rates themselves first.
struct Errors {
  double rates = 0.0;
  double derivatives = 0.0;
};

Errors errors(Formulation& formulation, const KaneDerivatives& kane, bool momenta) {
  const Mechanism& mechanism = formulation.mechanism();
  const KaneMotion& here = kane.here;
  const KaneMotion& changes = kane.changes;
  const Eigen::Index nq = here.q.size();
  const Eigen::Index nu = here.u.size();
  Eigen::VectorXd x(nq + nu);
  Eigen::VectorXd direction(nq + nu);
  x << here.q, momenta ? here.momenta : here.u;
  const Eigen::VectorXd moved = coordinate_rates_of(mechanism, here.q, changes.q);
  direction << moved, momenta ? changes.momenta : changes.u;
  // q' is linear in the quaternions and in u.
  Eigen::VectorXd expected(nq + nu);
  expected << coordinate_rates_of(mechanism, here.q, changes.u) +
                  (coordinate_rates_of(mechanism, here.q + moved, here.u) -
                   coordinate_rates_of(mechanism, here.q, here.u)),
      momenta ? changes.moment_rates : changes.rates;
  Eigen::VectorXd rates(nq + nu);
  EXPECT_TRUE(formulation.rhs(0.0, view(std::as_const(x)), view(rates)).ok);
  Eigen::MatrixXd columns(nq + nu, nq + nu);  // transposed
  EXPECT_TRUE(
      formulation.jacobian(0.0, view(std::as_const(x)), {columns.data(), static_cast<std::size_t>(columns.size())}).ok);
  const Eigen::VectorXd found = columns.transpose() * direction;
  const Eigen::VectorXd terms = columns.transpose().cwiseAbs() * direction.cwiseAbs();
  Eigen::VectorXd product(nq + nu);
  EXPECT_TRUE(
      formulation.jacobian_vector(0.0, view(std::as_const(x)), view(std::as_const(direction)), view(product)).ok);
  const Eigen::VectorXd weights =
      Eigen::VectorXd::Ones(nq + nu).cwiseQuotient(expected.cwiseAbs().cwiseMax(1e-3 * expected.cwiseAbs().maxCoeff()));
  Eigen::VectorXd weighted(nq + nu);
  EXPECT_TRUE(
      formulation.vector_jacobian(0.0, view(std::as_const(x)), view(std::as_const(weights)), view(weighted)).ok);
  const Eigen::VectorXd& wanted = momenta ? here.moment_rates : here.rates;
  Errors worst;
  worst.rates = (rates.tail(nu) - wanted).cwiseAbs().maxCoeff() / std::max(1.0, wanted.cwiseAbs().maxCoeff());
  for (const auto& [first, count] : {std::pair(Eigen::Index{0}, nq), std::pair(nq, nu)}) {
    const double size = terms.segment(first, count).maxCoeff();
    for (const Eigen::VectorXd* const one : {&found, &std::as_const(product)}) {
      worst.derivatives =
          std::max(worst.derivatives, (*one - expected).segment(first, count).cwiseAbs().maxCoeff() / size);
    }
  }
  worst.derivatives =
      std::max(worst.derivatives, std::abs(weighted.dot(direction) - weights.dot(expected)) / weights.dot(terms));
  return worst;
}

/// With constant loads and springs, whose numbers do not pass through doubles on their way.
MechanismDescription of_closed_form(const std::string& key) {
  MechanismDescription description = make_mechanism(mechanism_registry(), key).description();
  const auto varies = [](const Law& law) { return !std::holds_alternative<ConstantLaw>(law); };
  std::erase_if(description.joint_loads, [&](const JointLoadDescription& load) { return varies(load.law); });
  std::erase_if(description.body_loads, [&](const BodyLoadDescription& load) {
    return std::any_of(load.force.begin(), load.force.end(), varies) ||
           std::any_of(load.torque.begin(), load.torque.end(), varies);
  });
  return description;
}

TEST(PreciseDerivatives, AlongTheConstraintsAgreeWithDifferencesOf113Bits) {
  const std::uint64_t seed = test::seed_of_run(1);
  fmt::print("seed {}\n", seed);
  std::vector<std::string> keys = {"four_bar", "bricard", "bennett"};
  for (std::uint64_t s = seed; s < seed + 4; ++s) {
    keys.push_back(fmt::format("random_closed:seed={},bodies={},cuts=1", s, 3 + s % 2));
  }
  keys.push_back(fmt::format("random_tree:seed={},bodies=4", seed));
  std::size_t compared = 0;
  double largest = 0.0;
  for (const std::string& key : keys) {
    const Mechanism mechanism(of_closed_form(key));
    RandomSource random(static_cast<std::int64_t>(seed));
    const KaneDerivatives kane = derivatives_by_differences(mechanism, random);
    VerificationReference dense(mechanism, *find_formulation(formulation_registry(), "dense"),
                                *find_formulation(formulation_registry(), "dense-momentum"));
    const double condition =
        dense.at({0.0, kane.here.q, kane.here.u, Eigen::VectorXd::Zero(mechanism.constraint_size())}).condition;
    // Rounding as in verify.
    const double limit =
        std::clamp(10.0 * mechanism.u_size() * std::numeric_limits<double>::epsilon() * condition, 1e-14, 1e-10);
    for (const char* const name : {"dense", "bae-haug", "dca", "aba", "dense-momentum", "hdca"}) {
      const FormulationChoice choice = choose_formulation(formulation_registry(), name);
      if (!refusal_of(*choice.entry, mechanism).empty()) {
        continue;
      }
      const auto formulation = make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options);
      if (!formulation->without_jacobian().empty()) {
        continue;
      }
      const auto layout = formulation->layout();
      const bool momenta = std::any_of(layout.begin(), layout.end(), [](const StateComponent& component) {
        return component.kind == StateKind::momentum;
      });
      const Errors found = errors(*formulation, kane, momenta);
      EXPECT_LE(found.rates, limit) << name << " on " << key;
      EXPECT_LE(found.derivatives, limit) << name << " on " << key;
      largest = std::max(largest, found.derivatives);
      ++compared;
    }
  }
  fmt::print("{} comparisons, largest error {:.1e} of the absolute terms\n", compared, largest);
  EXPECT_GE(compared, 30U);
}

}  // namespace
}  // namespace mbdbench
