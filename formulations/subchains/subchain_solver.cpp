#include "formulations/subchains/subchain_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "formulations/subchains/chain_block.hpp"
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

}  // namespace

struct SubchainSolver::Work {
  explicit Work(const ChainPlan& chain);

  [[nodiscard]] ChainBlock& block(int s) { return blocks[index_of(s / kLanes)]; }
  [[nodiscard]] int lane(int s) const { return s % kLanes; }
  /// \returns which member of the team works on a block.
  [[nodiscard]] int owner(int b) const { return b * team.size() / plan->division().blocks; }
  template <typename Body>
  void for_blocks_of(int member, const Body& body) {
    for (int b = 0; b < plan->division().blocks; ++b) {
      if (owner(b) == member) {
        body(b, blocks[index_of(b)]);
      }
    }
  }
  void allot(ChainBlock& block);
  void set_constants(int s);
  void scatter(int b, std::span<const double> values, double* ChainBlock::*array, int count);
  void gather(int b, double* ChainBlock::*array, std::span<double> values) const;
  void set_turns(int b, std::span<const double> q);
  void set_nodes(int b);
  void exchange_rates(int member);
  void exchange_moments();
  void close(const Row& base);
  [[nodiscard]] kernels::LinkVector<double> into_first_link(const Vec3& v);
  [[nodiscard]] int failed_joint(std::span<const double> rates);

  const ChainPlan* plan;
  const ChainSweeps* sweeps;
  std::vector<ChainBlock> blocks;
  std::vector<AlignedMemory> memory;
  std::vector<ChainNode> nodes;
  std::vector<ClosedHandle> handles;
  std::vector<Row> motions;
  std::vector<Row> wrenches;
  std::vector<double> pivots;  // the smallest of every block
  double failed_pivot = 0.0;
  WorkerTeam team;
};

