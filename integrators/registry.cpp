#include "integrators/registry.hpp"

#include <algorithm>
#include <array>

#include "integrators/ode113.hpp"
#include "integrators/ode15s.hpp"
#include "integrators/ode23.hpp"
#include "integrators/ode45.hpp"
#include "integrators/odeint_dopri5.hpp"

namespace mbdbench {
namespace {

constexpr std::array kRegistry = {
    OdeEntry{"ode45", "Dormand-Prince 5(4) with the step control of MATLAB's ode45", "Shampine1997", 5, true, ode45},
    OdeEntry{"ode23", "Bogacki-Shampine 3(2) with the step control of MATLAB's ode23", "Shampine1997", 3, true, ode23},
    OdeEntry{"ode113", "Adams PECE of orders 1 to 13 with the step and order control of MATLAB's ode113",
             "Shampine1997", 0, true, ode113},
    OdeEntry{"ode15s", "Numerical differentiation formulas of orders 1 to 5 as in MATLAB's ode15s, stiff",
             "Shampine1997", 0, true, ode15s},
    OdeEntry{"ode15s-bdf", "MATLAB's ode15s with backward differentiation formulas, stiff", "Shampine1997", 0, true,
             ode15s_bdf},
    OdeEntry{"odeint-dopri5", "Dormand-Prince 5(4) of Boost.Odeint", "Dormand1980", 5, true, odeint_dopri5},
};

}  // namespace

std::span<const OdeEntry> integrator_registry() {
  return kRegistry;
}

const OdeEntry* find_integrator(std::span<const OdeEntry> registry, std::string_view key) {
  const auto entry = std::find_if(registry.begin(), registry.end(), [key](const OdeEntry& e) { return e.key == key; });
  return entry == registry.end() ? nullptr : &*entry;
}

}  // namespace mbdbench
