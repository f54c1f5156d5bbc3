#include "formulations/bae_haug/ground_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/mechanism_part.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

int tree_of_body(const Mechanism& whole, const std::vector<int>& tree_of, const std::string& name) {
  const int body = whole.find_body(name).value_or(-1);
  return body < 0 ? -1 : tree_of[index_of(body)];
}

MechanismDescription part_of(const Mechanism& whole, const GroundTrees& trees, std::size_t tree) {
  return mechanism_part(whole, [&](int body) { return trees.tree_of[index_of(body)] == static_cast<int>(tree); });
}

/// \returns where the cut joints hold the tree, in its own numbers of bodies.
std::vector<CutBodies> held_bodies(const Mechanism& whole, const Mechanism& tree) {
  const auto own = [&](int body) {
    return body < 0 ? -1 : tree.find_body(whole.bodies()[index_of(body)].name).value_or(-1);
  };
  std::vector<CutBodies> ends;
  for (const Joint& cut : whole.cut_joints()) {
    ends.push_back({own(cut.a), own(cut.b)});
  }
  return ends;
}

}  // namespace

GroundTrees::GroundTrees(const Mechanism& whole) {
  for (const Joint& joint : whole.tree_joints()) {
    if (joint.a < 0) {
      bodies.push_back(0);
    }
    tree_of.push_back(joint.a < 0 ? static_cast<int>(bodies.size()) - 1 : tree_of[index_of(joint.a)]);
    ++bodies[index_of(tree_of.back())];
  }
  for (const PointSpringDescription& spring : whole.description().point_springs) {
    const int first = tree_of_body(whole, tree_of, spring.body1);
    const int second = tree_of_body(whole, tree_of, spring.body2);
    if (first >= 0 && second >= 0 && first != second) {
      springs.push_back(spring);
    }
  }
  cut_ends.resize(whole.cut_joints().size(), {kNowhere, kNowhere});
  spring_ends.resize(springs.size(), {kNowhere, kNowhere});
  std::size_t place = 0;
  for (int tree = 0; tree < static_cast<int>(bodies.size()); ++tree) {
    starts.push_back(place);
    place += kStatus;
    for (std::size_t c = 0; c < cut_ends.size(); ++c) {
      const Joint& cut = whole.cut_joints()[c];
      for (const bool on_b : {false, true}) {
        const int body = on_b ? cut.b : cut.a;
        if (body >= 0 && tree_of[index_of(body)] == tree) {
          cut_ends[c][on_b ? 1 : 0] = place;
          place += CutEnd::kSize;
        }
      }
    }
    for (std::size_t s = 0; s < springs.size(); ++s) {
      for (const bool second : {false, true}) {
        if (tree_of_body(whole, tree_of, second ? springs[s].body2 : springs[s].body1) == tree) {
          spring_ends[s][second ? 1 : 0] = place;
          place += kSpringEnd;
        }
      }
    }
  }
  starts.push_back(place);
}

GroundTree::GroundTree(const Mechanism& whole, const GroundTrees& trees, std::size_t place)
    : start_(trees.starts[place]),
      whole_(&whole),
      mechanism_(std::make_unique<const Mechanism>(part_of(whole, trees, place))),
      tree_(*mechanism_, nullptr),
      rates_(*mechanism_),
      rows_(*mechanism_, whole, held_bodies(whole, *mechanism_)) {
  const std::vector<CutBodies> held = held_bodies(whole, *mechanism_);
  for (std::size_t c = 0; c < held.size(); ++c) {
    for (const bool on_b : {false, true}) {
      const int body = on_b ? held[c].b : held[c].a;
      if (body >= 0) {
        cut_ends_.push_back({trees.cut_ends[c][on_b ? 1 : 0], body});
      }
    }
  }
  for (std::size_t s = 0; s < trees.springs.size(); ++s) {
    const PointSpringDescription& spring = trees.springs[s];
    for (const bool second : {false, true}) {
      const std::optional<int> body = mechanism_->find_body(second ? spring.body2 : spring.body1);
      if (body) {
        const auto [first_end, second_end] = trees.spring_ends[s];
        crossing_.push_back({{second ? second_end : first_end, *body},
                             second ? first_end : second_end,
                             second ? spring.point2 : spring.point1,
                             spring});
        spring_forces_.push_back({*body, {}, {}});
      }
    }
  }
  for (const Joint& joint : mechanism_->tree_joints()) {
    const Joint& own = whole.joint(*whole.find_joint(joint.name));
    for (int i = 0; i < joint.nq; ++i) {
      coordinates_.push_back(index_of(own.q_offset + i));
    }
    for (int i = 0; i < joint.nu; ++i) {
      velocities_.push_back(index_of(own.u_offset + i));
    }
  }
}

