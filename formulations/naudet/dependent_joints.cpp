#include "formulations/naudet/dependent_joints.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

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

DependentJoints::DependentJoints(const Mechanism& mechanism)
    : mechanism_(&mechanism), phi_q_(find_ways()), factors_(phi_q_) {}

LoopRows DependentJoints::find_ways() {
  LoopRows phi_q;
  phi_q.columns.resize(index_of(mechanism_->u_size()));
  const Eigen::VectorXd& rows = mechanism_->scales().rows;
  const std::span<const double> scales(rows.data(), static_cast<std::size_t>(rows.size()));
  for (const Joint& cut : mechanism_->cut_joints()) {
    std::vector<Passed>& way = ways_.emplace_back();
    std::vector<int>& components = phi_q.components.emplace_back();
    // An outboard body has the larger number of two.
    for (int b = cut.b, a = cut.a; a != b;) {
      int& outer = a > b ? a : b;
      way.push_back({outer, a > b ? -1.0 : 1.0});
      const Joint& joint = mechanism_->tree_joints()[index_of(outer)];
      for (int i = 0; i < joint.nu; ++i) {
        components.push_back(joint.u_offset + i);
      }
      outer = mechanism_->parent(outer);
    }
    phi_q.add_rows(scales.subspan(index_of(cut.row_offset), index_of(cut.nc)));
  }
  for (const Coupling& coupling : mechanism_->couplings()) {
    std::vector<int>& components = phi_q.components.emplace_back();
    for (const Coupling::Term& term : coupling.terms) {
      components.push_back(term.u);
    }
    phi_q.add_rows(scales.subspan(index_of(coupling.row), 1));
  }
  return phi_q;
}

Eigen::MatrixXd DependentJoints::phi_q() const {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(mechanism_->closing_row_count(), mechanism_->u_size());
  for (int component = 0; component < mechanism_->u_size(); ++component) {
    for (const LoopRows::Place& place : phi_q_.columns[index_of(component)]) {
      dense(place.row, component) = phi_q_.entries[place.entry];
    }
  }
  return dense;
}

void DependentJoints::set_positions(const LoopGeometry& geometry) {
  size_ = 0.0;
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    set_cut(c, geometry);
  }
  for (std::size_t i = 0; i < mechanism_->couplings().size(); ++i) {
    const Coupling& coupling = mechanism_->couplings()[i];
    double* entry = phi_q_.row(mechanism_->cut_row_count() + static_cast<int>(i));
    for (const Coupling::Term& term : coupling.terms) {
      *entry++ = mechanism_->scales().rows[coupling.row] * term.factor * mechanism_->scales().columns[term.u];
    }
    size_ = std::max(size_, 1.0);
  }
}

void DependentJoints::set_cut(std::size_t cut, const LoopGeometry& geometry) {
  const CharacteristicScales& scales = mechanism_->scales();
  const Joint& joint = mechanism_->cut_joints()[cut];
  const JointKinematics& ends = geometry.cut_joint(cut);
  const double unit = scales.loop_units[cut];
  double largest_motion = 0.0;
  const std::size_t components = phi_q_.components[cut].size();
  double* entry = phi_q_.row(joint.row_offset);
  for (const Passed& passed : ways_[cut]) {
    const Joint& moving = mechanism_->tree_joints()[index_of(passed.body)];
    for (int i = 0; i < moving.nu; ++i, ++entry) {
      // H at the cut and D in units of the loop: their product is the scaled entry.
      const double column = scales.columns[moving.u_offset + i];
      const Vec6 motion = geometry.motion(moving.u_offset + i, ends.point);
      largest_motion = std::max(largest_motion, in_units(motion, column / unit, column).squaredNorm());
      for (int row = 0; row < joint.nc; ++row) {
        entry[index_of(row) * components] =
            passed.sign * scales.rows[joint.row_offset + row] * column * ends.d.col(row).dot(motion);
      }
    }
  }
  for (int row = 0; row < joint.nc; ++row) {
    const double scale = scales.rows[joint.row_offset + row];
    const double direction = in_units(ends.d.col(row), scale * unit, scale).squaredNorm();
    size_ = std::max(size_, std::sqrt(direction * largest_motion));
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

void DependentJoints::use_choice(const DependentChoice& choice) {
  work_.assign(choice.dependent.size(), 0.0);
  ratios_of_.assign(choice.dependent.size(), -1);
  use_dependent(choice.dependent);
}

void DependentJoints::use_dependent(std::span<const int> dependent) {
  dependent_.assign(dependent.begin(), dependent.end());
  factors_.use_dependent(phi_q_, dependent_);
}

void DependentJoints::complete(std::span<double> u) {
  for (const int component : dependent_) {
    u[index_of(component)] = 0.0;
  }
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const int row = factors_.pivots()[i];
    const double* entry = phi_q_.row(row);
    double rate = 0.0;
    for (const int component : phi_q_.components_of(row)) {
      rate -= *entry++ / column(component) * u[index_of(component)];
    }
    work_[i] = rate;
  }
  factors_.solve(work_);
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const int component = factors_.columns()[i];
    u[index_of(component)] = column(component) * work_[i];
  }
}

