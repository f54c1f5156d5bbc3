#pragma once
/// \file
/// One open tree, linearised about a state, as plain data: what the passes of this room leave for each other.
/// TreeDerivatives sets it up; the passes (tree_values.hpp, tree_slopes.hpp, tree_directions.hpp, along_direction.hpp,
/// tree_weights.hpp) are compiled once an instruction set.
///
/// Everything is given in world axes about the point O_k of each node, so that directions of the state go from node to
/// node by a lever alone. A *node* is what moves with one row of the tree; a free row has two, for its slides and for
/// its turns. An *axis* is one quasi-velocity of a node.
///
///   S   motion of an axis: [0; z] turns, [z; 0] slides          A   I^C S, I^C the inertia of all outboard as one body
///   psi'   V x S, V of the inboard node                          S'  V x S, V of the own node
#include <cstddef>

#include "formulations/batches/lane_data.hpp"

namespace mbdbench {

/// A motion [v; omega] or a wrench [f; n] at a point.
template <typename T>
struct Screw {
  kernels::LinkVector<T> linear, angular;
};

/// A rigid body: mass, first moment and inertia about a point.
struct RigidBody {
  double mass = 0.0;
  kernels::LinkVector<double> moment{};
  kernels::Symmetric3<double> inertia{};
};

/// Where the frame of a node's row starts from.
enum class NodeStart { inboard, inboard_run, ground_run };

/// Lines of eight numbers first: what the directions of a node want of it is transposed into packs, a direction a lane.
struct LinearNode {
  alignas(64) Screw<double> inherited{};   ///< velocity of the inboard node at the own O
  double still = 0.0;                      ///< 1 in what directions along quasi-velocities have in its place
  alignas(64) Screw<double> total{};       ///< needed for its motion, or its momentum; then with everything outboard
  alignas(64) Screw<double> inner{};       ///< accelerations: that of the inboard node at the own O
  alignas(64) Screw<double> both{};        ///< accelerations: velocities of the inboard and the own node, added
  alignas(64) RigidBody composite;         ///< with everything outboard
  kernels::LinkVector<double> momentum{};  ///< p and N of 2 B^C [alpha; beta] = [2 beta x p; tr N beta - N beta]
  kernels::Matrix3<double> turning{};      ///< N = 2 sum m r' r^T

  int inboard = -1;  ///< -1: the ground
  int first_axis = 0;
  int axis_count = 0;
  int row = 0;
  NodeStart start = NodeStart::inboard;
  bool kept = false;                    ///< a node outboard of it leaves in memory what it carries inward
  bool free_slides = false;             ///< the slides of a free row, behind which the inboard node feels no inertia
  kernels::LinkVector<double> lever{};  ///< from the inboard node's O to its own; zero on the ground
  kernels::RunStart<double> run{1.0, 0.0, 0.0};
  kernels::Matrix3<double> ground_axes{};  ///< of the start frame of a run on the ground

  // At the state.
  kernels::Matrix3<double> axes{};  ///< of the row's frame
  RigidBody body;
  kernels::LinkVector<double> own_momentum{};  ///< of the body; accelerations only
  Screw<double> velocity{};
  Screw<double> acceleration{};  ///< spatial, less gravity; first what velocities alone give
  Screw<double> change{};        ///< of the acceleration by quasi-accelerations
  Screw<double> wrench{};        ///< its own: needed for the motion that velocities alone give; accelerations only
  Screw<double> bias{};
  kernels::ArticulatedInertia<double> articulated{};
};

static_assert(offsetof(LinearNode, still) == offsetof(LinearNode, inherited) + 6 * sizeof(double));
static_assert(offsetof(LinearNode, momentum) == offsetof(LinearNode, composite) + 10 * sizeof(double));
static_assert(offsetof(LinearNode, turning) == offsetof(LinearNode, composite) + 13 * sizeof(double));

/// The five numbers that directions want first, as of LinearNode.
struct LinearAxis {
  alignas(64) kernels::LinkVector<double> z{};
  double slide = 0.0;  ///< 1: S = [z; 0]
  double turn = 1.0;   ///< 1: S = [0; z]

