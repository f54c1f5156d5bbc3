#include "mechanisms/model/start/loop_closure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"
#include "mechanisms/model/start/least_change.hpp"
#include "mechanisms/model/start/motion_start.hpp"

namespace mbdbench {
namespace {

constexpr int kMaxIterations = 50;
// A correction that moves a joint by more than this (of the mechanism's length, or rad) is shortened: loops far from
// closed would jump branches. Couplings and motions are linear and have none.
constexpr double kLongestStep = 0.5;
/// Largest absolute entry, 0 of nothing; NaN if there is one, which Eigen's own norm may overlook.
double largest_entry(const Eigen::VectorXd& vector) {
  return vector.size() > 0 ? vector.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() : 0.0;
}

class LoopCloser {
 public:
  explicit LoopCloser(const Mechanism& mechanism)
      : mechanism_(mechanism), scales_(mechanism.scales()), kinematics_(mechanism), motions_(mechanism) {
    motions_.evaluate(0.0);
    weights_.setOnes(mechanism.constraint_size());
  }

  /// \param columns that may change, ascending
  [[nodiscard]] Eigen::VectorXd positions(const Eigen::VectorXd& given, std::vector<int> columns) {
    change(std::move(columns));
    Eigen::VectorXd q = given;
    weigh_velocities(0.0);
    if (const Eigen::VectorXd residual = close(q); !(scales_.largest(residual) < kOpen)) {
      report_conflict(given);
      report_open(residual);
    }
    static_cast<void>(residual_at(q));
    check_branches();
    return q;
  }

  /// After positions().
  [[nodiscard]] std::vector<std::vector<double>> cut_positions() const {
    std::vector<std::vector<double>> coordinates;
    for (std::size_t c = 0; c < mechanism_.cut_joints().size(); ++c) {
      const Joint& joint = mechanism_.cut_joints()[c];
      coordinates.emplace_back(static_cast<std::size_t>(joint.nq));
      cut_coordinates(joint, kinematics_.cut_joint(static_cast<int>(c)), joint.q0, coordinates.back());
    }
    return coordinates;
  }

  /// After positions(). \param columns that may change, ascending
  [[nodiscard]] Eigen::VectorXd velocities(Eigen::VectorXd u, std::vector<int> columns) {
    change(std::move(columns));
    const auto relative_to_u = [&](double tolerance) { return tolerance * rate_of_start(mechanism_, motions_, u); };
    if (scales_.largest(rate_along_joints(u)) <= relative_to_u(kClosed)) {
      return u;
    }
    phi_q_ = constraint_jacobian(kinematics_);
    weigh_velocities(1.0);
    Eigen::VectorXd rate = rate_at(u);
    double smallest = scales_.largest(rate);
    // More than one solve only refines: until rounding ends the progress, so that a second start from u finds nothing
    // to do.
    for (int iteration = 0; iteration < kMaxIterations && smallest > relative_to_u(kClosed); ++iteration) {
      Eigen::VectorXd candidate = u + on_all_columns(solve(-rate));
      Eigen::VectorXd next = rate_at(candidate);
      const double size = scales_.largest(next);
      if (!(size < smallest)) {
        break;
      }
      u = std::move(candidate);
      rate = std::move(next);
      smallest = size;
    }
    if (!(smallest <= relative_to_u(kOpen))) {
      check_couplings(rate, "terms");
      check_velocity_constraints(rate);
      const double open = std::abs(rate[worst_row(rate)]);
      const auto [section_index, name] = worst_joint(rate);
      if (section_index < mechanism_.tree_joints().size()) {
        if (static_cast<int>(columns_.size()) == mechanism_.u_size()) {
          // Every v0 was changed: another one in the file would not help.
          throw ModelError(
              {"joints", section_index, "motions"},
              fmt::format("joint '{}' cannot follow its prescribed motion at t = 0: loops, couplings, velocity "
                          "constraints or other motions contradict it (by {:.3g} m/s or rad/s at best); change the "
                          "motion, or leave out what contradicts it",
                          name, open));
        }
        report_motion_velocity(section_index, name, open);
      }
      throw ModelError(
          {"joints", section_index, "v0"},
          fmt::format(
              "the initial velocities tear joint '{}' apart (by {:.3g}): change v0, or mark joints whose v0 may "
              "be changed with dependent = true",
              name, open));
    }
    return u;
  }

 private:
  void change(std::vector<int> columns) {
    columns_ = std::move(columns);
    weigh_couplings();
  }

