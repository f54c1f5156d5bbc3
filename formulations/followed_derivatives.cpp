#include "formulations/followed_derivatives.hpp"

#include <algorithm>
#include <utility>

namespace mbdbench {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The first so many numbers.
Eigen::Map<const Eigen::VectorXd> head(std::span<const double> x, Eigen::Index count) {
  return {x.data(), count};
}

}  // namespace

FollowedDerivatives::FollowedDerivatives(Formulation& inner, std::span<const FollowedAngle> angles,
                                         bool begins_with_coordinates, FollowedMotion motion, OneState one)
    : inner_(&inner),
      angles_(angles),
      begins_with_coordinates_(begins_with_coordinates),
      motion_(motion),
      one_(std::move(one)) {}

std::string FollowedDerivatives::without_jacobian() const {
  return begins_with_coordinates_ ? inner_->without_jacobian()
                                  : "a law knows the angle of a cut joint, which has derivatives in states that begin "
                                    "with all coordinates of the tree alone";
}

RhsStatus FollowedDerivatives::set_slopes(double t, std::span<const double> x) {
  if (!begins_with_coordinates_) {
    return {false,
            {},
            "angles of cut joints have no derivatives where states do not begin with all coordinates, angles",
            static_cast<double>(angles_.size())};
  }
  const Mechanism& mechanism = inner_->mechanism();
  const auto angles = static_cast<Eigen::Index>(angles_.size());
  if (!slopes_) {
    slopes_.emplace(mechanism);
    by_coordinate_.resize(angles, mechanism.q_size());
    by_rate_.resize(angles, mechanism.q_size());
    rates_.resize(x.size());
    weights_.resize(inner_of(x).size());
  }
  const RhsStatus status = one_(t, x, rates_);
  for (Eigen::Index i = 0; status.ok && i < angles; ++i) {
    slopes_->set(angles_[static_cast<std::size_t>(i)], motion_.kinematics, inner_->cut_references(), motion_.q,
                 head(motion_.u, mechanism.u_size()));
    by_coordinate_.row(i) = slopes_->by_coordinate();
    by_rate_.row(i) = slopes_->by_rate();
  }
  return status;
}

RhsStatus FollowedDerivatives::jacobian(double t, std::span<const double> x, std::span<double> derivatives) {
  RhsStatus status = set_slopes(t, x);
  const auto angles = static_cast<Eigen::Index>(angles_.size());
  const auto size = static_cast<Eigen::Index>(x.size());
  const Eigen::Index count = inner_->mechanism().q_size();
  Rows own(size - angles, size - angles);
  if (status.ok) {
    status = inner_->jacobian(t, inner_of(x), {own.data(), static_cast<std::size_t>(own.size())});
  }
  if (status.ok) {
    Eigen::Map<Rows> all(derivatives.data(), size, size);
    all.setZero();
    all.topLeftCorner(size - angles, size - angles) = own;
    all.bottomLeftCorner(angles, size - angles).noalias() = by_rate_ * own.topRows(count);
    all.bottomLeftCorner(angles, count) += by_coordinate_;
  }
  return status;
}

RhsStatus FollowedDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                               std::span<double> product) {
  RhsStatus status = set_slopes(t, x);
  if (status.ok) {
    status = inner_->jacobian_vector(t, inner_of(x), inner_of(direction), inner_of(product));
  }
  if (status.ok) {
    const Eigen::Index count = inner_->mechanism().q_size();
    Eigen::Map<Eigen::VectorXd>(angles_of(product).data(), by_rate_.rows()) =
        by_coordinate_ * head(direction, count) + by_rate_ * head(product, count);
  }
  return status;
}

RhsStatus FollowedDerivatives::weighted_derivatives(double t, std::span<const double> x,
                                                    std::span<const double> weights, std::span<double> product,
                                                    const WeightsByParameter& by) {
  RhsStatus status = set_slopes(t, x);
  if (!status.ok) {
    return status;
  }
  const Eigen::Index count = inner_->mechanism().q_size();
  const auto of_angles = head(angles_of(weights), by_rate_.rows());
  std::copy_n(weights.begin(), weights_.size(), weights_.begin());
  Eigen::Map<Eigen::VectorXd>(weights_.data(), count) += by_rate_.transpose() * of_angles;
  status = by.empty() ? inner_->vector_jacobian(t, inner_of(x), weights_, inner_of(product))
                      : inner_->weighted_derivatives(t, inner_of(x), weights_, inner_of(product), by);
  if (status.ok) {
    Eigen::Map<Eigen::VectorXd>(product.data(), count) += by_coordinate_.transpose() * of_angles;
    std::fill_n(angles_of(product).begin(), angles_.size(), 0.0);
  }
  return status;
}

// A length, too, turns no body at held q and q'.
RhsStatus FollowedDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                                  std::span<const RateParameter> parameters,
                                                  std::span<double> derivatives) {
  RhsStatus status = set_slopes(t, x);
  const std::span<double> own = derivatives.first(inner_of(x).size() * parameters.size());
  if (status.ok) {
    status = inner_->parameter_jacobian(t, inner_of(x), parameters, own);
  }
  if (status.ok) {
    const auto columns = static_cast<Eigen::Index>(parameters.size());
    Eigen::Map<Rows>(derivatives.data() + own.size(), by_rate_.rows(), columns).noalias() =
        by_rate_ * Eigen::Map<const Rows>(own.data(), inner_->mechanism().q_size(), columns);
  }
  return status;
}

}  // namespace mbdbench
