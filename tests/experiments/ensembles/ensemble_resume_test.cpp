// Ensembles that are interrupted: what is finished stays, the same command goes on, and leaves the files of a run that
// nobody disturbed; on several processes too.
#include <fmt/format.h>

#include <fstream>
#include <span>

#include "experiments/ensembles/members/member_record.hpp"
#include "tests/experiments/ensembles/ensemble_call.hpp"
#include "tests/experiments/on_processes.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

MemberRecord made_up(std::size_t member) {
  MemberRecord record;
  record.member = member;
  record.status = "ok";
  record.message = fmt::format("of {}", member);
  record.t_end = 2.0;
  record.steps = 3.0;
  record.evaluations = 1e9;
  record.start = {0.5, -1.0 * static_cast<double>(member)};
  record.samples = {1.0, 2.0, 3.0 + static_cast<double>(member)};
  return record;
}

TEST(MemberJournal, whole_records_are_read_back_and_torn_ones_are_cut_off) {
  const TemporaryDirectory folder;
  {
    MemberJournal first(folder.path(), 0);
    first.append(made_up(4));
    first.append(made_up(2));
    MemberJournal second(folder.path(), 1);
    second.append(made_up(7));
  }
  const fs::path file = folder / "parts" / "members.process0.bin";
  const std::string whole = content_of(file);
  // Any number of bytes of the second record may be missing.
  for (std::size_t missing = 1; missing <= whole.size() / 2; ++missing) {
    fs::resize_file(file, whole.size() - missing);
    const KeptMembers kept(folder.path());
    ASSERT_TRUE(kept.has(4) && kept.has(7) && !kept.has(2)) << missing;
    std::ofstream(file, std::ios::binary) << whole;
  }
  fs::resize_file(file, whole.size() - 5);
  MemberJournal(folder.path(), 0).append(made_up(3));
  const KeptMembers kept(folder.path());
  EXPECT_EQ(kept.size(), 3U);
  const MemberRecord record = kept.read(3);
  EXPECT_EQ(record.message, "of 3");
  EXPECT_EQ(record.start, made_up(3).start);
  double sample = 0.0;
  kept.samples(3, 2, std::span(&sample, 1));
  EXPECT_EQ(sample, 6.0);
}

TEST(MemberJournal, a_changed_byte_is_noticed) {
  const TemporaryDirectory folder;
  MemberJournal(folder.path(), 0).append(made_up(1));
  const fs::path file = folder / "parts" / "members.process0.bin";
  const std::string whole = content_of(file);
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 4);
    std::ofstream(file, std::ios::binary) << changed;
    EXPECT_EQ(KeptMembers(folder.path()).size(), 0U) << place;
  }
}

class EnsembleResumeTest : public EnsembleCommandTest {
 protected:
  static std::vector<std::string> lanes() {
    return {"-m", "pendulum_xyz:4", "-f",        "aba", "-i",         "rkf45-fixed", "--fixed-step", "0.01",
            "-t", "0:0.1:0.5",      "--threads", "2",   "--ensemble", "21",          "--spread",     "positions=0.2"};
  }
};

// A record that no run would leave shows that its member is not run again.
TEST_F(EnsembleResumeTest, finished_members_are_not_run_again) {
  ASSERT_EQ(simulate("whole", lanes()).exit_code, 0);
  const NamedTable whole = members("whole");
  const std::size_t quantities = outcome("whole")["quantities"].size();
  for (const char* const file : {"ensemble.json", "ensemble.csv", "members.csv"}) {
    fs::remove(directory_ / "whole" / file);
  }
  MemberRecord marked = made_up(5);
  marked.start.assign(8, 0.25);
  marked.samples.assign(6 * quantities, 7.0);
  MemberJournal(directory_ / "whole", 0).append(marked);
  ASSERT_EQ(simulate("whole", lanes()).exit_code, 0);
  const NamedTable resumed = members("whole");
  EXPECT_EQ(resumed.text(5, "evaluations"), "1000000000");
  for (std::size_t k = 0; k < whole.rows(); ++k) {
    if (k != 5) {
      EXPECT_EQ(resumed.row(k), whole.row(k)) << k;
    }
  }
  EXPECT_FALSE(fs::exists(directory_ / "whole" / "parts"));
}