SubchainSolver::Work::Work(const ChainPlan& chain)
    : plan(&chain),
      sweeps(&instruction_set().sweeps),
      blocks(index_of(chain.division().blocks)),
      nodes(index_of(chain.division().subchains())),
      handles(nodes.size()),
      motions(nodes.size()),
      wrenches(nodes.size()),
      pivots(blocks.size()),
      team(std::min(thread_count(), chain.division().blocks)) {
  for (ChainBlock& block : blocks) {
    allot(block);
  }
  for (int s = 0; s < plan->division().subchains(); ++s) {
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
  ChainBlock& own = block(s);
  for (int i = 0; i <= own.length; ++i) {
    const std::size_t position = index_of(s * own.length + i);
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
    set_lane(link, own.links + index_of(i) * kLinkNumbers * std::size_t{kLanes}, lane(s));
    own.offsets[i * kLanes + lane(s)] = offset;
    if (i < own.length) {
      own.padding[i * kLanes + lane(s)] = real ? 0.0 : 1.0;
    }
  }
}

void SubchainSolver::Work::scatter(int b, std::span<const double> values, double* ChainBlock::*array, int count) {
  ChainBlock& own = blocks[index_of(b)];
  const std::span<const int> joints = plan->joints();
  for (int l = 0; l < kLanes; ++l) {
    const std::size_t first = index_of((b * kLanes + l) * own.length);
    const std::size_t last = std::min(first + index_of(count), joints.size());
    double* to = own.*array + l;
    for (std::size_t position = first; position < last; ++position, to += kLanes) {
      *to = values[index_of(joints[position])];
    }
  }
}

void SubchainSolver::Work::gather(int b, double* ChainBlock::*array, std::span<double> values) const {
  const ChainBlock& own = blocks[index_of(b)];
  const std::span<const int> joints = plan->joints();
  for (int l = 0; l < kLanes; ++l) {
    const std::size_t first = index_of((b * kLanes + l) * own.length);
    const std::size_t last = std::min(first + index_of(own.length), joints.size());
    const double* from = own.*array + l;
    for (std::size_t position = first; position < last; ++position, from += kLanes) {
      values[index_of(joints[position])] = *from;
    }
  }
}

void SubchainSolver::Work::set_turns(int b, std::span<const double> q) {
  ChainBlock& own = blocks[index_of(b)];
  scatter(b, q, &ChainBlock::angles, own.length + 1);
  if (sweeps->set_turns(own)) {
    return;
  }
  // Huge angles: the kernel has added the offsets.
  const int count = (own.length + 1) * kLanes;
  for (int k = 0; k < count; ++k) {
    const int i = k / kLanes;
    const int l = k % kLanes;
    own.turns[2 * i * kLanes + l] = std::sin(own.angles[k]);
    own.turns[(2 * i + 1) * kLanes + l] = std::cos(own.angles[k]);
  }
}

void SubchainSolver::Work::set_nodes(int b) {
  sweeps->set_nodes(blocks[index_of(b)], &nodes[index_of(b * kLanes)]);
}

void SubchainSolver::Work::exchange_rates(int member) {
  Vec3 omega = Vec3::Zero();
  for (int s = 0; s < plan->division().subchains(); ++s) {
    const auto scan = lane_of<TurnScan<double>>(block(s).scan, lane(s));
    const Vec3 x = vector_of(scan.x);
    const Vec3 y = vector_of(scan.y);
    omega = (omega.x() * x + omega.y() * y + omega.z() * x.cross(y) + vector_of(scan.carried)).eval();
    if (owner(s / kLanes) == member) {
      set_lane(kernels::LinkVector<double>{omega.x(), omega.y(), omega.z()}, block(s).exchange, lane(s));
    }
  }
}

void SubchainSolver::Work::exchange_moments() {
  const int count = plan->division().subchains();
  Vec3 moment = Vec3::Zero();
  for (int s = count - 1; s >= 0; --s) {
    set_lane(kernels::LinkVector<double>{moment.x(), moment.y(), moment.z()}, block(s).exchange + 6 * kLanes, lane(s));
    const auto scan = lane_of<TurnScan<double>>(block(s).scan, lane(s));
    const Vec3 x = vector_of(scan.x);
    const Vec3 y = vector_of(scan.y);
    moment = (moment.x() * x + moment.y() * y + moment.z() * x.cross(y) + vector_of(scan.carried)).eval();
  }
  Vec3 gravity = vector_of(into_first_link(plan->gravity()));
  for (int s = 0; s < count; ++s) {
    const auto scan = lane_of<TurnScan<double>>(block(s).scan, lane(s));
    const Vec3 x = vector_of(scan.x);
    const Vec3 y = vector_of(scan.y);
    gravity = Vec3(x.dot(gravity), y.dot(gravity), x.cross(y).dot(gravity));
    set_lane(kernels::LinkVector<double>{gravity.x(), gravity.y(), gravity.z()}, block(s).exchange + 3 * kLanes,
             lane(s));
  }
}

kernels::LinkVector<double> SubchainSolver::Work::into_first_link(const Vec3& v) {
  const auto link = lane_of<kernels::LinkConstants<double>>(blocks.front().links, 0);
  const auto turn = lane_of<kernels::SineCosine<double>>(blocks.front().turns, 0);
  return kernels::rotated_outward(link, turn.cosine, turn.sine, {v.x(), v.y(), v.z()});
}

void SubchainSolver::Work::close(const Row& base) {
  const int count = plan->division().subchains();
  OutboardNode outboard{};
  std::copy(std::begin(nodes.back().inertia), std::end(nodes.back().inertia), outboard.inertia);
  outboard.wrench = nodes.back().wrench;
  for (int s = count - 2; s >= 0; --s) {
    sweeps->close(nodes[index_of(s)], outboard, handles[index_of(s)]);
  }
  motions.front() = base;
  for (int s = 0; s + 1 < count; ++s) {
    sweeps->open(nodes[index_of(s)], handles[index_of(s)], motions[index_of(s)], motions[index_of(s + 1)],
                 wrenches[index_of(s)]);
  }
  for (int s = 0; s < count; ++s) {
    double* to = block(s).exchange + 9 * kLanes + index_of(lane(s));
    const double* wrench = wrenches[index_of(s)].at;
    const double* motion = motions[index_of(s)].at;
    for (std::size_t i = 0; i < 6; ++i) {
      to[i * kLanes] = s + 1 < count ? wrench[i] : 0.0;
      to[(6 + i) * kLanes] = motion[i];
    }
  }
}

int SubchainSolver::Work::failed_joint(std::span<const double> rates) {
  const bool positive = std::all_of(pivots.begin(), pivots.end(), [](double pivot) { return pivot > 0.0; });
  const std::span<const int> joints = plan->joints();
  // What is not a number anywhere has reached the base on the way inward and all links on the way outward.
  if (positive && std::isfinite(rates[index_of(joints.front())]) && std::isfinite(rates[index_of(joints.back())])) {
    return -1;
  }
  constexpr std::size_t kPivot = offsetof(LinkSweep<double>, pivot) / sizeof(double);
  for (std::size_t position = joints.size(); position-- > 0;) {
    const int s = static_cast<int>(position) / plan->division().length;
    const std::size_t i = position % index_of(plan->division().length);
    failed_pivot = block(s).sweeps[(i * kSweepNumbers + kPivot) * std::size_t{kLanes} + index_of(lane(s))];
    if (!(failed_pivot > 0.0) || !std::isfinite(failed_pivot)) {
      return joints[position];
    }
  }
  failed_pivot = std::numeric_limits<double>::quiet_NaN();  // angles and pivots are numbers, rates or loads are not
  return joints.back();
}

SubchainSolver::SubchainSolver(const ChainPlan& plan) : work_(std::make_unique<Work>(plan)) {}
SubchainSolver::~SubchainSolver() = default;

int SubchainSolver::accelerations(std::span<const double> q, std::span<const double> u, std::span<double> udot) {
  Work& work = *work_;
  work.team.run([&](int member) {
    work.for_blocks_of(member, [&](int b, ChainBlock& block) {
      work.set_turns(b, q);
      work.scatter(b, u, &ChainBlock::rates, block.length);
      work.sweeps->scan_rates(block);
    });
    work.team.barrier();  // first exchange
    work.exchange_rates(member);
    work.for_blocks_of(member, [&](int b, ChainBlock& block) {
      work.pivots[index_of(b)] = work.sweeps->sweep_accelerations_inward(block);
      work.set_nodes(b);
    });
    work.team.barrier();  // second exchange
    if (member == 0) {
      const kernels::LinkVector<double> base = work.into_first_link(-work.plan->gravity());
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
  work.team.run([&](int member) {
    work.for_blocks_of(member, [&](int b, ChainBlock& block) {
      work.set_turns(b, q);
      work.scatter(b, p, &ChainBlock::rates, block.length);
      work.pivots[index_of(b)] = work.sweeps->sweep_momenta_inward(block);
      work.set_nodes(b);
    });
    work.team.barrier();  // the only exchange: what acts on momenta needs no velocities
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
