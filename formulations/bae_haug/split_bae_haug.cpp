/// \file
/// The right-hand side of one loop by two ranks, each with the recursion of its own sub-chain [Malczyk2008, section 3],
/// [Bae1988].
///
/// paper                                         -> name
///   beta, beta + 1 (sub-chains)                 -> Subchain 0 and 1
///   PhiL_l^beta, RHS_l^beta                     -> the shares that are summed
///   lambda                                      -> multipliers_
///   gamma* (Eq. (7))                            -> CutHandles::right_side
///
/// Three messages a right-hand side: 27 numbers on the ends of the cut joint, since D depends on both bodies, and six
/// on the end of every spring between the sub-chains; at most 33 of the system of the multipliers, which both ranks
/// solve; u' of the other sub-chain, since both integrate the whole state.
///
/// Cost a rank: O(n_beta nc) + O(nc^3), n_beta bodies of its sub-chain.
#include "formulations/bae_haug/split_bae_haug.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "formulations/bae_haug/subchain.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/recursion/semidefinite_solver.hpp"

namespace mbdbench {
namespace {

/// The end of a cut joint, and whether its sub-chain could be evaluated: 1 or 0, the joint that failed, its number.
constexpr std::size_t kEndMessage = CutEnd::kSize + 3;

/// What both parts tell each other, one behind another.
class Message {
 public:
  void resize(std::size_t first, std::size_t second) {
    numbers_.resize(first + second);
    bounds_ = {0, first * sizeof(double), (first + second) * sizeof(double)};
  }
  [[nodiscard]] std::span<double> part(std::size_t place) {
    const std::size_t begin = bounds_[place] / sizeof(double);
    return std::span(numbers_).subspan(begin, bounds_[place + 1] / sizeof(double) - begin);
  }
  /// Makes the other rank's part known here.
  void share(RankExchange& ranks) { ranks.share(std::as_writable_bytes(std::span(numbers_)), bounds_); }

 private:
  std::vector<double> numbers_;
  std::array<std::size_t, 3> bounds_{};  // bytes
};

class SplitBaeHaugFormulation final : public JointStateFormulation {
 public:
  SplitBaeHaugFormulation(const Mechanism& mechanism, BaumgarteConstants baumgarte, RankExchange* ranks)
      : JointStateFormulation(mechanism, StateKind::velocity),
        baumgarte_(baumgarte),
        ranks_(ranks),
        chains_{Subchain(mechanism, 0), Subchain(mechanism, 1)},
        handles_(mechanism.cut_joints().front(), baumgarte),
        matrix_(Eigen::MatrixXd::Zero(mechanism.cut_row_count(), mechanism.cut_row_count())),
        smallest_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
        multipliers_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
        solver_(rows_of_one_unit(mechanism)) {
    const std::size_t end_numbers = kEndMessage + kSpringEndSize * crossing_springs(mechanism).size();
    ends_.resize(end_numbers, end_numbers);
    shares_.resize(CutShare::kSize, CutShare::kSize);
    accelerations_.resize(chains_[0].acceleration_count(), chains_[1].acceleration_count());
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<SplitBaeHaugFormulation>(mechanism(), baumgarte_, ranks_);
  }

  RhsStatus pack(double /*t*/, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    std::copy(q.begin(), q.end(), x.begin());
    std::copy(u.begin(), u.end(), rate_of(x).begin());
    return {};
  }

  RhsStatus unpack(double /*t*/, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
    std::copy(rate_of(x).begin(), rate_of(x).end(), u.begin());
    return {};
  }

