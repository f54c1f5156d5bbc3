#pragma once
/// \file
/// Which commands of engines may be started. What the user types may; what a file says, somebody else's study or state,
/// only where the user says so.
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// Thrown where a command may not be started.
class EngineNotPermitted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Permits a command for the rest of the program.
void permit_engine(std::string_view command);

/// Permits what stands on the command line as KEY[program=COMMAND]: the user has typed it.
void permit_typed_engines(int argument_count, const char* const* arguments);

/// \returns whether the command was permitted, or stands as a line of the user's own list, `trusted_engines_file`.
bool engine_permitted(const std::string& command);

/// \returns $XDG_CONFIG_HOME/mbdbench/trusted_engines, or that of ~/.config; empty where there is no home.
std::string trusted_engines_file();

/// \throws EngineNotPermitted saying how to permit it
void require_permitted(const std::string& command);

/// \returns the command that starts an engine; empty for a formulation that is none.
std::string engine_command(const FormulationEntry& entry, std::string_view options);

/// Prints what a file wants to start. \param commands by the engines' names \param allow permits all of it
/// \throws EngineNotPermitted naming every command that is not permitted
void announce_engines(const std::string& file, const std::map<std::string, std::string>& commands, bool allow);

}  // namespace mbdbench
