#pragma once
/// \file
/// Numbers for claims: values by case, as text and as answers.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/chadaj2017/variants.hpp"
#include "experiments/records/claim_facts.hpp"
#include "experiments/records/record.hpp"

namespace mbdbench::chadaj2017 {

/// A statement with its place in the paper and the criterion by which it is judged.
struct Statement {
  std::string_view section;  ///< "3.2"; with "ours, beside " in front for a question that the paper does not ask
  std::string_view text;
  std::string_view criterion;
};

/// What was measured for one claim over the three cases.
class CaseFacts : public ClaimFacts {
 public:
  explicit CaseFacts(const std::vector<Record>& records) : records_(records) {}

  /// Compares a number of DCA and of HDCA in every case, with ode45 at the paper's tolerance.
  /// \param holds of (DCA's, HDCA's)
  void compare_cases(std::string_view parameters, std::string_view quantity, std::string_view unit,
                     const std::function<bool(double, double)>& holds);

  /// Judges a number of one variant in every case. \param holds of the number
  void check_cases(const Variant& variant, std::string_view integrator, std::string_view parameters,
                   std::string_view quantity, std::string_view unit, const std::function<bool(double)>& holds);

  /// Says that a number is missing because a run failed.
  void missing(std::string_view what);

  [[nodiscard]] Claim claim(const Statement& statement) const;

 private:
  const std::vector<Record>& records_;
};

/// \returns a statement that was not measured, and why.
Claim unmeasured_claim(const Statement& statement, std::string why);

}  // namespace mbdbench::chadaj2017
