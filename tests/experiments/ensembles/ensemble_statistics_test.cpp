// Statistics of ensembles against closed forms: of the sample itself, and of the distribution it is drawn from.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "experiments/ensembles/ensemble_statistics.hpp"
#include "experiments/ensembles/members/member_draws.hpp"
#include "experiments/ensembles/members/member_record.hpp"
#include "tests/experiments/ensembles/ensemble_call.hpp"

namespace mbdbench {
namespace {

TEST(SampleStatistics, quantiles_are_linear_between_the_values_in_order) {
  std::vector<double> values = {4.0, 1.0, 3.0, 2.0, 5.0};
  const SampleStatistics s = statistics_of(values);
  EXPECT_DOUBLE_EQ(s.mean, 3.0);
  EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(2.5));
  EXPECT_EQ(s.smallest, 1.0);
  EXPECT_EQ(s.largest, 5.0);
  EXPECT_DOUBLE_EQ(s.q05, 1.2);
  EXPECT_EQ(s.q25, 2.0);
  EXPECT_EQ(s.q50, 3.0);
  EXPECT_EQ(s.q75, 4.0);
  EXPECT_DOUBLE_EQ(s.q95, 4.8);
}

TEST(SampleStatistics, one_value_has_no_deviation) {
  std::vector<double> values = {2.5};
  const SampleStatistics s = statistics_of(values);
  EXPECT_EQ(s.q05, 2.5);
  EXPECT_EQ(s.q95, 2.5);
  EXPECT_TRUE(std::isnan(s.deviation));
}

TEST(SampleStatistics, what_is_no_number_does_not_count) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values = {nan, 4.0, nan, 2.0};
  const SampleStatistics s = statistics_of(values);
  EXPECT_EQ(s.count, 2U);
  EXPECT_EQ(s.mean, 3.0);
  EXPECT_EQ(s.smallest, 2.0);
  EXPECT_EQ(s.largest, 4.0);
  EXPECT_EQ(s.q50, 3.0);
  std::vector<double> none = {nan, nan};
  EXPECT_EQ(statistics_of(none).count, 0U);
  EXPECT_TRUE(std::isnan(statistics_of(none).q95));
}

// However many samples are read at once: one quantity of one time, some, or all.
TEST(SampleStatistics, the_table_does_not_depend_on_memory) {
  const TemporaryDirectory folder;
  const std::vector<double> times = {0.0, 0.5, 1.0, 1.5};
  const std::vector<std::string> quantities = {"q.a", "q.b", "total"};
  const std::vector<std::size_t> counted = {0, 1, 3};
  {
    MemberJournal journal(folder.path(), 0);
    for (std::size_t member = 0; member < 4; ++member) {
      MemberRecord record;
      record.member = member;
      record.status = member == 2 ? "failed" : "ok";
      for (std::size_t place = 0; place < times.size() * quantities.size(); ++place) {
        record.samples.push_back(std::sin(static_cast<double>(member * 100 + place)));
      }
      journal.append(record);
    }
  }
  const KeptMembers kept(folder.path());
  write_statistics(folder / "all.csv", kept, counted, times, quantities);
  const std::string all = content_of(folder / "all.csv");
  const NamedTable table(folder / "all.csv");
  ASSERT_EQ(table.rows(), 12U);
  EXPECT_EQ(table.text(7, "time"), "1");
  EXPECT_EQ(table.text(7, "quantity"), "q.b");
  std::vector<double> values = {std::sin(7.0), std::sin(107.0), std::sin(307.0)};
  EXPECT_EQ(table.number(7, "mean"), statistics_of(values).mean);
  for (const std::size_t bytes : {0U, 24U, 48U, 100U, 120U, 168U, 10000U}) {
    write_statistics(folder / "some.csv", kept, counted, times, quantities, bytes);
    EXPECT_EQ(content_of(folder / "some.csv"), all) << bytes;
  }
}

