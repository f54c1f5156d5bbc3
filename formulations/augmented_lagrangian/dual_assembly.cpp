#include "formulations/augmented_lagrangian/dual_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "formulations/subchains/instruction_set.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kNumbers = kDualPack;

/// \returns those of the instruction set in use.
DualSweeps dual_sweeps_in_use() {
#if defined(__x86_64__)
  const std::string_view name = instruction_set().name;
  return name == "avx512" ? avx512_dual_sweeps() : name == "avx2" ? avx2_dual_sweeps() : baseline_dual_sweeps();
#else
  return baseline_dual_sweeps();
#endif
}

/// Hands out pieces of an array that is sized by a first walk, in which it does not exist.
template <typename Number>
class Pieces {
 public:
  explicit Pieces(Number* start) : start_(start) {}
  Number* take(std::size_t count) {
    Number* const piece = start_ == nullptr ? nullptr : start_ + taken_;
    taken_ += count;
    return piece;
  }
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  Number* start_;
  std::size_t taken_ = 0;
};

/// \returns the nodes, each right behind those below it: what a subassembly leaves is used while it is still in cache.
std::vector<int> depth_first(const AssemblyTree& tree) {
  std::vector<int> order;
  std::vector<int> parents(tree.nodes().size(), -1);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const int child : {tree.nodes()[i].child1, tree.nodes()[i].child2}) {
      if (child >= 0) {
        parents[index_of(child)] = static_cast<int>(i);
      }
    }
  }
  std::vector<int> waiting;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] < 0) {
      waiting.push_back(static_cast<int>(i));
    }
  }
  // Parents before children, then the other way round.
  while (!waiting.empty()) {
    const int next = waiting.back();
    waiting.pop_back();
    order.push_back(next);
    for (const int child : {tree.nodes()[index_of(next)].child1, tree.nodes()[index_of(next)].child2}) {
      if (child >= 0) {
        waiting.push_back(child);
      }
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<int> joints_of(const AssemblyNode& node) {
  std::vector<int> joints = node.closed;
  joints.insert(joints.end(), node.external.begin(), node.external.end());
  return joints;
}

}  // namespace

bool DualAssembly::suits(const AssemblyTree& tree, const ProximalOptions& proximal) {
  return !proximal.ranked && !proximal.limits.conjugate &&
         std::all_of(tree.nodes().begin(), tree.nodes().end(),
                     [](const AssemblyNode& node) { return node.arms.empty(); });
}

DualAssembly::DualAssembly(const AssemblyTree& tree, std::span<const double> masses, const ProximalOptions& proximal)
    : sweeps_(dual_sweeps_in_use()), proximal_(proximal), bodies_(masses.size()), nodes_(tree.nodes().size()) {
  for (const AssemblyJoint& joint : tree.joints()) {
    row_offsets_.push_back(row_count_);
    row_count_ += joint.rows;
  }
  row_offsets_.push_back(row_count_);
  place_nodes(tree);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bodies_[i].inverse_inertia[axis * kNumbers + axis] = 1.0 / masses[i];
    }
  }
  for (const Vector which : {kRight, kResidual, kMultipliers, kMultiplierChange}) {
    vectors_[which] = lane_memory(joint_count());
  }
  for (const Vector which : {kInput, kRates, kRateChange}) {
    vectors_[which] = lane_memory(masses.size());
  }
}

