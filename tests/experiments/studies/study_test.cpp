/// \file
/// Studies from their declaration to their records: what a user gets wrong, what a run leaves behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/write_error.hpp"
#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "experiments/studies/runner/cells/study_cell.hpp"
#include "experiments/studies/runner/observation/growth_fit.hpp"
#include "experiments/studies/runner/parts/result_journal.hpp"
#include "experiments/studies/runner/study_motion.hpp"
#include "experiments/studies/runner/study_runner.hpp"
#include "experiments/studies/verdicts/study_claims.hpp"
#include "experiments/studies/verdicts/study_records.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench::studies {
namespace {

constexpr const char* kDeclared = R"(name = "small"
mechanisms = ["pendulum:2", "four_bar"]
end = 2.0
integrators = ["ode45", "gauss4"]
tolerances = [1e-4, 1e-6]
steps = [0.01]
observe = ["evaluations", "energy_error", "position_drift", "position_error"]
[variants]
"second" = "dca"
"first" = "hdca"
"chains only" = "aba"
)";

class StudyTest : public testing::Test {
 protected:
  Study read(const std::string& text) const {
    const auto file = directory_.path() / "study.toml";
    std::ofstream(file) << text;
    return read_study(registries_, file);
  }

  void expect_refused(const std::string& text, std::size_t line, const std::string& part) const {
    try {
      read(text);
      FAIL() << "accepted: " << text;
    } catch (const FileError& error) {
      EXPECT_EQ(error.line(), line) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }

  std::optional<StudyResults> run(const Study& study, const std::string& folder, int jobs = 1,
                                  std::function<bool()> stop = {}) const {
    const auto output = directory_.path() / folder;
    std::filesystem::create_directories(output);
    return run_study(registries_, study,
                     {.output = output, .jobs = jobs, .quiet = true, .stop_requested = std::move(stop)});
  }

  std::size_t journal_lines(const std::string& folder) const {
    std::ifstream stream(directory_.path() / folder / "parts" / "study.jsonl");
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>(), '\n'));
  }

  TemporaryDirectory directory_;
  Registries registries_ = default_registries();
};

TEST_F(StudyTest, ADeclarationIsTheProductInItsOwnOrder) {
  const Study study = read(kDeclared);
  ASSERT_EQ(study.variants.size(), 3U);
  EXPECT_EQ(study.variants[0].label, "second") << "the order of the lines, not of the alphabet";
  EXPECT_EQ(study.cells().size(), 2U * 3U * (2U + 1U)) << "tolerances for ode45, the step for gauss4";
  EXPECT_EQ(study_json(study)["variants"][2]["formulation"], "aba");
}

TEST_F(StudyTest, OptionsOfTheWholeStudyAreForThoseThatHaveThem) {
  const std::string declared = std::string(kDeclared) + "\"own\" = \"hdca[leaf=subchain]\"\n\"one\" = \"bae-haug\"\n";
  const Study study = read(declared + "[options]\nleaf = \"body\"\n");
  ASSERT_EQ(study.variants.size(), 5U);
  EXPECT_EQ(study.variants[0].options, "leaf=body");
  EXPECT_EQ(study.variants[0].formulation(), "dca") << "records name what the variant says";
  EXPECT_EQ(study.variants[2].options, "") << "aba has no leaves";
  EXPECT_EQ(study.variants[3].options, "leaf=subchain") << "what a variant sets itself stays";
  EXPECT_EQ(study.variants[3].formulation(), "hdca[leaf=subchain]");
  EXPECT_EQ(study.variants[4].options, "") << "its leaf is a number of bodies";
  EXPECT_EQ(read(declared + "[options]\nleaf = \"3\"\n").variants[4].options, "leaf=3");
  expect_refused(std::string(kDeclared) + "[options]\nleafs = \"body\"\n", 13, "no variant has an option 'leafs'");
  expect_refused(std::string(kDeclared) + "[options]\nleaf = \"limb\"\n", 13, "limb");
}

TEST_F(StudyTest, FormerNamesOfProcessesAreRead) {
  std::string declared = kDeclared;
  declared.replace(declared.find("\"position_error\""), 16, "\"rank_difference\"");
  declared +=
      "\"own\" = \"bae-haug[ranks=2]\"\n\"sub-chains\" = \"hdca[leaf=subchain]\"\n[ranks]\n\"sub-chains\" = 2\n";
  const Study study = read(declared);
  ASSERT_EQ(study.variants.size(), 5U);
  EXPECT_EQ(study.variants[4].processes, 2);
  EXPECT_EQ(study.variants[4].formulation(), "hdca[leaf=subchain,processes=2]");
  EXPECT_TRUE(std::ranges::any_of(study.observers, [](const Observer& observer) {
    return observer.quantity == Quantity::process_difference && observer.name() == "process_difference";
  }));
  expect_refused(declared + "[processes]\n\"sub-chains\" = 3\n", 15, "stand in both 'processes' and 'ranks'");
}

