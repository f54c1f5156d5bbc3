// hdca and dca with sub-chains as leaves: random serial chains of every length against the dense reference, in every
// instruction set of the machine; the same bits for any number of threads; what is refused and what fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "formulations/subchains/chains/chain_plan.hpp"
#include "formulations/subchains/chains/chain_sweeps.hpp"
#include "formulations/subchains/subchain_formulation.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/formulations/random_chain.hpp"
#include "tests/support/allocation_guard.hpp"

namespace mbdbench {
namespace {

using test::random_chain;

constexpr std::string_view kSubchains = "leaf=subchain,subchains=8";

/// Packs of eight in registers of two doubles: what every machine can run.
using PortablePack = kernels::Pack<8, 2>;

TEST(subchains, packs_have_the_sines_of_their_numbers) {
  RandomSource random(3);
  for (const double size : {1e-8, 1.0, 9.9e4}) {
    for (int repetition = 0; repetition < 100; ++repetition) {
      kernels::Row row{};
      for (double& angle : row.at) {
        angle = size * random.uniform(-1.0, 1.0);
      }
      const auto both = kernels::sine_and_cosine(kernels::load<2>(row));
      kernels::Row sines{};
      kernels::Row cosines{};
      kernels::store(both.sine, sines);
      kernels::store(both.cosine, cosines);
      for (int lane = 0; lane < 8; ++lane) {
        // Two units in the last place, as for the scalar ones.
        EXPECT_NEAR(sines.at[lane], std::sin(row.at[lane]), 4.5e-16 * std::abs(std::sin(row.at[lane])));
        EXPECT_NEAR(cosines.at[lane], std::cos(row.at[lane]), 4.5e-16 * std::abs(std::cos(row.at[lane])));
      }
    }
  }
}

TEST(subchains, transposed_rows_change_row_and_lane) {
  PortablePack rows[8];
  for (int i = 0; i < 8; ++i) {
    kernels::Row row{};
    for (int lane = 0; lane < 8; ++lane) {
      row.at[lane] = 10.0 * i + lane;
    }
    rows[i] = kernels::load<2>(row);
  }
  kernels::transpose(rows);
  for (int i = 0; i < 8; ++i) {
    kernels::Row row{};
    kernels::store(rows[i], row);
    for (int lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(row.at[lane], 10.0 * lane + i);
    }
  }
}

TEST(subchains, random_chains_of_every_length_agree_with_the_dense_reference) {
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    int treated = 0;
    double worst = 0.0;
    for (int bodies = 1; bodies <= 70; ++bodies) {
      const auto seed = static_cast<std::uint64_t>(9100 + bodies);
      const Mechanism mechanism = random_chain(seed, bodies);
      if (!refuse_for_subchains(mechanism).empty()) {
        continue;
      }
      ++treated;
      for (const std::string_view key : {"dca", "hdca"}) {
        const double share = test::share_of_rounding(key, kSubchains, mechanism);
        worst = std::max(worst, share);
        // 1 is what rounding of M alone explains; both sides have it.
        EXPECT_LT(share, 2.0) << set.name << " " << key << " bodies=" << bodies << " seed=" << seed;
      }
    }
    EXPECT_GT(treated, 60) << set.name;
    RecordProperty(fmt::format("worst_{}", set.name), fmt::format("{:.2g}", worst));
  }
}

TEST(subchains, divisions_of_one_chain_agree_with_each_other_and_with_bodies_as_leaves) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum_xyz:100");
  for (const std::string_view key : {"dca", "hdca"}) {
    const auto bodies = test::make(key, mechanism);
    const Eigen::VectorXd u = Eigen::VectorXd::LinSpaced(mechanism.u_size(), -0.5, 0.5);
    const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(mechanism.q_size(), 0.3, 1.1);
    const test::Evaluation expected = test::evaluate_at(*bodies, 0.0, q, u);
    const double rounding = std::numeric_limits<double>::epsilon() * 100.0 * test::mass_condition(mechanism, q);
    for (const int count : {8, 16, 24, 64, 128, 256}) {
      const auto subchains = test::make(key, mechanism, fmt::format("leaf=subchain,subchains={}", count));
      std::vector<double> xdot(expected.x.size());
      ASSERT_TRUE(subchains->rhs(0.0, expected.x, xdot).ok);
      // Two results that each are off by rounding.
      EXPECT_LT(test::block_error(std::span(xdot).subspan(100), std::span(expected.xdot).subspan(100)), 2.0 * rounding)
          << key << " " << count;
      EXPECT_LT(test::block_error(std::span(xdot).first(100), std::span(expected.xdot).first(100)), 2.0 * rounding)
          << key << " " << count;
    }
  }
}

