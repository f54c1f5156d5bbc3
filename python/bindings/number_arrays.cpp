#include "python/bindings/number_arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <memory>
#include <utility>

namespace nb = nanobind;

namespace mbdbench::python {
namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& reason) {
  throw nb::value_error(fmt::format("{}: {}", name, reason).c_str());
}

/// \returns "float32", "complex128", "object".
std::string dtype_of(nb::handle array) {
  return nb::cast<std::string>(nb::str(nb::object(array.attr("dtype"))));
}

template <class... Properties>
std::vector<std::size_t> shape_of(const nb::ndarray<Properties...>& array) {
  return {array.shape_ptr(), array.shape_ptr() + array.ndim()};
}

/// \returns whether its memory can be used as it is, whatever its size.
template <class... Properties>
bool is_plain(const nb::ndarray<Properties...>& array) {
  return array.device_type() == nb::device::cpu::value && array.dtype() == nb::dtype<double>() && array.ndim() == 1 &&
         (array.size() <= 1 || array.stride(0) == 1);
}

/// \returns the same of rows of numbers, one behind another.
template <class... Properties>
bool is_plain_matrix(const nb::ndarray<Properties...>& array) {
  return array.device_type() == nb::device::cpu::value && array.dtype() == nb::dtype<double>() && array.ndim() == 2 &&
         (array.size() == 0 || ((array.shape(1) == 1 || array.stride(1) == 1) &&
                                (array.shape(0) == 1 || array.stride(0) == static_cast<std::int64_t>(array.shape(1)))));
}

/// \returns a contiguous array of float64. \throws nanobind::value_error for what is none
nb::object converted(const nb::object& given, std::string_view name) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (nb::isinstance(given, numpy.attr("ndarray"))) {
    if (!given.attr("dtype").equal(numpy.attr("float64"))) {
      refuse(name, fmt::format("is an array of {}; float64 is wanted, such as numpy.asarray({}, dtype=float) makes",
                               dtype_of(given), name));
    }
    return numpy.attr("ascontiguousarray")(given);
  }
  try {
    return numpy.attr("array")(given, "float64");
  } catch (const nb::python_error& error) {
    refuse(name, fmt::format("is not an array of numbers: {}", nb::cast<std::string>(nb::str(error.value()))));
  }
}

}  // namespace

std::span<const double> NumbersArgument::numbers(std::string_view name) {
  nb::ndarray<nb::ro> array;
  // What right-hand sides get as a rule needs no call of Python.
  if (!nb::try_cast(given, array) || !is_plain(array)) {
    given = converted(given, name);
    array = nb::cast<nb::ndarray<nb::ro>>(given);
  }
  if (array.ndim() != 1) {
    refuse(name, fmt::format("has {} dimensions; one is wanted", array.ndim()));
  }
  const std::span<const double> values(static_cast<const double*>(array.data()), array.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      refuse(name, fmt::format("entry {} is {}; all must be finite", i, values[i]));
    }
  }
  return values;
}

std::span<const double> NumbersArgument::numbers(std::string_view name, std::size_t size) {
  const std::span<const double> values = numbers(name);
  if (values.size() != size) {
    refuse(name, fmt::format("has {} entries; {} are wanted", values.size(), size));
  }
  return values;
}

std::size_t NumbersArgument::dimensions(std::string_view name) {
  nb::ndarray<nb::ro> array;
  if (!nb::try_cast(given, array)) {
    given = converted(given, name);
    array = nb::cast<nb::ndarray<nb::ro>>(given);
  }
  return array.ndim();
}

std::span<const double> NumbersArgument::rows(std::string_view name, std::size_t columns) {
  nb::ndarray<nb::ro> array;
  if (!nb::try_cast(given, array) || !is_plain_matrix(array)) {
    given = converted(given, name);
    array = nb::cast<nb::ndarray<nb::ro>>(given);
  }
  if (array.ndim() != 2 || array.shape(1) != columns) {
    refuse(name, fmt::format("has shape ({}); rows of {} numbers are wanted, one a state",
                             fmt::join(shape_of(array), ", "), columns));
  }
  return {static_cast<const double*>(array.data()), array.size()};
}

std::span<double> writable_rows(nb::handle given, std::string_view name, std::size_t rows, std::size_t columns) {
  nb::ndarray<> array;
  if (!nb::try_cast(given, array)) {
    refuse(name, "is not an array that can be written; pass a numpy array of float64");
  }
  if (!is_plain_matrix(array) || array.shape(0) != rows || array.shape(1) != columns) {
    refuse(name,
           fmt::format(
               "must be a contiguous numpy array of float64 with shape ({}, {}), row behind row (C order); it is of {} "
               "with shape ({})",
               rows, columns, dtype_of(given), fmt::join(shape_of(array), ", ")));
  }
  return {static_cast<double*>(array.data()), rows * columns};
}

std::span<double> writable_numbers(nb::handle given, std::string_view name, std::size_t size) {
  nb::ndarray<> array;
  if (!nb::try_cast(given, array)) {
    refuse(name, "is not an array that can be written; pass a numpy array of float64");
  }
  if (!is_plain(array) || array.size() != size) {
    refuse(name,
           fmt::format("must be a contiguous numpy array of float64 with shape ({},); it is of {} with shape ({})",
                       size, dtype_of(given), fmt::join(shape_of(array), ", ")));
  }
  return {static_cast<double*>(array.data()), size};
}

NumberArray array_of(std::vector<double> numbers, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<double>>(std::move(numbers));
  double* const data = owned->data();
  const nb::capsule owner(owned.get(), [](void* pointer) noexcept {
    const std::unique_ptr<std::vector<double>> deleted(static_cast<std::vector<double>*>(pointer));
  });
  static_cast<void>(owned.release());
  return {data, shape, owner};
}

NumberArray array_of(std::vector<double> numbers) {
  const std::size_t size = numbers.size();
  return array_of(std::move(numbers), {size});
}

}  // namespace mbdbench::python
