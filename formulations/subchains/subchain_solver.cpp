#include "formulations/subchains/subchain_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <vector>

#include "formulations/subchains/block_handles.hpp"
#include "formulations/subchains/execution.hpp"
#include "formulations/subchains/instruction_set.hpp"
#include "formulations/subchains/worker_team.hpp"
#include "mechanisms/model/index_of.hpp"

namespace mbdbench {
namespace {

using kernels::ChainNode;
using kernels::ClosedHandle;
using kernels::OutboardNode;
using kernels::Row;

/// Memory for arrays of packs.
struct AlignedDelete {
  void operator()(double* memory) const { ::operator delete(memory, std::align_val_t(64)); }
};
using AlignedMemory = std::unique_ptr<double, AlignedDelete>;

AlignedMemory aligned_memory(std::size_t count) {
  AlignedMemory memory(static_cast<double*>(::operator new(count * sizeof(double), std::align_val_t(64))));
  std::memset(memory.get(), 0, count * sizeof(double));
  return memory;
}

/// The layouts of the kernels, in numbers of one lane.
constexpr int kLanes = ChainSweeps::kLanes;
constexpr std::size_t kLinkNumbers = sizeof(kernels::LinkConstants<double>) / sizeof(double);
constexpr std::size_t kTurnNumbers = sizeof(kernels::SineCosine<double>) / sizeof(double);
constexpr std::size_t kSweepNumbers = sizeof(LinkSweep<double>) / sizeof(double);
constexpr std::size_t kMotionNumbers = sizeof(LinkMotion<double>) / sizeof(double);
constexpr std::size_t kScanNumbers = sizeof(TurnScan<double>) / sizeof(double);
constexpr std::size_t kNodeNumbers = sizeof(LaneNode<double>) / sizeof(double);
constexpr std::size_t kExchangeNumbers = sizeof(LaneExchange<double>) / sizeof(double);

Vec3 vector_of(const kernels::LinkVector<double>& v) {
  return {v.x, v.y, v.z};
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// One lane of a structure of kLanes. \param from the structure
template <typename Lane>
Lane lane_of(const double* from, int lane) {
  Lane result{};
  double numbers[sizeof(Lane) / sizeof(double)];
  for (std::size_t k = 0; k < sizeof(Lane) / sizeof(double); ++k) {
    numbers[k] = from[k * std::size_t{kLanes} + index_of(lane)];
  }
  std::memcpy(&result, numbers, sizeof(Lane));
  return result;
}

template <typename Lane>
void set_lane(const Lane& value, double* to, int lane) {
  double numbers[sizeof(Lane) / sizeof(double)];
  std::memcpy(numbers, &value, sizeof(Lane));
  for (std::size_t k = 0; k < sizeof(Lane) / sizeof(double); ++k) {
    to[k * std::size_t{kLanes} + index_of(lane)] = numbers[k];
  }
}

/// \returns where the parts of ranks begin in an array with one element a block, in bytes.
std::vector<std::size_t> bounds_of(const ChainPlan& plan, const RankExchange* ranks, std::size_t element) {
  std::vector<std::size_t> bounds;
  if (ranks != nullptr) {
    for (int r = 0; r < ranks->size(); ++r) {
      bounds.push_back(element * index_of(plan.blocks_of(r, ranks->size()).first));
    }
  }
  bounds.push_back(element * index_of(plan.division().blocks));
  return bounds;
}

}  // namespace

struct SubchainSolver::Work {
  Work(const ChainPlan& chain, RankExchange* ranks);

