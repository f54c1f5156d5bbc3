/// \file
/// Sections of a line: what happens at their bases (PartPlan::Step), after all have been swept inward side by side and
/// before they are swept outward.
///
/// On link r hangs a section with inertia M and wrench p about O_r. Its loops that go on inward have columns Y and
/// multipliers F there. It acts on r with
///
///   f = -M V - p + Y F,      V = X^T V_b + v + C f + C_F F
///
/// X are the columns of the seam, six unit wrenches on r, at the base b of r's own section; v the motion of r that
/// loads give it, C and C_F what f and F add: the section of r was swept without what hangs on it. With M = L L^T, a
/// factorisation of any rank, and z = L^T V [Woodbury's identity]
///
///   (1 + L^T C L) z = L^T (X^T V_b + v' + C' F),    v' = v - C p,  C' = C_F + C Y
///
/// The matrix is positive definite, whatever is light or heavy. So the seam closes like a loop (part_sweeps.hpp) with
/// H = G^-1 L^T, G G^T = 1 + L^T C L, and w - v = -v'; loops that cross it have, before,
///
///   Y <- Y_b + X Y,   C_FF <- C_FF + Y^T C' + C_F^T Y,   v_F <- v_F + Y^T v - C'^T p
///
/// What is left is what the recursion over one part has there, up to rounding.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "formulations/parts/part_recursion.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

using SixColumns = Eigen::Matrix<double, 6, kLoopLanes, Eigen::RowMajor>;
using Six = Eigen::Matrix<double, 6, 1>;
using Lanes = Eigen::Matrix<double, kLoopLanes, 1>;

// A pivot of M below so much of the largest diagonal entry of its unit is rounding.
constexpr double kNoInertia = 1e-14;

Eigen::Map<SixColumns, Eigen::Aligned64> six_at(const AlignedMemory& memory, int place) {
  return Eigen::Map<SixColumns, Eigen::Aligned64>(memory.get() + doubles(place));
}

Mat6 matrix_of_inertia(const kernels::ArticulatedInertia<double>& m) {
  Mat6 full;
  full << m.axx, m.axy, m.axz, m.bxx, m.bxy, m.bxz,  //
      m.axy, m.ayy, m.ayz, m.byx, m.byy, m.byz,      //
      m.axz, m.ayz, m.azz, m.bzx, m.bzy, m.bzz,      //
      m.bxx, m.byx, m.bzx, m.cxx, m.cxy, m.cxz,      //
      m.bxy, m.byy, m.bzy, m.cxy, m.cyy, m.cyz,      //
      m.bxz, m.byz, m.bzz, m.cxz, m.cyz, m.czz;
  return full;
}

Six six_of(const kernels::LinkWrench<double>& w) {
  return (Six() << w.fx, w.fy, w.fz, w.nx, w.ny, w.nz).finished();
}

/// M = L L^T with pivots. Those of forces, and those of moments, are compared with the largest one of their unit: what
/// is nothing beside it is rounding. \param l receives L \returns its columns
int factorise(Mat6 m, Mat6& l) {
  Six unit;
  unit.head<3>().setConstant(m.diagonal().head<3>().maxCoeff());
  unit.tail<3>().setConstant(m.diagonal().tail<3>().maxCoeff());
  l.setZero();
  int rank = 0;
  bool done[6] = {};
  for (; rank < 6; ++rank) {
    int next = -1;
    double largest = kNoInertia;
    for (int i = 0; i < 6; ++i) {
      if (!done[i] && m(i, i) > largest * unit[i]) {
        largest = m(i, i) / unit[i];
        next = i;
      }
    }
    if (next < 0) {
      break;
    }
    done[next] = true;
    const double pivot = std::sqrt(m(next, next));
    for (int i = 0; i < 6; ++i) {
      l(i, rank) = i == next ? pivot : done[i] ? 0.0 : m(i, next) / pivot;
    }
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) {
        m(i, j) -= l(i, rank) * l(j, rank);
      }
    }
  }
  return rank;
}

}  // namespace

