#include "formulations/assembly/assembly_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulations/assembly/nodes/steps_for_set.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// Where every joint owns its rows; the last entry is their number.
std::vector<int> row_offsets(std::span<const AssemblyJoint> joints) {
  std::vector<int> offsets = {0};
  for (const AssemblyJoint& joint : joints) {
    offsets.push_back(offsets.back() + (joint.rows > 0 ? kHandle : 0));
  }
  return offsets;
}

/// Gives out pieces of one memory: first their sizes are added up, then the pieces are handed out in the same order.
class Pieces {
 public:
  void take(double*& piece, int numbers) {
    piece = from_ == nullptr ? nullptr : from_ + size_;
    size_ += (index_of(numbers) + kHandle - 1) / kHandle * kHandle;
  }
  /// Starts again, and hands out. \returns the memory
  AlignedMemory start() {
    AlignedMemory memory = aligned_memory(size_);
    from_ = memory.get();
    size_ = 0;
    return memory;
  }

 private:
  double* from_ = nullptr;
  std::size_t size_ = 0;
};

/// \returns where the first column of external handle g stands in a node's matrix.
int block_offset(const NodePlan& node, int g) {
  int offset = 0;
  for (int k = 0; k < g; ++k) {
    offset += node.handles[node.closed + k].rows * kHandle * (node.external - k);
  }
  return offset;
}

}  // namespace

AssemblyEngine::AssemblyEngine(AssemblyTree tree, std::span<const double> masses, const ProximalOptions& proximal,
                               const InstructionSet& set)
    : tree_(std::move(tree)),
      steps_(node_kernels::steps_for(set)),
      row_offsets_(row_offsets(tree_.joints())),
      leaves_(tree_, masses, row_offsets_),
      body_input_(masses.size()),
      proximal_(proximal),
      loops_(proximal.rows == ProximalRows::everywhere) {
  row_count_ = row_offsets_.back();
  for (const AssemblyNode& from : tree_.nodes()) {
    Node node;
    node.body = from.body;
    node.arms = from.arms;
    node.most = from.closed_rows;
    node.loops = from.loops > 0 && (proximal.rows == ProximalRows::none || proximal.ranked);
    node.shifted =
        proximal.rows == ProximalRows::everywhere || (from.loops > 0 && proximal.rows == ProximalRows::loops);
    loops_ = loops_ || from.loops > 0;
    node.joints = from.closed;
    node.joints.insert(node.joints.end(), from.external.begin(), from.external.end());
    node.plan.closed = static_cast<int>(from.closed.size());
    node.plan.external = static_cast<int>(from.external.size());
    node.plan.closed_rows = from.closed_rows;
    for (const int joint : node.joints) {
      handles_.push_back({index_of(row_offset(joint)), joint_rows(joint)});
    }
    nodes_.push_back(std::move(node));
  }
  const HandleRows* handles = handles_.data();
  for (Node& node : nodes_) {
    node.plan.handles = handles;
    handles += node.joints.size();
  }
  reserve_nodes();
  reserve_matrices(tree_.nodes());
  connect_nodes(tree_.nodes());
  reserve_scratch();
  if (loops_) {
    free_diagonal_.resize(index_of(row_count_));
    residual_.resize(index_of(row_count_));
    sigma_correction_.resize(index_of(row_count_));
    no_input_.assign(masses.size(), Vec6::Zero());
    rate_correction_.resize(masses.size());
  }
  if (proximal.limits.conjugate) {
    for (Direction* const direction : {&preconditioned_, &search_, &image_}) {
      direction->multipliers.resize(index_of(row_count_));
      direction->rows.resize(index_of(row_count_));
      direction->rates.resize(masses.size());
    }
  }
}