TEST_F(StudyTest, BadInputNamesTheLineAndWhatWouldBeRight) {
  const std::string good = kDeclared;
  expect_refused("name = \"a\"\nmechanism = [\"four_bar\"]\n", 2, "did you mean \"mechanisms\"?");
  expect_refused("name = \"a\"\nmechanisms = [\"four_bra\"]\nend = 1\n", 2, "four_bar");
  expect_refused("name = \"a\"\nmechanisms = [\"four_bar\"]\nintegrators = [\"ode45\"]\n", 2, "end is missing");
  expect_refused("name = \"a\"\nmechanisms = [\"absent.toml\"]\nend = 1\n", 2, "absent.toml");
  expect_refused(good + "\"x\" = \"hdcaa\"\n", 12, "did you mean \"hdca\"?");
  expect_refused(good + "\"x\" = \"hdca[gage=leak]\"\n", 12, "gage");
  expect_refused(good + "\"x\" = \"hdca[gauge=leak\"\n", 12, "should end with ]");
  expect_refused(good + "[[claims]]\nsource = \"s\"\ntext = \"t\"\nholds = \"evaluations['third'] < 1\"\n", 15,
                 "third");
  expect_refused(good + "[[claims]]\nsource = \"s\"\ntext = \"t\"\nholds = \"evaluations['first'] < 1\"\n", 15,
                 "several values of 'mechanism'");
  expect_refused(good + "[[claims]]\nsource = \"s\"\ntext = \"t\"\nholds = \"evaluations['first']\"\n", 15,
                 "condition");
  expect_refused(good + "[[claims]]\nsource = \"s\"\ntext = \"t\"\nholds = \"evaluatons['first'] < 1\"\n", 15,
                 "did you mean \"evaluations\"?");
  std::string other = good;
  other.replace(other.find("\"ode45\""), 7, "\"ode4\"");
  expect_refused(other, 4, "did you mean \"ode45\"?");
  other = good;
  other.replace(other.find("steps = [0.01]"), 14, "steps = [-1.0]");
  expect_refused(other, 6, "above 0");
  other = good;
  other.replace(other.find("\"four_bar\""), 10, "{ mechanism = \"four_bar\", absolute_tolerances = { speed = 1e-3 } }");
  expect_refused(other, 2, "speed");
  expect_refused(good + "[evaluations_before]\n\"frist\" = 1\n", 13, "did you mean \"first\"?");
  expect_refused(good + "[processes]\n\"frist\" = 2\n", 13, "did you mean \"first\"?");
  expect_refused(good + "[processes]\n\"first\" = 1\n", 13, "whole number from 2");
  expect_refused(good + "[processes]\n\"chains only\" = 2\n", 13, "cannot be divided among processes");
  expect_refused(good + "[titles]\n\"evaluatons\" = \"x\"\n", 13, "did you mean \"evaluations\"?");
  other = good;
  other.replace(other.find("\"position_error\""), 16, "\"error(tipp)\"");
  expect_refused(other, 7, "no mechanism has a marker 'tipp'");
}

TEST_F(StudyTest, RefusalsAreCellsWithAReasonAndNumbersAreThoseOfASerialRun) {
  const Study study = read(kDeclared);
  const auto serial = run(study, "serial");
  const auto parallel = run(study, "parallel", 3);
  ASSERT_TRUE(serial && parallel);
  const RecordSet records = study_records(study, *serial);
  EXPECT_EQ(records.records, study_records(study, *parallel).records);
  std::size_t refused = 0;
  for (const Record& record : records.records) {
    if (record.formulation == "aba" && record.mechanism == "four_bar") {
      ++refused;
      EXPECT_EQ(record.verdict, Verdict::refused);
      EXPECT_EQ(record.value, std::nullopt);
      EXPECT_FALSE(record.note.empty());
    }
  }
  EXPECT_EQ(refused, 3U * 4U);
  // Against simulate's own numbers: the tolerance and the end reach the integrator.
  const Measured loose = serial->of({0, 0, 0, 0}, {Quantity::evaluations, {}});
  const Measured tight = serial->of({0, 0, 0, 1}, {Quantity::evaluations, {}});
  EXPECT_LT(loose.value, tight.value);
  const Measured error = serial->of({0, 0, 0, 1}, {Quantity::position_error, {}});
  // An error per step of 1e-6 over two seconds of a smooth motion: between rounding and a hundred of them.
  EXPECT_GT(error.value, 1e-12);
  EXPECT_LT(error.value, 1e-4);
  EXPECT_EQ(serial->of({0, 0, 0, 0}, {Quantity::position_drift, {}}).state, CellState::refused) << "an open chain";
}

TEST_F(StudyTest, AnInterruptedStudyContinuesAndRepeatsNothing) {
  const Study study = read(kDeclared);
  int asked = 0;
  EXPECT_FALSE(run(study, "stopped", 1, [&] { return ++asked > 6; }));
  const std::size_t kept = journal_lines("stopped");
  EXPECT_GT(kept, 2U);
  // As a killed process leaves it: half a line at the end.
  std::ofstream(directory_.path() / "stopped/parts/study.jsonl", std::ios::app) << "{\"key\": \"half";
  const auto continued = run(study, "stopped");
  const auto whole = run(study, "whole");
  ASSERT_TRUE(continued && whole);
  EXPECT_EQ(study_records(study, *continued).records, study_records(study, *whole).records);
  EXPECT_EQ(journal_lines("stopped"), journal_lines("whole")) << "every part once, the torn line gone";
  ASSERT_TRUE(run(study, "whole"));
  EXPECT_EQ(journal_lines("stopped"), journal_lines("whole"));
}

TEST_F(StudyTest, TwoRunsIntoOneDirectoryExcludeOneAnother) {
  const auto file = directory_.path() / "study.jsonl";
  const ResultJournal first(file, own_origin(best_instruction_set()));
  try {
    const ResultJournal second(file, own_origin(best_instruction_set()));
    FAIL() << "two runs write into one file";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("another run"), std::string::npos) << error.what();
  }
}

TEST_F(StudyTest, ADamagedLineOfTheJournalIsCountedAndLeftOut) {
  const auto file = directory_.path() / "study.jsonl";
  {
    ResultJournal journal(file, own_origin(best_instruction_set()));
    journal.append("a", "part a", 1.5, 0.25);
  }
  std::ofstream(file, std::ios::app) << "nonsense\n";
  {
    ResultJournal journal(file, own_origin(best_instruction_set()));
    EXPECT_EQ(journal.unreadable_lines(), 1U);
    journal.append("b", "part b", 2.5, 0.5);
  }
  // Valid JSON, another number.
  std::string content = content_of(file);
  content.replace(content.find("2.5"), 3, "2.6");
  std::ofstream(file, std::ios::binary) << content;
  const ResultJournal journal(file, own_origin(best_instruction_set()));
  EXPECT_EQ(journal.unreadable_lines(), 2U);
  ASSERT_NE(journal.find("a"), nullptr);
  EXPECT_EQ(*journal.find("a"), 1.5);
  EXPECT_EQ(journal.find("b"), nullptr);
}

