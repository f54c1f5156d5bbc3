#pragma once
/// \file
/// A sink that is also told the exact size of every attempt at a step: t_new - t is it up to rounding only.
#include "integrators/ode.hpp"

namespace mbdbench {

class AttemptSink : public OdeSink {
 public:
  /// An adaptive method tries a step. The last one before `step` is the one that was accepted. \param size positive
  virtual void attempt(double size) = 0;
};

}  // namespace mbdbench
