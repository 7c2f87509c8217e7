#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hosts of bench/fleet/campaign: a service each, and runs of programs on them.

    hosts.py FOLDER ANNEAL --hosts N --runs N --rate N --every T --span T --kills N
             --away COMMAND COMMAND -- PROGRAM...

FOLDER/NAME/ is a host: spool, partials, and runs, with a line for each run that has ended with status 0: program, arguments. What
ships is FOLDER/ship. Services are killed (SIGKILL) and begun anew amid their work, --kills of them. For a tenth of the runs the
server is away: the first command ends it, the other one begins it. In the end every service is told to end, and what is left on
its host is collected and shipped until nothing is.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

FIRST_USER = 30000  # of hosts' own users,
MOST = 100  # where there are more than that: a user may have 128 inotify instances only


class Host:
    def __init__(self, options, number):
        self.name = f"host{number:04}"
        self.folder = os.path.join(options.folder, self.name)
        self.options = options
        self.user = FIRST_USER + number if os.geteuid() == 0 and options.hosts > MOST else None
        for name in ("spool", "partials"):
            os.makedirs(os.path.join(self.folder, name))
            if self.user is not None:
                os.chown(os.path.join(self.folder, name), self.user, self.user)
        self.environment = dict(os.environ, ANNEAL_PROFILE_FILE=os.path.join(self.folder, "spool", "%b.profraw"))
        self.runs = open(os.path.join(self.folder, "runs"), "w", buffering=1, encoding="ascii")
        self.said = open(os.path.join(self.folder, "said"), "w", encoding="utf-8")
        self.service = None
        self.lock = threading.Lock()  # of what has ended: runs are logged by several threads

    def start(self, command, **more):
        if self.user is not None:
            more.update(user=self.user, group=self.user, extra_groups=[])
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, **more)

    def command(self, *how):
        return [self.options.anneal, "collect", "--host", self.name, os.path.join(self.folder, "spool"),
                "-o", os.path.join(self.folder, "partials"), "--ship", os.path.join(self.options.folder, "ship")
                + ' "$1" "$2"', *how]

    def begin(self):
        self.service = self.start(self.command("-q", "--every", self.options.every, "--span", self.options.span),
                                  stdout=subprocess.DEVNULL, stderr=self.said)

    def kill(self):
        self.service.kill()
        self.service.wait()
        self.begin()

    def run(self, program, which, times):
        status = self.start([program, str(which), str(times)], env=self.environment).wait()
        if status:
            sys.exit(f"{program} ended with status {status} on {self.name}")
        with self.lock:
            self.runs.write(f"{os.path.basename(program)} {which} {times}\n")

    def end(self):
        self.service.send_signal(signal.SIGTERM)
        status = self.service.wait()
        if status:
            sys.exit(f"the service of {self.name} ended with status {status}")
        self.runs.close()

    def files(self):
        return [os.path.join(folder, name) for part in ("spool", "partials")
                for folder, _, names in os.walk(os.path.join(self.folder, part)) for name in names]

    def empty(self):
        """What is left is shipped; how many times that failed."""
        tries = 0
        while self.start(self.command("-q", "--once"), stdout=subprocess.DEVNULL, stderr=self.said).wait():
            tries += 1
            if tries == 200:
                sys.exit(f"{self.name} cannot ship: see {self.folder}/said")
        return tries


def memory(hosts):
    """Bytes of all services: what each has of its own, and its share of what several have."""
    proportional = private = processor = count = 0
    for host in hosts:
        try:
            with open(f"/proc/{host.service.pid}/smaps_rollup", encoding="ascii") as file:
                sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in file if line.endswith("kB\n")}
            with open(f"/proc/{host.service.pid}/stat", encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except (OSError, ProcessLookupError):
            continue
        proportional += sizes["Pss"]
        private += sizes["Private_Clean"] + sizes["Private_Dirty"]
        processor += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        count += 1
    return {"services": count, "proportional": proportional // count, "private": private // count,
            "processor": processor}


def in_threads(number, work, items):
    """Calls work for each item; the first failure ends all."""
    items, lock, failures = iter(items), threading.Lock(), []

    def go():
        while not failures:
            with lock:
                item = next(items, None)
            if item is None:
                return
            try:
                work(item)
            except BaseException as failure:  # SystemExit, too, is for the main thread
                failures.append(failure)

    threads = [threading.Thread(target=go) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("anneal")
    for name in ("--hosts", "--runs", "--kills"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--rate", type=float, required=True, help="runs in a second over all; 0: as many as there can be")
    parser.add_argument("--every", required=True)
    parser.add_argument("--span", required=True)
    parser.add_argument("--away", nargs=2, required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()

    hosts = [Host(options, number) for number in range(options.hosts)]
    try:
        print(json.dumps(campaign(options, hosts)))
    finally:  # those of a campaign that failed
        for host in hosts:
            if host.service and host.service.poll() is None:
                host.service.kill()
                host.service.wait()


def campaign(options, hosts):
    for host in hosts:
        host.begin()
    begun = time.monotonic()
    kills = set(random.sample(range(options.runs), options.kills))
    gone, back = options.runs * 4 // 10, options.runs * 5 // 10
    account = {}

    def one(number):
        if options.rate:
            time.sleep(max(0, begun + number / options.rate - time.monotonic()))
        if number == gone:
            subprocess.run(options.away[0], shell=True, check=True)
        if number == back:
            subprocess.run(options.away[1], shell=True, check=True)
        if number == options.runs * 9 // 10:
            account["memory"] = memory(hosts)
        host = hosts[random.randrange(len(hosts))]
        if number in kills:
            with host.lock:
                host.kill()
        host.run(random.choice(options.programs), random.randrange(1, 256), random.randrange(1, 20))

    in_threads(4, one, range(options.runs))
    account["seconds"] = time.monotonic() - begun
    shipped = sum(len(names) for _, _, names in os.walk(os.path.join(options.folder, "server")))
    account["shipped_by_then"] = shipped
    for host in hosts:
        host.end()
    tries = []
    in_threads(4, lambda host: tries.append(host.empty()), hosts)
    account["tried_again_in_the_end"] = sum(tries)
    left = [file for host in hosts for file in host.files()]
    if left:
        sys.exit(f"{len(left)} files are left on the hosts, as {left[0]}")
    account["refused"] = sum(open(os.path.join(host.folder, "said"), encoding="utf-8").read().count("not shipped")
                             for host in hosts)
    return account


main()