TEST_F(StudyTest, ExpectationsAreJudgedAndPublishedOnesStandApart) {
  const std::string header =
      "mechanism,variant,integrator,control,observer,published_value,expected_value,source,relative_limit,reason\n";
  const auto file = directory_.path() / "numbers.csv";
  const std::string declared = "expectations = \"numbers.csv\"\n" + std::string(kDeclared);
  std::ofstream(file) << header << "pendulum:2,second,ode45,tolerance=1e-04,evaluations,1,,\"Paper, table 1\",,\n"
                      << "pendulum:2,second,ode45,tolerance=1e-06,evaluations,,1,a prototype,,\n";
  EXPECT_THROW(read(declared), FileError) << "the control's text is 'tolerance=0.0001'";
  std::ofstream(file) << header << "pendulum:2,second,ode45,tolerance=0.0001,evaluations,1,,\"Paper, table 1\",,\n"
                      << "pendulum:2,second,ode45,tolerance=1e-06,evaluations,,1,a prototype,1e9,only for this test\n";
  const Study study = read(declared);
  const auto results = run(study, "expected");
  ASSERT_TRUE(results);
  std::vector<Record> compared;
  for (const Record& record : study_records(study, *results).records) {
    if (record.compared_value()) {
      compared.push_back(record);
    }
  }
  ASSERT_EQ(compared.size(), 2U);
  EXPECT_EQ(compared[0].published_value, 1.0);
  EXPECT_EQ(compared[0].verdict, Verdict::not_reproduced);
  EXPECT_EQ(compared[1].published_value, std::nullopt);
  EXPECT_EQ(compared[1].expected_value, 1.0);
  EXPECT_EQ(compared[1].expected_from, "a prototype");
  EXPECT_EQ(compared[1].verdict, Verdict::within_limit);
}

/// Results made up: evaluations 10, 20, ... in the order of the cells.
StudyResults made_up(const Study& study) {
  StudyResults results;
  double value = 0.0;
  for (const CellKey& cell : study.cells()) {
    value += 10.0;
    results.cells[cell][{Quantity::evaluations, {}}] = Measured::number(value);
  }
  return results;
}

TEST_F(StudyTest, AClaimSaysKOfNAndIsNotMeasuredBelowItsShare) {
  const std::string claim =
      "[[claims]]\nsource = \"s\"\ntext = \"t\"\nover = [\"mechanism\", \"tolerance\"]\n"
      "holds = \"evaluations['second', integrator='ode45'] < 15\"\n";
  const Study study = read(kDeclared + claim);
  StudyResults results = made_up(study);
  std::vector<Claim> claims = judge_claims(study, results, false);
  ASSERT_EQ(claims.size(), 1U);
  // Cells of pendulum:2, second, ode45: 10 and 20; of four_bar: 100 and 110.
  EXPECT_EQ(claims[0].measured.substr(0, 6), "1 of 4");
  EXPECT_EQ(claims[0].verdict, ClaimVerdict::mostly_does_not);
  EXPECT_EQ(claims[0].count, (ClaimCount{1, 4, 0}));
  EXPECT_TRUE(judge_claims(study, results, true).empty()) << "no claim of times";
  // One failure of four leaves three quarters; a refusal is no part at all.
  results.cells[{0, 0, 0, 1}][{Quantity::evaluations, {}}] = Measured::failed("lost");
  results.cells[{1, 0, 0, 0}][{Quantity::evaluations, {}}] = Measured::refused("does not exist");
  claims = judge_claims(study, results, false);
  EXPECT_EQ(claims[0].measured.substr(0, 6), "1 of 2");
  EXPECT_NE(claims[0].measured.find("1 not measured"), std::string::npos);
  results.cells[{1, 0, 0, 1}][{Quantity::evaluations, {}}] = {CellState::disturbed, 1.0, "busy"};
  EXPECT_EQ(judge_claims(study, results, false)[0].verdict, ClaimVerdict::not_measured) << "one of three is measured";
}

TEST_F(StudyTest, AMechanismMayChooseFromTheListsAndAQuickRunIsWhatTheStudySays) {
  std::string text = kDeclared;
  text.replace(text.find("\"four_bar\""), 10,
               "{ mechanism = \"four_bar\", variants = [\"first\"], integrators = [\"ode45\"], controls = [1e-6] }");
  const std::string variants = text.substr(text.find("[variants]"));
  text = text.substr(0, text.find("[variants]")) + "[quick]\ntolerances = [1e-4, 1e-6]\nend = 0.5\n" + variants;
  const Study study = read(text);
  EXPECT_EQ(study.cells().size(), 3U * 3U + 1U);
  EXPECT_TRUE(study.has({1, 1, 0, 1}));
  EXPECT_FALSE(study.has({1, 1, 0, 0})) << "another tolerance";
  EXPECT_FALSE(study.has({1, 0, 0, 1})) << "another variant";
  EXPECT_EQ(read_study(registries_, directory_.path() / "study.toml", true).mechanisms[0].end, 0.5);
  std::string wrong = text;
  wrong.replace(wrong.find("[\"first\"]"), 9, "[\"fist\"]");
  expect_refused(wrong, 2, "did you mean \"first\"?");
  wrong = text;
  wrong.replace(wrong.find("controls = [1e-6]"), 17, "controls = [1e-7]");
  expect_refused(wrong, 2, "not among the study's tolerances");
}

