#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is between hosts and server in bench/fleet/campaign.

    server.py relay PORT SERVER-PORT CUT        hands connections on, and breaks off a share of them: after some bytes of the
                                                request, or when the answer comes, so that the client does not know
    server.py store PORT FOLDER REFUSE          a small server that takes PUT, where there is no nginx; what it has not stored
                                                whole is put-*

Both print a line when they listen.
"""

import http.server
import os
import random
import socket
import struct
import sys
import tempfile
import threading

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends a reset


def break_off(*ends):
    for end in ends:
        try:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            end.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it
            end.close()
        except OSError:
            pass


def copy(source, target, most):
    """Whether the source has ended before that many bytes; None is no limit."""
    done = 0
    while True:
        some = source.recv(65536 if most is None else min(65536, most - done))
        if not some:
            try:
                target.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            return True
        target.sendall(some)
        done += len(some)
        if done == most:
            return False


def relay_one(client, port, cut):
    try:
        server = socket.create_connection(("127.0.0.1", port))
    except OSError:
        break_off(client)
        return
    request = answer = None
    if random.random() < cut:
        if random.random() < 0.5:
            request = random.randrange(1, 4000)
        else:
            answer = random.randrange(1, 60)  # the server has done it

    def go(source, target, most):
        try:
            if not copy(source, target, most):
                break_off(client, server)
        except OSError:
            break_off(client, server)

    forth = threading.Thread(target=go, args=(client, server, request))
    forth.start()
    go(server, client, answer)
    forth.join()
    break_off(client, server)


def relay(port, server_port, cut):
    listener = socket.create_server(("127.0.0.1", port), backlog=1000)
    print("listening", flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=relay_one, args=(client, server_port, cut), daemon=True).start()


def store(port, folder, refuse):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, status):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_PUT(self):
            length = int(self.headers["Content-Length"])
            if "100-continue" in self.headers.get("Expect", ""):
                self.send_response_only(100)
                self.end_headers()
            body = self.rfile.read(length)
            if len(body) < length:
                self.close_connection = True
                return
            if random.random() < refuse:
                self.answer(503)
                return
            path = os.path.join(folder, self.path.strip("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with tempfile.NamedTemporaryFile(prefix="put-", dir=os.path.dirname(path), delete=False) as file:
                file.write(body)
            os.rename(file.name, path)
            self.answer(201)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print("listening", flush=True)
        server.serve_forever()


def main():
    what, port, third, share = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
    if what == "relay":
        relay(port, int(third), share)
    else:
        store(port, third, share)


main()
