/// \file
/// Sections of equal form of a line (tree_division.hpp): where it repeats itself, and where it is cut.
#include <algorithm>
#include <numeric>

#include "formulations/recursion/tree_division.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// What repeats itself has at most so many steps of the line, and is so much of it at least.
constexpr std::size_t kLongestPeriod = 32;
constexpr double kLeastShare = 0.75;
// A section side by side with others costs so much of what it costs alone; a seam as much as so many steps alone.
constexpr double kShareOfLanes = 0.4;
constexpr double kStepsOfSeam = 1.5;
constexpr double kStepsOfLoop = 8.0;  // and every loop that crosses it, but the first, so many more
// With sections side by side a line shall cost so much of what it costs in one piece, at most.
constexpr double kMostOfOnePiece = 0.8;
// From so many elements on there are sections for two threads.
constexpr std::size_t kForTwoThreads = 400;
constexpr std::size_t kMostTwins = 64;

/// The steps from the ground to the end that most elements lie behind.
class Line {
 public:
  Line(const Mechanism& mechanism, const LinkElements& tree)
      : tree_(&tree), costs_(element_costs(mechanism, tree)), carries_(section_carriers(mechanism, tree)) {
    std::vector<int> outboard(tree.elements.size(), 1);
    std::vector<int> child(tree.elements.size(), -1);
    int root = -1;
    for (int e = static_cast<int>(outboard.size()) - 1; e >= 0; --e) {
      const int inboard = tree.elements[index_of(e)].inboard;
      int& largest = inboard < 0 ? root : child[index_of(inboard)];
      if (largest < 0 || outboard[index_of(e)] >= outboard[index_of(largest)]) {
        largest = e;
      }
      if (inboard >= 0) {
        outboard[index_of(inboard)] += outboard[index_of(e)];
      }
    }
    for (int e = root; e >= 0; e = child[index_of(e)]) {
      steps_.push_back(e);
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const int behind = i + 1 < steps_.size() ? outboard[index_of(steps_[i + 1])] : 0;
      elements_.push_back(outboard[index_of(steps_[i])] - behind);
    }
  }

  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  [[nodiscard]] int step(std::size_t i) const { return steps_[i]; }
  [[nodiscard]] const std::vector<ElementCost>& costs() const { return costs_; }
  [[nodiscard]] int loops(std::size_t i) const { return costs_[index_of(steps_[i])].loops; }
  [[nodiscard]] bool may_begin(std::size_t i) const { return i > 0 && carries_[index_of(steps_[i - 1])]; }
  /// \returns whether a section may begin at a step and every `length` steps after it.
  [[nodiscard]] bool may_begin_all(std::size_t first, std::size_t length, std::size_t twins) const {
    for (std::size_t k = 0; k <= twins; ++k) {
      if (!may_begin(first + k * length)) {
        return false;
      }
    }
    return true;
  }
  /// Elements of the line's steps [first, last), and what hangs on them.
  [[nodiscard]] double elements(std::size_t first, std::size_t last) const {
    return std::accumulate(elements_.begin() + static_cast<std::ptrdiff_t>(first),
                           elements_.begin() + static_cast<std::ptrdiff_t>(last), 0.0);
  }

  /// \returns whether two steps look alike: whole sections are compared later.
  [[nodiscard]] bool alike(std::size_t i, std::size_t j) const {
    const LinkElement& one = tree_->elements[index_of(steps_[i])];
    const LinkElement& other = tree_->elements[index_of(steps_[j])];
    return one.kind == other.kind && elements_[i] == elements_[j] && loops(i) == loops(j) &&
           one.point_a == other.point_a && one.point_b == other.point_b && one.axes_a == other.axes_a &&
           one.axes_b == other.axes_b && one.axis == other.axis;
  }

 private:
  const LinkElements* tree_;
  std::vector<ElementCost> costs_;
  std::vector<bool> carries_;
  std::vector<int> steps_;
  std::vector<int> elements_;  // of a step of the line: its own and what hangs on it beside the line
};

/// Steps [first, last) of a line that repeat themselves after `period` steps.
struct Repeated {
  std::size_t period = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

Repeated find_repeated(const Line& line) {
  for (std::size_t period = 1; period <= std::min(kLongestPeriod, line.size() / kTwinsTogether); ++period) {
    Repeated longest{period, 0, 0};
    std::size_t first = 0;
    for (std::size_t i = 0; i + period <= line.size(); ++i) {
      if (i + period < line.size() && line.alike(i, i + period)) {
        continue;
      }
      if (i > first && i + period - first > longest.last - longest.first) {
        longest = {period, first, i + period};
      }
      first = i + 1;
    }
    if (static_cast<double>(longest.last - longest.first) >= kLeastShare * static_cast<double>(line.size())) {
      return longest;
    }
  }
  return {};
}

/// \returns where the first twin begins: where the fewest loops cross, on a link that repeats itself, too.
std::size_t first_begin(const Line& line, const Repeated& repeated) {
  std::size_t best = line.size();
  for (std::size_t i = repeated.first + 1; i <= repeated.first + repeated.period; ++i) {
    if (i < line.size() && line.may_begin(i) && (best == line.size() || line.loops(i) < line.loops(best))) {
      best = i;
    }
  }
  return best;
}

}  // namespace

TreeDivision in_twin_sections(const Mechanism& mechanism, const LinkElements& elements) {
  const Line line(mechanism, elements);
  const Repeated repeated = find_repeated(line);
  const std::size_t first = first_begin(line, repeated);
  if (repeated.period == 0 || first + 1 >= repeated.last) {
    return {};
  }
  const std::size_t steps = repeated.last - first - 1;  // behind the last twin there is another section
  const double whole = line.elements(0, line.size());
  const double seam = kStepsOfSeam + kStepsOfLoop * std::max(0, line.loops(first) - 1);
  double least = kMostOfOnePiece * whole;
  std::size_t twins = 0;
  std::size_t length = 0;
  const std::size_t fewest = elements.elements.size() >= kForTwoThreads ? 2 * kTwinsTogether : kTwinsTogether;
  for (std::size_t count = fewest; count <= kMostTwins; count += kTwinsTogether) {
    const std::size_t each = steps / (count * repeated.period) * repeated.period;
    const double in_lanes = line.elements(first, first + count * each);
    const double cost = whole - in_lanes + kShareOfLanes * in_lanes + seam * static_cast<double>(count);
    // Steps that look alike may have links of other masses.
    if (each > 0 && cost < least && line.may_begin_all(first, each, count)) {
      least = cost;
      twins = count;
      length = each;
    }
  }
  if (twins == 0) {
    return {};
  }
  std::vector<int> begins;
  for (std::size_t k = 0; k <= twins; ++k) {
    begins.push_back(line.step(first + k * length));
  }
  TreeDivision division = divided_at(begins, elements, line.costs());
  division.twins = static_cast<int>(twins);
  // The first of those that go side by side stands for all of them.
  for (std::size_t k = 0; k < twins; ++k) {
    double& cost = division.costs[k + 1];
    cost = k % kTwinsTogether == 0 ? kShareOfLanes * kTwinsTogether * cost : 0.0;
  }
  return division;
}

}  // namespace mbdbench
