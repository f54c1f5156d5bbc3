/// \file
/// Texts of others on their way into and out of the program: states, studies, tables, engines, file names.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/engines/engine_messages.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/plain_file_name.hpp"
#include "experiments/monitors/component_origin.hpp"
#include "experiments/simulation/output/saved_state.hpp"
#include "experiments/studies/declaration/claim_expression.hpp"
#include "experiments/studies/runner/parts/result_journal.hpp"
#include "experiments/terminal/text_table.hpp"
#include "mechanisms/io/file_error.hpp"
#include "mechanisms/model/description/visible_text.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

constexpr int kDeep = 200000;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

std::string deep_json() {
  return repeated("[", kDeep) + repeated("]", kDeep);
}

class HostileTexts : public SimulateCommandTest {
 protected:
  [[nodiscard]] std::string written(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name, std::ios::binary) << text;
    return (directory_ / name).string();
  }
};

TEST_F(HostileTexts, DeepJsonIsNotParsed) {
  EXPECT_FALSE(is_shallow_json(deep_json()));
  EXPECT_FALSE(is_shallow_json(repeated(R"({"a":)", kDeep) + "1" + repeated("}", kDeep)));
  EXPECT_TRUE(is_shallow_json("{\"a\": \"" + repeated("[", 100) + "\\\"[[\", \"b\": [[1], [2]]}"));
  EXPECT_TRUE(is_shallow_json(repeated("[],", kDeep)));
  EXPECT_TRUE(json_or_discarded(deep_json()).is_discarded());
  EXPECT_EQ(json_or_discarded("[1]"), nlohmann::json::array({1}));
}

