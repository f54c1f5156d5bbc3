/// \file
/// A law in the angle of a joint means the same whether the spanning tree holds the joint or its loop is cut there: one
/// crank and rocker from one start, told with either cut, over several turns of the crank.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/simulation/output/motion_columns.hpp"
#include "experiments/simulation/simulation.hpp"
#include "formulations/followed_cuts.hpp"
#include "formulations/projection/projected_formulation.hpp"
#include "formulations/registry.hpp"
#include "integrators/registry.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

using Pivot = Vec3;

// Grashof: the crank of 0.5 m turns all round between a frame and a coupler of 2 m and a rocker of 1.5 m.
const Pivot kFrameCrank(0.0, 0.0, 0.0);
const Pivot kFrameRocker(2.0, 0.0, 0.0);
const Pivot kCrankTip(0.3, 0.4, 0.0);
constexpr double kCoupler = 2.0;
constexpr double kRocker = 1.5;
constexpr double kEnd = 4.0;

Pivot rocker_tip() {
  const Vec3 base = kFrameRocker - kCrankTip;
  const double along = (base.squaredNorm() + kCoupler * kCoupler - kRocker * kRocker) / (2.0 * base.norm());
  const Vec3 side = Vec3(-base.y(), base.x(), 0.0) / base.norm();
  return kCrankTip + along * base.normalized() + std::sqrt(kCoupler * kCoupler - along * along) * side;
}

/// Every body's frame is the world's at the start, so that all coordinates are zero there.
BodyDescription link(const std::string& name, const Pivot& from, const Pivot& to, double mass) {
  BodyDescription body;
  body.name = name;
  body.mass = mass;
  body.com = 0.5 * (from + to);
  body.inertia = mass * (to - from).squaredNorm() / 12.0 * Mat3::Identity();
  return body;
}

JointDescription pivot(const std::string& name, const std::string& a, const std::string& b, const Pivot& place) {
  JointDescription joint;
  joint.name = name;
  joint.a = a;
  joint.b = b;
  joint.frame_a.position = place;
  joint.frame_b.position = place;
  return joint;
}

/// The crank's angle is known to a spring, a formula and a table. \param speeds of crank, coupler and rocker
Mechanism crank_and_rocker(bool cut_at_crank, const Vec3& speeds) {
  MechanismDescription description;
  description.name = "crank_and_rocker";
  description.gravity = Vec3::Zero();
  description.bodies = {link("crank", kFrameCrank, kCrankTip, 4.0), link("coupler", kCrankTip, rocker_tip(), 0.5),
                        link("rocker", kFrameRocker, rocker_tip(), 0.5)};
  if (cut_at_crank) {
    description.joints = {pivot("foot", kGround, "rocker", kFrameRocker),
                          pivot("wrist", "rocker", "coupler", rocker_tip()),
                          pivot("elbow", "coupler", "crank", kCrankTip), pivot("hub", kGround, "crank", kFrameCrank)};
    description.joints[0].v0 = {speeds[2]};
    description.joints[1].v0 = {speeds[1] - speeds[2]};
    description.joints[2].v0 = {speeds[0] - speeds[1]};
  } else {
    description.joints = {pivot("hub", kGround, "crank", kFrameCrank), pivot("elbow", "crank", "coupler", kCrankTip),
                          pivot("foot", kGround, "rocker", kFrameRocker),
                          pivot("wrist", "coupler", "rocker", rocker_tip())};
    description.joints[0].v0 = {speeds[0]};
    description.joints[1].v0 = {speeds[1] - speeds[0]};
    description.joints[1].dependent = true;
    description.joints[2].v0 = {speeds[2]};
    description.joints[2].dependent = true;
  }
  description.joints[3].cut = true;
  description.joint_springs = {{"winding", "hub", 0, 0.06, 0.0, 0.5}};
  description.joint_loads = {{"law", "hub", 0, ExpressionLaw{"-0.02 * q + 0.2 * sin(q)"}},
                             {"ramp", "hub", 0, TableLaw{"q", {0.0, 10.0, 20.0}, {0.0, -0.3, 0.2}}}};
  description.markers = {{"tip", "crank", kCrankTip}, {"end", "rocker", rocker_tip()}};
  return Mechanism(description);
}

struct Motion {
  std::vector<Vec3> tips;
  double largest_angle = 0.0;
  Observation last;
  std::vector<double> x;
  std::size_t evaluations = 0;
};

class Recorder final : public OdeSink {
 public:
  Recorder(Formulation& formulation, Motion& motion) : formulation_(formulation), motion_(motion) {}
  bool sample(double t, std::span<const double> x) override {
    EXPECT_TRUE(formulation_.observe(t, x, motion_.last).ok);
    motion_.tips.insert(motion_.tips.end(), motion_.last.marker_positions.begin(), motion_.last.marker_positions.end());
    return true;
  }

