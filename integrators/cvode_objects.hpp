#pragma once
/// \file
/// Ownership of SUNDIALS' C objects, and its return flags as exceptions.
///
/// Source: user documentation of CVODE 6, "Using CVODE": which function destroys what. Cost: that of the C functions.
#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <memory>
#include <stdexcept>
#include <type_traits>

namespace mbdbench {

/// Calls the C function that belongs to a handle of SUNDIALS.
template <class Handle, auto Destroy>
struct Destroyer {
  void operator()(std::remove_pointer_t<Handle>* handle) const { Destroy(handle); }
};
template <class Handle, auto Destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<Handle, Destroy>>;

inline void free_context(SUNContext context) {
  SUNContext_Free(&context);
}
inline void free_memory(void* memory) {
  CVodeFree(&memory);
}

using OwnedContext = Owned<SUNContext, free_context>;
using OwnedVector = Owned<N_Vector, N_VDestroy>;
using OwnedMatrix = Owned<SUNMatrix, SUNMatDestroy>;
using OwnedLinearSolver = Owned<SUNLinearSolver, SUNLinSolFree>;
using OwnedNonlinearSolver = Owned<SUNNonlinearSolver, SUNNonlinSolFree>;
using OwnedMemory = std::unique_ptr<void, Destroyer<void*, free_memory>>;

/// \throws std::runtime_error where a function of SUNDIALS that creates something returned null.
template <class Created>
Created* created(Created* object) {
  if (object == nullptr) {
    throw std::runtime_error("CVODE could not create one of its objects");
  }
  return object;
}

/// \throws std::runtime_error when a function of SUNDIALS did not succeed; `what` says what was asked of it.
inline void require(int flag, const char* what) {
  if (flag != CV_SUCCESS) {
    throw std::runtime_error(fmt::format("CVODE refuses {}: flag {}", what, flag));
  }
}

inline SUNContext create_context() {
  SUNContext context = nullptr;
  require(SUNContext_Create(nullptr, &context), "a context");
  return context;
}

}  // namespace mbdbench
