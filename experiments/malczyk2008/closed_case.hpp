#pragma once
/// \file
/// A mechanism of the paper on one or two ranks, ready to run.
#include <memory>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/simulation/simulation.hpp"
#include "formulations/bae_haug/exchange.hpp"

namespace mbdbench::malczyk2008 {

/// Tolerance, absolute and relative, of the timed runs: ours, since the paper gives none.
inline constexpr double kTolerance = 1e-6;
/// Baumgarte's alpha = beta, from the middle of the paper's interval (1, 20): ours, since the paper gives none. 1/s.
inline constexpr double kBaumgarte = 10.0;
/// As records name the sequential program, one process that evaluates both sub-chains, and two ranks.
inline constexpr const char* kSerial = "bae-haug[alpha=10,beta=10]";
inline constexpr const char* kSplit = "bae-haug[alpha=10,beta=10,sub-chains]";
inline constexpr const char* kTwoRanks = "bae-haug[alpha=10,beta=10,ranks=2]";
/// Two ranks of one machine whose messages go over TCP: a stand-in for a second node.
inline constexpr const char* kTwoRanksTcp = "bae-haug[alpha=10,beta=10,ranks=2,messages=tcp]";
/// Backward differentiation of variable order and step, as the paper's.
inline constexpr const char* kIntegrator = "cvode-bdf";

/// Which program evaluates the right-hand side.
enum class Program {
  serial,  ///< bae-haug, one recursion over the tree
  split    ///< one recursion a sub-chain: both here, or with an exchange one here
};

/// A mechanism with the formulation of Bae and Haug, initial state packed.
class ClosedCase {
 public:
  /// \param exchange of the split program on two ranks; nullptr otherwise; must outlive the case
  ClosedCase(const Registries& registries, const std::string& mechanism, Program program, Exchange* exchange);

  [[nodiscard]] Formulation& formulation() { return *formulation_; }
  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }
  [[nodiscard]] const std::vector<double>& x0() const { return x0_; }

  /// Runs the paper's integrator from 0 to `end` with samples every `step` s.
  SimulationResult run(const Registries& registries, double end, double step, double tolerance, OdeSink& sink);

 private:
  std::unique_ptr<const Mechanism> mechanism_;
  std::unique_ptr<Formulation> formulation_;
  std::vector<double> x0_;
};

}  // namespace mbdbench::malczyk2008