  int u = 0;
  bool slides = false;
  int motion = -1;  ///< which prescribed motion
  double stiffness = 0.0;
  double damping = 0.0;
  double inverse = 0.0;                   ///< 1 / D; zero where the motion is prescribed
  Screw<double> gain{};                   ///< U / D; zero likewise
  double rest = 0.0;                      ///< quasi-acceleration (momenta: quasi-velocity) if the inboard node rests
  Screw<double> composite{};              ///< A
  kernels::LinkVector<double> turning{};  ///< accelerations: torque along the axis is `turning` beta
  Screw<double> rate{};                   ///< S'
  Screw<double> coupling{};               ///< momenta: I^C S' + S x* P
};

static_assert(offsetof(LinearAxis, turn) == offsetof(LinearAxis, z) + 4 * sizeof(double));

/// Where a direction of the state finds its numbers: lines of eight, of its axis (those of a quaternion have their own)
/// and its node. All nodes outboard of `node` move with it as one body.
struct LinearDirection {
  const double* axis_line = nullptr;  ///< z, slide, turn
  const double* first = nullptr;      ///< accelerations: `inner`, along quasi-velocities `both`
  const double* velocity = nullptr;   ///< `inherited`; along quasi-velocities none and `still` 1
  const double* total = nullptr;      ///< likewise
  const double* composite = nullptr;  ///< and all behind it
  double force = 0.0;                 ///< along `axis`; in momenta the momentum
  double rate = 0.0;                  ///< momenta: of the momentum along `axis`
  int node = 0;
  int axis = 0;
};

/// What a parameter changes: a force along an axis, a point mass on a node, or where its joint is on the inboard node.
struct LinearParameter {
  int axis = -1;
  double force = 0.0;
  int node = -1;
  kernels::LinkVector<double> point{};  ///< of a mass, from O, in world axes
  bool lengthens = false;               ///< whether the joint moves
  kernels::LinkVector<double> way{};    ///< which way, likewise
};

/// Offsets of packs.
struct LaneOffsets {
  // In `block`, of directions where they start; the last four as of `starts`.
  static constexpr int kMotion = 0, kTurn = 6, kWrench = 9, kMoment = 15;
  static constexpr int kNode = 18, kAxis = 19, kForce = 20, kRate = 21, kStarts = 4;
  static constexpr int kBlock = 22;
  // Of one node in `lanes`: what a pass leaves there, and every pass over what the one before it left.
  static constexpr int kCarried = 0, kCarriedTurn = 6, kInward = 0, kInwardMoment = 6, kOutward = 0;
  static constexpr int kSize = 9;
  static constexpr int kStarted = 9, kSizeOfOne = 27;  // one direction alone: then the first 18 of `block`
};

/// Sums over a node and all outboard of it, about its O, that nodes further on than the next one leave there.
struct LinearSums {
  Screw<double> wrench{};
  Screw<double> total{};
  Screw<double> momentum{};
  kernels::LinkVector<double> turning{};
  kernels::LinkVector<double> moment{};
};

/// What weights do at a node (tree_weights.hpp).
struct LinearWeights {
  Screw<double> motion{};     ///< Y
  Screw<double> displaced{};  ///< Z: where the node is displaced by S, weights times x' change by S . Z
  Screw<double> asked{};      ///< momenta: B
  Screw<double> rates{};      ///< momenta: C
  LinearSums outboard;
};

/// What one direction does at a node (along_direction.hpp).
struct LinearChange {
  Screw<double> displaced{};           ///< D
  Screw<double> motion{};              ///< M
  kernels::LinkVector<double> turn{};  ///< T; momenta: what turns, D and all of it inboard
  Screw<double> wrench{};              ///< that the body needs for them
  Screw<double> change{};              ///< Y: by the changes of u' (momenta: of u)
};

struct LinearData {
  int node_count = 0;
  int axis_count = 0;
  int q_count = 0;
  int row_count = 0;
  int force_count = 0;
  bool momenta = false;
  kernels::LinkVector<double> gravity{};
  const LaneData* tree = nullptr;
  const double* given = nullptr;  ///< the state as it was given: springs know turns, sines do not
  LinearNode* nodes = nullptr;
  LinearWeights* weights = nullptr;       ///< by node
  LinearChange* along = nullptr;          ///< by node
  LinearAxis* axes = nullptr;             ///< in the order of the nodes
  LinearDirection* directions = nullptr;  ///< by component of the state
  const int* columns = nullptr;           ///< first component of every register of directions, side by side in packs
  int register_count = 0;                 ///< a multiple of what a pack has
  double* quaternions = nullptr;          ///< lines as of axes, four a sphere: what the numbers of a quaternion turn
  double* turns = nullptr;                ///< cosines, then sines, of all rows; as many of each as fill packs
  double* forces = nullptr;               ///< tau; momenta: p
  double* velocities = nullptr;           ///< u, by quasi-velocity

  // Packs.
  double* lanes = nullptr;         ///< LaneOffsets::kSize a node; of one direction alone kSizeOfOne
  double* starts = nullptr;        ///< node (-1: none is displaced), axis, force and rate of every block's directions,
                                   ///< LaneOffsets::kStarts packs
  double* block = nullptr;         ///< numbers of the directions that go side by side, LaneOffsets::kBlock packs
  double* torques = nullptr;       ///< one an axis, in the order of the nodes
  double* changes = nullptr;       ///< of the quasi-accelerations (momenta: quasi-velocities), by quasi-velocity
  double* rates = nullptr;         ///< of the momenta's rates, in the order of the nodes
  unsigned char* flags = nullptr;  ///< two a node
};

/// The passes of one instruction set.
struct LinearSweeps {
  int width = 1;  ///< doubles a register
  int lanes = 1;  ///< doubles a pack: directions side by side
  /// What directions of the state do at it. \returns whether all pivots are positive and all numbers finite
  bool (*linearise)(const LinearData&, const double* x) = nullptr;
  /// After `linearise`: all derivatives. \param rows as of Formulation::jacobian \returns whether they are finite
  bool (*jacobian)(const LinearData&, const double* x, double* rows) = nullptr;
  /// All derivatives times a direction. \returns as of `linearise`
  bool (*along)(const LinearData&, const double* x, const double* direction, double* product) = nullptr;
  /// Weights times all derivatives. \returns whether all pivots are positive and all numbers finite
  bool (*weigh)(const LinearData&, const double* x, const double* weights, double* product) = nullptr;
  /// After `weigh`: weights times x' by the mass of a node.
  double (*weighted_mass)(const LinearData&, const LinearParameter&) = nullptr;
  /// After `linearise`: x' by a parameter.
  bool (*by_parameter)(const LinearData&, const double* x, const LinearParameter&, double* column) = nullptr;
};

namespace linear {
/// \tparam W doubles a register: those of an instruction set (linear_sweeps_for_sets.cpp)
template <int W>
LinearSweeps sweeps();
}  // namespace linear

}  // namespace mbdbench
