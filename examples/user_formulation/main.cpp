/// \file
/// A program outside the suite's tree that uses its installed libraries.
#include <iostream>

#include "integrators/ode.hpp"
#include "integrators/registry.hpp"

int main() {
  for (const mbdbench::OdeEntry& entry : mbdbench::integrator_registry()) {
    std::cout << entry.key << ": " << entry.summary << '\n';
  }
  return mbdbench::integrator_registry().empty() ? 1 : 0;
}
