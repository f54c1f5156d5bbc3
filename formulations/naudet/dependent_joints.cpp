#include "formulations/naudet/dependent_joints.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
    : mechanism_(&mechanism),
      depends_(index_of(mechanism.u_size()), false),
      phi_q_(Eigen::MatrixXd::Zero(mechanism.closing_row_count(), mechanism.u_size())),
      places_(index_of(mechanism.u_size()), -1) {
  find_ways();
}

void DependentJoints::find_ways() {
  for (const Joint& cut : mechanism_->cut_joints()) {
    std::vector<Passed>& way = ways_.emplace_back();
    std::vector<int>& components = components_.emplace_back();
    loops_.insert(loops_.end(), index_of(cut.nc), static_cast<int>(components_.size()) - 1);
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
  }
  for (const Coupling& coupling : mechanism_->couplings()) {
    std::vector<int>& components = components_.emplace_back();
    loops_.push_back(static_cast<int>(components_.size()) - 1);
    for (const Coupling::Term& term : coupling.terms) {
      components.push_back(term.u);
    }
  }
}

void DependentJoints::set_positions(const LoopGeometry& geometry) {
  size_ = 0.0;
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    set_cut(c, geometry);
  }
  for (std::size_t i = 0; i < mechanism_->couplings().size(); ++i) {
    const Coupling& coupling = mechanism_->couplings()[i];
    for (const Coupling::Term& term : coupling.terms) {
      phi_q_(mechanism_->cut_row_count() + static_cast<int>(i), term.u) =
          mechanism_->scales().rows[coupling.row] * term.factor * mechanism_->scales().columns[term.u];
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
  for (const Passed& passed : ways_[cut]) {
    const Joint& moving = mechanism_->tree_joints()[index_of(passed.body)];
    for (int i = 0; i < moving.nu; ++i) {
      // H at the cut and D in units of the loop: their product is the scaled entry.
      const double column = scales.columns[moving.u_offset + i];
      const Vec6 motion = geometry.motion(moving.u_offset + i, ends.point);
      largest_motion = std::max(largest_motion, in_units(motion, column / unit, column).squaredNorm());
      for (int row = 0; row < joint.nc; ++row) {
        phi_q_(joint.row_offset + row, moving.u_offset + i) =
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

double DependentJoints::row_scale_of(int row) const {
  const int coupling = row - mechanism_->cut_row_count();
  return mechanism_->scales().rows[coupling < 0 ? row : mechanism_->couplings()[index_of(coupling)].row];
}

void DependentJoints::use_choice(const DependentChoice& choice) {
  choice_ = choice;
  const auto count = static_cast<Eigen::Index>(choice.dependent.size());
  const auto rows = static_cast<std::size_t>(phi_q_.rows());
  lu_.setZero(phi_q_.rows(), count);
  own_.resize(rows);
  filled_.resize(rows);
  active_.reserve(rows);
  by_first_.reserve(rows);
  work_.setZero(count);
  ratios_of_.assign(choice.dependent.size(), -1);
  ratios_.setZero(count, phi_q_.cols());
  kept_.setZero(phi_q_.rows(), count);
  product_.setZero(count, count);
  use_dependent(choice.dependent);
}

void DependentJoints::use_dependent(std::span<const int> dependent) {
  std::fill(depends_.begin(), depends_.end(), false);
  std::fill(places_.begin(), places_.end(), -1);
  for (std::size_t i = 0; i < dependent.size(); ++i) {
    choice_.dependent[i] = dependent[i];
    depends_[index_of(dependent[i])] = true;
    places_[index_of(dependent[i])] = static_cast<int>(i);
  }
  lu_.setZero();
  by_first_.clear();
  for (std::size_t row = 0; row < own_.size(); ++row) {
    Reach& reach = own_[row];
    reach = {lu_.cols(), 0};
    for (const int component : components_[loop_of(static_cast<int>(row))]) {
      if (const Eigen::Index place = places_[index_of(component)]; place >= 0) {
        reach = {std::min(reach.first, place), std::max(reach.last, place + 1)};
      }
    }
    filled_[row] = reach;
    if (reach.first < reach.last) {
      by_first_.push_back(static_cast<int>(row));
    }
  }
  std::sort(by_first_.begin(), by_first_.end(), [this](int one, int other) {
    return std::pair(own_[index_of(one)].first, one) < std::pair(own_[index_of(other)].first, other);
  });
}

double DependentJoints::factorise() {
  if (lu_.cols() == 0) {
    return 1.0;
  }
  for (const int row : by_first_) {
    Reach& filled = filled_[index_of(row)];
    const Reach own = own_[index_of(row)];
    lu_.row(row).segment(own.first, filled.last - own.first).setZero();
    for (const int component : components_[loop_of(row)]) {
      if (const int place = places_[index_of(component)]; place >= 0) {
        lu_(row, place) = phi_q_(row, component);
      }
    }
    filled = own;
  }
  active_.clear();
  std::size_t next = 0;
  double smallest = 0.0;
  double largest = 0.0;
  for (Eigen::Index k = 0; k < lu_.cols(); ++k) {
    for (; next < by_first_.size() && own_[index_of(by_first_[next])].first <= k; ++next) {
      active_.push_back(by_first_[next]);
    }
    const auto pivot = std::max_element(active_.begin(), active_.end(), [this, k](int one, int other) {
      return std::abs(lu_(one, k)) < std::abs(lu_(other, k));
    });
    const double size = pivot == active_.end() ? 0.0 : std::abs(lu_(*pivot, k));
    if (!(size > 0.0)) {
      return 0.0;  // also for what is not a number
    }
    choice_.rows[static_cast<std::size_t>(k)] = *pivot;
    active_.erase(pivot);
    smallest = k == 0 ? size : std::min(smallest, size);
    largest = std::max(largest, size);
    eliminate(k);
  }
  return smallest / largest;
}

void DependentJoints::eliminate(Eigen::Index k) {
  const int pivot = choice_.rows[static_cast<std::size_t>(k)];
  const Eigen::Index end = filled_[index_of(pivot)].last;
  for (const int row : active_) {
    if (lu_(row, k) == 0.0) {
      continue;
    }
    lu_(row, k) /= lu_(pivot, k);
    lu_.row(row).segment(k + 1, end - k - 1) -= lu_(row, k) * lu_.row(pivot).segment(k + 1, end - k - 1);
    filled_[index_of(row)].last = std::max(filled_[index_of(row)].last, end);
  }
}

void DependentJoints::solve(Eigen::VectorXd& right) const {
  for (Eigen::Index i = 0; i < lu_.cols(); ++i) {
    const int row = choice_.rows[static_cast<std::size_t>(i)];
    const Eigen::Index first = own_[index_of(row)].first;
    right[i] -= lu_.row(row).segment(first, i - first).dot(right.segment(first, i - first));
  }
  for (Eigen::Index i = lu_.cols() - 1; i >= 0; --i) {
    const int row = choice_.rows[static_cast<std::size_t>(i)];
    const Eigen::Index after = filled_[index_of(row)].last - i - 1;
    right[i] = (right[i] - lu_.row(row).segment(i + 1, after).dot(right.segment(i + 1, after))) / lu_(row, i);
  }
}

void DependentJoints::solve_transposed(Eigen::VectorXd& right) const {
  for (Eigen::Index i = 0; i < lu_.cols(); ++i) {
    const int row = choice_.rows[static_cast<std::size_t>(i)];
    const Eigen::Index after = filled_[index_of(row)].last - i - 1;
    right[i] /= lu_(row, i);
    right.segment(i + 1, after) -= right[i] * lu_.row(row).segment(i + 1, after).transpose();
  }
  for (Eigen::Index i = lu_.cols() - 1; i >= 0; --i) {
    const int row = choice_.rows[static_cast<std::size_t>(i)];
    const Eigen::Index first = own_[index_of(row)].first;
    right.segment(first, i - first) -= right[i] * lu_.row(row).segment(first, i - first).transpose();
  }
}

void DependentJoints::complete(std::span<double> u) {
  for (const int component : choice_.dependent) {
    u[index_of(component)] = 0.0;
  }
  for (std::size_t i = 0; i < choice_.rows.size(); ++i) {
    const int row = choice_.rows[i];
    double rate = 0.0;
    for (const int component : components_[loop_of(row)]) {
      rate -= phi_q_(row, component) / column(component) * u[index_of(component)];
    }
    work_[static_cast<Eigen::Index>(i)] = rate;
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

void DependentJoints::set_multipliers(std::span<const double> g) {
  for (std::size_t i = 0; i < choice_.dependent.size(); ++i) {
    work_[static_cast<Eigen::Index>(i)] = column(choice_.dependent[i]) * g[index_of(choice_.dependent[i])];
  }
  solve_transposed(work_);
}

void DependentJoints::multipliers(std::span<const double> g, std::span<double> multipliers) {
  set_multipliers(g);
  std::fill(multipliers.begin(), multipliers.end(), 0.0);
  for (std::size_t i = 0; i < choice_.rows.size(); ++i) {
    const int row = choice_.rows[i];
    multipliers[index_of(row)] = -row_scale_of(row) * work_[static_cast<Eigen::Index>(i)];
  }
}

void DependentJoints::reduce(std::span<double> g) {
  set_multipliers(g);
  for (std::size_t i = 0; i < choice_.rows.size(); ++i) {
    const int row = choice_.rows[i];
    for (const int component : components_[loop_of(row)]) {
      g[index_of(component)] -= work_[static_cast<Eigen::Index>(i)] * phi_q_(row, component) / column(component);
    }
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