void GroundTree::set_state(double t, std::span<const double> q, std::span<const double> u, std::span<double> ends) {
  q_ = q;
  RhsStatus status = tree_.set_positions(t, q);
  double told = status.ok ? kTaken : kNotPositive;
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = joint.u_offset; status.ok && i < joint.u_offset + joint.nu; ++i) {
      if (!std::isfinite(u[index_of(i)])) {
        status = {false, joint.name, {}, u[index_of(i)]};
        told = kNotFinite;
      }
    }
  }
  ends[start_] = told;
  ends[start_ + 1] = static_cast<double>(status.ok ? 0 : whole_->find_joint(status.joint)->index);
  ends[start_ + 2] = status.value;
  if (!status.ok) {
    return;
  }
  tree_.set_velocities(u);
  for (const End& end : cut_ends_) {
    cut_end(tree_.kinematics(), end.body).write(ends.subspan(end.place, CutEnd::kSize));
  }
  for (const CrossingEnd& end : crossing_) {
    const SpringEnd own = spring_end(end);
    Vec3::Map(&ends[end.place]) = own.point;
    Vec3::Map(&ends[end.place + 3]) = own.velocity;
  }
}

SpringEnd GroundTree::spring_end(const CrossingEnd& end) const {
  const Vec3 place = tree_.kinematics().world_point(end.body, end.point);
  return {place, tree_.kinematics().velocity_at(end.body, place).head<3>()};
}

void GroundTree::condense(double t, std::span<const double> ends, std::span<const JointKinematics> cuts,
                          Eigen::MatrixXd& phi, Eigen::VectorXd& right_side, Eigen::VectorXd& smallest) {
  tree_.evaluate_loads(t, q_);
  for (std::size_t s = 0; s < crossing_.size(); ++s) {
    const SpringEnd own = spring_end(crossing_[s]);
    const double* const numbers = &ends[crossing_[s].other];
    const SpringEnd other{Vec3::Map(numbers), Vec3::Map(numbers + 3)};
    spring_forces_[s].point = own.point;
    spring_forces_[s].force = spring_pull(crossing_[s].spring, own, other);  // the same from either end
  }
  tree_.sweep_loads(spring_forces_);
  phi.setZero();
  right_side.setZero();
  smallest.setZero();
  rows_.carry(tree_, cuts, phi, smallest);
  rows_.subtract_free_rates(tree_, right_side);
}

void GroundTree::accelerate(const Eigen::VectorXd& multipliers, std::span<double> qdot, std::span<double> udot) {
  rows_.add_rates(multipliers, tree_);
  tree_.sweep_accelerations();
  rates_.set(q_, tree_.u(), qdot);
  std::copy(tree_.accelerations().begin(), tree_.accelerations().end(), udot.begin());
}

std::string refuse_ground_trees(const Mechanism& whole, std::size_t least) {
  if (whole.drives_cut_joints()) {
    return "the prescribed motion of a cut joint needs both of its trees";
  }
  if (!whole.couplings().empty()) {
    return fmt::format("the coupling '{}' may need several trees", whole.couplings().front().name);
  }
  const GroundTrees trees(whole);
  if (trees.bodies.size() < least) {
    return fmt::format("{} process{} need {} trees, one a process, and {} joint{} of it at the ground carr{} one",
                       least, least == 1 ? "" : "s", least, trees.bodies.size(), trees.bodies.size() == 1 ? "" : "s",
                       trees.bodies.size() == 1 ? "ies" : "y");
  }
  const MechanismDescription& description = whole.description();
  const auto in_cut = [&](const auto& load) { return whole.find_joint(load.joint)->cut; };
  const auto load = std::find_if(description.joint_loads.begin(), description.joint_loads.end(), in_cut);
  if (load != description.joint_loads.end()) {
    return fmt::format("the load '{}' in a cut joint needs both of its trees", load->name);
  }
  const auto spring = std::find_if(description.joint_springs.begin(), description.joint_springs.end(), in_cut);
  if (spring != description.joint_springs.end()) {
    return fmt::format("the spring '{}' in a cut joint needs both of its trees", spring->name);
  }
  const auto friction = std::find_if(description.joint_frictions.begin(), description.joint_frictions.end(), in_cut);
  if (friction != description.joint_frictions.end()) {
    return fmt::format("the friction '{}' in a cut joint needs both of its trees", friction->name);
  }
  const auto stop = std::find_if(description.joint_stops.begin(), description.joint_stops.end(), in_cut);
  if (stop != description.joint_stops.end()) {
    return fmt::format("the stop '{}' in a cut joint needs both of its trees", stop->name);
  }
  const auto bushing =
      std::find_if(description.bushings.begin(), description.bushings.end(), [&](const BushingDescription& candidate) {
        const int first = tree_of_body(whole, trees.tree_of, candidate.body1);
        const int second = tree_of_body(whole, trees.tree_of, candidate.body2);
        return first >= 0 && second >= 0 && first != second;
      });
  if (bushing != description.bushings.end()) {
    return fmt::format("the bushing '{}' needs both of its trees", bushing->name);
  }
  try {
    for (std::size_t tree = 0; tree < trees.bodies.size(); ++tree) {
      Mechanism{part_of(whole, trees, tree)};
    }
  } catch (const ModelError& error) {
    return fmt::format("a load of one tree depends on another one: {}", error.what());
  }
  return {};
}

}  // namespace mbdbench
