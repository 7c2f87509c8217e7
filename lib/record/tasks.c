/* Watching processes; see tasks.h. */
#include "record/tasks.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/vector.h"
#include "record/build_id.h"
#include "record/proc.h"
#include "record/random.h"

/* Files are kept open for so many threads, as a process may not have many; the others' are opened
 * each time. */
enum { MOST_OPEN = 512, LONGEST_PATH = 4096, LOOKS_PER_MAPPINGS = 10 };

struct mapping { /* that is executable, and was written */
    uint64_t start, size, offset, inode;
};

struct process {
    int32_t pid;
    uint64_t start; /* when it was started */
    clockid_t clock;
    uint64_t run_before, run; /* on its clock: when it was first seen, and now */
    char *program;            /* the file that it runs */
    struct {
        AN_VECTOR(struct mapping);
    } mappings;
    uint64_t vvar, vdso;
    uint64_t links; /* of its folder of threads, which has one for each */
};

struct thread {
    struct an_perf_thread id;
    int stat, schedule; /* open files, or -1 */
    uint64_t ran;       /* CPU time at the last look */
    bool seen;
};

struct an_tasks {
    struct an_perf_writer *writer;
    bool children, failed; /* failed: no memory */
    bool stale;            /* a thread was not there any more */
    uint64_t run_of_ended;
    uint64_t threads_seen, processes_seen;
    size_t open_files;
    int picked;    /* the schedstat of the thread that was picked last, or -1 */
    uint64_t time; /* of the present look */
    unsigned looks;
    struct {
        AN_VECTOR(struct process);
    } processes;
    struct {
        AN_VECTOR(struct thread);
    } threads;             /* of all processes; first those that are active */
    size_t active;         /* so many; the others have not run between the last two looks */
    struct an_map numbers; /* of threads, by tid; during a look */
};

static struct process *find(const struct an_tasks *tasks, int32_t pid)
{
    for (size_t i = 0; i < tasks->processes.count; i++)
        if (tasks->processes.items[i].pid == pid)
            return &tasks->processes.items[i];
    return NULL;
}

static struct an_perf_thread leader_of(const struct process *process)
{
    return (struct an_perf_thread){process->pid, process->pid};
}

/* ---- mappings ---- */

/* The file that is mapped, if it is still the one of that name. */
static int open_mapped(const struct process *process, const struct an_perf_mapping *mapping)
{
    char path[LONGEST_PATH + 32];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/root%s", process->pid, mapping->path);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && fstat(file, &status) == 0 && status.st_ino == mapping->inode)
        return file;
    if (file >= 0)
        close(file);
    if (!process->program || strcmp(process->program, mapping->path) != 0)
        return -1;
    snprintf(path, sizeof path, "/proc/%d/exe", process->pid); /* even when it was deleted */
    return open(path, O_RDONLY | O_CLOEXEC);
}

static void write_build_id(struct an_tasks *tasks, const struct process *process,
                           const struct an_perf_mapping *mapping)
{
    uint8_t id[AN_BUILD_ID_MOST];
    if (mapping->path[0] != '/' || mapping->path[1] == '/')
        return;
    int file = open_mapped(process, mapping);
    if (file < 0)
        return;
    size_t size = an_build_id_read(file, id);
    close(file);
    if (size)
        an_perf_writer_build_id(tasks->writer, mapping->path, (struct an_bytes){id, size});
}

static bool was_written(const struct process *process, const struct mapping *mapping)
{
    for (size_t i = 0; i < process->mappings.count; i++)
        if (memcmp(&process->mappings.items[i], mapping, sizeof *mapping) == 0)
            return true;
    return false;
}

/* A line of the process's map. Those that are executable get into `now`. */
static void take_line(struct an_tasks *tasks, struct process *process, struct process *now,
                      char *line)
{
    struct an_perf_mapping mapping;
    if (!an_proc_mapping(line, &mapping))
        return;
    if (strcmp(mapping.path, "[vvar]") == 0)
        now->vvar = mapping.start;
    if (strcmp(mapping.path, "[vdso]") == 0)
        now->vdso = mapping.start;
    if (!(mapping.protection & PROT_EXEC))
        return;
    struct mapping key = {mapping.start, mapping.size, mapping.offset, mapping.inode};
    if (!was_written(process, &key)) {
        an_perf_writer_mmap(tasks->writer, tasks->time, leader_of(process), &mapping);
        write_build_id(tasks, process, &mapping);
    }
    struct mapping *kept = an_vector_push(&now->mappings);
    if (kept)
        *kept = key;
    else
        tasks->failed = true;
}

