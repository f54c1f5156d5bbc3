#include "experiments/gradients/numbers/loop_start.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "mechanisms/model/characteristic_scales.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench::gradients {
namespace {

std::string names_of(const std::vector<VariedComponent>& varied) {
  std::string names;
  for (const VariedComponent& one : varied) {
    names += (names.empty() ? "" : ", ") + one.name;
  }
  return names;
}

/// \returns Phi_q without units (characteristic_scales.hpp). \param kinematics positions set
Eigen::MatrixXd scaled_jacobian(const Kinematics& kinematics) {
  return kinematics.mechanism().scales().scaled(constraint_jacobian(kinematics));
}

/// Columns of a scaled Phi_q, decomposed with the limit of ranks that closed loops have.
Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposed(const Eigen::MatrixXd& scaled, const std::vector<int>& columns) {
  Eigen::MatrixXd chosen = Eigen::MatrixXd::Zero(scaled.rows(), std::max<Eigen::Index>(1, std::ssize(columns)));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    chosen.col(static_cast<Eigen::Index>(i)) = scaled.col(columns[i]);
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(chosen);
  const double largest = qr.maxPivot();
  qr.setThreshold(largest > 0.0 ? kRankWhereClosed * std::max(1.0, 1.0 / largest) : 1.0);
  return qr;
}

Eigen::VectorXd coordinates_along(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  Eigen::VectorXd along(q.size());
  std::array<double, 7> rates{};
  for (const Joint& joint : mechanism.tree_joints()) {
    coordinate_rates(joint, view(q).subspan(index_of(joint.q_offset), index_of(joint.nq)),
                     view(u).subspan(index_of(joint.u_offset), index_of(joint.nu)), rates);
    std::copy_n(rates.begin(), joint.nq, along.begin() + joint.q_offset);
  }
  return along;
}

}  // namespace

LoopStart::LoopStart(const Mechanism& mechanism, std::vector<VariedComponent> positions,
                     std::vector<VariedComponent> velocities)
    : mechanism_(mechanism), positions_(std::move(positions)), velocities_(std::move(velocities)) {
  Kinematics kinematics(mechanism_);
  kinematics.set_positions(view(mechanism_.q0()));
  const Eigen::MatrixXd scaled = scaled_jacobian(kinematics);
  // Where no coordinate is varied, positions stay: they are closed.
  following_.positions = positions_.empty() ? std::vector<int>() : followers_of(positions_, scaled, true);
  following_.velocities = followers_of(velocities_, scaled, false);
}

std::vector<int> LoopStart::followers_of(const std::vector<VariedComponent>& varied, const Eigen::MatrixXd& scaled,
                                         bool of_positions) const {
  std::vector<bool> may(index_of(mechanism_.u_size()), false);
  for (const int u : changeable_components(mechanism_)) {
    may[index_of(u)] = true;
  }
  for (const Joint& joint : mechanism_.tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      may[index_of(joint.u_offset + motion.component)] = true;  // goes as it is told
    }
  }
  for (const VariedComponent& one : varied) {
    may[index_of(one.u)] = false;
  }
  std::vector<int> all(may.size());
  std::iota(all.begin(), all.end(), 0);
  const Eigen::Index rank = decomposed(scaled, all).rank();
  if (rank < mechanism_.generic_rank().rank) {
    throw std::invalid_argument(
        fmt::format("start of '{}': its position is singular, where the values of a start do not follow from others; "
                    "vary no start values, or start elsewhere",
                    mechanism_.name()));
  }
  for (std::string in_part;;) {
    std::vector<int> others;
    std::copy_if(all.begin(), all.end(), std::back_inserter(others), [&](int u) { return may[index_of(u)]; });
    const auto qr = decomposed(scaled, others);
    if (qr.rank() < rank) {
      refuse(varied, rank, in_part);
    }
    std::vector<int> following;
    for (Eigen::Index k = 0; k < rank; ++k) {
      following.push_back(others[index_of(qr.colsPermutation().indices()[k])]);
    }
    std::sort(following.begin(), following.end());
    bool whole = true;
    for (const Joint& joint : mechanism_.tree_joints()) {
      const auto turns = std::count_if(following.begin(), following.end(),
                                       [&](int u) { return u >= joint.u_offset && u < joint.u_offset + 3; });
      if (of_positions && has_quaternion(joint.type) && turns > 0 && turns < 3) {
        std::fill_n(may.begin() + joint.u_offset, 3, false);
        in_part = joint.name;
        whole = false;
      }
    }
    if (whole) {
      return following;
    }
  }
}

