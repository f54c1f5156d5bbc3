#include "formulations/naudet/dependents/dependent_joints.hpp"

#include <algorithm>
#include <array>
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

}  // namespace

DependentJoints::DependentJoints(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      phi_q_(find_ways()),
      factors_(phi_q_),
      inverse_columns_(mechanism.scales().columns.cwiseInverse()) {}

LoopRows DependentJoints::find_ways() {
  LoopRows phi_q;
  phi_q.columns.resize(index_of(mechanism_->u_size()));
  const Eigen::VectorXd& rows = mechanism_->scales().rows;
  const std::span<const double> scales(rows.data(), static_cast<std::size_t>(rows.size()));
  for (const Joint& cut : mechanism_->cut_joints()) {
    std::vector<double>& signs = signs_.emplace_back();
    std::vector<int> components;
    // An outboard body has the larger number of two.
    for (int b = cut.b, a = cut.a; a != b;) {
      int& outer = a > b ? a : b;
      const double sign = a > b ? -1.0 : 1.0;
      const Joint& joint = mechanism_->tree_joints()[index_of(outer)];
      for (int i = 0; i < joint.nu; ++i) {
        components.push_back(joint.u_offset + i);
        signs.push_back(sign);
      }
      outer = mechanism_->parent(outer);
    }
    motions_.resize(std::max(motions_.size(), 6 * components.size()));
    phi_q.add_loop(components, scales.subspan(index_of(cut.row_offset), index_of(cut.nc)));
  }
  for (const Coupling& coupling : mechanism_->couplings()) {
    std::vector<int> components;
    for (const Coupling::Term& term : coupling.terms) {
      components.push_back(term.u);
    }
    phi_q.add_loop(components, scales.subspan(index_of(coupling.row), 1));
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
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    set_cut(c, geometry);
  }
  for (std::size_t i = 0; i < mechanism_->couplings().size(); ++i) {
    const Coupling& coupling = mechanism_->couplings()[i];
    double* entry = phi_q_.row(mechanism_->cut_row_count() + static_cast<int>(i));
    for (const Coupling::Term& term : coupling.terms) {
      *entry++ = mechanism_->scales().rows[coupling.row] * term.factor * mechanism_->scales().columns[term.u];
    }
  }
}

void DependentJoints::set_cut(std::size_t cut, const LoopGeometry& geometry) {
  const CharacteristicScales& scales = mechanism_->scales();
  const Joint& joint = mechanism_->cut_joints()[cut];
  const JointKinematics& ends = geometry.cut_joint(cut);
  const std::vector<int>& components = phi_q_.loops[cut].components;
  const std::size_t count = components.size();
  double* const motions = motions_.data();  // six rows
  for (std::size_t i = 0; i < count; ++i) {
    const LoopGeometry::Motion motion = geometry.motion(components[i], ends.point);
    const double scale = signs_[cut][i] * scales.columns[components[i]];
    for (int k = 0; k < 3; ++k) {
      motions[index_of(k) * count + i] = scale * motion.linear[k];
      motions[index_of(3 + k) * count + i] = scale * motion.angular[k];
    }
  }
  for (int row = 0; row < joint.nc; ++row) {
    const Vec6 d = scales.rows[joint.row_offset + row] * ends.d.col(row);
    double* const to = phi_q_.row(joint.row_offset + row);
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = d[0] * motions[i] + d[1] * motions[count + i] + d[2] * motions[2 * count + i] +
              d[3] * motions[3 * count + i] + d[4] * motions[4 * count + i] + d[5] * motions[5 * count + i];
    }
  }
}

