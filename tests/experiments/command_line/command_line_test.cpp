#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>

#include "experiments/records/record.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/experiments/user_entries.hpp"

namespace mbdbench {
namespace {

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in:\n" << text;
}

/// Exit code 2, nothing on standard output, one message on standard error that contains `part`.
void expect_bad_input(const std::vector<std::string>& arguments, const std::string& part) {
  const CommandLineCall call = call_program(arguments);
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_EQ(call.output, "");
  EXPECT_TRUE(call.errors.starts_with("mbdbench: ")) << call.errors;
  EXPECT_EQ(std::count(call.errors.begin(), call.errors.end(), '\n'), 1) << call.errors;
  expect_contains(call.errors, part);
}

TEST(CommandLine, HelpAndVersion) {
  const CommandLineCall alone = call_program({});
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_EQ(alone.errors, "");
  for (const char* const part :
       {"Examples:", "Exit codes:", "list", "inspect", "export", "simulate", "verify", "run"}) {
    expect_contains(alone.output, part);
  }
  EXPECT_EQ(call_program({"--help"}).output, alone.output);
  const CommandLineCall version = call_program({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.output.starts_with("mbdbench 0.")) << version.output;
  for (const char* const command : {"list", "inspect", "export", "simulate", "verify", "run"}) {
    const CommandLineCall help = call_program({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    expect_contains(help.output, std::string("mbdbench ") + command);
    expect_contains(help.output, std::string("Examples:\n  mbdbench ") + command);
  }
}

TEST(CommandLine, ThreadsAndInstructionSet) {
  for (const char* const command : {"simulate", "verify"}) {
    expect_bad_input({command, "--threads", "0", "-m", "pendulum:4", "-o", "nowhere"}, "it takes 1 to 1024");
    expect_bad_input({command, "--simd", "neon", "-m", "pendulum:4", "-o", "nowhere"}, "auto, baseline");
  }
  const TemporaryDirectory directory;
  const CommandLineCall before =
      call_program({"--threads", "2", "--simd", "baseline", "simulate", "-m", "pendulum:40", "-f",
                    "hdca[leaf=subchain,subchains=16]", "-t", "0.1", "-o", (directory.path() / "run").string()});
  EXPECT_EQ(before.exit_code, 0) << before.errors;
  std::ifstream file(directory.path() / "run" / "provenance.json");
  const std::string provenance((std::istreambuf_iterator<char>(file)), {});
  expect_contains(provenance, "\"instruction_set\": \"baseline\"");
  expect_contains(provenance, "\"threads\": 2");
}

TEST(CommandLine, ThreadsOfTheEnvironment) {
  const TemporaryDirectory directory;
  const auto threads_of_run = [&](const std::vector<std::string>& options, const std::string& formulation) {
    const std::filesystem::path run = directory / "run";
    std::vector<std::string> arguments = {"simulate", "-m", "pendulum:40", "-t", "0.1", "--overwrite"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {"-f", formulation, "-o", run.string()});
    const CommandLineCall call = call_program(arguments);
    EXPECT_EQ(call.exit_code, 0) << call.errors;
    const nlohmann::json json = nlohmann::json::parse(std::ifstream(run / "provenance.json"));
    EXPECT_EQ(json.at("openmp").at("threads_of_a_region"), json.at("threads"));
    return json.at("threads").get<int>();
  };
  const std::string divided = "hdca[leaf=subchain,subchains=16]";
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string value = before == nullptr ? "" : before;
  unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(threads_of_run({}, divided), 1);
  EXPECT_EQ(threads_of_run({}, "hdca[leaf=subchain,subchains=16,threads=2]"), 2);
  setenv("OMP_NUM_THREADS", "2", 1);
  EXPECT_EQ(threads_of_run({}, divided), 2);
  EXPECT_EQ(threads_of_run({"--threads", "1"}, divided), 1);
  setenv("OMP_NUM_THREADS", "all", 1);
  expect_bad_input({"list"}, "OMP_NUM_THREADS is 'all'; it must be a number of threads from 1 to 1024");
  EXPECT_EQ(threads_of_run({"--threads", "2"}, divided), 2) << "nobody asks the variable";
  before == nullptr ? unsetenv("OMP_NUM_THREADS") : setenv("OMP_NUM_THREADS", value.c_str(), 1);
}

TEST(CommandLine, OptionsAreWrittenAlike) {
  for (const char* const command : {"inspect", "export", "simulate", "verify", "run"}) {
    SCOPED_TRACE(command);
    const std::string help = call_program({command, "--help"}).output;
    const std::string options = help.substr(0, help.find("Examples:"));
    for (const char* const short_form : {"-m,--mechanism", "-f,--formulation", "-i,--integrator", "-o,--output"}) {
      const std::string long_form = std::string(short_form).substr(3) + " ";
      if (options.find(long_form) != std::string::npos) {
        expect_contains(options, short_form);
      }
    }
  }
  const std::string overview = call_program({"--help"}).output;
  for (const char* const first_word : {"Lists", "Shows", "Writes", "Integrates", "Compares", "Runs"}) {
    expect_contains(overview, std::string("  ") + first_word + " ");
  }
  EXPECT_EQ(call_program({"inspect", "--mechanism", "pendulum:2"}).output,
            call_program({"inspect", "pendulum:2"}).output);
}

TEST(CommandLine, BadUsageSaysWhatWouldBeRight) {
  expect_bad_input({"simlate"}, "unknown command 'simlate'; did you mean \"simulate\"?");
  expect_bad_input({"--bogus"}, "unknown option '--bogus'");
  expect_bad_input({"verify", "--formulatio", "hdca"}, "did you mean \"--formulation\"?");
  expect_bad_input({"list", "mechanisms", "more"}, "unknown argument 'more'");
  expect_bad_input({"export"}, "--mechanism is missing");
  expect_bad_input({"verify", "--states", "many"}, "--states");
  expect_bad_input({"verify", "--states", "-1"}, "--states");
  expect_bad_input({"list", "mechanism"}, "did you mean \"mechanisms\"?");
  expect_bad_input({"list", "--keys"}, "mechanisms, formulations, integrators or experiments");
  expect_bad_input({"inspect", "pendulumm"}, "pendulum");
  expect_bad_input({"inspect", "pendulum:bodies=0"}, "bodies=0 should be");
  expect_bad_input({"inspect", "missing.toml"}, "missing.toml");
  expect_bad_input({"verify", "--formulation", "hdcaa"}, "did you mean \"hdca\"?");
  expect_bad_input({"run", "nothing"}, "unknown experiment 'nothing'");
  expect_bad_input({"run", "long_run"}, "did you mean \"long_runs\"?");
  expect_bad_input({"study", "long_run"}, "long_run");
  expect_bad_input({"study", "no/chadaj2015.toml"}, "mbdbench study chadaj2015");
}

TEST(CommandLine, FormerNamesAreReadAndTheirSuccessorsNamed) {
  const CommandLineCall call = call_program({"simulate", "-m", "four_bar", "-f", "bae-haug[alpha=1,ranks=2]", "-t",
                                             "0:0.1:1", "--rank-timeout", "1", "-o", "nowhere", "--bogus"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_NE(call.errors.find("the option 'ranks' is deprecated; it is called 'processes' now"), std::string::npos);
  EXPECT_NE(call.errors.find("--rank-timeout is deprecated; it is called --process-timeout now"), std::string::npos);
  EXPECT_NE(call.errors.find("unknown option '--bogus'"), std::string::npos) << call.errors;
  const Registries registries = default_registries();
  const FormulationEntry* const entry = find_formulation(registries.formulations, "bae-haug");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(parse_parameters(entry->options, "ranks=2", "bae-haug").integer("processes"), 2);
  EXPECT_THROW(parse_parameters(entry->options, "ranks=2,processes=2", "bae-haug"), ParameterError);
}

TEST(CommandLine, ErrorsAreInOurOwnWords) {
  expect_bad_input({"inspect", "."}, ".: is a folder; name a mechanism file");
  expect_bad_input({"inspect", "/dev/null"}, "/dev/null: is a device; name a mechanism file");
  expect_bad_input({"inspect", "no/such/file"}, "cannot be opened");
  expect_bad_input({"inspect", "pendulm"}, "did you mean \"pendulum\"?");
  expect_bad_input({"inspect", "pendulum:bdies=3"}, "did you mean \"bodies\"?");
  expect_bad_input({"inspect", "pendulum[bodies=3"}, "should end with ]");
  expect_bad_input({"verify", "--states"}, "--states needs a value: Random states");
  expect_bad_input({"verify", "--states", "many"}, "--states 'many': must be a whole number from 0 to 1000000");
  expect_bad_input({"study", "x.toml", "--jobs", "0"}, "--jobs '0': must be a whole number from 1 to 1024");
  EXPECT_EQ(call_program({"inspect", "pendulum[bodies=3]"}).output, call_program({"inspect", "pendulum:3"}).output);
}

TEST(CommandLine, AFileThatCannotBeWrittenHasAnExitCodeOfItsOwn) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"export", "--mechanism", "pendulum", "--output", "/no/such/directory/x.toml"},
        {"simulate", "-m", "pendulum:2", "-f", "aba", "-t", "0.1", "--quiet", "--output", "/dev/null/run"},
        {"verify", "-m", "pendulum:2", "-f", "aba", "--quiet", "--output", "/dev/null/checked"},
        {"inspect", "four_bar", "--graph", "/dev/null/drawings"},
        {"inspect", "four_bar", "--graph", "/proc"}}) {
    const CommandLineCall call = call_program(arguments);
    EXPECT_EQ(call.exit_code, 3) << arguments.front() << call.errors;
    expect_contains(call.errors, "/");
  }
}

TEST(CommandLine, ExportReplacesAFileOnlyWhereAskedTo) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() / "chain.toml";
  ASSERT_EQ(call_program({"export", "-m", "pendulum:2", "-o", file}).exit_code, 0);
  const std::string first = content_of(file);
  expect_bad_input({"export", "-m", "pendulum:3", "-o", file},
                   "is already there; choose another file or add --overwrite");
  EXPECT_EQ(content_of(file), first);
  EXPECT_EQ(call_program({"export", "-m", "pendulum:3", "-o", file, "--overwrite"}).exit_code, 0);
  EXPECT_NE(content_of(file), first);
}

TEST(CommandLine, SaysWhatNeededMoreMemoryThanThereIs) {
  const TemporaryDirectory directory;
  Registries registries = registries_with_user_entries();
  MechanismEntry mechanism = user_mechanism();
  mechanism.key = "user_huge";
  mechanism.make = [](const Parameters&) -> MechanismDescription { throw std::bad_alloc(); };
  registries.mechanisms.push_back(mechanism);
  FormulationEntry formulation = reversed_formulation();
  formulation.key = "user_greedy";
  formulation.make = [](const Mechanism&, const Parameters&,
                        const Execution& /*execution*/) -> std::unique_ptr<Formulation> { throw std::bad_alloc(); };
  registries.formulations.push_back(formulation);
  const auto expect_message = [&](const std::vector<std::string>& arguments, const std::string& what) {
    const CommandLineCall call = call_program(registries, arguments);
    EXPECT_EQ(call.exit_code, 2);
    EXPECT_EQ(call.errors, "mbdbench: " + what + " needs more memory than there is; try a smaller one\n");
  };
  expect_message({"inspect", "user_huge"}, "mechanism 'user_huge'");
  expect_message({"verify", "-m", "pendulum:2", "-f", "user_greedy"},
                 "mechanism 'pendulum:bodies=2' in formulation 'user_greedy'");
  expect_message({"simulate", "-m", "pendulum:2", "-f", "user_greedy", "-t", "1", "-o", directory.path().string()},
                 "mechanism 'pendulum:bodies=2' in formulation 'user_greedy'");
}

TEST(CommandLine, FileErrorsNameTheLine) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() / "broken.toml";
  std::ofstream(file) << "name = \"x\"\nmass = \n";
  expect_bad_input({"inspect", file}, "broken.toml:2");
}

