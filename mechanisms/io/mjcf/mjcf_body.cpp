#include "mechanisms/io/mjcf/mjcf_body.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

namespace mbdbench {
namespace {

constexpr double kLeast = 1e-15;  // MuJoCo's mjMINVAL
// What two eigenvalue solvers make of one flat body, and then some.
constexpr double kFlat = 1e-12;

}  // namespace

std::string mjcf_refusal(const Body& body) {
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(body.inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (body.mass < kLeast || moments[0] < kLeast) {
    return fmt::format(
        "body '{}' has the mass {:.3g} kg and a moment of inertia of {:.3g} kg m^2, and MuJoCo wants at "
        "least {:g} of each",
        body.name, body.mass, moments[0], kLeast);
  }
  if (moments[0] + moments[1] < moments[2] * (1.0 - kFlat)) {
    return fmt::format(
        "body '{}': its largest moment of inertia {:.9g} exceeds the sum of the others {:.9g} (kg m^2), "
        "which MuJoCo refuses however small the excess",
        body.name, moments[2], moments[0] + moments[1]);
  }
  return {};
}

Mat3 mjcf_inertia(const Body& body) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(body.inertia);
  const Vec3& moments = solver.eigenvalues();
  const double most = (moments[0] + moments[1]) * (1.0 - kFlat);
  if (moments[2] <= most) {
    return body.inertia;
  }
  const Vec3 axis = solver.eigenvectors().col(2);
  const Mat3 lowered = body.inertia - (moments[2] - most) * axis * axis.transpose();
  return 0.5 * (lowered + lowered.transpose());
}

}  // namespace mbdbench