// Moments of 1e5 draws: five standard errors.
TEST(MemberDraws, moments_are_those_of_the_distributions) {
  constexpr int kDraws = 100000;
  const double error = 5.0 / std::sqrt(double{kDraws});
  double normal = 0.0;
  double square = 0.0;
  double fourth = 0.0;
  double product = 0.0;
  double uniform = 0.0;
  for (std::uint64_t k = 0; k < kDraws; ++k) {
    const double z = normal_draw(3, k, "q.joint1");
    normal += z / kDraws;
    square += z * z / kDraws;
    fourth += z * z * z * z / kDraws;
    product += z * normal_draw(3, k, "q.joint2") / kDraws;
    const double u = uniform_draw(3, k, "q.joint1");
    EXPECT_TRUE(u > 0.0 && u < 1.0);
    uniform += u / kDraws;
  }
  EXPECT_NEAR(normal, 0.0, error);
  EXPECT_NEAR(square, 1.0, error * std::numbers::sqrt2);
  EXPECT_NEAR(fourth, 3.0, error * std::sqrt(96.0));
  EXPECT_NEAR(product, 0.0, error);
  EXPECT_NEAR(uniform, 0.5, error / std::sqrt(12.0));
  EXPECT_NE(normal_draw(3, 0, "q.joint1"), normal_draw(4, 0, "q.joint1"));
}

// The generator is part of what a seed means: these numbers stay. SplitMix64 in integers; of normal numbers log
// and cos leave the last digits to the library.
TEST(MemberDraws, a_seed_means_the_same_everywhere) {
  EXPECT_EQ(uniform_draw(1, 0, "q.joint1"), 0.053065174154226236);  // from a second program, in Python's integers
}

constexpr int kMembers = 2000;

class EnsembleStatisticsTest : public EnsembleCommandTest {
 protected:
  /// A mass on a spring, no gravity, and a body that flies.
  void SetUp() override {
    write("oscillator.toml", R"(name = "oscillator"
gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "mass"
mass = 2.0
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "slide"
type = "prismatic"
b = "mass"
q0 = [0.5]
v0 = [-1.0]
[[joint_springs]]
name = "spring"
joint = "slide"
stiffness = 8.0
)");
    write("ball.toml", R"(name = "ball"
[[bodies]]
name = "ball"
mass = 2.0
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "flight"
type = "free"
b = "ball"
v0 = [0.0, 0.0, 0.0, 3.0, 0.0, 4.0]
)");
  }
};

// x = x0 cos wt + v0 / w sin wt with w = 2: a sum of two normal numbers at every time.
TEST_F(EnsembleStatisticsTest, an_oscillator_has_the_moments_of_its_starts) {
  const CommandLineCall call =
      simulate("many", {"-m", path("oscillator.toml"), "-f", "aba", "-i", "rkf45-fixed", "--fixed-step", "0.005", "-t",
                        "0:0.25:3", "--ensemble", std::to_string(kMembers), "--spread", "q.slide=0.1,v.slide=0.3"});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  const NamedTable table = statistics_over_time("many");
  const double standard_error = 1.0 / std::sqrt(double{kMembers});
  int rows = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "quantity") != "q.slide") {
      continue;
    }
    ++rows;
    const double t = table.number(row, "time");
    const double mean = 0.5 * std::cos(2.0 * t) - 0.5 * std::sin(2.0 * t);
    const double sigma = std::hypot(0.1 * std::cos(2.0 * t), 0.15 * std::sin(2.0 * t));
    // Four standard errors, of quantiles sqrt(p (1 - p)) / density.
    EXPECT_NEAR(table.number(row, "mean"), mean, 4.0 * sigma * standard_error) << t;
    EXPECT_NEAR(table.number(row, "standard_deviation"), sigma, 4.0 * sigma * standard_error / std::numbers::sqrt2)
        << t;
    EXPECT_NEAR(table.number(row, "q50"), mean, 4.0 * 1.2533 * sigma * standard_error) << t;
    EXPECT_NEAR(table.number(row, "q25"), mean - 0.67449 * sigma, 4.0 * 1.3626 * sigma * standard_error) << t;
    EXPECT_NEAR(table.number(row, "q95"), mean + 1.64485 * sigma, 4.0 * 2.1132 * sigma * standard_error) << t;
  }
  EXPECT_EQ(rows, 13);
}