double DependentJoints::size(const LoopGeometry& geometry) const {
  const CharacteristicScales& scales = mechanism_->scales();
  double size = mechanism_->couplings().empty() ? 0.0 : 1.0;
  for (std::size_t cut = 0; cut < mechanism_->cut_joints().size(); ++cut) {
    const Joint& joint = mechanism_->cut_joints()[cut];
    const JointKinematics& ends = geometry.cut_joint(cut);
    // H at the cut and D in units of the loop: their product is the scaled entry.
    const double unit = scales.loop_units[cut];
    double largest_motion = 0.0;
    for (const int component : phi_q_.loops[cut].components) {
      const LoopGeometry::Motion motion = geometry.motion(component, ends.point);
      const double column = scales.columns[component];
      largest_motion = std::max(
          largest_motion, (column / unit * motion.linear).squaredNorm() + (column * motion.angular).squaredNorm());
    }
    for (int row = 0; row < joint.nc; ++row) {
      const double scale = scales.rows[joint.row_offset + row];
      const double direction =
          (scale * unit * ends.d.col(row).head<3>()).squaredNorm() + (scale * ends.d.col(row).tail<3>()).squaredNorm();
      size = std::max(size, std::sqrt(direction * largest_motion));
    }
  }
  return size;
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
  ratios_at_.assign(choice.dependent.size(), RightSides::Zero());
  by_row_.assign(phi_q_.rows.size(), 0.0);
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
      rate -= *entry++ * inverse_columns_[component] * u[index_of(component)];
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
  std::fill(by_row_.begin(), by_row_.end(), 0.0);
  for (std::size_t i = 0; i < work_.size(); ++i) {
    by_row_[index_of(factors_.pivots()[i])] = work_[i];
  }
  for (const LoopRows::Loop& loop : phi_q_.loops) {
    if (loop.first_row == loop.last_row) {
      continue;  // a cut that lets everything move
    }
    const double* entry = phi_q_.entries.data() + phi_q_.rows[index_of(loop.first_row)].first;
    for (const int component : loop.components) {
      double sum = 0.0;
      for (int row = loop.first_row; row < loop.last_row; ++row) {
        sum += by_row_[index_of(row)] * entry[index_of(row - loop.first_row) * loop.components.size()];
      }
      g[index_of(component)] -= sum * inverse_columns_[component];
      ++entry;
    }
  }
  for (const int component : dependent_) {
    g[index_of(component)] = 0.0;
  }
}

template <typename Use>
void DependentJoints::for_ratios(const Use& use) {
  std::array<int, RightSides::SizeAtCompileTime> components{};
  std::size_t count = 0;
  const auto solve = [&] {
    std::fill(ratios_at_.begin(), ratios_at_.end(), RightSides::Zero());
    auto first = static_cast<int>(dependent_.size());
    for (std::size_t side = 0; side < count; ++side) {
      for (const LoopRows::Place& place : phi_q_.columns[index_of(components[side])]) {
        if (const int pivot = factors_.pivot_of(place.row); pivot >= 0) {
          ratios_at_[index_of(pivot)][static_cast<Eigen::Index>(side)] = -phi_q_.entries[place.entry];
          first = std::min(first, pivot);
        }
      }
    }
    factors_.solve(ratios_at_, first);
    use(std::span<const int>(components).first(count));
    count = 0;
  };
  for (int component = 0; component < mechanism_->u_size(); ++component) {
    if (factors_.column_of(component) < 0) {
      components[count++] = component;
    }
    if (count == components.size() || (count > 0 && component + 1 == mechanism_->u_size())) {
      solve();
    }
  }
}

void DependentJoints::keep_ratios() {
  ratios_of_ = dependent_;
  ratios_.setZero(static_cast<Eigen::Index>(dependent_.size()), mechanism_->u_size());
  for_ratios([this](std::span<const int> components) {
    for (std::size_t i = 0; i < dependent_.size(); ++i) {
      const RightSides& found = ratios_at_[index_of(factors_.column_of(dependent_[i]))];
      for (std::size_t side = 0; side < components.size(); ++side) {
        ratios_(static_cast<Eigen::Index>(i), components[side]) =
            column(dependent_[i]) * found[static_cast<Eigen::Index>(side)] / column(components[side]);
      }
    }
  });
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
    const std::vector<int>& components = phi_q_.loops[index_of(row.loop)].components;
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
  for_ratios([&](std::span<const int> components) {
    RightSides of_side = RightSides::Zero();
    for (const RightSides& found : ratios_at_) {
      of_side = of_side.max(found.abs());
    }
    for (std::size_t side = 0; side < components.size(); ++side) {
      largest =
          allowed[index_of(components[side])] ? std::max(largest, of_side[static_cast<Eigen::Index>(side)]) : largest;
    }
  });
  return largest;
}

}  // namespace mbdbench
