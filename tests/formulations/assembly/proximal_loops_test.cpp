// Loops closed by regularised rows (loops=proximal): at singular positions and near them, beside the rank decision and
// the dense reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "formulations/assembly/mechanism_assembly.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// u of given momenta, with all passes that the engine made.
struct ProximalSolution {
  Eigen::VectorXd u;
  int passes = 0;
};

ProximalSolution velocities_of(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& p,
                               const ProximalOptions& proximal) {
  MechanismAssembly system(mechanism, {GroundClosure::root, CutAxes::world, proximal}, nullptr);
  EXPECT_TRUE(system.set_positions(0.0, view(q)).ok);
  system.solve_velocities(view(p));
  return {Eigen::Map<const Eigen::VectorXd>(system.u().data(), mechanism.u_size()), system.engine().passes()};
}

const ProximalOptions kProximal = {ProximalRows::loops, 1e-9, {}};

TEST(proximal_loops, a_singular_position_gives_the_velocities_of_the_reference) {
  for (const char* key : {"five_bar:shape=line", "five_bar:shape=rect", "coupled_loops"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    RandomSource random(3);
    const Eigen::VectorXd p = test::random_vector(mechanism.u_size(), random);
    DenseDynamics dynamics(mechanism, nullptr);
    ASSERT_TRUE(dynamics.set_positions(0.0, view(mechanism.q0())).ok);
    const Eigen::VectorXd expected = dynamics.velocities_of(view(p));
    const ProximalSolution solution = velocities_of(mechanism, mechanism.q0(), p, kProximal);
    // Velocities of order 1 through matrices of condition 1e3.
    EXPECT_LT((solution.u - expected).cwiseAbs().maxCoeff(), 1e-12) << key;
    EXPECT_LE(solution.passes, 3) << key;
  }
}

TEST(proximal_loops, constraints_that_fade_are_kept_while_passes_last) {
  // The rhombus opened by a small angle: its smallest singular value is proportional to it.
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "five_bar:shape=rhombus");
  for (const auto& [opening, limit] : {std::pair(1e-2, 1e-12), std::pair(1e-3, 1e-11), std::pair(1e-4, 1e-9)}) {
    // Both upper links off the vertical by the opening, the lower ones back: q of the chain of revolute joints.
    Eigen::VectorXd q = mechanism.q0();
    const double half = std::numbers::pi / 3.0 - opening;
    q[0] += half;
    q[1] -= 2.0 * half;
    q[2] += 2.0 * half;
    q[3] -= 2.0 * half;
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(q));
    std::vector<double> phi(static_cast<std::size_t>(mechanism.constraint_size()));
    constraint_residual(kinematics, view(q), {}, phi);
    for (const double row : phi) {
      ASSERT_NEAR(row, 0.0, 1e-15) << "the loop is closed";
    }
    Jacobians jacobians(mechanism);
    jacobians.set_positions(kinematics);
    RandomSource random(4);
    const Eigen::VectorXd p = test::random_vector(mechanism.u_size(), random);
    const ProximalSolution solution = velocities_of(mechanism, q, p, kProximal);
    const double violation = (jacobians.constraints() * solution.u).cwiseAbs().maxCoeff();
    fmt::print("opening {:.0e}: |Phi_q u| {:.1e} after {} passes\n", opening, violation, solution.passes);
    EXPECT_LT(violation, limit) << opening;
    EXPECT_LE(solution.passes, PassLimits{}.most);
  }
}

TEST(proximal_loops, open_trees_need_no_second_pass) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_tree:seed=3,bodies=12");
  RandomSource random(5);
  const Eigen::VectorXd p = test::random_vector(mechanism.u_size(), random);
  const ProximalSolution regularised = velocities_of(mechanism, mechanism.q0(), p, kProximal);
  EXPECT_EQ(regularised.passes, 1);
  EXPECT_EQ(regularised.u, velocities_of(mechanism, mechanism.q0(), p, {}).u) << "bitwise: nothing is regularised";
}

TEST(proximal_loops, regularisations_that_fail_are_refused) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "five_bar");
  EXPECT_NO_THROW(static_cast<void>(test::make("dca", mechanism, "loops=proximal,regularisation=1e-12")));
  EXPECT_THROW(static_cast<void>(test::make("dca", mechanism, "loops=proximal,regularisation=1e-13")), ParameterError);
}

}  // namespace
}  // namespace mbdbench
