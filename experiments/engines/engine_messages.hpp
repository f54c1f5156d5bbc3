#pragma once
/// \file
/// Messages to engines and their answers, in JSON; docs/developing/engine_protocol.md states them for authors.
#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {

/// \returns {"mechanism": ...}: bodies, joints, gravity; everything resolved to numbers.
nlohmann::json mechanism_message(const Mechanism& mechanism);

/// \returns {"t": ..., "q": ..., "v": ..., "joint_forces": ..., "body_wrenches": ...}.
/// \param kinematics, loads of this state, evaluated; gravity, which engines have from the mechanism, is taken out
nlohmann::json state_message(double t, std::span<const double> q, std::span<const double> u,
                             const Kinematics& kinematics, const LoadEvaluator& loads);

/// \returns {"batch": ...}: the same state so many times, on so many threads.
nlohmann::json batch_message(nlohmann::json state, int count, int threads);

/// \returns what an engine is told of a mechanism and of its initial state, a line each.
std::string engine_lines(const Mechanism& mechanism);

/// An answer to a mechanism.
struct MechanismAnswer {
  std::string engine;        ///< name and version, as the engine calls itself
  std::string refusal;       ///< why it does not treat the mechanism; empty if it does
  double accuracy = 0.0;     ///< relative, of its accelerations, where an iteration limits it; 0: rounding
  bool derivatives = false;  ///< whether it answers for derivatives
  bool batches = false;      ///< whether it takes many states at a time
};

/// An answer to a state; to a batch: of its last state, with the seconds of all.
struct StateAnswer {
  std::string failure;                ///< why there are no accelerations; empty if there are
  std::vector<double> accelerations;  ///< u', as many as u
  double seconds = 0.0;               ///< that the engine took for them by its own clock; 0: it does not say
};

/// An answer for derivatives of u' at a state, each u_size() times u_size() entries.
struct DerivativeAnswer {
  std::string failure;        ///< why there are none; empty if there are
  Eigen::MatrixXd by_motion;  ///< column j: by the motion in which component j of u is 1 and the others are 0
  Eigen::MatrixXd by_u;       ///< with q held
  Eigen::MatrixXd by_forces;  ///< by generalised forces dual to u: the inverse of M
  double seconds = 0.0;       ///< as of a state
};

/// \throws std::runtime_error saying what is wrong with the line and what would be right
MechanismAnswer read_mechanism_answer(const std::string& line);

/// \param size of u \throws std::runtime_error as above
StateAnswer read_state_answer(const std::string& line, std::size_t size);

/// \param size of u \throws std::runtime_error as above
DerivativeAnswer read_derivative_answer(const std::string& line, std::size_t size);

}  // namespace mbdbench
