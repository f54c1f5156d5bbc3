#include "experiments/soak/random_mechanism.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulations/naudet/closed_dynamics.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/catalogue/trees/random_tree.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/validation/spectrum.hpp"

namespace mbdbench::soak {
namespace {

/// Mass and inertia of some bodies by the same factor: inertias stay physical.
void scale_masses(RandomSource& random, MechanismDescription& description) {
  constexpr std::array kFactors = {1e-3, 0.03, 30.0, 1e3};
  for (BodyDescription& body : description.bodies) {
    if (random.chance(0.3)) {
      const double factor = random.pick(kFactors);
      body.mass *= factor;
      body.inertia *= factor;
    }
  }
}

/// All lengths by one factor, and inertias by its square.
void scale_lengths(RandomSource& random, MechanismDescription& description) {
  const double factor = random.chance(0.5) ? 0.05 : 20.0;
  for (BodyDescription& body : description.bodies) {
    body.com *= factor;
    body.inertia *= factor * factor;
  }
  for (JointDescription& joint : description.joints) {
    joint.frame_a.position *= factor;
    joint.frame_b.position *= factor;
    joint.pitch *= factor;
    if (joint.type == JointType::prismatic || joint.type == JointType::planar || joint.type == JointType::free ||
        joint.type == JointType::cylindrical) {
      const std::size_t count = joint.q0.size();
      const std::size_t first = joint.type == JointType::free ? 4 : joint.type == JointType::cylindrical ? 1 : 0;
      const std::size_t end = joint.type == JointType::planar ? std::min<std::size_t>(2, count) : count;
      for (std::size_t i = first; i < end; ++i) {
        joint.q0[i] *= factor;
      }
    }
  }
}

void speed_up(RandomSource& random, MechanismDescription& description) {
  const double factor = random.uniform(2.0, 10.0);
  for (JointDescription& joint : description.joints) {
    for (double& velocity : joint.v0) {
      velocity *= factor;
    }
  }
}

/// Open mechanisms: all axes parallel and all frames unturned, a plane that nothing leaves.
void flatten(RandomSource& random, MechanismDescription& description) {
  const Vec3 normal = random.direction();
  for (JointDescription& joint : description.joints) {
    const bool turns = random.chance(0.8);
    joint.type = turns ? JointType::revolute : JointType::planar;
    joint.pitch = 0.0;
    joint.axis = normal;
    joint.frame_a.rotation = Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);
    joint.frame_b.rotation = Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);
    joint.q0 = draw_coordinates(random, joint.type);
    joint.v0.assign(turns ? 1 : 3, random.uniform(-1.0, 1.0));
    joint.motions.clear();
  }
}

/// A driven joint, where the mechanism stays consistent with it.
void drive(RandomSource& random, MechanismDescription& description) {
  JointDescription& joint = description.joints[random.index(description.joints.size())];
  if (joint.cut || joint.q0.size() != 1 || !joint.motions.empty()) {
    return;
  }
  const double rate = random.uniform(0.5, 3.0);
  const double size = random.uniform(0.1, 0.5);
  joint.motions = {{0, fmt::format("{} + {} * sin({} * t)", joint.q0[0], size, rate),
                    fmt::format("{} * cos({} * t)", size * rate, rate),
                    fmt::format("-{} * sin({} * t)", size * rate * rate, rate)}};
}

void add_springs(RandomSource& random, MechanismDescription& description) {
  for (const JointDescription& joint : description.joints) {
    if (!joint.cut && joint.q0.size() == 1 && random.chance(0.3)) {
      description.joint_springs.push_back(
          {fmt::format("extra_{}", joint.name), joint.name, 0, random.uniform(10.0, 1000.0), 0.0, joint.q0[0]});
    }
  }
}

/// Every tenth mechanism has a driven cut joint, where it has a cut joint that can be.
constexpr std::int64_t kDrivenCuts = 10;

