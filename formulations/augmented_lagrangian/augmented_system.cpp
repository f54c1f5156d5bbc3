#include "formulations/augmented_lagrangian/augmented_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/assembly/mechanism_assembly.hpp"
#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

bool only_gravity(const MechanismDescription& description) {
  return description.joint_loads.empty() && description.body_loads.empty() && description.joint_springs.empty() &&
         description.point_springs.empty() && description.bushings.empty() && description.joint_frictions.empty() &&
         description.joint_stops.empty();
}

ProximalOptions proximal(const Mechanism& mechanism, const AugmentedOptions& options) {
  return {ProximalRows::everywhere,
          1.0 / options.alpha,
          {options.most_iterations, options.acceleration, options.conjugate},
          mechanism.generic_rank().overconstrained};
}

}  // namespace

AugmentedSystem::AugmentedSystem(const Mechanism& mechanism, const AugmentedOptions& options, const CutReferences* near)
    : mechanism_(&mechanism),
      options_(options),
      kinematics_(mechanism),
      motions_(mechanism),
      assembly_(make_assembly()),
      alone_({}, {}),
      loads_needed_(!only_gravity(mechanism.description())),
      tree_(mechanism),
      loads_(mechanism, near),
      placed_(kAbsoluteCoordinates * mechanism.bodies().size()),
      assembled_(placed_.size(), std::numeric_limits<double>::quiet_NaN()),
      near_(mechanism.q0().data(), mechanism.q0().data() + mechanism.q_size()),
      q_(near_),
      u_(index_of(mechanism.u_size())),
      input_(mechanism.bodies().size(), Vec6::Zero()),
      accelerations_(mechanism.bodies().size(), Vec6::Zero()),
      right_(index_of(std::visit([](const auto& assembly) { return assembly.row_count(); }, assembly_))),
      multipliers_(right_.size()),
      residual_(right_.size()) {
  tree_needed_ = loads_needed_ || mechanism.rheonomic();
  if (packed() && !tree_needed_) {
    auto& assembly = std::get<DualAssembly>(assembly_);
    own_scope_ = assembly.scope();
    if (!assembly.twins().all().empty()) {
      twins_.emplace(mechanism, assembly.twins(), 2.0 * options.omega * options.mu, options.omega * options.omega,
                     options.execution.instruction_set);
    }
  }
  find_single_scope();
  for (int k = 0; k < kinematics_.joint_count(); ++k) {
    const Joint& joint = kinematics_.joint(k);
    row_offsets_.push_back(std::visit([k](const auto& assembly) { return assembly.row_offset(k); }, assembly_));
    directions_.emplace_back(SpatialColumns::Zero(6, joint.nc + static_cast<int>(joint.motions.size())));
  }
}

// Joints outside twins, and the bodies at them.
void AugmentedSystem::find_single_scope() {
  single_scope_ = own_scope_;
  if (!twins_) {
    return;
  }
  single_scope_ = {false, {}, {}};
  single_bodies_.resize(input_.size());
  for (std::size_t i = 0; i < single_bodies_.size(); ++i) {
    single_bodies_[i] = !is_twin(i);
  }
  own_scope_.for_joints({}, index_of(kinematics_.joint_count()), [&](std::size_t k) {
    if (!twins_->has_joint(static_cast<int>(k))) {
      single_scope_.joints.push_back(static_cast<int>(k));
      for (const int body : {kinematics_.joint(static_cast<int>(k)).a, kinematics_.joint(static_cast<int>(k)).b}) {
        if (body >= 0) {
          single_bodies_[index_of(body)] = true;
        }
      }
    }
  });
  own_scope_.for_bodies({}, input_.size(), [&](std::size_t i) {
    if (single_bodies_[i]) {
      single_scope_.bodies.push_back(static_cast<int>(i));
    }
  });
}

AugmentedSystem::Assembly AugmentedSystem::make_assembly() const {
  AssemblyTree tree(mechanism_->body_count(), assembly_joints(*mechanism_), options_.ground);
  const ProximalOptions regularised = proximal(*mechanism_, options_);
  if (DualAssembly::suits(tree, regularised)) {
    // In its place: letters know where its memory lies.
    return Assembly(std::in_place_type<DualAssembly>, tree, body_masses(*mechanism_), regularised, options_.execution);
  }
  AssemblyEngine engine(std::move(tree), body_masses(*mechanism_), regularised, options_.execution.instruction_set);
  if (regularised.ranked) {
    // The regularisation hides ranks: those of the same nodes without it.
    AssemblyOptions unregularised;
    unregularised.ground = options_.ground;
    unregularised.instruction_set = options_.execution.instruction_set;
    engine.limit_loop_ranks(MechanismAssembly(*mechanism_, unregularised, nullptr).engine().loop_rank_limits());
  }
  return engine;
}

void AugmentedSystem::set_near(std::span<const double> q) {
  std::copy(q.begin(), q.end(), near_.begin());
}

void AugmentedSystem::place(double t, std::span<const double> y, const DualScope& scope) {
  motions_.evaluate(t);
  std::copy(y.begin(), y.end(), placed_.begin());
  kinematics_.set_positions(y, team(), scope);
  if (tree_needed_) {
    tree_coordinates(kinematics_, near_, q_);
  }
}

