#pragma once
/// \file
/// What the MPI library tells of itself.
#include <mpi.h>

#include <array>
#include <string>
#include <vector>

namespace mbdbench::malczyk2008 {

/// \returns "Open MPI v4.1.4".
inline std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

/// \returns the value of Open MPI's parameter "btl", the components that may carry messages, "self,tcp"; empty where
/// the library has no such parameter.
inline std::string transport_components() {
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
    return {};
  }
  std::string components;
  int variable = 0;
  MPI_T_cvar_handle handle = nullptr;
  int length = 0;
  if (MPI_T_cvar_get_index("btl", &variable) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(variable, nullptr, &handle, &length) == MPI_SUCCESS) {
    std::vector<char> text(static_cast<std::size_t>(length) + 1, 0);
    if (MPI_T_cvar_read(handle, text.data()) == MPI_SUCCESS) {
      components = text.data();
    }
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return components;
}

}  // namespace mbdbench::malczyk2008
