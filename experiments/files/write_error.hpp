#pragma once
/// \file
/// What went wrong with the disk, not with the user's words: the program ends with an exit code of its own.
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {

/// A file or directory that cannot be written: full disk, no permission, gone.
class WriteError : public FileError {
 public:
  WriteError(std::string_view file, std::string_view message) : FileError(file, 0, message) {}
};

}  // namespace mbdbench