RhsStatus AugmentedSystem::assemble() {
  if (placed_ == assembled_) {
    return {};
  }
  release();
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    if (!std::isfinite(placed_[i])) {
      return {false, mechanism_->bodies()[i / kAbsoluteCoordinates].name, "a coordinate of the body is not a number",
              placed_[i]};
    }
  }
  set_directions();
  const AssemblyPivot failed = std::visit([this](auto& assembly) { return factorise(assembly); }, assembly_);
  if (failed.joint >= 0) {
    return {false, kinematics_.joint(failed.joint).name,
            "the assembled matrix is not positive definite here, its pivot is", failed.value};
  }
  std::copy(placed_.begin(), placed_.end(), assembled_.begin());
  return {};
}

void AugmentedSystem::release() {
  assembled_.front() = std::numeric_limits<double>::quiet_NaN();
}

AssemblyPivot AugmentedSystem::factorise(DualAssembly& assembly) {
  const auto set_own_leaf = [&](int body) { set_leaf(assembly, body); };
  if (!twins_) {
    return assembly.factorise(set_own_leaf);
  }
  return assembly.factorise(set_own_leaf, [this](std::size_t group) { twins_->place(group, placed_); });
}

AssemblyPivot AugmentedSystem::factorise(AssemblyEngine& engine) {
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    set_leaf(engine, body);
  }
  return engine.factorise();
}

void AugmentedSystem::set_leaf(DualAssembly& assembly, int body) {
  if (twins_ && !single_bodies_[index_of(body)]) {
    return;
  }
  const BodyKinematics& state = kinematics_.body(body);
  int handle = -1;
  for (const int k : assembly.joints(body)) {
    ++handle;
    if (twins_ && twins_->has_joint(k)) {
      continue;
    }
    const bool outboard = kinematics_.joint(k).b == body;
    assembly.set_handle(body, handle, directions(k), outboard ? 1.0 : -1.0,
                        kinematics_.handle(k, outboard) - state.com);
  }
  if (!is_twin(index_of(body))) {
    assembly.set_inertia(body, state.inertia_inverse);
  }
}

void AugmentedSystem::set_leaf(AssemblyEngine& engine, int body) {
  const BodyKinematics& state = kinematics_.body(body);
  BodyLeaves& leaves = engine.leaves();
  std::size_t handle = 0;
  for (const int k : leaves.joints(body)) {
    const bool outboard = kinematics_.joint(k).b == body;
    leaves.place_handle(body, handle++, directions(k), outboard ? 1.0 : -1.0,
                        kinematics_.handle(k, outboard) - state.com);
  }
  leaves.set_inertia(body, state.inertia, state.inertia_inverse);
}

std::vector<WorkStage> AugmentedSystem::stages(int passes) const {
  // Poses are the state itself: no recursion along the tree, unless loads or motions speak of joint coordinates.
  constexpr double kTree = 540.0;
  constexpr double kLeaf = 1790.0;  // as MechanismAssembly's
  const double bodies = mechanism_->body_count();
  std::vector<WorkStage> stages;
  if (tree_needed_) {
    stages.push_back({1.0, kTree * bodies});
  }
  stages.push_back({bodies, kLeaf});
  const AssemblyTree tree(mechanism_->body_count(), assembly_joints(*mechanism_), options_.ground);
  const std::vector<WorkStage> nodes = tree.stages(passes);
  stages.insert(stages.end(), nodes.begin(), nodes.end());
  return stages;
}

int AugmentedSystem::solve_accelerations(double t) {
  set_equations(t);
  return std::visit(
      [this](auto& assembly) {
        assembly.solve(right_, input_, multipliers_, accelerations_);  // [Malczyk2012, Eq. (6), (9)-(34)] in dual form
        return assembly.passes();
      },
      assembly_);
}

int AugmentedSystem::solve(double t, std::span<const double> rates) {
  if (!twins_) {
    return solve_accelerations(t);
  }
  auto& assembly = std::get<DualAssembly>(assembly_);
  team().run([&](const BranchShare& share) {
    set_equations(share, single_scope_);
    assembly.for_twins(share, [&](std::size_t group) { twins_->move(group, rates); });
  });
  assembly.solve(right_, input_, multipliers_, accelerations_, single_scope_);
  return assembly.passes();
}

void AugmentedSystem::set_twin_rates(std::span<double> xdot) {
  release();
  if (twins_) {
    const auto& assembly = std::get<DualAssembly>(assembly_);
    team().run([&](const BranchShare& share) {
      assembly.for_twins(share, [&](std::size_t group) { twins_->accelerate(group, xdot); });
    });
  }
}

void AugmentedSystem::correct(std::span<const double> residual, std::span<double> sigma, std::span<Vec6> rates) {
  std::visit([&](auto& assembly) { assembly.correct(residual, sigma, rates); }, assembly_);
}

int AugmentedSystem::refine(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates,
                            const PassLimits& limits) {
  return std::visit([&](auto& assembly) { return assembly.refine(r, sigma, rates, limits); }, assembly_);
}

PassRemainder AugmentedSystem::remainder() const {
  return std::visit([](const auto& assembly) { return assembly.remainder(); }, assembly_);
}

void AugmentedSystem::tree_state(std::span<double> q, std::span<double> u) const {
  tree_coordinates(kinematics_, near_, q);
  tree_velocities(kinematics_, u);
}

}  // namespace mbdbench
