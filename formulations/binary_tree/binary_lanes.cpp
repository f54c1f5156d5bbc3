#include "formulations/binary_tree/binary_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formulations/assembly/point_masses.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr int kLanes = ChainSweeps::kLanes;
constexpr int kRows = kernels::kHandleRows;

template <typename Lane>
constexpr std::size_t numbers_of() {
  return sizeof(Lane) / sizeof(double);
}

/// A rigid link about its centre of mass.
struct CentralInertia {
  explicit CentralInertia(const kernels::LinkConstants<double>& link)
      : mass(link.mass), centre(Vec3(link.hx, link.hy, link.hz) / link.mass) {
    Mat3 inertia;
    inertia << link.jxx, link.jxy, link.jxz, link.jxy, link.jyy, link.jyz, link.jxz, link.jyz, link.jzz;
    inertia -= mass * skew(centre).transpose() * skew(centre);
    inverse = inertia.inverse();
  }
  double mass;
  Vec3 centre;   ///< from O_k
  Mat3 inverse;  ///< J_C^-1
};

/// \returns N = M^-1 about O_k, linear components first.
Mat6 inverse_inertia(const CentralInertia& body) {
  const Mat3 c = skew(body.centre);
  Mat6 inverse;
  inverse.topLeftCorner<3, 3>() = Mat3::Identity() / body.mass - c * body.inverse * c;
  inverse.topRightCorner<3, 3>() = c * body.inverse;
  inverse.bottomLeftCorner<3, 3>() = -body.inverse * c;
  inverse.bottomRightCorner<3, 3>() = body.inverse;
  return inverse;
}

/// \returns X_c: wrenches from the next link's frame, before its turn, to the own one.
Mat6 placement_of(const kernels::LinkConstants<double>& next) {
  Mat6 across;
  for (int k = 0; k < 6; ++k) {
    const Vec6 unit = Vec6::Unit(k);
    const kernels::LinkWrench<double> column = kernels::carried_inward(
        next, 1.0, 0.0, kernels::LinkWrench<double>{unit[0], unit[1], unit[2], unit[3], unit[4], unit[5]});
    across.col(k) << column.fx, column.fy, column.fz, column.nx, column.ny, column.nz;
  }
  return across;
}

/// \param next null: nothing hangs on the body
kernels::BodyLeaf<double> leaf_of(const Mat6& inverse, const kernels::LinkConstants<double>* next) {
  kernels::BodyLeaf<double> leaf{};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      leaf.inverse[kernels::triangle(i) + j] = inverse(i, j);
    }
  }
  if (next == nullptr) {
    return leaf;
  }
  const Mat6 x = placement_of(*next);
  const Mat6 across = -x.transpose() * inverse;
  const Mat6 outboard = -across * x;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kRows; ++j) {
      leaf.across[kRows * i + j] = across(i, j);
    }
    for (int j = 0; j <= i; ++j) {
      leaf.outboard[kernels::triangle(i) + j] = outboard(i, j);
    }
  }
  return leaf;
}

/// Links that only fill a lane: nothing crosses them.
kernels::BodyLeaf<double> filling_leaf() {
  kernels::BodyLeaf<double> leaf = leaf_of(Mat6::Identity(), nullptr);
  for (int i = 0; i < kRows; ++i) {
    leaf.outboard[kernels::triangle(i) + i] = 1.0;
  }
  return leaf;
}

}  // namespace

std::string refuse_for_binary_tree(const Mechanism& mechanism) {
  if (!mechanism.cut_joints().empty()) {
    return "bodies as leaves go side by side in lanes in open chains so far, this mechanism has a loop";
  }
  std::string refusal = refuse_for_subchains(mechanism);
  if (!refusal.empty()) {
    return refusal;
  }
  const LinkTree tree(mechanism);
  for (const LinkRun& run : tree.runs()) {
    for (int i = run.first; i < run.last; ++i) {
      const CentralInertia body(tree.links()[index_of(i)]);
      double ratio = lever_ratio(body.mass, body.inverse, -body.centre);
      if (i + 1 < run.last) {
        const kernels::LinkConstants<double>& next = tree.links()[index_of(i) + 1];
        ratio = std::max(ratio, lever_ratio(body.mass, body.inverse, Vec3(next.px, next.py, 0.0) - body.centre));
      }
      if (!(ratio <= LeverRatio::kPassed)) {
        return fmt::format("the body of joint '{}' is nearly a point mass (m l^2 / J = {:.2g})",
                           mechanism.tree_joints()[index_of(tree.joint(index_of(i)))].name, ratio);
      }
    }
  }
  const double masses = largest_mass_ratio(mechanism);
  const double compliances = largest_compliance_ratio(mechanism);
  if (masses > LeverRatio::kPassed || compliances > LeverRatio::kThin) {
    return fmt::format(
        "a light or thin body carries others (masses differ by {:.2g}, compliances by {:.2g}), which takes passes",
        masses, compliances);
  }
  return {};
}