/// \returns how many constraints are independent of one another at the start.
std::ptrdiff_t independent_constraints(const Mechanism& mechanism) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  const Eigen::VectorXd values = singular_values(constraint_jacobian(kinematics));
  return values.size() == 0 ? 0 : (values.array() > 1e-6 * values.maxCoeff()).count();
}

/// Every seventh mechanism has screws, every fourteenth couplings (below): the others are those of their seeds before.
constexpr std::int64_t kScrews = 7;

/// Two scalar joints of the tree tied to one another, where that leaves something to move.
void couple(RandomSource& random, MechanismDescription& description) {
  std::vector<const JointDescription*> scalar;
  for (const JointDescription& joint : description.joints) {
    if (!joint.cut && joint.q0.size() == 1 && joint.motions.empty()) {
      scalar.push_back(&joint);
    }
  }
  if (scalar.size() < 2) {
    return;
  }
  const std::size_t first = random.index(scalar.size());
  const std::size_t second = (first + 1 + random.index(scalar.size() - 1)) % scalar.size();
  description.couplings = {
      {"gears",
       {{scalar[first]->name, 0, random.uniform(0.5, 2.0)}, {scalar[second]->name, 0, random.uniform(-2.0, -0.5)}},
       std::nullopt}};
  if (const Mechanism mechanism(description); independent_constraints(mechanism) == mechanism.u_size()) {
    description.couplings.clear();  // nothing would be left to move
  }
}

/// The motion begins as fast as the joint moves, so that velocities agree.
void drive_cut(RandomSource& random, MechanismDescription& description) {
  const Mechanism mechanism(description);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  kinematics.set_velocities(view(mechanism.u0()));
  const std::ptrdiff_t independent = independent_constraints(mechanism);
  int cut = -1;
  for (JointDescription& joint : description.joints) {
    cut += joint.cut ? 1 : 0;
    if (!joint.cut || (joint.type != JointType::revolute && joint.type != JointType::prismatic &&
                       joint.type != JointType::cylindrical && joint.type != JointType::planar)) {
      continue;
    }
    const std::size_t component = random.index(joint.q0.size());
    const double rate = random.uniform(0.5, 3.0);
    const double size = random.uniform(0.1, 0.5);
    std::vector<double> velocities(joint.q0.size());
    cut_velocities(kinematics, kinematics.cut_joint(cut), mechanism.cut_joints()[index_of(cut)], velocities);
    const double begin = velocities[component];
    joint.motions = {
        {static_cast<int>(component),
         fmt::format("{} + {} * sin({} * t) + {} * (1 - cos({} * t))", joint.q0[component], begin / rate, rate, size,
                     rate),
         fmt::format("{} * cos({} * t) + {} * sin({} * t)", begin, rate, size * rate, rate),
         fmt::format("{} * cos({} * t) - {} * sin({} * t)", size * rate * rate, rate, begin * rate, rate)}};
    if (independent_constraints(Mechanism(description)) == independent + 1) {
      return;
    }
    joint.motions.clear();  // the other constraints hold it already
  }
}

/// Every eleventh mechanism has a rod or a point on a line or in a plane between two of its bodies, or a body and the
/// ground: drawn last, so that the others are those of their seeds before.
constexpr std::int64_t kRods = 11;

