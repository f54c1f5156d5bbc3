#include "experiments/engines/engine_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "experiments/files/formats/json_file.hpp"
#include "mechanisms/model/description/visible_text.hpp"

namespace mbdbench {
namespace {

using nlohmann::json;

template <typename Vector>
json list(const Vector& vector) {
  json numbers = json::array();
  for (Eigen::Index i = 0; i < vector.size(); ++i) {
    numbers.push_back(vector[i]);
  }
  return numbers;
}

/// Row by row.
json rows(const Mat3& matrix) {
  json all = json::array();
  for (int i = 0; i < 3; ++i) {
    all.push_back(list(Vec3(matrix.row(i).transpose())));
  }
  return all;
}

json joint_object(const Joint& joint) {
  json object = {{"name", joint.name},
                 {"type", to_string(joint.type)},
                 {"cut", joint.cut},
                 {"a", joint.a},
                 {"b", joint.b},
                 {"frame_a", {{"position", list(joint.position_a)}, {"rotation", rows(joint.rotation_a)}}},
                 {"frame_b", {{"position", list(joint.position_b)}, {"rotation", rows(joint.rotation_b)}}},
                 {"axis", list(joint.axis)},
                 {"axis2", list(joint.axis2)},
                 {"pitch", joint.pitch},
                 {"normal1", list(joint.normal1)},
                 {"normal2", list(joint.normal2)}};
  if (!joint.cut) {
    object["q"] = {joint.q_offset, joint.nq};
    object["v"] = {joint.u_offset, joint.nu};
  }
  return object;
}

json parsed(const std::string& line) {
  json answer = json_or_discarded(line);
  if (!answer.is_object()) {
    constexpr std::size_t kShown = 80;
    throw std::runtime_error(fmt::format("answered '{}', which is not a JSON object on one line",
                                         visible_text(line.size() > kShown ? line.substr(0, kShown) + "..." : line)));
  }
  return answer;
}

std::string text_at(const json& answer, const char* name) {
  return answer.contains(name) && answer[name].is_string() ? visible_text(answer[name].get<std::string>())
                                                           : std::string();
}

double number_at(const json& answer, const char* name) {
  return answer.contains(name) && answer[name].is_number() ? answer[name].get<double>() : 0.0;
}

}  // namespace

json mechanism_message(const Mechanism& mechanism) {
  json bodies = json::array();
  for (const Body& body : mechanism.bodies()) {
    bodies.push_back(
        {{"name", body.name}, {"mass", body.mass}, {"com", list(body.com)}, {"inertia", rows(body.inertia)}});
  }
  json joints = json::array();
  for (const auto& some : {mechanism.tree_joints(), mechanism.cut_joints()}) {
    for (const Joint& joint : some) {
      joints.push_back(joint_object(joint));
    }
  }
  return {{"mechanism",
           {{"name", mechanism.name()},
            {"gravity", list(mechanism.gravity())},
            {"q_size", mechanism.q_size()},
            {"v_size", mechanism.u_size()},
            {"bodies", std::move(bodies)},
            {"joints", std::move(joints)}}}};
}

json state_message(double t, std::span<const double> q, std::span<const double> u, const Kinematics& kinematics,
                   const LoadEvaluator& loads) {
  const Mechanism& mechanism = kinematics.mechanism();
  json wrenches = json::array();
  for (int k = 0; k < mechanism.body_count(); ++k) {
    Vec6 wrench = loads.body_wrench(k);
    wrench.head<3>() -= mechanism.bodies()[static_cast<std::size_t>(k)].mass * mechanism.gravity();
    wrenches.push_back(list(wrench));
  }
  return {{"t", t},
          {"q", std::vector<double>(q.begin(), q.end())},
          {"v", std::vector<double>(u.begin(), u.end())},
          {"joint_forces", list(loads.joint_forces())},
          {"body_wrenches", std::move(wrenches)}};
}

json batch_message(json state, int count, int threads) {
  return {{"batch", {{"state", std::move(state)}, {"count", count}, {"threads", threads}}}};
}

std::string engine_lines(const Mechanism& mechanism) {
  const std::span<const double> q(mechanism.q0().data(), static_cast<std::size_t>(mechanism.q_size()));
  const std::span<const double> u(mechanism.u0().data(), static_cast<std::size_t>(mechanism.u_size()));
  Kinematics kinematics(mechanism);
  kinematics.set_positions(q);
  kinematics.set_velocities(u);
  LoadEvaluator loads(mechanism, nullptr);
  loads.evaluate(0.0, q, u, kinematics);
  return mechanism_message(mechanism).dump() + '\n' + state_message(0.0, q, u, kinematics, loads).dump() + '\n';
}

MechanismAnswer read_mechanism_answer(const std::string& line) {
  const json answer = parsed(line);
  MechanismAnswer read = {text_at(answer, "engine"), text_at(answer, "refused"), number_at(answer, "accuracy"),
                          answer.contains("derivatives") && answer["derivatives"] == true,
                          answer.contains("batches") && answer["batches"] == true};
  if (read.engine.empty()) {
    throw std::runtime_error(
        R"(answered a mechanism without its name; {"engine": "NAME VERSION"} takes it, "refused": "REASON" beside that does not)");
  }
  return read;
}

StateAnswer read_state_answer(const std::string& line, std::size_t size) {
  const json answer = parsed(line);
  StateAnswer read;
  read.failure = text_at(answer, "failed");
  read.seconds = number_at(answer, "seconds");
  if (!read.failure.empty()) {
    return read;
  }
  const json numbers = answer.value("accelerations", json::array());
  for (const json& number : numbers) {
    if (number.is_number()) {
      read.accelerations.push_back(number.get<double>());
    }
  }
  if (read.accelerations.size() != size) {
    throw std::runtime_error(
        fmt::format("answered a state with {} numbers in \"accelerations\"; there must be {}, one a component of v",
                    read.accelerations.size(), size));
  }
  return read;
}

DerivativeAnswer read_derivative_answer(const std::string& line, std::size_t size) {
  const json answer = parsed(line);
  DerivativeAnswer read;
  read.failure = text_at(answer, "failed");
  read.seconds = number_at(answer, "seconds");
  if (!read.failure.empty()) {
    return read;
  }
  const auto n = static_cast<Eigen::Index>(size);
  for (const auto& [name, matrix] : {std::pair("by_motion", &read.by_motion), std::pair("by_v", &read.by_u),
                                     std::pair("by_forces", &read.by_forces)}) {
    const json rows_of = answer.value(name, json::array());
    const bool fits = rows_of.is_array() && rows_of.size() == size &&
                      std::all_of(rows_of.begin(), rows_of.end(), [&](const json& row) {
                        return row.is_array() && row.size() == size &&
                               std::all_of(row.begin(), row.end(), [](const json& entry) { return entry.is_number(); });
                      });
    if (!fits) {
      throw std::runtime_error(
          fmt::format("answered derivatives without {} rows of {} numbers in \"{}\"", size, size, name));
    }
    matrix->resize(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        (*matrix)(i, j) = rows_of[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>();
      }
    }
  }
  return read;
}

}  // namespace mbdbench