PartRecursion::Outcome PartRecursion::join_sections() {
  Outcome outcome;
  for (const PartPlan::Step& step : plan_.steps) {
    if (step.seam < 0) {
      if (!close_loops(step.closing, data_.front())) {
        return {kLoops, 0, solvers_[index_of(step.closing)].a.trace()};
      }
      const LoopClosing& closing = plan_.closings[index_of(step.closing)];
      outcome.redundant += closing.rows - closing.rank;
      continue;
    }
    if (!join_seam(step)) {
      const PartPlan::Seam& seam = plan_.seams[index_of(step.seam)];
      return {plan_.roots[index_of(step.seam)], 0, matrix_of_inertia(inertias_[index_of(seam.child)]).trace()};
    }
    sweeps_.close(data_.front(), step.closing);
  }
  return outcome;
}

bool PartRecursion::join_seam(const PartPlan::Step& step) {
  const PartPlan::Seam& seam = plan_.seams[index_of(step.seam)];
  LoopClosing& closing = plan_.closings[index_of(step.closing)];
  const PartRow& part = plan_.parts[index_of(closing.part)];
  const std::size_t open_count = step.left.size();
  const SixColumns own = six_at(products_, plan_.block_of(seam.loop, seam.loop).block);
  const Mat6 c = own.leftCols<6>();
  const LoopCross* const crosses = &plan_.crosses[index_of(closing.first_cross)];
  // C_F, of another seam by its rows: as columns of F.
  const auto cross_of = [&](std::size_t p) -> SixColumns {
    const auto block = six_at(products_, crosses[p].block);
    if (!crosses[p].transposed) {
      return block;
    }
    SixColumns turned = SixColumns::Zero();
    turned.leftCols<6>() = block.leftCols<6>().transpose();
    return turned;
  };
  for (std::size_t p = 0; p < open_count; ++p) {
    auto joined = six_at(seam_products_, static_cast<int>(6 * p));
    joined = cross_of(p);
    if (step.left[p] >= 0) {
      joined.noalias() += c * six_at(columns_, 6 * step.left[p]);
    }
  }
  const int* block = plan_.blocks.data() + part.first_block;
  for (std::size_t p = 0; p < open_count; ++p) {
    const int rows = plan_.loop_rows[index_of(plan_.passes[index_of(part.first_pass) + p].loop)];
    for (std::size_t q = 0; q <= p; ++q) {
      double* const to = products_.get() + doubles(*block++);
      const auto add = [&](const SixColumns& mine, const SixColumns& theirs) {
        for (int i = 0; i < rows; ++i) {
          Eigen::Map<Lanes>(to + i * kLoopLanes).noalias() += theirs.transpose() * mine.col(i);
        }
      };
      if (step.left[p] >= 0) {
        add(six_at(columns_, 6 * step.left[p]), six_at(seam_products_, static_cast<int>(6 * q)));
      }
      if (step.left[q] >= 0) {
        add(cross_of(p), six_at(columns_, 6 * step.left[q]));
      }
    }
  }
  const Mat6 x = six_at(columns_, 6 * seam.base).leftCols<6>();
  for (std::size_t p = 0; p < open_count; ++p) {
    if (step.left[p] >= 0) {
      six_at(products_, crosses[p].block) = six_at(seam_products_, static_cast<int>(6 * p));
      six_at(columns_, 6 * plan_.passes[index_of(part.first_pass) + p].columns).noalias() +=
          x * six_at(columns_, 6 * step.left[p]);
    }
  }
  return set_seam_half(seam, c, closing);
}

