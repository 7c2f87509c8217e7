/* Watching processes; see process_watch.h. */
#include "support/process_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "support/build_id.h"

enum { LONGEST_PATH = 4096, MOST_RUNNING = 256 };

struct task {
    pid_t tid;
    bool seen; /* in this look */
};

struct process {
    pid_t pid;
    bool alive;
    char *maps; /* the text of /proc/PID/maps */
    char exe[LONGEST_PATH];
    struct task *tasks;
    size_t task_number;
};

struct process_watch {
    struct perf_writer *writer;
    bool follow_forks;
    struct process *processes;
    size_t process_number;
    struct perf_thread running[MOST_RUNNING];
    size_t running_number;
};

/* ---- files of /proc ---- */

/* The text of a file, which belongs to the caller; NULL when it cannot be read. */
static char *read_text(const char *format, ...)
{
    char path[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = 0, capacity = 1 << 14;
    char *text = fd >= 0 ? malloc(capacity) : NULL;
    ssize_t got = 0;
    while (text && (got = read(fd, text + size, capacity - size - 1)) > 0) {
        size += (size_t)got;
        if (capacity - size < 4096) {
            char *larger = realloc(text, capacity *= 2);
            if (!larger)
                free(text);
            text = larger;
        }
    }
    if (fd >= 0)
        close(fd);
    if (text && got < 0) {
        free(text);
        return NULL;
    }
    if (text)
        text[size] = '\0';
    return text;
}

/* Name, state and parent of a thread; false when it is gone. */
static bool read_stat(pid_t pid, pid_t tid, char name[17], char *state, pid_t *parent)
{
    char *text = read_text("/proc/%d/task/%d/stat", pid, tid);
    char *open = text ? strchr(text, '(') : NULL, *close = text ? strrchr(text, ')') : NULL;
    bool good = open && close && sscanf(close + 1, " %c %d", state, parent) == 2;
    if (good)
        snprintf(name, 17, "%.*s", (int)(close - open - 1), open + 1);
    free(text);
    return good;
}

/* Calls a function for each number that is a name in a folder. */
static bool each_number(const char *folder, void (*call)(void *, pid_t), void *context)
{
    DIR *stream = opendir(folder);
    if (!stream)
        return false;
    for (struct dirent *entry; (entry = readdir(stream));) {
        pid_t number = (pid_t)atoi(entry->d_name);
        if (number > 0)
            call(context, number);
    }
    closedir(stream);
    return true;
}

/* ---- mappings ---- */

/* A line of /proc/PID/maps that is executable; the path is a part of the line. */
static bool parse_mapping(char *line, struct perf_mapping *mapping)
{
    unsigned long long start, end, offset, inode;
    char permissions[5];
    int path_at = 0;
    if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, permissions, &offset,
               &mapping->major, &mapping->minor, &inode, &path_at) < 7 ||
        permissions[2] != 'x')
        return false;
    mapping->start = start;
    mapping->size = end - start;
    mapping->offset = offset;
    mapping->inode = inode;
    mapping->path = path_at && line[path_at] ? line + path_at : "//anon";
    return true;
}

