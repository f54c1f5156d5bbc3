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
/// Three messages a right-hand side: 27 numbers on the ends of the cut joint, since D depends on both bodies; at most
/// 33 of the system of the multipliers, which both ranks solve; u' of the other sub-chain, since both integrate the
/// whole state.
///
/// Cost a rank: O(n_beta nc) + O(nc^3), n_beta bodies of its sub-chain.
#include "formulations/bae_haug/split_bae_haug.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "formulations/bae_haug/subchain.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/recursion/semidefinite_solver.hpp"

namespace mbdbench {
namespace {

/// The end of a cut joint, and whether its sub-chain could be evaluated: 1 or 0, the joint that failed, its number.
constexpr std::size_t kEndMessage = CutEnd::kSize + 3;

class SplitBaeHaugFormulation final : public JointStateFormulation {
 public:
  SplitBaeHaugFormulation(const Mechanism& mechanism, BaumgarteConstants baumgarte, Exchange* exchange)
      : JointStateFormulation(mechanism, StateKind::velocity),
        baumgarte_(baumgarte),
        exchange_(exchange),
        chains_{Subchain(mechanism, 0), Subchain(mechanism, 1)},
        handles_(mechanism.cut_joints().front(), baumgarte),
        matrix_(Eigen::MatrixXd::Zero(mechanism.cut_row_count(), mechanism.cut_row_count())),
        smallest_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
        multipliers_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
        solver_(rows_of_one_unit(mechanism)) {
    for (std::size_t part = 0; part < 2; ++part) {
      ends_[part].resize(kEndMessage);
      shares_[part].resize(CutShare::kSize);
      accelerations_[part].resize(chains_[part].acceleration_count());
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<SplitBaeHaugFormulation>(mechanism(), baumgarte_, exchange_);
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
      handles_.place(CutEnd::read(ends_[0]), CutEnd::read(ends_[1]));
      for_own_parts([&](std::size_t part) { chains_[part].condense(t, handles_, shares_[part]); });
      share(shares_);
      status = solve_multipliers();
    }
    if (status.ok) {
      for_own_parts([&](std::size_t part) {
        chains_[part].sweep_accelerations(multipliers_);
        chains_[part].write_accelerations(accelerations_[part]);
      });
      share(accelerations_);
      set_coordinate_rates(q_of(x), rate_of(x), q_of(xdot));
      for (std::size_t part = 0; part < 2; ++part) {
        chains_[part].place_accelerations(accelerations_[part], rate_of(xdot));
      }
    }
    return status;
  }

 private:
  using Messages = std::array<std::vector<double>, 2>;

  template <class Function>
  void for_own_parts(const Function& function) {
    for (std::size_t part = 0; part < 2; ++part) {
      if (exchange_ == nullptr || exchange_->rank() == static_cast<int>(part)) {
        function(part);
      }
    }
  }

  /// Makes both parts' messages known here.
  void share(Messages& messages) {
    if (exchange_ != nullptr) {
      const auto own = static_cast<std::size_t>(exchange_->rank());
      exchange_->swap(messages[own], messages[1 - own]);
    }
  }

  void start(std::size_t part, double t, std::span<const double> x) {
    CutEnd end;
    const RhsStatus status = chains_[part].set_state(t, q_of(x), rate_of(x), end);
    const std::span<double> message = ends_[part];
    end.write(message);
    message[CutEnd::kSize] = status.ok ? 1.0 : 0.0;
    message[CutEnd::kSize + 1] = status.ok ? 0.0 : static_cast<double>(chains_[part].whole_joint(status.joint));
    message[CutEnd::kSize + 2] = status.value;
  }

  /// \returns the same status on both ranks.
  [[nodiscard]] RhsStatus joint_status() const {
    for (const std::vector<double>& message : ends_) {
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
    std::size_t place = 0;
    for (Eigen::Index i = 0; i < multipliers_.size(); ++i) {
      for (Eigen::Index j = 0; j <= i; ++j, ++place) {
        matrix_(i, j) = shares_[0][place] + shares_[1][place];
      }
      const auto row = static_cast<std::size_t>(i);
      multipliers_[i] = handles_.right_side(i) + (shares_[0][21 + row] + shares_[1][21 + row]);
      smallest_[i] = shares_[0][27 + row] + shares_[1][27 + row];
    }
    if (!solver_.decompose(matrix_, smallest_)) {
      return {false, mechanism().cut_joints().front().name, "the matrix of the cut joint is not finite, its trace is",
              matrix_.trace()};
    }
    solver_.solve(multipliers_);
    return {};
  }

  BaumgarteConstants baumgarte_;
  Exchange* exchange_;
  std::array<Subchain, 2> chains_;
  CutHandles handles_;
  Messages ends_;
  Messages shares_;
  Messages accelerations_;
  Eigen::MatrixXd matrix_;  // lower triangle
  Eigen::VectorXd smallest_;
  Eigen::VectorXd multipliers_;
  SemidefiniteSolver solver_;
};

}  // namespace

std::unique_ptr<Formulation> make_split_bae_haug(const Mechanism& mechanism, BaumgarteConstants baumgarte,
                                                 Exchange* exchange) {
  if (const std::string refusal = refuse_split(mechanism); !refusal.empty()) {
    throw ModelError({}, mechanism.name() + ": " + refusal);
  }
  return std::make_unique<SplitBaeHaugFormulation>(mechanism, baumgarte, exchange);
}

}  // namespace mbdbench