// Of an ensemble of seed 1 that was killed; nothing says any more that it was.
TEST_F(EnsembleResumeTest, members_of_another_ensemble_are_not_taken_over) {
  std::vector<std::string> other = lanes();
  other.insert(other.end(), {"--seed", "2", "--trajectories"});
  ASSERT_EQ(simulate("undisturbed", other).exit_code, 0);
  std::vector<std::string> first = lanes();
  first.emplace_back("--trajectories");
  ASSERT_EQ(simulate("many", first).exit_code, 0);
  const std::string inputs = content_of(directory_ / "many" / "inputs.json");
  const std::size_t quantities = outcome("many")["quantities"].size();
  const auto kill = [&] {
    for (const char* const file : {"ensemble.json", "ensemble.csv", "members.csv"}) {
      fs::remove(directory_ / "many" / file);
    }
    MemberRecord marked = made_up(5);
    marked.start.assign(8, 0.25);
    marked.samples.assign(6 * quantities, 7.0);
    MemberJournal(directory_ / "many", 0).append(marked);
    MemberJournal(directory_ / "many", 3).append(marked);
  };
  kill();
  for (const std::string& damaged : {inputs.substr(0, inputs.size() / 2), std::string(), std::string("[]\n")}) {
    std::ofstream(directory_ / "many" / "inputs.json", std::ios::binary) << damaged;
    const CommandLineCall refused = simulate("many", other);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_TRUE(says(refused, "inputs.json: is no JSON object")) << refused.errors;
    EXPECT_TRUE(says(refused, "--overwrite")) << refused.errors;
    EXPECT_EQ(KeptMembers(directory_ / "many").size(), 1U);
  }
  fs::remove(directory_ / "many" / "inputs.json");
  write("many/trajectories/member_000099.csv", "of another ensemble");
  ASSERT_EQ(simulate("many", other).exit_code, 0);
  expect_same_files("many", "undisturbed");
  EXPECT_FALSE(fs::exists(directory_ / "many" / "trajectories" / "member_000099.csv"));
  EXPECT_TRUE(fs::exists(directory_ / "many" / "trajectories" / "member_000021.csv"));
  kill();
  fs::remove(directory_ / "many" / "inputs.json");
  other.emplace_back("--overwrite");
  ASSERT_EQ(simulate("many", other).exit_code, 0);
  expect_same_files("many", "undisturbed");
}

// The base is the same: the start that is set is what it has without. Members are not.
TEST_F(EnsembleResumeTest, values_that_are_set_and_the_program_are_part_of_what_was_asked_for) {
  std::vector<std::string> words = {"-m",        "pendulum_yz:2", "-f", "dense",    "-t",
                                    "0:0.1:0.2", "--ensemble",    "4",  "--spread", "angle=0.5"};
  ASSERT_EQ(simulate("many", words).exit_code, 0);
  std::vector<std::string> set = words;
  set.insert(set.end(), {"--set", "q.joint1=0.1"});
  const CommandLineCall refused = simulate("many", set);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(says(refused, "whose --set is '', and this command has 'q.joint1=0.1'")) << refused.errors;
  const fs::path file = directory_ / "many" / "inputs.json";
  nlohmann::ordered_json inputs = nlohmann::ordered_json::parse(content_of(file));
  EXPECT_EQ(inputs["settings"]["--set"], "");
  inputs["program"] = "0.0.1 (commit 0123456789ab)";
  std::ofstream(file) << inputs;
  const CommandLineCall older = simulate("many", words);
  EXPECT_EQ(older.exit_code, 2);
  EXPECT_TRUE(says(older, "whose program is '0.0.1 (commit 0123456789ab)'")) << older.errors;
}

TEST_F(EnsembleResumeTest, a_table_that_is_missing_is_made_again) {
  ASSERT_EQ(simulate("whole", lanes()).exit_code, 0);
  ASSERT_EQ(simulate("many", lanes()).exit_code, 0);
  for (const char* const file : {"members.csv", "ensemble.csv", "ensemble.json"}) {
    fs::remove(directory_ / "many" / file);
    const CommandLineCall again = simulate("many", lanes());
    EXPECT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_FALSE(says(again, "complete already")) << file;
    expect_same_files("many", "whole");
  }
  EXPECT_TRUE(says(simulate("many", lanes()), "complete already"));
}

class EnsembleOnProcessesRunTest : public OnProcessesTest {
 protected:
  static constexpr const char* kWords =
      "simulate --quiet --mechanism pendulum_xyz:6 --time 0:0.1:0.6 --ensemble 37 --spread positions=0.2 --seed 5";

  void expect_same(const std::string& output, const std::string& wanted) {
    for (const char* const file : {"members.csv", "ensemble.csv", "ensemble.json", "inputs.json"}) {
      EXPECT_FALSE(content_of(directory_ / wanted / file).empty()) << file;
      EXPECT_TRUE(content_of(directory_ / output / file) == content_of(directory_ / wanted / file)) << file;
    }
    EXPECT_FALSE(fs::exists(directory_ / output / "parts"));
  }
};