  /// Gauss-Newton from q. \returns what is left of Phi; couplings count where their weights do
  Eigen::VectorXd close(Eigen::VectorXd& q) {
    Eigen::VectorXd residual = counted(residual_at(q));
    double smallest = scales_.largest(residual);
    for (int iteration = 0; iteration < kMaxIterations && smallest > kClosed; ++iteration) {
      Eigen::VectorXd candidate = corrected(q, residual);
      const Eigen::VectorXd next = counted(residual_at(candidate));
      const double size = scales_.largest(next);
      // Near the rounding level the residual stops falling: keep the best.
      if (smallest < kOpen && size >= smallest) {
        break;
      }
      q = std::move(candidate);
      residual = next;
      smallest = size;
    }
    return residual;
  }

  /// \returns the residual with zeros in rows without a weight.
  [[nodiscard]] Eigen::VectorXd counted(const Eigen::VectorXd& residual) const {
    return (weights_.array() > 0.0).select(residual, 0.0);
  }

  /// \throws ModelError where everything but the couplings can be closed: then it is they that cannot be met
  void report_conflict(Eigen::VectorXd q) {
    if (mechanism_.couplings().empty()) {
      return;
    }
    const Coupling& first = mechanism_.couplings().front();
    const auto count = static_cast<Eigen::Index>(mechanism_.couplings().size());
    weights_.segment(first.row, count).setZero();
    if (scales_.largest(close(q)) < kOpen) {
      Eigen::VectorXd residual = residual_at(q);
      residual.head(first.row).setZero();
      check_couplings(residual, "value");
    }
  }

  Eigen::VectorXd residual_at(const Eigen::VectorXd& q) {
    Eigen::VectorXd residual(mechanism_.constraint_size());
    kinematics_.set_positions(view(q));
    constraint_residual(kinematics_, view(q), motions_.positions(),
                        {residual.data(), static_cast<std::size_t>(residual.size())});
    return residual;
  }

  /// \returns Phi' without Phi_q, which large mechanisms that start closed do not need.
  [[nodiscard]] Eigen::VectorXd rate_along_joints(const Eigen::VectorXd& u) {
    Eigen::VectorXd rate(mechanism_.constraint_size());
    kinematics_.set_velocities(view(u));
    constraint_rate_residual(kinematics_, view(u), motions_.velocities(),
                             {rate.data(), static_cast<std::size_t>(rate.size())});
    return rate;
  }

  [[nodiscard]] Eigen::VectorXd rate_at(const Eigen::VectorXd& u) const {
    Eigen::VectorXd rate = phi_q_ * u;
    const auto prescribed = motions_.velocities();
    for (std::size_t i = 0; i < prescribed.size(); ++i) {
      rate[motions_.rows()[i]] -= prescribed[i];
    }
    return rate;
  }

  /// A coupling's factors are exact, so that its row is never one that rounding has left: where only its small factors
  /// belong to components that may change, they count as much as others. Sets weights_.
  void weigh_couplings() {
    for (const Coupling& coupling : mechanism_.couplings()) {
      const double largest = largest_free_entry(coupling);
      weights_[coupling.row] = largest > 0.0 ? 1.0 / next_power_of_two(largest) : 1.0;
    }
  }

  /// Rows of velocities alone say nothing of positions.
  void weigh_velocities(double weight) {
    for (const Joint& joint : mechanism_.cut_joints()) {
      for (int row = 0; row < joint.nc; ++row) {
        if (joint.holds_velocity_alone(row)) {
          weights_[joint.row_offset + row] = weight;
        }
      }
    }
    for (const VelocityConstraint& constraint : mechanism_.velocity_constraints()) {
      weights_[constraint.row] = weight;
    }
  }

  /// \returns of the coupling's row of Phi_q,s; 0 where no component of it may change.
  [[nodiscard]] double largest_free_entry(const Coupling& coupling) const {
    double largest = 0.0;
    for (const Coupling::Term& term : coupling.terms) {
      if (std::binary_search(columns_.begin(), columns_.end(), term.u)) {
        largest = std::max(largest, scales_.rows[coupling.row] * std::abs(term.factor) * scales_.columns[term.u]);
      }
    }
    return largest;
  }

  [[nodiscard]] Eigen::VectorXd weighed(const Eigen::VectorXd& rows) const {
    return rows.cwiseProduct(scales_.rows).cwiseProduct(weights_);
  }

