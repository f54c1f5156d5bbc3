#pragma once
// Runs of planar loops in numbers of 113 bits, with equations of their own: M and Phi_q from sums over links, the
// equations with multipliers by elimination. Nothing is shared with the engines, nor with `dense`.
#include "tests/experiments/gradients/precise_planar_links.hpp"
#ifdef __SIZEOF_FLOAT128__

#include <array>
#include <utility>
#include <vector>

#include "experiments/gradients/differentiable_run.hpp"

namespace mbdbench::test {

/// Changes of one number of a run beside doubles: what 113 bits are for.
struct MovedNumber {
  std::size_t number = 0;
  Precise by = Precise(0.0);
};

/// The same run as a DifferentiableRun makes with rk4, a spring and a damper in every joint of the tree.
class PreciseLoopRun {
 public:
  PreciseLoopRun(const Mechanism& mechanism, const gradients::DifferentiableRun& run, std::vector<double> values,
                 bool projects)
      : mechanism_(mechanism),
        run_(run),
        values_(std::move(values)),
        projects_(projects),
        links_(mechanism),
        joints_(mechanism.bodies().size()),
        cuts_(mechanism.cut_joints().size()) {}

  /// \returns the sum of the squares of all coordinates less 0.3, of all velocities, and of what marker K is off (1,
  /// -1).
  Precise objective(const MovedNumber& moved) {
    Numbers x = start(moved);
    const std::array<double, 4> nodes = {0.0, 0.5, 0.5, 1.0};
    for (std::size_t step = 0; step < run_.times().count(); ++step) {
      const double h = run_.times().size_of(step);
      std::array<Numbers, 4> rates;
      for (std::size_t i = 0; i < 4; ++i) {
        Numbers at = x;
        for (std::size_t c = 0; i > 0 && c < x.size(); ++c) {
          at[c] += Precise(h) * (i == 3 ? Precise(1.0) : Precise(0.5)) * rates[i - 1][c];
        }
        rates[i] = rate(run_.times().at(step) + nodes[i] * h, at, moved);
      }
      for (std::size_t c = 0; c < x.size(); ++c) {
        x[c] += Precise(h) *
                (Precise(1.0 / 6.0) * (rates[0][c] + rates[3][c]) + Precise(1.0 / 3.0) * (rates[1][c] + rates[2][c]));
      }
    }
    links_.place(x);
    const Marker& marker = mechanism_.markers().front();
    const Plane off = links_.on(marker.body, marker.point) - Plane(Vec3(1.0, -1.0, 0.0));
    Precise sum = dot(off, off);
    for (std::size_t k = 0; k < joints_; ++k) {
      const Precise distance = x[k] - Precise(0.3);
      sum += distance * distance + x[joints_ + k] * x[joints_ + k];
    }
    return sum;
  }

