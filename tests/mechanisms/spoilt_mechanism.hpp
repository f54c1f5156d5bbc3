#pragma once
/// \file
/// A valid mechanism is spoilt in one place; the error must name the place, the element, what is wrong and what would
/// be right.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"
#include "tests/mechanisms/chain_with_everything.hpp"

namespace mbdbench {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Description = MechanismDescription;

// Places in chain_with_everything(), which is deliberately not in tree order.
inline constexpr std::size_t kTip = 0;
inline constexpr std::size_t kArm = 1;
inline constexpr std::size_t kBall = 0;
inline constexpr std::size_t kHinge = 1;
inline constexpr std::size_t kKnuckle = 2;
inline constexpr std::size_t kAnchor = 3;

/// One way to spoil chain_with_everything().
struct SpoiltCase {
  const char* name;
  std::function<void(Description&)> spoil;
  ElementReference where;                  ///< expected place of the error
  std::vector<std::string> message_parts;  ///< expected in the message
};

inline void PrintTo(const SpoiltCase& spoilt, std::ostream* stream) {
  *stream << spoilt.name;
}

inline std::string spoilt_case_name(const testing::TestParamInfo<SpoiltCase>& info) {
  return info.param.name;
}

inline std::optional<ModelError> error_of(const Description& description) {
  try {
    const Mechanism mechanism(description);
  } catch (const ModelError& error) {
    return error;
  }
  return std::nullopt;
}

inline void expect_refused(const SpoiltCase& spoilt) {
  Description description = chain_with_everything();
  spoilt.spoil(description);
  const auto error = error_of(description);
  ASSERT_TRUE(error.has_value()) << "accepted";
  EXPECT_EQ(error->where().section, spoilt.where.section) << error->what();
  EXPECT_EQ(error->where().index, spoilt.where.index) << error->what();
  EXPECT_EQ(error->where().key, spoilt.where.key) << error->what();
  for (const std::string& part : spoilt.message_parts) {
    EXPECT_NE(std::string(error->what()).find(part), std::string::npos) << "no '" << part << "' in: " << error->what();
  }
}

}  // namespace mbdbench