TEST_F(StudyTest, CurvesAreFilesAndALostOrDamagedOneIsMadeAgain) {
  const std::string figure =
      "[[figures]]\nname = \"drift\"\ntitle = \"Drift\"\ncurves = [\"position_drift\", \"energy_error\"]\n"
      "mechanisms = [\"four_bar\"]\nvariants = [\"first\"]\ncontrol = 1e-6\n";
  const Study study = read(kDeclared + figure);
  const auto results = run(study, "curves");
  ASSERT_TRUE(results);
  const auto file = directory_.path() / "curves/trajectories/four_bar_first_ode45_1e_06.csv";
  const CsvTable curve = read_csv(file);
  EXPECT_EQ(curve.columns, (std::vector<std::string>{"t", "position_drift", "energy_error"}));
  const auto steps = static_cast<std::size_t>(curve.rows.size());
  EXPECT_GT(steps, 10U) << "a row a step";
  double largest = 0.0;
  for (const auto& row : curve.rows) {
    largest = std::max(largest, std::stod(row[1]));
  }
  EXPECT_EQ(largest, results->of({1, 1, 0, 1}, {Quantity::position_drift, {}}).value) << "the record is of this curve";
  const std::size_t kept = journal_lines("curves");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  ASSERT_TRUE(run(study, "curves"));
  EXPECT_EQ(read_csv(file).rows, curve.rows) << "a damaged one is made again";
  std::filesystem::remove(file);
  ASSERT_TRUE(run(study, "curves"));
  EXPECT_EQ(read_csv(file).rows, curve.rows);
  EXPECT_EQ(journal_lines("curves"), kept + 2) << "and nothing else";
  std::filesystem::remove_all(directory_.path() / "curves");
  std::filesystem::create_directories(directory_.path() / "curves/trajectories/four_bar_first_ode45_1e_06.csv.part");
  EXPECT_THROW(run(study, "curves"), WriteError) << "the run is not at fault and must not be kept as a failure";
  expect_refused(kDeclared + figure.substr(0, figure.find("mechanisms")) + "control = 1e-5\n", 16, "not run with");
  std::string wrong = kDeclared + figure;
  wrong.replace(wrong.find("\"position_drift\", \"energy_error\"]\nmech"), 16, "\"evaluations\"");
  expect_refused(wrong, 15, "no value at every step");
}

TEST_F(StudyTest, AMechanismMovesAsInItsFirstFinishedRunForTenSecondsAtMost) {
  const Study study = read(R"(name = "moving"
mechanisms = ["four_bar", { mechanism = "pendulum:2", end = 12.0 }, { mechanism = "star", integrators = [] }]
end = 2.0
integrators = ["ode45"]
tolerances = [1e-6]
observe = ["evaluations"]
[variants]
"chains only" = "aba"
"all" = "dca"
)");
  const auto results = run(study, "moving");
  ASSERT_TRUE(results);
  const auto loop = study_motion(registries_, study, *results, 0);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->run, "dca, ode45") << "aba refuses a loop";
  ASSERT_EQ(loop->q.size(), 60U);
  ASSERT_EQ(loop->times.size(), loop->q.size());
  EXPECT_EQ(loop->times.back(), 2.0);
  const auto start = study.mechanisms[0].mechanism->q0();
  ASSERT_EQ(loop->q.front().size(), start.size());
  EXPECT_TRUE(std::equal(start.begin(), start.end(), loop->q.front().begin()));
  EXPECT_NE(loop->q.back(), loop->q.front());
  const auto chain = study_motion(registries_, study, *results, 1);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->run, "aba, ode45");
  EXPECT_EQ(chain->times.back(), 10.0);
  EXPECT_FALSE(study_motion(registries_, study, *results, 2)) << "nothing was run";
}

TEST_F(StudyTest, AClaimMayHaveSeveralConditionsFewerPlacesOrNone) {
  const std::string claim =
      "[[claims]]\nsource = \"s\"\ntext = \"t\"\nover = [\"mechanism\", \"variant\"]\nmechanisms = [\"pendulum:2\"]\n"
      "variants = [\"second\", \"chains only\"]\ncriterion = \"in words\"\nfailure_holds = true\n"
      "holds = [\"evaluations[integrator='ode45', tolerance=1e-4] < 15\", \"evaluations[integrator='ode45', "
      "tolerance=1e-6] > 15\"]\n"
      "[[claims]]\nsource = \"s\"\ntext = \"t\"\nnot_measured = \"too large\"\n";
  const Study study = read(kDeclared + claim);
  StudyResults results = made_up(study);
  // Cells of pendulum:2 with ode45: second 10 and 20, chains only 70 and 80.
  std::vector<Claim> claims = judge_claims(study, results, false);
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].measured.substr(0, 6), "3 of 4");
  EXPECT_EQ(claims[0].criterion.substr(0, 8), "in words");
  EXPECT_EQ(claims[1].verdict, ClaimVerdict::not_measured);
  EXPECT_EQ(claims[1].measured, "too large");
  results.cells[{0, 2, 0, 0}][{Quantity::evaluations, {}}] = Measured::failed("lost");
  EXPECT_EQ(judge_claims(study, results, false)[0].verdict, ClaimVerdict::holds) << "a failure is what it says";
}

TEST_F(StudyTest, AClaimMayAskForMostPlacesForSomeOfThemAndForAnExponent) {
  const std::string claims =
      "[[claims]]\nsource = \"s\"\ntext = \"most\"\nover = [\"mechanism\"]\nmost = [\"tolerance\"]\n"
      "holds = \"evaluations['second', integrator='ode45'] < 105\"\n"
      "[[claims]]\nsource = \"s\"\ntext = \"where\"\nover = [\"mechanism\", \"tolerance\"]\n"
      "holds = \"evaluations['second', integrator='ode45'] < 105\"\n"
      "where = \"evaluations['second', integrator='ode45'] > 15\"\n"
      "[[claims]]\nsource = \"s\"\ntext = \"integrators\"\nover = [\"integrator\", \"tolerance\", \"step\"]\n"
      "holds = \"evaluations['second', mechanism='pendulum:2'] < 15\"\n";
  const Study study = read(kDeclared + claims);
  const std::vector<Claim> judged = judge_claims(study, made_up(study), false);
  ASSERT_EQ(judged.size(), 3U);
  // Cells of pendulum:2, second, ode45: 10 and 20; of four_bar: 100 and 110, of which one of two is not most.
  EXPECT_EQ(judged[0].measured, "1 of 2; not four_bar: 1 of 2");
  EXPECT_EQ(judged[1].measured.substr(0, 7), "2 of 3;");
  EXPECT_EQ(judged[2].measured.substr(0, 40), "1 of 3; ode45: 1 of 2; gauss4: 0 of 1; n");

  // Numbers that grow with the square of the bodies.
  const Study sizes = read(
      "name = \"sizes\"\nmechanisms = [\"pendulum:2\", \"pendulum:4\", \"pendulum:8\"]\nobserve = "
      "[\"exchange_bytes\"]\n"
      "[variants]\n\"DCA\" = \"dca\"\n[[claims]]\nsource = \"s\"\ntext = \"t\"\n"
      "holds = \"abs(exponent(exchange_bytes) - 2) < 1e-9\"\n");
  StudyResults results;
  for (std::size_t m = 0; m < 3; ++m) {
    results.cells[{m, 0, 0, 0}][parse_observer("exchange_bytes")] = Measured::number(3.0 * std::pow(4.0, m));
  }
  EXPECT_EQ(judge_claims(sizes, results, false)[0].verdict, ClaimVerdict::holds);
}