static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = text; at && (at = strstr(at, line)); at++)
        if ((at == text || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
            return true;
    return false;
}

static void write_mappings(struct process_watch *watch, struct process *process, char *maps,
                           uint64_t time)
{
    struct perf_thread thread = {process->pid, process->pid};
    struct perf_mapping mapping;
    char *copy = strdup(maps), *rest = copy;
    for (char *line; copy && (line = strsep(&rest, "\n"));)
        if (!has_line(process->maps, line) && parse_mapping(line, &mapping))
            perf_write_mmap(watch->writer, time, thread, &mapping);
    free(copy);
}

/* The program that a process runs, when it is another than before. */
static void note_program(struct process_watch *watch, struct process *process, uint64_t time)
{
    char link[64], exe[LONGEST_PATH], name[17], state;
    uint8_t id[LONGEST_BUILD_ID];
    pid_t parent;
    snprintf(link, sizeof link, "/proc/%d/exe", process->pid);
    ssize_t length = readlink(link, exe, sizeof exe - 1);
    if (length <= 0)
        return;
    exe[length] = '\0';
    if (strcmp(exe, process->exe) == 0 ||
        !read_stat(process->pid, process->pid, name, &state, &parent))
        return;
    memcpy(process->exe, exe, (size_t)length + 1);
    perf_write_comm(watch->writer, time, (struct perf_thread){process->pid, process->pid}, name,
                    true);
    perf_write_build_id(watch->writer, exe, id, build_id_of(link, id));
}

static struct process *find_process(const struct process_watch *watch, pid_t pid)
{
    for (size_t i = 0; i < watch->process_number; i++)
        if (watch->processes[i].pid == pid && watch->processes[i].alive)
            return &watch->processes[i];
    return NULL;
}

void process_watch_mappings(struct process_watch *watch, pid_t pid, uint64_t time)
{
    struct process *process = find_process(watch, pid);
    char *maps = process ? read_text("/proc/%d/maps", pid) : NULL;
    if (maps && *maps && (!process->maps || strcmp(maps, process->maps) != 0)) {
        note_program(watch, process, time);
        write_mappings(watch, process, maps, time);
        free(process->maps);
        process->maps = maps;
    } else {
        free(maps);
    }
}

/* ---- threads and children ---- */

struct look {
    struct process_watch *watch;
    pid_t pid;
    uint64_t time;
};

static struct task *find_task(const struct process *process, pid_t tid)
{
    for (size_t i = 0; i < process->task_number; i++)
        if (process->tasks[i].tid == tid)
            return &process->tasks[i];
    return NULL;
}

static struct task *add_task(struct process *process, pid_t tid)
{
    struct task *tasks = realloc(process->tasks, (process->task_number + 1) * sizeof *tasks);
    if (!tasks)
        return NULL;
    process->tasks = tasks;
    tasks[process->task_number] = (struct task){tid, true};
    return &tasks[process->task_number++];
}

static void look_at_task(void *context, pid_t tid)
{
    struct look *look = context;
    struct process_watch *watch = look->watch;
    struct process *process = find_process(watch, look->pid);
    struct perf_thread thread = {look->pid, tid}, leader = {look->pid, look->pid};
    char name[17], state;
    pid_t parent;
    if (!process || !read_stat(look->pid, tid, name, &state, &parent) || state == 'Z')
        return;
    struct task *task = find_task(process, tid);
    if (!task && (task = add_task(process, tid)) && tid != look->pid) {
        perf_write_fork(watch->writer, look->time, thread, leader);
        perf_write_comm(watch->writer, look->time, thread, name, false);
    }
    if (task)
        task->seen = true;
    if (state == 'R' && watch->running_number < MOST_RUNNING)
        watch->running[watch->running_number++] = thread;
}

/* Threads that have ended are forgotten: their number may be used again. */
static void look_at_tasks(struct process_watch *watch, struct process *process, uint64_t time)
{
    struct look look = {watch, process->pid, time};
    char folder[64];
    size_t kept = 0;
    for (size_t i = 0; i < process->task_number; i++)
        process->tasks[i].seen = false;
    snprintf(folder, sizeof folder, "/proc/%d/task", process->pid);
    each_number(folder, look_at_task, &look);
    for (size_t i = 0; i < process->task_number; i++)
        if (process->tasks[i].seen)
            process->tasks[kept++] = process->tasks[i];
    process->task_number = kept;
    process->alive = kept > 0;
}

/* Until it runs another program, a child has what its parent has; perf knows. */
static void inherit(struct process *child, const struct process *parent)
{
    memcpy(child->exe, parent->exe, sizeof child->exe);
    child->maps = parent->maps ? strdup(parent->maps) : NULL;
}

static void look_at_process(void *context, pid_t pid)
{
    struct look *look = context;
    struct process_watch *watch = look->watch;
    char name[17], state;
    pid_t parent;
    if (find_process(watch, pid) || !read_stat(pid, pid, name, &state, &parent) ||
        !find_process(watch, parent) || !process_watch_add(watch, pid))
        return;
    inherit(find_process(watch, pid), find_process(watch, parent));
    perf_write_fork(watch->writer, look->time, (struct perf_thread){pid, pid},
                    (struct perf_thread){parent, parent});
    process_watch_mappings(watch, pid, look->time);
}

void process_watch_tasks(struct process_watch *watch, uint64_t time)
{
    watch->running_number = 0;
    if (watch->follow_forks)
        each_number("/proc", look_at_process, &(struct look){watch, 0, time});
    for (size_t i = 0; i < watch->process_number; i++)
        if (watch->processes[i].alive)
            look_at_tasks(watch, &watch->processes[i], time);
}

/* The look takes its time: the thread may have gone to sleep since. */
struct perf_thread process_watch_pick(const struct process_watch *watch, uint64_t random)
{
    static const struct perf_thread none;
    char name[17], state;
    pid_t parent;
    if (watch->running_number == 0)
        return none;
    struct perf_thread thread = watch->running[random % watch->running_number];
    if (!read_stat(thread.pid, thread.tid, name, &state, &parent) || state != 'R')
        return none;
    return thread;
}

bool process_watch_any(const struct process_watch *watch)
{
    for (size_t i = 0; i < watch->process_number; i++)
        if (watch->processes[i].alive)
            return true;
    return false;
}

/* ---- the whole ---- */

bool process_watch_add(struct process_watch *watch, pid_t pid)
{
    size_t number = watch->process_number;
    struct process *processes = realloc(watch->processes, (number + 1) * sizeof *processes);
    if (!processes)
        return false;
    watch->processes = processes;
    processes[number] = (struct process){.pid = pid, .alive = true};
    watch->process_number++;
    return true;
}

struct process_watch *process_watch_new(struct perf_writer *writer, bool follow_forks)
{
    struct process_watch *watch = calloc(1, sizeof *watch);
    if (watch) {
        watch->writer = writer;
        watch->follow_forks = follow_forks;
    }
    return watch;
}

void process_watch_free(struct process_watch *watch)
{
    for (size_t i = 0; watch && i < watch->process_number; i++) {
        free(watch->processes[i].maps);
        free(watch->processes[i].tasks);
    }
    if (watch)
        free(watch->processes);
    free(watch);
}