TEST_F(HostileTexts, StatesThatAreTooDeepOrHoldEscapesAreRefused) {
  ASSERT_EQ(simulate_pendulum("run", {"--time", "0.1"}).exit_code, 0);
  const nlohmann::json good = nlohmann::json::parse(content_of(directory_ / "run" / "state.json"));
  nlohmann::json bad = good;
  bad["extra"] = "DEEP";
  std::string deep = bad.dump();
  deep.replace(deep.find("\"DEEP\""), 6, deep_json());
  const CommandLineCall call = simulate("rest", {"--restart", written("deep.json", deep), "--time", "1"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_TRUE(says(call, "nested deeper than 32 levels")) << call.errors;
  for (const char* const key : {"mechanism", "formulation", "formulation_options", "integrator"}) {
    bad = good;
    bad[key] = "\x1b[2J";
    const CommandLineCall escape = simulate("rest", {"--restart", written("escape.json", bad.dump()), "--time", "1"});
    EXPECT_EQ(escape.exit_code, 2) << key;
    EXPECT_TRUE(says(escape, "U+001B")) << escape.errors;
    EXPECT_EQ(visible_text(escape.errors), escape.errors);
  }
  // What a killed run may have left of its provenance, with processes.
  EXPECT_EQ(simulate_pendulum("run", {"--time", "0.1", "--overwrite"}).exit_code, 0);
}

TEST_F(HostileTexts, AJournalLineThatIsTooDeepIsADamagedOne) {
  const std::string file =
      written("study.jsonl", "{\"key\": \"k\", \"digest\": \"d\", \"result\": " + deep_json() + "}\n");
  const studies::ResultJournal journal(file, studies::own_origin(best_instruction_set()));
  EXPECT_EQ(journal.unreadable_lines(), 1U);
}

TEST_F(HostileTexts, CriteriaThatAreTooDeepOrTooLongAreRefused) {
  for (const std::string& text :
       {repeated("(", kDeep) + "1 < 2" + repeated(")", kDeep), repeated("not ", kDeep) + "1 < 2",
        repeated("-", kDeep) + "1 < 2", repeated("abs(", kDeep) + "1" + repeated(")", kDeep) + " < 2",
        repeated("1+", kDeep) + "1 < 2", repeated("(", 1500) + "1 < 2" + repeated(")", 1500),
        repeated("not ", 900) + "1 < 2"}) {
    EXPECT_THROW(studies::ClaimExpression{text}, std::invalid_argument) << text.substr(0, 20);
  }
  EXPECT_TRUE(studies::ClaimExpression(repeated("1+", 1900) + "1 < 2000").evaluate({}));
  EXPECT_TRUE(studies::ClaimExpression(repeated("(", 60) + "1 < 2" + repeated(")", 60)).evaluate({}));
}

TEST_F(HostileTexts, EnginesCannotWriteToTheTerminal) {
  EXPECT_EQ(read_mechanism_answer(R"({"engine": "fast \u001b[2J 1.0"})").engine, "fast \\u001b[2J 1.0");
  EXPECT_EQ(read_state_answer(R"({"failed": "no\u0007"})", 1).failure, "no\\u0007");
  for (const std::string& answer : {deep_json(), std::string("\x1b[31m")}) {
    try {
      read_state_answer(answer, 1);
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(visible_text(error.what()), error.what());
    }
  }
}

TEST_F(HostileTexts, FileNamesCannotWriteToTheTerminal) {
  const CommandLineCall call = call_program({"inspect", (directory_ / "a\x1b[2Jb.toml").string()});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_TRUE(says(call, "a\\u001b[2Jb.toml")) << call.errors;
  EXPECT_EQ(visible_text(call.errors), call.errors);
}

TEST_F(HostileTexts, TablesShowWhatTheyCannotPrint) {
  const std::string text = table_text({{{"name", "n"}, {"a\x1b[2J\nb", "1"}}, {1}}, {});
  EXPECT_EQ(visible_text(text), text);
  EXPECT_NE(text.find("a\\u001b[2J b"), std::string::npos) << text;
}

TEST_F(HostileTexts, SpreadsheetsRunNoCell) {
  const std::vector<std::string> texts = {"=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "'=x", "''@y", "\t=1",
                                          "'quoted'",           "-"};
  const std::vector<std::string> numbers = {"-2", "-inf", "-1e-300", "-nan", "1", "nan", "'", ""};
  CsvTable table{{"first\n=comment"}, {"=name", "b"}, {}, {}};
  for (const std::string& text : texts) {
    table.rows.push_back({text, "x"});
  }
  for (const std::string& number : numbers) {
    table.rows.push_back({number, "x"});
    EXPECT_EQ(csv_line({number, "x"}), number + ",x");
  }
  const auto file = directory_ / "cells.csv";
  write_csv(file, table);
  for (const char* const letter : {"\n=", "\n+", "\n@", "\n\t", "\n\"=", ",="}) {
    EXPECT_EQ(content_of(file).find(letter), std::string::npos) << letter;
  }
  const CsvTable again = read_csv(file);
  EXPECT_EQ(again.columns, table.columns);
  EXPECT_EQ(again.rows, table.rows);
  EXPECT_EQ(again.comments, std::vector<std::string>{"first =comment"});
  EXPECT_THROW(read_csv(written("escape.csv", "a\n\x1b[2J\n")), FileError);
}

TEST_F(HostileTexts, LabelsThatWouldShareAFileAreRefused) {
  const auto study = [&](const std::string& first, const std::string& second) {
    const std::string text =
        "name = \"s\"\nmechanisms = [\"pendulum:2\"]\nend = 0.1\nintegrators = [\"ode45\"]\n"
        "tolerances = [1e-3]\nobserve = [\"energy_error\"]\n[variants]\n\"" +
        first + "\" = \"dense\"\n\"" + second +
        "\" = \"aba\"\n[[figures]]\nname = \"f\"\ntitle = \"F\"\ncurves = [\"energy_error\"]\n";
    return call_program(
        {"study", written("study.toml", text), "--no-report", "--quiet", "-o", (directory_ / "out").string()});
  };
  const CommandLineCall shared = study("a+", "a-");
  EXPECT_EQ(shared.exit_code, 2);
  EXPECT_TRUE(says(shared, "would write the same file")) << shared.errors;
  const CommandLineCall longest = study(std::string(400, 'a'), std::string(400, 'a') + "b");
  EXPECT_EQ(longest.exit_code, 0) << longest.errors;
}

TEST_F(HostileTexts, FileNamesFit) {
  EXPECT_EQ(plain_file_name("7-dca[alpha=1]-end state"), "7-dca_alpha_1_-end_state");
  EXPECT_EQ(plain_file_name("../../x"), ".._.._x");
  const std::string first = plain_file_name(std::string(4000, 'x') + "1");
  EXPECT_LT(first.size(), 128U);
  EXPECT_NE(first, plain_file_name(std::string(4000, 'x') + "2"));
}

TEST_F(HostileTexts, FailuresOfTheFileSystemAreToldInOurWords) {
  static_cast<void>(written("file", ""));
  const std::vector<std::vector<std::string>> calls = {
      {"soak", "--mechanisms", "1", "--quiet", "-o", (directory_ / "file/below").string()},
      {"verify", "-m", "pendulum:2", "-f", "aba", "-o", (directory_ / "file/below").string()},
      {"simulate", "-m", "pendulum:2", "-f", "aba", "-t", "1", "--quiet", "-o", (directory_ / "file/below").string()},
      {"inspect", "pendulum:2", "--graph", (directory_ / "file/below").string()},
  };
  for (const std::vector<std::string>& arguments : calls) {
    const CommandLineCall call = call_program(arguments);
    EXPECT_EQ(call.exit_code, 3) << arguments.front() << call.errors;
    EXPECT_TRUE(says(call, "file/below: cannot be made")) << call.errors;
    EXPECT_FALSE(says(call, "filesystem error")) << call.errors;
  }
}

TEST_F(HostileTexts, TheStiffSpringIsNamedWhereverItActs) {
  MechanismDescription mechanism;
  mechanism.joint_loads = {{"push", "shoulder", 0, ConstantLaw{1.0}}};
  mechanism.joint_springs = {{"soft", "shoulder", 0, 1.0, 0.0, 0.0}, {"stiff", "wrist", 0, 1e14, 0.0, 0.0}};
  EXPECT_EQ(
      loads_on(mechanism, "hip"),
      "spring 'stiff' (stiffness 1e+14, damping 0) on joint 'wrist', spring 'soft' (stiffness 1, damping 0) on joint "
      "'shoulder', load 'push' on joint 'shoulder' act somewhere");
  EXPECT_EQ(loads_on(mechanism, "wrist"), "spring 'stiff' (stiffness 1e+14, damping 0) acts there");
  EXPECT_EQ(loads_on({}, "hip"), "no load acts there");
}

TEST_F(HostileTexts, StudiesThatComeWithTheProgramRunByTheirNames) {
  static_cast<void>(written("file", ""));
  // No run: its directory cannot be made, which is found after its name and its declaration.
  const CommandLineCall known =
      call_program({"run", "singular", "--quiet", "-o", (directory_ / "file/below").string()});
  EXPECT_EQ(known.exit_code, 3) << known.errors;
  EXPECT_EQ(call_program({"run", "singulr"}).exit_code, 2);
  EXPECT_EQ(call_program({"run", "../studies/matrix"}).exit_code, 2);
}

}  // namespace
}  // namespace mbdbench