// Every member's own motion is known, and so are the statistics of exactly these members.
TEST_F(EnsembleStatisticsTest, a_flight_has_the_statistics_of_its_members) {
  const CommandLineCall call =
      simulate("many", {"-m", path("ball.toml"), "-f", "naudet", "-i", "rkf45-fixed", "--fixed-step", "0.01", "-t",
                        "0:0.5:1", "--ensemble", "101", "--spread", "v.flight=uniform:0.5,positions=0.2",
                        "--quantities", "q.flight.5,q.flight.7,v.flight.6"});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  const NamedTable table = members("many");
  std::vector<double> heights;
  for (std::size_t k = 0; k < table.rows(); ++k) {
    EXPECT_NEAR(table.number(k, "end.q.flight.5"),
                table.number(k, "start.q.flight.5") + table.number(k, "start.v.flight.4"), 1e-12);
    EXPECT_NEAR(table.number(k, "end.v.flight.6"), table.number(k, "start.v.flight.6") - 9.81, 1e-12);
    EXPECT_LE(std::abs(table.number(k, "start.v.flight.4") - 3.0), 0.5);
    heights.push_back(table.number(k, "start.q.flight.7") + table.number(k, "start.v.flight.6") - 0.5 * 9.81);
    EXPECT_NEAR(table.number(k, "end.q.flight.7"), heights.back(), 1e-12);
    const double norm =
        std::hypot(std::hypot(table.number(k, "start.q.flight.1"), table.number(k, "start.q.flight.2")),
                   std::hypot(table.number(k, "start.q.flight.3"), table.number(k, "start.q.flight.4")));
    EXPECT_NEAR(norm, 1.0, 1e-14);
  }
  const SampleStatistics wanted = statistics_of(heights);
  const NamedTable over_time = statistics_over_time("many");
  const std::size_t last = over_time.rows() - 2;
  ASSERT_EQ(over_time.text(last, "quantity"), "q.flight.7");
  EXPECT_NEAR(over_time.number(last, "mean"), wanted.mean, 1e-12);
  EXPECT_NEAR(over_time.number(last, "standard_deviation"), wanted.deviation, 1e-12);
  EXPECT_NEAR(over_time.number(last, "minimum"), wanted.smallest, 1e-12);
  EXPECT_NEAR(over_time.number(last, "q05"), wanted.q05, 1e-12);
  EXPECT_NEAR(over_time.number(last, "q25"), wanted.q25, 1e-12);
  EXPECT_NEAR(over_time.number(last, "q50"), wanted.q50, 1e-12);
  EXPECT_NEAR(over_time.number(last, "q75"), wanted.q75, 1e-12);
  EXPECT_NEAR(over_time.number(last, "q95"), wanted.q95, 1e-12);
  EXPECT_NEAR(over_time.number(last, "maximum"), wanted.largest, 1e-12);
}

// Each has a frequency of its own: x = x0 cos wt + v0 / w sin wt. The tolerance is the run's.
TEST_F(EnsembleStatisticsTest, parameters_change_the_motion_as_they_should) {
  const CommandLineCall call =
      simulate("many", {"-m", path("oscillator.toml"), "-f", "aba", "-t", "0:0.5:2", "--rtol", "1e-10", "--atol",
                        "1e-12", "--ensemble", "20", "--spread", "stiffness=0.1,mass.mass=uniform:0.2"});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  const NamedTable table = members("many");
  for (std::size_t k = 0; k < table.rows(); ++k) {
    const double mass = table.number(k, "start.mass.mass");
    const double w = std::sqrt(table.number(k, "start.stiffness.spring") / mass);
    EXPECT_LE(std::abs(mass - 2.0), 0.4);
    EXPECT_NEAR(table.number(k, "end.q.slide"), 0.5 * std::cos(2.0 * w) - std::sin(2.0 * w) / w, 1e-8);
  }
  EXPECT_NE(table.text(0, "start.mass.mass"), table.text(1, "start.mass.mass"));
}

// The pole makes all the energy: half of it, half the energy.
TEST_F(EnsembleStatisticsTest, parameters_of_the_catalogue_and_of_tables) {
  write("members.csv", "ratio,mass.pole\n100,0.5\n100,1\n");
  const CommandLineCall call =
      simulate("many", {"-m", "cart_pole", "-f", "dense", "-t", "0:0.05:0.1", "--members", path("members.csv")});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_EQ(members("many").text(1, "start.ratio"), "100");
  EXPECT_EQ(members("many").text(0, "start.mass.pole"), "0.5");
  ASSERT_EQ(simulate("single", {"-m", "cart_pole:ratio=100", "-f", "dense", "-t", "0:0.05:0.1"}).exit_code, 0);
  const NamedTable single(directory_ / "single" / "trajectory.csv");
  for (const char* const quantity : {"total", "q.track", "q.hinge"}) {
    EXPECT_EQ(members("many").number(1, std::string("end.") + quantity), single.number(single.rows() - 1, quantity));
  }
  const double energy = members("many").number(1, "initial_energy");
  EXPECT_NE(energy, 0.0);
  EXPECT_NEAR(members("many").number(0, "initial_energy"), 0.5 * energy, 1e-12 * std::abs(energy));
  EXPECT_EQ(outcome("many")["in_lanes"], 1);
}

