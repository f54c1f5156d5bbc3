#pragma once
/// \file
/// What an engine's program in C++ does: answer lines of JSON (docs/engines.md). An engine gives one function.
#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace engine {

using Vector3 = Eigen::Vector3d;

/// A joint's axes in those of a body, and its origin.
struct Frame {
  Eigen::Matrix3d rotation;
  Vector3 position;
};

struct Joint {
  std::string name;
  std::string type;
  bool cut = false;
  int a = -1;
  int b = 0;
  int q = 0;  ///< its first component of q, and how many
  int q_count = 0;
  int v = 0;
  int v_count = 0;
  Frame frame_a;
  Frame frame_b;
  Vector3 axis, axis2, normal1, normal2;
  double pitch = 0.0;
};

struct Body {
  double mass = 0.0;
  Vector3 com;
  Eigen::Matrix3d inertia;
};

struct Mechanism {
  Vector3 gravity;
  int q_size = 0;
  int v_size = 0;
  std::vector<Body> bodies;
  std::vector<Joint> joints;
};

struct State {
  Eigen::VectorXd q, v, joint_forces;
  std::vector<Eigen::Matrix<double, 6, 1>> body_wrenches;
};

struct Answer {
  Eigen::VectorXd accelerations;
  double seconds = 0.0;
};

/// A spring between two points, in the axes of their bodies.
struct Spring {
  int a = -1;
  int b = 0;
  Vector3 point_a, point_b;
  double stiffness = 0.0;
  double damping = 0.0;
  double rest = 0.0;
};

/// What an engine that integrates itself is asked for.
struct Simulation {
  std::vector<double> times;
  Eigen::VectorXd q, v, joint_forces;  ///< at the first time; the forces stay
  std::vector<Spring> springs;
  std::string integrator;
  double control = 0.0;  ///< a tolerance or a step, as the integrator takes it
};

struct Motion {
  std::vector<Eigen::VectorXd> q;  ///< at the times
  double seconds = 0.0;
};

/// The engine does not treat the mechanism; the text says why.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// \returns the seconds of one call: of the first one where that is long, else the mean of as many as fill 0.1 ms, with
/// the processor's caches as warm as those of the suite's own formulations are when they are timed.
template <typename Call>
double timed(const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_of = [&](int calls) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < calls; ++i) {
      call();
    }
    return std::chrono::duration<double>(Clock::now() - start).count() / calls;
  };
  const double first = seconds_of(1);
  return first > 1e-4 ? first : seconds_of(std::clamp(static_cast<int>(1e-4 / std::max(first, 1e-8)), 1, 1000));
}

/// \returns the seconds of the processor that this thread has had.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline Eigen::VectorXd vector_of(const nlohmann::json& numbers) {
  const auto read = numbers.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(read.data(), static_cast<Eigen::Index>(read.size()));
}

inline Eigen::Matrix3d matrix_of(const nlohmann::json& rows) {
  Eigen::Matrix3d matrix;
  for (int i = 0; i < 3; ++i) {
    matrix.row(i) = vector_of(rows[static_cast<std::size_t>(i)]).transpose();
  }
  return matrix;
}

inline Mechanism read_mechanism(const nlohmann::json& given) {
  Mechanism mechanism;
  mechanism.gravity = vector_of(given["gravity"]);
  mechanism.q_size = given["q_size"];
  mechanism.v_size = given["v_size"];
  for (const auto& body : given["bodies"]) {
    mechanism.bodies.push_back({body["mass"], vector_of(body["com"]), matrix_of(body["inertia"])});
  }
  for (const auto& one : given["joints"]) {
    Joint joint;
    joint.name = one["name"];
    joint.type = one["type"];
    joint.cut = one["cut"];
    joint.a = one["a"];
    joint.b = one["b"];
    if (!joint.cut) {
      joint.q = one["q"][0], joint.q_count = one["q"][1], joint.v = one["v"][0], joint.v_count = one["v"][1];
    }
    joint.frame_a = {matrix_of(one["frame_a"]["rotation"]), vector_of(one["frame_a"]["position"])};
    joint.frame_b = {matrix_of(one["frame_b"]["rotation"]), vector_of(one["frame_b"]["position"])};
    joint.axis = vector_of(one["axis"]), joint.axis2 = vector_of(one["axis2"]);
    joint.normal1 = vector_of(one["normal1"]), joint.normal2 = vector_of(one["normal2"]);
    joint.pitch = one.value("pitch", 0.0);
    mechanism.joints.push_back(joint);
  }
  return mechanism;
}

