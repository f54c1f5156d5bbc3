#include "formulations/derivatives/loops/slopes/turned_coordinates.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

using QuaternionTurns = Eigen::Matrix<double, 4, 3>;

/// P(e).
QuaternionTurns turns_from(double w, double x, double y, double z) {
  QuaternionTurns p;
  p << -x, -y, -z, w, -z, y, z, w, -x, -y, x, w;
  return p;
}
QuaternionTurns turns_from(const double* e) {
  return turns_from(e[0], e[1], e[2], e[3]);
}

double square(const double* e) {
  return e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
}

}  // namespace

TurnedCoordinates::TurnedCoordinates(std::span<const Joint> joints) {
  for (const Joint& joint : joints) {
    places_.push_back({has_quaternion(joint.type), static_cast<int>(size_), static_cast<int>(turns_), joint.nu});
    size_ += joint.nq;
    turns_ += joint.nu;
  }
}

/// Calls `quaternion(q, u)` for the first four coordinates and three turns of a ball, `scalar(q, u)` for all others.
template <typename Quaternion, typename Scalar>
void TurnedCoordinates::for_coordinates(const Quaternion& quaternion, const Scalar& scalar) const {
  for (const Place& place : places_) {
    if (place.ball) {
      quaternion(place.q, place.u);
    }
    for (int i = place.ball ? 3 : 0; i < place.count; ++i) {
      scalar(place.q + i + (place.ball ? 1 : 0), place.u + i);
    }
  }
}

Eigen::VectorXd TurnedCoordinates::turns_of(std::span<const double> q, std::span<const double> change) const {
  Eigen::VectorXd turns(turns_);
  for_coordinates(
      [&](int at, int u) {
        const double* const e = q.data() + at;
        turns.segment<3>(u) =
            2.0 / square(e) * (turns_from(e).transpose() * Eigen::Map<const Eigen::Vector4d>(change.data() + at));
      },
      [&](int at, int u) { turns[u] = change[index_of(at)]; });
  return turns;
}

Eigen::MatrixXd TurnedCoordinates::rates(std::span<const double> q, const Eigen::MatrixXd& columns) const {
  Eigen::MatrixXd result(size_, columns.cols());
  for_coordinates(
      [&](int at, int u) { result.middleRows<4>(at) = 0.5 * turns_from(q.data() + at) * columns.middleRows<3>(u); },
      [&](int at, int u) { result.row(at) = columns.row(u); });
  return result;
}

Eigen::MatrixXd TurnedCoordinates::by_coordinates(std::span<const double> q, const Eigen::MatrixXd& columns) const {
  Eigen::MatrixXd result(columns.rows(), size_);
  for_coordinates(
      [&](int at, int u) {
        const double* const e = q.data() + at;
        result.middleCols<4>(at) = columns.middleCols<3>(u) * (2.0 / square(e) * turns_from(e).transpose());
      },
      [&](int at, int u) { result.col(at) = columns.col(u); });
  return result;
}

void TurnedCoordinates::add_rates_by_coordinates(const Eigen::VectorXd& u, Eigen::Ref<RowMajor> derivatives) const {
  for_coordinates(
      [&](int at, int turn) {
        for (int c = 0; c < 4; ++c) {
          const Eigen::Vector4d unit = Eigen::Vector4d::Unit(c);
          derivatives.block<4, 1>(at, at + c) += 0.5 * turns_from(unit.data()) * u.segment<3>(turn);
        }
      },
      [](int /*at*/, int /*u*/) {});
}

void TurnedCoordinates::set_rates(std::span<const double> q, std::span<const double> change, const Eigen::VectorXd& u,
                                  const Eigen::VectorXd& push, std::span<double> rates) const {
  for_coordinates(
      [&](int at, int turn) {
        Eigen::Map<Eigen::Vector4d>(rates.data() + at) = 0.5 * (turns_from(q.data() + at) * push.segment<3>(turn) +
                                                                turns_from(change.data() + at) * u.segment<3>(turn));
      },
      [&](int at, int turn) { rates[index_of(at)] = push[turn]; });
}

void TurnedCoordinates::set_weights(std::span<const double> q, std::span<const double> weights,
                                    const Eigen::VectorXd& u, std::span<double> by_coordinate,
                                    Eigen::VectorXd& by_push) const {
  for_coordinates(
      [&](int at, int turn) {
        const Eigen::Map<const Eigen::Vector4d> own(weights.data() + at);
        by_push.segment<3>(turn) = 0.5 * (turns_from(q.data() + at).transpose() * own);
        for (int c = 0; c < 4; ++c) {
          const Eigen::Vector4d unit = Eigen::Vector4d::Unit(c);
          by_coordinate[index_of(at + c)] = 0.5 * own.dot(turns_from(unit.data()) * u.segment<3>(turn));
        }
      },
      [&](int at, int turn) {
        by_push[turn] = weights[index_of(at)];
        by_coordinate[index_of(at)] = 0.0;
      });
}

void TurnedCoordinates::add_weights_of_turns(std::span<const double> q, const Eigen::VectorXd& by_turn,
                                             std::span<double> by_coordinate) const {
  for_coordinates(
      [&](int at, int turn) {
        const double* const e = q.data() + at;
        Eigen::Map<Eigen::Vector4d>(by_coordinate.data() + at) +=
            2.0 / square(e) * (turns_from(e) * by_turn.segment<3>(turn));
      },
      [&](int at, int turn) { by_coordinate[index_of(at)] += by_turn[turn]; });
}

int rate_of_coordinate(const Mechanism& mechanism, int q) {
  constexpr int kQuaternionSize = 4;
  constexpr int kTurnSize = 3;
  const auto joints = mechanism.tree_joints();
  const auto joint = std::find_if(joints.begin(), joints.end(), [q](const Joint& candidate) {
    return q >= candidate.q_offset && q < candidate.q_offset + candidate.nq;
  });
  const int place = q - joint->q_offset;
  if (!has_quaternion(joint->type)) {
    return joint->u_offset + place;
  }
  return place < kQuaternionSize ? -1 : joint->u_offset + place - kQuaternionSize + kTurnSize;
}

}  // namespace mbdbench
