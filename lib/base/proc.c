/* Reading /proc; see proc.h. proc(5) describes the files. */
#include "base/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/foreign.h"
#include "base/memory.h"

/* ---- stat ---- */

/* "PID (NAME) STATE PARENT ...", where the name may have any character, parentheses too. */
static bool parse_stat(char *text, struct an_proc_stat *stat)
{
    char *name = strchr(text, '('), *end = strrchr(text, ')');
    unsigned long long start;
    if (!name || !end || end < name)
        return false;
    snprintf(stat->name, sizeof stat->name, "%.*s", (int)(end - name - 1), name + 1);
    /* fields 3, 4, 9, 20 and 22 */
    if (sscanf(end + 1,
               " %c %d %*s %*s %*s %*s %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %u %*s %llu",
               &stat->state, &stat->parent, &stat->flags, &stat->threads, &start) != 5)
        return false;
    stat->start = start;
    return true;
}

int an_proc_open(int32_t pid, int32_t tid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, tid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool an_proc_stat(int32_t pid, int32_t tid, struct an_proc_stat *stat)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int file = tid ? an_proc_open(pid, tid, "stat") : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size <= 0)
        return false;
    text[size] = '\0';
    return parse_stat(text, stat);
}

/*
 * Such threads have the flag PF_IO_WORKER (Linux 5.12) or PF_USER_WORKER (6.3), and block all signals but the two that
 * nobody can. These bits had other meanings once, for threads that do not block all signals.
 */
bool an_proc_is_of_kernel(int32_t pid, int32_t tid)
{
    enum { IO_WORKER = 0x10, USER_WORKER = 0x4000 };
    const uint64_t all_signals = ~((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1));
    struct an_proc_stat stat;
    struct an_buffer text;
    char name[64];
    snprintf(name, sizeof name, "task/%d/status", tid);
    if (!an_proc_stat(pid, tid, &stat) || !(stat.flags & (IO_WORKER | USER_WORKER)) ||
        !an_proc_text(pid, name, &text))
        return false;
    uint64_t blocked = an_proc_status_number((const char *)text.data, "\nSigBlk:", 16);
    an_buffer_free(&text);
    return blocked == all_signals;
}

bool an_proc_has_ended(const struct an_proc_stat *stat)
{
    enum { EXITING = 0x4 }; /* PF_EXITING */
    return stat->state == 'Z' || stat->state == 'X' || (stat->flags & EXITING);
}

bool an_proc_is_kernel_thread(const struct an_proc_stat *stat)
{
    enum { KERNEL_THREAD = 0x200000 }; /* PF_KTHREAD */
    return stat->flags & KERNEL_THREAD;
}

bool an_proc_lives(int32_t pid, int32_t tid)
{
    struct an_proc_stat stat;
    return an_proc_stat(pid, tid, &stat) && !an_proc_has_ended(&stat);
}

struct living {
    int32_t pid, tid;
};

static void take_first_living(void *context, int32_t tid)
{
    struct living *living = context;
    if (!living->tid && an_proc_lives(living->pid, tid) && !an_proc_is_of_kernel(living->pid, tid))
        living->tid = tid;
}

int32_t an_proc_living(int32_t pid)
{
    struct living living = {.pid = pid, .tid = an_proc_lives(pid, pid) ? pid : 0};
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/task", pid);
    if (!living.tid)
        an_proc_each(folder, take_first_living, &living);
    return living.tid;
}

enum an_code an_proc_check(int32_t pid, struct an_error *error)
{
    struct an_proc_stat stat;
    if (pid <= 0 || !an_proc_stat(pid, 0, &stat)) {
        an_fail(error, AN_USAGE, "no such process: %d", pid);
        return an_error_hint(error, "it may have ended; pgrep finds processes by name");
    }
    if (an_proc_is_kernel_thread(&stat))
        return an_fail(error, AN_USAGE, "process %d (%s) is a kernel thread", pid, stat.name);
    if (!an_proc_living(pid))
        return an_fail(error, AN_USAGE, "process %d (%s) has ended", pid, stat.name);
    return AN_OK;
}

