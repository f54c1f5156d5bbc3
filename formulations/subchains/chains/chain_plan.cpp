#include "formulations/subchains/chains/chain_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "formulations/recursion/links/link_loads.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// Measured (docs/understanding/formulations/sub_chains.md): two blocks cost one thread 2 us more; two threads gain that
// back from 500 links on, and from here on twice as much.
constexpr int kTwoBlocks = 1000;
// Longer sub-chains gain nothing, and unit wrenches on the way over a thousand links and more become subnormal.
constexpr int kLongest = 512;
// What a link of a block costs, and closing a handle without and with an open tip, in one unit (some 100 ns).
constexpr double kLinkCost = 1.2;
constexpr double kHandleCost = 1.3;
constexpr double kTipHandleCost = 2.3;

int quotient_up(int a, int b) {
  return (a + b - 1) / b;
}

int lanes_needed(std::span<const int> links, int length) {
  int lanes = 0;
  for (const int count : links) {
    lanes += quotient_up(count, length);
  }
  return lanes;
}

/// \returns the smallest length that needs no more than so many lanes.
int smallest_length(std::span<const int> links, int lanes) {
  int total = 0;
  for (const int count : links) {
    total += count;
  }
  int length = quotient_up(total, lanes);
  while (lanes_needed(links, length) > lanes) {
    ++length;
  }
  return length;
}

std::string refuse_cut_joint(const Mechanism& mechanism, const LinkTree& tree, const Joint& cut) {
  if (!cut.world_linear) {
    return fmt::format("cut joint '{}' slides; sub-chains close loops by joints that hold a point so far", cut.name);
  }
  std::vector<int> rows;
  for (const int body : {cut.a, cut.b}) {
    const int row = body < 0 ? -1 : tree.bodies()[index_of(body)].row;
    const bool last =
        std::any_of(tree.runs().begin(), tree.runs().end(), [row](const LinkRun& run) { return row == run.last - 1; });
    if (row >= 0 && !last) {
      return fmt::format("cut joint '{}' holds body '{}', on which others hang; sub-chains are held at their ends",
                         cut.name, mechanism.bodies()[index_of(body)].name);
    }
    rows.push_back(row);
  }
  return rows.front() == rows.back() ? fmt::format("cut joint '{}' holds nothing that moves", cut.name) : std::string();
}

}  // namespace

ChainDivision divide_chains(std::span<const int> links, bool loop, int subchains) {
  int total = 0;
  for (const int count : links) {
    total += count;
  }
  const int arms = static_cast<int>(links.size());
  ChainDivision division;
  if (subchains > 0) {
    division.blocks = quotient_up(std::max(subchains, arms), ChainDivision::kLanes);
    division.length = smallest_length(links, division.lanes());
    return division;
  }
  division.blocks = std::max(total < kTwoBlocks ? 1 : 2, quotient_up(arms, ChainDivision::kLanes));
  while (smallest_length(links, division.lanes()) > kLongest) {
    division.blocks *= 2;
  }
  division.length = smallest_length(links, division.lanes());
  if (division.blocks > 1) {
    return division;
  }
  // Few links: longer lanes have fewer handles to close.
  double least = std::numeric_limits<double>::infinity();
  const int longest = *std::max_element(links.begin(), links.end());
  for (int length = division.length; length <= longest; ++length) {
    const double cost =
        kLinkCost * length + (loop ? kTipHandleCost : kHandleCost) * (lanes_needed(links, length) - arms);
    if (cost < least) {
      least = cost;
      division.length = length;
    }
  }
  return division;
}

std::string refuse_for_subchains(const Mechanism& mechanism) {
  if (mechanism.rheonomic()) {
    return "sub-chains take no prescribed motions so far";
  }
  if (!mechanism.couplings().empty()) {
    return fmt::format("sub-chains couple no joints so far (coupling '{}')", mechanism.couplings().front().name);
  }
  if (std::string refusal = refuse_loads_with_poses(mechanism); !refusal.empty()) {
    return refusal;
  }
  const LinkTree tree(mechanism);
  for (std::size_t row = 0; row < tree.size(); ++row) {
    // A link without mass at the end of a lane would have nothing to move.
    if (tree.rows()[row].kind != RowKind::revolute || tree.rows()[row].massless) {
      return fmt::format("sub-chains need revolute (and fixed) joints so far; joint '{}' is another",
                         mechanism.tree_joints()[index_of(tree.joint(row))].name);
    }
  }
  if (tree.size() == 0) {
    return "sub-chains need a joint that moves";
  }
  for (const LinkRun& run : tree.runs()) {
    if (run.slot >= 0) {
      return "sub-chains need serial chains that start at the ground, without branches, so far";
    }
  }
  if (mechanism.cut_joints().size() > 1) {
    return fmt::format("sub-chains close one loop so far, this mechanism has {} cut joints",
                       mechanism.cut_joints().size());
  }
  return mechanism.cut_joints().empty() ? std::string()
                                        : refuse_cut_joint(mechanism, tree, mechanism.cut_joints().front());
}

