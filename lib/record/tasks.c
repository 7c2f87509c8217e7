/* Watching processes; see tasks.h. */
#include "record/tasks.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/proc.h"
#include "base/vector.h"
#include "record/process_code.h"
#include "record/random.h"

/* Files are kept open for so many threads, as a process may not have many; the others' are opened
 * each time. */
enum { MOST_OPEN = 512, LOOKS_PER_IMAGE = 10, GENERATIONS = 8 };

/* Processors beyond that are not told apart; where a thread was seen so many looks ago counts. */
enum { MOST_CPUS = 4096, CPU_MEMORY = 16, CPUS_PER_LOOK = 64 };

struct process {
    int32_t pid;
    uint64_t start; /* when it was started; 0: it has ended */
    clockid_t clock;
    uint64_t run_before, run; /* on its clock: before it was watched, and now */
    uint64_t stack;           /* of the program that `image` describes */
    struct an_process_code image;
};

struct thread {
    struct an_perf_thread id;
    int stat, schedule; /* open files, or -1 */
    uint64_t ran;       /* CPU time at the last look */
    bool seen, active;  /* active: it has run between the last two looks, or is new */
};

struct an_tasks {
    struct an_perf_writer *writer;
    bool children, picks, failed; /* failed: no memory */
    bool lists_children;          /* the kernel does */
    bool stale;                   /* a thread was not there any more */
    int loadavg;                  /* an open file, or -1 */
    uint64_t newest;              /* the newest number of all threads at the last look */
    uint64_t opened;              /* when, in the unit of process.start */
    uint64_t run_of_ended;
    uint64_t threads_seen, processes_seen;
    size_t open_files;
    uint64_t time; /* of the present look */
    unsigned looks;
    unsigned seen_on[MOST_CPUS]; /* the number of the look since which a thread was seen there */
    size_t cpus;                 /* up to the last one of these */
    struct {
        AN_VECTOR(struct process);
    } processes;
    struct {
        AN_VECTOR(struct thread);
    } threads;             /* of all processes; first those that are active */
    size_t active;         /* so many */
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

/* ---- images ---- */

static void look_at_image(struct an_tasks *tasks, struct process *process, bool exec)
{
    tasks->failed |=
        !an_process_code_look(&process->image, process->pid, exec, tasks->time, tasks->writer);
}

void an_tasks_look_at_mappings(struct an_tasks *tasks, int32_t pid, uint64_t time)
{
    struct process *process = find(tasks, pid);
    tasks->time = time;
    if (process)
        look_at_image(tasks, process, false);
}

bool an_tasks_knows(const struct an_tasks *tasks, int32_t pid, uint64_t address)
{
    const struct process *process = find(tasks, pid);
    return process && an_process_code_knows(&process->image, address);
}

void an_tasks_vvar(const struct an_tasks *tasks, int32_t pid, uint64_t *start, uint64_t *end)
{
    const struct process *process = find(tasks, pid);
    bool known = process && process->image.vvar && process->image.vvar < process->image.vdso;
    *start = known ? process->image.vvar : 0;
    *end = known ? process->image.vdso : 0;
}

bool an_tasks_in_vdso(const struct an_tasks *tasks, int32_t pid, uint64_t address)
{
    const struct process *process = find(tasks, pid);
    return process && an_process_code_in_vdso(&process->image, address);
}

/* ---- threads ---- */

/* Made anew for each look, since the order changes. */
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
    const struct process *process;
    bool alive;
};

