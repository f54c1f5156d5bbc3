#include "experiments/verification/precise_parameter_check.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// \returns the changes of all parameters along their direction.
std::vector<precise::NumberChange> changes_of(std::span<const VaryingParameter> parameters) {
  std::vector<precise::NumberChange> changes;
  std::transform(parameters.begin(), parameters.end(), std::back_inserter(changes), [](const VaryingParameter& one) {
    return precise::NumberChange{one.parameter.kind, one.place, one.change};
  });
  return changes;
}

}  // namespace

std::string compare_with_precise_parameters(Formulation& formulation, const precise::PreciseChanges& precise,
                                            std::span<const VaryingParameter> parameters, const DerivativePlace& place,
                                            const DerivativeProduct& product, const DerivativeComparison& comparison) {
  const std::vector<precise::NumberChange> changes = changes_of(parameters);
  const Eigen::VectorXd direction = precise.closing(view(place.x), changes);
  DerivativeProduct found = product;
  if (precise.bends(view(place.x), view(direction), changes)) {
    return {};  // it has no derivative, and differences look from either side
  }
  if (direction.size() > 0) {
    const auto size = place.x.size();
    Rows rows(size, size);
    const RhsStatus status =
        formulation.jacobian(place.t, view(place.x), {rows.data(), static_cast<std::size_t>(rows.size())});
    if (!status.ok) {
      return "derivatives: " + status.message();
    }
    found.value += rows * direction;
    found.terms += rows.cwiseAbs() * direction.cwiseAbs();
  }
  const Eigen::VectorXd exact = precise.along(place.t, view(place.x), view(direction), changes);
  for (const auto& block : comparison.blocks()) {
    comparison.tell(block, found.value, exact, comparison.size_of_product(found.terms, block),
                    "by 113 bits of parameters");
  }
  return {};
}

}  // namespace mbdbench