  RhsStatus reactions(double /*t*/, std::span<const double> /*x*/, Reactions& /*reactions*/) override {
    return {false, "", "sub-chains on two ranks make no reactions, bae-haug does; ranks", 2.0};
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    for_own_parts([&](std::size_t part) { start(part, t, x); });
    share(ends_);
    RhsStatus status = joint_status();
    if (status.ok) {
      handles_.place(CutEnd::read(ends_.part(0)), CutEnd::read(ends_.part(1)));
      for_own_parts([&](std::size_t part) {
        chains_[part].condense(t, handles_, ends_.part(1 - part).subspan(kEndMessage), shares_.part(part));
      });
      share(shares_);
      status = solve_multipliers();
    }
    if (status.ok) {
      for_own_parts([&](std::size_t part) {
        chains_[part].sweep_accelerations(multipliers_);
        chains_[part].write_accelerations(accelerations_.part(part));
      });
      share(accelerations_);
      set_coordinate_rates(q_of(x), rate_of(x), q_of(xdot));
      for (std::size_t part = 0; part < 2; ++part) {
        chains_[part].place_accelerations(accelerations_.part(part), rate_of(xdot));
      }
    }
    return status;
  }

 private:
  template <class Function>
  void for_own_parts(const Function& function) {
    for (std::size_t part = 0; part < 2; ++part) {
      if (ranks_ == nullptr || ranks_->rank() == static_cast<int>(part)) {
        function(part);
      }
    }
  }

  void share(Message& message) {
    if (ranks_ != nullptr) {
      message.share(*ranks_);
    }
  }

  void start(std::size_t part, double t, std::span<const double> x) {
    CutEnd end;
    const RhsStatus status = chains_[part].set_state(t, q_of(x), rate_of(x), end);
    const std::span<double> message = ends_.part(part);
    end.write(message);
    message[CutEnd::kSize] = status.ok ? 1.0 : 0.0;
    message[CutEnd::kSize + 1] = status.ok ? 0.0 : static_cast<double>(chains_[part].whole_joint(status.joint));
    message[CutEnd::kSize + 2] = status.value;
    if (status.ok) {
      chains_[part].write_spring_ends(message.subspan(kEndMessage));
    }
  }

  /// \returns the same status on both ranks.
  RhsStatus joint_status() {
    for (std::size_t part = 0; part < 2; ++part) {
      const std::span<const double> message = ends_.part(part);
      if (message[CutEnd::kSize] == 0.0) {
        const auto joint = static_cast<std::size_t>(message[CutEnd::kSize + 1]);
        return {false, mechanism().tree_joints()[joint].name,
                "its sub-chain's articulated inertia is not positive definite or not finite, the number that tells is",
                message[CutEnd::kSize + 2]};
      }
    }
    return {};
  }

  RhsStatus solve_multipliers() {
    const std::span<const double> first = shares_.part(0);
    const std::span<const double> second = shares_.part(1);
    std::size_t place = 0;
    for (Eigen::Index i = 0; i < multipliers_.size(); ++i) {
      for (Eigen::Index j = 0; j <= i; ++j, ++place) {
        matrix_(i, j) = first[place] + second[place];
      }
      const auto row = static_cast<std::size_t>(i);
      multipliers_[i] = handles_.right_side(i) + (first[21 + row] + second[21 + row]);
      smallest_[i] = first[27 + row] + second[27 + row];
    }
    if (!solver_.decompose(matrix_, smallest_)) {
      return {false, mechanism().cut_joints().front().name, "the matrix of the cut joint is not finite, its trace is",
              matrix_.trace()};
    }
    solver_.solve(multipliers_);
    return {};
  }

  BaumgarteConstants baumgarte_;
  RankExchange* ranks_;
  std::array<Subchain, 2> chains_;
  CutHandles handles_;
  Message ends_;
  Message shares_;
  Message accelerations_;
  Eigen::MatrixXd matrix_;  // lower triangle
  Eigen::VectorXd smallest_;
  Eigen::VectorXd multipliers_;
  SemidefiniteSolver solver_;
};

}  // namespace

std::unique_ptr<Formulation> make_split_bae_haug(const Mechanism& mechanism, BaumgarteConstants baumgarte,
                                                 RankExchange* ranks) {
  if (const std::string refusal = refuse_split(mechanism); !refusal.empty()) {
    throw ModelError({}, mechanism.name() + ": " + refusal);
  }
  return std::make_unique<SplitBaeHaugFormulation>(mechanism, baumgarte, ranks);
}

}  // namespace mbdbench
