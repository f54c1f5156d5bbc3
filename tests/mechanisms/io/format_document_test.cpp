/// \file
/// What users copy works: the complete examples of docs/using and the files of examples/mechanisms.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"

namespace mbdbench {
namespace {

const std::filesystem::path kRoot = MBDBENCH_SOURCE_DIR;

std::vector<std::string> toml_blocks(const std::filesystem::path& document) {
  std::ifstream file(document);
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```toml") {
      blocks.emplace_back();
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

void expect_builds_and_exports(const Mechanism& mechanism) {
  const std::string exported = write_mechanism(mechanism.description());
  const Mechanism again = load_mechanism(exported, "export");
  EXPECT_EQ(again.q0(), mechanism.q0()) << mechanism.name();
  EXPECT_EQ(again.u0(), mechanism.u0()) << mechanism.name();
  EXPECT_EQ(write_mechanism(again.description()), exported);
}

TEST(FormatDocument, EveryExampleBuilds) {
  for (const char* page : {"mechanisms.md", "mechanism_example.md"}) {
    const auto blocks = toml_blocks(kRoot / "docs" / "using" / "mechanisms" / page);
    ASSERT_GE(blocks.size(), 1U) << page;
    for (const std::string& block : blocks) {
      SCOPED_TRACE(block);
      expect_builds_and_exports(load_mechanism(block, page));
    }
  }
}

TEST(ExampleMechanisms, EveryFileBuilds) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "examples" / "mechanisms")) {
    if (entry.path().extension() == ".toml") {
      SCOPED_TRACE(entry.path().string());
      expect_builds_and_exports(load_mechanism(entry.path()));
      ++count;
    }
  }
  EXPECT_GE(count, 2);
}

TEST(ExampleMechanisms, FourBarIsAClosedLoop) {
  const Mechanism four_bar = load_mechanism(kRoot / "examples" / "mechanisms" / "four_bar.toml");
  ASSERT_EQ(four_bar.cut_joints().size(), 1U);
  EXPECT_EQ(four_bar.cut_joints()[0].name, "wrist");
  // The crank is not dependent and stays where the file puts it.
  EXPECT_EQ(four_bar.q0()[0], 1.0471975511965976);
  EXPECT_NEAR(four_bar.q0()[2], 1.564, 0.01);
}

TEST(ExampleMechanisms, TurntableIsDriven) {
  const Mechanism turntable = load_mechanism(kRoot / "examples" / "mechanisms" / "turntable.toml");
  EXPECT_TRUE(turntable.rheonomic());
  EXPECT_EQ(turntable.cut_joints().size(), 0U);
  ASSERT_EQ(turntable.markers().size(), 1U);
  EXPECT_EQ(turntable.markers()[0].name, "tip");
  EXPECT_EQ(turntable.description().joint_springs.size(), 2U);
  EXPECT_EQ(turntable.bodies()[2].inertia(1, 2), -0.0002);
}

}  // namespace
}  // namespace mbdbench
