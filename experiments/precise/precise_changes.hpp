#pragma once
/// \file
/// Accelerations, and exact changes of rates along a direction, in 113 bits, for whoever has doubles.
#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "formulations/formulation.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::precise {

/// u' rounded to double precision. \param q coordinates \param u quasi-velocities, on the constraints
/// \throws std::invalid_argument what refuse_precise_motion says
std::vector<double> precise_accelerations(const Mechanism& mechanism, double t, std::span<const double> q,
                                          std::span<const double> u);

/// \returns why there are no precise changes of a formulation's rates; empty where there are: states of joint
/// coordinates and velocities, and of open trees momenta; no more bodies and rows of loops than take a second.
std::string refuse_precise_changes(const Formulation& formulation);

/// How x' changes with x along a direction that keeps the constraints: differences of x' in 113 bits, which have some
/// 20 digits. \param x, direction of a state that refuse_precise_changes takes
/// \returns a number each component of x'
Eigen::VectorXd precise_change(const Formulation& formulation, double t, std::span<const double> x,
                               std::span<const double> direction);

}  // namespace mbdbench::precise
