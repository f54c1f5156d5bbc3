#include "formulations/naudet/dependent_joints.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

struct Pivot {
  Eigen::Index row = 0;
  Eigen::Index column = 0;
  double size = 0.0;
};

/// \returns the largest entry of the rows that are left, in columns that are `usable`.
/// \param reach entries are divided by it \param least smaller entries do not count
Pivot largest_entry(const Eigen::MatrixXd& matrix, const std::vector<bool>& rows_left, const std::vector<bool>& usable,
                    const Eigen::VectorXd& reach, double least) {
  Pivot pivot;
  for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
    if (!usable[static_cast<std::size_t>(column)]) {
      continue;
    }
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      const double size = std::abs(matrix(row, column));
      if (rows_left[static_cast<std::size_t>(row)] && size > least &&
          is_clearly_larger(size / reach[column], pivot.size)) {
        pivot = {row, column, size / reach[column]};
      }
    }
  }
  return pivot;
}

/// \returns whether the determinant is negative. \param matrix square, is overwritten
bool has_negative_determinant(Eigen::MatrixXd& matrix) {
  bool negative = false;
  for (Eigen::Index k = 0; k < matrix.cols(); ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < matrix.rows(); ++i) {
      pivot = std::abs(matrix(i, k)) > std::abs(matrix(pivot, k)) ? i : pivot;
    }
    if (pivot != k) {
      matrix.row(k).swap(matrix.row(pivot));
      negative = !negative;
    }
    negative = matrix(k, k) < 0.0 ? !negative : negative;
    for (Eigen::Index i = k + 1; i < matrix.rows() && matrix(k, k) != 0.0; ++i) {
      const Eigen::Index right = matrix.cols() - k - 1;
      matrix.row(i).tail(right) -= matrix(i, k) / matrix(k, k) * matrix.row(k).tail(right);
    }
  }
  return negative;
}

/// \returns the vector with its linear and angular parts times one factor each.
Vec6 in_units(const Vec6& vector, double linear, double angular) {
  Vec6 result;
  result.head<3>() = linear * vector.head<3>();
  result.tail<3>() = angular * vector.tail<3>();
  return result;
}

}  // namespace

DependentChoice choose_dependents(const Eigen::MatrixXd& phi_q, double size, const std::vector<bool>& allowed,
                                  const std::vector<bool>& preferred, const Eigen::VectorXd& reach,
                                  std::optional<std::size_t> most) {
  DependentChoice choice;
  if (phi_q.size() == 0) {
    return choice;
  }
  Eigen::MatrixXd left = phi_q;
  std::vector<bool> rows_left(static_cast<std::size_t>(phi_q.rows()), true);
  std::vector<bool> usable = allowed;
  std::vector<bool> first(allowed.size());
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    first[i] = allowed[i] && preferred[i];
  }
  const double smallest = kDependentRank * size;
  const Eigen::VectorXd same = Eigen::VectorXd::Ones(phi_q.cols());
  while (choice.rows.size() < most.value_or(rows_left.size())) {
    const double largest = largest_entry(left, rows_left, usable, same, 0.0).size;
    if (!(largest > smallest)) {
      break;
    }
    const Pivot wanted = largest_entry(left, rows_left, first, reach, kDependentPreference * largest);
    const Pivot pivot =
        wanted.size > 0.0 ? wanted : largest_entry(left, rows_left, usable, reach, kDependentPreference * largest);
    choice.rows.push_back(static_cast<int>(pivot.row));
    choice.dependent.push_back(static_cast<int>(pivot.column));
    rows_left[static_cast<std::size_t>(pivot.row)] = false;
    usable[static_cast<std::size_t>(pivot.column)] = false;
    first[static_cast<std::size_t>(pivot.column)] = false;
    for (Eigen::Index row = 0; row < left.rows(); ++row) {
      if (rows_left[static_cast<std::size_t>(row)]) {
        left.row(row) -= left(row, pivot.column) / left(pivot.row, pivot.column) * left.row(pivot.row);
      }
    }
  }
  std::sort(choice.rows.begin(), choice.rows.end());
  std::sort(choice.dependent.begin(), choice.dependent.end());
  return choice;
}