 private:
  Formulation& formulation_;
  Motion& motion_;
};

const std::vector<double>& times() {
  static const std::vector<double> kTimes = {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, kEnd};
  return kTimes;
}

Motion run(Formulation& formulation, std::span<const double> span, std::span<const double> x0,
           const char* integrator = "ode45") {
  Motion motion;
  SimulationOptions options;
  options.ode.relative_tolerance = 1e-9;
  options.absolute_tolerance = 1e-9;
  Recorder recorder(formulation, motion);
  const SimulationResult result =
      simulate(formulation, *find_integrator(integrator_registry(), integrator), span, x0, options, recorder);
  EXPECT_TRUE(result.succeeded()) << result.message();
  motion.x = result.ode.x;
  motion.evaluations = result.rhs_calls;
  return motion;
}

double largest_difference(const Motion& a, const Motion& b) {
  double largest = a.tips.size() == b.tips.size() ? 0.0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(a.tips.size(), b.tips.size()); ++i) {
    largest = std::max(largest, (a.tips[i] - b.tips[i]).norm());
  }
  return largest;
}

std::unique_ptr<Formulation> make(const FormulationEntry& entry, const Mechanism& mechanism,
                                  std::string_view options = {}) {
  return make_formulation(formulation_registry(), entry, mechanism, options);
}

const FormulationEntry& dense() {
  return *find_formulation(formulation_registry(), "dense");
}

/// Speeds of the three links at the start, from the crank's.
Vec3 start_speeds() {
  const Mechanism mechanism = crank_and_rocker(false, Vec3(14.0, 0.0, 0.0));
  const Eigen::VectorXd& u = mechanism.u0();
  return {u[0], u[0] + u[1], u[2]};
}

class CutAngles : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(CutAngles, AreFollowedFromTurnToTurn) {
  const auto [key, options] = GetParam();
  const FormulationEntry& entry = *find_formulation(formulation_registry(), key);
  const Vec3 speeds = start_speeds();
  ASSERT_NEAR(speeds[0], 14.0, 1e-12);
  const Mechanism in_tree = crank_and_rocker(false, speeds);
  const Mechanism cut = crank_and_rocker(true, speeds);
  const auto expected_by = make(dense(), in_tree);
  const Motion expected = run(*expected_by, times(), initial_state(*expected_by, 0.0));
  ASSERT_GT(expected.x[0], 6.0 * M_PI) << "several turns";

  const auto formulation = make(entry, cut, options);
  const std::vector<double> x0 = initial_state(*formulation, 0.0);
  const Motion motion = run(*formulation, times(), x0);
  // Tolerances of 1e-9 over a few hundred steps. Angles that jump by a turn move the tip by its whole length.
  EXPECT_LT(largest_difference(motion, expected), 2e-5);
  EXPECT_NEAR(motion.last.energies.total(), expected.last.energies.total(),
              1e-5 * std::abs(expected.last.energies.total()));

  // In two pieces, the second with a formulation that knows nothing but the state.
  const std::array middle = {0.0, times()[4]};
  const Motion before = run(*formulation, middle, x0);
  const auto fresh = make(entry, cut, options);
  std::vector<double> q(index_of(cut.q_size()));
  std::vector<double> u(index_of(cut.u_size()));
  ASSERT_TRUE(formulation->unpack(middle[1], before.x, q, u).ok);
  std::vector<double> unused(fresh->state_size());
  ASSERT_TRUE(fresh->pack(middle[1], q, u, unused).ok);  // as a restart shows the branch of reduced states
  const std::vector<double> rest(times().begin() + 4, times().end());
  const Motion after = run(*fresh, rest, before.x);
  ASSERT_EQ(after.tips.size(), 2U * rest.size());
  EXPECT_LT((after.tips.back() - expected.tips.back()).norm(), 2e-5);
}

INSTANTIATE_TEST_SUITE_P(
    Registry, CutAngles,
    testing::Values(std::pair("dense", ""), std::pair("dense", "projection=off"), std::pair("dense-momentum", ""),
                    std::pair("hdca", ""), std::pair("hdca-printed", ""), std::pair("dca", ""),
                    std::pair("dca-alm", ""), std::pair("dca-alm-proj", ""),
                    std::pair("dca-alm-printed", "alpha=1e3,iterations=30"), std::pair("bae-haug", ""),
                    std::pair("bae-haug", "kernel=general"), std::pair("bae-haug-printed", ""), std::pair("naudet", ""),
                    std::pair("naudet-reduced", ""), std::pair("naudet-acc", ""), std::pair("naudet-acc-reduced", "")),
    [](const auto& values) {
      std::string name = std::string(values.param.first) + "_" + values.param.second;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
      return name;
    });