BinaryLanes::BinaryLanes(const ChainPlan& plan, const ChainLanes& lanes)
    : plan_(&plan), held_(&lanes), steps_(binary_steps(plan.division().length)) {
  const ChainRange& held = lanes.share().blocks;
  for (int b = held.first; b < held.last; ++b) {
    BinaryBlock block;
    block.links = lanes.block(b);
    allot(block);
    blocks_.push_back(block);
  }
  for (int lane = held.first * kLanes; lane < held.last * kLanes; ++lane) {
    set_leaves(lane);
  }
}

void BinaryLanes::allot(BinaryBlock& block) {
  block.steps = steps_.data();
  block.last_step = steps_.data() + steps_.size();
  const auto length = index_of(block.links.length);
  const auto take = [this](double*& array, std::size_t numbers) {
    memory_.push_back(lane_memory(numbers));
    array = memory_.back().get();
  };
  take(block.leaves, length * numbers_of<kernels::BodyLeaf<double>>());
  take(block.inputs, length * numbers_of<BodyInput<double>>());
  take(block.stack, index_of(stack_depth(block.links.length)) * numbers_of<kernels::TwoHandles<double>>());
  take(block.kept, length * numbers_of<kernels::ClosedNode<double>>());
  take(block.sigma, (length + 1) * std::size_t{kRows});
  take(block.scans, index_of(stack_depth(block.links.length)) * numbers_of<TurnScan<double>>());
  take(block.passed, length * numbers_of<TurnScan<double>>());
  take(block.vectors, (length + 1) * numbers_of<HandleVectors<double>>());
  take(block.behind, 1);
  take(block.distal, 1);
}

void BinaryLanes::set_leaves(int lane) const {
  constexpr std::size_t kLinkNumbers = numbers_of<kernels::LinkConstants<double>>() * std::size_t{kLanes};
  constexpr std::size_t kLeafNumbers = numbers_of<kernels::BodyLeaf<double>>() * std::size_t{kLanes};
  const BinaryBlock& own = block(lane / kLanes);
  const ChainLane& held = plan_->lanes()[index_of(lane)];
  const auto link = [&](int i) {
    return lane_of<kernels::LinkConstants<double>>(own.links.links + index_of(i) * kLinkNumbers, lane % kLanes);
  };
  for (int i = 0; i < own.links.length; ++i) {
    const kernels::LinkConstants<double> next = link(i + 1);
    const bool ends = held.ends_arm && i + 1 == held.count;
    const kernels::BodyLeaf<double> leaf =
        i < held.count ? leaf_of(inverse_inertia(CentralInertia(link(i))), ends ? nullptr : &next) : filling_leaf();
    set_lane(leaf, own.leaves + index_of(i) * kLeafNumbers, lane % kLanes);
  }
}

void BinaryLanes::set_behind(int b, std::span<const double> values, double beyond) const {
  for (int l = 0; l < kLanes; ++l) {
    const ChainLane& held = plan_->lanes()[index_of(b * kLanes + l)];
    const int next = held.first + held.count;
    block(b).behind[l] = held.ends_arm                          ? 0.0
                         : next < held_->share().positions.last ? values[held_->place(next)]
                                                                : beyond;
  }
}

kernels::TwoHandles<double> BinaryLanes::node(int lane) const {
  return lane_of<kernels::TwoHandles<double>>(block(lane / kLanes).stack, lane % kLanes);
}

void BinaryLanes::set_ends(int lane, const double* first, const double* last) const {
  const BinaryBlock& own = block(lane / kLanes);
  double* const to = own.sigma + lane % kLanes;
  for (int k = 0; k < kRows; ++k) {
    to[k * kLanes] = first[k];
    to[(own.links.length * kRows + k) * kLanes] = last[k];
  }
}

double BinaryLanes::distal(int lane) const {
  return block(lane / kLanes).distal[lane % kLanes];
}

}  // namespace mbdbench