 private:
  [[nodiscard]] Precise number(gradients::VariedKind kind, std::size_t place, double otherwise,
                               const MovedNumber& moved) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const gradients::VariedNumber& one = run_.numbers().numbers()[i];
      if (one.kind == kind && one.place == place) {
        return Precise(values_[i]) + (i == moved.number ? moved.by : Precise(0.0));
      }
    }
    return Precise(otherwise);
  }

  [[nodiscard]] bool is_varied(gradients::VariedKind kind, std::size_t place) const {
    for (const gradients::VariedNumber& one : run_.numbers().numbers()) {
      if (one.kind == kind && one.place == place) {
        return true;
      }
    }
    return false;
  }

  /// M.
  [[nodiscard]] Rows masses(const MovedNumber& moved) const {
    Rows all(joints_, Numbers(joints_, Precise(0.0)));
    for (std::size_t body = 0; body < joints_; ++body) {
      const Precise mass = number(gradients::VariedKind::mass, body, mechanism_.bodies()[body].mass, moved);
      Numbers x(joints_, Precise(0.0));
      Numbers y(joints_, Precise(0.0));
      links_.add_motion(static_cast<int>(body), links_.com(body), 1.0, x, y);
      std::vector<bool> carries(joints_, false);
      for (int k = static_cast<int>(body); k >= 0; k = mechanism_.parent(k)) {
        carries[static_cast<std::size_t>(k)] = true;
      }
      for (std::size_t i = 0; i < joints_; ++i) {
        for (std::size_t j = 0; j < joints_; ++j) {
          all[i][j] += mass * (x[i] * x[j] + y[i] * y[j]);
          if (carries[i] && carries[j]) {
            all[i][j] += Precise(mechanism_.bodies()[body].inertia(2, 2));
          }
        }
      }
    }
    return all;
  }

  /// The point of a cut joint that both bodies use (joint_kinematics.hpp), and whether it is the middle.
  [[nodiscard]] std::pair<Plane, Precise> point_of(const Joint& cut) const {
    const Plane a = links_.on(cut.a, cut.position_a);
    const Plane b = links_.on(cut.b, cut.position_b);
    const Precise share(cut.a < 0 ? 1.0 : cut.b < 0 ? 0.0 : 0.5);
    return {a + share * (b - a), share};
  }

  [[nodiscard]] Rows constraints() const {
    Rows rows;
    for (const Joint& cut : mechanism_.cut_joints()) {
      Numbers x(joints_, Precise(0.0));
      Numbers y(joints_, Precise(0.0));
      links_.add_motion(cut.b, point_of(cut).first, 1.0, x, y);
      links_.add_motion(cut.a, point_of(cut).first, -1.0, x, y);
      rows.push_back(x);
      rows.push_back(y);
    }
    return rows;
  }

  [[nodiscard]] Numbers openings() const {
    Numbers all;
    for (const Joint& cut : mechanism_.cut_joints()) {
      const Plane open = links_.on(cut.b, cut.position_b) - links_.on(cut.a, cut.position_a);
      all.push_back(open.x);
      all.push_back(open.y);
    }
    return all;
  }

  /// \returns Phi'' at u' = 0, in axes that turn with both bodies where both move.
  [[nodiscard]] Numbers pulls() const {
    Numbers all;
    for (const Joint& cut : mechanism_.cut_joints()) {
      const auto [point, share] = point_of(cut);
      const Plane moving = (Precise(1.0) - share) * links_.rate_at(cut.a, links_.on(cut.a, cut.position_a)) +
                           share * links_.rate_at(cut.b, links_.on(cut.b, cut.position_b));
      const auto changing = [&, at = point](int body) {
        // The place goes over the body: w x of how fast, once more than the body's own point there.
        return links_.pull_at(body, at) + links_.rate(body) * (moving - links_.rate_at(body, at)).turned();
      };
      Plane pull = changing(cut.b) - changing(cut.a);
      if (size_of(share - Precise(0.5)) == 0.0) {
        const Precise turn = Precise(0.5) * (links_.rate(cut.a) + links_.rate(cut.b));
        pull = pull - turn * (links_.rate_at(cut.b, point) - links_.rate_at(cut.a, point)).turned();
      }
      all.push_back(pull.x);
      all.push_back(pull.y);
    }
    return all;
  }

  /// \returns v with M v = p + Phi_q^T sigma, Phi_q v = w.
  [[nodiscard]] static Numbers solved(const Rows& mass, const Rows& constraints, const Numbers& p, const Numbers& w) {
    Rows all = mass;
    Numbers right = p;
    for (std::size_t k = 0; k < constraints.size(); ++k) {
      for (std::size_t i = 0; i < mass.size(); ++i) {
        all[i].push_back(-constraints[k][i]);
      }
      all.push_back(constraints[k]);
      all.back().resize(mass.size() + constraints.size(), Precise(0.0));
      right.push_back(w[k]);
    }
    Numbers v = eliminated(all, right);
    v.resize(mass.size());
    return v;
  }

  Numbers rate(double t, const Numbers& x, const MovedNumber& moved) {
    links_.place(x);
    const Rows mass = masses(moved);
    const Rows rows = constraints();
    Numbers u(x.begin() + static_cast<std::ptrdiff_t>(joints_), x.end());
    if (projects_) {
      Numbers momenta(joints_, Precise(0.0));
      for (std::size_t i = 0; i < joints_; ++i) {
        for (std::size_t j = 0; j < joints_; ++j) {
          momenta[i] += mass[i][j] * u[j];
        }
      }
      u = solved(mass, rows, momenta, Numbers(rows.size(), Precise(0.0)));
    }
    links_.move(u);
    Numbers forces(joints_, Precise(0.0));
    for (std::size_t body = 0; body < joints_; ++body) {
      const Precise own = number(gradients::VariedKind::mass, body, mechanism_.bodies()[body].mass, moved);
      const Plane wanted =
          own * (Plane(mechanism_.gravity()) - links_.pull_at(static_cast<int>(body), links_.com(body)));
      Numbers along_x(joints_, Precise(0.0));
      Numbers along_y(joints_, Precise(0.0));
      links_.add_motion(static_cast<int>(body), links_.com(body), 1.0, along_x, along_y);
      for (std::size_t i = 0; i < joints_; ++i) {
        forces[i] += along_x[i] * wanted.x + along_y[i] * wanted.y;
      }
    }
    for (std::size_t j = 0; j < joints_; ++j) {  // a spring in every joint
      const JointSpringDescription& spring = mechanism_.description().joint_springs[j];
      forces[j] +=
          number(gradients::VariedKind::stiffness, j, spring.stiffness, moved) * (Precise(spring.rest) - x[j]) -
          number(gradients::VariedKind::damping, j, spring.damping, moved) * u[j] + control(j, t, moved);
    }
    Numbers wanted = pulls();
    for (Precise& one : wanted) {
      one = -one;
    }
    Numbers result = u;
    for (const Precise& acceleration : solved(mass, rows, forces, wanted)) {
      result.push_back(acceleration);
    }
    return result;
  }

  [[nodiscard]] Precise control(std::size_t joint, double t, const MovedNumber& moved) const {
    Precise sum = Precise(0.0);
    for (std::size_t c = 0; c < run_.numbers().controls().size(); ++c) {
      if (run_.numbers().loaded(c) != joint) {
        continue;
      }
      const gradients::KnotShares shares = run_.numbers().shares(c, t);
      const std::size_t first = run_.numbers().first_of(c) + shares.knot;
      const auto at = [&](std::size_t i) {
        return Precise(values_[i]) + (i == moved.number ? moved.by : Precise(0.0));
      };
      sum += Precise(shares.first) * at(first);
      sum += shares.second == 0.0 ? Precise(0.0) : Precise(shares.second) * at(first + 1);
    }
    return sum;
  }

  void set_lengths(const MovedNumber& moved) {
    const gradients::VariedNumbers& numbers = run_.numbers();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers.numbers()[i].kind == gradients::VariedKind::length) {
        const gradients::VariedLink& link = numbers.links()[numbers.numbers()[i].place];
        const Precise more =
            Precise(values_[i]) + (i == moved.number ? moved.by : Precise(0.0)) - Precise(link.own.length);
        links_.lengthen(static_cast<std::size_t>(link.tree_joint), more * Plane(link.own.along));
      }
    }
  }

  /// Newton's method on Phi = 0 and one solution for Phi_q u = 0, with all that is not varied.
  Numbers start(const MovedNumber& moved) {
    set_lengths(moved);
    Numbers q;
    Numbers u;
    std::vector<std::size_t> open_q;
    std::vector<std::size_t> open_u;
    for (std::size_t k = 0; k < joints_; ++k) {
      q.push_back(number(gradients::VariedKind::start_position, k, mechanism_.q0()[static_cast<int>(k)], moved));
      u.push_back(number(gradients::VariedKind::start_velocity, k, mechanism_.u0()[static_cast<int>(k)], moved));
      if (!is_varied(gradients::VariedKind::start_position, k)) {
        open_q.push_back(k);
      }
      if (!is_varied(gradients::VariedKind::start_velocity, k)) {
        open_u.push_back(k);
      }
    }
    EXPECT_EQ(open_q.size(), 2 * cuts_);
    EXPECT_EQ(open_u.size(), 2 * cuts_);
    const auto with = [](const Rows& rows, const std::vector<std::size_t>& columns) {
      Rows chosen;
      for (const Numbers& row : rows) {
        chosen.emplace_back();
        for (const std::size_t column : columns) {
          chosen.back().push_back(row[column]);
        }
      }
      return chosen;
    };
    for (int iteration = 0; iteration < 12; ++iteration) {
      links_.place(q);
      const Numbers change = eliminated(with(constraints(), open_q), openings());
      for (std::size_t k = 0; k < open_q.size(); ++k) {
        q[open_q[k]] -= change[k];
      }
    }
    links_.place(q);
    const Rows rows = constraints();
    for (const std::size_t k : open_u) {
      u[k] = Precise(0.0);
    }
    Numbers left;
    for (const Numbers& row : rows) {
      left.push_back(Precise(0.0));
      for (std::size_t k = 0; k < joints_; ++k) {
        left.back() -= row[k] * u[k];
      }
    }
    const Numbers own = eliminated(with(rows, open_u), left);
    for (std::size_t k = 0; k < open_u.size(); ++k) {
      u[open_u[k]] = own[k];
    }
    q.insert(q.end(), u.begin(), u.end());
    return q;
  }

  const Mechanism& mechanism_;
  const gradients::DifferentiableRun& run_;
  std::vector<double> values_;
  bool projects_;
  PlanarLinks links_;
  std::size_t joints_;
  std::size_t cuts_;
};

}  // namespace mbdbench::test

#endif