void DualAssembly::place_nodes(const AssemblyTree& tree) {
  const std::vector<int> order = depth_first(tree);
  std::vector<int> position(order.size());
  std::vector<std::size_t> schur(order.size());  // packs below Xi^C on the stack
  std::size_t most_joints = 1;
  std::size_t most_rows = 1;
  std::size_t largest_front = 1;
  std::size_t largest_across = 1;   // packs of Y
  std::size_t largest_inverse = 1;  // of L^-1
  std::size_t stack = 0;
  std::size_t deepest = 0;
  const auto schur_size = [&tree](int index) {
    const AssemblyNode& node = tree.nodes()[index_of(index)];
    return index_of(node.width) * node.external.size();
  };
  for (std::size_t at = 0; at < order.size(); ++at) {
    const AssemblyNode& from = tree.nodes()[index_of(order[at])];
    position[index_of(order[at])] = static_cast<int>(at);
    most_joints = std::max(most_joints, from.closed.size());
    most_rows = std::max(most_rows, index_of(from.closed_rows));
    largest_front =
        std::max(largest_front, index_of(from.closed_rows + from.width) * (from.closed.size() + from.external.size()));
    largest_across = std::max(largest_across, index_of(from.closed_rows) * from.external.size());
    largest_inverse = std::max(largest_inverse, index_of(from.closed_rows) * from.closed.size());
    for (const int child : {from.child1, from.child2}) {
      stack -= child >= 0 ? schur_size(child) : 0;
    }
    schur[at] = stack;
    stack += schur_size(order[at]);
    deepest = std::max(deepest, stack);
  }
  // First how much, then where.
  for (const bool counting : {true, false}) {
    Pieces<double> packs(numbers_.get());
    Pieces<int> indices(indices_.empty() ? nullptr : indices_.data());
    const auto numbers = [&packs](std::size_t count) { return packs.take(count * kNumbers); };
    double* const products = numbers(most_joints);
    double* const front = numbers(largest_front);
    double* const schurs = numbers(deepest);
    double* const columns = numbers(largest_across);
    double* const lower = numbers(largest_inverse);
    double* const upper = numbers(largest_inverse);
    double* const pivots = numbers(most_joints);
    double* const factor = packs.take((most_rows * most_rows + kNumbers - 1) / kNumbers * kNumbers);
    for (std::size_t index = 0; index < nodes_.size(); ++index) {
      const AssemblyNode& from = tree.nodes()[index_of(order[index])];
      const std::vector<int> joints = joints_of(from);
      DualNode& node = nodes_[index];
      node.body = from.body;
      node.joint_count = static_cast<int>(joints.size());
      node.closed_joints = static_cast<int>(from.closed.size());
      node.closed_rows = from.closed_rows;
      node.row_count = from.closed_rows + from.width;
      int* const own = indices.take(joints.size());
      int* const first_rows = indices.take(joints.size() + 1);
      int* const slots = indices.take(index_of(node.row_count));
      int* const counts = from.body >= 0 ? indices.take(joints.size()) : nullptr;
      const std::size_t closed = from.closed.size();
      node.front = front;
      node.schur = schurs == nullptr ? nullptr : schurs + schur[index] * kNumbers;
      node.inverse = numbers(index_of(node.closed_rows) * closed);
      node.gain = numbers(index_of(from.width) * closed);
      node.gain_transposed = numbers(index_of(node.closed_rows) * from.external.size());
      node.columns = columns;
      node.lower = lower;
      node.upper = upper;
      node.pivots = pivots;
      node.right = numbers(joints.size());
      node.products = products;
      node.factor = factor;
      int* places[2] = {};
      const int children[2] = {from.child1, from.child2};
      for (int which = 0; which < 2 && children[which] >= 0; ++which) {
        places[which] = indices.take(tree.nodes()[index_of(children[which])].external.size());
      }
      if (from.body >= 0) {
        DualBody& body = bodies_[index_of(from.body)];
        body = {node.joint_count,
                own,
                counts,
                numbers(index_of(node.row_count)),
                numbers(index_of(node.row_count)),
                numbers(6 * joints.size()),
                numbers(6)};
      }
      if (counting) {
        continue;
      }
      node.joints = own;
      node.first_rows = first_rows;
      node.slots = slots;
      int row = 0;
      node.uniform_rows = joints.empty() ? 0 : joint_rows(index_of(joints.front()));
      for (std::size_t j = 0; j < joints.size(); ++j) {
        own[j] = joints[j];
        first_rows[j] = row;
        const int rows = joint_rows(index_of(joints[j]));
        node.uniform_rows = rows == node.uniform_rows ? rows : 0;
        if (counts != nullptr) {
          counts[j] = rows;
        }
        for (int i = 0; i < rows; ++i) {
          slots[row++] = static_cast<int>(j) * kDualPack + i;
        }
      }
      first_rows[joints.size()] = row;
      for (int which = 0; which < 2 && children[which] >= 0; ++which) {
        const std::vector<int>& external = tree.nodes()[index_of(children[which])].external;
        for (std::size_t i = 0; i < external.size(); ++i) {
          places[which][i] = static_cast<int>(std::find(joints.begin(), joints.end(), external[i]) - joints.begin());
        }
        node.children[which] = {position[index_of(children[which])], {places[which], external.size()}};
      }
    }
    if (counting) {
      numbers_ = lane_memory(packs.taken() / kNumbers);
      indices_.resize(indices.taken() + 1);
    }
  }
}

std::span<const int> DualAssembly::joints(int body) const {
  const DualBody& own = bodies_[index_of(body)];
  return {own.joints, index_of(own.handles)};
}

void DualAssembly::set_handle(int body, int handle, const SpatialColumns& directions, double sign, const Vec3& lever) {
  const DualBody& own = bodies_[index_of(body)];
  double* column = own.columns;
  for (int h = 0; h < handle; ++h) {
    column += own.row_counts[h] * kDualPack;
  }
  double* const rows = own.rows + handle * kDualPack;
  const std::ptrdiff_t stride = own.handles * std::ptrdiff_t{kDualPack};
  const double* direction = directions.data();
  for (int c = 0; c < own.row_counts[handle]; ++c, column += kDualPack, direction += 6) {
    const double x = sign * direction[0];
    const double y = sign * direction[1];
    const double z = sign * direction[2];
    column[0] = x;
    column[1] = y;
    column[2] = z;
    column[3] = sign * direction[3] + (lever.y() * z - lever.z() * y);
    column[4] = sign * direction[4] + (lever.z() * x - lever.x() * z);
    column[5] = sign * direction[5] + (lever.x() * y - lever.y() * x);
    for (int i = 0; i < 6; ++i) {
      rows[i * stride + c] = column[i];
    }
  }
}