TEST(subchains, several_arms_with_fixed_joints_agree_with_the_dense_reference) {
  MechanismDescription description = random_chain(9130, 60).description();
  for (const std::size_t start : {13U, 20U, 21U}) {
    description.joints[start].a = kGround;
  }
  for (const std::size_t k : {3U, 30U}) {
    JointDescription& joint = description.joints[k];
    joint.type = JointType::fixed;
    joint.q0.clear();
    joint.v0.clear();
  }
  const Mechanism mechanism(description);
  ASSERT_EQ(refuse_for_subchains(mechanism), "");
  EXPECT_EQ(ChainPlan(mechanism, 0).arms().size(), 4U);
  for (const std::string_view key : {"dca", "hdca"}) {
    for (const int count : {0, 8, 24, 64}) {
      EXPECT_LT(test::share_of_rounding(key, fmt::format("leaf=subchain,subchains={}", count), mechanism), 2.0)
          << key << " " << count;
    }
  }
}

TEST(subchains, springs_and_dampers_in_joints_are_felt) {
  MechanismDescription description = random_chain(9120, 40).description();
  for (std::size_t k = 0; k < description.joints.size(); ++k) {
    const std::string number = std::to_string(k);
    description.joint_springs.push_back({"spring" + number, description.joints[k].name, 0, 30.0, 4.0, 0.1});
  }
  const Mechanism mechanism(description);
  for (const int threads : {1, 2}) {
    const std::string options = fmt::format("leaf=subchain,subchains=16,threads={}", threads);
    for (const std::string_view key : {"dca", "hdca"}) {
      EXPECT_LT(test::share_of_rounding(key, options, mechanism), 2.0) << key << threads;
    }
  }
}

TEST(subchains, any_number_of_threads_gives_the_same_bits) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum_xyz:200");
  const Eigen::VectorXd u = Eigen::VectorXd::LinSpaced(mechanism.u_size(), -0.5, 0.5);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(mechanism.q_size(), 0.3, 1.1);
  for (const std::string_view key : {"dca", "hdca"}) {
    std::vector<double> first;
    for (const int threads : {1, 2, 3, 5}) {
      const auto formulation =
          test::make(key, mechanism, fmt::format("leaf=subchain,subchains=32,threads={}", threads));
      ASSERT_EQ(formulation->threads(), std::min(threads, 4));
      for (int repetition = 0; repetition < 20; ++repetition) {
        const test::Evaluation result = test::evaluate_at(*formulation, 0.0, q, u);
        ASSERT_TRUE(result.status.ok);
        if (first.empty()) {
          first = result.xdot;
        }
        ASSERT_EQ(result.xdot, first) << key << " threads=" << threads << " repetition=" << repetition;
      }
    }
  }
}

TEST(subchains, two_clones_run_at_once_with_two_threads_each) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:64");
  const auto one = test::make("hdca", mechanism, "leaf=subchain,subchains=16,threads=2");
  const auto two = one->clone();
  std::vector<double> x(one->state_size());
  std::vector<double> xdot_one(x.size());
  std::vector<double> xdot_two(x.size());
  ASSERT_TRUE(one->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  std::thread other([&] {
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(two->rhs(0.0, x, xdot_two).ok);
    }
  });
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(one->rhs(0.0, x, xdot_one).ok);
  }
  other.join();
  EXPECT_EQ(xdot_one, xdot_two);
}

TEST(subchains, right_hand_sides_allocate_nothing) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:100");
  for (const std::string_view key : {"dca", "hdca"}) {
    const auto formulation = test::make(key, mechanism, kSubchains);
    std::vector<double> x(formulation->state_size());
    std::vector<double> xdot(x.size());
    ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    const AllocationGuard guard;
    EXPECT_TRUE(formulation->rhs(0.0, x, xdot).ok);
    EXPECT_EQ(guard.count(), 0U) << key;
  }
}

TEST(subchains, huge_angles_are_left_to_the_standard_library) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum_xyz:20");
  Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(mechanism.q_size(), 0.3, 1.1);
  q[7] = 3.3e7;
  const Eigen::VectorXd u = Eigen::VectorXd::LinSpaced(mechanism.u_size(), -0.5, 0.5);
  const auto expected = test::evaluate_at(*test::make("dense", mechanism), 0.0, q, u);
  const auto result = test::evaluate_at(*test::make("dca", mechanism, kSubchains), 0.0, q, u);
  ASSERT_TRUE(result.status.ok);
  // The angle itself is only known to 4e-9 of a radian: offsets are added before the sine is taken.
  EXPECT_LT(test::block_error(result.xdot, expected.xdot), 1e-6);
}

