#pragma once
/// \file
/// Ownership of SUNDIALS' C objects, and its return flags as exceptions.
///
/// Source: user documentation of CVODE 6 and 7, "Using CVODE": which function destroys what. Cost: that of the C
/// functions.
#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <memory>
#include <stdexcept>
#include <string>
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
#if SUNDIALS_VERSION_MAJOR >= 7
  require(SUNContext_Create(SUN_COMM_NULL, &context), "a context");
#else
  require(SUNContext_Create(nullptr, &context), "a context");
#endif
  return context;
}

/// Messages of CVODE go here instead of to standard error. \param last must outlive both
inline void keep_complaints([[maybe_unused]] SUNContext context, [[maybe_unused]] void* memory, std::string& last) {
#if SUNDIALS_VERSION_MAJOR >= 7
  const auto keep = [](int, const char*, const char*, const char* message, SUNErrCode, void* text, SUNContext) {
    *static_cast<std::string*>(text) = message;
  };
  require(SUNContext_ClearErrHandlers(context), "no error handler");
  require(SUNContext_PushErrHandler(context, keep, &last), "the error handler");
#else
  const auto keep = [](int, const char*, const char*, char* message, void* text) {
    *static_cast<std::string*>(text) = message;
  };
  require(CVodeSetErrHandlerFn(memory, keep, &last), "the error handler");
#endif
}

}  // namespace mbdbench
