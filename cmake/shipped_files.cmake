# What the program looks for below share/mbdbench beside it: studies, engines, published numbers and the plots.

# mbdbench_ship(DESTINATION [COMPONENT name])
function(mbdbench_ship destination)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments/studies DESTINATION ${destination}/experiments ${ARGN}
          FILES_MATCHING PATTERN "*.toml" PATTERN "*.csv"
          PATTERN "declaration" EXCLUDE PATTERN "runner" EXCLUDE PATTERN "verdicts" EXCLUDE)
  # Where the study `engines` looks for them.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/engines DESTINATION ${destination}/examples ${ARGN}
          FILES_MATCHING PATTERN "*.py" PATTERN "*.sh" PATTERN "__pycache__" EXCLUDE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/results/published DESTINATION ${destination}/results ${ARGN})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/plots DESTINATION ${destination} ${ARGN} PATTERN "__pycache__" EXCLUDE)
endfunction()
