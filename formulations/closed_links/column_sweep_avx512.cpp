// The way of unit wrenches inward in registers of 8 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/closed_links/column_sweep.hpp"

namespace mbdbench {

void avx512_column_sweep(const ColumnPlan& plan, double* wrenches, double* along, double* a) {
  column_kernels::sweep<8>(plan, wrenches, along, a);
}

}  // namespace mbdbench
