#include "formulations/augmented_lagrangian/primal_recursion.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <utility>

#include "formulations/augmented_lagrangian/hung_chains.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

PrimalRecursion::PrimalRecursion(const Mechanism& mechanism, double alpha)
    : alpha_(alpha), bodies_(mechanism.bodies().size()) {
  for (const auto& list : {mechanism.tree_joints(), mechanism.cut_joints()}) {
    for (const Joint& joint : list) {
      joints_.emplace_back();
      joints_.back().a = joint.a;
      joints_.back().b = joint.b;
    }
  }
  for (const HungChain& chain : hung_chains(mechanism)) {
    ChainEnds ends;
    ends.base = chain.base;
    ends.root = divide(chain.bodies, 0, chain.bodies.size());
    ends.ends[0].joint = chain.bodies.front();
    ends.ends[1].joint = chain.closing < 0 ? -1 : mechanism.body_count() + chain.closing;
    chains_.push_back(ends);
  }
}

void PrimalRecursion::start() {
  for (JointRows& joint : joints_) {
    joint.lambda.setZero();
  }
  for (BodyEquations& body : bodies_) {
    body.lambda_n = 0.0;
    body.unknown.setZero();
  }
}

void PrimalRecursion::assemble() {
  for (BodyEquations& body : bodies_) {
    body.m = body.mass + alpha_ * body.phi_n * body.phi_n.transpose();
  }
  for (std::size_t k = chains_.size(); k-- > 0;) {
    // Chains that this one carries have added to its bodies.
    assemble_matrices(chains_[k].root);
    close_matrices(chains_[k]);
  }
}

double PrimalRecursion::residual() {
  const auto add = [](BodyEquations& body, const Vec7& term) {
    body.before += term;
    body.size += term.norm();
  };
  for (BodyEquations& body : bodies_) {
    body.before.setZero();
    body.size = 0.0;
    add(body, body.mass * body.unknown);
    add(body, -body.load);
    add(body, body.phi_n * body.lambda_n);
  }
  for (const JointRows& joint : joints_) {
    for (const auto& [body, columns] : {std::pair(joint.a, &joint.phi_a), std::pair(joint.b, &joint.phi_b)}) {
      if (body >= 0) {
        add(bodies_[index_of(body)], columns->transpose() * joint.lambda);
      }
    }
  }
  double largest = 0.0;
  for (const BodyEquations& body : bodies_) {
    largest = std::max(largest, body.size > 0.0 ? body.before.norm() / body.size : 0.0);
  }
  return largest;
}

std::size_t PrimalRecursion::divide(const std::vector<int>& chain, std::size_t begin, std::size_t end) {
  Subassembly node;
  node.first = chain[begin];
  node.last = chain[end - 1];
  if (end - begin > 3) {
    const std::size_t middle = begin + (end - begin) / 2;
    node.leaf = false;
    node.a = divide(chain, begin, middle);
    node.b = divide(chain, middle, end);
    node.joint = chain[middle];
  } else if (end - begin > 1) {
    node.joint = chain[begin + 1];
    node.middle = end - begin == 3 ? chain[begin + 1] : -1;
  }
  nodes_.push_back(node);
  return nodes_.size() - 1;
}

void PrimalRecursion::assemble_matrices(std::size_t index) {
  Subassembly& node = nodes_[index];
  if (node.leaf) {
    set_leaf_matrices(node);
    return;
  }
  assemble_matrices(node.a);
  assemble_matrices(node.b);
  const Subassembly& a = nodes_[node.a];
  const Subassembly& b = nodes_[node.b];
  const Rows& phi_a = joints_[index_of(node.joint)].phi_a;
  const Rows& phi_b = joints_[index_of(node.joint)].phi_b;
  const Mat7& ia = node.inverse_a = a.m22.inverse();
  const Mat7& ib = node.inverse_b = b.m11.inverse();
  node.c = (Mat6::Identity() / alpha_ + phi_a * ia * phi_a.transpose() + phi_b * ib * phi_b.transpose())
               .inverse();  // [Malczyk2012, Eq. (18)]
  node.m11 = a.m11 - a.m12 * (ia - ia * phi_a.transpose() * node.c * phi_a * ia) *
                         a.m12.transpose();                                 // [Malczyk2012, Eq. (27)]
  node.m12 = a.m12 * ia * phi_a.transpose() * node.c * phi_b * ib * b.m12;  // [Malczyk2012, Eq. (28), (29)]
  node.m22 = b.m22 - b.m12.transpose() * (ib - ib * phi_b.transpose() * node.c * phi_b * ib) *
                         b.m12;  // [Malczyk2012, Eq. (30)]
}

