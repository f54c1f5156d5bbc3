#pragma once
/// \file
/// The compiler's own numbers of 113 bits, with what glibc has for them: faster than those of Boost, which
/// precise_number.hpp takes where there are none.
#include <climits>

// Compilers for other processors have no such number, and other C libraries no functions of it.
#if defined(__SIZEOF_FLOAT128__) && defined(__x86_64__) && defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 26)
#define MBDBENCH_QUADRUPLE 1
#endif
#endif

#ifdef MBDBENCH_QUADRUPLE
#include <Eigen/Core>
#include <concepts>
#include <limits>

namespace mbdbench::precise {

namespace libm {
// glibc declares these with a type that GCC from 13 on tells apart from __float128, and Clang does not see them.
using Bits = __float128;
Bits square_root(Bits x) noexcept __asm__("sqrtf128");
Bits sine(Bits x) noexcept __asm__("sinf128");
Bits cosine(Bits x) noexcept __asm__("cosf128");
Bits tangent(Bits x) noexcept __asm__("tanf128");
Bits arc_sine(Bits x) noexcept __asm__("asinf128");
Bits arc_cosine(Bits x) noexcept __asm__("acosf128");
Bits arc_tangent(Bits x) noexcept __asm__("atanf128");
Bits arc_tangent_of_two(Bits y, Bits x) noexcept __asm__("atan2f128");
Bits hyperbolic_sine(Bits x) noexcept __asm__("sinhf128");
Bits hyperbolic_cosine(Bits x) noexcept __asm__("coshf128");
Bits hyperbolic_tangent(Bits x) noexcept __asm__("tanhf128");
Bits exponential(Bits x) noexcept __asm__("expf128");
Bits natural_log(Bits x) noexcept __asm__("logf128");
Bits power(Bits x, Bits y) noexcept __asm__("powf128");
Bits whole_below(Bits x) noexcept __asm__("floorf128");
Bits remainder(Bits x, Bits y) noexcept __asm__("fmodf128");
}  // namespace libm

/// A number of 113 bits, IEEE binary128. Computes as those of Boost do, as far as this folder asks.
class Quadruple {
 public:
  using Bits = libm::Bits;

  constexpr Quadruple() = default;
  // Not the compiler's own: GCC returns a class of one such number in a register where its copies are trivial, Clang in
  // memory. With these both take memory, so that what either has compiled may be linked together (./check --full does).
  // NOLINTBEGIN(modernize-use-equals-default)
  constexpr Quadruple(const Quadruple& other) : bits_(other.bits_) {}
  constexpr Quadruple& operator=(const Quadruple& other) {
    bits_ = other.bits_;
    return *this;
  }
  // NOLINTEND(modernize-use-equals-default)
  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number>
  constexpr Quadruple(Number number) : bits_(static_cast<Bits>(number)) {}
  [[nodiscard]] static constexpr Quadruple of(Bits bits) {
    Quadruple made;
    made.bits_ = bits;
    return made;
  }

  [[nodiscard]] constexpr Bits bits() const { return bits_; }
  template <typename Number>
  [[nodiscard]] constexpr Number convert_to() const {
    return static_cast<Number>(bits_);
  }
  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number>
  explicit constexpr operator Number() const { return static_cast<Number>(bits_); }

