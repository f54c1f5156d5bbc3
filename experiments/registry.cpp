#include <array>

#include "experiments/chadaj2015/chadaj2015.hpp"
#include "experiments/experiment.hpp"

namespace mbdbench {
namespace {

constexpr std::array kRegistry = {
    ExperimentEntry{"chadaj2015",
                    "16-body pendulum: evaluations of DCA and HDCA with ode45, and what equal tolerance hides",
                    "Chadaj2015", run_chadaj2015},
};

}  // namespace

std::span<const ExperimentEntry> experiment_registry() {
  return kRegistry;
}

}  // namespace mbdbench
