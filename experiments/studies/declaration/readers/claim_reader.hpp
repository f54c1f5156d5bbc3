#pragma once
/// \file
/// The claims of a declaration.
#include "experiments/studies/declaration/readers/declaration_table.hpp"
#include "experiments/studies/declaration/study.hpp"

namespace mbdbench::studies {

/// Reads the tables [[claims]]; mechanisms, variants, integrators, controls and rankings have been read. What claims
/// look at is observed from now on. \throws FileError
void read_claims(const DeclarationTable& root, Study& study);

}  // namespace mbdbench::studies
