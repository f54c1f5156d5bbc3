#include "experiments/files/plain_file_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "experiments/files/text_digest.hpp"

namespace mbdbench {

std::string plain_file_name(std::string_view text) {
  constexpr std::size_t kMost = 100;
  constexpr std::size_t kDigest = 8;
  std::string name(text.substr(0, kMost));
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char letter) {
        return std::isalnum(letter) == 0 &&
               std::string_view("-_.").find(static_cast<char>(letter)) == std::string_view::npos;
      },
      '_');
  return text.size() <= kMost ? name : fmt::format("{}-{}", name, text_digest(text).substr(0, kDigest));
}

}  // namespace mbdbench