TEST_F(EnsembleOnProcessesRunTest, processes_share_the_members) {
  for (const std::string method : {"-f aba -i rk2 --fixed-step 0.01", "-f hdca -i ode45"}) {
    ASSERT_EQ(shell(fmt::format("{} {} {} --output alone --overwrite", program(), kWords, method)), 0) << said_;
    for (const int processes : {2, 3}) {
      ASSERT_EQ(shell(fmt::format("{} -n {} {} {} {} --output processes --overwrite", kMpirun, processes, program(),
                                  kWords, method)),
                0)
          << said_;
      EXPECT_EQ(said_.find("results: "), said_.rfind("results: "));
      expect_same("processes", "alone");
    }
  }
  EXPECT_EQ(
      shell(fmt::format("{} -n 2 {} {} -f aba --output processes2 --spread velocities=-1", kMpirun, program(), kWords)),
      2);
  EXPECT_TRUE(said("a spread is at least 0")) << said_;
}

// Killed at several moments of the time that it takes undisturbed; then the same command, without a word of the past.
TEST_F(EnsembleOnProcessesRunTest, a_killed_ensemble_goes_on_to_the_same_files) {
  for (const std::string method : {"-f naudet -i rkf45-fixed --fixed-step 0.00005",
                                   "-f dense -i ode45 --rtol 1e-12 --atol 1e-12 --max-step 0.001"}) {
    const std::string words = fmt::format("{} {} --threads 2", kWords, method);
    ASSERT_EQ(shell(fmt::format("{} {} --output alone --overwrite", program(), words)), 0) << said_;
    const double whole =
        nlohmann::json::parse(content_of(directory_ / "alone" / "timings.json"))["wall_time"].get<double>();
    fs::remove_all(directory_ / "killed");
    int kills = 0;
    for (const double share : {0.3, 0.3, 0.2}) {
      kills += shell(fmt::format("timeout -s KILL {:.3f} {} {} --output killed", share * whole, program(), words)) == 0
                   ? 0
                   : 1;
    }
    EXPECT_GT(kills, 0) << "nothing was killed: undisturbed it took " << whole << " s";
    ASSERT_EQ(shell(fmt::format("{} {} --output killed", program(), words)), 0) << said_;
    expect_same("killed", "alone");
  }
}

// All processes do what the first one finds: that a table is missing, that all is there, that another one's members
// are.
TEST_F(EnsembleOnProcessesRunTest, processes_agree_on_what_is_there) {
  const std::string words = fmt::format("{} -f aba -i rk2 --fixed-step 0.01", kWords);
  ASSERT_EQ(shell(fmt::format("{} {} --output alone", program(), words)), 0) << said_;
  const std::string on_processes = fmt::format("{} -n 3 {} {} --output processes", kMpirun, program(), words);
  ASSERT_EQ(shell(on_processes), 0) << said_;
  fs::remove(directory_ / "processes" / "ensemble.csv");
  ASSERT_EQ(shell(on_processes), 0) << said_;
  EXPECT_FALSE(said("complete already")) << said_;
  expect_same("processes", "alone");
  ASSERT_EQ(shell(on_processes), 0) << said_;
  EXPECT_TRUE(said("complete already")) << said_;
  expect_same("processes", "alone");
  MemberJournal(directory_ / "processes", 1).append(made_up(1));
  fs::remove(directory_ / "processes" / "inputs.json");
  ASSERT_EQ(shell(on_processes), 0) << said_;
  expect_same("processes", "alone");
}

// The signal comes when the first member is kept: steps of a millisecond take the others much longer.
TEST_F(EnsembleOnProcessesRunTest, a_signal_keeps_what_is_finished_and_says_so) {
  const std::string words =
      fmt::format("{} -f dense -i ode45 --rtol 1e-12 --atol 1e-12 --max-step 0.0005 --threads 1 --output many", kWords);
  // A shell starts what goes on beside it deaf to SIGINT; SIGTERM means the same to the program.
  const std::string script = fmt::format(
      "{} {} & it=$!; while kill -0 $it && ! [ -s many/parts/members.process0.bin ]; do sleep 0.01; done; "
      "kill -TERM $it; wait $it",
      program(), words);
  EXPECT_EQ(shell(fmt::format("sh -c '{}'", script)), 130) << said_;
  EXPECT_TRUE(said("of 37 members are finished and kept. The same command goes on with the others")) << said_;
  EXPECT_FALSE(fs::exists(directory_ / "many" / "ensemble.json"));
  EXPECT_GE(KeptMembers(directory_ / "many").size(), 1U);
  EXPECT_EQ(shell(fmt::format("{} {}", program(), words)), 0) << said_;
}

}  // namespace
}  // namespace mbdbench
