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

/// \throws std::invalid_argument where there are not so many
template <int Count>
Eigen::Matrix<double, Count, 1> numbers_of(const nlohmann::json& numbers) {
  const auto read = numbers.get<std::vector<double>>();
  if (read.size() != Count) {
    throw std::invalid_argument(std::to_string(read.size()) + " numbers where there should be " +
                                std::to_string(Count));
  }
  return Eigen::Map<const Eigen::Matrix<double, Count, 1>>(read.data());
}

inline Eigen::Matrix3d matrix_of(const nlohmann::json& rows) {
  Eigen::Matrix3d matrix;
  for (int i = 0; i < 3; ++i) {
    matrix.row(i) = numbers_of<3>(rows.at(static_cast<std::size_t>(i))).transpose();
  }
  return matrix;
}

inline Mechanism read_mechanism(const nlohmann::json& given) {
  Mechanism mechanism;
  mechanism.gravity = numbers_of<3>(given.at("gravity"));
  mechanism.q_size = given.at("q_size");
  mechanism.v_size = given.at("v_size");
  for (const auto& body : given.at("bodies")) {
    mechanism.bodies.push_back({body.at("mass"), numbers_of<3>(body.at("com")), matrix_of(body.at("inertia"))});
  }
  for (const auto& one : given.at("joints")) {
    Joint joint;
    joint.name = one.at("name");
    joint.type = one.at("type");
    joint.cut = one.at("cut");
    joint.a = one.at("a");
    joint.b = one.at("b");
    if (!joint.cut) {
      joint.q = one.at("q").at(0), joint.q_count = one.at("q").at(1), joint.v = one.at("v").at(0),
      joint.v_count = one.at("v").at(1);
    }
    joint.frame_a = {matrix_of(one.at("frame_a").at("rotation")), numbers_of<3>(one.at("frame_a").at("position"))};
    joint.frame_b = {matrix_of(one.at("frame_b").at("rotation")), numbers_of<3>(one.at("frame_b").at("position"))};
    joint.axis = numbers_of<3>(one.at("axis")), joint.axis2 = numbers_of<3>(one.at("axis2"));
    joint.normal1 = numbers_of<3>(one.at("normal1")), joint.normal2 = numbers_of<3>(one.at("normal2"));
    joint.pitch = one.value("pitch", 0.0);
    mechanism.joints.push_back(joint);
  }
  return mechanism;
}

inline Simulation read_simulation(const nlohmann::json& given) {
  Simulation simulation = {given.at("times"),
                           vector_of(given.at("q")),
                           vector_of(given.at("v")),
                           vector_of(given.at("joint_forces")),
                           {},
                           given.at("integrator"),
                           given.at("control")};
  for (const auto& one : given.at("springs")) {
    simulation.springs.push_back({one.at("a"), one.at("b"), numbers_of<3>(one.at("point_a")),
                                  numbers_of<3>(one.at("point_b")), one.at("stiffness"), one.at("damping"),
                                  one.at("rest")});
  }
  return simulation;
}

using Simulate = std::function<Motion(const Mechanism&, const Simulation&)>;

inline nlohmann::json moved(const Mechanism& mechanism, const nlohmann::json& message, const Simulate& simulate) {
  const auto has_quaternion = [](const Joint& joint) { return !joint.cut && joint.q_count != joint.v_count; };
  try {
    if (!simulate) {
      throw Refused("it has no integrator here");
    }
    if (std::any_of(mechanism.joints.begin(), mechanism.joints.end(), has_quaternion)) {
      throw Refused("only mechanisms without quaternions are simulated");
    }
    const Simulation simulation = read_simulation(message);
    if (simulation.q.size() != mechanism.q_size || simulation.v.size() != mechanism.v_size ||
        simulation.joint_forces.size() != mechanism.v_size || simulation.times.size() < 2) {
      throw std::invalid_argument("q, v, joint_forces or times have other numbers than the mechanism");
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
    const auto message = nlohmann::json::parse(line, nullptr, false);
    nlohmann::json answer;
    if (!message.is_object()) {
      answer = {{"failed", "the line is no object of JSON"}};
    } else if (message.contains("mechanism")) {
      answer = {{"engine", name}, {"accuracy", accuracy}};
      try {
        accelerations = nullptr;
        mechanism = read_mechanism(message["mechanism"]);
        accelerations = make(mechanism);
      } catch (const std::exception& why) {
        answer["refused"] = why.what();
      }
    } else if (message.contains("simulate")) {
      answer = moved(mechanism, message["simulate"], simulate);
    } else {
      try {
        if (!accelerations) {
          throw std::invalid_argument("there is no mechanism yet");
        }
        State state = {
            vector_of(message.at("q")), vector_of(message.at("v")), vector_of(message.at("joint_forces")), {}};
        for (const auto& wrench : message.at("body_wrenches")) {
          state.body_wrenches.emplace_back(numbers_of<6>(wrench));
        }
        if (state.q.size() != mechanism.q_size || state.v.size() != mechanism.v_size ||
            state.joint_forces.size() != mechanism.v_size || state.body_wrenches.size() != mechanism.bodies.size()) {
          throw std::invalid_argument("the state has other numbers than the mechanism");
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