TEST_F(StudyTest, ACrossoverIsWhereANumberPassesOneForTheLastTime) {
  const Study sizes = read(
      "name = \"sizes\"\nmechanisms = [\"pendulum:2\", \"pendulum:4\", \"pendulum:8\", \"pendulum:16\"]\n"
      "observe = [\"exchange_bytes\"]\n[variants]\n\"DCA\" = \"dca\"\n[[claims]]\nsource = \"s\"\ntext = \"t\"\n"
      "holds = \"abs(crossover(exchange_bytes) - 4 * 2.0 / 1.4142135623730951) < 1e-9\"\n");
  const auto verdict = [&](const std::vector<double>& numbers) {
    StudyResults results;
    for (std::size_t m = 0; m < numbers.size(); ++m) {
      results.cells[{m, 0, 0, 0}][parse_observer("exchange_bytes")] =
          numbers[m] < 0.0 ? Measured{CellState::disturbed, 0.0, "disturbed"} : Measured::number(numbers[m]);
    }
    return judge_claims(sizes, results, false)[0].verdict;
  };
  // Half of the way from 4 to 8 bodies on a logarithmic axis; above 1 before, and one size was disturbed.
  EXPECT_EQ(verdict({3.0, 0.5, 1.5, 2.0}), ClaimVerdict::holds);
  EXPECT_EQ(verdict({-1.0, 0.5, 1.5, 2.0}), ClaimVerdict::holds);
  EXPECT_EQ(verdict({0.5, 1.5, 1.6, 2.0}), ClaimVerdict::does_not_hold) << "between 2 and 4";
  EXPECT_EQ(verdict({2.0, 2.0, 2.0, 2.0}), ClaimVerdict::not_measured) << "below the smallest";
  EXPECT_EQ(verdict({0.5, 2.0, 2.0, 0.9}), ClaimVerdict::not_measured) << "the largest does not win";
}

TEST_F(StudyTest, OutputsAndRestartsCostRightHandSides) {
  const std::string begin =
      "name = \"outputs\"\nend = 1.0\nintegrators = [\"ode45\"]\ntolerances = [1e-6]\nmechanisms = [\n"
      "{ mechanism = \"pendulum:2\", label = \"whole\" },\n"
      "{ mechanism = \"pendulum:2\", label = \"outputs\", output = 0.1 },\n"
      "{ mechanism = \"pendulum:2\", label = \"restarts\", restart = 0.1 },\n"
      "{ mechanism = \"pendulum:2\", label = \"small steps\", max_step = 0.001 }]\n[variants]\n\"DCA\" = \"dca\"\n";
  const Study study = read("observe = [\"rhs_calls\", \"evaluations\", \"steps\", \"state(q.joint1)\"]\n" + begin);
  const Registries registries = default_registries();
  const auto value = [&](std::size_t mechanism, const char* observer) {
    const CellResult result = run_cell(registries, study, {mechanism, 0, 0, 0}, nullptr, directory_.path());
    return result.at(parse_observer(observer)).value;
  };
  EXPECT_EQ(value(1, "evaluations"), value(0, "evaluations"));
  EXPECT_EQ(value(1, "rhs_calls"), value(0, "rhs_calls") + 11.0) << "one at every output, both ends included";
  EXPECT_EQ(value(1, "state(q.joint1)"), value(0, "state(q.joint1)"));
  EXPECT_GE(value(2, "steps"), 10.0);
  EXPECT_GT(value(2, "rhs_calls"), value(0, "rhs_calls"));
  EXPECT_GE(value(3, "steps"), 1000.0);
  // Ten pieces at this tolerance, each with an error of about as much.
  EXPECT_NEAR(value(2, "state(q.joint1)"), value(0, "state(q.joint1)"), 1e-4);
  EXPECT_EQ(study.mechanisms[3].parameters(), "end=1;max_step=0.001");
  EXPECT_THROW(read("observe = [\"position_error\"]\n" + begin), FileError) << "no sample times";
}

TEST_F(StudyTest, JacobiansOfImplicitIntegratorsAreExactOrDifferences) {
  const std::string begin =
      "name = \"jacobians\"\nend = 1.0\nintegrators = [\"ode15s\"]\ntolerances = [1e-6]\n"
      "observe = [\"evaluations\", \"jacobians\"]\nmechanisms = [\n"
      "{ mechanism = \"four_bar\", label = \"as the study\" },\n"
      "{ mechanism = \"four_bar\", label = \"exact\", jacobian = \"exact\" }]\n";
  const std::string end = "[variants]\n\"Bae-Haug\" = \"bae-haug\"\n\"reset\" = \"hdca[gauge=reset]\"\n";
  const Study study = read("jacobian = \"differences\"\n" + begin + end);
  const Registries registries = default_registries();
  const auto measured = [&](std::size_t mechanism, std::size_t variant, const char* observer) {
    return run_cell(registries, study, {mechanism, variant, 0, 0}, nullptr, directory_.path())
        .at(parse_observer(observer));
  };
  EXPECT_LT(measured(1, 0, "evaluations").value, measured(0, 0, "evaluations").value);
  EXPECT_GE(measured(1, 0, "jacobians").value, 1.0);
  EXPECT_EQ(study.mechanisms[0].parameters(), "end=1") << "what holds for the whole study stands in its settings";
  EXPECT_EQ(study.mechanisms[1].parameters(), "end=1;jacobian=exact");
  const Measured without = measured(1, 1, "evaluations");
  EXPECT_FALSE(without.usable());
  EXPECT_NE(without.note.find("no exact derivatives"), std::string::npos) << without.note;
  EXPECT_THROW(read("jacobian = \"sometimes\"\n" + begin + end), FileError);
  EXPECT_EQ(read(begin + end).jacobian, JacobianChoice::automatic);
}

