/// \file
/// Reactions of closed mechanisms: with them every body obeys the Newton-Euler equations, its momentum rate taken by
/// finite differences along the formulation's own right-hand side, and they do no work in their joints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/validation/model_check.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

// Largest error over the largest wrench of the mechanism. Finite differences resolve 1e-9 where the loops are well
// conditioned; a wrong sign leaves an error of order one.
constexpr double kBalance = 1e-6;
constexpr double kRounding = 1e-9;

/// [linear momentum; angular momentum about the centre of mass] of all bodies, one after the other.
Eigen::VectorXd momenta(const Kinematics& kinematics) {
  const auto bodies = kinematics.mechanism().bodies();
  Eigen::VectorXd result(6 * static_cast<Eigen::Index>(bodies.size()));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyKinematics& body = kinematics.body(static_cast<int>(i));
    const auto first = 6 * static_cast<Eigen::Index>(i);
    result.segment<3>(first) = bodies[i].mass * body.velocity.head<3>();
    result.segment<3>(first + 3) = body.inertia * body.velocity.tail<3>();
  }
  return result;
}

/// A formulation with its mechanism's kinematics at the states of its right-hand side.
class ClosedState {
 public:
  ClosedState(const FormulationEntry& entry, const Mechanism& mechanism)
      : ClosedState(test::make(entry.key, mechanism), mechanism.q0()) {}

  ClosedState(std::unique_ptr<Formulation> formulation, const Eigen::VectorXd& q)
      : mechanism_(formulation->mechanism()),
        kinematics_(mechanism_),
        loads_(mechanism_, nullptr),
        formulation_(std::move(formulation)),
        q_(mechanism_.q_size()),
        u_(mechanism_.u_size()) {
    start_ = test::evaluate_at(*formulation_, kTime, q, mechanism_.u0());
    EXPECT_TRUE(start_.status.ok) << start_.status.message();
    EXPECT_TRUE(formulation_->reactions(kTime, start_.x, reactions_).ok);
  }

  /// \returns the rates of all momenta.
  Eigen::VectorXd momentum_rates() {
    return test::difference([this](double s) {
      move(s);
      return momenta(kinematics_);
    });
  }

  /// \returns applied loads, joint forces and reactions on every body at its centre of mass.
  Eigen::VectorXd wrenches() {
    move(0.0);
    loads_.evaluate(kTime, view(q_), view(u_), kinematics_);
    sums_.assign(mechanism_.bodies().size(), Vec6::Zero());
    for (int i = 0; i < mechanism_.body_count(); ++i) {
      sums_[static_cast<std::size_t>(i)] = loads_.body_wrench(i);
    }
    for (std::size_t k = 0; k < mechanism_.tree_joints().size(); ++k) {
      const Joint& joint = mechanism_.tree_joints()[k];
      const JointKinematics& state = kinematics_.tree_joint(static_cast<int>(k));
      const Eigen::VectorXd tau = loads_.joint_forces().segment(joint.u_offset, joint.nu);
      const Eigen::MatrixXd gram = state.h.transpose() * state.h;
      Vec6 active = Vec6::Zero();
      if (joint.nu > 0) {
        active = state.h * gram.ldlt().solve(tau);
      }
      add_pair(joint, state.point, reactions_.tree_joints[k] + active);
    }
    for (std::size_t c = 0; c < mechanism_.cut_joints().size(); ++c) {
      const JointKinematics& state = kinematics_.cut_joint(static_cast<int>(c));
      add_pair(mechanism_.cut_joints()[c], state.point, reactions_.cut_joints[c]);
    }
    Eigen::VectorXd result(6 * static_cast<Eigen::Index>(sums_.size()));
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      result.segment<6>(6 * static_cast<Eigen::Index>(i)) = sums_[i];
    }
    return result;
  }

  /// \returns the largest |H^T wrench| of all joints.
  double work_along_motion() {
    move(0.0);
    double largest = 0.0;
    const auto add = [&largest](const JointKinematics& state, const Vec6& wrench) {
      for (Eigen::Index i = 0; i < state.h.cols(); ++i) {
        largest = std::max(largest, std::abs(state.h.col(i).dot(wrench)));
      }
    };
    for (std::size_t k = 0; k < reactions_.tree_joints.size(); ++k) {
      add(kinematics_.tree_joint(static_cast<int>(k)), reactions_.tree_joints[k]);
    }
    for (std::size_t c = 0; c < reactions_.cut_joints.size(); ++c) {
      add(kinematics_.cut_joint(static_cast<int>(c)), reactions_.cut_joints[c]);
    }
    return largest;
  }

  /// \returns the largest entry of all reactions, at least 1.
  [[nodiscard]] double size() const {
    double largest = 1.0;
    for (const auto* wrenches : {&reactions_.tree_joints, &reactions_.cut_joints}) {
      for (const Vec6& wrench : *wrenches) {
        largest = std::max(largest, wrench.cwiseAbs().maxCoeff());
      }
    }
    return largest;
  }

  /// \returns the largest entry of the reactions in cut joints.
  [[nodiscard]] double cut_size() const {
    double largest = 0.0;
    for (const Vec6& wrench : reactions_.cut_joints) {
      largest = std::max(largest, wrench.cwiseAbs().maxCoeff());
    }
    return largest;
  }

 private:
  static constexpr double kTime = 0.3;

  /// Kinematics at x + s x'.
  void move(double s) {
    std::vector<double> x = start_.x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += s * start_.xdot[i];
    }
    EXPECT_TRUE(formulation_->unpack(kTime + s, x, view(q_), view(u_)).ok);
    kinematics_.set_positions(view(q_));
    kinematics_.set_velocities(view(u_));
  }

  /// Adds a wrench on b and its opposite on a, both at one point.
  void add_pair(const Joint& joint, const Vec3& point, const Vec6& wrench) {
    if (joint.b >= 0) {
      sums_[static_cast<std::size_t>(joint.b)] += shift_wrench(point - kinematics_.body(joint.b).com, wrench);
    }
    if (joint.a >= 0) {
      sums_[static_cast<std::size_t>(joint.a)] -= shift_wrench(point - kinematics_.body(joint.a).com, wrench);
    }
  }

  const Mechanism& mechanism_;
  Kinematics kinematics_;
  LoadEvaluator loads_;
  std::unique_ptr<Formulation> formulation_;
  Eigen::VectorXd q_;
  Eigen::VectorXd u_;
  test::Evaluation start_;
  Reactions reactions_;
  std::vector<Vec6> sums_;
};