TEST(subchains, states_that_are_no_numbers_fail_and_name_a_joint) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:50");
  for (const std::string_view key : {"dca", "hdca"}) {
    const auto formulation = test::make(key, mechanism, kSubchains);
    for (const std::size_t component : {0U, 7U, 49U, 50U, 70U, 99U}) {
      for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        std::vector<double> x(100, 0.1);
        std::vector<double> xdot(100);
        x[component] = value;
        const RhsStatus status = formulation->rhs(0.0, x, xdot);
        EXPECT_FALSE(status.ok) << key << " " << component;
        EXPECT_FALSE(status.joint.empty());
      }
    }
  }
}

/// u' of a chain by one sub-chain in long double: the same kernels with another number.
std::vector<double> accelerations_in_long_double(const Mechanism& mechanism, const Eigen::VectorXd& q,
                                                 const Eigen::VectorXd& u) {
  using Real = long double;
  const auto real = [](double value) { return static_cast<Real>(value); };
  const ChainPlan plan(mechanism, 8);
  const std::size_t n = plan.tree().size();
  std::vector<kernels::LinkConstants<Real>> links(n + 1);
  links[n].cos_alpha = 1;
  std::vector<Real> zeros(n + 1);
  std::vector<Real> rates(n + 1);
  std::vector<Real> results(n + 1);
  std::vector<kernels::SineCosine<Real>> turns(n + 1);
  turns[n].cosine = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const kernels::LinkConstants<double>& l = plan.tree().links()[i];
    links[i] = {real(l.px),  real(l.py),  real(l.cos_alpha), real(l.sin_alpha), real(l.mass),
                real(l.hx),  real(l.hy),  real(l.hz),        real(l.jxx),       real(l.jxy),
                real(l.jxz), real(l.jyy), real(l.jyz),       real(l.jzz),       real(l.outboard_mass)};
    const auto joint = static_cast<Eigen::Index>(plan.coordinates()[i]);
    const Real angle = real(q[joint]) + real(plan.tree().offsets()[i]);
    turns[i] = {std::sin(angle), std::cos(angle)};
    rates[i] = real(u[joint]);
  }
  std::vector<LinkSweep<Real>> sweeps(n);
  TurnScan<Real> scan{};
  LaneNode<Real> node{};
  LaneExchange<Real> exchange{};
  ChainBlock block;
  block.length = static_cast<int>(n);
  const ColumnStart start{block.length, {{1.0}}};
  block.starts = &start;
  block.last_start = &start + 1;
  const auto numbers = [](auto& value) { return reinterpret_cast<double*>(&value); };
  block.links = numbers(links.front());
  block.padding = block.forces = numbers(zeros.front());
  block.turns = numbers(turns.front());
  block.rates = numbers(rates.front());
  block.results = numbers(results.front());
  block.sweeps = numbers(sweeps.front());
  block.scan = numbers(scan);
  block.node = numbers(node);
  block.exchange = numbers(exchange);
  chain_sweeps::scan_rates<false, Real>(block);
  exchange.omega = scan.carried;
  EXPECT_GT(chain_sweeps::sweep_accelerations_inward<Real>(block), 0.0);
  const Vec3 g = plan.start_axes(0).transpose() * plan.gravity();
  exchange.linear = kernels::rotated_outward(links[0], turns[0].cosine, turns[0].sine,
                                             kernels::LinkVector<Real>{real(-g.x()), real(-g.y()), real(-g.z())});
  chain_sweeps::sweep_accelerations_outward<Real>(block);
  std::vector<double> udot(n);
  for (std::size_t i = 0; i < n; ++i) {
    udot[static_cast<std::size_t>(plan.coordinates()[i])] = static_cast<double>(results[i]);
  }
  return udot;
}

/// A chain of the catalogue whose last link is heavier, with its inertia.
Mechanism with_tip(std::string_view name, double factor) {
  MechanismDescription description = make_mechanism(mechanism_registry(), name).description();
  description.bodies.back().mass *= factor;
  description.bodies.back().inertia *= factor;
  return Mechanism(description);
}