TEST(ObserverTest, MessagesAreCountsAndNumbers) {
  EXPECT_EQ(parse_observer("message_speedup(3x27)").messages(), std::pair(3, 27));
  EXPECT_EQ(parse_observer("exchange_time(500)").messages(), std::pair(1, 500));
  for (const char* const wrong : {"message_speedup(27)", "message_speedup(0x27)", "message_speedup(3x)",
                                  "exchange_time(3x27)", "exchange_time(-1)", "exchange_time()"}) {
    EXPECT_THROW(parse_observer(wrong), std::invalid_argument) << wrong;
  }
}

TEST_F(StudyTest, WorkAtEqualErrorIsAnAxisOfClaims) {
  const Study study = read(
      "name = \"equal\"\nmechanisms = [\"pendulum:2\"]\nend = 1.0\nintegrators = [\"ode45\"]\n"
      "tolerances = [1e-3, 1e-6, 1e-9]\nobserve = [\"energy_error\"]\n[variants]\n\"a\" = \"dca\"\n\"b\" = \"hdca\"\n"
      "[[rankings]]\nerror = \"energy_error\"\nat = [1e-2, 1e-4, 1e-5, 1e-9]\n"
      "[[claims]]\nsource = \"s\"\ntext = \"t\"\nover = [\"error\"]\n"
      "holds = \"abs(evaluations['a'] / evaluations['b'] - 2) < 1e-9\"\n");
  ASSERT_EQ(study.rankings.size(), 4U);
  StudyResults results;
  // Evaluations 100 error^(-1/4) and 50 error^(-1/4): twice as many at every error, whatever the tolerances give.
  for (const auto& [control, error] : {std::pair(0, 3e-3), std::pair(1, 2e-5), std::pair(2, 4e-8)}) {
    for (const auto& [variant, factor] : {std::pair(0, 100.0), std::pair(1, 50.0)}) {
      const double own = variant == 0 ? error : 3.0 * error;
      CellResult& cell = results.cells[{0, static_cast<std::size_t>(variant), 0, static_cast<std::size_t>(control)}];
      cell[parse_observer("energy_error")] = Measured::number(own);
      cell[parse_observer("evaluations")] = Measured::number(factor * std::pow(own, -0.25));
    }
  }
  const Claim claim = judge_claims(study, results, false)[0];
  EXPECT_EQ(claim.verdict, ClaimVerdict::holds);
  EXPECT_EQ(claim.measured, "2 of 2; 2 left out: no such value")
      << "1e-2 and 1e-9 lie between no two tolerances of both";
}

TEST_F(StudyTest, RunsAreFollowedAndComparedWithABaseline) {
  const Study study = read(
      "name = \"followed\"\nend = 2.0\nintegrators = [\"ode45\", \"ode113\"]\ntolerances = [1e-6]\nbaseline = \"DCA\"\n"
      "mechanisms = [\"pendulum:2\", { mechanism = \"pendulum:2\", label = \"angles\", controlled = [\"position\"] }]\n"
      "references = [\"dense with ode45\", \"dense-momentum with ode113\"]\n"
      "observe = [\"ratio(evaluations)\", \"coordinate(tip.x)\", \"excursion(tip.x)\", \"growth(energy_error)\", "
      "\"final_energy_error\", \"energy_error\", \"joint_error(1)\", \"joint_error(0.55)\", \"kinetic_energy\", "
      "\"steps_limited(position)\", \"steps_limited(velocity)\", \"initial_rate(v.joint1)\", \"rhs_calls\"]\n"
      "[variants]\n\"DCA\" = \"dca\"\n\"HDCA\" = \"hdca\"\n");
  const auto results = run(study, "followed");
  ASSERT_TRUE(results);
  const CellKey dca{0, 0, 0, 0};
  const CellKey hdca{0, 1, 0, 0};
  const auto value = [&](const CellKey& cell, const char* observer) {
    const Measured measured = results->of(cell, parse_observer(observer));
    EXPECT_TRUE(measured.usable()) << observer << ": " << measured.note;
    return measured.value;
  };
  EXPECT_EQ(value(dca, "ratio(evaluations)"), 1.0);
  EXPECT_EQ(value(hdca, "ratio(evaluations)"), value(dca, "evaluations") / value(hdca, "evaluations"));
  EXPECT_EQ(value(dca, "rhs_calls"), value(dca, "evaluations"));
  // The pendulum starts stretched along x: where the tip has been is at least where it ends.
  EXPECT_GE(value(dca, "excursion(tip.x)"), std::abs(value(dca, "coordinate(tip.x)") - 2.0));
  EXPECT_NEAR(value(dca, "coordinate(tip.x)"), value(hdca, "coordinate(tip.x)"), 1e-3);
  EXPECT_GE(value(dca, "energy_error"), std::abs(value(dca, "final_energy_error")));
  EXPECT_GT(value(dca, "kinetic_energy"), 1.0);
  EXPECT_TRUE(std::isfinite(value(dca, "growth(energy_error)")));
  EXPECT_GT(value(dca, "joint_error(1)"), 0.0);
  EXPECT_LT(value(dca, "joint_error(1)"), 1e-4);
  EXPECT_EQ(results->of(dca, parse_observer("joint_error(0.55)")).state, CellState::refused) << "no sample time";
  EXPECT_DOUBLE_EQ(value(dca, "steps_limited(position)") + value(dca, "steps_limited(velocity)"), 1.0);
  EXPECT_EQ(results->of(hdca, parse_observer("steps_limited(velocity)")).state, CellState::refused);
  EXPECT_EQ(results->of({0, 0, 1, 0}, parse_observer("steps_limited(position)")).state, CellState::refused) << "ode113";
  EXPECT_NE(value(dca, "initial_rate(v.joint1)"), 0.0);
  EXPECT_LT(value({1, 0, 0, 0}, "evaluations"), value(dca, "evaluations")) << "the angles alone under error control";
  const RecordSet part = study_records(study, *results);
  EXPECT_TRUE(std::any_of(part.records.begin(), part.records.end(), [](const Record& record) {
    return record.parameters == "tolerance=1e-06;end=2;controlled=position";
  }));
}

