#pragma once
/// \file
/// Between integrators and sinks that may throw.
#include <exception>
#include <span>
#include <string>

#include "experiments/files/write_error.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// Keeps exceptions of a sink away from integrators, some of which are C libraries.
class SinkBarrier : public OdeSink {
 public:
  explicit SinkBarrier(OdeSink& sink) : sink_(sink) {}

  [[nodiscard]] bool wants_samples() const override { return sink_.wants_samples(); }

  bool sample(double t, std::span<const double> x) override {
    return guarded([&] { return sink_.sample(t, x); });
  }
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override {
    return guarded([&] { return sink_.step(t, x, so_far); });
  }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] bool write_failed() const { return write_failed_; }

 private:
  template <class Call>
  bool guarded(const Call& call) {
    try {
      return call();
    } catch (const WriteError& error) {
      failure_ = error.what();
      write_failed_ = true;
      return false;
    } catch (const std::exception& error) {
      failure_ = error.what();
      return false;
    }
  }

  OdeSink& sink_;
  std::string failure_;
  bool write_failed_ = false;
};

}  // namespace mbdbench
