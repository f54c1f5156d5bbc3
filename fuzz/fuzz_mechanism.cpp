/// \file
/// Compiled once for each format, MBDBENCH_FUZZ_FILE being a name with its ending.
/// Any text is either a mechanism or a FileError or ModelError, and what is read and written once stays the same for
/// good.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"

namespace {

void expect_equal(const std::string& first, const std::string& second, const char* what) {
  if (first != second) {
    std::cerr << what << "\n--- first\n" << first << "\n--- second\n" << second << "\n";
    std::abort();
  }
}

/// \returns the text, empty when the description holds a number that is not finite.
std::string written(const mbdbench::MechanismDescription& description) {
  try {
    return mbdbench::write_mechanism(description);
  } catch (const std::invalid_argument&) {
    return {};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  mbdbench::MechanismDescription description;
  try {
    description = mbdbench::parse_mechanism(text, MBDBENCH_FUZZ_FILE);
  } catch (const mbdbench::FileError&) {
    return 0;
  }
  const std::string description_text = written(description);
  if (!description_text.empty()) {
    const auto again = mbdbench::parse_mechanism(description_text, "written.toml");
    expect_equal(description_text, mbdbench::write_mechanism(again), "a written description reads back differently");
  }
  try {
    const mbdbench::Mechanism mechanism(description);
    const std::string exported = mbdbench::write_mechanism(mechanism.description());
    const mbdbench::Mechanism again = mbdbench::load_mechanism(exported, "exported.toml");
    expect_equal(exported, mbdbench::write_mechanism(again.description()),
                 "an exported mechanism reads back differently");
  } catch (const mbdbench::ModelError&) {
    return 0;
  }
  return 0;
}