bool PartRecursion::set_seam_half(const PartPlan::Seam& seam, const Mat6& c, LoopClosing& closing) {
  const Mat6 m = matrix_of_inertia(inertias_[index_of(seam.child)]);
  Mat6 l;
  closing.rank = factorise(m, l);
  // H = G^-1 L^T row by row, with G as it comes.
  const Mat6 s = Mat6::Identity() + l.transpose() * c.selfadjointView<Eigen::Lower>() * l;
  Mat6 g = Mat6::Zero();
  double* const half = &halves_[index_of(closing.half)];
  for (int i = 0; i < closing.rank; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double left = s(i, j) - g.row(i).head(j).dot(g.row(j).head(j));
      g(i, j) = i == j ? std::sqrt(left) : left / g(j, j);
    }
    for (int k = 0; k < 6; ++k) {
      double entry = l(k, i);
      for (int j = 0; j < i; ++j) {
        entry -= g(i, j) * half[6 * j + k];
      }
      half[6 * i + k] = entry / g(i, i);
    }
  }
  return std::isfinite(m.sum()) && std::isfinite(s.trace());
}

void PartRecursion::join_right_sides(const Side& side) {
  for (const PartPlan::Step& step : plan_.steps) {
    const LoopClosing& closing = plan_.closings[index_of(step.closing)];
    if (step.seam >= 0) {
      const PartPlan::Seam& seam = plan_.seams[index_of(step.seam)];
      const PartRow& part = plan_.parts[index_of(closing.part)];
      const Six p = six_of(side.wrenches[index_of(seam.child)]);
      Eigen::Map<Six> v(side.rates.get() + index_of(seam.loop) * kLoopLanes);
      for (std::size_t k = 0; k < step.left.size(); ++k) {
        const int loop = plan_.passes[index_of(part.first_pass) + k].loop;
        Eigen::Map<Lanes> rates(side.rates.get() + index_of(loop) * kLoopLanes);
        const LoopCross& cross = plan_.crosses[index_of(closing.first_cross) + k];
        if (cross.transposed) {
          rates.head<6>().noalias() -= six_at(products_, cross.block).leftCols<6>() * p;
        } else {
          rates.noalias() -= six_at(products_, cross.block).transpose() * p;
        }
        if (step.left[k] >= 0) {
          rates.noalias() += six_at(columns_, 6 * step.left[k]).transpose() * v;
        }
      }
      v.noalias() -= six_at(products_, plan_.block_of(seam.loop, seam.loop).block).leftCols<6>() * p;
      const Six carried = six_at(columns_, 6 * seam.base).leftCols<6>() * p;
      kernels::add_wrench({carried[0], carried[1], carried[2], carried[3], carried[4], carried[5]},
                          side.view.wrenches[closing.row]);
    }
    sweeps_.close_right(data_.front(), side.view, step.closing);
  }
}

void PartRecursion::part_right_sides(const Side& side) {
  for (std::size_t s = plan_.steps.size(); s-- > 0;) {
    const PartPlan::Step& step = plan_.steps[s];
    sweeps_.close_outward(data_.front(), side.view, step.closing);
    if (step.seam < 0) {
      continue;
    }
    const LoopClosing& closing = plan_.closings[index_of(step.closing)];
    const PartPlan::Seam& seam = plan_.seams[index_of(step.seam)];
    const PartRow& part = plan_.parts[index_of(closing.part)];
    const kernels::LinkVector<double>& linear = side.linear[index_of(closing.row)];
    const kernels::LinkVector<double>& angular = side.angular[index_of(closing.row)];
    const Six base = (Six() << linear.x, linear.y, linear.z, angular.x, angular.y, angular.z).finished();
    Eigen::Map<Six> f(side.multipliers_of(index_of(seam.loop)));
    Six v = Eigen::Map<const Six>(side.rates.get() + index_of(seam.loop) * kLoopLanes);
    v.noalias() += six_at(columns_, 6 * seam.base).leftCols<6>().transpose() * base;
    v.noalias() += six_at(products_, plan_.block_of(seam.loop, seam.loop).block).leftCols<6>() * f;
    f -= six_of(side.wrenches[index_of(seam.child)]);
    for (std::size_t k = 0; k < step.left.size(); ++k) {
      const LoopCross& cross = plan_.crosses[index_of(closing.first_cross) + k];
      const int loop = plan_.passes[index_of(part.first_pass) + k].loop;
      const Lanes forces = Eigen::Map<const Lanes>(side.multipliers_of(index_of(loop)));
      if (cross.transposed) {
        v.noalias() += six_at(products_, cross.block).leftCols<6>().transpose() * forces.head<6>();
      } else {
        v.noalias() += six_at(products_, cross.block) * forces;
      }
      if (step.left[k] >= 0) {
        f.noalias() += six_at(columns_, 6 * step.left[k]) * forces;
      }
    }
    side.view.linear[seam.child] = {v[0], v[1], v[2]};
    side.view.angular[seam.child] = {v[3], v[4], v[5]};
  }
}

