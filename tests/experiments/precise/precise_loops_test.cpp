/// \file
/// Loops in 113 bits: their rows against the joints' own axes and against differences, open ones too; momenta of loops
/// against accelerations, and against formulations in every gauge.
#include "experiments/precise/loops/precise_loops.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "experiments/precise/precise_changes.hpp"
#include "experiments/precise/states/precise_states.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/verification/reference/verification_states.hpp"
#include "formulations/options/gauge_option.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::precise::loops {
namespace {

/// Of differences: they leave its square.
constexpr double kStep = 1e-11;
/// Rows that repeat others do so to the rounding of doubles, of which others have 1e-30 here.
constexpr double kRoundedRows = 1e-14;

Mechanism of_catalogue(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

Reals reals(const Eigen::VectorXd& numbers) {
  return {numbers.begin(), numbers.end()};
}

Reals moved(const Reals& from, const Reals& along, const Real& step) {
  Reals there = from;
  std::transform(from.begin(), from.end(), along.begin(), there.begin(),
                 [&step](const Real& x, const Real& rate) { return x + step * rate; });
  return there;
}

double largest(const RealVector& numbers) {
  return numbers.size() > 0 ? numbers.cwiseAbs().maxCoeff().convert_to<double>() : 0.0;
}

double largest_difference(const Reals& a, const Reals& b) {
  Real found = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    found = std::max(found, Real(abs(a[i] - b[i])));
  }
  return found.convert_to<double>();
}

/// Random closed mechanisms whose constraints do not depend on time: of a time in double precision differences of 1e-11
/// show nothing.
std::vector<Mechanism> random_loops(std::uint64_t first, int count) {
  std::vector<Mechanism> all;
  for (std::uint64_t seed = first; all.size() < static_cast<std::size_t>(count); ++seed) {
    const Mechanism mechanism =
        of_catalogue(fmt::format("random_closed:seed={},bodies={},cuts={},loads=0", seed, 4 + seed % 4, 1 + seed % 2));
    if (!mechanism.rheonomic() && mechanism.generic_rank().rank > 0 &&
        mechanism.generic_rank().rank < mechanism.u_size()) {
      all.push_back(mechanism);
    }
  }
  return all;
}

// A joint asks for nothing along its own axes, and for as much as they leave.
TEST(PreciseLoops, RowsAreNormalToTheAxesOfTheirJoint) {
  const std::uint64_t seed = test::seed_of_run(1);
  std::set<JointType> types;
  for (const Mechanism& mechanism : random_loops(seed, 40)) {
    const TreeNumbers numbers(mechanism);
    PreciseTree tree(mechanism, numbers);
    PreciseLoops loops(tree);
    for (const VerificationState& state : draw_verification_states(mechanism, 1, 5).states) {
      tree.place(reals(state.q));
      loops.place(state.t, reals(state.q));
      Eigen::Index first = 0;
      for (const PreciseCut& cut : loops.cuts()) {
        const Joint& joint = cut.joint();
        const TreeBody& a = tree.body(joint.a);
        const TreeBody& b = tree.body(joint.b);
        const JointAxes axes(joint, a.rotation * orthonormal(joint.rotation_a),
                             b.rotation * orthonormal(joint.rotation_b),
                             b.origin + b.rotation * precise(joint.position_b));
        RealMatrix wrenches(6, cut.count());
        EXPECT_EQ(cut.count(), joint.nc) << joint.name;
        for (Eigen::Index row = 0; row < wrenches.cols(); ++row) {
          const RealVector unit = RealVector::Unit(loops.rows(), first + row);
          wrenches.col(row) = joint.b >= 0 ? loops.wrenches(unit)[static_cast<std::size_t>(joint.b)]
                                           : Spatial(-loops.wrenches(unit)[static_cast<std::size_t>(joint.a)]);
        }
        if (joint.nu > 0 && joint.nu < 6) {
          const RealMatrix products = wrenches.transpose() * axes.columns();
          // The loops are closed to the rounding of doubles.
          EXPECT_LT(products.cwiseAbs().maxCoeff().convert_to<double>(), 1e-11)
              << mechanism.name() << ", seed " << seed << ", " << joint.name;
        }
        EXPECT_EQ(wrenches.colPivHouseholderQr().rank(), cut.count()) << joint.name;
        types.insert(joint.type);
        first += wrenches.cols();
      }
    }
  }
  fmt::print("seed {}: {} types of cut joints\n", seed, types.size());
  EXPECT_GE(types.size(), 7U);
}

// Where loops are open by a tenth, too: Phi' and Phi'' are rates of Phi in axes that turn with both bodies.
TEST(PreciseLoops, RatesAreThoseOfDifferencesWhereLoopsAreOpen) {
  const std::uint64_t seed = test::seed_of_run(1);
  fmt::print("seed {}\n", seed);
  RandomSource random(static_cast<std::int64_t>(seed));
  for (const Mechanism& mechanism : random_loops(seed, 20)) {
    const TreeNumbers numbers(mechanism);
    PreciseTree tree(mechanism, numbers);
    PreciseLoops loops(tree);
    Eigen::VectorXd q_drawn = mechanism.q0();
    Eigen::VectorXd u_drawn(mechanism.u_size());
    std::for_each(q_drawn.begin(), q_drawn.end(), [&](double& one) { one += random.uniform(-0.1, 0.1); });
    std::generate(u_drawn.begin(), u_drawn.end(), [&] { return random.uniform(-2.0, 2.0); });
    const Reals q = reals(q_drawn);
    const Reals u = reals(u_drawn);
    const auto go = [&](const Reals& coordinates, const Reals& velocities) {
      tree.place(coordinates);
      tree.move(velocities);
      loops.place(0.0, coordinates);
      loops.move(velocities, tree.coordinate_rates(coordinates, velocities));
    };
    go(q, u);
    const Reals qdot = tree.coordinate_rates(q, u);
    const Reals udot = tree.accelerations({numbers.forces, true, {}});
    const RealVector rates = loops.rates();
    const RealVector accelerations = loops.accelerations(udot);
    EXPECT_LT(largest(loops.jacobian() * Eigen::Map<const RealVector>(u.data(), mechanism.u_size()) - rates), 1e-28);
    // What the world's axes turn by, against those of the bodies.
    const auto turned = [&](const RealVector& of) {
      RealVector turning = RealVector::Zero(loops.rows());
      Eigen::Index first = 0;
      for (const PreciseCut& cut : loops.cuts()) {
        const Joint& joint = cut.joint();
        const bool along_world = joint.type == JointType::revolute || joint.type == JointType::universal ||
                                 joint.type == JointType::spherical || joint.type == JointType::fixed;
        if (along_world && joint.a >= 0 && joint.b >= 0) {
          const Spatial both = tree.body(joint.a).velocity + tree.body(joint.b).velocity;
          const Vector own = of.segment(first, 3);
          turning.segment(first, 3) = (Vector(both.tail<3>()) * Real(0.5)).cross(own);
        }
        first += cut.count();
      }
      return turning;
    };
    const RealVector opening_turns = turned(loops.openings());
    const RealVector rates_turn = turned(rates);
    const bool screws = std::any_of(mechanism.cut_joints().begin(), mechanism.cut_joints().end(),
                                    [](const Joint& joint) { return joint.type == JointType::screw; });
    go(moved(q, qdot, kStep), moved(u, udot, kStep));
    const RealVector open_after = loops.openings();
    const RealVector after = loops.rates();
    go(moved(q, qdot, -kStep), moved(u, udot, -kStep));
    const RealVector open_before = loops.openings();
    const RealVector before = loops.rates();
    const Real twice = 2.0 * kStep;
    if (!screws) {  // of whose Phi the turn is left out, and whose row is that of parallel axes
      EXPECT_LT(largest((open_after - open_before) / twice - opening_turns - rates), 1e-17) << mechanism.name();
      EXPECT_LT(largest((after - before) / twice - rates_turn - accelerations), 1e-16) << mechanism.name();
    }
  }
}

/// A state of momenta on a closed position, with impulses of constraints that are about as large.
struct MomentumState {
  Reals q;
  Reals u;
  Reals p;
};

MomentumState momentum_state(PreciseMotion& motion, const VerificationState& state, RandomSource& random) {
  MomentumState made;
  made.q = reals(state.q);
  made.u = motion.projected(state.t, made.q, reals(state.u));
  made.p = motion.momenta(made.q, made.u);
  motion.place(state.t, made.q);
  const RealMatrix& jacobian = motion.loops().jacobian();
  for (Eigen::Index row = 0; row < jacobian.rows(); ++row) {
    const Real impulse = random.uniform(-1.0, 1.0);
    for (Eigen::Index i = 0; i < jacobian.cols(); ++i) {
      made.p[static_cast<std::size_t>(i)] += impulse * jacobian(row, i);
    }
  }
  return made;
}

const std::map<std::string, std::function<MomentumGauge(const Mechanism&)>>& gauges() {
  static const std::map<std::string, std::function<MomentumGauge(const Mechanism&)>> kGauges = {
      {"none", [](const Mechanism&) { return MomentumGauge{}; }},
      {"leak",
       [](const Mechanism&) {
         return MomentumGauge{false, 5.0, {}};
       }},
      {"tangent", [](const Mechanism& mechanism) {
         return MomentumGauge{true, 5.0, mechanism.scales().columns};
       }}};
  return kGauges;
}

// Whatever the gauge, momenta move as accelerations say: u of them changes along (q', p') by u'. Nothing but the two
// ways to the motion is compared.
TEST(PreciseLoops, MomentaOfEveryGaugeMoveAsVelocitiesDo) {
  const std::uint64_t seed = test::seed_of_run(1);
  RandomSource random(static_cast<std::int64_t>(seed));
  std::vector<Mechanism> mechanisms = random_loops(seed, 12);
  for (const char* const key : {"four_bar:angle=0.3", "double_loop:angle=0.2", "five_bar", "bricard"}) {
    mechanisms.push_back(of_catalogue(key));
  }
  double worst = 0.0;
  for (const Mechanism& mechanism : mechanisms) {
    ASSERT_EQ(refuse_precise_motion(mechanism), "") << mechanism.name();
    const TreeNumbers numbers(mechanism);
    PreciseMotion motion(mechanism, numbers);
    const VerificationState state = draw_verification_states(mechanism, 1, 3).states.back();
    const MomentumState at = momentum_state(motion, state, random);
    const Reals udot = motion.accelerations(0.0, at.q, at.u);
    const double size = largest(Eigen::Map<const RealVector>(udot.data(), mechanism.u_size()));
    EXPECT_LT(largest_difference(motion.velocities(0.0, at.q, at.p), at.u), kRoundedRows) << mechanism.name();
    for (const auto& [name, gauge] : gauges()) {
      const PreciseMotion::StateRates rates = motion.momentum_rates(0.0, at.q, at.p, gauge(mechanism));
      EXPECT_LT(largest_difference(rates.q, motion.coordinate_rates(at.q, at.u)), kRoundedRows);
      const auto velocities_at = [&](double step) {
        return motion.velocities(0.0, moved(at.q, rates.q, step), moved(at.p, rates.second, step));
      };
      const Reals after = velocities_at(kStep);
      const Reals before = velocities_at(-kStep);
      Reals slope = after;
      for (std::size_t i = 0; i < slope.size(); ++i) {
        slope[i] = (after[i] - before[i]) / Real(2.0 * kStep);
      }
      // Truncation leaves 1e-22 times a third rate, and loops are closed to the rounding of doubles: where they are
      // open by that, both motions differ by as much.
      const double error = largest_difference(slope, udot) / std::max(1.0, size);
      EXPECT_LT(error, 1e-11) << mechanism.name() << ", gauge " << name << ", seed " << seed;
      worst = std::max(worst, error);
    }
  }
  fmt::print("seed {}: largest difference of u' {:.1e}\n", seed, worst);
}

// What formulations document of p', in every gauge, and of x' with velocities that are projected or pulled back, where
// loops are open by some 1e-4.
TEST(PreciseLoops, RatesAreThoseOfFormulationsWhereLoopsAreOpen) {
  const std::uint64_t seed = test::seed_of_run(1);
  RandomSource random(static_cast<std::int64_t>(seed));
  std::size_t compared = 0;
  double worst = 0.0;
  std::vector<Mechanism> mechanisms = random_loops(seed, 12);
  for (const char* const key : {"four_bar:angle=0.3", "double_loop:angle=0.2", "five_bar", "ladder:3"}) {
    mechanisms.push_back(of_catalogue(key));
  }
  for (const Mechanism& mechanism : mechanisms) {
    if (!refuse_open_loops(mechanism).empty()) {
      continue;
    }
    const TreeNumbers numbers(mechanism);
    PreciseMotion motion(mechanism, numbers);
    VerificationState state = draw_verification_states(mechanism, 1, 3).states.back();
    std::for_each(state.q.begin(), state.q.end(), [&](double& one) { one += random.uniform(-1e-4, 1e-4); });
    // Fast: in the tangent gauge kappa is then the largest rate of a joint, or the leak of 40 1/s.
    std::for_each(state.u.begin(), state.u.end(), [&](double& one) { one = 8.0 * one + random.uniform(-1e-3, 1e-3); });
    for (const char* const word :
         {"dense[projection=off]", "dense[projection=velocities]", "bae-haug[projection=off]",
          "bae-haug[projection=velocities]", "bae-haug[alpha=3,beta=7]", "dca[baumgarte_alpha=3,baumgarte_beta=7]",
          "dca[projection=off]", "dca[projection=velocities]", "dense-momentum", "dense-momentum[gauge=none]", "hdca",
          "hdca[gauge=none]", "hdca[gauge=leak,leak=3]", "hdca[gauge=tangent,leak=40]",
          "hdca[gauge=tangent,cut_axes=body]", "hdca-printed"}) {
      const FormulationChoice choice = choose_formulation(formulation_registry(), word);
      if (!refusal_of(*choice.entry, mechanism).empty()) {
        continue;
      }
      const auto formulation = make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options);
      ASSERT_EQ(refuse_precise_states(*formulation, choice.parameters), "") << word;
      const StateRules rules = state_rules(*formulation, choice.parameters);
      Eigen::VectorXd x(mechanism.q_size() + mechanism.u_size());
      x << state.q, state.u;
      if (rules.momenta) {
        const MomentumState at = momentum_state(motion, state, random);
        std::transform(at.p.begin(), at.p.end(), x.begin() + mechanism.q_size(),
                       [](const Real& one) { return one.convert_to<double>(); });
      }
      std::vector<double> found(static_cast<std::size_t>(x.size()));
      ASSERT_TRUE(formulation->rhs(0.3, {x.data(), found.size()}, found).ok) << word << " on " << mechanism.name();
      const Reals expected = state_rates(motion, rules, 0.3, reals(x));
      double size = 0.0;
      double error = 0.0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        size = std::max(size, std::abs(found[i]));
        error = std::max(error, std::abs(expected[i].convert_to<double>() - found[i]));
      }
      // Rounding times conditions of up to some 1e3; an opening that meant something else would show at 1e-4.
      EXPECT_LT(error / size, 1e-10) << word << " on " << mechanism.name() << ", seed " << seed;
      worst = std::max(worst, error / size);
      ++compared;
    }
  }
  fmt::print("seed {}: {} right-hand sides, largest difference {:.1e}\n", seed, compared, worst);
  EXPECT_GE(compared, 60U);
}

