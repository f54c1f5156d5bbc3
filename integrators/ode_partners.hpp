#pragma once
/// \file
/// How the processes that integrate one state together, each its slice, come to the same decisions.
///
/// Every process runs the same method on its components. What decides on steps (the norm of an error, whether all
/// numbers are finite) is agreed on; maxima do not depend on how the components are divided, so that steps and counts
/// are those of one process, bit by bit.
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

namespace mbdbench {

/// One process's view of all of them. Every function is called by all processes together, but for what
/// concerns doubts, and `component`.
class OdePartners {
 public:
  OdePartners() = default;
  virtual ~OdePartners() = default;
  OdePartners(const OdePartners&) = delete;
  OdePartners& operator=(const OdePartners&) = delete;
  OdePartners(OdePartners&&) = delete;
  OdePartners& operator=(OdePartners&&) = delete;

  /// Element by element the largest of all processes' numbers, none of them NaN.
  virtual void take_largest(std::span<double> numbers) = 0;
  /// \returns the text of the first process whose own is not empty.
  virtual std::string first_text(const std::string& own) = 0;
  /// \returns which component of the whole state a component of this process is.
  [[nodiscard]] virtual std::size_t component(std::size_t own) const = 0;

  /// This process's last state or derivative is not finite: told to the others with what is agreed on next.
  void doubt() { own_doubt_ = true; }
  /// \returns whether this process has doubts that it has not told yet.
  [[nodiscard]] bool in_doubt() const { return own_doubt_; }
  /// \returns whether any process had doubts when something was agreed on last.
  [[nodiscard]] bool doubted() const { return doubted_; }

  /// Element by element the largest; infinity where a process has doubts. \param numbers at most 3
  void agree(std::span<double> numbers) {
    std::array<double, 4> all{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      all[i] = numbers[i];
    }
    all[numbers.size()] = own_doubt_ ? 1.0 : 0.0;
    take_largest(std::span(all).first(numbers.size() + 1));
    own_doubt_ = false;
    doubted_ = all[numbers.size()] > 0.0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = doubted_ ? std::numeric_limits<double>::infinity() : all[i];
    }
  }

 private:
  bool own_doubt_ = false;
  bool doubted_ = false;
};

}  // namespace mbdbench