TEST_F(StudyTest, AMechanismMayHaveItsOwnOutputsTolerancesAndObservers) {
  const Study study = read(R"toml(name = "own"
end = 1.0
samples = 4
mechanisms = [
  { mechanism = "biped", label = "all", end = 0.4 },
  { mechanism = "biped", label = "relaxed", end = 0.4, absolute_tolerances = { velocity = 1e-2, momentum = 1e-2 } },
  { mechanism = "biped", label = "restarted", end = 0.4, samples = 40, integrators = ["rkf45-restarted"], observe = ["steps"] },
  { mechanism = "biped", label = "too long", observe = ["time_reached"] },
]
integrators = ["rkf45", "rkf45-restarted"]
tolerances = [1e-6]
observe = ["steps", "rhs_calls", "evaluations", "attempts", "state(q.hip)", "state(q.nose)", "local_error(q.ankle1+q.knee1)", "local_error(q.nose)", "end_error(ankle1+knee1)", "largest_end_error(ankle1+knee1)", "end_error(nose)", "time_reached"]
references = ["dense with ode45", "naudet-reduced with ode45"]
[variants]
"Lagrange" = "naudet-acc[projection=off,switching=off]"
"Hamilton" = "naudet[projection=off,switching=off]"
[evaluations_before]
"Hamilton" = 1
[titles]
"end_error(ankle1+knee1)" = "end error of q1 and q2"
)toml");
  const auto results = run(study, "own");
  ASSERT_TRUE(results);
  const auto measured = [&](std::size_t mechanism, std::size_t variant, std::size_t integrator, const char* observer) {
    return results->of({mechanism, variant, integrator, 0}, parse_observer(observer));
  };
  const auto value = [&](std::size_t mechanism, std::size_t variant, std::size_t integrator, const char* observer) {
    const Measured found = measured(mechanism, variant, integrator, observer);
    EXPECT_TRUE(found.usable()) << observer << ": " << found.note;
    return found.value;
  };
  EXPECT_EQ(value(0, 0, 0, "rhs_calls"), value(0, 0, 0, "evaluations"));
  EXPECT_EQ(value(0, 1, 0, "rhs_calls"), value(0, 1, 0, "evaluations") + 1.0);
  EXPECT_LT(value(1, 0, 0, "steps"), value(0, 0, 0, "steps")) << "the velocities' errors limited the steps";
  EXPECT_GT(value(2, 0, 1, "steps"), value(0, 0, 1, "steps")) << "started anew at 40 outputs, not 4";
  EXPECT_GT(value(0, 0, 0, "attempts"), value(0, 0, 0, "steps") - 1.0);
  EXPECT_NEAR(value(0, 0, 0, "state(q.hip)"), value(0, 1, 0, "state(q.hip)"), 1e-3);
  EXPECT_GT(value(0, 0, 0, "local_error(q.ankle1+q.knee1)"), 0.0);
  EXPECT_LT(value(0, 0, 0, "local_error(q.ankle1+q.knee1)"), 1e-6);
  const double mean = value(0, 0, 0, "end_error(ankle1+knee1)");
  const double largest = value(0, 0, 0, "largest_end_error(ankle1+knee1)");
  EXPECT_TRUE(mean > 0.0 && mean <= largest && largest <= 2.0 * mean) << mean << ' ' << largest;
  for (const char* const absent : {"state(q.nose)", "local_error(q.nose)", "end_error(nose)"}) {
    const Measured none = measured(0, 0, 0, absent);
    EXPECT_EQ(none.state, CellState::refused) << absent;
    EXPECT_NE(none.note.find("nose"), std::string::npos) << none.note;
  }
  // The dependent links pass a common line at 0.89 s.
  EXPECT_NEAR(value(3, 1, 0, "time_reached"), 0.894, 0.01);
  const RecordSet part = study_records(study, *results);
  EXPECT_TRUE(std::none_of(part.records.begin(), part.records.end(), [](const Record& record) {
    return record.verdict == Verdict::failed;
  })) << "nothing but the time is observed of the run that fails";
  const auto has = [&](const char* parameters) {
    return std::any_of(part.records.begin(), part.records.end(),
                       [&](const Record& record) { return record.parameters == parameters; });
  };
  EXPECT_TRUE(has("tolerance=1e-06;end=0.4;velocity_tolerance=0.01;momentum_tolerance=0.01"));
  EXPECT_TRUE(has("tolerance=1e-06;end=0.4;samples=40"));
  EXPECT_EQ(study_json(study)["observers"][8]["title"], "end error of q1 and q2");
}

TEST_F(StudyTest, SomeVariantsMayFail) {
  const Study study = read(std::string(kDeclared).insert(0, "failures_allowed = [\"first\"]\n"));
  EXPECT_TRUE(study.may_fail("hdca"));
  EXPECT_FALSE(study.may_fail("dca"));
  EXPECT_TRUE(read(std::string(kDeclared).insert(0, "failures_allowed = true\n")).may_fail("dca"));
  expect_refused(std::string(kDeclared).insert(0, "failures_allowed = [\"frist\"]\n"), 1, "did you mean \"first\"?");
}