void PrimalRecursion::set_leaf_matrices(Subassembly& node) {
  node.m11 = bodies_[index_of(node.first)].m;
  node.m12.setZero();
  node.m22 = node.first == node.last ? Mat7(Mat7::Identity()) : bodies_[index_of(node.last)].m;
  if (node.first == node.last) {
    return;
  }
  const JointRows& joint = joints_[index_of(node.joint)];
  node.m11 += alpha_ * joint.phi_a.transpose() * joint.phi_a;
  if (node.middle < 0) {
    node.m12 = alpha_ * joint.phi_a.transpose() * joint.phi_b;  // [Malczyk2012, Eq. (9), (10)]
    node.m22 += alpha_ * joint.phi_b.transpose() * joint.phi_b;
    return;
  }
  const JointRows& next = joints_[index_of(node.last)];
  node.inverse_a = (bodies_[index_of(node.middle)].m + alpha_ * joint.phi_b.transpose() * joint.phi_b +
                    alpha_ * next.phi_a.transpose() * next.phi_a)
                       .inverse();
  const Mat7 inboard = alpha_ * joint.phi_a.transpose() * joint.phi_b;
  const Mat7 outboard = alpha_ * next.phi_a.transpose() * next.phi_b;
  node.m11 -= inboard * node.inverse_a * inboard.transpose();
  node.m12 = -inboard * node.inverse_a * outboard;
  node.m22 += alpha_ * next.phi_b.transpose() * next.phi_b - outboard.transpose() * node.inverse_a * outboard;
}

void PrimalRecursion::close_matrices(ChainEnds& chain) {
  const Subassembly& root = nodes_[chain.root];
  chain.inverse << root.m11, root.m12, root.m12.transpose(), root.m22;
  chain.coupling.setZero();
  for (ChainEnds::End& end : chain.ends) {
    if (end.joint < 0) {
      continue;  // [Malczyk2012, Eq. (35), (37)]: no joint, no multiplier
    }
    const JointRows& joint = joints_[index_of(end.joint)];
    const bool outboard = joint.b != chain.base;
    const Rows& own = outboard ? joint.phi_b : joint.phi_a;
    const bool first = &end == &chain.ends.front() || root.first == root.last;
    end.chain.middleCols<7>(first ? 0 : 7) = own;
    end.base = outboard ? joint.phi_a : joint.phi_b;
    chain.inverse += alpha_ * end.chain.transpose() * end.chain;  // [Malczyk2012, Eq. (37), (40), (77)]
    chain.coupling += alpha_ * end.chain.transpose() * end.base;
  }
  chain.inverse = chain.inverse.inverse().eval();
  if (chain.base >= 0) {  // [Malczyk2012, Eq. (86)]
    Mat7& m = bodies_[index_of(chain.base)].m;
    m -= chain.coupling.transpose() * chain.inverse * chain.coupling;
    for (const ChainEnds::End& end : chain.ends) {
      m += alpha_ * end.base.transpose() * end.base;
    }
  }
}

void PrimalRecursion::pass() {
  for (BodyEquations& body : bodies_) {
    body.q = body.load - body.phi_n * (body.lambda_n + alpha_ * body.gamma_n);  // [Malczyk2012, Eq. (7), (8)]
  }
  for (std::size_t k = chains_.size(); k-- > 0;) {
    assemble_loads(chains_[k].root);
    close_loads(chains_[k]);
  }
  for (const ChainEnds& chain : chains_) {
    solve_ends(chain);
  }
  for (JointRows& joint : joints_) {
    Vec6 phi = joint.gamma;
    for (const auto& [body, columns] : {std::pair(joint.a, &joint.phi_a), std::pair(joint.b, &joint.phi_b)}) {
      if (body >= 0) {
        phi += *columns * bodies_[index_of(body)].unknown;
      }
    }
    joint.lambda += alpha_ * phi;  // [Malczyk2012, Eq. (6), (17), (36)]
  }
  for (BodyEquations& body : bodies_) {
    body.lambda_n += alpha_ * (body.phi_n.dot(body.unknown) + body.gamma_n);
  }
}

Vec6 PrimalRecursion::known(int joint) const {
  return joints_[index_of(joint)].lambda + alpha_ * joints_[index_of(joint)].gamma;
}

