#include "experiments/studies/runner/observation/sigma_differences.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "experiments/registries/formulation_choice.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/start/generic_rank.hpp"

namespace mbdbench::studies {
namespace {

void require(double t, const RhsStatus& status) {
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the state at t = {} cannot be evaluated: {}", t, status.message()));
  }
}

/// sigma and lambda at states of one formulation in momenta.
class CutMultipliers {
 public:
  CutMultipliers(const Registries& registries, Formulation& formulation)
      : formulation_(formulation),
        mechanism_(formulation.mechanism()),
        dense_(make_dense(registries, mechanism_)),
        kinematics_(mechanism_),
        jacobians_(mechanism_),
        q_(static_cast<std::size_t>(mechanism_.q_size())),
        u_(static_cast<std::size_t>(mechanism_.u_size())),
        free_(formulation.state_size()),
        dense_x_(dense_->state_size()) {}

  /// sigma of a free start has no impulses: its momenta are M u.
  Eigen::VectorXd sigma(double t, std::span<const double> x) {
    place(t, x);
    require(t, formulation_.pack(t, q_, u_, free_));
    const auto first = static_cast<Eigen::Index>(q_.size());
    const auto size = static_cast<Eigen::Index>(u_.size());
    const Eigen::Map<const Eigen::VectorXd> free(free_.data() + first, size);
    const Eigen::Map<const Eigen::VectorXd> p(x.data() + first, size);
    return jacobians_.constraints().transpose().colPivHouseholderQr().solve(free - p);
  }

  Eigen::VectorXd lambda(double t, std::span<const double> x) {
    place(t, x);
    require(t, dense_->pack(t, q_, u_, dense_x_));
    Reactions reactions;
    require(t, dense_->reactions(t, dense_x_, reactions));
    Eigen::VectorXd result(mechanism_.cut_row_count());
    Eigen::Index row = 0;
    for (std::size_t c = 0; c < mechanism_.cut_joints().size(); ++c) {
      const SpatialColumns& d = kinematics_.cut_joint(static_cast<int>(c)).d;
      result.segment(row, d.cols()) = Eigen::MatrixXd(d).colPivHouseholderQr().solve(reactions.cut_joints[c]);
      row += d.cols();
    }
    return result;
  }

  /// The motion from x by one classical Runge-Kutta step.
  std::vector<double> moved(double t, const std::vector<double>& x, double h) {
    std::array<std::vector<double>, 4> slopes;
    constexpr std::array kStages = {0.0, 0.5, 0.5, 1.0};
    for (std::size_t k = 0; k < 4; ++k) {
      std::vector<double> at = x;
      for (std::size_t i = 0; k > 0 && i < x.size(); ++i) {
        at[i] += kStages[k] * h * slopes[k - 1][i];
      }
      slopes[k].resize(x.size());
      require(t, formulation_.rhs(t + kStages[k] * h, at, slopes[k]));
    }
    std::vector<double> end = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      end[i] += h / 6.0 * (slopes[0][i] + 2.0 * slopes[1][i] + 2.0 * slopes[2][i] + slopes[3][i]);
    }
    return end;
  }

 private:
  static std::unique_ptr<Formulation> make_dense(const Registries& registries, const Mechanism& mechanism) {
    const FormulationChoice choice = choose_formulation(registries.formulations, "dense");
    return make_formulation(registries.formulations, *choice.entry, mechanism, choice.options);
  }

  void place(double t, std::span<const double> x) {
    require(t, formulation_.unpack(t, x, q_, u_));
    kinematics_.set_positions(q_);
    jacobians_.set_positions(kinematics_);
  }

  Formulation& formulation_;
  const Mechanism& mechanism_;
  std::unique_ptr<Formulation> dense_;
  Kinematics kinematics_;
  Jacobians jacobians_;
  std::vector<double> q_;
  std::vector<double> u_;
  std::vector<double> free_;
  std::vector<double> dense_x_;
};

}  // namespace

Measured sigma_difference_error(const Registries& registries, Formulation& formulation,
                                const std::vector<StateSamples::Sample>& samples, double interval) {
  const Mechanism& mechanism = formulation.mechanism();
  const auto layout = formulation.layout();
  const auto momenta = std::count_if(layout.begin(), layout.end(),
                                     [](const StateComponent& c) { return c.kind == StateKind::momentum; });
  if (momenta != mechanism.u_size()) {
    return Measured::refused("the state has no momenta of all joints, hence no impulses sigma");
  }
  if (mechanism.cut_row_count() == 0 || mechanism.rheonomic()) {
    return Measured::refused("sigma is that of cut joints without prescribed motions");
  }
  if (const int redundant = mechanism.cut_row_count() - mechanism.generic_rank().rank; redundant > 0) {
    return Measured::refused(
        fmt::format("{} of the {} rows of the cut joints are redundant: neither sigma nor lambda is unique, and "
                    "differences of sigma are reactions of no single joint",
                    redundant, mechanism.cut_row_count()));
  }
  CutMultipliers multipliers(registries, formulation);
  double largest = 0.0;
  double difference = 0.0;
  for (const StateSamples::Sample& sample : samples) {
    const Eigen::VectorXd lambda = multipliers.lambda(sample.t, sample.x);
    const std::vector<double> before = multipliers.moved(sample.t, sample.x, -interval);
    const std::vector<double> after = multipliers.moved(sample.t, sample.x, interval);
    const Eigen::VectorXd quotient =
        (multipliers.sigma(sample.t + interval, after) - multipliers.sigma(sample.t - interval, before)) /
        (2.0 * interval);
    largest = std::max(largest, lambda.cwiseAbs().maxCoeff());
    difference = std::max(difference, (quotient - lambda).cwiseAbs().maxCoeff());
  }
  return largest > 0.0 ? Measured::number(difference / largest) : Measured::refused("no constraint force acts");
}

}  // namespace mbdbench::studies
