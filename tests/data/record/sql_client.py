#!/usr/bin/env python3
"""
sql_client.py SOCKET REQUESTS [UNTIL]

Clients of sql_server: two connections, each of which sends REQUESTS requests, the same ones at each
run; for each it prints how many rows came and a sum over the answers. With UNTIL they send these
requests again and again until there is a file of that name, and make sure that the answers stay
the same.
"""
import hashlib
import os
import random
import socket
import sys
import threading
import time

KINDS = [
    lambda r: f"SELECT * FROM sale WHERE id = {r.randint(1, 20000)}",
    lambda r: f"SELECT day, price, text FROM sale WHERE shop = {r.randint(1, 300)}"
              f" ORDER BY price DESC LIMIT 20",
    lambda r: f"SELECT town, count(*), sum(price), max(day) FROM sale JOIN shop ON shop = shop.id"
              f" WHERE shop BETWEEN {r.randint(1, 150)} AND {r.randint(151, 160)} GROUP BY town",
    lambda r: f"SELECT count(*) FROM sale WHERE id BETWEEN {r.randint(1, 9000)} AND"
              f" {r.randint(9001, 11000)} AND text LIKE '%{r.randint(10, 99)}%'",
    lambda r: f"SELECT DISTINCT substr(text, 1, 2), day % 7 FROM sale WHERE shop IN"
              f" ({r.randint(1, 300)}, {r.randint(1, 300)}, {r.randint(1, 300)}) ORDER BY 1, 2",
    lambda r: f"SELECT town, (SELECT avg(price) FROM sale WHERE shop = shop.id AND day <"
              f" {r.randint(20, 90)}) FROM shop WHERE size > {r.randint(700, 900)} ORDER BY 2",
]


def requests(seed, count):
    choice = random.Random(seed)
    return [choice.choice(KINDS)(choice) + "\n" for _ in range(count)]


def connect(path):
    for _ in range(200):
        try:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(path)
            return connection.makefile("rw", newline="\n")
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{path}: no server")


def once(server, lines):
    """How many rows came, and a sum over the answers."""
    rows, total = 0, hashlib.sha256()
    for line in lines:
        server.write(line)
        server.flush()
        answer = server.readline()
        rows += int(answer.split()[0])
        total.update(answer.encode())
    return f"{rows} {total.hexdigest()[:16]}"


def converse(path, lines, until, results, index):
    server = connect(path)
    try:
        results[index] = once(server, lines)
        while until and not os.path.exists(until):
            again = once(server, lines)
            if again != results[index]:
                results[index] += f", later {again}"
                return
    except (OSError, ValueError, IndexError) as error:
        results[index] = f"error {error}"


def main():
    path, count = sys.argv[1], int(sys.argv[2])
    until = sys.argv[3] if len(sys.argv) > 3 else None
    results = [""] * 2
    threads = [threading.Thread(target=converse, args=(path, requests(i, count), until, results, i))
               for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(*results, sep="\n")


main()