  /// \returns the block of a sub-chain of this rank.
  [[nodiscard]] ChainBlock& block(int s) { return blocks[index_of(s / kLanes - own.first)]; }
  [[nodiscard]] int lane(int s) const { return s % kLanes; }
  [[nodiscard]] const ChainNode& node(int s) const { return handles[index_of(s / kLanes)].lanes[s % kLanes]; }
  /// \returns which member of the team works on a block of this rank.
  [[nodiscard]] int worker(int b) const { return (b - own.first) * team.size() / own.count(); }
  /// Calls body(b, block) for the blocks of this rank that a member of the team works on.
  template <typename Body>
  void for_blocks_of(int member, const Body& body) {
    for (int b = own.first; b < own.last; ++b) {
      if (worker(b) == member) {
        body(b, blocks[index_of(b - own.first)]);
      }
    }
  }
  void allot(ChainBlock& block);
  void set_constants(int s);
  void scatter(int b, std::span<const double> values, double* ChainBlock::*array, int count);
  void gather(int b, double* ChainBlock::*array, std::span<double> values) const;
  void set_turns(int b, std::span<const double> q);
  void set_scans(int b, BlockScan& scan) const;
  void set_handles(int b, double smallest_pivot, bool finite);
  [[nodiscard]] JointTurn first_turn(int b) const;
  template <typename Part>
  void meet(int member, std::vector<Part>& parts, std::span<const std::size_t> bounds);
  void exchange_rates(int member);
  void exchange_moments();
  void close(const Row& base);
  [[nodiscard]] int failed_joint(std::span<const double> rates);
  [[nodiscard]] int outermost_failure();

