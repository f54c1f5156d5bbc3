#pragma once
/// \file
/// Bodies and joints of eight sub-trees of equal form (dual/twins/dual_twins.hpp) in absolute coordinates, as their
/// kernels see them (twin_kernels.hpp): every number is a pack of eight, one a lane.
namespace mbdbench {

/// Numbers of a body that do not change, in packs: m, then J_C and J_C^-1 in body axes (xx, xy, xz, yy, yz, zz each).
inline constexpr int kTwinBodyConstants = 13;

/// Where the numbers of a body's state stand, in packs.
struct TwinBodyState {
  static constexpr int kCoordinates = 0;  ///< (r, e) as given, e then made a unit vector
  static constexpr int kRates = 7;        ///< (r', e') as given, e' then made omega in body axes
  static constexpr int kRotation = 14;    ///< row by row
  static constexpr int kOmega = 23;       ///< in world axes
  static constexpr int kLength = 26;      ///< |e| as given
  static constexpr int kCount = 27;
};

/// Numbers of a joint that do not change, in packs: its origins on a and b from their centres of mass, in body axes;
/// then three numbers a linear direction (a's axes), then these an angular constraint:
inline constexpr int kTwinOrigins = 6;
inline constexpr int kTwinAngular = 8;  ///< vector_a (a's axes), vector_b (b's axes), scale, cosine

/// A joint that is closed within. Its rows: world axes, directions fixed in a, angles.
struct TwinJoint {
  int bodies[2] = {};  ///< a and b; the ground stands behind the last body
  int direction_count = 0;
  int angular_count = 0;
  bool world_linear = false;
  int row = 0;                        ///< the first one among the right sides
  double* handles[2] = {};            ///< numbers of a and b as of TwinHandle; null on the ground
  const double* constants = nullptr;  ///< kTwinOrigins, 3 `direction_count`, kTwinAngular `angular_count`
};

/// Bodies and joints.
struct TwinBodies {
  int body_count = 0;
  int joint_count = 0;
  const TwinJoint* joints = nullptr;
  const double* constants = nullptr;         ///< kTwinBodyConstants a body
  double* state = nullptr;                   ///< TwinBodyState::kCount a body, and of the ground
  double* const* inertia_inverse = nullptr;  ///< of every body, as TwinNode's
  double gravity[3] = {};                    ///< m/s^2
  double stiffness = 0.0;                    ///< omega^2
  double damping = 0.0;                      ///< 2 omega mu
};

/// For one instruction set.
struct TwinBodySweeps {
  /// Poses, J_C^-1 and B, from (r, e).
  void (*place)(const TwinBodies& twins);
  /// What acts on the bodies (six packs each) and the right sides of all rows, from (r', e'), after `place`.
  void (*move)(const TwinBodies& twins, double* input, double* right);
  /// (r', e') in the place of (r, e), and (r'', e'') in that of (r', e'), after `move`. \param accelerations [a_C;
  /// omega'], six packs a body
  void (*accelerate)(const TwinBodies& twins, const double* accelerations);
};

namespace twin_kernels {
/// \tparam W doubles a register: those of an instruction set (twin_kernels_for_sets.cpp)
template <int W>
TwinBodySweeps sweeps();
}  // namespace twin_kernels

}  // namespace mbdbench
