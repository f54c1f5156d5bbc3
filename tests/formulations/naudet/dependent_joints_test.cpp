// Dependent joints, eliminated within the columns that rows reach, against dense matrices.
#include "formulations/naudet/dependents/dependent_joints.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "formulations/naudet/closed_dynamics.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

std::vector<std::string> closed_keys() {
  std::vector<std::string> keys = {"four_bar", "double_loop", "coupled_loops", "bricard", "slider_crank",
                                   "ladder:6", "rings:4",     "grid:4",        "loop:33", "squeezer"};
  for (int seed = 4100; seed < 4130; ++seed) {
    keys.push_back(fmt::format("random_closed:seed={},bodies={},cuts={},screws={}", seed, 6 + seed % 9, 1 + seed % 4,
                               seed % 3 == 0 ? 1 : 0));
  }
  return keys;
}

/// Everything at the initial position of one mechanism.
class AtTheStart {
 public:
  explicit AtTheStart(const std::string& key)
      : mechanism(make_mechanism(mechanism_registry(), key)), geometry(mechanism), dependents(mechanism) {
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(mechanism.q0()));
    geometry.set_positions(view(mechanism.q0()));
    dependents.set_positions(geometry);
    dependents.use_choice(initial_choice(mechanism, dependent_candidates(mechanism, false)));
    Jacobians jacobians(mechanism);
    jacobians.set_positions(kinematics);
    // Prescribed motions of tree joints close no loop.
    std::vector<int> rows(static_cast<std::size_t>(mechanism.cut_row_count()));
    std::iota(rows.begin(), rows.end(), 0);
    for (const Coupling& coupling : mechanism.couplings()) {
      rows.push_back(coupling.row);
    }
    phi_q = mechanism.scales().scaled(jacobians.constraints())(rows, Eigen::all);
  }

  /// \returns K = -Phi_d^+ Phi_i over all of u, zero for dependent components; as many digits as Phi_d allows.
  [[nodiscard]] Eigen::MatrixXd ratios() const {
    const std::vector<int>& dependent = dependents.dependent();
    const Eigen::MatrixXd scaled = dependents.phi_q();
    const Eigen::MatrixXd phi_d = scaled(Eigen::all, dependent);
    Eigen::MatrixXd k = -phi_d.colPivHouseholderQr().solve(scaled);
    for (const int component : dependent) {
      k.col(component).setZero();
    }
    const Eigen::VectorXd& columns = mechanism.scales().columns;
    return columns(dependent).asDiagonal() * k * columns.cwiseInverse().asDiagonal();
  }

  Mechanism mechanism;
  LoopGeometry geometry;
  DependentJoints dependents;
  Eigen::MatrixXd phi_q;  // scaled
};

TEST(DependentJointsTest, RowsAreThoseOfTheDenseJacobianScaled) {
  for (const std::string& key : closed_keys()) {
    const AtTheStart at(key);
    // Entries are sums over the way to the ground there, and end where both ways meet here: rounding of their size.
    EXPECT_LT((at.dependents.phi_q() - at.phi_q).cwiseAbs().maxCoeff(),
              1e-13 * std::max(1.0, at.dependents.size(at.geometry)))
        << key;
  }
}

TEST(DependentJointsTest, VelocitiesAndMomentaFollowFromTheDenseRatios) {
  double worst = 0.0;
  for (const std::string& key : closed_keys()) {
    AtTheStart at(key);
    const double pivots = at.dependents.factorise();
    ASSERT_GT(pivots, 1e-6) << key;
    const Eigen::MatrixXd k = at.ratios();
    const std::vector<int>& dependent = at.dependents.dependent();
    Eigen::VectorXd u(at.mechanism.u_size());
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      u[i] = std::sin(1.0 + 2.0 * static_cast<double>(i));
    }
    const Eigen::VectorXd expected = k * u;
    Eigen::VectorXd completed = u;
    at.dependents.complete(std::span(completed.data(), static_cast<std::size_t>(completed.size())));
    Eigen::VectorXd reduced = u;
    at.dependents.reduce(std::span(reduced.data(), static_cast<std::size_t>(reduced.size())));
    Eigen::VectorXd sum = u + k.transpose() * u(dependent);
    sum(dependent).setZero();
    // Both lose the digits of Phi_d; its pivots say how many about.
    const double size = std::max(1.0, k.cwiseAbs().maxCoeff());
    const double error =
        std::max((completed(dependent) - expected).cwiseAbs().maxCoeff(), (reduced - sum).cwiseAbs().maxCoeff()) /
        size * pivots;
    EXPECT_LT(error, 1e-13) << key << ", pivots " << pivots;
    worst = std::max(worst, error);
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      if (!std::binary_search(dependent.begin(), dependent.end(), static_cast<int>(i))) {
        EXPECT_EQ(completed[i], u[i]) << key;
      }
    }
  }
  fmt::print("worst error over the largest ratio times the pivots: {:.1e}\n", worst);
}

TEST(DependentJointsTest, RatiosAreThoseOfDenseMatrices) {
  for (const std::string& key : closed_keys()) {
    AtTheStart at(key);
    const double pivots = at.dependents.factorise();
    const Eigen::MatrixXd k = at.ratios();
    const std::vector<int>& dependent = at.dependents.dependent();
    const Eigen::VectorXd& columns = at.mechanism.scales().columns;
    const Eigen::MatrixXd scaled = columns(dependent).cwiseInverse().asDiagonal() * k * columns.asDiagonal();
    // As above, over the pivots.
    const double size = std::max(1.0, scaled.cwiseAbs().maxCoeff());
    std::vector<bool> allowed(static_cast<std::size_t>(at.mechanism.u_size()), true);
    EXPECT_NEAR(at.dependents.largest_ratio(allowed), scaled.cwiseAbs().maxCoeff(), 1e-13 * size / pivots) << key;
    Eigen::Index row = 0;
    Eigen::Index largest = 0;
    scaled.cwiseAbs().maxCoeff(&row, &largest);
    allowed[static_cast<std::size_t>(largest)] = false;
    Eigen::MatrixXd others = scaled;
    others.col(largest).setZero();
    EXPECT_NEAR(at.dependents.largest_ratio(allowed), others.cwiseAbs().maxCoeff(), 1e-13 * size / pivots) << key;
    at.dependents.keep_ratios();
    ASSERT_TRUE(at.dependents.predicts()) << key;
    const Eigen::VectorXd change = Eigen::VectorXd::LinSpaced(at.mechanism.u_size(), -1.0, 2.0);
    std::vector<double> prediction(dependent.size());
    at.dependents.predict(view(change), prediction);
    const Eigen::VectorXd expected = k * change;
    for (std::size_t i = 0; i < dependent.size(); ++i) {
      EXPECT_NEAR(prediction[i], expected[static_cast<Eigen::Index>(i)], 1e-12 * k.cwiseAbs().maxCoeff() / pivots)
          << key;
    }
  }
}

}  // namespace
}  // namespace mbdbench
