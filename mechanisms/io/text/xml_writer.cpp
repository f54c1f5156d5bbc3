#include "mechanisms/io/text/xml_writer.hpp"

#include <string>
#include <vector>

namespace mbdbench::xml {

void note_left_out(Writer& writer, const Mechanism& mechanism, const std::vector<std::string>& left_out_springs) {
  const MechanismDescription& description = mechanism.description();
  std::vector<std::string> names = left_out_springs;
  const auto add = [&names](const auto& loads) {
    for (const auto& load : loads) {
      names.push_back(load.name);
    }
  };
  add(description.joint_loads);
  add(description.body_loads);
  add(description.point_springs);
  add(description.bushings);
  add(description.joint_frictions);
  add(description.joint_stops);
  if (names.empty()) {
    return;
  }
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
  }
  // Two hyphens would end the comment.
  for (std::size_t at = list.find("--"); at != std::string::npos; at = list.find("--")) {
    list.replace(at, 2, "-");
  }
  writer.comment(fmt::format(" Left out, for there are no words for them here: {} ", list));
}

}  // namespace mbdbench::xml
