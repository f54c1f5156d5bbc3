#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/simulation/initial_values.hpp"
#include "experiments/verification/reference/equation_matrices.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/start/moved_start.hpp"
#include "mechanisms/model/start/singular_start.hpp"
#include "python/bindings/session.hpp"

namespace nb = nanobind;

namespace mbdbench::python {
namespace {

template <class Elements>
std::vector<std::string> names(const Elements& elements) {
  std::vector<std::string> result;
  for (const auto& element : elements) {
    result.push_back(element.name);
  }
  return result;
}

/// \returns "q.hip", or "q.hip.1", "q.hip.2" of joints with several. \param count Joint::nq or Joint::nu
std::vector<std::string> component_names(const Mechanism& mechanism, const char* symbol, int Joint::*count) {
  std::vector<std::string> result;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 1; i <= joint.*count; ++i) {
      result.push_back(joint.*count == 1 ? fmt::format("{}.{}", symbol, joint.name)
                                         : fmt::format("{}.{}.{}", symbol, joint.name, i));
    }
  }
  return result;
}

/// \throws nb::python_error where warnings are errors
void warn(const std::string& text) {
  if (!text.empty() && PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) {
    throw nb::python_error();
  }
}

/// \returns the mechanism; warns where closing the loops moved typed initial values.
Mechanism read(Mechanism mechanism) {
  warn(moved_start_text(mechanism));
  return mechanism;
}

Mechanism changed(const Mechanism& mechanism, const std::map<std::string, double>& values) {
  std::vector<std::string> assignments;
  assignments.reserve(values.size());
  for (const auto& [name, value] : values) {
    assignments.push_back(fmt::format("{}={}", name, value));
  }
  ChangedStart start = with_initial_values(mechanism, assignments);
  warn(moved_text(start));
  return std::move(start.mechanism);
}

std::string description_of(const Mechanism& mechanism) {
  return fmt::format("<mbdbench.Mechanism '{}': {} bodies, {} q, {} u, {} constraints>", mechanism.name(),
                     mechanism.body_count(), mechanism.q_size(), mechanism.u_size(), mechanism.constraint_size());
}

}  // namespace

void bind_mechanism(nb::module_& module) {
  nb::class_<Mechanism>(module, "Mechanism", "A validated mechanism with a consistent initial state; never changes.")
      .def_static(
          "from_key", [](const std::string& key) { return read(make_mechanism(registries().mechanisms, key)); },
          nb::arg("key"), "From the catalogue: \"four_bar\", \"pendulum:16\", \"random_tree:seed=7,bodies=12\".")
      .def_static(
          "from_toml", [](const std::filesystem::path& file) { return read(load_mechanism(file)); }, nb::arg("file"),
          "From a TOML file (docs/using/mechanisms/mechanisms.md).")
      .def_static(
          "from_urdf",
          [](const std::filesystem::path& file, const std::string& options) {
            return read(load_mechanism(file, parse_robot_options(options)));
          },
          nb::arg("file"), nb::arg("options") = "",
          "From a file of ROS that ends in .urdf, or of MuJoCo in .xml. Of URDF the base link is the ground; options "
          "as on "
          "the command line: \"floating,fixed=keep,ignore=friction+limits\".")
      .def_prop_ro(
          "notes", [](const Mechanism& mechanism) { return mechanism.description().notes; },
          "What a reader of another format left out or changed, a sentence each.")
      .def(
          "equation_matrices",
          [](const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u, double t) {
            if (q.size() != mechanism.q_size() || u.size() != mechanism.u_size()) {
              throw std::invalid_argument(fmt::format("q and u have {} and {} entries, they must have {} and {}",
                                                      q.size(), u.size(), mechanism.q_size(), mechanism.u_size()));
            }
            const EquationMatrices equations = equation_matrices(mechanism, t, q, u);
            return nb::make_tuple(equations.mass, equations.constraint_jacobian, equations.forces);
          },
          nb::arg("q"), nb::arg("u"), nb::arg("t") = 0.0, "(M, Phi_q, f) of M u' = f + Phi_q^T lambda, dense.")
      .def_static(
          "from_toml_text",
          [](const std::string& text, const std::string& name) { return read(load_mechanism(text, name)); },
          nb::arg("text"), nb::arg("name") = "text",
          "From the content of a TOML file; `name` is what messages call it.")
      .def(
          "to_toml", [](const Mechanism& mechanism) { return write_mechanism(mechanism.description()); },
          "The content of a TOML file from which the same mechanism is read, bit for bit.")
      .def("with_initial_values", &changed, nb::arg("values"),
           "The same mechanism with other initial values, {\"q.joint1\": 0.5, \"v.joint3\": 1.0}; loops are closed "
           "again.")
      .def_prop_ro("name", &Mechanism::name)
      .def_prop_ro("gravity", &Mechanism::gravity, nb::rv_policy::copy, "m/s^2, world axes")
      .def_prop_ro(
          "bodies", [](const Mechanism& mechanism) { return names(mechanism.bodies()); }, "Names of the bodies.")
      .def_prop_ro(
          "joints", [](const Mechanism& mechanism) { return names(mechanism.tree_joints()); },
          "Names of the joints of the spanning tree; joint k leads to body k.")
      .def_prop_ro(
          "cut_joints", [](const Mechanism& mechanism) { return names(mechanism.cut_joints()); },
          "Names of the joints that close loops.")
      .def_prop_ro(
          "markers", [](const Mechanism& mechanism) { return names(mechanism.markers()); }, "Names of the markers.")
      .def_prop_ro(
          "q_names", [](const Mechanism& mechanism) { return component_names(mechanism, "q", &Joint::nq); },
          "Names of the coordinates q of the tree joints.")
      .def_prop_ro(
          "u_names", [](const Mechanism& mechanism) { return component_names(mechanism, "v", &Joint::nu); },
          "Names of the quasi-velocities u of the tree joints.")
      .def_prop_ro("q_size", &Mechanism::q_size)
      .def_prop_ro("u_size", &Mechanism::u_size)
      .def_prop_ro("constraint_size", &Mechanism::constraint_size, "Rows of all cut joints and prescribed motions.")
      .def_prop_ro("q0", &Mechanism::q0, nb::rv_policy::copy, "Initial coordinates; the loops are closed.")
      .def_prop_ro("u0", &Mechanism::u0, nb::rv_policy::copy, "Initial quasi-velocities.")
      .def("__repr__", &description_of);
  module.def("singular_start_warning", &singular_start_warning, nb::arg("mechanism"),
             "A sentence on loops that are singular at the initial position; empty if there are none.");
}

}  // namespace mbdbench::python
