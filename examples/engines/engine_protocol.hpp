#pragma once
/// \file
/// An engine's program in C++ answers lines of JSON (docs/developing/engine_protocol.md). An engine gives one function.
#include <fcntl.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
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

/// Of the accelerations at a state, a row a component of v.
struct Derivatives {
  Eigen::MatrixXd by_motion;  ///< column j: by the motion in which component j of v is 1 and the others are 0
  Eigen::MatrixXd by_v;       ///< with q held
  Eigen::MatrixXd by_forces;  ///< by joint forces
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

/// \returns the seconds of one call: of the first one where that takes 10 ms, else the mean of as many as fill 0.1 ms
/// after it, with the processor's caches as warm as those of the suite's own formulations are when they are timed.
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
  return first > 1e-2 ? first : seconds_of(std::clamp(static_cast<int>(1e-4 / std::max(first, 1e-8)), 1, 1000));
}

/// \returns the seconds of the processor that this thread has had.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// \throws std::runtime_error unless the number is at least `first` and below `end`
inline int checked(const char* what, int number, int first, int end) {
  if (number < first || number >= end) {
    throw std::runtime_error(std::string(what) + " is " + std::to_string(number) + "; there must be a number from " +
                             std::to_string(first) + " to " + std::to_string(end - 1));
  }
  return number;
}

/// \throws std::runtime_error unless there are `size`
inline void check_count(const std::string& what, std::size_t count, std::size_t size) {
  if (count != size) {
    throw std::runtime_error(what + " has " + std::to_string(count) + " entries; there must be " +
                             std::to_string(size));
  }
}

inline Eigen::VectorXd numbers_of(const nlohmann::json& numbers, const std::string& what, int size = 3) {
  const auto read = numbers.get<std::vector<double>>();
  check_count(what, read.size(), static_cast<std::size_t>(size));
  return Eigen::Map<const Eigen::VectorXd>(read.data(), size);
}

inline Eigen::VectorXd vector_of(const nlohmann::json& given, const std::string& key, int size = 3) {
  return numbers_of(given.at(key), '"' + key + '"', size);
}

inline Eigen::Matrix3d matrix_of(const nlohmann::json& given, const std::string& key) {
  const auto& rows = given.at(key);
  check_count('"' + key + '"', rows.size(), 3);
  Eigen::Matrix3d matrix;
  for (int i = 0; i < 3; ++i) {
    matrix.row(i) = numbers_of(rows.at(static_cast<std::size_t>(i)), "a row of \"" + key + '"').transpose();
  }
  return matrix;
}

inline Frame frame_of(const nlohmann::json& given) {
  return {matrix_of(given, "rotation"), vector_of(given, "position")};
}

inline Joint read_joint(const nlohmann::json& one, const Mechanism& mechanism) {
  const int bodies = static_cast<int>(mechanism.bodies.size());
  Joint joint;
  joint.name = one.at("name");
  joint.type = one.at("type");
  joint.cut = one.at("cut");
  joint.a = checked("\"a\" of a joint", one.at("a"), -1, bodies);
  joint.b = checked("\"b\" of a joint", one.at("b"), joint.cut ? -1 : 0, bodies);
  if (!joint.cut) {
    const auto& q = one.at("q");
    const auto& v = one.at("v");
    joint.q = checked("\"q\" of a joint", q.at(0), 0, mechanism.q_size + 1);
    joint.q_count = checked("\"q\" of a joint", q.at(1), 0, mechanism.q_size - joint.q + 1);
    joint.v = checked("\"v\" of a joint", v.at(0), 0, mechanism.v_size + 1);
    joint.v_count = checked("\"v\" of a joint", v.at(1), 0, mechanism.v_size - joint.v + 1);
  }
  joint.frame_a = frame_of(one.at("frame_a")), joint.frame_b = frame_of(one.at("frame_b"));
  joint.axis = vector_of(one, "axis"), joint.axis2 = vector_of(one, "axis2");
  joint.normal1 = vector_of(one, "normal1"), joint.normal2 = vector_of(one, "normal2");
  joint.pitch = one.value("pitch", 0.0);
  return joint;
}

inline Mechanism read_mechanism(const nlohmann::json& given) {
  Mechanism mechanism;
  mechanism.gravity = vector_of(given, "gravity");
  mechanism.q_size = given.at("q_size");
  mechanism.v_size = given.at("v_size");
  for (const auto& body : given.at("bodies")) {
    mechanism.bodies.push_back({body.at("mass"), vector_of(body, "com"), matrix_of(body, "inertia")});
  }
  for (const auto& one : given.at("joints")) {
    const std::size_t k = mechanism.joints.size();
    const Joint joint = read_joint(one, mechanism);
    const bool outboard = joint.b == static_cast<int>(k) && joint.a < joint.b;
    if (joint.cut != (k >= mechanism.bodies.size()) || (!joint.cut && !outboard)) {
      throw std::runtime_error("joint '" + joint.name +
                               "' is out of order; tree joints lead to the bodies one after another from bodies before "
                               "them, then come cut ones");
    }
    mechanism.joints.push_back(joint);
  }
  if (mechanism.joints.size() < mechanism.bodies.size()) {
    throw std::runtime_error("there are fewer joints than bodies");
  }
  return mechanism;
}

