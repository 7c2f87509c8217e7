/*
 * Adding one YAML profile to another. What does not fit is found before anything is changed.
 */
#ifndef AN_BOLT_YAML_JOIN_H
#define AN_BOLT_YAML_JOIN_H

#include "base/vector.h"
#include "bolt/yaml_profile.h"

#define YAML_NOWHERE UINT32_MAX

/* A merge under way. Zero-initialise, but for the profile. */
struct yaml_join {
    struct an_yaml_profile *profile; /* its functions are those of the vector, in the end */
    struct {
        AN_VECTOR(struct an_yaml_function);
    } functions;
    struct an_names names; /* theirs */
    bool has_header;

    /* Used again and again: */
    struct {
        AN_VECTOR(uint64_t);
    } index; /* number << 32 | place, of one list */
    struct {
        AN_VECTOR(uint32_t);
    } places; /* of each item of a list in another one, or YAML_NOWHERE */
    struct {
        AN_VECTOR(struct an_yaml_call);
    } calls, new_calls; /* those of a block in order, with their places for counts; and others */
};

/* Adds the counts of a profile, times weight. AN_MISMATCH: it does not fit, and nothing was changed. */
enum an_code an_yaml_join(struct yaml_join *join, const struct an_yaml_profile *with,
                          uint64_t weight, struct an_error *error);

/* Puts the functions into their order and gives the profile away. */
struct an_yaml_profile *an_yaml_join_end(struct yaml_join *join);
void an_yaml_join_free(struct yaml_join *join);

#endif
