# SPDX-License-Identifier: Apache-2.0
#
# A toolchain file for CMake from 3.18 on: programs for boards without an operating system, with the runtime that prints
# their profiles.
#
#     cmake -B build -DCMAKE_TOOLCHAIN_FILE="$(anneal rt --board)/toolchain.cmake" -DBOARD=cortex-m3-mps2
#
# BOARD, BOARDS, COMPILER, PROFILE and COMPRESS mean what they mean to the Makefile beside this file, which builds the
# runtime and says how to compile and link. The target run-PROGRAM, which anneal_board_run(PROGRAM) makes, starts QEMU.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # a program would have to be linked for the board

set(BOARD riscv64-virt CACHE STRING "the board")
set(BOARDS "${CMAKE_CURRENT_LIST_DIR}/boards" CACHE PATH "the folder of the board's folder")
set(COMPILER gcc CACHE STRING "gcc or clang")
set(PROFILE generate CACHE STRING "generate, correlated (clang), coverage or none")
set(COMPRESS "" CACHE STRING "1: profiles are printed compressed")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BOARD BOARDS COMPILER PROFILE COMPRESS anneal_board_settings)

# The runtime is built once, when the folder is configured.
if(NOT anneal_board_settings)
  set(anneal_make make -s -f "${CMAKE_CURRENT_LIST_DIR}/Makefile" "BOARD=${BOARD}" "BOARDS=${BOARDS}" "COMPILER=${COMPILER}"
    "PROFILE=${PROFILE}" "COMPRESS=${COMPRESS}" SRCS= "OUT=${CMAKE_BINARY_DIR}/anneal-runtime")
  execute_process(COMMAND ${anneal_make} runtime RESULT_VARIABLE anneal_failed)
  if(anneal_failed)
    message(FATAL_ERROR "the runtime for ${BOARD} cannot be built")
  endif()
  execute_process(COMMAND ${anneal_make} settings OUTPUT_VARIABLE anneal_lines)
  set(anneal_board_settings "${anneal_lines}" CACHE INTERNAL "")
endif()

# anneal_setting(NAME VARIABLE): the value behind NAME=
function(anneal_setting name variable)
  string(REGEX MATCH "(^|\n)${name}=([^\n]*)" matched "${anneal_board_settings}")
  set(${variable} "${CMAKE_MATCH_2}" PARENT_SCOPE)
endfunction()

anneal_setting(CC anneal_cc)
anneal_setting(CXX anneal_cxx)
anneal_setting(LD anneal_ld)
anneal_setting(own_flags anneal_flags)
anneal_setting(own_cxx_flags anneal_cxx_flags)
anneal_setting(profile_flags anneal_profile)
anneal_setting(link_flags anneal_link)
anneal_setting(starters anneal_starters)
anneal_setting(libraries anneal_libraries)
anneal_setting(QEMU anneal_qemu)

separate_arguments(anneal_cc)
separate_arguments(anneal_cxx)
list(GET anneal_cc 0 CMAKE_C_COMPILER)
list(GET anneal_cxx 0 CMAKE_CXX_COMPILER)
list(REMOVE_AT anneal_cc 0)
list(REMOVE_AT anneal_cxx 0)
string(REPLACE ";" " " anneal_cc "${anneal_cc}")
string(REPLACE ";" " " anneal_cxx "${anneal_cxx}")
set(CMAKE_C_FLAGS_INIT "${anneal_cc} ${anneal_flags}")
set(CMAKE_CXX_FLAGS_INIT "${anneal_cxx} ${anneal_cxx_flags}")
# What CMake tries the compiler with is not to be counted.
get_property(anneal_tries GLOBAL PROPERTY IN_TRY_COMPILE)
if(NOT anneal_tries)
  separate_arguments(anneal_profile)
  add_compile_options(${anneal_profile})
endif()
# GCC links for both, and without the flags of a compiler, which it may not know.
set(anneal_link_rule "${anneal_ld} ${anneal_link} ${anneal_starters} <OBJECTS> <LINK_LIBRARIES> ${anneal_libraries} -o <TARGET>")
set(CMAKE_C_LINK_EXECUTABLE "${anneal_link_rule}")
set(CMAKE_CXX_LINK_EXECUTABLE "${anneal_link_rule}")
set(CMAKE_EXECUTABLE_SUFFIX_C .elf)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .elf)

function(anneal_board_run program)
  separate_arguments(command UNIX_COMMAND "${anneal_qemu}")
  add_custom_target(run-${program} COMMAND ${command} $<TARGET_FILE:${program}> DEPENDS ${program} USES_TERMINAL)
endfunction()