TEST(subchains, accuracy_of_both_kinds_of_leaves_against_long_double_is_that_of_the_recursion) {
  struct Case {
    const char* name = "";
    double tip = 1.0;
    double limit = 2.0;  // single errors scatter by factors; their geometric mean over 32 states must not
  };
  // Unit wrenches shrink along a sub-chain, to subnormals beyond about a thousand links: lengths are capped.
  for (const Case& each : {Case{"pendulum:10", 1.0}, Case{"pendulum:100", 1.0}, Case{"pendulum:100", 1e8},
                           Case{"pendulum_xyz:100", 1e8}, Case{"pendulum_xyz:100", 1e-8}, Case{"pendulum:1000", 1.0},
                           // Measured 2.3: here the recursion is better, for a reason that has not been found (neither
                           // the closing of handles nor the angular velocities).
                           Case{"pendulum:6000", 1.0, 4.0}, Case{"pendulum_xyz:1000", 1.0}}) {
    const Mechanism mechanism = with_tip(each.name, each.tip);
    RandomSource random(77);
    double log_ratio = 0.0;
    double log_ratio_of_bodies = 0.0;
    constexpr int kStates = 32;
    for (int state = 0; state < kStates; ++state) {
      Eigen::VectorXd q(mechanism.q_size());
      Eigen::VectorXd u(mechanism.u_size());
      for (Eigen::Index i = 0; i < q.size(); ++i) {
        q[i] = random.uniform(-3.0, 3.0);
        u[i] = random.uniform(-1.0, 1.0);
      }
      const std::vector<double> expected = accelerations_in_long_double(mechanism, q, u);
      const auto error_of = [&](std::string_view key, std::string_view options) {
        const auto result = test::evaluate_at(*test::make(key, mechanism, options), 0.0, q, u);
        EXPECT_TRUE(result.status.ok);
        return test::block_error(std::span(result.xdot).subspan(expected.size()), expected);
      };
      // Beside errors of a few units in the last place there is nothing to compare.
      constexpr double kRounding = 2e-15;
      const double sequential = error_of("aba", "") + kRounding;
      log_ratio += std::log((error_of("dca", "leaf=subchain") + kRounding) / sequential);
      log_ratio_of_bodies += std::log((error_of("dca", "leaf=body") + kRounding) / sequential);
    }
    const double ratio = std::exp(log_ratio / kStates);
    const double ratio_of_bodies = std::exp(log_ratio_of_bodies / kStates);
    RecordProperty(fmt::format("{} tip {}, bodies as leaves", each.name, each.tip),
                   fmt::format("{:.2g}", ratio_of_bodies));
    // Measured 1.1 to 2.8, growing with the length. A heavy tip costs recursions, which carry inertias, the digits that
    // it is heavier by; the papers' nodes carry inverse inertias.
    EXPECT_LT(ratio_of_bodies, each.tip > 1.0 ? 0.01 : 4.0) << each.name << " tip " << each.tip;
    RecordProperty(fmt::format("{} tip {}", each.name, each.tip), fmt::format("{:.2f}", ratio));
    EXPECT_LT(ratio, each.limit) << each.name << " tip " << each.tip;
  }
}

TEST(subchains, what_they_cannot_treat_is_said) {
  const auto message = [](std::string_view mechanism, std::string_view options) -> std::string {
    const Mechanism made = make_mechanism(mechanism_registry(), mechanism);
    try {
      test::make("dca", made, options);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message("balanced_tree:7", "leaf=subchain").find("without branches"), std::string::npos);
  EXPECT_NE(message("slider_crank", "leaf=subchain").find("joint "), std::string::npos);
  EXPECT_NE(message("four_bar", "leaf=subchain,loops=proximal").find("option loops"), std::string::npos);
  EXPECT_NE(message("four_bar", "leaf=subchain,baumgarte_alpha=1").find("baumgarte_alpha"), std::string::npos);
  MechanismDescription universal = random_chain(9140, 20).description();
  universal.joints[7].type = JointType::universal;
  universal.joints[7].axis2 = universal.joints[7].axis.unitOrthogonal();
  universal.joints[7].q0 = {0.4, -0.9};
  universal.joints[7].v0 = {0.7, 0.2};
  EXPECT_NE(refuse_for_subchains(Mechanism(universal)).find("joint8"), std::string::npos);
  EXPECT_NE(message("pendulum:50", "leaf=subchain,subchains=12").find("multiple of 8"), std::string::npos);
  EXPECT_NE(message("pendulum:50", "leaf=body,subchains=12").find("multiple of 8"), std::string::npos);
}

TEST(subchains, threads_and_instruction_sets_that_do_not_exist_are_said) {
  EXPECT_EQ(checked_threads(1024), 1024);
  EXPECT_THROW(checked_threads(0), ModelError);
  EXPECT_THROW(checked_threads(-3), ModelError);
  EXPECT_THROW(checked_threads(1025), ModelError);
  EXPECT_THROW(instruction_set_named("sse9"), ModelError);
}

}  // namespace
}  // namespace mbdbench