TEST_F(StudyTest, EnergyOfDrivenMechanismsIsBalancedWithTheWork) {
  const Study study = read(R"(name = "driven"
mechanisms = ["squeezer"]
end = 0.01
integrators = ["ode45"]
tolerances = [1e-4, 1e-8]
observe = ["energy_error", "energy_imbalance", "kinetic_energy"]
[variants]
"DCA" = "dca"
)");
  const auto results = run(study, "driven");
  ASSERT_TRUE(results);
  const Measured refused = results->of({0, 0, 0, 0}, {Quantity::energy_error, {}});
  EXPECT_EQ(refused.state, CellState::refused);
  EXPECT_NE(refused.note.find("energy_imbalance"), std::string::npos) << refused.note;
  const double loose = results->of({0, 0, 0, 0}, {Quantity::energy_imbalance, {}}).value;
  const double tight = results->of({0, 0, 0, 1}, {Quantity::energy_imbalance, {}}).value;
  // The motor does work of the size of the kinetic energy; unbalanced, it would be the deviation at every tolerance.
  EXPECT_LT(tight, 1e-5 * results->of({0, 0, 0, 1}, {Quantity::kinetic_energy, {}}).value);
  EXPECT_LT(tight, 0.01 * loose);
}

TEST_F(StudyTest, ObserversOfSubjectsNameWhatIsWrong) {
  const std::string before =
      "name = \"small\"\nmechanisms = [\"pendulum:2\"]\nend = 2.0\nintegrators = [\"ode45\"]\n"
      "tolerances = [1e-4]\n";
  const std::string after = "\n[variants]\n\"DCA\" = \"dca\"\n";
  expect_refused(before + "observe = \"ratio(evaluations)\"" + after, 6, "needs baseline");
  expect_refused(before + "observe = \"growth(evaluations)\"" + after, 6, "growth(energy_error)");
  expect_refused(before + "observe = \"coordinate(tip)\"" + after, 6, "coordinate(MARKER.x)");
  expect_refused(before + "observe = \"coordinate(top.x)\"" + after, 6, "has a marker 'top'");
  expect_refused(before + "observe = \"joint_error(soon)\"" + after, 6, "in seconds");
  expect_refused(before + "observe = \"steps_limited(angle)\"" + after, 6, "kinds");
  expect_refused(before + "references = \"dense, ode45\"\nobserve = \"steps\"" + after, 6, " with INTEGRATOR");
  expect_refused(before + "references = \"dense with ode45\"\nobserve = \"steps\"" + after, 1, "second run");
}

TEST(GrowthFit, FindsThePowerOfARunningMaximum) {
  GrowthFit fit;
  for (int i = 1; i <= 1000; ++i) {
    const double t = 0.01 * i;
    // Before 1 s anything may happen that does not exceed what follows.
    fit.add(t, t < 1.0 ? 1e-9 : -3e-6 * t * t);
  }
  ASSERT_TRUE(fit.exponent().has_value());
  EXPECT_NEAR(*fit.exponent(), 2.0, 1e-9);
  EXPECT_FALSE(GrowthFit().exponent().has_value());
}

TEST_F(StudyTest, ATrendIsNotAsserted) {
  std::ofstream(directory_.path() / "numbers.csv")
      << "mechanism,variant,integrator,control,observer,published_value,expected_value,source,relative_limit,reason\n"
      << "pendulum:2,second,ode45,tolerance=0.0001,evaluations,,1,a prototype,trend,another method\n"
      << "pendulum:2,first,ode45,tolerance=0.0001,evaluations,100,,paper,fitted,chosen for it\n"
      << "four_bar,second,ode45,tolerance=0.0001,evaluations,90,,paper,finding 0.05,the reason is not known\n"
      << "four_bar,second,ode45,tolerance=1e-06,evaluations,120,,paper,below,the error of the paper's reference\n";
  const Study study = read("expectations = \"numbers.csv\"\n" + std::string(kDeclared));
  StudyResults results = made_up(study);
  results.cells[{0, 0, 0, 0}][{Quantity::evaluations, {}}] = Measured::number(500.0);
  std::vector<Record> compared;
  for (const Record& record : study_records(study, results).records) {
    if (record.compared_value()) {
      compared.push_back(record);
    }
  }
  ASSERT_EQ(compared.size(), 4U);
  EXPECT_EQ(compared[2].verdict, Verdict::not_reproduced) << "100 against 90";
  EXPECT_FALSE(compared[2].limit.asserted());
  EXPECT_EQ(compared[3].verdict, Verdict::below_published_error) << "110 against 120";
  EXPECT_EQ(compared[0].verdict, Verdict::not_reproduced) << "another order of magnitude";
  EXPECT_EQ(compared[0].limit.kind, LimitKind::trend);
  EXPECT_EQ(compared[1].verdict, Verdict::fitted);
}

TEST(ClaimExpressionTest, FollowsItsGrammar) {
  const auto holds = [](const char* text, const std::vector<double>& values) {
    return ClaimExpression(text).evaluate(values);
  };
  EXPECT_TRUE(holds("steps < 2 * 3 + 1", {6.9}));
  EXPECT_FALSE(holds("steps < 2 * 3 + 1", {7.0}));
  EXPECT_TRUE(holds("steps - 1 - 1 == 1", {3.0})) << "left to right";
  EXPECT_TRUE(holds("not steps > 1 or steps > 2 and steps < 4", {1.0, 0.0, 0.0}));
  EXPECT_FALSE(holds("(steps > 1 or steps > 1) and steps < 4", {2.0, 2.0, 5.0}));
  EXPECT_TRUE(holds("abs(log10(steps['a']) + 3) <= 0.5 and max(steps['a'], -1) >= min(1e-4, 2)", {1e-3, 1e-3}));
  const ClaimExpression reference("error(tip)['DCA', integrator='ode45', tolerance=1e-6] < 1");
  ASSERT_EQ(reference.references().size(), 1U);
  EXPECT_EQ(reference.references()[0].observer.subject, "tip");
  EXPECT_EQ(reference.references()[0].variant, "DCA");
  EXPECT_EQ(reference.references()[0].integrator, "ode45");
  EXPECT_EQ(reference.references()[0].control, 1e-6);
  for (const char* const wrong :
       {"", "steps", "steps <", "steps < 1 < 2", "steps < 1 and 2", "steps['a' < 1", "stops < 1", "steps[axis='a'] < 1",
        "(steps < 1", "steps + (steps < 1) > 2", "error < 1"}) {
    EXPECT_THROW(ClaimExpression{wrong}, std::invalid_argument) << wrong;
  }
}

}  // namespace
}  // namespace mbdbench::studies
