"""A source that was made up: functions with all that branches, for coverage to count.

usage: made_up_source.py SEED c|c++
"""

import random
import sys

NAMES = ["a", "b", "s", "i", "3"]


class Source:
    def __init__(self, seed, language):
        self.random = random.Random(seed)
        self.has_exceptions = language == "c++"
        self.breaks = self.random.choice([[" "], [" ", "\n    ", "\n"]])

    def space(self):
        return self.random.choice(self.breaks)

    def value(self, depth=0):
        kind = self.random.random()
        part = lambda: self.value(depth + 1)
        if depth > 1 or kind < 0.4:
            return self.random.choice(NAMES)
        if kind < 0.6:
            return "(%s %s %s)" % (part(), self.random.choice("+-&<>"), part())
        if kind < 0.75:
            return "(%s %s %s)" % (part(), self.random.choice(["&&", "||"]), part())
        if kind < 0.85:
            return "(%s ? %s : %s)" % (part(), part(), part())
        return "ask(%s)" % part()

    def block(self, depth):
        count = self.random.randint(1, 2)
        inside = self.space().join(self.statement(depth) for _ in range(count))
        return "{%s%s%s}" % (self.space(), inside, self.space())

    def statement(self, depth=0):
        forms = [
            lambda: "s += %s;" % self.value(),
            lambda: "if (%s)%s%s" % (self.value(), self.space(), self.block(depth + 1)),
            lambda: "if (%s) %s%selse %s"
            % (self.value(), self.block(depth + 1), self.space(), self.block(depth + 1)),
            lambda: "for (i = 0; i < %s; i++)%s%s"
            % (self.value(), self.space(), self.block(depth + 1)),
            lambda: "do %s while (%s);" % (self.block(depth + 1), self.value()),
            lambda: "switch (%s) {%scase 1: %s break;%scase 2: %s default: %s }"
            % (self.value(), self.space(), self.statement(depth + 1), self.space(),
               self.statement(depth + 1), self.statement(depth + 1)),
            lambda: "if (%s) return %s;" % (self.value(), self.value()),
            lambda: "if (%s) stop();" % self.value(),
        ]
        if self.has_exceptions:
            forms += [
                lambda: "try { s += ask(%s); %s } catch (int n) { s += n;%s%s }"
                % (self.value(), self.statement(depth + 1), self.space(), self.statement(depth + 1)),
                lambda: "{ guard g;%s%s }" % (self.space(), self.statement(depth + 1)),
            ]
        return self.random.choice(forms[: 1 if depth > 2 else None])()

    def function(self, head):
        body = self.space().join(self.statement() for _ in range(self.random.randint(1, 4)))
        return "%s%s{ int s = 0, i = 0;%s%s%sreturn s; }" % (
            head, self.space(), self.space(), body, self.space())

    def text(self):
        yield "extern int ask(int);\nextern void stop(void) __attribute__((noreturn));"
        if self.has_exceptions:
            yield "struct guard { guard() { ask(1); } ~guard() { ask(2); } };"
            yield self.function("template <class T> int kind(T a, int b)")
        for number in range(self.random.randint(2, 4)):
            yield self.function("int f%d(int a, int b)" % number)
            if self.has_exceptions:
                yield "int g%d(int a) { return kind<long>(a, 2) + kind<char>(a, 1); }" % number


print("\n".join(Source(int(sys.argv[1]), sys.argv[2]).text()))