// Parallel bars turn alike; with other lengths they do not, and kappa, the rate of the fastest, bends.
TEST(PreciseLoops, KappaBendsWhereTheFastestJointsPart) {
  const Mechanism mechanism = of_catalogue("four_bar");
  const FormulationChoice choice = choose_formulation(formulation_registry(), "hdca");
  const auto formulation = make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options);
  const PreciseChanges changes(*formulation, choice.parameters);
  const TreeNumbers numbers(mechanism);
  PreciseMotion motion(mechanism, numbers);
  const Reals q = reals(mechanism.q0());
  for (const double speed : {1.0, 30.0}) {
    const Reals u = motion.projected(0.0, q, reals(Eigen::Vector4d(speed, -speed, 0.0, speed)));
    EXPECT_LT(largest_difference(u, reals(Eigen::Vector4d(speed, -speed, 0.0, speed))), 1e-12) << "no parallel bars";
    Eigen::VectorXd x(mechanism.q_size() + mechanism.u_size());
    x.head(mechanism.q_size()) = mechanism.q0();
    const Reals p = motion.momenta(q, u);
    std::transform(p.begin(), p.end(), x.begin() + mechanism.q_size(),
                   [](const Real& one) { return one.convert_to<double>(); });
    const std::span<const double> state(x.data(), static_cast<std::size_t>(x.size()));
    std::vector<NumberChange> lengths;
    for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
      lengths.push_back({ParameterKind::length, k, 0.1 * static_cast<double>(k + 1)});
    }
    const Eigen::VectorXd direction = changes.closing(0.0, state, lengths);
    ASSERT_EQ(direction.size(), x.size());
    const std::span<const double> along(direction.data(), state.size());
    EXPECT_EQ(changes.along_where_smooth(0.0, state, along, lengths).has_value(), speed <= kDefaultLeak) << speed;
    const std::vector<NumberChange> forces = {{ParameterKind::joint_force, 0, 1.0}};
    EXPECT_TRUE(changes.along_where_smooth(0.0, state, {}, forces).has_value()) << speed;
  }
}

TEST(PreciseLoops, RefusesMomentaThatItDoesNotKnow) {
  const Mechanism mechanism = of_catalogue("four_bar");
  const auto refusal = [&](const char* word) {
    const FormulationChoice choice = choose_formulation(formulation_registry(), word);
    return refuse_precise_states(*make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options),
                                 choice.parameters);
  };
  EXPECT_NE(refusal("hdca[gauge=reset]").find("after steps"), std::string::npos);
  EXPECT_NE(refusal("hdca[feedback=2]").find("feedback"), std::string::npos);
  EXPECT_NE(refusal("hdca[gauge=none,cut_axes=body]").find("axes"), std::string::npos);
  EXPECT_EQ(refusal("dca-alm"), "");
  EXPECT_EQ(refusal("hdca"), "");
  EXPECT_EQ(refusal("bae-haug"), "");
  EXPECT_NE(refuse_open_loops(of_catalogue("bennett")).find("repeat"), std::string::npos);
  EXPECT_EQ(refuse_open_loops(mechanism), "");
  EXPECT_NE(refuse_open_loops(of_catalogue("car_axis")).find("prescribed motions"), std::string::npos);
}

}  // namespace
}  // namespace mbdbench::precise::loops
