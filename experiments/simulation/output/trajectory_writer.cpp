#include "experiments/simulation/output/trajectory_writer.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "formulations/drive_forces.hpp"

namespace mbdbench {
namespace {

std::vector<std::string> columns_of(const Formulation& formulation, const MotionColumns& motion, bool reactions) {
  const Mechanism& mechanism = formulation.mechanism();
  std::vector<std::string> columns = {"t"};
  for (const StateComponent& component : formulation.layout()) {
    columns.push_back(component.name);
  }
  columns.insert(columns.end(), {"kinetic", "potential", "total", "position_residual", "velocity_residual"});
  const auto add = [&](std::initializer_list<const char*> quantities, const std::string& owner) {
    for (const char* quantity : quantities) {
      columns.push_back(fmt::format("{}_{}", quantity, owner));
    }
  };
  for (const Marker& marker : mechanism.markers()) {
    add({"x", "y", "z", "vx", "vy", "vz"}, marker.name);
  }
  columns.insert(columns.end(), motion.names().begin(), motion.names().end());
  if (reactions) {
    for (const auto joints : {mechanism.tree_joints(), mechanism.cut_joints()}) {
      for (const Joint& joint : joints) {
        add({"fx", "fy", "fz", "nx", "ny", "nz"}, joint.name);
      }
    }
    for (const std::string& driven : drive_names(mechanism)) {
      add({"drive"}, driven);
    }
    for (const Coupling& coupling : mechanism.couplings()) {
      add({"coupling"}, coupling.name);
    }
  }
  return columns;
}

void require_ok(const RhsStatus& status, const char* what, double t) {
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the {} at t = {} cannot be computed: {}", what, t, status.message()));
  }
}

}  // namespace

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& file, Formulation& formulation,
                                   const TrajectoryContent& content)
    : formulation_(formulation),
      with_reactions_(content.reactions),
      about_a_(content.reactions_about_a),
      motion_(formulation, content.motion),
      stream_(file, content.comments, columns_of(formulation, motion_, content.reactions)),
      kinematics_(content.reactions ? std::make_unique<Kinematics>(formulation.mechanism()) : nullptr),
      q_(static_cast<std::size_t>(formulation.mechanism().q_size())),
      u_(static_cast<std::size_t>(formulation.mechanism().u_size())) {}

void TrajectoryWriter::append(const std::vector<Vec6>& wrenches) {
  for (const Vec6& wrench : wrenches) {
    row_.insert(row_.end(), wrench.begin(), wrench.end());
  }
}

void TrajectoryWriter::append_reactions(double t, std::span<const double> x) {
  require_ok(formulation_.reactions(t, x, reactions_), "reactions", t);
  require_ok(formulation_.unpack(t, x, q_, u_), "joint coordinates", t);
  kinematics_->set_positions(q_);
  const DriveForces forces = drive_forces(*kinematics_, reactions_);
  if (about_a_) {
    const auto shift = [&](std::span<const Joint> joints, std::vector<Vec6>& wrenches, const auto& state_of) {
      for (std::size_t k = 0; k < joints.size(); ++k) {
        const Vec3 origin = kinematics_->world_point(joints[k].a, joints[k].position_a);
        wrenches[k] = shift_wrench(state_of(static_cast<int>(k)).point - origin, wrenches[k]);
      }
    };
    shift(formulation_.mechanism().tree_joints(), reactions_.tree_joints,
          [&](int k) { return kinematics_->tree_joint(k); });
    shift(formulation_.mechanism().cut_joints(), reactions_.cut_joints,
          [&](int k) { return kinematics_->cut_joint(k); });
  }
  append(reactions_.tree_joints);
  append(reactions_.cut_joints);
  row_.insert(row_.end(), forces.drives.begin(), forces.drives.end());
  row_.insert(row_.end(), forces.couplings.begin(), forces.couplings.end());
}

bool TrajectoryWriter::sample(double t, std::span<const double> x) {
  require_ok(formulation_.observe(t, x, observation_), "energies and markers", t);
  row_.assign(1, t);
  row_.insert(row_.end(), x.begin(), x.end());
  const Energies& energies = observation_.energies;
  row_.insert(row_.end(), {energies.kinetic, energies.potential, energies.total(), observation_.position_residual,
                           observation_.velocity_residual});
  for (std::size_t i = 0; i < observation_.marker_positions.size(); ++i) {
    append(observation_.marker_positions[i]);
    append(observation_.marker_velocities[i]);
  }
  motion_.append(t, x, row_);
  if (with_reactions_) {
    append_reactions(t, x);
  }
  stream_.write(row_);
  return true;
}

}  // namespace mbdbench
