#pragma once
/// \file
/// Names of what rates are differentiated by, in the words that gradients use (varied_numbers.hpp): force.JOINT,
/// force.JOINT.2, mass.BODY, stiffness.SPRING, damping.SPRING, length.JOINT.
#include <string>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench::gradients {

struct NamedRateParameter {
  std::string name;
  RateParameter parameter;
  /// As WeightsByParameter has it: in u, a body, a tree joint; a spring of joints, then those between points.
  std::size_t place = 0;
};

/// \returns all of a mechanism: forces in tree joints in the order of u, masses, springs in joints and between points,
/// and lengths.
std::vector<NamedRateParameter> rate_parameters(const Mechanism& mechanism);

/// \returns those of these names, in their order. \throws std::invalid_argument for a name that is not there
std::vector<RateParameter> rate_parameters_of_names(const Mechanism& mechanism, const std::vector<std::string>& names);

}  // namespace mbdbench::gradients