ChainPlan::ChainPlan(const Mechanism& mechanism, int subchains) : tree_(mechanism), gravity_(mechanism.gravity()) {
  set_arms(mechanism);
  std::vector<int> links;
  links.reserve(arms_.size());
  for (const ChainArm& arm : arms_) {
    links.push_back(arm.last - arm.first);
  }
  division_ = divide_chains(links, cut_.has_value(), subchains);
  set_lanes();
  coordinates_.reserve(tree_.size());
  for (const LinkRow& row : tree_.rows()) {
    coordinates_.push_back(row.q);
  }
}

Vec3 ChainPlan::start_origin(int arm) const {
  const kernels::LinkVector<double>& origin = tree_.runs()[index_of(arm)].origin;
  return {origin.x, origin.y, origin.z};
}

void ChainPlan::set_arms(const Mechanism& mechanism) {
  for (const LinkRun& run : tree_.runs()) {
    ChainArm arm;
    arm.first = run.first;
    arm.last = run.last;
    arms_.push_back(arm);
  }
  if (mechanism.cut_joints().empty()) {
    return;
  }
  const Joint& joint = mechanism.cut_joints().front();
  const auto tip = [&](int body, const Mat3& rotation, const Vec3& position) {
    CutTip end;
    const BodyOnRow place = body < 0 ? BodyOnRow{} : tree_.bodies()[index_of(body)];
    end.axes = place.rotation * rotation;
    end.lever = place.origin + place.rotation * position;
    // A body that hangs on fixed joints alone is a part of the ground.
    for (std::size_t a = 0; a < arms_.size() && place.row >= 0; ++a) {
      if (place.row == arms_[a].last - 1) {
        end.arm = static_cast<int>(a);
        arms_[a].at_cut = true;
      }
    }
    return end;
  };
  cut_ = {tip(joint.a, joint.rotation_a, joint.position_a), tip(joint.b, joint.rotation_b, joint.position_b)};
}

void ChainPlan::set_lanes() {
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    ChainArm& arm = arms_[a];
    arm.first_segment = static_cast<int>(segments_.size());
    for (int first = arm.first; first < arm.last; first += division_.length) {
      const int lane = static_cast<int>(lanes_.size());
      const int count = std::min(division_.length, arm.last - first);
      const bool ends = first + count == arm.last;
      lanes_.push_back({first, count, ends, ends && arm.at_cut});
      const int block = lane / ChainDivision::kLanes;
      if (first == arm.first || segments_.back().block != block) {
        segments_.push_back({block, lane, lane, static_cast<int>(a)});
      }
      segments_.back().last_lane = lane + 1;
    }
    arm.last_segment = static_cast<int>(segments_.size());
  }
  lanes_.resize(index_of(division_.lanes()));  // those that are left over hold nothing
}

int ChainPlan::most_processes() const {
  return segments_.back().block + 1;
}

ChainShare ChainPlan::share_of(int process, int processes) const {
  const int count = most_processes();
  // Blocks that only fill up the plan go to the last process.
  const ChainRange blocks{process * count / processes,
                          process + 1 == processes ? division_.blocks : (process + 1) * count / processes};
  ChainShare share{blocks, {}, {}};
  // Lanes, segments and positions come in the order of the blocks.
  for (const ChainSegment& segment : segments_) {
    const int behind = lanes_[index_of(segment.last_lane - 1)].first + lanes_[index_of(segment.last_lane - 1)].count;
    if (segment.block < blocks.first) {
      ++share.segments.first;
      share.positions.first = behind;
    }
    if (segment.block < blocks.last) {
      ++share.segments.last;
      share.positions.last = behind;
    }
  }
  return share;
}

std::string ChainPlan::refuse_processes(int processes) const {
  if (processes <= most_processes()) {
    return {};
  }
  std::vector<int> links;
  links.reserve(arms_.size());
  for (const ChainArm& arm : arms_) {
    links.push_back(arm.last - arm.first);
  }
  const int total = static_cast<int>(tree_.size());
  std::string text =
      fmt::format("{} links are divided into {} block{} of {} sub-chains, and a process takes at least one", total,
                  most_processes(), most_processes() == 1 ? "" : "s", ChainDivision::kLanes);
  const int most = quotient_up(total, ChainDivision::kLanes);
  for (int blocks = processes; blocks <= most; ++blocks) {
    const int length = smallest_length(links, blocks * ChainDivision::kLanes);
    const int held = quotient_up(lanes_needed(links, length), ChainDivision::kLanes);
    if (held >= processes) {
      return text + fmt::format("; option subchains={} makes it {} blocks", blocks * ChainDivision::kLanes, held);
    }
  }
  return text + fmt::format("; they are too few for so many processes, {} is the most", most);
}

}  // namespace mbdbench
