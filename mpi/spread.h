/*
 * A merge by all processes of an MPI job. Each makes a partial result of its share; these are joined along a tree, and
 * rank 0 makes the profile of the last one:
 *
 *     rank 0  ──┬──────────┬──► anneal merge -o app.profdata
 *     rank 1  ──┘          │
 *     rank 2  ──┬──────────┘       each line is one partial result that is sent
 *     rank 3  ──┘
 *
 * Inputs of which a process could make nothing go to rank 0 by their names, which merges them along with the rest, or says
 * what is wrong with them. So all of `anneal merge` holds: failure modes, the account of every input, filters, formats.
 */
#ifndef AN_MPI_SPREAD_H
#define AN_MPI_SPREAD_H

#include "cli/family/commands.h"

/* Rank 0, with all inputs. Returns the exit status; messages were printed. */
int spread_lead(struct merge_request *request, const struct family_commands *commands);

/* Each other one: does its part of what rank 0 leads, if anything. */
void spread_follow(void);

/* Rank 0, when there is nothing to lead: a wrong command line, say. */
void spread_call_off(void);

#endif