/// The joint is closed where the bodies are at the start; velocities are those next to the given ones.
void add_rod(RandomSource& random, MechanismDescription& description) {
  const Mechanism mechanism(description);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  const auto bodies = mechanism.bodies();
  const int b = static_cast<int>(random.index(bodies.size()));
  const int other = static_cast<int>(random.index(bodies.size())) - 1;
  const int a = other >= b ? other + 1 : other;  // the ground, or any other body
  if (a == mechanism.body_count()) {
    return;
  }
  const auto place_on = [&](int body) {
    const Vec3 centre = body < 0 ? Vec3(Vec3::Zero()) : bodies[static_cast<std::size_t>(body)].com;
    return Vec3(centre + random.uniform(0.1, 0.5) * mechanism.scales().length * random.direction());
  };
  JointDescription rod;
  rod.name = "rod";
  rod.type = kCutOnlyTypes[random.index(kCutOnlyTypes.size())];
  rod.a = a < 0 ? kGround : bodies[static_cast<std::size_t>(a)].name;
  rod.b = bodies[static_cast<std::size_t>(b)].name;
  rod.frame_a.position = place_on(a);
  rod.frame_b.position = place_on(b);
  const Vec3 gap = kinematics.body(a).rotation.transpose() *
                   (kinematics.world_point(b, rod.frame_b.position) - kinematics.world_point(a, rod.frame_a.position));
  const Vec3 across = gap.cross(random.direction());
  rod.axis = (rod.type == JointType::point_on_line ? gap : across).normalized();
  rod.length = has_length(rod.type) ? gap.norm() : 0.0;
  rod.cut = true;
  description.joints.push_back(rod);
  const Mechanism held(description);
  const std::ptrdiff_t independent = independent_constraints(held);
  if (independent == held.u_size() || independent == independent_constraints(mechanism)) {
    description.joints.pop_back();  // nothing would be left to move, or the other joints hold it already
  }
}

MechanismDescription drawn(std::span<const MechanismEntry> registry, RandomSource& random, std::int64_t seed) {
  const int screws = seed % kScrews == 0 ? 1 : 0;
  const std::size_t bodies = 1 + random.index(14);
  if (random.chance(0.5)) {
    const std::size_t motions = random.chance(0.3) ? random.index(bodies) : 0;
    return make_mechanism(registry,
                          fmt::format("random_tree:seed={},bodies={},branching={},loads={},motions={},screws={}", seed,
                                      bodies, random.uniform(0.0, 1.0), random.index(2), motions, screws))
        .description();
  }
  return make_mechanism(registry,
                        fmt::format("random_closed:seed={},bodies={},cuts={},branching={},loads={},screws={}", seed,
                                    bodies + 2, 1 + random.index(3), random.uniform(0.0, 1.0), random.index(2), screws))
      .description();
}

}  // namespace

Mechanism draw_mechanism(std::span<const MechanismEntry> registry, std::int64_t seed) {
  RandomSource random(seed);
  // Where no cut can be placed the generator refuses; the next draw goes on from there.
  std::optional<MechanismDescription> description;
  for (std::int64_t attempt = 0; !description; ++attempt) {
    try {
      description = drawn(registry, random, seed + 1'000'000'007 * attempt);
    } catch (const std::invalid_argument&) {
      continue;
    }
  }
  using Change = void (*)(RandomSource&, MechanismDescription&);
  constexpr std::array<Change, 6> kChanges = {scale_masses, scale_lengths, speed_up, flatten, drive, add_springs};
  for (const Change change : kChanges) {
    if (!random.chance(0.25)) {
      continue;
    }
    const bool loads = !description->joint_loads.empty() || !description->joint_springs.empty();
    const bool closed = description->joints.size() > description->bodies.size();
    if (change == Change{flatten} && (closed || loads)) {
      continue;  // loops would not close, and loads belong to components that change
    }
    MechanismDescription changed = *description;
    change(random, changed);
    try {
      description = Mechanism(changed).description();
    } catch (const ModelError&) {
      continue;  // not valid with this change: it stays as it was
    }
  }
  if (random.chance(0.15)) {
    description->gravity.setZero();
  }
  for (const auto& [period, change] :
       {std::pair(2 * kScrews, Change{couple}), {kDrivenCuts, Change{drive_cut}}, {kRods, Change{add_rod}}}) {
    if (seed % period != 0) {
      continue;
    }
    MechanismDescription changed = *description;
    try {
      change(random, changed);
      description = Mechanism(changed).description();
    } catch (const ModelError&) {
      // Positions or velocities cannot agree.
    }
  }
  description->name = fmt::format("soak_{}", seed);
  description->source = "generated";
  return Mechanism(std::move(*description));
}

}  // namespace mbdbench::soak
