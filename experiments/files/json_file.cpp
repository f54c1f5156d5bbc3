#include "experiments/files/json_file.hpp"

#include <nlohmann/json.hpp>

#include "experiments/files/csv_file.hpp"

namespace mbdbench {

void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& json) {
  replace_file(file, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

}  // namespace mbdbench