void AssemblyEngine::reserve_nodes() {
  Pieces pieces;
  for (int turn = 0; turn < 2; ++turn) {
    for (Node& node : nodes_) {
      NodePlan& plan = node.plan;
      pieces.take(plan.right, kHandle * static_cast<int>(node.joints.size()));
      pieces.take(plan.weights, plan.closed_rows * plan.padded_rows());
      pieces.take(plan.columns, plan.closed_rows * kHandle * plan.closed);
      pieces.take(plan.outside, plan.closed_rows * kHandle * plan.external);
      pieces.take(plan.reduced, plan.padded_rows());
    }
    if (turn == 0) {
      memory_ = pieces.start();
    }
  }
}

void AssemblyEngine::reserve_matrices(std::span<const AssemblyNode> from) {
  // A matrix is needed until that of the parent stands: few pieces serve all nodes and stay in the cache.
  std::vector<int> sizes;
  std::vector<bool> taken;
  std::vector<std::size_t> pieces_of;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const std::size_t piece = index_of(static_cast<int>(std::find(taken.begin(), taken.end(), false) - taken.begin()));
    if (piece == taken.size()) {
      taken.push_back(true);
      sizes.push_back(0);
    }
    taken[piece] = true;
    sizes[piece] = std::max(sizes[piece], block_offset(nodes_[n].plan, nodes_[n].plan.external));
    pieces_of.push_back(piece);
    for (const int child : {from[n].child1, from[n].child2}) {
      if (child >= 0) {
        taken[pieces_of[index_of(child)]] = false;
      }
    }
    for (const RakedArm& arm : from[n].arms) {
      taken[pieces_of[index_of(arm.child)]] = false;
    }
  }
  Pieces pieces;
  std::vector<double*> matrices(sizes.size());
  for (int turn = 0; turn < 2; ++turn) {
    for (std::size_t piece = 0; piece < sizes.size(); ++piece) {
      pieces.take(matrices[piece], sizes[piece]);
    }
    if (turn == 0) {
      matrix_memory_ = pieces.start();
    }
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    nodes_[n].plan.matrix = matrices[pieces_of[n]];
  }
}

void AssemblyEngine::connect_nodes(std::span<const AssemblyNode> from) {
  // Where a joint stands among the external handles of a child; -1: it is none of them.
  const auto place = [this](int child, int joint) {
    if (child < 0) {
      return -1;
    }
    const Node& node = nodes_[index_of(child)];
    const auto first = node.joints.begin() + node.plan.closed;
    const auto found = std::find(first, node.joints.end(), joint);
    return found == node.joints.end() ? -1 : static_cast<int>(found - first);
  };
  std::vector<std::size_t> first_blocks;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const NodePlan& plan = nodes_[n].plan;
    const std::vector<int>& joints = nodes_[n].joints;
    first_blocks.push_back(blocks_.size());
    for (std::size_t g = 0; g < joints.size(); ++g) {
      RightSource right;
      std::size_t first = g;
      for (std::size_t h = first; h < joints.size(); ++h) {
        BlockSource block;
        const auto add = [&](const double* source, int stride) {
          (block.first == nullptr ? block.first : block.second) = source;
          (block.second == nullptr ? block.first_stride : block.second_stride) = stride;
        };
        if (nodes_[n].body >= 0 && g >= index_of(plan.closed)) {
          const int column = static_cast<int>(g) - plan.closed;
          add(plan.matrix + block_offset(plan, column) + kHandle * (h - g), kHandle * (plan.external - column));
        }
        for (const int child : {from[n].child1, from[n].child2}) {
          const int column = place(child, joints[g]);
          const int row = place(child, joints[h]);
          if (column < 0 || row < 0) {
            continue;
          }
          const NodePlan& source = nodes_[index_of(child)].plan;
          add(source.matrix + block_offset(source, column) + kHandle * (row - column),
              kHandle * (source.external - column));
          if (h == g) {
            (right.first == nullptr ? right.first : right.second) = source.right + kHandle * (source.closed + column);
          }
        }
        blocks_.push_back(block);
      }
      rights_.push_back(right);
    }
  }
  const RightSource* right = rights_.data();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    nodes_[n].plan.blocks = blocks_.data() + first_blocks[n];
    nodes_[n].plan.rights = right;
    right += nodes_[n].joints.size();
  }
}

