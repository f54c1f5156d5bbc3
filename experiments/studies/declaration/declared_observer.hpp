#pragma once
/// \file
/// Which observers a study can have, and which it has.
#include <cstddef>

#include "experiments/studies/declaration/readers/declaration_table.hpp"
#include "experiments/studies/declaration/study.hpp"

namespace mbdbench::studies {

/// A marker must exist in one mechanism at least; in the others the cell says that it does not. \throws FileError
void require_known(const Study& study, const DeclarationTable& table, std::size_t line, const Observer& observer);

/// What claims and rankings need is observed, asked for or not.
void add_observer(Study& study, const Observer& observer);

}  // namespace mbdbench::studies
