// `mbdbench simulate --ensemble`: members are the runs that `simulate` makes, whatever the threads and the number of
// members; what cannot be run is refused in words.
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cmath>

#include "tests/experiments/ensembles/ensemble_call.hpp"

namespace mbdbench {
namespace {

/// \returns the last row of a single run's trajectory, by column.
double last_of(const NamedTable& trajectory, const std::string& column) {
  return trajectory.number(trajectory.rows() - 1, column);
}

TEST_F(EnsembleCommandTest, members_with_steps_of_their_own_are_single_runs_bit_for_bit) {
  ASSERT_EQ(simulate_pendulum("many", {"-t", "0:0.1:1", "--ensemble", "3", "--spread", "positions=0.3,velocities=1"})
                .exit_code,
            0);
  const NamedTable table = members("many");
  ASSERT_EQ(table.rows(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<std::string> single = {"-t", "0:0.1:1"};
    for (const char* const name : {"q.joint1", "q.joint2", "q.joint3", "v.joint1", "v.joint2", "v.joint3"}) {
      single.insert(single.end(), {"--set", fmt::format("{}={}", name, table.text(k, std::string("start.") + name))});
    }
    const std::string output = fmt::format("single{}", k);
    ASSERT_EQ(simulate_pendulum(output, single).exit_code, 0);
    const NamedTable trajectory(directory_ / output / "trajectory.csv");
    for (const char* const name : {"q.joint1", "q.joint3", "v.joint2", "total"}) {
      EXPECT_EQ(table.number(k, std::string("end.") + name), last_of(trajectory, name)) << name;
    }
    EXPECT_EQ(table.number(k, "evaluations"), statistics(output)["nfevals"].get<double>());
    EXPECT_EQ(table.number(k, "largest_imbalance"), statistics(output)["energy"]["largest_imbalance"].get<double>());
  }
}

TEST_F(EnsembleCommandTest, closed_members_are_single_runs_with_the_same_value_set) {
  write("members.csv", "q.joint1\n-1.5\n-1.4\n");
  const std::vector<std::string> common = {"-m", "four_bar", "-f", "dense", "-t", "0:0.1:0.3"};
  std::vector<std::string> many = common;
  many.insert(many.end(), {"--members", path("members.csv")});
  const CommandLineCall call = simulate("many", many);
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  std::vector<std::string> single = common;
  single.insert(single.end(), {"--set", "q.joint1=-1.4"});
  ASSERT_EQ(simulate("single", single).exit_code, 0);
  const NamedTable trajectory(directory_ / "single" / "trajectory.csv");
  EXPECT_EQ(members("many").number(1, "end.total"), last_of(trajectory, "total"));
  EXPECT_EQ(members("many").number(1, "position_residual"),
            statistics("single")["constraints"]["largest_position_residual"].get<double>());
}

// Right-hand sides in lanes differ from single ones by some roundings, which 200 steps of a motion that is not chaotic
// add up.
TEST_F(EnsembleCommandTest, members_in_lanes_are_single_runs_up_to_rounding) {
  const std::vector<std::string> common = {"-m",          "quadruped",    "-f",    "aba", "-i",
                                           "rkf45-fixed", "--fixed-step", "0.002", "-t",  "0:0.1:0.4"};
  std::vector<std::string> many = common;
  many.insert(many.end(),
              {"--ensemble", "11", "--spread", "q.joint_trunk=0.3,velocities=uniform:0.5", "--trajectories"});
  const CommandLineCall call = simulate("many", many);
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_GT(outcome("many")["in_lanes"], 1);
  const NamedTable table = members("many");
  const NamedTable starts(directory_ / "many" / "trajectories" / "member_000010.csv");
  std::vector<std::string> single = common;
  const CsvTable columns = read_csv(directory_ / "many" / "members.csv");
  for (const std::string& column : columns.columns) {
    if (column.starts_with("start.")) {
      single.insert(single.end(), {"--set", column.substr(6) + "=" + table.text(9, column)});
    }
  }
  ASSERT_EQ(simulate("single", single).exit_code, 0);
  const CsvTable alone = read_csv(directory_ / "single" / "trajectory.csv");
  const NamedTable trajectory(directory_ / "single" / "trajectory.csv");
  EXPECT_EQ(starts.rows(), trajectory.rows());
  for (const std::string& column : alone.columns) {
    const double wanted = last_of(trajectory, column);
    EXPECT_NEAR(last_of(starts, column), wanted, 1e-10 * std::max(1.0, std::abs(wanted))) << column;
  }
  EXPECT_EQ(table.number(9, "evaluations"), statistics("single")["nfevals"].get<double>());
  // The work of its dampers is followed in lanes too.
  const nlohmann::json energy = statistics("single")["energy"];
  EXPECT_GT(energy["exchanged"], 1e-3);
  EXPECT_NEAR(table.number(9, "largest_imbalance"), energy["largest_imbalance"].get<double>(),
              1e-10 * energy["scale"].get<double>());
}

// The same for loops, in velocities and in momenta: 600 right-hand sides add up to 1e-13, in half a swing that is far
// from singular positions.
TEST_F(EnsembleCommandTest, members_with_loops_go_in_lanes_and_are_single_runs_up_to_rounding) {
  for (const std::string formulation : {"bae-haug", "hdca", "hdca[gauge=none]", "naudet"}) {
    const std::vector<std::string> common = {"-m", "double_loop", "-f",           formulation,
                                             "-i", "rkf45-fixed", "--fixed-step", "0.002",
                                             "-t", "0:0.1:0.2",   "--overwrite"};
    std::vector<std::string> many = common;
    many.insert(many.end(), {"--ensemble", "11", "--spread", "velocities=uniform:0.2", "--trajectories"});
    const CommandLineCall call = simulate("many", many);
    ASSERT_EQ(call.exit_code, 0) << formulation << ": " << call.errors;
    EXPECT_GT(outcome("many")["in_lanes"], 1) << formulation;
    const NamedTable table = members("many");
    std::vector<std::string> single = common;
    for (const std::string& column : read_csv(directory_ / "many" / "members.csv").columns) {
      if (column.starts_with("start.")) {
        single.insert(single.end(), {"--set", column.substr(6) + "=" + table.text(9, column)});
      }
    }
    ASSERT_EQ(simulate("single", single).exit_code, 0) << formulation;
    const NamedTable ours(directory_ / "many" / "trajectories" / "member_000010.csv");
    const NamedTable trajectory(directory_ / "single" / "trajectory.csv");
    for (const std::string& column : read_csv(directory_ / "single" / "trajectory.csv").columns) {
      const double wanted = last_of(trajectory, column);
      EXPECT_NEAR(last_of(ours, column), wanted, 1e-12 * std::max(1.0, std::abs(wanted))) << formulation << column;
    }
    EXPECT_EQ(table.number(9, "evaluations"), statistics("single")["nfevals"].get<double>()) << formulation;
  }
}

TEST_F(EnsembleCommandTest, results_depend_neither_on_threads_nor_on_the_number_of_members) {
  const std::array<std::vector<std::string>, 2> methods = {
      std::vector<std::string>{"-f", "aba", "-i", "rk2", "--fixed-step", "0.01"},
      std::vector<std::string>{"-f", "hdca", "-i", "ode45"}};
  for (const std::vector<std::string>& method : methods) {
    const auto run = [&](const std::string& output, const std::string& count, const std::string& threads) {
      std::vector<std::string> words = {
          "-m",       "pendulum_xyz:4", "-t",     "0:0.1:0.5", "--threads",  threads, "--ensemble", count,
          "--spread", "positions=0.2",  "--seed", "7",         "--overwrite"};
      words.insert(words.end(), method.begin(), method.end());
      const CommandLineCall call = simulate(output, words);
      ASSERT_EQ(call.exit_code, 0) << call.errors;
    };
    run("one", "70", "1");
    run("three", "70", "3");
    expect_same_files("three", "one");
    run("fewer", "5", "2");
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(members("fewer").row(k), members("one").row(k)) << method[1];
    }
  }
}

// Its load has no value beyond q = 1: in lanes as alone.
TEST_F(EnsembleCommandTest, a_member_that_fails_does_so_alone_and_as_a_single_run) {
  ASSERT_EQ(call_program({"export", "-m", "pendulum:2", "-o", path("wall.toml")}).exit_code, 0);
  std::ofstream(directory_ / "wall.toml", std::ios::app)
      << "\n[[joint_loads]]\nname = \"wall\"\njoint = \"joint1\"\nlaw = \"sqrt(1 - q)\"\n";
  write("all.csv", "q.joint1,v.joint1\n0.1,0\n0.5,30\n0.2,0\n");
  write("others.csv", "q.joint1,v.joint1\n0.1,0\n0.2,0\n");
  for (const std::vector<std::string>& method :
       {std::vector<std::string>{"-f", "aba", "-i", "rkf45-fixed", "--fixed-step", "0.01"},
        std::vector<std::string>{"-f", "dense", "-i", "ode45"}}) {
    std::vector<std::string> common = {"-m", path("wall.toml"), "-t", "0:0.05:0.2", "--overwrite"};
    common.insert(common.end(), method.begin(), method.end());
    const auto with = [&](const std::string& output, std::vector<std::string> more) {
      more.insert(more.begin(), common.begin(), common.end());
      return simulate(output, more);
    };
    const CommandLineCall call = with("all", {"--members", path("all.csv")});
    ASSERT_EQ(call.exit_code, 1) << call.errors;
    EXPECT_TRUE(says(call, "member 2: ")) << call.errors;
    EXPECT_TRUE(says(call, "ensemble.csv covers 2 members; members.csv lists all")) << call.errors;
    EXPECT_TRUE(says(call, "3 members: 2 ok, 0 inaccurate, 1 failed")) << call.output;
    ASSERT_EQ(with("others", {"--members", path("others.csv")}).exit_code, 0);
    ASSERT_EQ(with("single", {"--set", "q.joint1=0.5", "--set", "v.joint1=30"}).exit_code, 1);
    const NamedTable all = members("all");
    EXPECT_EQ(all.text(1, "status"), statistics("single")["status"].get<std::string>());
    EXPECT_EQ(all.text(1, "message"), statistics("single")["message"].get<std::string>());
    EXPECT_EQ(all.text(1, "end.total"), "");
    for (const char* const column : {"end.q.joint1", "end.q.joint2", "end.total", "evaluations"}) {
      EXPECT_EQ(all.text(0, column), members("others").text(0, column));
      EXPECT_EQ(all.text(2, column), members("others").text(1, column));
    }
    EXPECT_EQ(statistics_over_time("all").text(0, "members"), "2");
  }
}

TEST_F(EnsembleCommandTest, a_member_without_a_start_says_why) {
  const CommandLineCall call = simulate("many", {"-m", "slider_crank", "-f", "dense", "-t", "0:0.01:0.02", "--ensemble",
                                                 "4", "--spread", "mass=uniform:4", "--seed", "3"});
  EXPECT_EQ(call.exit_code, 1);
  bool any = false;
  for (std::size_t k = 0; k < 4; ++k) {
    if (members("many").text(k, "status") == "no_start") {
      any = true;
      EXPECT_NE(members("many").text(k, "message").find("mass"), std::string::npos);
    }
  }
  EXPECT_TRUE(any) << content_of(directory_ / "many" / "members.csv");
}

TEST_F(EnsembleCommandTest, what_cannot_be_run_is_refused_in_words_and_leaves_no_folder) {
  write("word.csv", "q.joint1,v.joint1\n0.1,0.2\n0.1,fast\n");
  write("name.csv", "q.joint9\n0.1\n");
  write("short.csv", "q.joint1,v.joint1\n0.1\n");
  write("twice.csv", "q.joint1,q.joint1\n0.1,0.1\n");
  write("empty.csv", "q.joint1\n");
  write("two.csv", "q.joint1\n0.1\n0.2\n");
  ASSERT_EQ(::mkfifo(path("pipe.csv").c_str(), 0600), 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--ensemble", "0", "--spread", "positions=1"}, "--ensemble '0': must be a whole number from 1 to 10000000"},
      {{"--ensemble", "-3", "--spread", "positions=1"}, "--ensemble '-3': must be a whole number from 1"},
      {{"--ensemble", "99999999999999999999", "--spread", "positions=1"}, "--ensemble '99999999999999999999': must be"},
      {{"--ensemble", "3", "--spread", "positions=1", "--seed", "9223372036854775808"},
       "--seed '9223372036854775808': must be a whole number from 0"},
      {{"--ensemble", "3", "--spread", "positions=1", "--seed", "-1"}, "--seed '-1': must be a whole number from 0"},
      {{"--ensemble", "3", "--spread", "q=0.1"}, "has no initial value or parameter 'q'"},
      {{"--ensemble", "3", "--spread", "v=0.1"}, "has no initial value or parameter 'v'"},
      {{"--ensemble", "3", "--spread", "positions=1", "--quantities", "total,total"}, "'total' is given twice"},
      {{"--ensemble", "3", "--spread", "positions=1", "--local-error"}, "--local-error works for a single run only"},
      {{"--ensemble", "3", "--spread", "positions=1", "--checkpoint", "5"}, "--checkpoint works for a single run only"},
      {{"--ensemble", "3", "--spread", "positions=1", "--reaction-point", "a"},
       "--reaction-point is of trajectories, which an ensemble writes with --trajectories"},
      {{"--members", ""}, "--members: names no file"},
      {{"--members", "", "--ensemble", "3", "--spread", "positions=1"}, "--members: names no file"},
      {{"--members", path("pipe.csv")}, "pipe.csv: is no file"},
      {{"--members", directory_.path().string()}, "is no file"},
      {{"--ensemble", "many", "--spread", "positions=1"}, "--ensemble"},
      {{"--ensemble", "3"}, "all members would be the same; add --spread"},
      {{"--ensemble", "3", "--spread", "positions=-0.1"}, "a spread is at least 0"},
      {{"--ensemble", "3", "--spread", "positions=wide"}, "wide"},
      {{"--ensemble", "3", "--spread", "positions=nan"}, "nan"},
      {{"--ensemble", "3", "--spread", "positions"}, "--spread"},
      {{"--ensemble", "3", "--spread", "positions=cauchy:1"}, "'cauchy' is no distribution; write positions=normal:1"},
      {{"--ensemble", "3", "--spread", "positions=1,q.joint1=1"}, "'q.joint1' has a spread already"},
      {{"--ensemble", "3", "--spread", "q.joint9=1"}, "has no initial value or parameter 'q.joint9'; did you mean"},
      {{"--ensemble", "3", "--spread", "stiffness=1"}, "mechanism 'pendulum:bodies=3' has none"},
      {{"--ensemble", "3", "--spread", "bodies=1"}, "'bodies' of mechanism 'pendulum:bodies=3' cannot differ"},
      {{"--ensemble", "3", "--members", path("two.csv")}, "two.csv has 2 rows, a member each; take at most 2"},
      {{"--members", path("two.csv"), "--spread", "positions=1"}, "--members and --spread exclude one another"},
      {{"--members", path("two.csv"), "--seed", "1"}, "--seed: members of a table"},
      {{"--members", path("word.csv")}, "word.csv:3: column 2 ('v.joint1') holds 'fast': must be a finite number"},
      {{"--members", path("name.csv")}, "name.csv: column 1: mechanism 'pendulum:bodies=3' has no initial value"},
      {{"--members", path("short.csv")}, "short.csv:2"},
      {{"--members", path("twice.csv")}, "'q.joint1' is column 1 already"},
      {{"--members", path("empty.csv")}, "has no rows; each is a member"},
      {{"--members", path("none.csv")}, "none.csv"},
      {{"--members", path("two.csv"), "--quantities", "q.joint8"}, "have no quantity 'q.joint8'; did you mean"},
      {{"--members", path("two.csv"), "--reactions"}, "which an ensemble writes with --trajectories"},
      {{"--spread", "positions=1"}, "are of an ensemble; add --ensemble N"},
      {{"--seed", "1"}, "are of an ensemble; add --ensemble N"},
  };
  for (const auto& [words, message] : cases) {
    std::vector<std::string> all = {"-t", "0.1"};
    all.insert(all.end(), words.begin(), words.end());
    const CommandLineCall call = simulate_pendulum("refused", all);
    EXPECT_EQ(call.exit_code, 2) << message;
    EXPECT_TRUE(says(call, message)) << message << "\n" << call.errors;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "refused")) << message;
  }
}

