#pragma once
/// \file
/// Many states of one mechanism with loops side by side, a lane a state, as plain data: the tree as lanes have it
/// (batches/lane_data.hpp), the part (part_data.hpp), and what cut joints and closings need. LoopsInLanes sets it up;
/// the sweeps (loop_sweeps.hpp) are compiled once an instruction set and so see pointers alone.
///
/// Structures of numbers stand in memory for as many numbers as there are lanes: PartData<double> here points to what
/// the sweeps read as PartData of packs.
#include "formulations/batches/lane_data.hpp"
#include "formulations/parts/part_data.hpp"

namespace mbdbench {

/// Where a cut joint sits on one of its bodies, in the frame of the body's row; of the ground in world axes.
struct LaneCutEnd {
  int row = -1;
  kernels::LinkVector<double> origin{};
  bool weightless = false;  ///< the ground, which accelerates by -g where links are taken less g
};

/// An angular row: its vectors in the frames of the rows of a and b (AngularConstraint).
struct LaneAngle {
  kernels::LinkVector<double> on_a{};
  kernels::LinkVector<double> on_b{};
  double cosine = 0.0;
  double scale = 1.0;
};

/// A cut joint whose rows are displacements along fixed directions, of the world or of a, and angles; or any other one,
/// which is placed lane by lane (CutsApart).
struct LaneCut {
  LaneCutEnd a;
  LaneCutEnd b;
  double share_of_b = 1.0;    ///< joint_kinematics.hpp
  bool world_linear = false;  ///< the first three rows are the world axes
  int first_direction = 0;    ///< row of the first of `directions`
  int first_angle = 0;
  int row_count = 0;                            ///< of rows that the mechanism can feel
  int rows[6]{};                                ///< which of D
  kernels::LinkVector<double> directions[3]{};  ///< in the frame of the row of a
  LaneAngle angles[3]{};
  double unit = 1.0;  ///< of distances in the loop (CharacteristicScales::loop_units)
  int apart = -1;     ///< which of those that are placed lane by lane
};

/// A point of a body, in the frame of the body's row; of the ground in world axes.
struct LanePoint {
  int row = -1;
  kernels::LinkVector<double> origin{};
};

/// A linear spring and damper between two points.
struct LanePointSpring {
  LanePoint first;
  LanePoint second;
  double stiffness = 0.0;
  double damping = 0.0;
  double rest = 0.0;
};

/// A constant load on a body.
struct LaneBodyLoad {
  LanePoint at;
  kernels::LinkVector<double> force{};  ///< in world axes, or of what turns in those of the row
  kernels::LinkVector<double> torque{};
  bool turns = false;  ///< with the body
};

/// A term of a coupling of joints.
struct LaneTerm {
  int q = 0;
  int u = 0;
  int motion = -1;  ///< the prescribed motion of the component
  double factor = 1.0;
};

/// Where a row on the ground starts: the run's start frame in world axes, and its origin.
struct LaneGround {
  kernels::Matrix3<double> axes{};
  kernels::LinkVector<double> origin{};
};

/// What the factorisation of one closing needs beside LoopClosing.
struct LaneClosing {
  int most = 0;         ///< limit of the rank
  int first_block = 0;  ///< among `closing_blocks`: for every loop and every one before it, itself included
  int first_row = 0;    ///< among `units`
  int unit_count = 0;
};

/// What a dependent component of u moves in one loop (DependentJoints), in the frame of its row.
struct LaneReach {
  int loop = 0;
  int u = 0;
  int column = 0;  ///< among the dependent components
  int row = -1;    ///< -1: a term of a coupling
  kernels::LinkVector<double> about{};
  kernels::LinkVector<double> along{};
  int along_in = -1;    ///< row in whose axes `along` is; -1: the world
  double factor = 1.0;  ///< of cut joints sign and scale of the component; of couplings the scaled entry
};

/// Coordinates of a cut joint that a state holds.
struct LaneCutCoordinates {
  struct Direction {
    kernels::LinkVector<double> along{};  ///< in the frame of the row of a or b, as `about`
    kernels::LinkVector<double> about{};
    bool turns_with_b = false;
  };
  int place = 0;       ///< in the state
  int rate_place = 0;  ///< of their velocities, where the state holds them
  int count = 0;       ///< of directions
  Direction directions[6]{};
  double inverse = 1.0;  ///< of the Gram matrix of one or two directions, on its diagonal and beside
  double crossed = 0.0;
  bool turns_freely = false;  ///< the first four coordinates are a quaternion
};

/// Everything of one mechanism and of as many states as there are lanes.
struct LoopData {
  LaneData tree;
  LaneData outside;  ///< states as the formulation has them where that is not (q, u) or (q, p)
  PartData<double> part;
  PartRightSide<double> accelerations;
  PartRightSide<double> impulses;
  PartMomenta<double> momenta;
  int cut_count = 0;
  int loop_count = 0;
  int closing_count = 0;
  int rate_count = 0;     ///< places of v
  int column_count = 0;   ///< places of Y
  int product_count = 0;  ///< packs
  bool projects = false;  ///< velocities on the constraints before anything else
  double alpha = 0.0;     ///< Baumgarte's constants
  double beta = 0.0;
  bool tangent = false;   ///< the gauge of momenta (gauge_option.hpp)
  double leak = 0.0;      ///< kappa in p' += kappa (M u - p); of the tangent gauge its least
  double feedback = 0.0;  ///< Phi' = -feedback Phi of momenta
  bool reduced = false;   ///< states are those of ClosedNaudet: q, coordinates of cut joints, reduced momenta, a choice
  bool all_joints = false;  ///< or q, coordinates of cut joints, u, velocities of cut joints
  int dependent_count = 0;
  int dependent_rows = 0;  ///< closing rows
  int reach_count = 0;
  int independent_count = 0;
  int rates_at = 0;          ///< place of the reduced momenta in a state, or of u
  int last_closing = -1;     ///< the outermost row where loops are closed; -1: all at the ground
  double zero_row = 0.0;     ///< share of what terms would give without cancelling, below which a row is zero
  double gravity[3]{};       ///< in world axes
  bool loads_apart = false;  ///< torques and wrenches of the tree are there already, evaluated lane by lane
  int motion_count = 0;
  int cleared_row_count = 0;
  int loaded_row_count = 0;
  int cleared_place_count = 0;
  int end_row_count = 0;
  int load_row_count = 0;
  int spring_count = 0;
  int body_load_count = 0;
  const int* cleared_rows = nullptr;    ///< rows that get nothing from outboard
  const int* loaded_rows = nullptr;     ///< rows that impulses in loops reach on their way inward
  const int* cleared_places = nullptr;  ///< of columns that start with nothing: those of couplings
  const int* end_rows = nullptr;        ///< rows with ends of cut joints or with loads, each once
  const int* load_rows = nullptr;       ///< rows with loads beside their weight, each once
  const LanePointSpring* springs = nullptr;
  const LaneBodyLoad* body_loads = nullptr;
  const bool* kept = nullptr;           ///< rows whose poses are read again
  const bool* posed = nullptr;          ///< rows whose poses cut joints need
  const LaneGround* grounds = nullptr;  ///< by row
  const LaneReach* reaches = nullptr;
  const LaneCutCoordinates* cut_coordinates = nullptr;
  const int* first_rows = nullptr;           ///< of every loop among all closing rows
  const double* row_scales = nullptr;        ///< R of closing rows
  const int* dependents = nullptr;           ///< components of u
  const int* independents = nullptr;         ///< those whose reduced momenta a state holds
  const double* dependent_scales = nullptr;  ///< C of them
  const double* inverse_scales = nullptr;    ///< 1 / C of u (CharacteristicScales)
  const LaneCut* cuts = nullptr;
  const int* columns_a = nullptr;  ///< places of the columns at the ends of a cut joint; -1: the ground
  const int* columns_b = nullptr;
  const LaneTerm* terms = nullptr;  ///< of couplings
  const int* term_starts = nullptr;
  const double* coupling_values = nullptr;    ///< what the terms' sum shall be
  const int* motion_components = nullptr;     ///< of u, by prescribed motion
  const double* motion_velocities = nullptr;  ///< at the time of all states
  const double* motion_accelerations = nullptr;
  const int* ways = nullptr;  ///< rows whose joints a loop passes
  const int* way_starts = nullptr;
  const LaneClosing* closings = nullptr;
  const int* closing_blocks = nullptr;
  const int* units = nullptr;  ///< group of one unit of every row of every closing (SemidefiniteSolver)