void AssemblyEngine::reserve_scratch() {
  int front = 0;
  int rows = 0;
  int padded = 0;
  for (const Node& node : nodes_) {
    front = std::max(front, node.plan.closed_rows * kHandle * static_cast<int>(node.joints.size()));
    rows = std::max(rows, node.plan.closed_rows);
    padded = std::max(padded, node.plan.padded_rows());
  }
  Pieces pieces;
  for (int turn = 0; turn < 2; ++turn) {
    pieces.take(scratch_.front, front);
    for (double** const piece : {&scratch_.matrix, &scratch_.factor, &scratch_.inverse, &scratch_.upper,
                                 &scratch_.follow, &scratch_.followed}) {
      pieces.take(*piece, rows * padded);
    }
    pieces.take(scratch_.gram, rows * rows);
    pieces.take(scratch_.vectors, 3 * padded);
    pieces.take(scratch_.shift, rows);
    if (turn == 0) {
      scratch_memory_ = pieces.start();
    }
  }
  scratch_order_.resize(index_of(rows));
  scratch_.order = scratch_order_.data();
}

AssemblyPivot AssemblyEngine::failed_pivot(const Node& node, const NodeRank& found) const {
  int row = found.failed_row;
  for (const int joint : node.joints) {
    row -= joint_rows(joint);
    if (row < 0) {
      return {joint, found.smallest_pivot};
    }
  }
  return {};
}

AssemblyPivot AssemblyEngine::fill_leaf_front(Node& node) {
  leaves_.reset_arms(node.body);
  for (std::size_t i = 0; i < node.arms.size(); ++i) {
    const double* block = nodes_[index_of(node.arms[i].child)].plan.matrix;
    // An arm hangs on one joint: only rows regularised everywhere are so here.
    const double shift = proximal_.rows == ProximalRows::everywhere ? proximal_.regularisation : 0.0;
    const int failed = leaves_.rake(node.body, i, block, shift);
    if (failed >= 0) {
      return {node.arms[i].joint, block[failed * (kHandle + 1)]};
    }
  }
  if (!node.arms.empty() && !leaves_.add_arms(node.body)) {
    return {node.arms.front().joint, std::numeric_limits<double>::quiet_NaN()};
  }
  steps_.fill(leaves_.plan(node.body), node.plan, scratch_, loops_ ? free_diagonal_.data() : nullptr);
  return {};
}

void AssemblyEngine::set_shift(const Node& node) {
  double* next = scratch_.shift;
  for (int h = 0; h < node.plan.closed; ++h) {
    const HandleRows& rows = node.plan.handles[h];
    const double* free = free_diagonal_.data() + rows.offset;
    for (int i = 0; i < rows.rows; ++i) {
      *next++ = !node.shifted                           ? free[i]
                : proximal_.rows == ProximalRows::loops ? proximal_.regularisation * free[i]
                                                        : proximal_.regularisation;
    }
  }
}

AssemblyPivot AssemblyEngine::factorise_node(Node& node) {
  if (node.loops || node.shifted) {
    set_shift(node);
  }
  const NodeRank found =
      node.loops ? steps_.close_loops(node.plan, scratch_, node.most) : steps_.close(node.plan, scratch_, node.shifted);
  node.plan.rank = found.rank;
  node.smallest_pivot = found.smallest_pivot;
  return found.rank >= 0 ? AssemblyPivot{} : failed_pivot(node, found);
}