void PrimalRecursion::assemble_loads(std::size_t index) {
  Subassembly& node = nodes_[index];
  if (node.leaf) {
    set_leaf_loads(node);
    return;
  }
  assemble_loads(node.a);
  assemble_loads(node.b);
  const Subassembly& a = nodes_[node.a];
  const Subassembly& b = nodes_[node.b];
  const JointRows& joint = joints_[index_of(node.joint)];
  const Vec6 w = node.c * (known(node.joint) / alpha_ + joint.phi_a * (node.inverse_a * a.q2) +
                           joint.phi_b * (node.inverse_b * b.q1));
  node.q1 = a.q1 - a.m12 * (node.inverse_a * (a.q2 - joint.phi_a.transpose() * w));  // [Malczyk2012, Eq. (31)]
  node.q2 =
      b.q2 - b.m12.transpose() * (node.inverse_b * (b.q1 - joint.phi_b.transpose() * w));  // [Malczyk2012, Eq. (32)]
}

void PrimalRecursion::set_leaf_loads(Subassembly& node) {
  node.q1 = bodies_[index_of(node.first)].q;
  if (node.first == node.last) {
    return;
  }
  node.q1 -= joints_[index_of(node.joint)].phi_a.transpose() * known(node.joint);  // [Malczyk2012, Eq. (9)]
  node.q2 = bodies_[index_of(node.last)].q -
            joints_[index_of(node.last)].phi_b.transpose() * known(node.last);  // [Malczyk2012, Eq. (10)]
  if (node.middle >= 0) {
    const JointRows& joint = joints_[index_of(node.joint)];
    const JointRows& next = joints_[index_of(node.last)];
    Vec7& q = bodies_[index_of(node.middle)].q;
    q -= joint.phi_b.transpose() * known(node.joint) + next.phi_a.transpose() * known(node.last);
    const Vec7 free = node.inverse_a * q;
    node.q1 -= alpha_ * joint.phi_a.transpose() * (joint.phi_b * free);
    node.q2 -= alpha_ * next.phi_b.transpose() * (next.phi_a * free);
  }
}

void PrimalRecursion::close_loads(ChainEnds& chain) {
  const Subassembly& root = nodes_[chain.root];
  chain.right << root.q1, root.q2;
  for (const ChainEnds::End& end : chain.ends) {
    if (end.joint >= 0) {
      chain.right -= end.chain.transpose() * known(end.joint);  // [Malczyk2012, Eq. (38), (39)]
    }
  }
  if (chain.base >= 0) {  // [Malczyk2012, Eq. (86)]
    Vec7& q = bodies_[index_of(chain.base)].q;
    q -= chain.coupling.transpose() * (chain.inverse * chain.right);
    for (const ChainEnds::End& end : chain.ends) {
      if (end.joint >= 0) {
        q -= end.base.transpose() * known(end.joint);
      }
    }
  }
}

void PrimalRecursion::solve_ends(const ChainEnds& chain) {
  Eigen::Matrix<double, 14, 1> right = chain.right;
  if (chain.base >= 0) {
    right -= chain.coupling * bodies_[index_of(chain.base)].unknown;
  }
  const Eigen::Matrix<double, 14, 1> ends = chain.inverse * right;  // [Malczyk2012, Eq. (35), (37), (40)]
  disassemble(chain.root, ends.head<7>(), ends.tail<7>());
}

void PrimalRecursion::disassemble(std::size_t index, const Vec7& first, const Vec7& last) {
  const Subassembly& node = nodes_[index];
  if (node.leaf) {
    bodies_[index_of(node.first)].unknown = first;
    if (node.first != node.last) {
      bodies_[index_of(node.last)].unknown = last;
    }
    if (node.middle >= 0) {
      const JointRows& joint = joints_[index_of(node.joint)];
      const JointRows& next = joints_[index_of(node.last)];
      bodies_[index_of(node.middle)].unknown =
          node.inverse_a *
          (bodies_[index_of(node.middle)].q -
           alpha_ * (joint.phi_b.transpose() * (joint.phi_a * first) + next.phi_a.transpose() * (next.phi_b * last)));
    }
    return;
  }
  const Subassembly& a = nodes_[node.a];
  const Subassembly& b = nodes_[node.b];
  const JointRows& joint = joints_[index_of(node.joint)];
  const Vec7 right_a = a.q2 - a.m12.transpose() * first;
  const Vec7 right_b = b.q1 - b.m12 * last;
  const Vec6 lambda = node.c * (known(node.joint) / alpha_ + joint.phi_a * (node.inverse_a * right_a) +
                                joint.phi_b * (node.inverse_b * right_b));                // [Malczyk2012, Eq. (19)]
  const Vec7 last_of_a = node.inverse_a * (right_a - joint.phi_a.transpose() * lambda);   // [Malczyk2012, Eq. (21)]
  const Vec7 first_of_b = node.inverse_b * (right_b - joint.phi_b.transpose() * lambda);  // [Malczyk2012, Eq. (23)]
  disassemble(node.a, first, last_of_a);
  disassemble(node.b, first_of_b, last);
}

}  // namespace mbdbench
