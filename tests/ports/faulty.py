"""A port that answers rightly up to request 4 and then does what its argument says; a process of its own.

It writes its process id, and that of a child it leaves behind, into the file named by its second argument.
"""

import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "examples", "port"))

import port

from foldcover import View

FROM = 5
RIGHT: tuple[str, ...] = (
    "right",
    "much stderr",
    "ignores bye",
    "leaves with 4",
    "speaks after bye",
    "answers bye",
    "leaves a child on stdout",
    "ends with its stdin",
)


def misbehave(kind: str, number: int, right: str) -> str:
    """What it says instead of the right answer; some kinds say nothing and do something."""
    match kind:
        case "no json":
            return "close: done"
        case "no object":
            return "[1, 2]"
        case "no utf-8":
            os.write(1, b'{"id":%d,"view":[],"x":"\xff"}\n' % number)
        case "nul":
            return "\0" + right
        case "twice a key":
            return right[:-1] + f', "id": {number}}}'
        case "nan":
            return right[:-1] + ', "more": NaN}'
        case "a float":
            return f'{{"id": {number}, "view": [{{"leaf": 1.0}}]}}'
        case "an exponent":
            return f'{{"id": {number}, "view": [{{"leaf": 1e3}}]}}'
        case "a bool":
            return f'{{"id": {number}, "view": [{{"leaf": true}}]}}'
        case "a bomb":
            return "[" * 200_000
        case "a huge number":
            return f'{{"id": {number}, "view": [{{"leaf": {"9" * 10_000}}}]}}'
        case "wrong id":
            return right.replace(f'"id": {number}', f'"id": {number + 7}')
        case "no id":
            return right.replace(f'"id": {number}', '"number": 1')
        case "id in quotes":
            return right.replace(f'"id": {number}', f'"id": "{number}"')
        case "wrong shape":
            return f'{{"id": {number}, "view": {{"leaf": 1}}}}'
        case "no view":
            return f'{{"id": {number}}}'
        case "two answers":
            return f"{right}\n{right}"
        case "exit 3":
            sys.stderr.write("one\ntwo\npanic: no memory left\n")
            sys.stderr.flush()
            os._exit(3)
        case "killed":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "cut":
            os.write(1, right[:9].encode())
            os._exit(0)
        case "flood":
            while True:
                os.write(1, b"x" * 65536)
        case "flood of lines":
            while True:
                os.write(1, b"x\n" * 4096)
        case "closes stdin":
            sys.stdout.write(right + "\n")
            sys.stdout.flush()
            os.close(0)
            time.sleep(60)
        case "real-time signal":
            os.kill(os.getpid(), signal.SIGRTMIN + 3)
        case "daemon dies":
            if os.fork() == 0:
                time.sleep(60)
            os._exit(0)
        case "closes stdout":
            os.close(1)
            time.sleep(60)
        case _:
            time.sleep(60)
    return ""


def main() -> None:
    """Serve as the template does, and misbehave."""
    kind, pids = sys.argv[1:]
    leaving = [sys.executable, "-c", "import time; time.sleep(60)"]
    child = subprocess.Popen(leaving, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(pids, "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    if kind == "deaf":
        time.sleep(60)
    view: View = ()
    for line in sys.stdin:
        asked = json.loads(line)
        if kind == "much stderr":
            sys.stderr.write("noise " * 20_000 + "\n")
        if asked["op"] == "bye" and kind == "ignores bye":
            continue
        if asked["op"] == "bye" and kind == "speaks after bye":
            os.write(1, b"goodbye")
        if asked["op"] == "bye" and kind == "answers bye":
            os.write(1, b'{"id":%d}\n' % asked["id"])
        if asked["op"] == "bye" and kind == "leaves a child on stdout" and os.fork() == 0:
            time.sleep(60)
        if asked["op"] == "bye" and kind == "ends with its stdin":
            continue
        if asked["op"] == "bye":
            os._exit(4 if kind == "leaves with 4" else 0)
        if kind == "greets wrongly":
            print('{"id": 1, "name": "x", "load": 1, "wanted": true}', flush=True)
            continue
        view, more = port.answer(view, asked)
        shown = {} if more.keys() & {"name", "blocks"} else {"view": [port.json_of(tree) for tree in view]}
        right = json.dumps({"id": asked["id"], **shown, **more})
        wrong = asked["id"] >= FROM and kind not in RIGHT
        print(misbehave(kind, asked["id"], right) if wrong else right, flush=True)
    if kind == "ignores bye":
        time.sleep(60)


if __name__ == "__main__":
    main()