  /// \returns Phi_q,s of the components that may change, with its rows weighed.
  [[nodiscard]] Eigen::MatrixXd free_columns() const {
    Eigen::MatrixXd matrix(mechanism_.constraint_size(), static_cast<Eigen::Index>(columns_.size()));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      matrix.col(static_cast<int>(i)) = scales_.columns[columns_[i]] * weighed(phi_q_.col(columns_[i]));
    }
    return matrix;
  }

  /// \returns the smallest scaled change of the components that may change, with Phi_q times it next to the right side.
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right_side) const {
    return least_change(free_columns(), weighed(right_side), kRankWhereClosed);
  }

  /// \returns a scaled change as one of all components of u, zero at the joints that may not change.
  [[nodiscard]] Eigen::VectorXd on_all_columns(const Eigen::VectorXd& change) const {
    Eigen::VectorXd full = Eigen::VectorXd::Zero(mechanism_.u_size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      full[columns_[i]] = scales_.columns[columns_[i]] * change[static_cast<int>(i)];
    }
    return full;
  }

  /// \param q positions of the last residual
  [[nodiscard]] Eigen::VectorXd corrected(const Eigen::VectorXd& q, const Eigen::VectorXd& residual) {
    phi_q_ = constraint_jacobian(kinematics_);
    Eigen::VectorXd change = solve(-residual);
    const double longest = largest_entry(change);
    if (longest > kLongestStep && !mechanism_.cut_joints().empty()) {
      change *= kLongestStep / longest;
    }
    const Eigen::VectorXd step = on_all_columns(change);
    Eigen::VectorXd result = q;
    std::array<double, 7> rates{};
    for (const Joint& joint : mechanism_.tree_joints()) {
      const auto q_slice =
          view(q).subspan(static_cast<std::size_t>(joint.q_offset), static_cast<std::size_t>(joint.nq));
      const auto u_slice =
          view(step).subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu));
      coordinate_rates(joint, q_slice, u_slice, rates);
      for (int i = 0; i < joint.nq; ++i) {
        result[joint.q_offset + i] += rates[static_cast<std::size_t>(i)];
      }
      if (has_quaternion(joint.type) && step.segment(joint.u_offset, joint.nu).squaredNorm() > 0.0) {
        result.segment<4>(joint.q_offset).normalize();
      }
    }
    return result;
  }

  /// \returns the row of the largest scaled residual.
  [[nodiscard]] int worst_row(const Eigen::VectorXd& residual) const {
    int row = 0;
    residual.cwiseProduct(scales_.rows).cwiseAbs().maxCoeff(&row);
    return row;
  }

  /// Index in the description and name of the joint with the largest scaled residual row.
  [[nodiscard]] std::pair<std::size_t, std::string> worst_joint(const Eigen::VectorXd& residual) const {
    const int row = worst_row(residual);
    const std::size_t tree_count = mechanism_.tree_joints().size();
    for (std::size_t c = 0; c < mechanism_.cut_joints().size(); ++c) {
      const Joint& joint = mechanism_.cut_joints()[c];
      if (row >= joint.row_offset && row < joint.row_offset + joint.nc) {
        return {tree_count + c, joint.name};
      }
    }
    for (std::size_t k = 0; k < tree_count; ++k) {
      const Joint& joint = mechanism_.tree_joints()[k];
      if (row >= joint.motion_offset && row < joint.motion_offset + static_cast<int>(joint.motions.size())) {
        return {k, joint.name};
      }
    }
    return {0, ""};
  }

  /// \throws ModelError where the largest entry is that of a coupling
  void check_couplings(const Eigen::VectorXd& residual, const char* key) const {
    const int row = worst_row(residual);
    const std::string_view values = std::string_view(key) == "value" ? "q0" : "v0";
    for (std::size_t i = 0; i < mechanism_.couplings().size(); ++i) {
      const Coupling& coupling = mechanism_.couplings()[i];
      if (coupling.row == row) {
        throw ModelError(
            {"couplings", i, key},
            fmt::format("coupling '{}' is off by {:.3g} at the start, and {}: check {} and {} of its joints, or mark "
                        "joints that may be changed with dependent = true",
                        coupling.name, std::abs(residual[row]) * coupling.scale, why_open(coupling, residual[row]), key,
                        values));
      }
    }
  }

  /// \throws ModelError where the largest entry is that of a constraint of velocities
  void check_velocity_constraints(const Eigen::VectorXd& rate) const {
    const int row = worst_row(rate);
    for (std::size_t i = 0; i < mechanism_.velocity_constraints().size(); ++i) {
      const VelocityConstraint& constraint = mechanism_.velocity_constraints()[i];
      if (constraint.row == row) {
        throw ModelError({"velocity_constraints", i, "terms"},
                         fmt::format("velocity constraint '{}' is off by {:.3g} at the start: change v0 of its joints, "
                                     "or mark joints whose v0 may be changed with dependent = true",
                                     constraint.name, std::abs(rate[row]) * constraint.scale));
      }
    }
  }

  /// \returns why the joints that may be changed leave a coupling open.
  [[nodiscard]] std::string why_open(const Coupling& coupling, double open) const {
    const Coupling::Term* most = nullptr;
    for (const Coupling::Term& term : coupling.terms) {
      if (std::binary_search(columns_.begin(), columns_.end(), term.u) &&
          (most == nullptr || std::abs(term.factor) > std::abs(most->factor))) {
        most = &term;
      }
    }
    if (most == nullptr) {
      return "none of its joints may be changed";
    }
    const auto joints = mechanism_.tree_joints();
    const auto joint = std::find_if(joints.begin(), joints.end(),
                                    [&](const Joint& each) { return most->u < each.u_offset + each.nu; });
    return fmt::format(
        "loops, motions or other couplings keep joint '{}' from making up for it, by {:.3g} of its own "
        "(its factor is {:.3g})",
        joint->name, std::abs(open / most->factor), most->factor * coupling.scale);
  }

  [[noreturn]] void report_open(const Eigen::VectorXd& residual) const {
    const double open = std::abs(residual[worst_row(residual)]);
    check_couplings(residual, "value");
    const auto [section_index, name] = worst_joint(residual);
    if (section_index < mechanism_.tree_joints().size()) {
      report_motion_position(section_index, name, open);
    }
    throw ModelError(
        {"joints", section_index, "q0"},
        fmt::format("the mechanism cannot be assembled: joint '{}' stays open by {:.3g} (m or rad); check lengths and "
                    "q0, or mark joints whose q0 may be changed with dependent = true",
                    name, open));
  }

  /// Dot-product constraints also hold with an axis turned by half a turn.
  void check_branches() const {
    const std::size_t tree_count = mechanism_.tree_joints().size();
    for (std::size_t c = 0; c < mechanism_.cut_joints().size(); ++c) {
      const Joint& joint = mechanism_.cut_joints()[c];
      const JointKinematics& state = kinematics_.cut_joint(static_cast<int>(c));
      const bool axis_turned =
          joint.angular.size() == 2 && (state.axes_a * joint.axis).dot(state.axes_b * joint.axis) < 0.0;
      const bool rotation_wrong = joint.angular.size() == 3 && (state.axes_a.transpose() * state.axes_b).trace() < 1.0;
      if (axis_turned || rotation_wrong) {
        throw ModelError(
            {"joints", tree_count + c, "axis"},
            fmt::format("cut joint '{}' closes with the axes of its two bodies turned against each other: check axis "
                        "and frame rotations, or q0 of the loop's joints",
                        joint.name));
      }
    }
  }

  const Mechanism& mechanism_;
  const CharacteristicScales& scales_;
  Kinematics kinematics_;
  Eigen::MatrixXd phi_q_;
  PrescribedMotions motions_;
  std::vector<int> columns_;  // ascending
  Eigen::VectorXd weights_;   // of the rows, beside scales_.rows
};

}  // namespace

std::vector<int> changeable_components(const Mechanism& mechanism) {
  std::vector<int> components;
  const std::vector<bool> changeable = changeable_joints(mechanism);
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    const Joint& joint = mechanism.tree_joints()[k];
    for (int i = 0; i < joint.nu && changeable[k]; ++i) {
      components.push_back(joint.u_offset + i);
    }
  }
  return components;
}

void close_loops(const Mechanism& mechanism, InitialState& state) {
  close_loops(mechanism, state, {changeable_components(mechanism), changeable_components(mechanism)});
}

void close_loops(const Mechanism& mechanism, InitialState& state, ChangeableComponents changeable) {
  LoopCloser closer(mechanism);
  state.q = closer.positions(state.q, std::move(changeable.positions));
  state.u = closer.velocities(std::move(state.u), std::move(changeable.velocities));
  state.cut_q = closer.cut_positions();
}

}  // namespace mbdbench
