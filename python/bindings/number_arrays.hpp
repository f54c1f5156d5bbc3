#pragma once
/// \file
/// Numbers on their way between Python and the library: numpy's memory is used as it is wherever it can be.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace mbdbench::python {

/// What a function of ours returns.
using NumberArray = nanobind::ndarray<nanobind::numpy, double>;

/// An array that a caller passes, or anything that numpy can make one of.
class NumbersArgument {
 public:
  /// \returns its numbers, without a copy where they are a contiguous array of float64; valid as long as this lives.
  /// \param name for messages \param size that they must have
  /// \throws nanobind::value_error unless they are float64 (or a list of numbers), one-dimensional, finite and so many
  std::span<const double> numbers(std::string_view name, std::size_t size);
  /// The same of any size.
  std::span<const double> numbers(std::string_view name);

  /// \returns how many dimensions it has, once it is an array.
  std::size_t dimensions(std::string_view name);
  /// \returns the numbers of rows of so many, one row after another, as `numbers` without a copy; they need not be
  /// finite. \throws nanobind::value_error unless it has two dimensions, the second of this size
  std::span<const double> rows(std::string_view name, std::size_t columns);

  nanobind::object given;  ///< set by the caster below
};

/// \returns the numbers of an array that the caller wants to be written, never a copy.
/// \throws nanobind::value_error unless it is a contiguous, writable array of float64 with this size
std::span<double> writable_numbers(nanobind::handle given, std::string_view name, std::size_t size);

/// The same of so many rows and columns.
std::span<double> writable_rows(nanobind::handle given, std::string_view name, std::size_t rows, std::size_t columns);

/// \returns an array that owns the numbers, which are moved. \param shape its product is their count
NumberArray array_of(std::vector<double> numbers, std::initializer_list<std::size_t> shape);

/// The same of one dimension.
NumberArray array_of(std::vector<double> numbers);

}  // namespace mbdbench::python

/// Takes any object: the checks, which know the size, come later and say more than "incompatible arguments".
template <>
struct nanobind::detail::type_caster<mbdbench::python::NumbersArgument> {
  NB_TYPE_CASTER(mbdbench::python::NumbersArgument, const_name("numpy.typing.ArrayLike"))

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) {
    value.given = borrow(source);
    return true;
  }
};