TEST(CutAngles, EveryFormulationOfTheRegistryIsHere) {
  const Mechanism cut = crank_and_rocker(true, start_speeds());
  std::vector<std::string> able;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (refusal_of(entry, cut).empty()) {
      able.emplace_back(entry.key);
    }
  }
  EXPECT_EQ(able, (std::vector<std::string>{"dense", "dense-momentum", "hdca", "hdca-printed", "dca", "dca-alm",
                                            "dca-alm-proj", "dca-alm-printed", "bae-haug", "bae-haug-printed", "naudet",
                                            "naudet-reduced", "naudet-acc", "naudet-acc-reduced"}));
}

TEST(CutAngles, ProjectionsKeepTheTurn) {
  const Mechanism cut = crank_and_rocker(true, start_speeds());
  const auto formulation = follow_cuts(std::make_unique<ProjectedFormulation>(
      without_following(make(dense(), cut, "projection=off")), 1e-12, best_instruction_set()));
  std::vector<double> x = initial_state(*formulation, 0.0);
  EXPECT_EQ(formulation->layout().back().name, "turn.hub");
  x.back() += 6.0 * M_PI;  // three turns later
  x.front() += 1e-6;       // off the constraints
  ASSERT_TRUE(formulation->after_step(0.0, x));
  EXPECT_NEAR(x.back(), 6.0 * M_PI, 1e-5);
}

/// Column `name` at a state of the cut linkage, three turns of the hub later than the start.
double column(Formulation& formulation, const MotionColumnChoice& choice, const std::string& name, double turned) {
  std::vector<double> x = initial_state(formulation, 0.0);
  EXPECT_EQ(formulation.layout().back().name, "turn.hub");
  x.back() += turned;
  MotionColumns columns(formulation, choice);
  std::vector<double> row;
  columns.append(0.0, x, row);
  const auto place = std::find(columns.names().begin(), columns.names().end(), name) - columns.names().begin();
  return row.at(static_cast<std::size_t>(place));
}

/// Impulses of the constraints turn with the crank: a gauge that leaks at a slower rate lets them grow from turn to
/// turn, and the steps go to zero (22 times the evaluations with a leak of 5 1/s).
TEST(CutAngles, MomentaKeepUpWithTheTurns) {
  const Mechanism cut = crank_and_rocker(true, start_speeds());
  const auto velocities = make(dense(), cut);
  const std::size_t few = run(*velocities, times(), initial_state(*velocities, 0.0)).evaluations;
  for (const char* key : {"hdca", "dense-momentum"}) {
    const auto momenta = make(*find_formulation(formulation_registry(), key), cut);
    EXPECT_LT(run(*momenta, times(), initial_state(*momenta, 0.0)).evaluations, 3 * few) << key;
  }
}

TEST(CutAngles, ColumnsOfATrajectoryKnowTheTurn) {
  const Mechanism cut = crank_and_rocker(true, start_speeds());
  const double turned = 6.0 * M_PI;
  const auto accelerating = make(dense(), cut, "projection=off");
  const auto momenta = make(*find_formulation(formulation_registry(), "hdca"), cut);
  MotionColumnChoice loads;
  loads.loads = true;
  MotionColumnChoice accelerations;
  accelerations.accelerations = true;
  for (Formulation* const formulation : {accelerating.get(), momenta.get()}) {
    EXPECT_NEAR(column(*formulation, loads, "force_winding", turned), -0.06 * (turned - 0.5), 1e-9);
  }
  const double expected = column(*accelerating, accelerations, "a.foot", turned);
  EXPECT_GT(std::abs(expected - column(*accelerating, accelerations, "a.foot", 0.0)), 0.01) << "the laws know the turn";
  EXPECT_NEAR(column(*momenta, accelerations, "a.foot", turned), expected, 1e-9);
}

TEST(CutAngles, OnlyLawsThatKnowTheAngleMakeItAState) {
  MechanismDescription description = crank_and_rocker(true, start_speeds()).description();
  const auto size_with = [&] {
    const Mechanism mechanism(description);
    return make(dense(), mechanism)->state_size();
  };
  EXPECT_EQ(size_with(), 7U);
  description.joint_springs.clear();
  EXPECT_EQ(size_with(), 7U);
  description.joint_loads[0].law = ExpressionLaw{"-0.3 * v + q_foot"};
  EXPECT_EQ(size_with(), 7U) << "the table still knows it";
  description.joint_loads[1].law = TableLaw{"v", {0.0, 10.0}, {0.0, -2.0}};
  EXPECT_EQ(size_with(), 6U);
  description.joint_springs = {{"damper", "hub", 0, 0.0, 1.0, 0.0}};
  EXPECT_EQ(size_with(), 6U);
}

}  // namespace
}  // namespace mbdbench
