// The way of unit wrenches inward in registers of 2 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/closed_links/column_sweep.hpp"

namespace mbdbench {

void baseline_column_sweep(const ColumnPlan& plan, double* wrenches, double* along, double* a) {
  column_kernels::sweep<2>(plan, wrenches, along, a);
}

}  // namespace mbdbench