// A spread of something else is around what the member's own catalogue parameter made, not around the base.
TEST_F(EnsembleStatisticsTest, other_spreads_leave_what_the_catalogue_made) {
  const auto run = [&](const std::string& output, const std::string& mechanism, const std::string& spread) {
    const CommandLineCall call =
        simulate(output, {"-m", mechanism, "-f", "dense", "-t", "0:0.05:0.1", "--ensemble", "4", "--spread", spread});
    ASSERT_EQ(call.exit_code, 0) << call.errors;
  };
  run("ratio", "cart_pole", "ratio=0.1");
  run("both", "cart_pole", "ratio=0.1,mass=0");
  run("spread", "cart_pole", "ratio=0.1,mass.cart=0.2");
  run("fixed", "cart_pole", "mass.cart=0.2");
  run("angle", "pendulum_yz:2", "angle=0.5");
  run("held", "pendulum_yz:2", "angle=0.5,positions=0");
  run("named", "pendulum_yz:2", "angle=0.5,q.joint2=0");
  for (std::size_t k = 0; k < 4; ++k) {
    for (const char* const column : {"start.ratio", "end.q.track", "end.q.hinge", "end.total", "evaluations"}) {
      EXPECT_EQ(members("both").text(k, column), members("ratio").text(k, column)) << k << column;
    }
    const double ratio = members("ratio").number(k, "start.ratio");
    EXPECT_NE(ratio, 1000.0);
    EXPECT_EQ(members("both").number(k, "start.mass.cart"), 1.0 / ratio);
    EXPECT_EQ(members("both").number(k, "start.mass.pole"), 1.0);
    // The same share of another mass.
    EXPECT_NEAR(members("spread").number(k, "start.mass.cart") * ratio,
                members("fixed").number(k, "start.mass.cart") * 1000.0, 1e-12);
    const std::string angle = members("angle").text(k, "start.angle");
    for (const char* const output : {"angle", "held", "named"}) {
      EXPECT_EQ(members(output).text(k, "start.q.joint1"), angle) << output;
      EXPECT_EQ(members(output).text(k, "start.q.joint2"), angle) << output;
      EXPECT_EQ(members(output).text(k, "end.q.joint2"), members("angle").text(k, "end.q.joint2")) << output;
    }
  }
}

/// Two bodies behind the first one: both on it, or one behind the other.
MechanismDescription make_shape(const Parameters& parameters) {
  MechanismDescription description;
  description.name = "shape";
  for (const char* const name : {"one", "two", "three"}) {
    description.bodies.push_back({name, 1.0, Vec3::Zero(), Mat3::Identity()});
    JointDescription joint;
    joint.name = fmt::format("to_{}", name);
    joint.b = name;
    description.joints.push_back(joint);
  }
  description.joints[1].a = "one";
  const double share = parameters.number("share");
  description.joints[2].a = share > 0.5 && share < 0.9 ? "one" : "two";
  if (share > 0.9) {
    description.joint_springs.push_back({.name = "spring", .joint = "to_one", .stiffness = 1.0});
  }
  return description;
}

TEST(MemberVariables, parameters_that_change_bodies_and_joints_are_refused) {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"share", 0.25, "of the links that hang on the first one", 0.0, 1.0}}};
  Registries registries;
  registries.mechanisms = {{"shape", "of two kinds", "ours", parameters, make_shape}};
  const MemberVariables variables(registries, "shape", {});
  const MemberVariable& share = variables.find("share", "--spread");
  const auto changed = [&](double value) {
    MemberChange change;
    change.values = {{&share, value}};
    return variables.changed(change);
  };
  EXPECT_EQ(changed(0.5).bodies().size(), 3U);
  for (const auto& [value, parts] : {std::pair(0.75, "joints"), std::pair(0.95, "springs in joints")}) {
    try {
      changed(value);
      FAIL() << value;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format("with share={} mechanism 'shape", value)), std::string::npos)
          << error.what();
      EXPECT_NE(std::string(error.what()).find(fmt::format("has other {} than", parts)), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace mbdbench
