#pragma once
/// \file
/// Conditions of claims for readers, who know the titles of numbers and not the names of observers.
#include <string>

#include "experiments/studies/declaration/study.hpp"

namespace mbdbench::studies {

/// \returns "energy error of HDCA, ode45 < 2 * energy error of DCA, ode45": the condition with every observer's title,
/// and what its brackets choose.
std::string condition_in_words(const Study& study, const ClaimExpression& condition);

}  // namespace mbdbench::studies