void DependentJoints::correct(std::span<const double> residual, std::span<double> correction) {
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const auto row = index_of(factors_.pivots()[i]);
    work_[i] = -phi_q_.rows[row].scale * residual[row];
  }
  factors_.solve(work_);
  for (std::size_t i = 0; i < dependent_.size(); ++i) {
    correction[i] = column(dependent_[i]) * work_[index_of(factors_.column_of(dependent_[i]))];
  }
}

void DependentJoints::set_multipliers(std::span<const double> g) {
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const int component = factors_.columns()[i];
    work_[i] = column(component) * g[index_of(component)];
  }
  factors_.solve_transposed(work_);
}

void DependentJoints::multipliers(std::span<const double> g, std::span<double> multipliers) {
  set_multipliers(g);
  std::fill(multipliers.begin(), multipliers.end(), 0.0);
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const auto row = index_of(factors_.pivots()[i]);
    multipliers[row] = -phi_q_.rows[row].scale * work_[i];
  }
}

void DependentJoints::reduce(std::span<double> g) {
  set_multipliers(g);
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const int row = factors_.pivots()[i];
    const double* entry = phi_q_.row(row);
    for (const int component : phi_q_.components_of(row)) {
      g[index_of(component)] -= work_[i] * *entry++ / column(component);
    }
  }
  for (const int component : dependent_) {
    g[index_of(component)] = 0.0;
  }
}

void DependentJoints::set_ratios(int component) {
  std::fill(work_.begin(), work_.end(), 0.0);
  for (const LoopRows::Place& place : phi_q_.columns[index_of(component)]) {
    if (const int pivot = factors_.pivot_of(place.row); pivot >= 0) {
      work_[index_of(pivot)] = -phi_q_.entries[place.entry];
    }
  }
  factors_.solve(work_);
}

void DependentJoints::keep_ratios() {
  ratios_of_ = dependent_;
  ratios_.setZero(static_cast<Eigen::Index>(dependent_.size()), mechanism_->u_size());
  for (int component = 0; component < mechanism_->u_size(); ++component) {
    if (factors_.column_of(component) >= 0) {
      continue;
    }
    set_ratios(component);
    for (std::size_t i = 0; i < dependent_.size(); ++i) {
      ratios_(static_cast<Eigen::Index>(i), component) =
          column(dependent_[i]) * work_[index_of(factors_.column_of(dependent_[i]))] / column(component);
    }
  }
}

void DependentJoints::predict(std::span<const double> change, std::span<double> prediction) const {
  const Eigen::Map<const Eigen::VectorXd> d(change.data(), static_cast<Eigen::Index>(change.size()));
  for (std::size_t i = 0; i < prediction.size(); ++i) {
    prediction[i] = ratios_.row(static_cast<Eigen::Index>(i)).dot(d);
  }
}

bool DependentJoints::is_turned_over() const {
  const auto count = static_cast<Eigen::Index>(dependent_.size());
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(count, count);  // kept^T Phi_d
  for (const LoopRows::Row& row : phi_q_.rows) {
    const std::vector<int>& components = phi_q_.components[index_of(row.loop)];
    for (std::size_t j = 0; j < components.size(); ++j) {
      const int column = factors_.column_of(components[j]);
      for (std::size_t i = 0; column >= 0 && i < components.size(); ++i) {
        if (const int other = factors_.column_of(components[i]); other >= 0) {
          product(other, column) += kept_[row.first + i] * phi_q_.entries[row.first + j];
        }
      }
    }
  }
  return has_negative_determinant(product);
}

double DependentJoints::largest_ratio(const std::vector<bool>& allowed) {
  double largest = 0.0;
  for (int component = 0; component < mechanism_->u_size(); ++component) {
    if (factors_.column_of(component) >= 0 || !allowed[index_of(component)]) {
      continue;
    }
    set_ratios(component);
    for (const double ratio : work_) {
      largest = std::max(largest, std::abs(ratio));
    }
  }
  return largest;
}

}  // namespace mbdbench
