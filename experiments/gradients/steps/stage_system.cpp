#include "experiments/gradients/steps/stage_system.hpp"

#include "experiments/gradients/steps/run_failure.hpp"

namespace mbdbench::gradients {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<Eigen::VectorXd> vector_of(std::span<double> numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

}  // namespace

StageSystem::StageSystem(Formulation& formulation, const StepMethod& method)
    : formulation_(&formulation), method_(&method), stages_(method.stage_count() - method.explicit_stages) {}

void StageSystem::factorise(const StepInterval& step, std::span<const double> stages) {
  if (stages_ == 0) {
    return;
  }
  const std::size_t size = formulation_->state_size();
  const auto n = static_cast<Eigen::Index>(size);
  rows_.resize(size * size);
  matrix_.setIdentity(static_cast<Eigen::Index>(stages_) * n, static_cast<Eigen::Index>(stages_) * n);
  for (std::size_t i = 0; i < stages_; ++i) {
    const std::size_t stage = method_->explicit_stages + i;
    const double t = method_->time_of(stage, step);
    require_run(formulation_->jacobian(t, stages.subspan(stage * size, size), rows_), t);
    const Eigen::Map<const Rows> jacobian(rows_.data(), n, n);
    for (std::size_t j = 0; j < stages_; ++j) {
      const double factor = step.size * method_->coefficient(stage, method_->explicit_stages + j);
      matrix_.block(static_cast<Eigen::Index>(i) * n, static_cast<Eigen::Index>(j) * n, n, n) -= factor * jacobian;
    }
  }
  factors_.compute(matrix_);
}

void StageSystem::solve(std::span<double> rates) const {
  if (!rates.empty()) {
    vector_of(rates) = factors_.solve(vector_of(rates)).eval();
  }
}

void StageSystem::solve_transposed(std::span<double> weights) const {
  if (!weights.empty()) {
    vector_of(weights) = factors_.transpose().solve(vector_of(weights)).eval();
  }
}

}  // namespace mbdbench::gradients
