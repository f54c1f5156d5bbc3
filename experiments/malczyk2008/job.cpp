#include "experiments/malczyk2008/job.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "experiments/files/csv_file.hpp"

namespace mbdbench::malczyk2008 {
namespace {

using Json = nlohmann::json;

Json read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  Json json = Json::parse(stream, nullptr, false);
  if (json.is_discarded()) {
    throw std::runtime_error(file.string() + ": cannot be read as JSON");
  }
  return json;
}

Json json_of(const std::optional<Timing>& timing) {
  return timing ? Json{{"wall_time", timing->seconds},
                       {"processor_share", timing->processor_share},
                       {"spread", timing->spread},
                       {"repetitions", timing->repetitions}}
                : Json();
}

std::optional<Timing> timing_of(const Json& json) {
  return json.is_null() ? std::nullopt
                        : std::optional(Timing{json.at("wall_time"), json.at("processor_share"), json.at("spread"),
                                               json.at("repetitions")});
}

}  // namespace

void write_job(const std::filesystem::path& file, const Job& job) {
  Json json;
  json["tasks"] = Json::array();
  for (const Task& task : job.tasks) {
    json["tasks"].push_back({{"mechanism", task.mechanism},
                             {"end", task.end},
                             {"step", task.step},
                             {"repetitions", task.repetitions},
                             {"patience", task.patience}});
  }
  json["message_sizes"] = job.message_sizes;
  replace_file(file, json.dump(2));
}

Job read_job(const std::filesystem::path& file) {
  const Json json = read_json(file);
  Job job;
  for (const Json& task : json.at("tasks")) {
    job.tasks.push_back(
        {task.at("mechanism"), task.at("end"), task.at("step"), task.at("repetitions"), task.at("patience")});
  }
  job.message_sizes = json.at("message_sizes").get<std::vector<int>>();
  return job;
}

void write_result(const std::filesystem::path& file, const JobResult& result) {
  Json json;
  json["tasks"] = Json::array();
  for (const TaskTimes& times : result.tasks) {
    json["tasks"].push_back({{"failure", times.failure},
                             {"serial", json_of(times.serial)},
                             {"sub_chains", json_of(times.sub_chains)},
                             {"two_ranks", json_of(times.two_ranks)},
                             {"serial_state", times.serial_state},
                             {"two_rank_state", times.two_rank_state},
                             {"evaluations", times.evaluations}});
  }
  json["messages"] = Json::array();
  for (const MessageTime& message : result.messages) {
    json["messages"].push_back({{"numbers", message.numbers}, {"timing", json_of(message.timing)}});
  }
  json["library"] = result.library;
  json["transport"] = result.transport;
  replace_file(file, json.dump(2));
}

JobResult read_result(const std::filesystem::path& file) {
  const Json json = read_json(file);
  JobResult result;
  for (const Json& times : json.at("tasks")) {
    result.tasks.push_back({times.at("failure"), timing_of(times.at("serial")), timing_of(times.at("sub_chains")),
                            timing_of(times.at("two_ranks")), times.at("serial_state").get<std::vector<double>>(),
                            times.at("two_rank_state").get<std::vector<double>>(), times.at("evaluations")});
  }
  for (const Json& message : json.at("messages")) {
    result.messages.push_back({message.at("numbers"), timing_of(message.at("timing")).value_or(Timing{})});
  }
  result.library = json.at("library");
  result.transport = json.at("transport");
  return result;
}

}  // namespace mbdbench::malczyk2008
