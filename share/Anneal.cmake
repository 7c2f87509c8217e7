# SPDX-License-Identifier: Apache-2.0
#
# Builds in two passes, for CMake from 3.18 on, with Makefiles or Ninja:
#
#     execute_process(COMMAND anneal fdo --cmake OUTPUT_VARIABLE ANNEAL_CMAKE OUTPUT_STRIP_TRAILING_WHITESPACE)
#     include(${ANNEAL_CMAKE})
#
# before the targets. Then `cmake -DFDO_PASS=1` configures a build for training, and -DFDO_PASS=2 one with what
# training left, in the same folder or in another one. The target fdo-report tells what became of it.

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
endif()

add_custom_target(fdo-report
  COMMAND env "ANNEAL_PROFILE_DIR=${ANNEAL_PROFILE_DIR}" "${ANNEAL}" fdo
  VERBATIM)
