# SPDX-License-Identifier: Apache-2.0
"""
What the pages of a report do, looked at through a browser: pages.py REPORT RESULTS. The report is that of
coverage_build.c. A case fails with an exception; RESULTS gets a file for each, NAME.passed or NAME.failed.
"""
import html.parser
import pathlib
import sys
import time
import traceback
import urllib.parse

from browser import Browser

REPORT, RESULTS = map(pathlib.Path, sys.argv[1:])
INDEX, MAIN = REPORT / "index.html", REPORT / "src/main.c.html"
LONG, PAIR = REPORT / "src/deep.only.long.c.html", REPORT / "src/lib.pair.hpp.html"


def expect(value, expected):
    assert value == expected, f"{value!r}, expected {expected!r}"


# ---- without a browser ----


class Page(html.parser.HTMLParser):
    """Elements closed in the order in which they were opened, and addresses of other files."""

    ALONE = {"meta", "link", "path", "col"}

    def __init__(self, path):
        super().__init__()
        self.path, self.open, self.addresses, self.names = path, [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            assert not name.startswith("on"), f"{self.path}: {name}={value}"
            if name == "id":
                assert value not in self.names, f"{self.path}: two {value}"
                self.names.add(value)
            if name in ("href", "src"):
                self.addresses.append(value)
        if tag not in self.ALONE:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag in self.ALONE, tag

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"{self.path}: </{tag}> at {self.getpos()}"


def well_formed():
    pages = {path: Page(path) for path in REPORT.rglob("*.html")}
    expect(len(pages), 9)
    for path, page in pages.items():
        expect(page.open, ["html", "body"])
        for address in page.addresses:
            file, _, name = address.partition("#")
            target = (path.parent / urllib.parse.unquote(file)).resolve() if file else path.resolve()
            assert target.is_relative_to(REPORT.resolve()) and target.is_file(), address
            if name and not name.startswith("q="):
                assert name in pages[REPORT / target.relative_to(REPORT.resolve())].names, address


# ---- the first page ----

NAMES = "[...document.querySelectorAll('.files tbody tr')].filter(r => !r.hidden).map(r => r.cells[0].textContent)"
BY_NAME = ["deep/only/", "long.c", "lib/", "gone.c", "main.c", "odd #1?100% \"it's\".c", "pair.hpp",
           "\u00fcnic\u00f6de.c", "<img src=x onerror=alert(1)>.c", "main.c"]
MOST_MISSED = ["deep/only/", "long.c", "main.c", "lib/", "gone.c", "\u00fcnic\u00f6de.c", "main.c",
               "odd #1?100% \"it's\".c", "pair.hpp", "<img src=x onerror=alert(1)>.c"]


def heading(text, number=0):
    """A selector of the n-th heading's button with this text, marked for it."""
    return f"[...document.querySelectorAll('th.sort button')].filter(b => b.textContent === '{text}')[{number}]"


def sorts(browser):
    page = browser.open(INDEX)
    expect(page.run(NAMES), BY_NAME)
    page.run(f"{heading('Missed')}.id = 'missed'")
    page.click("#missed")
    expect(page.run(NAMES), MOST_MISSED)
    expect(page.run("document.querySelector('.files [aria-sort]').textContent"), "Missed")
    expect(page.run("document.querySelector('.files [aria-sort]').getAttribute('aria-sort')"), "descending")
    page.press("Enter")  # the focus is on the heading still
    expect(page.run("document.querySelector('.files [aria-sort]').getAttribute('aria-sort')"), "ascending")
    expect(page.run(NAMES)[0], "<img src=x onerror=alert(1)>.c")
    page.run(f"{heading('Covered', 1)}.id = 'branches'")
    page.click("#branches")  # what has no branches comes last
    expect(page.run(NAMES)[0], "main.c")
    page.run(f"{heading('Name')}.click()")
    expect(page.run("document.querySelectorAll('.files [aria-sort]').length"), 1)
    expect(page.run(NAMES), ["<img src=x onerror=alert(1)>.c", "deep/only/", "long.c", *BY_NAME[2:8], "main.c"])
    return page


def folds(browser):
    page = browser.open(INDEX)
    toggle = "document.querySelector('.toggle')"
    expect(page.run(toggle + ".getAttribute('aria-expanded')"), "true")
    page.click(".toggle")
    expect(page.run(toggle + ".getAttribute('aria-expanded')"), "false")
    expect(page.run(NAMES), [name for name in BY_NAME if name != "long.c"])
    page.press("Enter")
    expect(page.run(NAMES), BY_NAME)
    page.run("[...document.querySelectorAll('button')].find(b => b.textContent === 'Close all').click()")
    expect(page.run(NAMES), ["deep/only/", "lib/", "<img src=x onerror=alert(1)>.c", "main.c"])
    return page


def searches_files(browser):
    page = browser.open(INDEX)
    page.press("/")
    expect(page.run("document.activeElement.type"), "search")
    page.type("LIB ma")
    expect(page.run(NAMES), ["lib/", "main.c"])
    expect(page.run("document.querySelector('[role=tab]').textContent"), "Files 1 of 8")
    page.press("Escape")
    expect(page.run(NAMES), BY_NAME)
    page.press("/")
    page.type("step_42")
    expect(page.run(NAMES), [])
    wait_for(page, "!document.querySelector('.note').hidden && document.querySelector('.note button')")
    page.click(".note button")
    expect(functions_shown(page), ["step_42"])
    again = browser.open(str(INDEX) + "#q=lib/")  # what the pages of sources link to
    expect(again.run(NAMES), ["lib/", *BY_NAME[3:8]])
    expect(again.problems(), [])
    return page


def functions_shown(page):
    return page.run("[...document.querySelectorAll('.all-functions tbody th')].map(h => h.textContent)")


def wait_for(page, script):
    deadline = time.monotonic() + 30
    while not page.run(f"Boolean({script})"):
        assert time.monotonic() < deadline, script
        page.settle()


def searches_functions(browser):
    page = browser.open(str(INDEX) + "#functions")
    wait_for(page, "document.querySelector('.all-functions tbody tr')")
    expect(functions_shown(page)[:3], ["step_99" if 99 % 3 != 2 else "step_98", "step_97", "step_96"])
    page.press("/")
    page.type("lar")
    expect(functions_shown(page), ["int larger<int>(int, int)", "char larger<char>(char, char)"])
    expect(page.run("document.querySelectorAll('.all-functions tr.u').length"), 1)
    page.press("Escape")
    page.run(f"{heading('Missed', 3)}.click()")
    expect(page.run("document.querySelector('.all-functions tbody td:last-child').textContent"), "5")
    expect(page.run("document.querySelectorAll('.all-functions tbody tr').length"), 105)
    page.press("f")
    expect(page.run("document.querySelector('[aria-selected=true]').textContent"), "Files 8")
    return page


def links(browser):
    page = browser.open(INDEX)
    for name in BY_NAME:
        if name.endswith("/"):
            continue
        address = page.run(f"""[...document.querySelectorAll('.files a')]
            .find(a => a.textContent === {name!r}).href""")
        source = browser.open(urllib.parse.unquote(address.removeprefix("file://")))
        assert source.run("document.querySelector('h1').textContent").endswith(name), address
        expect(source.problems(), [])
        source.close()
    page.click(".files tbody tr:nth-child(2) a")
    wait_for(page, "document.querySelector('.code')")
    page.click(".where a")
    wait_for(page, "document.querySelector('.files')")
    return page


def theme(browser):
    background = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(255, 255, 255)", "rgb(18, 22, 27)"
    page = browser.open(INDEX)
    expect(page.run(background), light)
    page.click(".theme")
    expect(page.run(background), dark)
    page.go(MAIN)
    expect(page.run(background), dark)
    page.click(".theme")
    expect(page.run(background), light)
    expect(page.run("localStorage.length"), 0)
    other = browser.open(INDEX, dark=True)
    expect(other.run(background), dark)
    other.click(".theme")
    expect(other.run(background), light)
    expect(other.problems(), [])
    return page


# ---- the page of a source ----


def expect_numbers(page, numbers):
    """Numbers of lines are counters, which only the layout knows: these, in this order, with others between."""
    page.settle()
    snapshot = page.call("DOMSnapshot.captureSnapshot", computedStyles=[])
    shown = [snapshot["strings"][index] for index in snapshot["documents"][0]["layout"]["text"] if index >= 0]
    shown = iter(shown)
    assert all(str(number) in shown for number in numbers), numbers


def lines(browser):
    page = browser.open(MAIN)
    box = page.run("(b => [b.x, b.y, b.width])(document.querySelector('#L10 b').getBoundingClientRect())")
    assert box[2] > 30, box
    colours = {line: page.run(f"getComputedStyle(document.querySelector('#L{line} b')).backgroundColor")
               for line in (3, 6, 10)}
    expect(len(set(colours.values())), 3)
    mark = "getComputedStyle(document.querySelector('#L6 b'), '::before').content"
    assert "\u2715" in page.run(mark), page.run(mark)
    assert "\u25d0" in page.run("getComputedStyle(document.querySelector('#L11 b'), '::after').content")
    expect(page.run("[...CSS.highlights.keys()].join()"), "comment,string,keyword,number")
    assert page.run("CSS.highlights.get('comment').size") >= 3
    long = browser.open(LONG)
    expect(long.problems(), [])
    expect_numbers(browser.open(str(LONG) + "#L1501"), list(range(1490, 1515)))  # over the end of a block
    pair = browser.open(PAIR)
    pair.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    expect_numbers(pair, [4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 6])  # behind the instances it goes on
    # A block that is not on the screen costs nothing: its lines have no size yet.
    expect(long.run("document.getElementById('L2950').checkVisibility({contentVisibilityAuto: true})"), False)
    return page


def place(page):
    return int(page.run("location.hash").removeprefix("#L"))


def keys(browser):
    page = browser.open(LONG)
    gaps = []
    for _ in range(3):
        page.press("n")
        gaps.append(place(page))
    expect(gaps, [61, 151, 241])
    page.press("p")
    expect(place(page), 151)
    page.press("j")
    expect(place(page), 152)
    page.press("k")
    page.press("k")
    expect(place(page), 140)
    page.press("h")
    expect(place(page), 2990)  # the last line of the greatest function
    page.press("h")
    expect(place(page), 2930)
    expect(page.run("document.querySelectorAll('.at[id]').length"), 1)
    seen = page.run("(b => b.top > 0 && b.bottom < innerHeight)(document.getElementById('L2930').getBoundingClientRect())")
    expect(seen, True)
    expect(page.run("document.querySelector('.now').textContent"), "step_97")
    page.press("p")
    page.press("?")
    expect(page.run("document.querySelector('dialog').open"), True)
    page.press("Escape")
    expect(page.run("document.querySelector('dialog')"), None)
    jump = browser.open(str(LONG) + "#L1503")
    jump.settle()
    seen = jump.run("(b => b.top > 0 && b.bottom < innerHeight)(document.getElementById('L1503').getBoundingClientRect())")
    expect(seen, True)
    expect(jump.problems(), [])
    return page


def branches(browser):
    page = browser.open(MAIN)
    page.click("#L5 u")
    cells = "[...document.querySelectorAll('.pop tr')].map(r => [...r.cells].map(c => c.textContent).filter(Boolean).join(' '))"
    expect(page.run(cells), ["1 \u2715 never taken of 40", "2 40 of 40 100% falls through"])
    page.press("Escape")
    expect(page.run("document.querySelector('.pop')"), None)
    page.go(str(MAIN) + "#L7")
    page.settle()
    page.press("b")
    expect(len(page.run(cells)), 6)
    page.click("h1")
    expect(page.run("document.querySelector('.pop')"), None)
    # A click on a number makes a link.
    box = page.run("(b => [b.x + 8, b.y + 8])(document.getElementById('L10').getBoundingClientRect())")
    page.click_at(*box)
    expect(page.run("location.hash"), "#L10")
    return page


def instances(browser):
    page = browser.open(PAIR)
    expect(page.run("document.querySelector('#I1 .lines').checkVisibility()"), False)
    page.run("[...document.querySelectorAll('.functions a')].find(a => a.title.startsWith('char')).click()")
    wait_for(page, "document.querySelector('#I1 .lines').checkVisibility()")
    expect(page.run("document.querySelector('#I2').open"), False)
    page.press("j")
    page.press("j")
    expect(page.run("document.querySelector('.now').textContent"), "larger<int>(int, int)")
    expect(page.run("document.querySelectorAll('#I1 .u[style]').length"), 2)
    return page


def functions(browser):
    page = browser.open(LONG)
    names = "[...document.querySelectorAll('.functions tbody tr')].filter(r => !r.hidden).map(r => r.cells[0].textContent)"
    expect(page.run(names)[:2], ["step_0", "step_1"])
    page.run(f"{heading('Calls')}.click()")
    expect(page.run(names)[:3], ["step_99", "step_97", "step_96"])
    page.press("/")
    page.type("9 step")
    expect(page.run(names)[:3], ["step_99", "step_97", "step_96"])
    assert all("9" in name for name in page.run(names))
    page.press("Escape")
    expect(len(page.run(names)), 100)
    page.run("document.querySelector('.functions a[href=\"#L1501\"]').click()")
    wait_for(page, "document.querySelector('.functions tr.at')?.textContent.startsWith('step_50')")
    return page


def strip(browser):
    page = browser.open(LONG)
    box = page.run("(b => [b.x, b.y, b.width, b.height])(document.querySelector('.strip').getBoundingClientRect())")
    page.click_at(box[0] + box[2] / 2, box[1] + box[3] * 0.5)
    page.settle()
    middle = page.run("""(() => { const box = document.querySelector('.code').getBoundingClientRect();
        return document.elementFromPoint(box.left + 4, innerHeight / 2 + 22).closest('[id^=L]').id; })()""")
    assert 1450 < int(middle[1:]) < 1550, middle
    top = page.run("document.querySelector('.view').style.top")
    assert 48 < float(top.rstrip("%")) < 50, top
    page = browser.open(str(LONG) + "#L2401")  # a link shows its place, too
    wait_for(page, "parseFloat(document.querySelector('.view').style.top) > 75")
    assert page.run("parseFloat(document.querySelector('.view').style.height)") < 5
    return page


# ---- all pages ----

CONTRAST = """(() => {
    // What a colour looks like on what is below it.
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    canvas.canvas.width = canvas.canvas.height = 1;
    const rgb = (colours) => {
        canvas.clearRect(0, 0, 1, 1);
        for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        return canvas.getImageData(0, 0, 1, 1).data;
    };
    const light = data => [...data].slice(0, 3).map(v => v / 255)
        .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
    const bad = [], seen = new Set();
    for (const element of document.querySelectorAll('body *')) {
        const hasText = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
        if (!hasText || !element.checkVisibility({contentVisibilityAuto: true})) continue;
        const below = [];
        for (let up = element; up; up = up.parentElement) below.unshift(getComputedStyle(up).backgroundColor);
        const style = getComputedStyle(element);
        const key = style.color + below.join();
        if (seen.has(key) || element.matches(':disabled')) continue;
        seen.add(key);
        const back = light(rgb(['white', ...below])), front = light(rgb(['white', ...below, style.color]));
        const ratio = (Math.max(back, front) + .05) / (Math.min(back, front) + .05);
        if (ratio < 4.5) bad.push(`${element.tagName}.${element.className} "${element.textContent.slice(0, 20)}" ${ratio.toFixed(2)}`);
    }
    return [seen.size, bad];
})()"""


def contrast(browser):
    page = None
    for dark in (False, True):
        for path in (INDEX, MAIN, LONG, PAIR):
            page = browser.open(path, dark=dark, height=6000)
            page.run("for (const d of document.querySelectorAll('details')) d.open = true")
            page.settle()
            count, bad = page.run(CONTRAST)
            assert count > 5, count
            expect(bad, [])
            expect(page.problems(), [])
    return page


def narrow(browser):
    page = None
    for path in (INDEX, MAIN, LONG, PAIR):
        for width in (400, 1024):
            page = browser.open(path, width=width, height=800)
            page.settle()
            expect(page.run("document.documentElement.scrollWidth"), width)
            expect(page.problems(), [])
    return page


def without_scripts(browser):
    page = browser.open(INDEX, scripts=False)
    text = snapshot_text(page)
    for name in BY_NAME:
        assert name in text, name
    assert "Open all" not in text
    page.go(MAIN)
    text = snapshot_text(page)
    for part in ("1.2M", "return usage();", "Functions", "never", "\u25a1\u25a0"):
        assert part in text, part
    return page


def snapshot_text(page):
    """All text of the page, without a script that would ask for it."""
    strings = page.call("DOMSnapshot.captureSnapshot", computedStyles=[])["strings"]
    return "\n".join(strings)


def paper(browser):
    page = browser.open(LONG)
    data = page.call("Page.printToPDF", transferMode="ReturnAsBase64", paperWidth=8.27, paperHeight=11.69)["data"]
    assert len(data) > 50000, len(data)
    page.call("Emulation.setEmulatedMedia", media="print")
    shown = "document.getElementById('L2950').checkVisibility({contentVisibilityAuto: true})"
    wait_for(page, shown)
    expect(page.run("document.querySelector('aside').checkVisibility()"), False)
    return page


def copies(browser):
    page = browser.open(MAIN)
    text = page.run("""(() => { const range = document.createRange();
        range.setStartBefore(document.getElementById('L3')); range.setEndAfter(document.getElementById('L10'));
        getSelection().removeAllRanges(); getSelection().addRange(range);
        return getSelection().toString(); })()""")
    expect(text.rstrip("\n").split("\n"), [
        "int main(int argc)", "{", "    if (argc < 2 && \"</script>\"[0] == '<')", "        return usage();",
        "    switch (argc) { // caf\ufffd", "    case 2: a();", "    }", "    for (;;)"])
    return page


CASES = [sorts, folds, searches_files, searches_functions, links, theme, lines, keys, branches, instances,
         functions, strip, contrast, narrow, without_scripts, paper, copies]


def run(name, action):
    try:
        action()
    except Exception:
        (RESULTS / f"{name}.failed").write_text(traceback.format_exc())
    else:
        (RESULTS / f"{name}.passed").touch()


def in_browser(browser, case):
    """With nothing that another case left behind."""
    browser.renew()
    expect(case(browser).problems(), [])


run("well_formed", well_formed)
with Browser() as browser:
    for case in CASES:
        run(case.__name__, lambda: in_browser(browser, case))