TEST(CommandLine, ListsEveryRegistry) {
  const Registries registries = registries_with_user_entries();
  const CommandLineCall all = call_program(registries, {"list"});
  EXPECT_EQ(all.exit_code, 0);
  for (const char* const part : {"pendulum", "bodies=16: number of links; an integer", "hdca", "ground=root",
                                 "one of root, leaf", "ode45", "order 5", "user_pendulum",
                                 "mass=2: mass of the bob, kg; a number from 0.1 to 10", "user_wrong", "naudet2005"}) {
    expect_contains(all.output, part);
  }
  EXPECT_EQ(call_program(registries, {"list", "experiments"}).exit_code, 0);
  Registries few;
  few.formulations.entries = {wrong_formulation(), reversed_formulation()};
  EXPECT_EQ(call_program(few, {"list", "formulations", "--keys"}).output, "user_wrong\nuser_reversed\n");
  EXPECT_EQ(call_program(few, {"list", "experiments", "--keys"}).output, "");
}

TEST(CommandLine, AnExperimentIsTheStudyThatIsShipped) {
  Registries registries = default_registries();
  registries.experiments.push_back({.key = "absent_paper", .summary = "one line", .source = "Nobody"});
  const CommandLineCall call = call_program(registries, {"run", "absent_paper"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_NE(call.errors.find("the study absent_paper.toml does not come with this program"), std::string::npos)
      << call.errors;
}

TEST(CommandLine, InspectsKeysAndFiles) {
  const Registries registries = registries_with_user_entries();
  const CommandLineCall closed = call_program(registries, {"inspect", "random_closed"});
  EXPECT_EQ(closed.exit_code, 0);
  for (const char* const part : {"degrees of freedom", "redundant", "loop cut at", "hdca", "no: ", "user_wrong"}) {
    expect_contains(closed.output, part);
  }
  const std::string file = std::string(MBDBENCH_SOURCE_DIR) + "/examples/mechanisms/four_bar.toml";
  EXPECT_EQ(call_program(registries, {"inspect", file}).exit_code, 0);
  expect_contains(call_program(registries, {"inspect", "user_pendulum"}).output, "hinge");
}

TEST(CommandLine, ExportRoundTripBitForBit) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() / "chain.toml";
  const CommandLineCall written = call_program({"export", "--mechanism", "pendulum:16", "--output", file});
  EXPECT_EQ(written.exit_code, 0);
  EXPECT_EQ(written.output + written.errors, "");
  const Mechanism original = make_mechanism(mechanism_registry(), "pendulum:16");
  const Mechanism again = load_mechanism(std::filesystem::path(file));
  EXPECT_EQ(write_mechanism(again.description()), write_mechanism(original.description()));
  EXPECT_EQ(again.q0(), original.q0());
  EXPECT_EQ(again.u0(), original.u0());
  // Standard output, and a second generation from the file.
  EXPECT_EQ(call_program({"export", "--mechanism", "pendulum:16"}).output, content_of(file));
  EXPECT_EQ(call_program({"export", "--mechanism", file}).output, content_of(file));
}

}  // namespace
}  // namespace mbdbench
