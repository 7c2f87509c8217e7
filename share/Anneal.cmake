# SPDX-License-Identifier: Apache-2.0
#
# Builds in two passes, for CMake from 3.18 on, with Makefiles or Ninja. In CMakeLists.txt, before the targets:
#
#     find_package(anneal)
#     anneal_train(COMMAND app ${CMAKE_SOURCE_DIR}/example.txt)        # if you like
#
# or, without a word in the project,
#
#     cmake -DCMAKE_PROJECT_INCLUDE="$(anneal fdo --cmake)" ...
#
# Then `cmake -DFDO_PASS=1` configures a build for training, and -DFDO_PASS=2 one with what training left, in the
# same folder or in another one. The target `train` runs what anneal_train() names; fdo-report tells what became of it.

include_guard(GLOBAL)
find_program(ANNEAL anneal)
set(FDO_PASS "" CACHE STRING "1: build for training, 2: build with what training left")
set(ANNEAL_PROFILE_DIR "${CMAKE_SOURCE_DIR}/.anneal" CACHE PATH "where the profiles of training are kept")

if(FDO_PASS)
  if(NOT ANNEAL)
    message(FATAL_ERROR "FDO_PASS requires anneal, which is not in PATH")
  endif()
  set(anneal_launcher env FDO_PASS=${FDO_PASS} "ANNEAL_PROFILE_DIR=${ANNEAL_PROFILE_DIR}" ${ANNEAL})
  set(CMAKE_C_COMPILER_LAUNCHER ${anneal_launcher} cc ${CMAKE_C_COMPILER_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${anneal_launcher} c++ ${CMAKE_CXX_COMPILER_LAUNCHER})
  set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK
    "env FDO_PASS=${FDO_PASS} \"ANNEAL_PROFILE_DIR=${ANNEAL_PROFILE_DIR}\" \"${ANNEAL}\" cc")
  # Makefiles compile anew what other flags are for, and do not know of launchers.
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-DANNEAL_PASS=${FDO_PASS}>")
endif()

add_custom_target(fdo-report
  COMMAND env "ANNEAL_PROFILE_DIR=${ANNEAL_PROFILE_DIR}" "${ANNEAL}" fdo
  VERBATIM)

# anneal_train(COMMAND ... [COMMAND ...] [WORKING_DIRECTORY ...]): what trains, as add_custom_target() has it
function(anneal_train)
  if(FDO_PASS STREQUAL 1)
    add_custom_target(train ${ARGN} VERBATIM)
  else()
    add_custom_target(train
      COMMAND ${CMAKE_COMMAND} -E echo "train: this is no build for training: configure one with -DFDO_PASS=1"
      COMMAND ${CMAKE_COMMAND} -E false
      VERBATIM)
  endif()
endfunction()