inline Simulation read_simulation(const nlohmann::json& given) {
  Simulation simulation = {
      given["times"],      vector_of(given["q"]), vector_of(given["v"]), vector_of(given["joint_forces"]), {},
      given["integrator"], given["control"]};
  for (const auto& one : given["springs"]) {
    simulation.springs.push_back({one["a"], one["b"], vector_of(one["point_a"]), vector_of(one["point_b"]),
                                  one["stiffness"], one["damping"], one["rest"]});
  }
  return simulation;
}

using Simulate = std::function<Motion(const Mechanism&, const Simulation&)>;

inline nlohmann::json moved(const Mechanism& mechanism, const Simulation& simulation, const Simulate& simulate) {
  const auto has_quaternion = [](const Joint& joint) { return !joint.cut && joint.q_count != joint.v_count; };
  try {
    if (!simulate) {
      throw Refused("it has no integrator here");
    }
    if (std::any_of(mechanism.joints.begin(), mechanism.joints.end(), has_quaternion)) {
      throw Refused("only mechanisms without quaternions are simulated");
    }
    const Motion motion = simulate(mechanism, simulation);
    nlohmann::json rows = nlohmann::json::array();
    for (const Eigen::VectorXd& q : motion.q) {
      rows.push_back(std::vector<double>(q.begin(), q.end()));
    }
    return {{"q", rows}, {"seconds", motion.seconds}};
  } catch (const Refused& why) {
    return {{"refused", why.what()}};
  } catch (const std::exception& why) {
    return {{"failed", why.what()}};
  }
}

/// Answers until the end of standard input.
/// \param make of a mechanism, which outlives what it returns, a function of states; throws Refused
/// \param accuracy relative, where an iteration limits it
/// \param simulate where the engine integrates itself
inline void serve(const std::string& name,
                  const std::function<std::function<Answer(const State&)>(const Mechanism&)>& make,
                  double accuracy = 0.0, const Simulate& simulate = {}) {
  Mechanism mechanism;
  std::function<Answer(const State&)> accelerations;
  for (std::string line; std::getline(std::cin, line);) {
    const auto message = nlohmann::json::parse(line);
    nlohmann::json answer;
    if (message.contains("mechanism")) {
      answer = {{"engine", name}, {"accuracy", accuracy}};
      try {
        mechanism = read_mechanism(message["mechanism"]);
        accelerations = make(mechanism);
      } catch (const std::exception& why) {
        answer["refused"] = why.what();
      }
    } else if (message.contains("simulate")) {
      answer = moved(mechanism, read_simulation(message["simulate"]), simulate);
    } else {
      try {
        State state = {vector_of(message["q"]), vector_of(message["v"]), vector_of(message["joint_forces"]), {}};
        for (const auto& wrench : message["body_wrenches"]) {
          state.body_wrenches.emplace_back(vector_of(wrench));
        }
        const Answer found = accelerations(state);
        answer["accelerations"] = std::vector<double>(found.accelerations.begin(), found.accelerations.end());
        answer["seconds"] = found.seconds;
      } catch (const std::exception& why) {
        answer = {{"failed", why.what()}};
      }
    }
    std::cout << answer.dump() << std::endl;
  }
}

}  // namespace engine
