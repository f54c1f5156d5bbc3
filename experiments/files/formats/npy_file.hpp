#pragma once
/// \file
/// Matrices and vectors in NumPy's format (.npy, version 1.0, doubles).
#include <Eigen/Core>
#include <filesystem>

namespace mbdbench {

/// Writes a matrix, of two dimensions, to a new file that replaces the old one at once. \throws WriteError
void write_npy_matrix(const std::filesystem::path& file, const Eigen::MatrixXd& matrix);

/// The same for a vector, of one dimension.
void write_npy_vector(const std::filesystem::path& file, const Eigen::VectorXd& vector);

}  // namespace mbdbench
