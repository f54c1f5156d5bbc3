#include "experiments/monitors/branch_watch.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/validation/spectrum.hpp"

namespace mbdbench {
namespace {

// A dip begins and ends here. Steps of usual tolerances pass from a tenth to the other side at once.
constexpr double kDip = 0.03;
constexpr double kNearDip = 0.1;
// Positions are not known better than to the drift; s^2 < |Phi| / L is then as good as zero. Measured in runs on wrong
// branches: 4e-6 to 1.5e-4 with |Phi| = 1e-8 to 6e-5 m. No other motion of the catalogue comes so near and turns back.
constexpr double kReachOfDrift = 3.0;
constexpr double kAlwaysNear = 1e-3;
// Where two singular values meet their vectors turn into one another.
constexpr double kSameVector = 0.7;
// Cosine of the angle between directions that span no plane.
constexpr double kOpposite = -0.99;
// Of the way through a dip: a mechanism that stops and returns ends where it began.
constexpr double kReturned = 0.2;
// Cosine of the angle between velocities there and back.
constexpr double kReturning = -0.9;
// As good as zero without drift; and how far, in radians or lengths of the mechanism, a loop may move before it is
// said to stay there. Even s that goes like the third power of the way is larger at a tenth of that.
constexpr double kZero = 1e-6;
constexpr double kStays = 0.3;
// Entries of Phi_q, rows of which are evaluated at every step; and rows or velocities of which all are looked at
// together, 1 ms at this size.
constexpr double kMostEntries = 1e6;
constexpr Eigen::Index kMostTogether = 48;

/// Of the n x n factor of a thin A^T = Q R, A m x n with m < n.
struct Triplet {
  Eigen::VectorXd values;
  Eigen::VectorXd left;
  Eigen::VectorXd right;
};

/// \returns all singular values of A and the vectors of number `index`, which is not zero.
Triplet singular_triplet(const Eigen::MatrixXd& a, Eigen::Index index) {
  Triplet result;
  if (a.rows() < a.cols()) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(a.transpose());
    const Eigen::MatrixXd r = qr.matrixQR().topRows(a.rows()).triangularView<Eigen::Upper>();
    const SingularDecomposition small = singular_decomposition(r);  // its right vectors are the left ones of A
    result.values = small.values;
    result.left = small.v.col(index);
    result.right = (a.transpose() * result.left).normalized();
  } else {
    const SingularDecomposition all = singular_decomposition(a);
    result.values = all.values;
    result.right = all.v.col(index);
    result.left = (a * result.right).normalized();
  }
  return result;
}

Eigen::Index rank_of(const Eigen::MatrixXd& a) {
  const Eigen::VectorXd values = singular_triplet(a, 0).values;
  const double limit = std::max(kRankWhereClosed * values[0], kRankWhereClosed);
  return std::count_if(values.begin(), values.end(), [limit](double value) { return value > limit; });
}

/// \returns x turned as much as the direction of the motion turned, in their plane. At a crossing of branches the right
/// vector is orthogonal to the branch and turns with it.
Eigen::VectorXd turned(const Eigen::VectorXd& x, const Eigen::VectorXd& from, const Eigen::VectorXd& to) {
  const Eigen::VectorXd a = from.normalized();
  const Eigen::VectorXd b = to.normalized();
  const double cosine = a.dot(b);
  if (!(cosine > kOpposite)) {
    return x;
  }
  return x - ((a + b).dot(x) / (1.0 + cosine)) * (a + b) + 2.0 * a.dot(x) * b;
}

}  // namespace

bool SingularValueTrack::set_value(const Eigen::MatrixXd& a, const Eigen::VectorXd& u) {
  const Triplet found = singular_triplet(a, rank_ - 1);
  const double size = found.values[rank_ - 1] / found.values[0];
  const bool crowded = alone_ && rank_ > 1 && found.values[rank_ - 2] < 3.0 * found.values[rank_ - 1];
  const double along_left = left_.size() > 0 ? left_.dot(found.left) : 0.0;
  const bool near = size < kNearDip && std::abs(value_) < kNearDip;
  const double along_right = right_.size() == 0 ? 0.0 : (near ? turned(right_, u_, u) : right_).dot(found.right);
  // Near a singular position the left vector is the only one of its kind; right ones differ from branch to branch.
  const bool continued =
      std::abs(along_left) > kSameVector && !crowded && (near || std::abs(along_right) > kSameVector);
  u_ = u;
  left_ = along_left < 0.0 ? Eigen::VectorXd(-found.left) : found.left;
  right_ = along_right < 0.0 ? Eigen::VectorXd(-found.right) : found.right;
  value_ = along_left * along_right < 0.0 ? -size : size;
  return continued;
}

