#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# curl --fail, when the connection ends amid the headers of an answer.
#
# Version: curl 7.88.1-10+deb12u15.
# Likely guess: with --fail, status 0 means that the server has answered 2xx, and a connection that ends before the headers
# do is an error.
# Behaviour: when the server closes the connection behind the line with the status and before the end of the headers, curl ends with status
# 0 and without a message, whatever the status was: --fail looks at it at the end of the headers. A whole answer of
# 503 ends with 22, and a connection that ends within the first line, or is reset, with 52 or 56.
# What to do: where a file is removed because it was sent, ask for the status: -o /dev/null -w '%{http_code}', and see whether it is 2xx.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack curl=7.88.1-10+deb12u15 libcurl4=7.88.1-10+deb12u15 libnghttp2-14 libidn2-0 librtmp1 libssh2-1 libpsl5 libldap-2.5-0 libsasl2-2 libbrotli1

cat >server.py <<'END_OF_PYTHON'
# Answers one request with the bytes of the first argument, and closes the connection.
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
client, _ = server.accept()
got = b""
while not got.endswith(b"end of the file"):
    got += client.recv(65536)
client.sendall(sys.argv[1].encode().decode("unicode_escape").encode())
client.close()
END_OF_PYTHON
printf 'end of the file' >file

# ask ANSWER: what curl makes of it: its status, and the server's
ask() {
    local port code status=0
    exec 5< <(python3 server.py "$1")
    read -r port <&5 || exit 2
    code=$("$root/usr/bin/curl" --noproxy '*' -fsS -w '%{http_code}' -T file "http://127.0.0.1:$port/x" 2>said) || status=$?
    exec 5<&-
    echo "$status, of the server's $code"
}

line='HTTP/1.1 503 Service Unavailable\r\n'
seen 'a whole answer' "22, of the server's 503" "$(ask "${line}Content-Length: 0\r\n\r\n")"
seen 'one that ends amid the headers' "0, of the server's 503" "$(ask "${line}Content-Le")"
seen 'one that ends behind the first line' "0, of the server's 503" "$(ask "$line")"
seen 'one that ends amid the first line' "52, of the server's 000" "$(ask 'HTTP/1.1 50')"
end
