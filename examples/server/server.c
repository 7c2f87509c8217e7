/* SPDX-License-Identifier: Apache-2.0
 *
 * server.c - the interpreter as a server: runs scripts for clients, in several
 * threads, each of which serves one client at a time.  The scripts are those
 * that translate.c has translated to C; each thread has a machine for each,
 * and keeps it.
 *
 * A request is a line "NAME SIZE NAME SIZE...": names of scripts without their
 * ".txt", and sizes for them.  The answer is a line "ok LENGTH" or "error
 * LENGTH", and then so many bytes: what the scripts printed, or what went
 * wrong.  The name "count" stands for the number of requests answered so far.
 */
#define OPERATION __attribute__((unused)) static
#include "native.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    SCRIPTS_MAX = 64, NAME_MAX_LEN = 31, SOURCE_MAX = 1 << 20, LINE_MAX_LEN = 1000,
    SIZE_MAX_ASKED = 1000 * 1000, THREADS_MAX = 64
};

typedef struct Script {
    char name[NAME_MAX_LEN + 1];
    char *source;
} Script;

static Script scripts[SCRIPTS_MAX];
static size_t script_count;
static int listener;
static atomic_long answered;

static void die(const char *what)
{
    fprintf(stderr, "server: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void load_script(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    Script *script = &scripts[script_count++];
    FILE *file = fopen(path, "rb");

    if (file == NULL || (script->source = calloc(1, SOURCE_MAX + 1)) == NULL)
        die(path);
    snprintf(script->name, sizeof script->name, "%.*s",
             (int)strcspn(name, "."), name);
    if (fread(script->source, 1, SOURCE_MAX, file) == 0 || ferror(file))
        die(path);
    fclose(file);
}

static void link_one(const Script *script, Function *f)
{
    for (const Native *native = natives; native->script != NULL; native++) {
        if (strcmp(native->script, script->name) == 0
            && strcmp(native->function, f->name->text) == 0)
            f->native = native->run;
    }
}

static void link_native(Vm *vm, const Script *script, Function *compiled)
{
    link_one(script, compiled);
    for (int i = 0; i < vm->global_count; i++) {
        if (vm->globals[i].tag == TAG_FUNCTION)
            link_one(script, vm->globals[i].as.function);
    }
}

/* A machine with a script in it that is ready to run. */
static Vm *prepare(const Script *script)
{
    Vm *vm = calloc(1, sizeof *vm);

    if (vm == NULL)
        die("memory");
    vm->gc_interval = 1 << 16;
    vm->end = vm->stack;
    vm->gc_paused = true;
    vm->global_names = heap_alloc(vm, sizeof(Map), TAG_MAP);
    builtins_install(vm);
    global_slot(vm, "size", 4);
    Function *compiled = compile(vm, script->name, script->source);
    if (compiled == NULL)
        exit(1);
    link_native(vm, script, compiled);
    *vm->end++ = object_value(compiled);
    return vm;
}

static bool run_script(Vm *vm, int64_t size, FILE *out)
{
    Value script = vm->stack[0];

    vm->out = out;
    vm->globals[global_slot(vm, "size", 4)] = INT_VALUE(size);
    bool ok = call(vm, vm->stack, 0);
    if (!ok)
        fprintf(out, "%s\n", vm->error);
    vm->stack[0] = script;
    vm->end = vm->stack + 1;
    vm->depth = 0;
    return ok;
}

static bool answer_one(Vm **machines, const char *name, long long size,
                       FILE *out)
{
    if (strcmp(name, "count") == 0)
        return fprintf(out, "%ld\n", (long)answered) > 0;
    for (size_t i = 0; i < script_count; i++) {
        if (strcmp(name, scripts[i].name) == 0)
            return run_script(machines[i], size, out);
    }
    fprintf(out, "there is no script %s\n", name);
    return false;
}

static bool answer(Vm **machines, const char *line, FILE *out)
{
    char name[NAME_MAX_LEN + 1];
    long long size;
    int len;

    while (sscanf(line, "%31s %lld %n", name, &size, &len) == 2 && size >= 0
           && size <= SIZE_MAX_ASKED) {
        if (!answer_one(machines, name, size, out))
            return false;
        line += len;
    }
    if (*line == '\0')
        return true;
    fprintf(out, "a request is made of names and sizes\n");
    return false;
}

/* Answers one line; false when the client has gone away. */
static bool serve_line(Vm **machines, const char *line, FILE *to)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL)
        die("open_memstream");
    bool ok = answer(machines, line, out);
    if (fclose(out) != 0)
        die("memory");
    fprintf(to, "%s %zu\n", ok ? "ok" : "error", len);
    fwrite(text, 1, len, to);
    free(text);
    answered++;
    return fflush(to) == 0;
}

static void *work(void *unused)
{
    Vm *machines[SCRIPTS_MAX];

    (void)unused;
    for (size_t i = 0; i < script_count; i++)
        machines[i] = prepare(&scripts[i]);
    for (;;) {
        char line[LINE_MAX_LEN];
        int client = accept(listener, NULL, NULL);
        if (client < 0)
            die("accept");
        FILE *from = fdopen(client, "r"), *to = fdopen(dup(client), "w");
        if (from == NULL || to == NULL)
            die("fdopen");
        while (fgets(line, sizeof line, from) != NULL
               && serve_line(machines, line, to))
            ;
        fclose(from);
        fclose(to);
    }
    return NULL;
}

static void listen_at(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        die(path);
    }
    strcpy(address.sun_path, path);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listener < 0
        || bind(listener, (struct sockaddr *)&address, sizeof address) != 0
        || listen(listener, THREADS_MAX) != 0)
        die(path);
}

int main(int argc, char **argv)
{
    int threads = argc > 3 ? atoi(argv[2]) : 0;
    int seconds = argc > 3 ? atoi(argv[3]) : 0;

    if (argc < 5 || argc > 4 + SCRIPTS_MAX || threads < 1
        || threads > THREADS_MAX || seconds < 1) {
        fprintf(stderr, "usage: server SOCKET THREADS SECONDS SCRIPT...\n"
                        "  ends after SECONDS, if nobody ends it before\n");
        return 2;
    }
    for (int i = 4; i < argc; i++)
        load_script(argv[i]);
    signal(SIGPIPE, SIG_IGN);
    /* Where only children may be traced, anneal may trace this one as well. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    listen_at(argv[1]);
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        if ((errno = pthread_create(&thread, NULL, work, NULL)) != 0)
            die("pthread_create");
    }
    sleep((unsigned)seconds);
    return 0;
}