void SingularValueTrack::forget() {
  last_.clear();
  dips_ = false;
}

bool SingularValueTrack::follow(double t, const Eigen::MatrixXd& a, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
                                const Eigen::VectorXd& moved, double open) {
  if (rank_ == 0) {
    return false;
  }
  if (!set_value(a, u)) {
    forget();
  }
  if (!last_.empty() && (last_.back().value < 0.0) != (value_ < 0.0)) {
    ++passages_;
  }
  last_.push_back({t, value_, u});
  if (last_.size() > 4) {
    last_.pop_front();
  }
  bool changed = leaves_a_dip(t, q, open);
  if (!changed && jumps_back()) {
    nearest_ = std::abs(last_[1].value) < std::abs(last_[2].value) ? last_[1] : last_[2];
    changed = true;
  }
  last_q_ = q;
  changed = stays(t, a, moved, open) || changed;
  // The next step, or the end of the dip, may show the same position again.
  if (!changed || told_ == nearest_.t) {
    return false;
  }
  told_ = nearest_.t;
  return true;
}

/// Needs no vectors: where several singular values vanish, those of the last of them are any of a space.
bool SingularValueTrack::stays(double t, const Eigen::MatrixXd& a, const Eigen::VectorXd& moved, double open) {
  if (std::abs(value_) >= std::min(kDip, std::max(kZero, kReachOfDrift * std::sqrt(open)))) {
    was_regular_ = was_regular_ || std::abs(value_) >= kDip;
    stays_since_.reset();
    return false;
  }
  if (!was_regular_) {
    return false;
  }
  if (!stays_since_) {
    stays_since_ = moved;
    return false;
  }
  // What moves elsewhere in the mechanism, a floating base for one, does not move the loop.
  const Eigen::VectorXd columns = a.colwise().norm();
  const Eigen::VectorXd way = (columns.array() > kZero * columns.maxCoeff()).select(moved - *stays_since_, 0.0);
  if (way.norm() < kStays) {
    return false;
  }
  was_regular_ = false;
  nearest_ = {t, value_, {}};
  return true;
}

bool SingularValueTrack::leaves_a_dip(double t, const Eigen::VectorXd& q, double open) {
  if (!dips_) {
    // A run that begins within has no side to come from.
    const double before = last_.size() > 1 ? last_[last_.size() - 2].value : 0.0;
    if (std::abs(value_) < kDip && std::abs(before) >= kDip) {
      dips_ = true;
      entry_ = before;
      entry_q_ = last_q_;
      way_ = (q - last_q_).norm();
      nearest_ = {t, value_, {}};
    }
    return false;
  }
  way_ += (q - last_q_).norm();
  if (std::abs(value_) < std::abs(nearest_.value)) {
    nearest_ = {t, value_, {}};
  }
  if (std::abs(value_) < kDip) {
    return false;
  }
  dips_ = false;
  const double near = std::min(kDip, std::max(kAlwaysNear, kReachOfDrift * std::sqrt(open)));
  return (value_ < 0.0) == (entry_ < 0.0) && std::abs(nearest_.value) < near &&
         (q - entry_q_).norm() > kReturned * way_;
}

/// Whether both arms of the last four values point across zero between the inner two, which have one sign.
bool SingularValueTrack::jumps_back() const {
  if (last_.size() < 4) {
    return false;
  }
  const auto beyond = [](const Point& far, const Point& near, const Point& other) {
    const double continued = near.value + (near.value - far.value) * (other.t - near.t) / (near.t - far.t);
    return continued * near.value < 0.0 && std::abs(continued) > 0.5 * std::abs(other.value);
  };
  const bool one_sign = std::all_of(last_.begin(), last_.end(), [this](const Point& point) {
    return (point.value < 0.0) == (last_.front().value < 0.0);
  });
  // A mechanism that stops and returns touches zero like a parabola.
  const bool returns = last_[3].u.dot(last_[0].u) < kReturning * last_[3].u.norm() * last_[0].u.norm();
  return one_sign && !returns && std::min(std::abs(last_[1].value), std::abs(last_[2].value)) < kNearDip &&
         beyond(last_[0], last_[1], last_[2]) && beyond(last_[3], last_[2], last_[1]);
}