DependentJoints::DependentJoints(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      depends_(index_of(mechanism.u_size()), false),
      phi_q_(Eigen::MatrixXd::Zero(mechanism.closing_row_count(), mechanism.u_size())) {}

void DependentJoints::set_positions(const Kinematics& kinematics) {
  const CharacteristicScales& scales = mechanism_->scales();
  phi_q_.setZero();
  size_ = 0.0;
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    const JointKinematics& ends = kinematics.cut_joint(static_cast<int>(c));
    const double unit = scales.loop_units[c];
    for (const double sign : {1.0, -1.0}) {
      for (int k = sign > 0.0 ? cut.b : cut.a; k >= 0; k = mechanism_->parent(k)) {
        const Joint& joint = mechanism_->tree_joints()[index_of(k)];
        const JointKinematics& state = kinematics.tree_joint(k);
        for (int row = 0; row < cut.nc; ++row) {
          // H and the wrench in units of the loop: their product is the scaled entry.
          const Vec6 wrench = in_units(shift_wrench(ends.point - state.point, ends.d.col(row)),
                                       scales.rows[cut.row_offset + row] * unit, scales.rows[cut.row_offset + row]);
          for (int i = 0; i < joint.nu; ++i) {
            const double column = scales.columns[joint.u_offset + i];
            const Vec6 direction = in_units(state.h.col(i), column / unit, column);
            phi_q_(cut.row_offset + row, joint.u_offset + i) += sign * direction.dot(wrench);
            size_ = std::max(size_, direction.norm() * wrench.norm());
          }
        }
      }
    }
  }
  for (std::size_t i = 0; i < mechanism_->couplings().size(); ++i) {
    const Coupling& coupling = mechanism_->couplings()[i];
    for (const Coupling::Term& term : coupling.terms) {
      phi_q_(mechanism_->cut_row_count() + static_cast<int>(i), term.u) =
          scales.rows[coupling.row] * term.factor * scales.columns[term.u];
    }
    size_ = std::max(size_, 1.0);
  }
}

Eigen::VectorXd DependentJoints::reach() const {
  Eigen::VectorXd reach = mechanism_->scales().columns;
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      reach[joint.u_offset + i] /= is_displacement(joint, i) ? mechanism_->scales().unit : 1.0;
    }
  }
  return reach;
}

double DependentJoints::column(int component) const {
  return mechanism_->scales().columns[component];
}

double DependentJoints::row_scale_of(int row) const {
  const int coupling = row - mechanism_->cut_row_count();
  return mechanism_->scales().rows[coupling < 0 ? row : mechanism_->couplings()[index_of(coupling)].row];
}

void DependentJoints::use_choice(const DependentChoice& choice) {
  choice_ = choice;
  const auto count = static_cast<Eigen::Index>(choice.dependent.size());
  lu_.setZero(phi_q_.rows(), count);
  order_.resize(static_cast<std::size_t>(phi_q_.rows()));
  work_.setZero(count);
  ratios_of_.assign(choice.dependent.size(), -1);
  ratios_.setZero(count, phi_q_.cols());
  kept_.setZero(phi_q_.rows(), count);
  product_.setZero(count, count);
  use_dependent(choice.dependent);
}

void DependentJoints::use_dependent(std::span<const int> dependent) {
  std::fill(depends_.begin(), depends_.end(), false);
  for (std::size_t i = 0; i < dependent.size(); ++i) {
    choice_.dependent[i] = dependent[i];
    depends_[index_of(dependent[i])] = true;
  }
}

double DependentJoints::factorise() {
  const Eigen::Index rows = lu_.rows();
  const Eigen::Index count = lu_.cols();
  if (count == 0) {
    return 1.0;
  }
  for (Eigen::Index j = 0; j < count; ++j) {
    lu_.col(j) = phi_q_.col(choice_.dependent[static_cast<std::size_t>(j)]);
  }
  std::iota(order_.begin(), order_.end(), 0);
  double smallest = 0.0;
  double largest = 0.0;
  for (Eigen::Index k = 0; k < count; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < rows; ++i) {
      pivot = std::abs(lu_(i, k)) > std::abs(lu_(pivot, k)) ? i : pivot;
    }
    if (pivot != k) {
      lu_.row(k).swap(lu_.row(pivot));
      std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(pivot)]);
    }
    choice_.rows[static_cast<std::size_t>(k)] = order_[static_cast<std::size_t>(k)];
    const double size = std::abs(lu_(k, k));
    if (!(size > 0.0)) {
      return 0.0;  // also for what is not a number
    }
    smallest = k == 0 ? size : std::min(smallest, size);
    largest = std::max(largest, size);
    for (Eigen::Index i = k + 1; i < rows; ++i) {
      lu_(i, k) /= lu_(k, k);
      const Eigen::Index right = count - k - 1;
      lu_.row(i).tail(right) -= lu_(i, k) * lu_.row(k).tail(right);
    }
  }
  return smallest / largest;
}

void DependentJoints::solve(Eigen::VectorXd& right) const {
  const Eigen::Index count = lu_.cols();
  for (Eigen::Index i = 0; i < count; ++i) {
    right[i] -= lu_.row(i).head(i).dot(right.head(i));
  }
  for (Eigen::Index i = count - 1; i >= 0; --i) {
    const Eigen::Index after = count - i - 1;
    right[i] = (right[i] - lu_.row(i).tail(after).dot(right.tail(after))) / lu_(i, i);
  }
}