// A damper is a spring without stiffness: a share of nothing is nothing, and all members would be the same.
TEST_F(EnsembleCommandTest, shares_of_nothing_are_refused) {
  write("damper.toml",
        "name = \"damper\"\n[[bodies]]\nname = \"bob\"\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\n"
        "[[joints]]\nname = \"hinge\"\ntype = \"revolute\"\nb = \"bob\"\n"
        "[[joint_springs]]\nname = \"oil\"\njoint = \"hinge\"\ndamping = 0.2\n");
  const std::vector<std::string> common = {"-m", path("damper.toml"), "-f", "aba", "-t", "0.1", "--ensemble", "3"};
  std::vector<std::string> stiffness = common;
  stiffness.insert(stiffness.end(), {"--spread", "stiffness=0.1"});
  const CommandLineCall call = simulate("refused", stiffness);
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_TRUE(says(call, "all of mechanism 'damper' are 0; give values in a table with --members")) << call.errors;
  std::vector<std::string> damping = common;
  damping.insert(damping.end(), {"--spread", "damping=0.1"});
  EXPECT_EQ(simulate("many", damping).exit_code, 0);
}

// As spreadsheets and other programs write them.
TEST_F(EnsembleCommandTest, tables_with_a_byte_order_mark_and_signs_are_read) {
  write("members.csv", "\xEF\xBB\xBFq.joint1,v.joint1\r\n+0.1,-0.5\r\n0.25,+1e-1\r\n");
  const CommandLineCall call = simulate_pendulum("many", {"-t", "0.1", "--members", path("members.csv")});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_EQ(members("many").text(0, "start.q.joint1"), "0.1");
  EXPECT_EQ(members("many").text(0, "start.v.joint1"), "-0.5");
  EXPECT_EQ(members("many").text(1, "start.v.joint1"), "0.1");
  write("wrong.csv", "q.joint1\n+-0.1\n");
  EXPECT_EQ(simulate_pendulum("wrong", {"-t", "0.1", "--members", path("wrong.csv")}).exit_code, 2);
}

