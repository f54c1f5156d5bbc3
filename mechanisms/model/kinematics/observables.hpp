#pragma once
/// \file
/// What is observed of a state: energies, momenta, markers, constraint residuals. All from a Kinematics whose positions
/// and velocities are set; world axes, SI units.
#include <span>
#include <vector>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

class CutReferences;

/// Energies in J.
struct Energies {
  double kinetic = 0.0;
  /// Gravity (zero for masses at the world origin) plus springs (zero for springs at rest length).
  double potential = 0.0;
  [[nodiscard]] double total() const { return kinetic + potential; }
};

/// \param q the coordinates that the kinematics were set with
/// \param near where the angles of springs in cut joints are looked for; nullptr: near their q0
Energies energies(const Kinematics& kinematics, std::span<const double> q, const CutReferences* near);

/// \returns the linear momentum of all bodies, kg m/s.
Vec3 linear_momentum(const Kinematics& kinematics);

/// \returns the angular momentum of all bodies about the world origin, kg m^2/s.
Vec3 angular_momentum(const Kinematics& kinematics);

/// Position (m) and velocity (m/s) of a marker.
struct MarkerState {
  Vec3 position = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();
};

/// \param index into Mechanism::markers()
MarkerState marker_state(const BodyMotions& bodies, int index);

/// Largest residuals of the constraints, m and rad (cut joints: sines of angles; prescribed motions: the coordinate's
/// unit).
struct ConstraintErrors {
  double position = 0.0;  ///< max |Phi|
  double velocity = 0.0;  ///< max |Phi'|
  /// The same without units of length: scaled as in characteristic_scales.hpp, of Phi' in 1/s.
  double scaled_position = 0.0;
  double scaled_velocity = 0.0;
};

/// Evaluates constraint residuals; owns parsers and workspace, so one instance a thread. No allocation after
/// construction.
class ConstraintObserver {
 public:
  explicit ConstraintObserver(const Mechanism& mechanism);

  /// \param kinematics positions and velocities set with q and u \param t for prescribed motions
  ConstraintErrors evaluate(double t, std::span<const double> q, std::span<const double> u,
                            const Kinematics& kinematics);

 private:
  PrescribedMotions motions_;
  std::vector<double> residual_;
};

}  // namespace mbdbench
