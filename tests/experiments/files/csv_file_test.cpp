#include "experiments/files/formats/csv_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "experiments/files/formats/csv_stream.hpp"
#include "experiments/files/host_name.hpp"
#include "experiments/files/write_error.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

TEST(CsvFile, QuotesOnlyWhatMustBeQuoted) {
  EXPECT_EQ(csv_line({"a b", "", "c,d", "say \"x\"", "two\nlines", "# no comment", "x#"}),
            "a b,,\"c,d\",\"say \"\"x\"\"\",\"two\nlines\",\"# no comment\",x#");
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(1e-300), "1e-300");
  EXPECT_EQ(std::stod(csv_number(0.1 + 0.2)), 0.1 + 0.2);
}

TEST(CsvFile, TableRoundTrip) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "table.csv";
  const CsvTable table{{"made by hand", ""}, {"a", "b"}, {{"1", "x,\"y\"\nz"}, {"", "#"}}, {}};
  write_csv(file, table);
  const CsvTable again = read_csv(file);
  EXPECT_EQ(again.comments, table.comments);
  EXPECT_EQ(again.columns, table.columns);
  EXPECT_EQ(again.rows, table.rows);
  EXPECT_EQ(again.lines, (std::vector<std::size_t>{4, 6}));
}

TEST(CsvFile, ReadsWindowsLineEndsAndAMissingLastOne) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "table.csv";
  std::ofstream(file, std::ios::binary) << "# c\r\na,b\r\n1,\"2\"\r\n3,4";
  const CsvTable table = read_csv(file);
  EXPECT_EQ(table.comments, std::vector<std::string>{"c"});
  EXPECT_EQ(table.rows, (std::vector<std::vector<std::string>>{{"1", "2"}, {"3", "4"}}));
}

TEST(CsvFile, FailedReplacementKeepsTheOldFile) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "text";
  replace_file(file, "old");
  // A directory where the neighbour should be written.
  std::filesystem::create_directory(fmt::format("{}.{}-{}.part", file.string(), host_name(), getpid()));
  EXPECT_THROW(replace_file(file, "new"), FileError);
  EXPECT_EQ(content_of(file), "old");
}

TEST(CsvFile, OnlyFilesAreReplaced) {
  const TemporaryDirectory directory;
  // As /dev/null is for root: it was replaced by a file.
  const auto device = directory.path() / "device";
  ASSERT_EQ(::mkfifo(device.c_str(), 0600), 0);
  EXPECT_THROW(replace_file(device, "text"), WriteError);
  EXPECT_TRUE(std::filesystem::is_fifo(device));
  EXPECT_THROW(replace_file(directory.path(), "text"), WriteError);
  const auto link = directory.path() / "link";
  std::filesystem::create_symlink("file", link);
  for (const char* const content : {"first", "second"}) {
    replace_file(link, content);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(content_of(directory.path() / "file"), content);
  }
}

TEST(CsvStream, GetsItsNameWhenComplete) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "trajectory.csv";
  CsvStream stream(file, {"pendulum"}, {"t", "q"});
  stream.write(std::array{0.0, 0.1});
  stream.write(std::array{1.0, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_THROW(stream.write(std::array{1.0}), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(content_of(file.string() + ".part").substr(0, 15), "# pendulum\nt,q\n");
  stream.finish();
  EXPECT_EQ(stream.rows(), 2U);
  EXPECT_EQ(content_of(file), "# pendulum\nt,q\n0,0.1\n1,nan\n");
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".part"));
}

TEST(CsvStream, WritesNumbersAsTablesDo) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "numbers.csv";
  const std::vector<double> row = {0.0,
                                   -0.0,
                                   1.0,
                                   0.1,
                                   -1e-5,
                                   1e16,
                                   123456789.0,
                                   1.0 / 3.0,
                                   5e-324,
                                   -2.2250738585072014e-308,
                                   1.7976931348623157e308,
                                   std::nan(""),
                                   -std::numeric_limits<double>::infinity()};
  CsvStream stream(file, {}, std::vector<std::string>(row.size(), "x"));
  stream.write(row);
  stream.finish();
  const CsvTable table = read_csv(file);
  ASSERT_EQ(table.rows.size(), 1U);
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(table.rows[0][i], csv_number(row[i]));
  }
}

TEST(CsvStream, KeepsWhatWasWrittenWhenTheRunEndsEarly) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "trajectory.csv";
  {
    CsvStream stream(file, {}, {"t"});
    stream.write(std::array{0.5});
  }
  EXPECT_EQ(content_of(file.string() + ".part"), "t\n0.5\n");
}

TEST(CsvStream, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full here";
  }
  const TemporaryDirectory directory;
  const auto file = directory.path() / "trajectory.csv";
  std::filesystem::create_symlink("/dev/full", file.string() + ".part");
  EXPECT_THROW(CsvStream(file, {}, {"t"}), FileError);
}

}  // namespace
}  // namespace mbdbench