void DependentJoints::solve_transposed(Eigen::VectorXd& right) const {
  const Eigen::Index count = lu_.cols();
  for (Eigen::Index i = 0; i < count; ++i) {
    right[i] = (right[i] - lu_.col(i).head(i).dot(right.head(i))) / lu_(i, i);
  }
  for (Eigen::Index i = count - 1; i >= 0; --i) {
    const Eigen::Index after = count - i - 1;
    right[i] -= lu_.col(i).segment(i + 1, after).dot(right.tail(after));
  }
}

void DependentJoints::complete(std::span<double> u) {
  for (const int component : choice_.dependent) {
    u[index_of(component)] = 0.0;
  }
  const Eigen::Map<const Eigen::VectorXd> others(u.data(), static_cast<Eigen::Index>(u.size()));
  for (std::size_t i = 0; i < choice_.rows.size(); ++i) {
    work_[static_cast<Eigen::Index>(i)] =
        -phi_q_.row(choice_.rows[i]).transpose().cwiseQuotient(mechanism_->scales().columns).dot(others);
  }
  solve(work_);
  for (std::size_t i = 0; i < choice_.dependent.size(); ++i) {
    u[index_of(choice_.dependent[i])] = column(choice_.dependent[i]) * work_[static_cast<Eigen::Index>(i)];
  }
}

void DependentJoints::correct(std::span<const double> residual, std::span<double> correction) {
  for (std::size_t i = 0; i < choice_.rows.size(); ++i) {
    work_[static_cast<Eigen::Index>(i)] = -row_scale_of(choice_.rows[i]) * residual[index_of(choice_.rows[i])];
  }
  solve(work_);
  for (std::size_t i = 0; i < choice_.dependent.size(); ++i) {
    correction[i] = column(choice_.dependent[i]) * work_[static_cast<Eigen::Index>(i)];
  }
}

void DependentJoints::reduce(std::span<double> g) {
  for (std::size_t i = 0; i < choice_.dependent.size(); ++i) {
    work_[static_cast<Eigen::Index>(i)] = column(choice_.dependent[i]) * g[index_of(choice_.dependent[i])];
  }
  solve_transposed(work_);
  Eigen::Map<Eigen::VectorXd> all(g.data(), static_cast<Eigen::Index>(g.size()));
  for (std::size_t i = 0; i < choice_.rows.size(); ++i) {
    all.array() -= work_[static_cast<Eigen::Index>(i)] * phi_q_.row(choice_.rows[i]).transpose().array() /
                   mechanism_->scales().columns.array();
  }
  for (const int component : choice_.dependent) {
    g[index_of(component)] = 0.0;
  }
}

void DependentJoints::keep_ratios() {
  ratios_of_ = choice_.dependent;
  for (Eigen::Index component = 0; component < phi_q_.cols(); ++component) {
    work_.setZero();
    if (!depends_[static_cast<std::size_t>(component)]) {
      for (std::size_t i = 0; i < choice_.rows.size(); ++i) {
        work_[static_cast<Eigen::Index>(i)] = -phi_q_(choice_.rows[i], component);
      }
      solve(work_);
    }
    for (std::size_t i = 0; i < choice_.dependent.size(); ++i) {
      ratios_(static_cast<Eigen::Index>(i), component) =
          column(choice_.dependent[i]) * work_[static_cast<Eigen::Index>(i)] / column(static_cast<int>(component));
    }
  }
}

void DependentJoints::predict(std::span<const double> change, std::span<double> prediction) const {
  const Eigen::Map<const Eigen::VectorXd> d(change.data(), static_cast<Eigen::Index>(change.size()));
  for (std::size_t i = 0; i < prediction.size(); ++i) {
    prediction[i] = ratios_.row(static_cast<Eigen::Index>(i)).dot(d);
  }
}

void DependentJoints::keep_orientation() {
  for (Eigen::Index j = 0; j < kept_.cols(); ++j) {
    kept_.col(j) = phi_q_.col(choice_.dependent[static_cast<std::size_t>(j)]);
  }
}

bool DependentJoints::is_turned_over() {
  for (Eigen::Index j = 0; j < kept_.cols(); ++j) {
    const auto column = phi_q_.col(choice_.dependent[static_cast<std::size_t>(j)]);
    for (Eigen::Index i = 0; i < kept_.cols(); ++i) {
      product_(i, j) = kept_.col(i).dot(column);
    }
  }
  return has_negative_determinant(product_);
}

double DependentJoints::largest_ratio(const std::vector<bool>& allowed) {
  double largest = 0.0;
  for (Eigen::Index column = 0; column < phi_q_.cols(); ++column) {
    const auto component = static_cast<std::size_t>(column);
    if (depends_[component] || !allowed[component]) {
      continue;
    }
    for (std::size_t i = 0; i < choice_.rows.size(); ++i) {
      work_[static_cast<Eigen::Index>(i)] = phi_q_(choice_.rows[i], column);
    }
    solve(work_);
    largest = std::max(largest, work_.size() > 0 ? work_.cwiseAbs().maxCoeff() : 0.0);
  }
  return largest;
}

}  // namespace mbdbench
