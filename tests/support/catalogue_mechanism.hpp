#pragma once
/// \file
/// A mechanism of the catalogue by its key and parameters.
#include <string_view>

#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench::test {

inline Mechanism from_catalogue(std::string_view specification) {
  return make_mechanism(mechanism_registry(), specification);
}

}  // namespace mbdbench::test
