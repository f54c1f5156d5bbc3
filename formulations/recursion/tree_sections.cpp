/// \file
/// Sections of a line (tree_division.hpp): where it is cut.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numeric>

#include "formulations/recursion/tree_division.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// What the columns of a seam cost for every free direction of a row that they pass, and again for every loop there, in
// the measure of element_costs.
constexpr double kSeamCost = 15.0;
// Sections that hang on one section. Each has columns there, and all of them blocks with one another.
constexpr std::size_t kMostSeams = 2;
// A cut may lie so much further inward, in cost, where fewer loops cross it.
constexpr double kLeeway = 1.2;
// A link on which a section hangs is eliminated without it. It needs an inertia of its own about its joint: digits are
// lost by the ratio to what hangs on it.
constexpr double kLeastInertia = 1e-4;  // smallest principal inertia about the joint, next to the largest one
constexpr double kLeastMass = 1e-2;     // next to the mean of all bodies
constexpr int kHalvings = 40;           // of the interval in which the cost of a section is sought

double seam_cost(const LinkElement& element, const ElementCost& cost) {
  const double directions = element.kind == RowKind::free ? 6.0 : element.kind == RowKind::spherical ? 3.0 : 1.0;
  return kSeamCost * directions * (1.0 + cost.loops);
}

/// Cuts a tree from its outboard ends inward.
class Cutter {
 public:
  Cutter(const Mechanism& mechanism, const LinkElements& tree)
      : tree_(&tree), costs_(element_costs(mechanism, tree)), carries_(section_carriers(mechanism, tree)) {
    for (const ElementCost& cost : costs_) {
      outboard_.push_back(cost.sweeps);
    }
    for (std::size_t e = costs_.size(); e-- > 0;) {
      if (const int inboard = tree.elements[e].inboard; inboard >= 0) {
        outboard_[index_of(inboard)] += outboard_[e];
      }
    }
  }

  [[nodiscard]] double total() const {
    return std::accumulate(costs_.begin(), costs_.end(), 0.0,
                           [](double sum, const ElementCost& cost) { return sum + cost.sweeps; });
  }

  /// \returns the elements at which sections begin if each costs so much, inboard ones first.
  [[nodiscard]] std::vector<int> cut(double cost) const {
    std::vector<double> pending(costs_.size());  // of the section to be that has an element
    std::vector<std::size_t> seams(costs_.size(), 0);
    std::vector<int> begins;
    for (std::size_t e = costs_.size(); e-- > 0;) {
      pending[e] += costs_[e].sweeps + seam_cost(tree_->elements[e], costs_[e]) * static_cast<double>(seams[e]);
      const int inboard = tree_->elements[e].inboard;
      if (inboard < 0) {
        continue;
      }
      const auto to = index_of(inboard);
      if (pending[e] >= cost && may_cut(e) && seams[to] < kMostSeams && !better_ahead(e, pending[e], cost)) {
        begins.push_back(static_cast<int>(e));
        ++seams[to];
      } else {
        pending[to] += pending[e];
        seams[to] += seams[e];
      }
    }
    std::reverse(begins.begin(), begins.end());
    return begins;
  }

 private:
  [[nodiscard]] bool may_cut(std::size_t e) const {
    const int inboard = tree_->elements[e].inboard;
    return inboard >= 0 && carries_[index_of(inboard)];
  }

  /// \returns whether fewer loops cross a cut a little further inward.
  [[nodiscard]] bool better_ahead(std::size_t e, double pending, double cost) const {
    int next = tree_->elements[e].inboard;
    while (next >= 0 && pending + outboard_[index_of(next)] - outboard_[e] <= kLeeway * cost) {
      if (may_cut(index_of(next)) && costs_[index_of(next)].loops < costs_[e].loops) {
        return true;
      }
      next = tree_->elements[index_of(next)].inboard;
    }
    return false;
  }

  const LinkElements* tree_;
  std::vector<ElementCost> costs_;
  std::vector<bool> carries_;
  std::vector<double> outboard_;  // of the element and all that hangs on it
};

}  // namespace

std::vector<bool> section_carriers(const Mechanism& mechanism, const LinkElements& tree) {
  std::vector<double> mass(tree.elements.size(), 0.0);
  std::vector<Mat3> inertia(tree.elements.size(), Mat3::Zero());
  double all = 0.0;
  for (std::size_t k = 0; k < tree.bodies.size(); ++k) {
    const BodyPlace& place = tree.bodies[k];
    if (place.element < 0) {
      continue;
    }
    const Body& body = mechanism.bodies()[k];
    const auto e = index_of(place.element);
    const Mat3 lever = skew(place.origin + place.rotation * body.com - tree.elements[e].point_b);
    mass[e] += body.mass;
    inertia[e] += place.rotation * body.inertia * place.rotation.transpose() - body.mass * lever * lever;
    all += body.mass;
  }
  std::vector<bool> may(tree.elements.size());
  for (std::size_t e = 0; e < may.size(); ++e) {
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(inertia[e], Eigen::EigenvaluesOnly);
    may[e] = mass[e] * static_cast<double>(tree.bodies.size()) >= kLeastMass * all &&
             principal.eigenvalues()[0] > kLeastInertia * principal.eigenvalues()[2];
  }
  return may;
}

TreeDivision in_sections(const Mechanism& mechanism, const LinkElements& elements, int bodies) {
  const auto moving = std::count_if(elements.bodies.begin(), elements.bodies.end(),
                                    [](const BodyPlace& place) { return place.element >= 0; });
  const std::size_t wanted = index_of((static_cast<int>(moving) + bodies / 2) / bodies);
  if (wanted < 2) {
    return {};
  }
  const Cutter cutter(mechanism, elements);
  double few = cutter.total();  // sections of this cost are few enough
  double many = 0.0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (few + many);
    (cutter.cut(middle).size() < wanted ? few : many) = middle;
  }
  const std::vector<int> begins = cutter.cut(few);
  return begins.empty() ? TreeDivision() : divided_at(begins, elements, element_costs(mechanism, elements));
}

TreeDivision divided_at(const std::vector<int>& begins, const LinkElements& elements,
                        const std::vector<ElementCost>& costs) {
  TreeDivision division;
  division.branch_of.assign(elements.elements.size(), 1);
  division.costs.assign(begins.size() + 1, 0.0);
  std::size_t next = 0;
  for (std::size_t e = 0; e < costs.size(); ++e) {
    const int inboard = elements.elements[e].inboard;
    int& own = division.branch_of[e];
    if (next < begins.size() && begins[next] == static_cast<int>(e)) {
      own = static_cast<int>(++next) + 1;
    } else if (inboard >= 0) {
      own = division.branch_of[index_of(inboard)];
    }
    division.costs[index_of(own - 1)] += costs[e].sweeps;
  }
  for (const int root : begins) {
    const int link = elements.elements[index_of(root)].inboard;
    const int section = division.branch_of[index_of(link)];
    for (int e = link; e >= 0 && division.branch_of[index_of(e)] == section;
         e = elements.elements[index_of(e)].inboard) {
      division.costs[index_of(section - 1)] += seam_cost(elements.elements[index_of(e)], costs[index_of(e)]);
    }
  }
  return division;
}

}  // namespace mbdbench
