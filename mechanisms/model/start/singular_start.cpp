#include "mechanisms/model/start/singular_start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/start/loop_closure.hpp"
#include "mechanisms/model/validation/model_check.hpp"
#include "mechanisms/model/validation/spectrum.hpp"

namespace mbdbench {
namespace {

// Large enough that singular values which vanish at the start stand out, small enough to close again.
constexpr double kStepAside = 0.03;
constexpr int kDirections = 3;
// Nearby, what a singular start hides is about kStepAside.
constexpr double kZeroNearby = 1e-6;
// The decompositions take O(n^3): a tenth of a second at this size.
constexpr int kMostVelocities = 300;

int rank_of(const Eigen::MatrixXd& matrix, double zero) {
  return static_cast<int>((singular_values(matrix).array() > zero).count());
}

/// \returns q0 moved along a free direction; fixed numbers, so that every run says the same.
Eigen::VectorXd moved(const Mechanism& mechanism, const Eigen::MatrixXd& free_directions, int number) {
  Eigen::VectorXd weights(free_directions.cols());
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    weights[i] = std::sin(static_cast<double>((number + 1) * (i + 1)) * 1.7 + number);
  }
  const Eigen::VectorXd direction =
      kStepAside * (free_directions * weights).normalized().cwiseProduct(mechanism.scales().columns);
  Eigen::VectorXd q = mechanism.q0();
  std::array<double, 7> rates{};
  for (const Joint& joint : mechanism.tree_joints()) {
    coordinate_rates(
        joint, view(q).subspan(static_cast<std::size_t>(joint.q_offset), static_cast<std::size_t>(joint.nq)),
        view(direction).subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu)), rates);
    for (int i = 0; i < joint.nq; ++i) {
      q[joint.q_offset + i] += rates[static_cast<std::size_t>(i)];
    }
  }
  return q;
}

Eigen::MatrixXd jacobian_at(Kinematics& kinematics, const Eigen::VectorXd& q) {
  kinematics.set_positions(view(q));
  return kinematics.mechanism().scales().scaled(constraint_jacobian(kinematics));
}

}  // namespace

std::optional<NearbyRanks> ranks_nearby(const Mechanism& mechanism) {
  Kinematics kinematics(mechanism);
  const Eigen::MatrixXd start = jacobian_at(kinematics, mechanism.q0());
  const SingularDecomposition svd = singular_decomposition(start);
  const double scale = std::max(1.0, start.norm());
  const auto rank = (svd.values.array() > kRankWhereClosed * scale).count();
  const Eigen::MatrixXd free_directions = svd.v.rightCols(start.cols() - rank);
  std::optional<NearbyRanks> found;
  for (int number = 0; number < kDirections && free_directions.cols() > 0; ++number) {
    InitialState state{moved(mechanism, free_directions, number), mechanism.u0(), {}};
    try {
      close_loops(mechanism, state);
    } catch (const ModelError&) {
      continue;  // at a singular position some free directions lead nowhere
    }
    const Eigen::MatrixXd phi_q = jacobian_at(kinematics, state.q);
    NearbyRanks& best = found ? *found : found.emplace();
    best.loops.resize(mechanism.cut_joints().size(), 0);
    best.rank = std::max(best.rank, rank_of(phi_q, kZeroNearby * scale));
    for (std::size_t c = 0; c < best.loops.size(); ++c) {
      const Joint& joint = mechanism.cut_joints()[c];
      best.loops[c] =
          std::max(best.loops[c], rank_of(phi_q.middleRows(joint.row_offset, joint.nc), kZeroNearby * scale));
    }
  }
  return found;
}

std::string singular_start_warning(const Mechanism& mechanism) {
  if (mechanism.cut_joints().empty() || mechanism.u_size() > kMostVelocities) {
    return {};
  }
  const ModelCheck check = check_model(mechanism);
  const std::optional<NearbyRanks> nearby = ranks_nearby(mechanism);
  if (!nearby || nearby->rank <= check.rank) {
    return {};
  }
  std::vector<std::string> loops;
  for (std::size_t c = 0; c < check.loops.size(); ++c) {
    if (nearby->loops[c] > check.loops[c].rank) {
      loops.push_back("'" + check.loops[c].cut_joint + "'");
    }
  }
  return fmt::format(
      "the initial position is singular: Phi_q has rank {} here and {} nearby ({}); accelerations and multipliers may "
      "not be unique",
      check.rank, nearby->rank,
      loops.empty() ? "several loops together" : fmt::format("loops cut at {}", fmt::join(loops, ", ")));
}

}  // namespace mbdbench
