#include "experiments/program_digest.hpp"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fstream>
#include <iterator>

namespace mbdbench {

std::string program_digest() {
  std::ifstream stream("/proc/self/exe", std::ios::binary);
  if (!stream) {
    return {};
  }
  const std::string program{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  boost::uuids::name_generator_sha1 generator(boost::uuids::ns::oid());
  return to_string(generator(program));
}

}  // namespace mbdbench