void LoopStart::refuse(const std::vector<VariedComponent>& varied, Eigen::Index rank,
                       const std::string& in_part) const {
  const Eigen::Index free = mechanism_.u_size() - rank;
  std::string why;
  if (std::ssize(varied) > free) {
    why = fmt::format(
        "constraints leave {} of its {} joint components free, {} are varied ({}); vary at most {}, the "
        "others follow",
        free, mechanism_.u_size(), varied.size(), names_of(varied), free);
  } else if (!in_part.empty()) {
    why = fmt::format(
        "with {} varied, the three turns of joint '{}' would follow in part, which no coordinates say; "
        "vary other coordinates, or velocities alone",
        names_of(varied), in_part);
  } else {
    why = fmt::format(
        "constraints tie {} to one another, or to joints that closing may not change; vary others, or "
        "fewer",
        names_of(varied));
  }
  throw std::invalid_argument(fmt::format("start of '{}': {}", mechanism_.name(), why));
}

void LoopStart::close(Eigen::VectorXd& q, Eigen::VectorXd& u) const {
  InitialState state{q, u, {}};
  try {
    close_loops(mechanism_, state, following_);
  } catch (const ModelError& error) {
    std::string values;
    for (const VariedComponent& one : positions_) {
      values += fmt::format("{}{} = {:.6g}", values.empty() ? " with " : ", ", one.name, q[one.q] + one.offset);
    }
    throw ModelError({}, fmt::format("start of '{}'{}: {}", mechanism_.name(), values, error.what()));
  }
  q = state.q;
  u = state.u;
}

Eigen::MatrixXd LoopStart::derivatives(const Eigen::VectorXd& q, const Eigen::VectorXd& u) const {
  const CharacteristicScales& scales = mechanism_.scales();
  Kinematics kinematics(mechanism_);
  kinematics.set_positions(view(q));
  const Eigen::MatrixXd scaled = scaled_jacobian(kinematics);
  // A change of components that follow, for what Phi_q times it has to be, without units.
  const auto follow = [&](const std::vector<int>& components) {
    auto qr = decomposed(scaled, components);
    if (qr.rank() < std::ssize(components)) {
      throw std::invalid_argument(
          fmt::format("start of '{}': at these values the position is singular, where the coordinates and velocities "
                      "that close its loops do not follow from the others",
                      mechanism_.name()));
    }
    return [&scales, &components, qr = std::move(qr), this](const Eigen::VectorXd& wanted) {
      Eigen::VectorXd change = Eigen::VectorXd::Zero(mechanism_.u_size());
      const Eigen::VectorXd own = qr.solve(wanted);
      for (std::size_t i = 0; i < components.size(); ++i) {
        change[components[i]] = scales.columns[components[i]] * own[static_cast<Eigen::Index>(i)];
      }
      return change;
    };
  };
  const auto moved_with = [&](const VariedComponent& one, const auto& following) {
    Eigen::VectorXd change = following(-scaled.col(one.u) / scales.columns[one.u]);
    change[one.u] = 1.0;
    return change;
  };
  const auto of_positions = follow(following_.positions);
  const auto of_velocities = follow(following_.velocities);
  const Eigen::Index split = std::ssize(positions_);
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(q.size() + u.size(), split + std::ssize(velocities_));
  if (!positions_.empty()) {
    Jacobians jacobians(mechanism_);
    jacobians.set_positions(kinematics);
    for (Eigen::Index k = 0; k < split; ++k) {
      const Eigen::VectorXd along = moved_with(positions_[index_of(k)], of_positions);
      columns.col(k).head(q.size()) = coordinates_along(mechanism_, q, along);
      kinematics.set_velocities(view(along));
      jacobians.set_velocities(kinematics);
      columns.col(k).tail(u.size()) = of_velocities(-scales.rows.cwiseProduct(jacobians.constraint_rate() * u));
    }
  }
  for (std::size_t k = 0; k < velocities_.size(); ++k) {
    columns.col(split + static_cast<Eigen::Index>(k)).tail(u.size()) = moved_with(velocities_[k], of_velocities);
  }
  return columns;
}

}  // namespace mbdbench::gradients