AssemblyPivot AssemblyEngine::factorise() {
  std::fill(free_diagonal_.begin(), free_diagonal_.end(), 0.0);
  for (Node& node : nodes_) {
    AssemblyPivot failed;
    if (node.body >= 0) {
      failed = fill_leaf_front(node);
    } else {
      steps_.gather(node.plan, scratch_);
    }
    if (failed.joint < 0 && node.plan.closed > 0) {
      failed = factorise_node(node);
    }
    if (failed.joint >= 0) {
      return failed;
    }
  }
  return {};
}

int AssemblyEngine::redundant_rows() const {
  int sum = 0;
  for (const Node& node : nodes_) {
    sum += node.loops ? node.plan.closed_rows - node.plan.rank : 0;
  }
  return sum;
}

std::vector<int> AssemblyEngine::loop_ranks() const {
  std::vector<int> ranks;
  for (const Node& node : nodes_) {
    if (node.loops) {
      ranks.push_back(node.plan.rank);
    }
  }
  return ranks;
}

std::vector<double> AssemblyEngine::smallest_loop_pivots() const {
  std::vector<double> pivots;
  for (const Node& node : nodes_) {
    if (node.loops) {
      pivots.push_back(node.smallest_pivot);
    }
  }
  return pivots;
}

std::vector<int> AssemblyEngine::loop_rank_limits() const {
  std::vector<int> limits;
  for (const Node& node : nodes_) {
    if (node.loops) {
      limits.push_back(node.most);
    }
  }
  return limits;
}

void AssemblyEngine::limit_loop_ranks(std::span<const int> most) {
  std::size_t next = 0;
  for (Node& node : nodes_) {
    if (node.loops) {
      node.most = most[next++];
    }
  }
}

void AssemblyEngine::set_leaf_right_side(const Node& node, std::span<const double> r, std::span<const Vec6> input) {
  Vec6& wrench = body_input_[index_of(node.body)];
  wrench = input[index_of(node.body)];
  for (std::size_t i = 0; i < node.arms.size(); ++i) {
    const NodePlan& arm = nodes_[index_of(node.arms[i].child)].plan;
    double* right = arm.right + kHandle * arm.closed;
    const double* given = r.data() + row_offset(node.arms[i].joint);
    for (int row = 0; row < joint_rows(node.arms[i].joint); ++row) {
      right[row] -= given[row];
    }
    leaves_.rake_right_side(node.body, i, right, wrench);
  }
  steps_.project(leaves_.plan(node.body), node.plan, leaves_.times_inverse_inertia(node.body, wrench).data());
}

void AssemblyEngine::recover_body(const Node& node, std::span<double> sigma, std::span<Vec6> rates) {
  const std::size_t body = index_of(node.body);
  Vec6 wrench = body_input_[body];
  const BodyPlan& plan = leaves_.plan(node.body);
  steps_.add_multipliers(plan, plan.handles, sigma.data(), wrench.data());
  rates[body] = leaves_.times_inverse_inertia(node.body, wrench);
  for (std::size_t i = 0; i < node.arms.size(); ++i) {
    const NodePlan& arm = nodes_[index_of(node.arms[i].child)].plan;
    leaves_.recover_arm(node.body, i, arm.right + kHandle * arm.closed, rates[body],
                        sigma.data() + row_offset(node.arms[i].joint));
  }
}

void AssemblyEngine::sweep(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma,
                           std::span<Vec6> rates) {
  for (const Node& node : nodes_) {
    if (node.body >= 0) {
      set_leaf_right_side(node, r, input);
    } else {
      steps_.gather_right(node.plan);
    }
    if (node.plan.closed > 0) {
      steps_.eliminate(node.plan, r.data());
    }
  }
  // Disassembly: parents first, each node reads the multipliers of its external handles from the joints closed above
  // it.
  for (std::size_t index = nodes_.size(); index-- > 0;) {
    const Node& node = nodes_[index];
    if (node.plan.closed > 0) {
      steps_.recover(node.plan, sigma.data());
    }
    if (node.body >= 0) {
      recover_body(node, sigma, rates);
    }
  }
}

}  // namespace mbdbench
