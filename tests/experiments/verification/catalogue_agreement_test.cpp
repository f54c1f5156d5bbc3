/// \file
/// Accelerations of one formulation against those of another that shares nothing with it but the model: Naudet's
/// recursions, Bae and Haug's and the articulated bodies against the divide-and-conquer formulations of momenta and of
/// velocities, on the whole catalogue. None of them meets the dense reference here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/verification/derivatives/state_derivative.hpp"
#include "experiments/verification/reference/verification_states.hpp"
#include "experiments/verification/verification.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

constexpr double kStepOfDifferences = 1e-3;

/// \returns the formulation; nothing for a mechanism that it refuses.
std::unique_ptr<Formulation> made_or_refused(const Registries& registries, const std::string& key,
                                             const std::string& options, const Mechanism& mechanism) {
  const FormulationEntry& entry = *find_formulation(registries.formulations, key);
  if (!entry.refusal(mechanism).empty()) {
    return nullptr;
  }
  try {
    return make_formulation(registries.formulations, entry, mechanism, options);
  } catch (const ModelError&) {
    return nullptr;
  }
}

/// u' of any formulation, whatever its state holds: u by differences along its right-hand side.
StateDerivative accelerations_of(Formulation& formulation, const VerificationState& state) {
  Eigen::VectorXd x(static_cast<Eigen::Index>(formulation.state_size()));
  Eigen::VectorXd xdot(x.size());
  StateDerivative result;
  RhsStatus status = formulation.pack(state.t, view(state.q), view(state.u), view(x));
  if (status.ok) {
    status = formulation.rhs(state.t, view(x), view(xdot));
  }
  if (!status.ok) {
    result.failure = status.message();
    return result;
  }
  Eigen::VectorXd q(state.q.size());
  const StateFunction velocities = [&](double t, std::span<const double> at, Eigen::VectorXd& u) {
    u.resize(state.u.size());
    return formulation.unpack(t, at, view(q), view(u)).message();
  };
  const double size = std::max({1.0, state.u.lpNorm<Eigen::Infinity>(), std::sqrt(xdot.lpNorm<Eigen::Infinity>())});
  return derivative_along(velocities, state.t, x, xdot, kStepOfDifferences / size);
}

/// Compares two formulations on one mechanism at one state. \returns whether both treat it
bool same_accelerations(Formulation* formulation, Formulation* other, const VerificationState& state) {
  if (formulation == nullptr || other == nullptr) {
    return false;
  }
  const StateDerivative ours = accelerations_of(*formulation, state);
  const StateDerivative theirs = accelerations_of(*other, state);
  EXPECT_EQ(ours.failure, "");
  EXPECT_EQ(theirs.failure, "");
  if (!ours.failure.empty() || !theirs.failure.empty()) {
    return false;
  }
  const double size = std::max(1.0, theirs.value.lpNorm<Eigen::Infinity>());
  // Differences over 1e-3 of velocities right to 1e-13 of a few rad/s, with a factor for the conditions of the loops;
  // their truncation is estimated from two steps. A wrong term shows at 1e-2 and above.
  const double uncertainty = ours.uncertainty.lpNorm<Eigen::Infinity>() + theirs.uncertainty.lpNorm<Eigen::Infinity>();
  EXPECT_LT(uncertainty / size, 1e-4) << "says nothing";
  EXPECT_LT((ours.value - theirs.value).lpNorm<Eigen::Infinity>() / size, 1e-7 + uncertainty / size);
  return true;
}

struct Compared {
  const char* key;
  const char* options;
  int least;  ///< mechanisms compared with either of the two others
};

TEST(CatalogueAgreement, OfRecursionsWithDivideAndConquer) {
  const Registries registries = default_registries();
  std::vector<std::string> names = default_verification_mechanisms(registries);
  names.emplace_back("five_bar:shape=rhombus");
  // Of 31 mechanisms; the reduced forms refuse seven whose joints in loops are spherical or free.
  const std::vector<Compared> all = {{"naudet", "", 25},
                                     {"naudet-reduced", "", 24},
                                     {"naudet-acc", "", 25},
                                     {"naudet-acc-reduced", "", 24},
                                     {"naudet", "loops=matrices", 15},
                                     {"bae-haug", "", 25},
                                     {"aba", "", 10}};
  std::vector<int> compared(2 * all.size(), 0);
  for (const std::string& name : names) {
    const Mechanism mechanism = make_mechanism(registries.mechanisms, name);
    const VerificationStates drawn = draw_verification_states(mechanism, 1, 7);
    const VerificationState& state = drawn.states.back();
    const auto hdca = made_or_refused(registries, "hdca", "", mechanism);
    const auto dca = made_or_refused(registries, "dca", "", mechanism);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto formulation = made_or_refused(registries, all[i].key, all[i].options, mechanism);
      SCOPED_TRACE(fmt::format("{}[{}] on {}", all[i].key, all[i].options, name));
      compared[2 * i] += same_accelerations(formulation.get(), hdca.get(), state) ? 1 : 0;
      compared[2 * i + 1] += same_accelerations(formulation.get(), dca.get(), state) ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_GE(compared[2 * i], all[i].least) << all[i].key << ' ' << all[i].options << ", hdca";
    EXPECT_GE(compared[2 * i + 1], all[i].least) << all[i].key << ' ' << all[i].options << ", dca";
  }
}

}  // namespace
}  // namespace mbdbench
