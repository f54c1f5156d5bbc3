#include <array>

#include "experiments/registries/experiment.hpp"

namespace mbdbench {
namespace {

constexpr std::array kRegistry = {
    ExperimentEntry{"chadaj2015",
                    "16-body pendulum: evaluations of DCA and HDCA with ode45, and what equal tolerance hides",
                    "Chadaj2015"},
    ExperimentEntry{"chadaj2017",
                    "three closed mechanisms: accuracy and work of DCA and HDCA, with and without gauge control",
                    "Chadaj2017"},
    ExperimentEntry{
        "malczyk2012",
        "loops through singular positions: augmented Lagrangian with projections beside DCA, HDCA, Bae-Haug",
        "Malczyk2012"},
    ExperimentEntry{"integrators",
                    "orders of all integrators, and work against precision on mechanisms, smooth and stiff",
                    "Hairer1993"},
    ExperimentEntry{
        "naudet2005",
        "the biped as accelerations and as momenta: fixed and adaptive steps, full and partial error control",
        "Naudet2005"},
    ExperimentEntry{"malczyk2008",
                    "slider-crank and loops of any size: the recursion of Bae and Haug on one process and on two",
                    "Malczyk2008"},
};

}  // namespace

std::span<const ExperimentEntry> experiment_registry() {
  return kRegistry;
}

}  // namespace mbdbench