inline State read_state(const nlohmann::json& given, const Mechanism& mechanism) {
  State state = {vector_of(given, "q", mechanism.q_size),
                 vector_of(given, "v", mechanism.v_size),
                 vector_of(given, "joint_forces", mechanism.v_size),
                 {}};
  const auto& wrenches = given.at("body_wrenches");
  check_count("\"body_wrenches\"", wrenches.size(), mechanism.bodies.size());
  for (const auto& wrench : wrenches) {
    state.body_wrenches.emplace_back(numbers_of(wrench, "a row of \"body_wrenches\"", 6));
  }
  return state;
}

inline Simulation read_simulation(const nlohmann::json& given, const Mechanism& mechanism) {
  Simulation simulation = {given.at("times"),
                           vector_of(given, "q", mechanism.q_size),
                           vector_of(given, "v", mechanism.v_size),
                           vector_of(given, "joint_forces", mechanism.v_size),
                           {},
                           given.at("integrator"),
                           given.at("control")};
  const std::vector<double>& times = simulation.times;
  if (times.size() < 2 || std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) != times.end()) {
    throw std::runtime_error("\"times\" must be two or more that increase");
  }
  const int bodies = static_cast<int>(mechanism.bodies.size());
  for (const auto& one : given.at("springs")) {
    simulation.springs.push_back({checked("\"a\" of a spring", one.at("a"), -1, bodies),
                                  checked("\"b\" of a spring", one.at("b"), -1, bodies), vector_of(one, "point_a"),
                                  vector_of(one, "point_b"), one.at("stiffness"), one.at("damping"), one.at("rest")});
  }
  return simulation;
}

using Simulate = std::function<Motion(const Mechanism&, const Simulation&)>;

/// \returns the answer to a simulation.
inline nlohmann::json moved(const Mechanism& mechanism, const nlohmann::json& given, const Simulate& simulate) {
  const auto has_quaternion = [](const Joint& joint) { return !joint.cut && joint.q_count != joint.v_count; };
  try {
    if (!simulate) {
      throw Refused("it has no integrator here");
    }
    if (std::any_of(mechanism.joints.begin(), mechanism.joints.end(), has_quaternion)) {
      throw Refused("only mechanisms without quaternions are simulated");
    }
    const Motion motion = simulate(mechanism, read_simulation(given, mechanism));
    nlohmann::json rows = nlohmann::json::array();
    for (const Eigen::VectorXd& q : motion.q) {
      rows.push_back(std::vector<double>(q.begin(), q.end()));
    }
    return {{"q", rows}, {"seconds", motion.seconds}};
  } catch (const Refused& why) {
    return {{"refused", why.what()}};
  }
}

inline nlohmann::json rows_of(const Eigen::MatrixXd& matrix) {
  nlohmann::json rows = nlohmann::json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const Eigen::VectorXd row = matrix.row(i);
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

/// What an engine computes at states of one mechanism.
struct Solver {
  using Accelerations = std::function<Answer(const State&)>;

  Solver() = default;
  /// Without derivatives.
  template <typename Call, typename = std::enable_if_t<std::is_convertible_v<Call, Accelerations>>>
  Solver(Call call) : accelerations(call) {}
  Solver(Accelerations call, std::function<Derivatives(const State&)> slopes)
      : accelerations(std::move(call)), derivatives(std::move(slopes)) {}

  Accelerations accelerations;
  std::function<Derivatives(const State&)> derivatives;
};

/// Answers until the end of standard input; a line that is wrong too, with what is wrong.
/// \param make of a mechanism, which outlives what it returns, a function of states, or a Solver; throws Refused
/// \param accuracy relative, where an iteration limits it
/// \param simulate where the engine integrates itself
inline void serve(const std::string& name, const std::function<Solver(const Mechanism&)>& make, double accuracy = 0.0,
                  const Simulate& simulate = {}) {
  // A library's file must not get the number of a closed standard error, to which it writes its warnings.
  while (fcntl(STDERR_FILENO, F_GETFD) < 0 && open("/dev/null", O_WRONLY) >= 0) {
  }
  Mechanism mechanism;
  Solver solver;
  for (std::string line; std::getline(std::cin, line);) {
    nlohmann::json answer;
    try {
      const auto message = nlohmann::json::parse(line);
      if (message.contains("mechanism")) {
        answer = {{"engine", name}, {"accuracy", accuracy}};
        solver = {};  // of the mechanism before, which ends here
        try {
          mechanism = read_mechanism(message.at("mechanism"));
          solver = make(mechanism);
          if (solver.derivatives) {
            answer["derivatives"] = true;
          }
        } catch (const std::exception& why) {
          answer["refused"] = why.what();
        }
      } else if (!solver.accelerations) {
        throw std::runtime_error("no mechanism was told before that it treats");
      } else if (message.contains("simulate")) {
        answer = moved(mechanism, message.at("simulate"), simulate);
      } else if (message.contains("derivatives")) {
        if (!solver.derivatives) {
          throw std::runtime_error("it has no derivatives here");
        }
        const Derivatives found = solver.derivatives(read_state(message.at("derivatives"), mechanism));
        answer = {{"by_motion", rows_of(found.by_motion)},
                  {"by_v", rows_of(found.by_v)},
                  {"by_forces", rows_of(found.by_forces)},
                  {"seconds", found.seconds}};
      } else {
        const Answer found = solver.accelerations(read_state(message, mechanism));
        answer["accelerations"] = std::vector<double>(found.accelerations.begin(), found.accelerations.end());
        answer["seconds"] = found.seconds;
      }
    } catch (const std::exception& why) {
      answer = {{"failed", why.what()}};
    }
    // A reason may quote bytes that are no text.
    std::cout << answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }
}

}  // namespace engine
