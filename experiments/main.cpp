#include "experiments/command_line.hpp"

int main(int argument_count, char** arguments) {
  return mbdbench::run_command_line(mbdbench::default_registries(), argument_count, arguments);
}
