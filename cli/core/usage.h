/* Text for people to read on a terminal, as helps have it. */
#ifndef AN_CLI_CORE_USAGE_H
#define AN_CLI_CORE_USAGE_H

/* Prints text in lines that fit, all but the first one indented; `column`: where the first one begins. */
void usage_wrap(const char *text, int column, int indent);

/* Prints paragraphs, which are separated by empty lines. */
void usage_paragraphs(const char *text);

#endif
