#include "mechanisms/io/text/file_text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

#include "mechanisms/io/file_error.hpp"

namespace mbdbench {

std::string read_file_text(const std::filesystem::path& path, std::string_view wanted) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw FileError(path.string(), 0, fmt::format("is a folder; name {}", wanted));
  }
  if (std::filesystem::is_character_file(path, ignored) || std::filesystem::is_block_file(path, ignored)) {
    throw FileError(path.string(), 0, fmt::format("is a device; name {}", wanted));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw FileError(path.string(), 0,
                    fmt::format("cannot be opened: {}; name {}", std::generic_category().message(errno), wanted));
  }
  // In pieces: a pipe has no size, and may have no end.
  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  std::vector<char> piece(kPiece);
  std::string text;
  errno = 0;
  while (file.read(piece.data(), kPiece) || file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargestFile) {
      throw FileError(path.string(), 0, fmt::format("has more than {} bytes; name {}", kLargestFile, wanted));
    }
  }
  if (file.bad()) {
    throw FileError(path.string(), 0,
                    fmt::format("cannot be read to its end: {}", std::generic_category().message(errno)));
  }
  return text;
}

}  // namespace mbdbench