  // Packs.
  double* poses = nullptr;        ///< axes, origin, velocity, omega in world axes, eighteen a row; the ground's last
  double* origins = nullptr;      ///< of rows with poses, three each
  double* directions = nullptr;   ///< D of every cut joint, 36, then its two origins and its point, nine
  double* cut_motions = nullptr;  ///< of those that are placed lane by lane (CutMotion)
  /// On every row about O_k, six each; zero where nothing acts. Those that were evaluated apart, with weights, stand
  /// there too (LaneData::wrenches): no row is cleared then.
  double* loads = nullptr;
  double* pushes = nullptr;              ///< impulses of loops, likewise; of momenta only
  double* gravities = nullptr;           ///< g in the frames of rows, three each; of momenta only
  double* changes = nullptr;             ///< of u
  double* driven = nullptr;              ///< what prescribed motions ask for, by motion
  double* seen = nullptr;                ///< what became of the lanes so far, between two passes
  double* own = nullptr;                 ///< J^T M V over u; of momenta only
  double* dependent_matrices = nullptr;  ///< workspace (dependent_lanes.hpp)
  double* turnings = nullptr;            ///< by row
  double* matrices = nullptr;            ///< workspace of a closing (closing_lanes.hpp)
  double* smallest = nullptr;            ///< diagonal entries below which rows count as zero, those of one closing
};

/// A right-hand side in three passes: what lanes do not know is evaluated lane by lane between them.
struct LoopPasses {
  void (*set_poses)(const LoopData&) = nullptr;
  void (*set_velocities)(const LoopData&) = nullptr;  ///< loops, and the velocities in use
  void (*set_rates)(const LoopData&) = nullptr;       ///< q' and u', or q' and p'
};

/// The sweeps of one instruction set.
struct LoopSweeps {
  int lanes = 1;
  std::size_t joint_size = 0;  ///< bytes of a PassedJoint
  /// To be called once for memory that is zero. \param joints of the plan
  void (*prepare)(const LoopData&, const PassedJoint<double>* joints, int count) = nullptr;
  void (*gather)(const LaneData&, const double* const* states) = nullptr;
  void (*scatter)(const LaneData&, double* const* rates) = nullptr;
  LoopPasses accelerations;  ///< of a state (q, u), or of one of `all_joints`
  LoopPasses momenta;        ///< of a state (q, p), or of one that is `reduced`
};

namespace loop_sweeps {
/// \tparam W doubles a register: those of an instruction set (loop_sweeps_for_sets.cpp)
template <int W>
LoopSweeps sweeps();
}  // namespace loop_sweeps

}  // namespace mbdbench