static void open_files(struct an_tasks *tasks, struct thread *thread)
{
    if (!tasks->picks || tasks->open_files >= MOST_OPEN)
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

static struct thread *add_thread(struct an_tasks *tasks, struct an_perf_thread id)
{
    struct thread *thread = an_vector_push(&tasks->threads);
    if (!thread) {
        tasks->failed = true;
        return NULL;
    }
    *thread = (struct thread){.id = id, .stat = -1, .schedule = -1, .active = true};
    open_files(tasks, thread);
    tasks->threads_seen++;
    return thread;
}

/* The first thread, too, may be gone while others go on, and be another process's by now. */
static bool is_alive(const struct process *process, int32_t tid, struct an_proc_stat *stat)
{
    return an_proc_stat(process->pid, tid, stat) && !an_proc_has_ended(stat) &&
           (tid != process->pid || stat->start == process->start);
}

static void look_at_thread(void *context, int32_t tid)
{
    struct look *look = context;
    struct an_tasks *tasks = look->tasks;
    struct an_perf_thread leader = leader_of(look->process), id = {leader.pid, tid};
    struct an_proc_stat stat;
    struct thread *thread = find_thread(tasks, tid);
    if (thread && thread->id.pid == id.pid && tid != id.pid) {
        thread->seen = look->alive = true;
        return;
    }
    if (!is_alive(look->process, tid, &stat))
        return;
    look->alive = true;
    if (thread) {
        thread->seen = true;
        return;
    }
    thread = add_thread(tasks, id);
    if (!thread)
        return;
    thread->seen = true;
    if (tid != id.pid) {
        an_perf_writer_fork(tasks->writer, tasks->time, id, leader);
        an_perf_writer_comm(tasks->writer, tasks->time, id, stat.name, false);
    }
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

/* Those that are active come first. */
static void sort_by_activity(struct an_tasks *tasks)
{
    tasks->active = 0;
    for (size_t i = 0; i < tasks->threads.count; i++)
        if (tasks->threads.items[i].active) {
            struct thread active = tasks->threads.items[i];
            tasks->threads.items[i] = tasks->threads.items[tasks->active];
            tasks->threads.items[tasks->active++] = active;
        }
}

/* Whether a thread has run since the last look; when it cannot be told, or is new, it may have. */
static bool has_run(struct thread *thread)
{
    uint64_t before = thread->ran, delay;
    return thread->schedule < 0 || !an_proc_schedule(thread->schedule, &thread->ran, &delay) ||
           before == 0 || thread->ran != before;
}

/* Of hundreds of threads that wait for something, none has to be asked whether it runs now. */
static void look_at_activity(struct an_tasks *tasks)
{
    for (size_t i = 0; i < tasks->threads.count; i++)
        tasks->threads.items[i].active = has_run(&tasks->threads.items[i]);
}

static bool ask(struct an_tasks *tasks, const struct thread *thread, struct an_proc_now *now)
{
    int file = thread->stat;
    if (file < 0 && (file = an_proc_open(thread->id.pid, thread->id.tid, "stat")) < 0)
        return false;
    bool there = an_proc_now(file, now);
    if (file != thread->stat)
        close(file);
    if (!there || now->cpu < 0 || now->cpu >= MOST_CPUS)
        return there;
    tasks->seen_on[now->cpu] = tasks->looks;
    if ((size_t)now->cpu >= tasks->cpus)
        tasks->cpus = (size_t)now->cpu + 1;
    return true;
}

static void look_at_processors(struct an_tasks *tasks)
{
    struct an_proc_now now;
    for (size_t i = 0; i < tasks->active && i < CPUS_PER_LOOK; i++)
        ask(tasks, &tasks->threads.items[i], &now);
}

static void look_at_threads(struct an_tasks *tasks)
{
    char folder[64];
    number_threads(tasks);
    for (size_t i = 0; i < tasks->threads.count; i++)
        tasks->threads.items[i].seen = false;
    for (size_t i = 0; i < tasks->processes.count; i++) {
        struct process *process = &tasks->processes.items[i];
        struct look look = {tasks, process, false};
        snprintf(folder, sizeof folder, "/proc/%d/task", process->pid);
        an_proc_each(folder, look_at_thread, &look);
        if (!look.alive)
            process->start = 0;
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

/* In the unit of process.start: ticks since the machine was started. */
static uint64_t ticks_now(void)
{
    return clock_now(CLOCK_BOOTTIME) / (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Of one that is younger than the recording, all its CPU time counts. */
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
    uint64_t now = clock_now(clock), before = start > tasks->opened ? 0 : now;
    *process = (struct process){
        .pid = pid, .start = start, .clock = clock, .run_before = before, .run = now};
    tasks->processes_seen++;
    return process;
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
        an_process_code_free(&process->image);
        *process = tasks->processes.items[--tasks->processes.count];
    }
}

/* A process: perhaps a child of one that is watched, and new. */
static void look_at_process(void *context, int32_t pid)
{
    struct an_tasks *tasks = context;
    struct an_proc_stat stat;
    struct process *child;
    if (find(tasks, pid) || !an_proc_stat(pid, 0, &stat) || an_proc_has_ended(&stat) ||
        !find(tasks, stat.parent) || !(child = add_process(tasks, pid, stat.start)))
        return;
    const struct process *parent = find(tasks, stat.parent);
    tasks->failed |= !an_process_code_inherit(&child->image, &parent->image);
    an_perf_writer_fork(tasks->writer, tasks->time, leader_of(child), leader_of(parent));
    look_at_image(tasks, child, false);
}

/* True when there are new ones. Only a thread that runs begins processes, so it is enough to ask
 * those that are active, unless they `all` are new. */
static bool look_at_children(struct an_tasks *tasks, bool all)
{
    size_t threads = all ? tasks->threads.count : tasks->active;
    uint64_t before = tasks->processes_seen;
    if (!tasks->lists_children)
        an_proc_each("/proc", look_at_process, tasks);
    for (size_t i = 0; tasks->lists_children && i < threads; i++) {
        struct an_perf_thread id = tasks->threads.items[i].id;
        tasks->failed |= !an_proc_children(id.pid, id.tid, look_at_process, tasks);
    }
    return tasks->processes_seen > before;
}

/* Who is there. Children may have threads and children of their own. */
static void look_at_all(struct an_tasks *tasks, bool children, bool all)
{
    tasks->stale = false;
    if (!an_proc_newest(tasks->loadavg, &tasks->newest))
        tasks->newest = 0;
    an_tasks_run_time(tasks);
    look_at_threads(tasks);
    for (int i = 0; children && i < GENERATIONS && look_at_children(tasks, all); i++)
        look_at_threads(tasks);
    drop_ended_processes(tasks);
}

bool an_tasks_look(struct an_tasks *tasks, uint64_t time)
{
    bool whole = tasks->looks++ % LOOKS_PER_IMAGE == 0; /* what takes long, and is seldom new */
    tasks->time = time;
    if (tasks->picks)
        look_at_activity(tasks);
    look_at_all(tasks, tasks->children, whole);
    if (tasks->picks)
        look_at_processors(tasks);
    for (size_t i = 0; whole && i < tasks->processes.count; i++)
        look_at_image(tasks, &tasks->processes.items[i], false);
    return tasks->processes.count > 0 && !tasks->failed;
}

void an_tasks_refresh(struct an_tasks *tasks, uint64_t time)
{
    uint64_t newest;
    if (!tasks->stale && an_proc_newest(tasks->loadavg, &newest) && newest == tasks->newest)
        return;
    tasks->time = time;
    look_at_all(tasks, tasks->children && tasks->lists_children, false);
}

static bool is_known(const struct an_tasks *tasks, struct an_perf_thread id)
{
    for (size_t i = tasks->threads.count; i-- > 0;)
        if (tasks->threads.items[i].id.tid == id.tid && tasks->threads.items[i].id.pid == id.pid)
            return true;
    return false;
}

bool an_tasks_born(struct an_tasks *tasks, struct an_perf_thread id, uint64_t time)
{
    struct an_proc_stat stat;
    tasks->time = time;
    if (is_known(tasks, id))
        return true;
    if (!find(tasks, id.pid) && tasks->children)
        look_at_process(tasks, id.pid);
    const struct process *process = find(tasks, id.pid);
    if (!process || !is_alive(process, id.tid, &stat) || !add_thread(tasks, id))
        return false;
    if (id.tid != id.pid) {
        an_perf_writer_fork(tasks->writer, time, id, leader_of(process));
        an_perf_writer_comm(tasks->writer, time, id, stat.name, false);
    }
    return true;
}

void an_tasks_ended(struct an_tasks *tasks, struct an_perf_thread id)
{
    tasks->threads_seen += !is_known(tasks, id);
}

void an_tasks_will_pick(struct an_tasks *tasks)
{
    tasks->picks = true;
    for (size_t i = 0; i < tasks->threads.count; i++)
        open_files(tasks, &tasks->threads.items[i]);
}

void an_tasks_executed(struct an_tasks *tasks, int32_t pid, uint64_t time)
{
    struct process *process = find(tasks, pid);
    tasks->time = time;
    if (process)
        look_at_image(tasks, process, true);
}

void an_tasks_each(const struct an_tasks *tasks,
                   void (*call)(void *context, struct an_perf_thread id), void *context)
{
    for (size_t i = 0; i < tasks->threads.count; i++)
        call(context, tasks->threads.items[i].id);
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

/* An exec leaves a process only its first thread. */
static void notice_exec(struct an_tasks *tasks, const struct thread *thread, uint64_t stack)
{
    struct process *process = thread->id.tid == thread->id.pid ? find(tasks, thread->id.pid) : NULL;
    if (!process || process->stack == stack)
        return;
    look_at_image(tasks, process, process->stack != 0);
    process->stack = stack;
}

static bool is_running(struct an_tasks *tasks, const struct thread *thread, int *cpu)
{
    struct an_proc_now now;
    bool there = ask(tasks, thread, &now);
    tasks->stale |= !there;
    if (!there || now.state != 'R')
        return false;
    notice_exec(tasks, thread, now.stack);
    *cpu = now.cpu;
    return true;
}

size_t an_tasks_active(const struct an_tasks *tasks)
{
    return tasks->active;
}

static bool is_used(const struct an_tasks *tasks, size_t cpu)
{
    return tasks->seen_on[cpu] && tasks->looks - tasks->seen_on[cpu] < CPU_MEMORY;
}

int an_tasks_cpu(const struct an_tasks *tasks, uint64_t *random, size_t *number)
{
    int chosen = -1;
    size_t used = 0;
    for (size_t cpu = 0; cpu < tasks->cpus; cpu++)
        if (is_used(tasks, cpu) && an_random_below(random, ++used) == 0)
            chosen = (int)cpu;
    *number = used ? used : 1;
    return chosen;
}

/* Those that were picked are the first ones. */
static const struct thread *pick(struct an_tasks *tasks, size_t already, uint64_t *random)
{
    struct thread *threads = tasks->threads.items;
    size_t other = already + an_random_below(random, tasks->active - already);
    struct thread chosen = threads[other];
    threads[other] = threads[already];
    threads[already] = chosen;
    return &threads[already];
}

struct an_perf_thread an_tasks_pick(struct an_tasks *tasks, size_t already, uint64_t time,
                                    uint64_t *random)
{
    static const struct an_perf_thread none;
    int cpu;
    const struct thread *chosen = pick(tasks, already, random);
    tasks->time = time;
    return is_running(tasks, chosen, &cpu) ? chosen->id : none;
}

/* Of several, the one that ran last. */
static struct an_perf_thread last_of(const struct an_perf_thread *threads, size_t number)
{
    size_t last = 0;
    uint64_t latest = 0;
    for (size_t i = 0; number > 1 && i < number; i++) {
        uint64_t time = an_proc_last_run(threads[i].pid, threads[i].tid);
        if (time > latest) {
            latest = time;
            last = i;
        }
    }
    return threads[last];
}

struct an_perf_thread an_tasks_interrupted(struct an_tasks *tasks, int cpu, size_t most,
                                           uint64_t time, uint64_t *random)
{
    struct an_perf_thread ready[AN_TASKS_MOST] = {0};
    size_t number = 0;
    int its;
    tasks->time = time;
    for (size_t i = 0; i < most && i < tasks->active && number < AN_TASKS_MOST; i++) {
        const struct thread *thread = pick(tasks, i, random);
        if (is_running(tasks, thread, &its) && its == cpu)
            ready[number++] = thread->id;
    }
    return last_of(ready, number);
}

/* Those that were picked last are found soon. */
uint64_t an_tasks_waited(const struct an_tasks *tasks, int32_t tid)
{
    uint64_t ran, waited;
    for (size_t i = 0; i < tasks->threads.count; i++) {
        const struct thread *thread = &tasks->threads.items[i];
        if (thread->id.tid == tid)
            return thread->schedule >= 0 && an_proc_schedule(thread->schedule, &ran, &waited)
                       ? waited
                       : 0;
    }
    return 0;
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

enum an_code an_tasks_open(int32_t pid, bool children, bool picks, struct an_perf_writer *writer,
                           struct an_tasks **out, struct an_error *error)
{
    struct an_proc_stat stat;
    *out = NULL;
    enum an_code code = an_proc_check(pid, error);
    if (code != AN_OK)
        return code;
    if (!an_proc_stat(pid, 0, &stat))
        return an_fail(error, AN_USAGE, "process %d has ended", pid);
    struct an_tasks *tasks = an_alloc_zero(1, sizeof *tasks);
    if (!tasks)
        return an_fail_memory(error);
    tasks->writer = writer;
    tasks->children = children;
    tasks->picks = picks;
    tasks->lists_children = an_proc_has_children();
    tasks->loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    tasks->opened = ticks_now();
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
        an_process_code_free(&tasks->processes.items[i].image);
    while (tasks->threads.count)
        drop_thread(tasks, tasks->threads.count - 1);
    an_vector_free(&tasks->processes);
    an_vector_free(&tasks->threads);
    an_map_free(&tasks->numbers);
    if (tasks->loadavg >= 0)
        close(tasks->loadavg);
    free(tasks);
}
