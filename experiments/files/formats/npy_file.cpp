#include "experiments/files/formats/npy_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "experiments/files/formats/csv_file.hpp"

namespace mbdbench {

namespace {

void write_doubles(const std::filesystem::path& file, const std::string& shape, const double* values,
                   Eigen::Index count) {
  static_assert(std::endian::native == std::endian::little, "the header says '<f8'");
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': True, 'shape': {}, }}", shape);
  // Magic, version and length take ten bytes; the data begin at a multiple of 64.
  constexpr std::size_t kBefore = 10;
  header.append(63 - (kBefore + header.size()) % 64, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  std::string text = std::string("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(length & 0xFFU);
  text += static_cast<char>(length >> 8U);
  text += header;
  text.append(reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(double));
  replace_file(file, text);
}

}  // namespace

void write_npy_matrix(const std::filesystem::path& file, const Eigen::MatrixXd& matrix) {
  write_doubles(file, fmt::format("({}, {})", matrix.rows(), matrix.cols()), matrix.data(), matrix.size());
}

void write_npy_vector(const std::filesystem::path& file, const Eigen::VectorXd& vector) {
  write_doubles(file, fmt::format("({},)", vector.size()), vector.data(), vector.size());
}

}  // namespace mbdbench
