#include "experiments/verification/derivatives/rounding_of_numbers.hpp"

#include <limits>

#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench {

Eigen::VectorXd rounding_of_numbers(const Eigen::VectorXd& x, const NumbersOfState& numbers, Eigen::Index size,
                                    const StateNeighbours& neighbours, const Eigen::VectorXd& here) {
  constexpr double kRoundings = 4.0;  // of a sum of some tens of them
  const double eps = neighbours.roundings_apart * std::numeric_limits<double>::epsilon();
  RandomSource random(neighbours.states);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> found(neighbours.states, size);
  Eigen::VectorXd there(size);
  for (int k = 0; k < neighbours.states; ++k) {
    Eigen::VectorXd moved = x;
    for (double& number : moved) {
      number *= 1.0 + eps * random.uniform(-1.0, 1.0);
    }
    if (!numbers(moved, there)) {
      return Eigen::VectorXd::Zero(size);
    }
    found.row(k) = there.transpose();
  }
  const Eigen::RowVectorXd centre = here.size() > 0 ? Eigen::RowVectorXd(here.transpose()) : found.colwise().mean();
  return kRoundings * (found.rowwise() - centre).cwiseAbs().colwise().maxCoeff().transpose();
}

}  // namespace mbdbench