/* Reads a short file from its beginning; false when there is nothing. */
static bool read_again(int file, char *text, size_t size)
{
    ssize_t got = pread(file, text, size - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* From one field to another one behind it; NULL when there are not so many. */
static const char *skip_fields(const char *field, int number)
{
    while (field && number--)
        if ((field = strchr(field, ' ')))
            field++;
    return field;
}

bool an_proc_now(int stat_file, struct an_proc_now *now)
{
    enum { STATE = 3, STACK = 28, PROCESSOR = 39 };
    char text[1024];
    if (!read_again(stat_file, text, sizeof text))
        return false;
    const char *name_end = strrchr(text, ')');
    const char *state = skip_fields(name_end, 1);
    const char *stack = skip_fields(state, STACK - STATE);
    const char *processor = skip_fields(stack, PROCESSOR - STACK);
    if (!processor)
        return false;
    *now = (struct an_proc_now){*state, atoi(processor), strtoull(stack, NULL, 10)};
    return true;
}

uint64_t an_proc_stack(int32_t pid)
{
    struct an_proc_now now = {0};
    int file = an_proc_open(pid, an_proc_living(pid), "stat");
    if (file < 0)
        return 0;
    bool known = an_proc_now(file, &now);
    close(file);
    return known ? now.stack : 0;
}

bool an_proc_is_still(int32_t pid, uint64_t start, uint64_t stack)
{
    struct an_proc_stat stat;
    return an_proc_stat(pid, 0, &stat) && stat.start == start && an_proc_living(pid) &&
           an_proc_stack(pid) == stack;
}

/* "RUN DELAY TIMESLICES" */
bool an_proc_schedule(int schedstat_file, uint64_t *ran, uint64_t *delay)
{
    char text[96], *end;
    if (!read_again(schedstat_file, text, sizeof text))
        return false;
    *ran = strtoull(text, &end, 10);
    *delay = strtoull(end, NULL, 10);
    return true;
}

bool an_proc_cpu_time(int32_t pid, uint64_t *nanoseconds)
{
    const uint64_t second = 1000000000;
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return false;
    *nanoseconds = (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
    return true;
}

bool an_proc_io(int io_file, struct an_proc_io *io)
{
    char text[512] = "\n";
    if (!read_again(io_file, text + 1, sizeof text - 1))
        return false;
    *io = (struct an_proc_io){
        .read = an_proc_status_number(text, "\nrchar:", 10),
        .written = an_proc_status_number(text, "\nwchar:", 10),
        .calls = an_proc_status_number(text, "\nsyscr:", 10) +
                 an_proc_status_number(text, "\nsyscw:", 10),
    };
    return true;
}

bool an_proc_waited(int stat_file, uint64_t *faults)
{
    enum { STATE = 3, MINOR = 11, MAJOR = 13 };
    char text[1024];
    if (!read_again(stat_file, text, sizeof text))
        return false;
    const char *minor = skip_fields(strrchr(text, ')'), 1 + MINOR - STATE);
    const char *major = skip_fields(minor, MAJOR - MINOR);
    if (!major)
        return false;
    *faults = strtoull(minor, NULL, 10) + strtoull(major, NULL, 10);
    return true;
}

/* "se.exec_start   :   MILLISECONDS.NANOSECONDS", the latter of six digits */
uint64_t an_proc_last_run(int32_t pid, int32_t tid)
{
    enum { MILLISECOND = 1000000 };
    static const char name[] = "se.exec_start";
    char text[1024], *end;
    int file = an_proc_open(pid, tid, "sched");
    bool read = file >= 0 && read_again(file, text, sizeof text);
    if (file >= 0)
        close(file);
    char *line = read ? strstr(text, name) : NULL, *colon = line ? strchr(line, ':') : NULL;
    if (!colon)
        return 0;
    uint64_t milliseconds = strtoull(colon + 1, &end, 10);
    return milliseconds * MILLISECOND + (*end == '.' ? strtoull(end + 1, NULL, 10) : 0);
}

/* "LOAD LOAD LOAD RUNNING/ALL NEWEST" */
bool an_proc_newest(int loadavg_file, uint64_t *number)
{
    char text[128];
    if (loadavg_file < 0 || !read_again(loadavg_file, text, sizeof text))
        return false;
    const char *last = strrchr(text, ' ');
    *number = last ? strtoull(last, NULL, 10) : 0;
    return last != NULL;
}

/* ---- folders and texts ---- */

bool an_proc_each(const char *folder, void (*call)(void *context, int32_t number), void *context)
{
    DIR *stream = opendir(folder);
    if (!stream)
        return false;
    for (struct dirent *entry; (entry = readdir(stream));) {
        char *end;
        long number = strtol(entry->d_name, &end, 10);
        if (number > 0 && number <= INT32_MAX && !*end)
            call(context, (int32_t)number);
    }
    closedir(stream);
    return true;
}

bool an_proc_text(int32_t pid, const char *name, struct an_buffer *text)
{
    enum { PIECE = 1 << 16 };
    char path[64];
    ssize_t got = -1;
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    *text = (struct an_buffer){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    char *piece = an_alloc(PIECE, 1);
    text->failed = !piece;
    while (piece && (got = read(file, piece, PIECE)) > 0)
        an_buffer_put(text, piece, (size_t)got);
    free(piece);
    close(file);
    an_buffer_put(text, "", 1);
    if (got == 0 && !text->failed && text->size > 1)
        return true;
    bool failed = text->failed;
    an_buffer_free(text);
    text->failed = failed;
    return false;
}

/* "PID PID PID " */
bool an_proc_children(int32_t pid, int32_t tid, void (*call)(void *context, int32_t child),
                      void *context)
{
    char name[64];
    struct an_buffer text;
    snprintf(name, sizeof name, "task/%d/children", tid);
    if (!an_proc_text(pid, name, &text))
        return !text.failed;
    char *rest = (char *)text.data;
    for (char *number; (number = strsep(&rest, " "));)
        if (*number)
            call(context, atoi(number));
    an_buffer_free(&text);
    return true;
}

bool an_proc_has_children(void)
{
    return access("/proc/thread-self/children", R_OK) == 0;
}

uint64_t an_proc_status_number(const char *status, const char *name, int base)
{
    const char *at = strstr(status, name);
    return at ? strtoull(at + strlen(name), NULL, base) : 0;
}

/* ---- memory ---- */

bool an_proc_read(int memory, uint64_t address, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(memory, (char *)to + done, size - done, (off_t)(address + done));
        if (got == 0)
            errno = ESRCH; /* it has no memory any more */
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* ---- mappings ---- */

/* "START-END rwxp OFFSET MAJOR:MINOR INODE   PATH" */
bool an_proc_mapping(char *line, struct an_proc_map *mapping)
{
    unsigned long long start, end, offset, inode;
    char access[5];
    int path = 0;
    if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, access, &offset,
               &mapping->major, &mapping->minor, &inode, &path) < 7 ||
        end < start)
        return false;
    mapping->start = start;
    mapping->size = end - start;
    mapping->offset = offset;
    mapping->inode = inode;
    mapping->protection = (access[0] == 'r' ? PROT_READ : 0) | (access[1] == 'w' ? PROT_WRITE : 0) |
                          (access[2] == 'x' ? PROT_EXEC : 0);
    mapping->flags = access[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
    mapping->path = path && line[path] ? line + path : "//anon";
    return true;
}

uint64_t an_proc_device(uint32_t major, uint32_t minor)
{
    return (uint64_t)makedev(major, minor);
}

int an_proc_open_mapped(int32_t pid, const char *path, uint64_t device, uint64_t inode)
{
    const struct an_foreign expected = {
        .most = AN_FOREIGN_BINARY, .device = device, .inode = inode};
    char name[PATH_MAX + 32];
    struct an_error ignored;
    if (path[0] != '/' || !inode ||
        snprintf(name, sizeof name, "/proc/%d/root%s", an_proc_living(pid), path) >=
            (int)sizeof name)
        return -1;
    int file = an_foreign_open(name, &expected, &ignored);
    return file >= 0 ? file : an_foreign_open(path, &expected, &ignored);
}
