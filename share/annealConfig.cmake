# SPDX-License-Identifier: Apache-2.0
#
# For find_package(anneal): builds in two passes.
include("${CMAKE_CURRENT_LIST_DIR}/Anneal.cmake")
