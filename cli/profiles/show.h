/* anneal show, for those that have a profile in memory. */
#ifndef AN_CLI_PROFILES_SHOW_H
#define AN_CLI_PROFILES_SHOW_H

/* anneal show, of a profile that is called otherwise than its file. argv[0] is no option. */
int show_as(const char *name, int argc, char **argv);

#endif