void DualAssembly::set_inertia(int body, const Mat3& inertia_inverse) {
  double* const own = bodies_[index_of(body)].inverse_inertia;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      own[(3 + j) * kDualPack + 3 + i] = inertia_inverse(i, j);
    }
  }
}

AssemblyPivot DualAssembly::factorise() {
  int row = -1;
  const int failed = sweeps_.factorise(tree(), row);
  if (failed < 0) {
    return {};
  }
  const DualNode& node = nodes_[index_of(failed)];
  const double pivot = node.factor[row * (node.closed_rows + 1)];
  return {node.joints[node.slots[row] / kDualPack], pivot};
}

void DualAssembly::read_rows(std::span<const double> rows, double* to) const {
  for (std::size_t j = 0; j < joint_count(); ++j) {
    std::copy_n(rows.data() + row_offsets_[j], joint_rows(j), to + j * kNumbers);
  }
}

void DualAssembly::write_rows(const double* from, std::span<double> rows) const {
  for (std::size_t j = 0; j < joint_count(); ++j) {
    std::copy_n(from + j * kNumbers, joint_rows(j), rows.data() + row_offsets_[j]);
  }
}

void DualAssembly::read_rates(std::span<const Vec6> rates, double* to) const {
  for (std::size_t i = 0; i < rates.size(); ++i) {
    std::copy_n(rates[i].data(), 6, to + i * kNumbers);
  }
}

void DualAssembly::write_rates(const double* from, std::span<Vec6> rates) const {
  for (std::size_t i = 0; i < rates.size(); ++i) {
    std::copy_n(from + i * kNumbers, 6, rates[i].data());
  }
}

void DualAssembly::solve(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma,
                         std::span<Vec6> rates) {
  read_rows(r, vector(kRight));
  read_rates(input, vector(kInput));
  sweeps_.sweep(tree(), vector(kRight), vector(kInput), vector(kMultipliers), vector(kRates));
  const double* const f = vector(kInput);
  series_.set_input(std::inner_product(f, f + bodies_.size() * kNumbers, f, 0.0));
  passes_ = iterate(proximal_.limits, 1);
  write_rows(vector(kMultipliers), sigma);
  write_rates(vector(kRates), rates);
}

int DualAssembly::refine(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates,
                         const PassLimits& limits, int done) {
  read_rows(r, vector(kRight));
  read_rows(sigma, vector(kMultipliers));
  read_rates(rates, vector(kRates));
  done = iterate(limits, done);
  write_rows(vector(kMultipliers), sigma);
  write_rates(vector(kRates), rates);
  return done;
}

int DualAssembly::iterate(const PassLimits& limits, int done) {
  const int count = static_cast<int>(joint_count());
  remainder_ = done < limits.most ? PassRemainder{} : PassRemainder{1.0, 1.0};
  const double* const sigma = vector(kMultipliers);
  series_.start(std::inner_product(sigma, sigma + joint_count() * kNumbers, sigma, 0.0));
  bool goes_on = true;
  while (goes_on && done < limits.most) {
    sweeps_.residual(tree(), vector(kRight), vector(kRates), count, vector(kResidual));
    sweeps_.sweep(tree(), vector(kResidual), nullptr, vector(kMultiplierChange), vector(kRateChange));
    ++done;
    goes_on = add_change(limits);
  }
  return done;
}

bool DualAssembly::add_change(const PassLimits& limits) {
  std::array<double, 2> sigma{};  // squares of the change and of the sum
  std::array<double, 2> rates{};
  sweeps_.add(vector(kMultiplierChange), static_cast<int>(joint_count()), vector(kMultipliers), sigma.data());
  sweeps_.add(vector(kRateChange), static_cast<int>(bodies_.size()), vector(kRates), rates.data());
  const bool goes_on = std::sqrt(rates[0]) > std::max(limits.change, PassLimits::kRelativeChange * std::sqrt(rates[1]));
  remainder_ = {goes_on ? std::sqrt(rates[0] / rates[1]) : 0.0, series_.left(sigma[0], sigma[1])};
  return goes_on;
}

void DualAssembly::correct(std::span<const double> residual, std::span<double> sigma, std::span<Vec6> rates) {
  read_rows(residual, vector(kResidual));
  sweeps_.sweep(tree(), vector(kResidual), nullptr, vector(kMultipliers), vector(kRates));
  write_rows(vector(kMultipliers), sigma);
  write_rates(vector(kRates), rates);
}

void DualAssembly::constraint_residual(std::span<const double> r, std::span<const Vec6> rates,
                                       std::span<double> residual) const {
  read_rows(r, vector(kRight));
  read_rates(rates, vector(kRates));
  sweeps_.residual(tree(), vector(kRight), vector(kRates), static_cast<int>(joint_count()), vector(kResidual));
  write_rows(vector(kResidual), residual);
}

}  // namespace mbdbench
