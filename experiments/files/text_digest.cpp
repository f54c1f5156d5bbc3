#include "experiments/files/text_digest.hpp"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace mbdbench {

std::string text_digest(std::string_view text) {
  boost::uuids::name_generator_sha1 generator(boost::uuids::ns::oid());
  return to_string(generator(text.data(), text.size()));
}

}  // namespace mbdbench
