#pragma once
/// \file
/// Links and joints of a URDF file as a tree, before anything is said of masses and axes.
#include <string>
#include <vector>

#include "mechanisms/io/urdf/urdf_element.hpp"

namespace mbdbench::urdf {

struct UrdfLink {
  std::string name;
  const XMLElement* element = nullptr;
  int joint = -1;             ///< that leads to it; -1: none, it is the root
  std::vector<int> children;  ///< joints that begin on it, in the file's order
};

struct UrdfJoint {
  std::string name;
  std::string type;
  const XMLElement* element = nullptr;
  int parent = -1;  ///< links
  int child = -1;
};

struct UrdfGraph {
  std::vector<UrdfLink> links;    ///< in the file's order
  std::vector<UrdfJoint> joints;  ///< in the file's order
  std::vector<int> order;         ///< links from the root outwards, level by level
};

/// \param robot the outermost element
/// \returns the tree; what stands in it is of use only where the findings have no error.
UrdfGraph collect_graph(const XMLElement& robot, Findings& findings);

}  // namespace mbdbench::urdf
