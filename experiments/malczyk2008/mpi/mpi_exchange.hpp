#pragma once
/// \file
/// Messages between two ranks through MPI.
#include <mpi.h>

#include "formulations/bae_haug/exchange.hpp"

namespace mbdbench::malczyk2008 {

/// Rank 0 and rank 1 of MPI_COMM_WORLD. An error of MPI ends the program.
class MpiExchange final : public Exchange {
 public:
  MpiExchange() { MPI_Comm_rank(MPI_COMM_WORLD, &rank_); }

  [[nodiscard]] int rank() const override { return rank_; }
  void swap(std::span<const double> own, std::span<double> other) override {
    MPI_Sendrecv(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, 1 - rank_, 0, other.data(),
                 static_cast<int>(other.size()), MPI_DOUBLE, 1 - rank_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

 private:
  int rank_ = 0;
};

}  // namespace mbdbench::malczyk2008
