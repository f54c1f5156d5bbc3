#pragma once
/// \file
/// Makes the records of one run of an experiment.
#include <string>
#include <string_view>

#include "experiments/record.hpp"
#include "experiments/simulation.hpp"

namespace mbdbench {

/// A number to compare with.
struct Comparison {
  double value;
  std::string_view source;
  double relative_limit;  ///< 0 asks for equality
  std::string_view reason;
};

/// What the records of one run have in common, with the names that `Record` explains.
class RecordMaker {
 public:
  RecordMaker(std::string_view experiment, std::string_view mechanism, std::string_view formulation,
              std::string_view integrator, std::string parameters)
      : experiment_(experiment),
        mechanism_(mechanism),
        formulation_(formulation),
        integrator_(integrator),
        parameters_(std::move(parameters)) {}

  [[nodiscard]] Record measured(std::string quantity, std::string unit, double value, std::string note = {}) const;
  [[nodiscard]] Record compared(std::string quantity, std::string unit, double value,
                                const Comparison& comparison) const;
  /// A number shown beside another one that it need not meet. \param note why not
  [[nodiscard]] Record trend(std::string quantity, std::string unit, double value, double other,
                             std::string_view source, std::string note) const;
  /// The record of a run that did not reach its end.
  [[nodiscard]] Record failed(std::string quantity, std::string unit, const SimulationResult& result) const;

 private:
  std::string experiment_;
  std::string mechanism_;
  std::string formulation_;
  std::string integrator_;
  std::string parameters_;
};

/// \returns "tolerance=1e-06".
std::string tolerance_text(double tolerance);

}  // namespace mbdbench
