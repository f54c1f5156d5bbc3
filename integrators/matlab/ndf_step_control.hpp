#pragma once
/// \file
/// The next step and order of the differentiation formulas, from estimated errors at three orders.
///
/// L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22, section 2; the factors
/// are MATLAB's.
///
/// Cost: three powers a decision.
#include <limits>

namespace mbdbench {

struct StepAndOrder {
  double step = 0.0;
  int order = 1;
};

/// Estimated relative errors of the present step with the formula itself and with its neighbours; infinity where there
/// is none.
struct OrderErrors {
  double same = 0.0;
  double lower = std::numeric_limits<double>::infinity();
  double higher = std::numeric_limits<double>::infinity();
};

/// After the first failed error test of a step: a tenth to 0.833 of the step at the present order, or up to the same
/// step at the order below if that allows more.
StepAndOrder after_first_failure(const StepAndOrder& now, const OrderErrors& errors, double relative_tolerance);

/// After a success: the order that allows the largest step, up to ten times the present one, if it is larger than that;
/// else both stay, since a change costs a factorisation.
StepAndOrder after_success(const StepAndOrder& now, const OrderErrors& errors, double relative_tolerance);

}  // namespace mbdbench