TEST(closed_reactions, every_body_obeys_newton_euler) {
  int checked = 0;
  int with_loaded_cuts = 0;
  double worst = 0.0;
  for (const int cuts : {2, 3}) {
    for (int seed = 1; seed <= 12; ++seed) {
      const std::string key = fmt::format("random_closed:seed={},bodies=8,cuts={}", seed, cuts);
      const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
      const bool redundant = check_model(mechanism).redundant() > 0;
      for (const FormulationEntry& entry : formulation_registry()) {
        // Off the closed positions redundant rows are independent: velocities that are solved for from momenta jump.
        if (!entry.refusal(mechanism).empty() || (redundant && entry.rate_kind == StateKind::momentum)) {
          continue;
        }
        ClosedState state(entry, mechanism);
        const Eigen::VectorXd rates = state.momentum_rates();
        const double error = (state.wrenches() - rates).cwiseAbs().maxCoeff() / state.size();
        EXPECT_LT(error, kBalance) << entry.key << " on " << key;
        EXPECT_LT(state.work_along_motion() / state.size(), kRounding) << entry.key << " on " << key;
        worst = std::max(worst, error);
        with_loaded_cuts += state.cut_size() > 0.1 ? 1 : 0;
        ++checked;
      }
    }
  }
  fmt::print("{} checks, worst error {:.1e} of the largest reaction\n", checked, worst);
  // Both kinds of state take part, and loops that carry no load would prove nothing.
  EXPECT_GT(checked, 24);
  EXPECT_GT(with_loaded_cuts, checked / 2);
}

TEST(closed_reactions, feedback_of_open_loops_is_part_of_the_motion) {
  // Loops 1 cm open that close like exp(-beta t): Phi' = -beta Phi, hence Phi'' = -beta Phi', in the axes in which Phi'
  // is meant (joint_kinematics.hpp), however the rows stand.
  int checked = 0;
  for (int seed = 1; seed <= 24; ++seed) {
    const Mechanism mechanism =
        make_mechanism(mechanism_registry(), fmt::format("random_closed:seed={},bodies=8,cuts=2", seed));
    if (check_model(mechanism).redundant() > 0) {
      continue;  // their rows contradict one another off the closed positions
    }
    RandomSource random(static_cast<std::uint64_t>(seed));
    const Eigen::VectorXd q =
        test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 0.01);
    for (const std::string axes : {"world", "body"}) {
      ClosedState state(test::make("hdca", mechanism, "feedback=4,cut_axes=" + axes), q);
      const Eigen::VectorXd rates = state.momentum_rates();
      EXPECT_LT((state.wrenches() - rates).cwiseAbs().maxCoeff() / state.size(), kBalance)
          << "seed " << seed << ", " << axes;
      ++checked;
    }
  }
  EXPECT_GE(checked, 12);
}

}  // namespace
}  // namespace mbdbench
