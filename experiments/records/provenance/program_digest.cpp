#include "experiments/records/provenance/program_digest.hpp"

#include <fstream>
#include <iterator>

#include "experiments/files/text_digest.hpp"

namespace mbdbench {
namespace {

std::string digest_of_this_program() {
  std::ifstream stream("/proc/self/exe", std::ios::binary);
  if (!stream) {
    return {};
  }
  const std::string program{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return text_digest(program);
}

}  // namespace

const std::string& program_digest() {
  static const std::string digest = digest_of_this_program();
  return digest;
}

}  // namespace mbdbench
