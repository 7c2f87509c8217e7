/* Names of folders and layouts; see folder.h. */
#include "live/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"

/* Of the numbers in /proc; 0 when that is of another namespace than this process. */
static uint64_t own_space(void)
{
    struct stat about;
    char self[16];
    ssize_t length = readlink("/proc/self", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    if (atoi(self) != getpid() || stat("/proc/self/ns/pid", &about) != 0)
        return 0;
    return about.st_ino;
}

void an_folder_name(int32_t pid, uint64_t start, char name[AN_FOLDER_NAME])
{
    snprintf(name, AN_FOLDER_NAME, "%llu-%d-%llu", (unsigned long long)own_space(), pid,
             (unsigned long long)start);
}

/* The length of the name that the text begins with; 0: of none. */
static size_t parse(const char *text, struct an_folder *folder)
{
    unsigned long long space, start;
    int pid, length = 0;
    if (sscanf(text, "%20llu-%10d-%20llu%n", &space, &pid, &start, &length) != 3 || length == 0 ||
        pid <= 0)
        return 0;
    *folder = (struct an_folder){space, pid, start};
    return (size_t)length;
}

bool an_folder_parse(const char *name, struct an_folder *folder)
{
    size_t length = parse(name, folder);
    return length && name[length] == '\0';
}

bool an_folder_is_over(const struct an_folder *folder)
{
    struct an_proc_stat stat;
    return folder->space && folder->space == own_space() &&
           (!an_proc_stat(folder->pid, 0, &stat) || stat.start != folder->start);
}

bool an_folder_is_own(const char *path, bool shared)
{
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return false;
    bool is_open = about.st_mode & (S_IWGRP | S_IWOTH);
    bool is_sticky = (about.st_mode & S_ISVTX) && (about.st_uid == 0 || about.st_uid == geteuid());
    return (about.st_uid == geteuid() && !is_open) || (shared && is_sticky);
}

const char *an_folder_tail(const char *path)
{
    const char *tail = strrchr(path, '/');
    while (tail && tail > path && tail[-1] != '/')
        tail--;
    return tail ? tail : path;
}

unsigned an_folder_layout(const char *path, struct an_folder *folder)
{
    const char *tail = an_folder_tail(path);
    size_t length = parse(tail, folder);
    unsigned number;
    int end = 0;
    if (!length || sscanf(tail + length, "/c%9u%n", &number, &end) != 1 ||
        tail[length + (size_t)end])
        return 0;
    return number;
}
