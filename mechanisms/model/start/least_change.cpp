#include "mechanisms/model/start/least_change.hpp"

#include <Eigen/QR>
#include <algorithm>

namespace mbdbench {

int rank_of_scaled(const Eigen::MatrixXd& a, double smallest) {
  if (a.size() == 0) {
    return 0;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  const double largest = qr.maxPivot();
  if (!(largest > smallest)) {
    return 0;
  }
  qr.setThreshold(smallest * std::max(1.0, 1.0 / largest));
  return static_cast<int>(qr.rank());
}

Eigen::VectorXd least_change(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, double smallest) {
  if (a.size() == 0) {
    return Eigen::VectorXd::Zero(a.cols());
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(smallest);
  decomposition.compute(a);
  const double largest = decomposition.maxPivot();
  if (!(largest > smallest)) {
    return Eigen::VectorXd::Zero(a.cols());
  }
  if (largest < 1.0) {
    decomposition.setThreshold(smallest / largest);
    decomposition.compute(a);
  }
  return decomposition.solve(b);
}

}  // namespace mbdbench