// Whose section another thread places, or another process: it goes all the way from the ground to its link.
void PartRecursion::place_sections(std::span<const double> q, std::span<const double> u) {
  const auto place_joints = [&](std::size_t range) { tree_.set_positions(q, tree_.ranges()[range], positions_); };
  for_ranges(place_joints);
  for (std::size_t range = 1; range < tree_.ranges().size(); ++range) {
    if (!knows_range(static_cast<int>(range))) {
      place_joints(range);
    }
  }
  const auto place = [&](std::size_t range, std::size_t first) {
    const LinkRange& of = tree_.ranges()[range];
    for (int root = of.first_root; root < of.last_root; ++root) {
      const PartPlan::Seam& seam = plan_.seams[index_of(root)];
      bases_[index_of(root)] = index_of(seam.range) >= first ? poses_.row(index_of(seam.row))
                                                             : LinkPoses::at_end(tree_, positions_, u, seam.way);
    }
    poses_.set_positions(tree_, positions_, of, base_of(range));
    if (!u.empty()) {
      poses_.set_velocities(tree_, u, of, base_of(range));
    }
  };
  place(0, 0);
  team_.run([&](const BranchShare& share) {
    for (std::size_t range = share.first; range < share.last; ++range) {
      place(range, share.first);
    }
  });
  for (std::size_t range = 1; poses_wanted_ == PosesWanted::bodies && range < tree_.ranges().size(); ++range) {
    if (!knows_range(static_cast<int>(range))) {
      place(range, range);
    }
  }
}

void PartRecursion::move_bases(const Side& side, bool changes) {
  for (std::size_t k = 0; k < bases_.size(); ++k) {
    const kernels::LinkVector<double>& linear = side.linear[index_of(plan_.seams[k].child)];
    const kernels::LinkVector<double>& angular = side.angular[index_of(plan_.seams[k].child)];
    LinkPoses::Row& base = bases_[k];
    const Vec3 velocity = base.axes * Vec3(linear.x, linear.y, linear.z);
    const Vec3 omega = base.axes * Vec3(angular.x, angular.y, angular.z);
    base.velocity = changes ? Vec3(base.velocity + velocity) : velocity;
    base.omega = changes ? Vec3(base.omega + omega) : omega;
  }
}

void PartRecursion::start_turnings() {
  for (std::size_t k = 0; k < bases_.size(); ++k) {
    const PartPlan::Seam& seam = plan_.seams[k];
    const LinkPoses::Row& row = bases_[k];
    const Vec3 omega = row.axes.transpose() * row.omega;
    turnings_[index_of(seam.child)] = {{omega.x(), omega.y(), omega.z()}, omega.squaredNorm()};
  }
}

// Processes have neighbouring sections: the last ones begin.
void PartRecursion::sweep_sections(const PartMomenta<double>& side) {
  const std::span<const std::size_t> bounds = team_.process_bounds();
  for (std::size_t process = bounds.size() - 1; process-- > 0;) {
    for (std::size_t section = bounds[process + 1]; section-- > bounds[process];) {
      if (knows_range(static_cast<int>(section))) {
        sweeps_.momenta(data_[section], side);
      }
    }
    mail_.send({&momenta_left_});
  }
}

}  // namespace mbdbench
