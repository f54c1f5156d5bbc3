/// \file
/// The guard that holds rhs() to "allocates nothing" is itself held to catching every way of allocating.
#include "tests/support/allocation_guard.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sanitizers.hpp"

namespace {

using mbdbench::AllocationGuard;

/// Makes the optimiser believe that somebody looks at what `address` points to: it may otherwise elide an allocation
/// whose memory nobody reads (C++14 and later allow that for new, compilers do it for malloc as well).
void keep(const void* address) {
  asm volatile("" : : "r"(address) : "memory");
}

/// A number the optimiser cannot see through.
template <class T>
T opaque(T value) {
  volatile T hidden = value;
  return hidden;
}

/// \returns the allocations made while `work` runs; EXPECT_* macros stay outside because they may allocate.
template <class Work>
std::size_t allocations_of(Work&& work) {
  const AllocationGuard guard;
  work();
  return guard.count();
}

class AllocationGuardTest : public testing::Test {
 protected:
  void SetUp() override {
    // Under a sanitizer the guard is compiled away; that it is off there and on everywhere else is itself checked.
    ASSERT_EQ(AllocationGuard::active(), !mbdbench::test::sanitizer_owns_malloc());
  }

  /// What the guard must report for `made` allocations.
  static std::size_t seen(std::size_t made) { return AllocationGuard::active() ? made : 0; }
};

TEST_F(AllocationGuardTest, CountsTheCAllocators) {
  // NOLINTBEGIN(cppcoreguidelines-no-malloc): malloc is what is tested.
  const std::size_t counted = allocations_of([] {
    void* memory = std::malloc(opaque<std::size_t>(24));
    keep(memory);
    memory = std::realloc(memory, opaque<std::size_t>(4096));
    keep(memory);
    std::free(memory);
    memory = std::calloc(opaque<std::size_t>(3), 8);
    keep(memory);
    std::free(memory);
    memory = std::aligned_alloc(opaque<std::size_t>(64), 128);
    keep(memory);
    std::free(memory);
    if (posix_memalign(&memory, opaque<std::size_t>(32), 128) == 0) {
      keep(memory);
      std::free(memory);
    }
  });
  // NOLINTEND(cppcoreguidelines-no-malloc)
  EXPECT_EQ(counted, seen(5));
}

TEST_F(AllocationGuardTest, CountsOperatorNewAndContainers) {
  EXPECT_EQ(allocations_of([] { keep(std::make_unique<double>(opaque(1.0)).get()); }), seen(1));
  EXPECT_EQ(allocations_of([] { keep(std::vector<double>(opaque<std::size_t>(7)).data()); }), seen(1));
  // The buffer is made inside libstdc++, a shared library: its calls must reach the guard as well.
  EXPECT_EQ(allocations_of([] { keep(std::string(opaque<std::size_t>(100), 'x').data()); }), seen(1));
}

TEST_F(AllocationGuardTest, CountsOverAlignedNew) {
  struct alignas(64) Pack {
    double lanes[8];
  };
  EXPECT_EQ(allocations_of([] { keep(std::make_unique<Pack>().get()); }), seen(1));
}

TEST_F(AllocationGuardTest, CatchesATemporaryDynamicMatrix) {
  const Eigen::Index n = opaque<Eigen::Index>(6);
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(n, n);
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(n, n);
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(n, n);
  // Without noalias() the product is made in a temporary and copied: the usual slip in a hot loop.
  const std::size_t counted = allocations_of([&] {
    c = a * b;
    keep(c.data());
  });
  EXPECT_NEAR(c(0, 0), a.row(0).dot(b.col(0)), 1e-14);
  if (AllocationGuard::active()) {
    EXPECT_GE(counted, 1U);
  }
  // The count also tells the slip from its cure.
  EXPECT_EQ(allocations_of([&] {
              c.noalias() = a.lazyProduct(b);
              keep(c.data());
            }),
            0U);
}

TEST_F(AllocationGuardTest, FixedSizeWorkCountsZero) {
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  const Matrix6 a = Matrix6::Random();
  Matrix6 b = Matrix6::Random();
  const std::size_t counted = allocations_of([&] {
    for (int i = 0; i < 100; ++i) {
      b = a * b + Matrix6::Identity();
      keep(b.data());
    }
  });
  EXPECT_EQ(counted, 0U);
}

TEST_F(AllocationGuardTest, FreeingIsNotAllocating) {
  auto owned = std::make_unique<double>(2.0);
  keep(owned.get());
  EXPECT_EQ(allocations_of([&] { owned.reset(); }), 0U);
}

TEST_F(AllocationGuardTest, OtherThreadsDoNotCount) {
  std::size_t counted_there = 0;
  std::thread other(
      [&] { counted_there = allocations_of([] { keep(std::vector<double>(opaque<std::size_t>(50)).data()); }); });
  // The guard is set only once the thread exists: starting it allocates in this thread.
  const AllocationGuard here;
  other.join();
  const std::size_t counted_here = here.count();
  EXPECT_EQ(counted_there, seen(1));
  EXPECT_EQ(counted_here, 0U);
}

TEST_F(AllocationGuardTest, GuardsNest) {
  const AllocationGuard outer;
  keep(std::make_unique<int>(opaque(1)).get());
  const AllocationGuard inner;
  keep(std::make_unique<int>(opaque(2)).get());
  const std::size_t inner_count = inner.count();
  const std::size_t outer_count = outer.count();
  EXPECT_EQ(inner_count, seen(1));
  EXPECT_EQ(outer_count, seen(2));
}

}  // namespace