BranchWatch::BranchWatch(const Mechanism& mechanism) : mechanism_(&mechanism) {
  const double entries = static_cast<double>(mechanism.constraint_size()) * static_cast<double>(mechanism.u_size());
  if (mechanism.cut_joints().empty() || mechanism.u_size() == 0 || entries > kMostEntries) {
    return;
  }
  kinematics_.emplace(mechanism);
  std::vector<Eigen::Index> ranks(mechanism.cut_joints().size(), 0);
  const GenericRank& generic = mechanism.generic_rank();
  for (const Eigen::VectorXd& q : generic.positions) {
    set_rows(view(q));
    for (std::size_t c = 0; c < ranks.size(); ++c) {
      const Joint& cut = mechanism.cut_joints()[c];
      if (cut.nc > 0) {
        ranks[c] = std::max(ranks[c], rank_of(phi_q_.middleRows(cut.row_offset, cut.nc)));
      }
    }
  }
  for (const Eigen::Index rank : ranks) {
    tracks_.emplace_back(rank, false);
  }
  if (mechanism.constraint_size() <= kMostTogether && mechanism.u_size() <= kMostTogether &&
      mechanism.cut_joints().size() +
              static_cast<std::size_t>(mechanism.constraint_size() - mechanism.cut_row_count()) >
          1) {
    tracks_.emplace_back(std::min<Eigen::Index>(generic.rank, mechanism.u_size()), true);
  }
}

void BranchWatch::set_rows(std::span<const double> q) {
  kinematics_->set_positions(q);
  phi_q_ = mechanism_->scales().scaled(constraint_jacobian(*kinematics_));
}

void BranchWatch::follow(double t, std::span<const double> q, std::span<const double> u, double open) {
  if (!watches()) {
    return;
  }
  set_rows(q);
  if (!phi_q_.allFinite()) {
    return;
  }
  const Eigen::VectorXd position = Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
  const Eigen::VectorXd velocity = Eigen::Map<const Eigen::VectorXd>(u.data(), static_cast<Eigen::Index>(u.size()));
  const Eigen::VectorXd rate = velocity.cwiseQuotient(mechanism_->scales().columns);
  if (moved_.size() == 0) {
    moved_ = Eigen::VectorXd::Zero(rate.size());
  } else {
    moved_ += 0.5 * (t - t_) * (rate_ + rate);
  }
  rate_ = rate;
  t_ = t;
  const std::size_t loops = mechanism_->cut_joints().size();
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const bool single = i < loops;
    const Joint* const cut = single ? &mechanism_->cut_joints()[i] : nullptr;
    SingularValueTrack& track = tracks_[i];
    const bool changed =
        single ? track.follow(t, phi_q_.middleRows(cut->row_offset, cut->nc), position, velocity, moved_, open)
               : track.follow(t, phi_q_, position, velocity, moved_, open);
    if (track.follows()) {
      smallest_ = std::min(smallest_, std::abs(track.value()));
    }
    if (changed) {
      // One track notices at once what another one notices when it leaves its dip.
      const double nearest = track.nearest_time();
      const bool forward = t >= nearest;
      const auto place = std::find_if(changes_.begin(), changes_.end(), [&](const BranchChange& other) {
        return forward ? other.t > nearest : other.t < nearest;
      });
      changes_.insert(place, {nearest, single ? cut->name : std::string(), std::abs(track.nearest_value())});
    }
  }
}

int BranchWatch::passages() const {
  int sum = 0;
  for (std::size_t i = 0; i < std::min(tracks_.size(), mechanism_->cut_joints().size()); ++i) {
    sum += tracks_[i].passages();
  }
  return sum;
}

}  // namespace mbdbench