/* The program that a process runs, when it is another than before: nothing is mapped any more. */
static void look_at_program(struct an_tasks *tasks, struct process *process)
{
    char link[64], path[LONGEST_PATH];
    struct an_proc_stat stat;
    snprintf(link, sizeof link, "/proc/%d/exe", process->pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    if ((process->program && strcmp(process->program, path) == 0) ||
        !an_proc_stat(process->pid, 0, &stat))
        return;
    an_perf_writer_comm(tasks->writer, tasks->time, leader_of(process), stat.name, true);
    process->mappings.count = 0;
    free(process->program);
    process->program = an_alloc((size_t)length + 1, 1);
    if (process->program)
        memcpy(process->program, path, (size_t)length + 1);
    else
        tasks->failed = true;
}

static void look_at_mappings(struct an_tasks *tasks, struct process *process)
{
    struct an_buffer text;
    struct process now = {0};
    if (!an_proc_text(process->pid, "maps", &text)) {
        tasks->failed |= text.failed;
        return;
    }
    look_at_program(tasks, process);
    char *rest = (char *)text.data;
    for (char *line; (line = strsep(&rest, "\n"));)
        take_line(tasks, process, &now, line);
    an_buffer_free(&text);
    an_vector_free(&process->mappings);
    process->mappings.items = now.mappings.items;
    process->mappings.count = now.mappings.count;
    process->mappings.capacity = now.mappings.capacity;
    process->vvar = now.vvar;
    process->vdso = now.vdso;
}

void an_tasks_look_at_mappings(struct an_tasks *tasks, int32_t pid, uint64_t time)
{
    struct process *process = find(tasks, pid);
    tasks->time = time;
    if (process)
        look_at_mappings(tasks, process);
}

bool an_tasks_knows(const struct an_tasks *tasks, int32_t pid, uint64_t address)
{
    const struct process *process = find(tasks, pid);
    for (size_t i = 0; process && i < process->mappings.count; i++)
        if (address - process->mappings.items[i].start < process->mappings.items[i].size)
            return true;
    return false;
}

void an_tasks_vvar(const struct an_tasks *tasks, int32_t pid, uint64_t *start, uint64_t *end)
{
    const struct process *process = find(tasks, pid);
    bool known = process && process->vvar && process->vvar < process->vdso;
    *start = known ? process->vvar : 0;
    *end = known ? process->vdso : 0;
}

/* ---- threads ---- */

/* Made anew for each look, since picking changes the order. */
static void number_threads(struct an_tasks *tasks)
{
    an_map_free(&tasks->numbers);
    for (size_t i = 0; i < tasks->threads.count; i++) {
        uint64_t *number = an_map_insert(&tasks->numbers, (uint64_t)tasks->threads.items[i].id.tid,
                                         &(bool){false});
        if (number)
            *number = i;
        else
            tasks->failed = true;
    }
}

static struct thread *find_thread(const struct an_tasks *tasks, int32_t tid)
{
    const uint64_t *number = an_map_find(&tasks->numbers, (uint64_t)tid);
    return number ? &tasks->threads.items[*number] : NULL;
}

struct look {
    struct an_tasks *tasks;
    int32_t pid;
    bool alive;
};

static void open_files(struct an_tasks *tasks, struct thread *thread)
{
    if (tasks->open_files >= MOST_OPEN)
        return;
    tasks->open_files++;
    thread->stat = an_proc_open(thread->id.pid, thread->id.tid, "stat");
    thread->schedule = an_proc_open(thread->id.pid, thread->id.tid, "schedstat");
}

static void close_files(struct an_tasks *tasks, const struct thread *thread)
{
    tasks->open_files -= thread->stat >= 0 || thread->schedule >= 0;
    if (thread->stat >= 0)
        close(thread->stat);
    if (thread->schedule >= 0)
        close(thread->schedule);
}

static void look_at_thread(void *context, int32_t tid)
{
    struct look *look = context;
    struct an_tasks *tasks = look->tasks;
    struct an_perf_thread id = {look->pid, tid}, leader = {look->pid, look->pid};
    struct an_proc_stat stat;
    struct thread *thread = find_thread(tasks, tid);
    if (thread && thread->id.pid == look->pid && tid != look->pid) {
        thread->seen = look->alive = true;
        return;
    }
    if (!an_proc_stat(look->pid, tid, &stat) || stat.state == 'Z' || stat.state == 'X')
        return;
    look->alive = true;
    if (!thread) {
        thread = an_vector_push(&tasks->threads);
        if (!thread) {
            tasks->failed = true;
            return;
        }
        *thread = (struct thread){.id = id, .stat = -1, .schedule = -1};
        open_files(tasks, thread);
        tasks->threads_seen++;
        if (tid != look->pid) {
            an_perf_writer_fork(tasks->writer, tasks->time, id, leader);
            an_perf_writer_comm(tasks->writer, tasks->time, id, stat.name, false);
        }
    }
    thread->seen = true;
}

static void drop_thread(struct an_tasks *tasks, size_t index)
{
    struct thread *thread = &tasks->threads.items[index];
    close_files(tasks, thread);
    *thread = tasks->threads.items[--tasks->threads.count];
}

static void drop_unseen_threads(struct an_tasks *tasks)
{
    for (size_t i = 0; i < tasks->threads.count;) {
        struct thread *thread = &tasks->threads.items[i];
        if (thread->seen) {
            i++;
            continue;
        }
        struct an_perf_thread leader = {thread->id.pid, thread->id.pid};
        an_perf_writer_exit(tasks->writer, tasks->time, thread->id, leader);
        drop_thread(tasks, i);
    }
}

/* Whether a thread has run since the last look; when it cannot be told, or is new, it may have. */
static bool is_active(struct thread *thread)
{
    uint64_t before = thread->ran, delay;
    return thread->schedule < 0 || !an_proc_schedule(thread->schedule, &thread->ran, &delay) ||
           before == 0 || thread->ran != before;
}

/* Of hundreds of threads that wait for something, none has to be asked whether it runs now. */
static void sort_by_activity(struct an_tasks *tasks)
{
    tasks->active = 0;
    for (size_t i = 0; i < tasks->threads.count; i++)
        if (is_active(&tasks->threads.items[i])) {
            struct thread active = tasks->threads.items[i];
            tasks->threads.items[i] = tasks->threads.items[tasks->active];
            tasks->threads.items[tasks->active++] = active;
        }
}

static uint64_t count_links(const struct process *process)
{
    char folder[64];
    struct stat status;
    snprintf(folder, sizeof folder, "/proc/%d/task", process->pid);
    return stat(folder, &status) == 0 ? status.st_nlink : 0;
}

bool an_tasks_changed(const struct an_tasks *tasks)
{
    for (size_t i = 0; i < tasks->processes.count; i++)
        if (count_links(&tasks->processes.items[i]) != tasks->processes.items[i].links)
            return true;
    return tasks->stale;
}

static void look_at_threads(struct an_tasks *tasks)
{
    char folder[64];
    tasks->stale = false;
    number_threads(tasks);
    for (size_t i = 0; i < tasks->threads.count; i++)
        tasks->threads.items[i].seen = false;
    for (size_t i = 0; i < tasks->processes.count; i++) {
        struct look look = {tasks, tasks->processes.items[i].pid, false};
        tasks->processes.items[i].links = count_links(&tasks->processes.items[i]);
        snprintf(folder, sizeof folder, "/proc/%d/task", look.pid);
        an_proc_each(folder, look_at_thread, &look);
        if (!look.alive)
            tasks->processes.items[i].start = 0; /* marks it */
    }
    drop_unseen_threads(tasks);
    sort_by_activity(tasks);
}

/* ---- processes ---- */

static uint64_t clock_now(clockid_t clock)
{
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static struct process *add_process(struct an_tasks *tasks, int32_t pid, uint64_t start)
{
    clockid_t clock;
    struct process *process;
    if (clock_getcpuclockid(pid, &clock) != 0)
        return NULL;
    process = an_vector_push(&tasks->processes);
    if (!process) {
        tasks->failed = true;
        return NULL;
    }
    uint64_t now = clock_now(clock);
    *process =
        (struct process){.pid = pid, .start = start, .clock = clock, .run_before = now, .run = now};
    tasks->processes_seen++;
    return process;
}

static void free_process(struct process *process)
{
    free(process->program);
    an_vector_free(&process->mappings);
}

static void drop_ended_processes(struct an_tasks *tasks)
{
    for (size_t i = 0; i < tasks->processes.count;) {
        struct process *process = &tasks->processes.items[i];
        if (process->start) {
            i++;
            continue;
        }
        tasks->run_of_ended += process->run - process->run_before;
        free_process(process);
        *process = tasks->processes.items[--tasks->processes.count];
    }
}

/* Until it runs another program, a child has what its parent has; readers know. */
static void inherit(struct an_tasks *tasks, struct process *child, const struct process *parent)
{
    if (parent->program && !(child->program = strdup(parent->program)))
        tasks->failed = true;
    for (size_t i = 0; i < parent->mappings.count; i++) {
        struct mapping *copy = an_vector_push(&child->mappings);
        if (copy)
            *copy = parent->mappings.items[i];
        else
            tasks->failed = true;
    }
}

/* A process of the machine: perhaps a child of one that is watched. */
static void look_at_process(void *context, int32_t pid)
{
    struct an_tasks *tasks = context;
    struct an_proc_stat stat;
    struct process *child;
    if (find(tasks, pid) || !an_proc_stat(pid, 0, &stat) || stat.state == 'Z' ||
        !find(tasks, stat.parent) || !(child = add_process(tasks, pid, stat.start)))
        return;
    const struct process *parent = find(tasks, stat.parent);
    inherit(tasks, child, parent);
    an_perf_writer_fork(tasks->writer, tasks->time, leader_of(child), leader_of(parent));
    look_at_mappings(tasks, child);
}

/* Children that come before their parents in the list are found by the next look. */
static void look_at_processes(struct an_tasks *tasks)
{
    if (tasks->children)
        an_proc_each("/proc", look_at_process, tasks);
    if (tasks->looks++ % LOOKS_PER_MAPPINGS == 0) /* they are long, and seldom new */
        for (size_t i = 0; i < tasks->processes.count; i++)
            look_at_mappings(tasks, &tasks->processes.items[i]);
}

bool an_tasks_look(struct an_tasks *tasks, uint64_t time)
{
    tasks->time = time;
    tasks->picked = -1;
    an_tasks_run_time(tasks);
    look_at_processes(tasks);
    look_at_threads(tasks);
    drop_ended_processes(tasks);
    return tasks->processes.count > 0 && !tasks->failed;
}

uint64_t an_tasks_run_time(struct an_tasks *tasks)
{
    uint64_t sum = tasks->run_of_ended;
    for (size_t i = 0; i < tasks->processes.count; i++) {
        struct process *process = &tasks->processes.items[i];
        uint64_t now = clock_now(process->clock);
        if (now > process->run)
            process->run = now;
        sum += process->run - process->run_before;
    }
    return sum;
}

/* ---- choosing ---- */

/* 0 when it is gone */
static char state_of(const struct thread *thread)
{
    struct an_proc_stat stat;
    if (thread->stat >= 0)
        return an_proc_state(thread->stat);
    return an_proc_stat(thread->id.pid, thread->id.tid, &stat) ? stat.state : 0;
}

static bool is_running(struct an_tasks *tasks, const struct thread *thread)
{
    char state = state_of(thread);
    tasks->stale |= state == 0;
    return state == 'R';
}

/* In random order, until one runs: each of those that do has the same chance. */
struct an_perf_thread an_tasks_pick(struct an_tasks *tasks, uint64_t *random,
                                    bool (*skip)(void *context, int32_t tid), void *context)
{
    static const struct an_perf_thread none;
    for (size_t i = 0; i < tasks->active; i++) {
        size_t other = i + an_random_below(random, tasks->active - i);
        struct thread chosen = tasks->threads.items[other];
        tasks->threads.items[other] = tasks->threads.items[i];
        tasks->threads.items[i] = chosen;
        if (!skip(context, chosen.id.tid) && is_running(tasks, &chosen)) {
            tasks->picked = chosen.schedule;
            return chosen.id;
        }
    }
    tasks->picked = -1;
    return none;
}

uint64_t an_tasks_delay(const struct an_tasks *tasks)
{
    uint64_t ran, delay;
    bool known = tasks->picked >= 0 && an_proc_schedule(tasks->picked, &ran, &delay);
    return known ? delay : 0;
}

/* ---- the whole ---- */

uint64_t an_tasks_threads(const struct an_tasks *tasks)
{
    return tasks->threads_seen;
}

uint64_t an_tasks_processes(const struct an_tasks *tasks)
{
    return tasks->processes_seen;
}

enum an_code an_tasks_open(int32_t pid, bool children, struct an_perf_writer *writer,
                           struct an_tasks **out, struct an_error *error)
{
    struct an_proc_stat stat;
    *out = NULL;
    if (!an_proc_stat(pid, 0, &stat) || stat.state == 'Z' || stat.state == 'X') {
        an_fail(error, AN_USAGE, "there is no process %d", pid);
        return an_error_hint(error, "it may have ended; pgrep finds processes by name");
    }
    struct an_tasks *tasks = an_alloc_zero(1, sizeof *tasks);
    if (!tasks)
        return an_fail_memory(error);
    tasks->writer = writer;
    tasks->children = children;
    add_process(tasks, pid, stat.start);
    an_tasks_look(tasks, 0);
    if (tasks->failed) {
        an_tasks_free(tasks);
        return an_fail_memory(error);
    }
    *out = tasks;
    return AN_OK;
}

void an_tasks_free(struct an_tasks *tasks)
{
    if (!tasks)
        return;
    for (size_t i = 0; i < tasks->processes.count; i++)
        free_process(&tasks->processes.items[i]);
    while (tasks->threads.count)
        drop_thread(tasks, tasks->threads.count - 1);
    an_vector_free(&tasks->processes);
    an_vector_free(&tasks->threads);
    an_map_free(&tasks->numbers);
    free(tasks);
}
