#include "mechanisms/model/start/generic_rank.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/loads/motions.hpp"
#include "mechanisms/model/start/least_change.hpp"

namespace mbdbench {
namespace {

// Largest change of a joint coordinate, of the mechanism's length or rad: far enough for the singular values that
// vanish at the start to stand out, near enough to be closed again.
constexpr std::array<double, 4> kStepsAside = {0.05, 0.1, 0.15, 0.2};
constexpr int kMostCorrections = 20;
// Rounding of the positions at the ends of a loop.
constexpr double kClosedToRounding = 1e-13;
// Where the loops are open by |Phi|, redundant rows have singular values of about that size.
constexpr double kRedundantNextToOpening = 0.3;
// Opened by the first number, rows that are redundant at closed positions only reach the second.
constexpr double kOpening = 1e-2;
constexpr double kRankWhereOpen = 1e-6;

class RankFinder {
 public:
  explicit RankFinder(const Mechanism& mechanism)
      : mechanism_(mechanism), scales_(mechanism.scales()), kinematics_(mechanism), motions_(mechanism) {
    motions_.evaluate(0.0);
  }

  GenericRank find() {
    GenericRank found;
    const Eigen::VectorXd& start = mechanism_.q0();
    found.positions.push_back(start);
    if (mechanism_.u_size() == 0) {
      return found;  // bodies that are all welded: every row is redundant
    }
    found.rank = rank_at(start, kRankWhereClosed);
    if (found.rank == mechanism_.constraint_size()) {
      return found;
    }
    for (std::size_t i = 0; i < kStepsAside.size(); ++i) {
      Eigen::VectorXd q = moved(start, kStepsAside[i] * tangent(start, static_cast<double>(i + 1)));
      if (close(q)) {
        found.rank = std::max(found.rank, rank_at(q, kRankWhereClosed));
        found.positions.push_back(std::move(q));
      }
    }
    if (found.positions.size() == 1) {
      // Nothing is known of the rank elsewhere: no limit.
      found.rank = mechanism_.constraint_size();
      return found;
    }
    found.overconstrained = rank_at(moved(start, kOpening * direction(1.0)), kRankWhereOpen) > found.rank;
    return found;
  }

 private:
  /// Phi_q,s at q. \returns the rows of the cut joints, which are to be kept closed, zeros in those that are driven:
  /// prescribed motions move the mechanism through all its positions.
  Eigen::MatrixXd set_positions(const Eigen::VectorXd& q) {
    kinematics_.set_positions(view(q));
    phi_q_ = scales_.scaled(constraint_jacobian(kinematics_));
    Eigen::MatrixXd rows = phi_q_.topRows(mechanism_.cut_row_count());
    release_driven(rows);
    return rows;
  }

  template <typename Rows>
  void release_driven(Rows&& rows) const {
    for (const int row : motions_.rows()) {
      if (row < mechanism_.cut_row_count()) {
        rows.row(row).setZero();
      }
    }
  }

  int rank_at(const Eigen::VectorXd& q, double threshold) {
    set_positions(q);
    return rank_of_scaled(phi_q_, threshold);
  }

  /// Fixed numbers, so that every run finds the same. Largest entry 1.
  [[nodiscard]] Eigen::VectorXd direction(double number) const {
    Eigen::VectorXd result(mechanism_.u_size());
    for (Eigen::Index i = 0; i < result.size(); ++i) {
      result[i] = std::sin(1.7 * (number + 0.3) * static_cast<double>(i + 1) + number);
    }
    return result / std::max(result.lpNorm<Eigen::Infinity>(), 1e-300);
  }

  /// The same within the null space of the cut joints' rows, scaled.
  Eigen::VectorXd tangent(const Eigen::VectorXd& q, double number) {
    const Eigen::MatrixXd rows = set_positions(q);
    Eigen::VectorXd result = direction(number);
    result -= least_change(rows, rows * result, kRankWhereClosed);
    const double largest = result.lpNorm<Eigen::Infinity>();
    return largest > kRankWhereClosed ? Eigen::VectorXd(result / largest) : Eigen::VectorXd(0.0 * result);
  }

  /// \param scaled_change over u
  [[nodiscard]] Eigen::VectorXd moved(Eigen::VectorXd q, const Eigen::VectorXd& scaled_change) const {
    const Eigen::VectorXd change = scaled_change.cwiseProduct(scales_.columns);
    std::array<double, 7> rates{};
    for (const Joint& joint : mechanism_.tree_joints()) {
      const auto nq = static_cast<std::size_t>(joint.nq);
      const auto own = view(q).subspan(static_cast<std::size_t>(joint.q_offset), nq);
      coordinate_rates(
          joint, own,
          view(change).subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu)),
          std::span(rates).first(nq));
      for (std::size_t i = 0; i < nq; ++i) {
        own[i] += rates[i];
      }
      if (has_quaternion(joint.type)) {
        q.segment<4>(joint.q_offset).normalize();
      }
    }
    return q;
  }

  /// Gauss-Newton on the cut joints. \returns whether they are closed to rounding
  bool close(Eigen::VectorXd& q) {
    Eigen::VectorXd residual(mechanism_.constraint_size());
    double best = 1.0;
    for (int i = 0; i < kMostCorrections; ++i) {
      const Eigen::MatrixXd rows = set_positions(q);
      constraint_residual(kinematics_, view(q), motions_.positions(), view(residual));
      Eigen::VectorXd open = residual.cwiseProduct(scales_.rows).head(mechanism_.cut_row_count());
      release_driven(open);
      const double size = open.lpNorm<Eigen::Infinity>();
      if (size < kClosedToRounding) {
        return true;
      }
      if (!(size < 1.0)) {
        return false;
      }
      if (i > 5 && size > 0.5 * best) {
        return size < kOpen;  // long loops round to more, and typed digits leave redundant rows open
      }
      best = std::min(best, size);
      q = moved(std::move(q), -least_change(rows, open, std::max(kRedundantNextToOpening * size, kRankWhereClosed)));
    }
    return false;
  }

  const Mechanism& mechanism_;
  const CharacteristicScales& scales_;
  Kinematics kinematics_;
  PrescribedMotions motions_;
  Eigen::MatrixXd phi_q_;
};

}  // namespace

GenericRank find_generic_rank(const Mechanism& mechanism) {
  if (!mechanism.constrained()) {
    return {};
  }
  return RankFinder(mechanism).find();
}

}  // namespace mbdbench