// Every branch moves all random numbers behind it: joints would have other types, coordinates other places.
TEST_F(EnsembleCommandTest, a_parameter_that_decides_what_is_joined_is_refused_by_name) {
  for (const char* const mechanism : {"random_tree:seed=4,bodies=12,loads=0", "random_closed"}) {
    const CommandLineCall call = simulate("refused", {"-m", mechanism, "-f", "dense", "-t", "0:0.005:0.01",
                                                      "--ensemble", "6", "--spread", "branching=uniform:0.9"});
    EXPECT_EQ(call.exit_code, 2);
    EXPECT_TRUE(says(call, "cannot differ among members: it decides which bodies are joined")) << call.errors;
  }
}

TEST_F(EnsembleCommandTest, another_command_is_refused_and_the_same_one_is_complete) {
  const std::vector<std::string> words = {"-t", "0.1", "--ensemble", "3", "--spread", "positions=0.1"};
  ASSERT_EQ(simulate_pendulum("many", words).exit_code, 0);
  const std::string before = content_of(directory_ / "many" / "ensemble.json");
  const CommandLineCall again = simulate_pendulum("many", words);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_TRUE(says(again, "complete already")) << again.output;
  EXPECT_TRUE(says(again, "3 members: 3 ok")) << again.output;
  std::vector<std::string> other = words;
  other.insert(other.end(), {"--seed", "2"});
  const CommandLineCall refused = simulate_pendulum("many", other);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(says(refused, "holds an ensemble whose seed is '1', and this command has '2'")) << refused.errors;
  std::vector<std::string> set = words;
  set.insert(set.end(), {"--set", "q.joint2=0.5"});
  const CommandLineCall started = simulate_pendulum("many", set);
  EXPECT_EQ(started.exit_code, 2);
  EXPECT_TRUE(says(started, "whose mechanism or start differs (see mechanism.toml there)")) << started.errors;
  EXPECT_FALSE(says(started, "digest")) << started.errors;
  const CommandLineCall single = simulate_pendulum("many", {"-t", "0.1"});
  EXPECT_EQ(single.exit_code, 2);
  EXPECT_TRUE(says(single, "belongs to ensemble")) << single.errors;
  EXPECT_EQ(content_of(directory_ / "many" / "ensemble.json"), before);
  other.emplace_back("--overwrite");
  EXPECT_EQ(simulate_pendulum("many", other).exit_code, 0);
  EXPECT_NE(content_of(directory_ / "many" / "ensemble.json"), before);
}

}  // namespace
}  // namespace mbdbench
