#pragma once
/// \file
/// XML text, element by element, with numbers that read back as the same doubles.
#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::xml {

/// \returns the numbers with spaces between them.
template <typename Derived>
std::string spaced(const Eigen::DenseBase<Derived>& values) {
  const auto& evaluated = values.derived().eval();
  std::string text;
  for (Eigen::Index i = 0; i < evaluated.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : " ", evaluated(i) + 0.0);  // 0, not -0
  }
  return text;
}

inline std::string spaced(double value) {
  return fmt::format("{}", value);
}

/// Elements are closed in the order that they were opened in, last one first.
class Writer {
 public:
  using Attributes = std::initializer_list<std::pair<const char*, std::string>>;

  void open(const char* name, Attributes attributes = {}) {
    printer_.OpenElement(name);
    for (const auto& [key, value] : attributes) {
      attribute(key, value);
    }
  }
  /// Of the element that was opened last.
  void attribute(const char* key, const std::string& value) { printer_.PushAttribute(key, value.c_str()); }
  void close() { printer_.CloseElement(); }
  /// An element without anything in it.
  void element(const char* name, Attributes attributes) {
    open(name, attributes);
    close();
  }
  void comment(const std::string& text) { printer_.PushComment(text.c_str()); }
  [[nodiscard]] std::string text() const { return printer_.CStr(); }

 private:
  /// Indents to some depth only: a chain of n bodies, one inside another, would have n^2 blanks.
  class Printer : public tinyxml2::XMLPrinter {
   protected:
    void PrintSpace(int depth) override {
      constexpr int kDeepest = 16;
      XMLPrinter::PrintSpace(std::min(depth, kDeepest));
    }
  };

  Printer printer_;
};

/// What these formats have no words for, as a comment, so that nobody takes the file for the whole mechanism.
/// \param left_out_springs names of springs in joints; all joint loads, body loads and springs between points are left
/// out
void note_left_out(Writer& writer, const Mechanism& mechanism, const std::vector<std::string>& left_out_springs);

}  // namespace mbdbench::xml