  constexpr Quadruple& operator+=(const Quadruple& other) {
    bits_ += other.bits_;
    return *this;
  }
  constexpr Quadruple& operator-=(const Quadruple& other) {
    bits_ -= other.bits_;
    return *this;
  }
  constexpr Quadruple& operator*=(const Quadruple& other) {
    bits_ *= other.bits_;
    return *this;
  }
  constexpr Quadruple& operator/=(const Quadruple& other) {
    bits_ /= other.bits_;
    return *this;
  }
  friend constexpr Quadruple operator+(const Quadruple& a, const Quadruple& b) { return of(a.bits_ + b.bits_); }
  friend constexpr Quadruple operator-(const Quadruple& a, const Quadruple& b) { return of(a.bits_ - b.bits_); }
  friend constexpr Quadruple operator*(const Quadruple& a, const Quadruple& b) { return of(a.bits_ * b.bits_); }
  friend constexpr Quadruple operator/(const Quadruple& a, const Quadruple& b) { return of(a.bits_ / b.bits_); }
  friend constexpr Quadruple operator-(const Quadruple& a) { return of(-a.bits_); }
  friend constexpr Quadruple operator+(const Quadruple& a) { return a; }
  friend constexpr bool operator==(const Quadruple& a, const Quadruple& b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator<(const Quadruple& a, const Quadruple& b) { return a.bits_ < b.bits_; }
  friend constexpr bool operator>(const Quadruple& a, const Quadruple& b) { return a.bits_ > b.bits_; }
  friend constexpr bool operator<=(const Quadruple& a, const Quadruple& b) { return a.bits_ <= b.bits_; }
  friend constexpr bool operator>=(const Quadruple& a, const Quadruple& b) { return a.bits_ >= b.bits_; }

  // Of a zero without its sign, which atan2 sees.
  friend constexpr Quadruple abs(const Quadruple& x) { return x.bits_ <= 0 ? of(0 - x.bits_) : x; }
  friend constexpr bool isfinite(const Quadruple& x) { return x.bits_ - x.bits_ == 0; }
  friend Quadruple sqrt(const Quadruple& x) { return of(libm::square_root(x.bits_)); }
  friend Quadruple sin(const Quadruple& x) { return of(libm::sine(x.bits_)); }
  friend Quadruple cos(const Quadruple& x) { return of(libm::cosine(x.bits_)); }
  friend Quadruple tan(const Quadruple& x) { return of(libm::tangent(x.bits_)); }
  friend Quadruple asin(const Quadruple& x) { return of(libm::arc_sine(x.bits_)); }
  friend Quadruple acos(const Quadruple& x) { return of(libm::arc_cosine(x.bits_)); }
  friend Quadruple atan(const Quadruple& x) { return of(libm::arc_tangent(x.bits_)); }
  friend Quadruple sinh(const Quadruple& x) { return of(libm::hyperbolic_sine(x.bits_)); }
  friend Quadruple cosh(const Quadruple& x) { return of(libm::hyperbolic_cosine(x.bits_)); }
  friend Quadruple tanh(const Quadruple& x) { return of(libm::hyperbolic_tangent(x.bits_)); }
  friend Quadruple exp(const Quadruple& x) { return of(libm::exponential(x.bits_)); }
  friend Quadruple log(const Quadruple& x) { return of(libm::natural_log(x.bits_)); }
  friend Quadruple floor(const Quadruple& x) { return of(libm::whole_below(x.bits_)); }
  friend Quadruple atan2(const Quadruple& y, const Quadruple& x) {
    return of(libm::arc_tangent_of_two(y.bits_, x.bits_));
  }
  friend Quadruple fmod(const Quadruple& x, const Quadruple& y) { return of(libm::remainder(x.bits_, y.bits_)); }
  friend Quadruple pow(const Quadruple& x, const Quadruple& y) { return of(libm::power(x.bits_, y.bits_)); }

 private:
  Bits bits_ = 0;
};

}  // namespace mbdbench::precise

namespace std {

template <>
class numeric_limits<mbdbench::precise::Quadruple> {
  using Number = mbdbench::precise::Quadruple;
  static constexpr Number power_of_two(int exponent) {
    Number power = 1;
    for (; exponent > 0; --exponent) {
      power *= 2;
    }
    for (; exponent < 0; ++exponent) {
      power /= 2;
    }
    return power;
  }

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr int radix = 2;
  static constexpr int digits = 113;
  static constexpr int digits10 = 33;
  static constexpr int max_digits10 = 36;
  static constexpr int max_exponent = 16384;
  static constexpr int min_exponent = -16381;
  static Number min() {
    static const Number least = power_of_two(min_exponent - 1);
    return least;
  }
  static Number max() {
    static const Number most = (2 - epsilon()) * power_of_two(max_exponent - 1);
    return most;
  }
  static Number lowest() { return -max(); }
  static constexpr Number epsilon() { return power_of_two(1 - digits); }
  static constexpr Number round_error() { return 0.5; }
  static constexpr Number infinity() { return numeric_limits<double>::infinity(); }
  // NOLINTNEXTLINE(readability-identifier-naming): the standard's name
  static constexpr Number quiet_NaN() { return numeric_limits<double>::quiet_NaN(); }
};

}  // namespace std

template <>
struct Eigen::NumTraits<mbdbench::precise::Quadruple> : Eigen::GenericNumTraits<mbdbench::precise::Quadruple> {
  using Real = mbdbench::precise::Quadruple;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = double;
  enum {
    IsInteger = 0,
    IsSigned = 1,
    IsComplex = 0,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 8,
    MulCost = 8
  };
  static Real dummy_precision() { return 1e-30; }
};

#endif
