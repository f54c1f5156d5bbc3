#include "experiments/records/provenance/provenance.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "integrators/registry.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

TEST(Provenance, FileTellsProgramMachineAndTime) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "provenance.json";
  write_provenance(file, capture_provenance(Execution{}, 3));
  const nlohmann::json json = nlohmann::json::parse(std::ifstream(file));
  for (const char* const text : {"version", "commit", "compiler", "flags", "build_type", "cpu", "instruction_set",
                                 "binding", "operating_system"}) {
    EXPECT_FALSE(json.at(text).get<std::string>().empty()) << text;
  }
  EXPECT_EQ(json.at("threads"), 3);
  const nlohmann::json& openmp = json.at("openmp");
  EXPECT_EQ(openmp.at("threads_of_a_region"), 3);
  EXPECT_GE(openmp.at("max_threads"), 1);
  EXPECT_TRUE(openmp.at("places").is_array());
  for (const char* const text : {"proc_bind", "wait_policy"}) {
    EXPECT_FALSE(openmp.at(text).get<std::string>().empty()) << text;
  }
  EXPECT_EQ(json.at("processes"), 1);
  EXPECT_GE(json.at("logical_cores"), 1);
  EXPECT_TRUE(
      std::regex_match(json.at("utc_time").get<std::string>(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
  const bool commit_known = json.at("commit") != "unknown";
  EXPECT_EQ(json.at("dirty").is_boolean(), commit_known);
  EXPECT_TRUE(!commit_known || std::regex_match(json.at("commit").get<std::string>(), std::regex("[0-9a-f]{40}")));
  for (const char* const library : {"Boost", "CLI11", "Eigen", "fmt", "muParser", "nlohmann_json", "toml++"}) {
    EXPECT_TRUE(json.at("libraries").contains(library)) << library;
  }
  EXPECT_EQ(json.at("libraries").contains("SUNDIALS"), find_integrator(integrator_registry(), "cvode-bdf") != nullptr);
  EXPECT_THROW(write_provenance("/no/such/provenance.json", {}), FileError);
}

}  // namespace
}  // namespace mbdbench
