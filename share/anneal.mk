# SPDX-License-Identifier: Apache-2.0
#
# Builds in two passes, for GNU make:
#
#     include $(shell anneal fdo --makefile)
#
# behind the line that sets CC, if there is one. Then `make FDO_PASS=1` builds for training, `make FDO_PASS=2` with what
# training left, and nothing else changes. `make fdo` does all of it: both passes, `make clean` before each, and
# between them the command in FDO_TRAIN.
#
#     FDO_TRAIN           what trains: ./app example.txt, or anneal train ...
#     FDO_TARGET          what is built (default: the first target)
#     ANNEAL_PROFILE_DIR  where profiles are kept (default: .anneal beside this Makefile)

ANNEAL ?= anneal
ANNEAL_PROFILE_DIR ?= $(CURDIR)/.anneal

ifneq ($(filter 1 2,$(FDO_PASS)),)
export FDO_PASS ANNEAL_PROFILE_DIR
override CC := $(ANNEAL) cc $(CC)
override CXX := $(ANNEAL) c++ $(CXX)
endif

.PHONY: fdo fdo-report
fdo-report:
	@ANNEAL_PROFILE_DIR='$(ANNEAL_PROFILE_DIR)' $(ANNEAL) fdo

fdo:
	$(if $(FDO_TRAIN),,$(error set FDO_TRAIN to the training command, such as ./app example.txt))
	rm -rf '$(ANNEAL_PROFILE_DIR)'
	$(MAKE) clean
	$(MAKE) $(FDO_TARGET) FDO_PASS=1
	$(FDO_TRAIN)
	$(MAKE) clean
	$(MAKE) $(FDO_TARGET) FDO_PASS=2
