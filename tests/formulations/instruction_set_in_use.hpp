#pragma once
/// \file
/// For tests that hold in every instruction set: the one that `test::make` makes formulations with.
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench::test {

/// The one in use for as long as this lives, in one test at a time; the best of the machine otherwise.
class InstructionSetInUse {
 public:
  explicit InstructionSetInUse(const InstructionSet& set) { in_use() = &set; }
  InstructionSetInUse(const InstructionSetInUse&) = delete;
  InstructionSetInUse& operator=(const InstructionSetInUse&) = delete;
  InstructionSetInUse(InstructionSetInUse&&) = delete;
  InstructionSetInUse& operator=(InstructionSetInUse&&) = delete;
  ~InstructionSetInUse() { in_use() = nullptr; }

  /// \returns the one in use.
  static const InstructionSet& now() { return in_use() == nullptr ? best_instruction_set() : *in_use(); }

 private:
  static const InstructionSet*& in_use() {
    static const InstructionSet* set = nullptr;
    return set;
  }
};

}  // namespace mbdbench::test