  const ChainPlan* plan;
  const ChainSweeps* sweeps;
  RankExchange* ranks;  // none: all blocks are this rank's
  BlockRange own;
  std::size_t first_position;
  std::vector<int> components;  // of q and u by position from first_position
  std::vector<ChainBlock> blocks;
  std::vector<AlignedMemory> memory;
  // Of all ranks' blocks:
  std::vector<BlockScan> scans;
  std::vector<BlockHandles> handles;
  std::vector<ClosedHandle> closed;
  std::vector<Row> motions;
  std::vector<Row> wrenches;
  std::vector<std::size_t> scan_bounds;    // bytes of `scans` by rank
  std::vector<std::size_t> handle_bounds;  // bytes of `handles` by rank
  double failed_pivot = 0.0;
  WorkerTeam team;
};

SubchainSolver::Work::Work(const ChainPlan& chain, RankExchange* given)
    : plan(&chain),
      sweeps(&instruction_set().sweeps),
      ranks(given),
      own(ranks == nullptr ? BlockRange{0, chain.division().blocks} : chain.blocks_of(ranks->rank(), ranks->size())),
      first_position(chain.positions_of(own).first),
      components(chain.joints().begin() + chain.positions_of(own).first,
                 chain.joints().begin() + chain.positions_of(own).last),
      blocks(index_of(own.count())),
      scans(index_of(chain.division().blocks)),
      handles(scans.size()),
      closed(index_of(chain.division().subchains())),
      motions(closed.size()),
      wrenches(closed.size()),
      scan_bounds(bounds_of(chain, ranks, sizeof(BlockScan))),
      handle_bounds(bounds_of(chain, ranks, sizeof(BlockHandles))),
      team(std::min(thread_count(), own.count())) {
  if (ranks != nullptr) {
    // A part of the state holds its components by position.
    std::iota(components.begin(), components.end(), 0);
  }
  for (ChainBlock& block : blocks) {
    allot(block);
  }
  for (int s = own.first * kLanes; s < own.last * kLanes; ++s) {
    set_constants(s);
  }
}

void SubchainSolver::Work::allot(ChainBlock& block) {
  block.length = plan->division().length;
  const auto length = index_of(block.length);
  const auto take = [&](double*& array, std::size_t numbers) {
    memory.push_back(aligned_memory(numbers * kLanes));
    array = memory.back().get();
  };
  take(block.links, (length + 1) * kLinkNumbers);
  take(block.padding, length);
  take(block.offsets, length + 1);
  take(block.angles, length + 1);
  take(block.turns, (length + 1) * kTurnNumbers);
  take(block.rates, length);
  take(block.forces, length);
  take(block.results, length);
  take(block.momentum_rates, length);
  take(block.sweeps, length * kSweepNumbers);
  take(block.motions, length * kMotionNumbers);
  take(block.scan, kScanNumbers);
  take(block.node, kNodeNumbers);
  take(block.exchange, kExchangeNumbers);
}

void SubchainSolver::Work::set_constants(int s) {
  ChainBlock& to = block(s);
  for (int i = 0; i <= to.length; ++i) {
    const std::size_t position = index_of(s * to.length + i);
    kernels::LinkConstants<double> link{};
    link.cos_alpha = 1.0;
    double offset = 0.0;
    const bool real = position < plan->links().size();
    if (real) {
      const RevoluteLink& given = plan->links()[position];
      link = {given.px,  given.py,  given.cos_alpha, given.sin_alpha, given.mass,
              given.hx,  given.hy,  given.hz,        given.jxx,       given.jxy,
              given.jxz, given.jyy, given.jyz,       given.jzz,       given.outboard_mass};
      offset = plan->offsets()[position];
    }
    set_lane(link, to.links + index_of(i) * kLinkNumbers * std::size_t{kLanes}, lane(s));
    // The handle to the next block lies before that joint's angle.
    to.offsets[i * kLanes + lane(s)] = i == to.length && lane(s) == kLanes - 1 ? 0.0 : offset;
    if (i < to.length) {
      to.padding[i * kLanes + lane(s)] = real ? 0.0 : 1.0;
    }
  }
}

void SubchainSolver::Work::scatter(int b, std::span<const double> values, double* ChainBlock::*array, int count) {
  const ChainBlock& to_block = blocks[index_of(b - own.first)];
  const std::size_t end_of_block = index_of((b + 1) * kLanes * to_block.length) - first_position;
  for (int l = 0; l < kLanes; ++l) {
    const std::size_t first = index_of((b * kLanes + l) * to_block.length) - first_position;
    const std::size_t last = std::min({first + index_of(count), end_of_block, components.size()});
    double* to = to_block.*array + l;
    for (std::size_t i = first; i < last; ++i, to += kLanes) {
      *to = values[index_of(components[i])];
    }
  }
}

void SubchainSolver::Work::gather(int b, double* ChainBlock::*array, std::span<double> values) const {
  const ChainBlock& from_block = blocks[index_of(b - own.first)];
  for (int l = 0; l < kLanes; ++l) {
    const std::size_t first = index_of((b * kLanes + l) * from_block.length) - first_position;
    const std::size_t last = std::min(first + index_of(from_block.length), components.size());
    const double* from = from_block.*array + l;
    for (std::size_t i = first; i < last; ++i, from += kLanes) {
      values[index_of(components[i])] = *from;
    }
  }
}

void SubchainSolver::Work::set_turns(int b, std::span<const double> q) {
  const ChainBlock& to = blocks[index_of(b - own.first)];
  scatter(b, q, &ChainBlock::angles, to.length + 1);
  if (sweeps->set_turns(to)) {
    return;
  }
  // Huge angles: the kernel has added the offsets.
  const int count = (to.length + 1) * kLanes;
  for (int k = 0; k < count; ++k) {
    const int i = k / kLanes;
    const int l = k % kLanes;
    to.turns[2 * i * kLanes + l] = std::sin(to.angles[k]);
    to.turns[(2 * i + 1) * kLanes + l] = std::cos(to.angles[k]);
  }
}

/// Of the first joint of a block.
JointTurn SubchainSolver::Work::first_turn(int b) const {
  return lane_of<JointTurn>(blocks[index_of(b - own.first)].turns, 0);
}

void SubchainSolver::Work::set_scans(int b, BlockScan& scan) const {
  for (int l = 0; l < kLanes; ++l) {
    scan.lanes[l] = lane_of<TurnScan<double>>(blocks[index_of(b - own.first)].scan, l);
  }
}

void SubchainSolver::Work::set_handles(int b, double smallest_pivot, bool finite) {
  BlockHandles& block_handles = handles[index_of(b)];
  sweeps->set_nodes(blocks[index_of(b - own.first)], block_handles.lanes);
  turn_proximal_handle(first_turn(b), block_handles.lanes[0]);
  block_handles.smallest_pivot = finite ? smallest_pivot : std::numeric_limits<double>::quiet_NaN();
}

/// All blocks' parts are there when it returns.
template <typename Part>
void SubchainSolver::Work::meet(int member, std::vector<Part>& parts, std::span<const std::size_t> bounds) {
  team.barrier();
  if (ranks != nullptr) {
    if (member == 0) {
      ranks->share(std::as_writable_bytes(std::span(parts)), bounds);
    }
    team.barrier();
  }
}

void SubchainSolver::Work::exchange_rates(int member) {
  Vec3 omega = Vec3::Zero();
  for (int b = 0; b < own.last; ++b) {
    for (int l = 0; l < kLanes; ++l) {
      const TurnScan<double>& scan = scans[index_of(b)].lanes[l];
      const Vec3 x = vector_of(scan.x);
      const Vec3 y = vector_of(scan.y);
      omega = (omega.x() * x + omega.y() * y + omega.z() * x.cross(y) + vector_of(scan.carried)).eval();
      if (b >= own.first && worker(b) == member) {
        set_lane(kernels::LinkVector<double>{omega.x(), omega.y(), omega.z()}, block(b * kLanes).exchange, l);
      }
    }
  }
}

void SubchainSolver::Work::exchange_moments() {
  const int count = plan->division().subchains();
  Vec3 moment = Vec3::Zero();
  for (int s = count - 1; s >= own.first * kLanes; --s) {
    if (s < own.last * kLanes) {
      set_lane(kernels::LinkVector<double>{moment.x(), moment.y(), moment.z()}, block(s).exchange + 6 * kLanes,
               lane(s));
    }
    const TurnScan<double>& scan = handles[index_of(s / kLanes)].scan.lanes[lane(s)];
    const Vec3 x = vector_of(scan.x);
    const Vec3 y = vector_of(scan.y);
    moment = (moment.x() * x + moment.y() * y + moment.z() * x.cross(y) + vector_of(scan.carried)).eval();
  }
  Vec3 gravity = vector_of(plan->into_first_link(plan->gravity()));
  for (int s = 0; s < own.last * kLanes; ++s) {
    const TurnScan<double>& scan = handles[index_of(s / kLanes)].scan.lanes[lane(s)];
    const Vec3 x = vector_of(scan.x);
    const Vec3 y = vector_of(scan.y);
    gravity = Vec3(x.dot(gravity), y.dot(gravity), x.cross(y).dot(gravity));
    if (s >= own.first * kLanes) {
      set_lane(kernels::LinkVector<double>{gravity.x(), gravity.y(), gravity.z()}, block(s).exchange + 3 * kLanes,
               lane(s));
    }
  }
}

void SubchainSolver::Work::close(const Row& base) {
  const int count = plan->division().subchains();
  OutboardNode outboard{};
  std::copy(std::begin(node(count - 1).inertia), std::end(node(count - 1).inertia), outboard.inertia);
  outboard.wrench = node(count - 1).wrench;
  for (int s = count - 2; s >= 0; --s) {
    sweeps->close(node(s), outboard, closed[index_of(s)]);
  }
  motions.front() = base;
  for (int s = 0; s + 1 < count; ++s) {
    sweeps->open(node(s), closed[index_of(s)], motions[index_of(s)], motions[index_of(s + 1)], wrenches[index_of(s)]);
  }
  for (int s = own.first * kLanes; s < own.last * kLanes; ++s) {
    double* to = block(s).exchange + 9 * kLanes + index_of(lane(s));
    const double* wrench = wrenches[index_of(s)].at;
    Row motion = motions[index_of(s)];
    if (lane(s) == 0) {
      turn_on(first_turn(s / kLanes), motion.at[0], motion.at[1]);
      turn_on(first_turn(s / kLanes), motion.at[3], motion.at[4]);
    }
    for (std::size_t i = 0; i < 6; ++i) {
      to[i * kLanes] = s + 1 < count ? wrench[i] : 0.0;
      to[(6 + i) * kLanes] = motion.at[i];
    }
  }
}

int SubchainSolver::Work::failed_joint(std::span<const double> rates) {
  const bool positive = std::all_of(handles.begin(), handles.end(), [](const BlockHandles& block_handles) {
    return block_handles.smallest_pivot > 0.0;
  });
  // What is not a number anywhere has reached the base on the way inward and all links on the way outward. Of several
  // ranks each looks at its results itself: all have to return the same from here.
  if (positive && (ranks != nullptr || (std::isfinite(rates[index_of(components.front())]) &&
                                        std::isfinite(rates[index_of(components.back())])))) {
    return -1;
  }
  return outermost_failure();
}

int SubchainSolver::Work::outermost_failure() {
  struct Failure {
    double position = -1.0;
    double pivot = std::numeric_limits<double>::quiet_NaN();
  };
  constexpr std::size_t kPivot = offsetof(LinkSweep<double>, pivot) / sizeof(double);
  const auto length = index_of(plan->division().length);
  std::vector<Failure> failures(index_of(ranks == nullptr ? 1 : ranks->size()));
  Failure& mine = failures[index_of(ranks == nullptr ? 0 : ranks->rank())];
  for (std::size_t position = first_position + components.size(); position-- > first_position;) {
    const int s = static_cast<int>(position / length);
    const double pivot =
        block(s).sweeps[(position % length * kSweepNumbers + kPivot) * std::size_t{kLanes} + index_of(lane(s))];
    if (!(pivot > 0.0) || !std::isfinite(pivot)) {
      mine = {static_cast<double>(position), pivot};
      break;
    }
  }
  if (ranks != nullptr) {
    std::vector<std::size_t> bounds(failures.size() + 1);
    for (std::size_t r = 0; r < bounds.size(); ++r) {
      bounds[r] = r * sizeof(Failure);
    }
    ranks->share(std::as_writable_bytes(std::span(failures)), bounds);
  }
  const auto outermost = std::max_element(failures.begin(), failures.end(),
                                          [](const Failure& a, const Failure& b) { return a.position < b.position; });
  // None: angles and pivots are numbers, rates or loads are not.
  failed_pivot = outermost->pivot;
  return outermost->position < 0.0 ? plan->joints().back()
                                   : plan->joints()[static_cast<std::size_t>(outermost->position)];
}

SubchainSolver::SubchainSolver(const ChainPlan& plan, RankExchange* ranks)
    : work_(std::make_unique<Work>(plan, ranks)) {}
SubchainSolver::~SubchainSolver() = default;

int SubchainSolver::accelerations(std::span<const double> q, std::span<const double> u, std::span<double> udot) {
  Work& work = *work_;
  const bool finite = work.ranks == nullptr || (all_finite(q) && all_finite(u));
  work.team.run([&](int member) {
    work.for_blocks_of(member, [&](int b, ChainBlock& block) {
      work.set_turns(b, q);
      work.scatter(b, u, &ChainBlock::rates, block.length);
      work.sweeps->scan_rates(block);
      work.set_scans(b, work.scans[index_of(b)]);
      turn_outward_scan(work.first_turn(b), work.scans[index_of(b)].lanes[0]);
    });
    work.meet(member, work.scans, work.scan_bounds);  // first exchange
    work.exchange_rates(member);
    work.for_blocks_of(member, [&](int b, ChainBlock& block) {
      work.set_handles(b, work.sweeps->sweep_accelerations_inward(block), finite);
    });
    work.meet(member, work.handles, work.handle_bounds);  // second exchange
    if (member == 0) {
      const kernels::LinkVector<double> base = work.plan->into_first_link(-work.plan->gravity());
      work.close(Row{{base.x, base.y, base.z, 0.0, 0.0, 0.0, 0.0, 0.0}});
    }
    work.team.barrier();
    work.for_blocks_of(member, [&](int b, ChainBlock& block) {
      work.sweeps->sweep_accelerations_outward(block);
      work.gather(b, &ChainBlock::results, udot);
    });
  });
  return work.failed_joint(udot);
}

int SubchainSolver::momenta(std::span<const double> q, std::span<const double> p, std::span<double> u,
                            std::span<double> pdot) {
  Work& work = *work_;
  const bool finite = work.ranks == nullptr || (all_finite(q) && all_finite(p));
  work.team.run([&](int member) {
    work.for_blocks_of(member, [&](int b, ChainBlock& block) {
      work.set_turns(b, q);
      work.scatter(b, p, &ChainBlock::rates, block.length);
      work.set_handles(b, work.sweeps->sweep_momenta_inward(block), finite);
      BlockScan& scan = work.handles[index_of(b)].scan;
      work.set_scans(b, scan);
      turn_inward_scan(work.first_turn(b), scan.lanes[0]);
    });
    work.meet(member, work.handles, work.handle_bounds);  // the only exchange: what acts on momenta needs no velocities
    if (member == 0) {
      work.exchange_moments();
      work.close(Row{});
    }
    work.team.barrier();
    work.for_blocks_of(member, [&](int b, ChainBlock& block) {
      work.sweeps->sweep_velocities_outward(block);
      work.gather(b, &ChainBlock::results, u);
      work.sweeps->sweep_momentum_rates(block);
      work.gather(b, &ChainBlock::momentum_rates, pdot);
    });
  });
  const int failed = work.failed_joint(u);
  return failed >= 0 ? failed : work.failed_joint(pdot);
}

double SubchainSolver::failed_pivot() const {
  return work_->failed_pivot;
}

}  // namespace mbdbench
