// SPDX-License-Identifier: Apache-2.0
//
// The page of a text: keys that go from gap to gap, what the marks of branches mean, where one is, and
// the colours of the language. A text may have a quarter of a million lines, so that nothing is done
// for lines that are not on the screen unless somebody asks.
"use strict";

(() => {
    const { element } = anneal;
    const main = document.querySelector("main");
    const code = document.querySelector(".code");
    const strip = document.querySelector(".strip");
    const functionTable = document.querySelector(".functions");

    const numberOf = line => Number(line.id.slice(1));

    // ---- lines ----

    let codeLines = null;

    function linesWithCode() {
        codeLines ??= [...code.querySelectorAll(".k > [class][id]:not(details)")];
        return codeLines;
    }

    const isGap = line => line.classList.contains("u");

    // The first line of each stretch of code that never ran.
    let gapStarts = null;

    function gaps() {
        gapStarts ??= linesWithCode().filter((line, i, all) => isGap(line) && !(i && isGap(all[i - 1])));
        return gapStarts;
    }

    // How many of the sorted lines come before the one with this number.
    function before(lines, number) {
        let low = 0, high = lines.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (numberOf(lines[middle]) < number)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    // ---- where one is ----

    let current = null;

    function here() {
        return current ? numberOf(current) : lineAt(topEdge()) || 0;
    }

    function go(line) {
        if (!line)
            return;
        current?.classList.remove("at");
        current = line;
        line.classList.add("at");
        try {
            history.replaceState(null, "", "#" + line.id);
        } catch {
            // Some browsers keep pages from the disk from it.
        }
        line.scrollIntoView({ block: "center" });
        later();
        // What was not laid out yet has its height only now.
        requestAnimationFrame(() => line.scrollIntoView({ block: "center" }));
    }

    function next(lines) {
        go(lines[before(lines, here() + 1)] ?? lines[0]);
    }

    function previous(lines) {
        go(lines[before(lines, here()) - 1] ?? lines[lines.length - 1]);
    }

    // ---- the hottest line of each function, the hottest function first ----

    function countOf(line) {
        const cell = line.querySelector("b");
        return parseFloat((cell.title || cell.textContent).replace(/,/g, ""));
    }

    let hottestLines = null, hottestNext = 0;

    function hottest() {
        if (hottestLines)
            return hottestLines;
        const best = new Map();
        const starts = functionStarts();
        for (const line of linesWithCode()) {
            if (isGap(line))
                continue;
            const count = countOf(line), key = startBefore(starts, numberOf(line));
            if (!best.has(key) || count > best.get(key).count)
                best.set(key, { line, count });
        }
        hottestLines = [...best.values()].sort((a, b) => b.count - a.count).map(each => each.line);
        return hottestLines;
    }

    function nextHottest() {
        const lines = hottest();
        go(lines[hottestNext % lines.length]);
        hottestNext++;
    }

    // ---- functions ----

    let starts = null;

    // Rows of the list with the lines where they begin, by line.
    function functionStarts() {
        starts ??= [...(functionTable?.tBodies[0].rows ?? [])]
            .map(row => ({ row, line: startOf(row) }))
            .sort((a, b) => a.line - b.line);
        return starts;
    }

    // Rows of instances lead to these, and tell the line besides.
    function startOf(row) {
        return Number(row.dataset.line ?? row.querySelector("a").getAttribute("href").slice(2));
    }

    function startBefore(list, number) {
        let low = 0, high = list.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (list[middle].line <= number)
                low = middle + 1;
            else
                high = middle;
        }
        return low - 1;
    }

    function filterFunctions(text) {
        const matches = anneal.matcher(text);
        for (const row of functionTable.tBodies[0].rows)
            row.hidden = !matches(row.cells[0].textContent);
    }

    let shownFunction = null;

    function showFunction(number) {
        const list = functionStarts();
        const row = list[startBefore(list, number)]?.row ?? null;
        if (row === shownFunction)
            return;
        shownFunction?.classList.remove("at");
        shownFunction = row;
        row?.classList.add("at");
        now.textContent = row ? row.cells[0].textContent : "";
        now.hidden = !row;
        const aside = document.querySelector("aside");
        if (row && aside && !aside.matches(":hover, :focus-within") && getComputedStyle(aside).position === "sticky")
            keepInView(aside, row);
    }

    function keepInView(aside, row) {
        const box = aside.getBoundingClientRect(), at = row.getBoundingClientRect();
        if (at.top < box.top + 100 || at.bottom > box.bottom)
            aside.scrollTop += at.top - box.top - box.height / 2;
    }

    // ---- the strip ----

    const topEdge = () => document.querySelector(".top").getBoundingClientRect().bottom + 4;

    // Number of the line at this height of the window, or of one before it: that of a block that was not
    // laid out yet, or of the code above instances.
    function lineAt(y) {
        const box = code.getBoundingClientRect();
        const found = document.elementFromPoint(box.left + 4, Math.max(y, box.top + 2))?.closest(".k > *, .k");
        let line = found?.matches(".k") ? found.firstElementChild : found;
        while (line && !line.id.startsWith("L"))
            line = line.previousElementSibling;
        return line ? numberOf(line) : 0;
    }

    function isSeen(line) {
        const box = line?.getBoundingClientRect();
        return box && box.bottom > topEdge() && box.top < innerHeight;
    }

    const view = element("div", { class: "view" });
    const now = element("span", { class: "now", hidden: "" });

    function showPlace() {
        const first = lineAt(topEdge());
        showFunction(isSeen(current) ? numberOf(current) : first || 1);
        if (!strip)
            return;
        const all = Number(strip.style.getPropertyValue("--lines"));
        const box = code.getBoundingClientRect();
        const last = box.bottom < innerHeight ? all : lineAt(innerHeight - 120) || all;
        view.style.top = 100 * Math.max(first - 1, 0) / all + "%";
        view.style.height = 100 * Math.max(last - first, 0) / all + "%";
    }

    let waiting = false;

    // Once for each frame.
    function later() {
        if (waiting)
            return;
        waiting = true;
        requestAnimationFrame(() => {
            waiting = false;
            showPlace();
        });
    }

    function goToFraction(fraction) {
        const all = Number(strip.style.getPropertyValue("--lines"));
        const wanted = Math.min(Math.max(Math.ceil(fraction * all), 1), all);
        const exact = document.getElementById("L" + wanted);
        const near = linesWithCode();
        (exact ?? near[Math.min(before(near, wanted), near.length - 1)])?.scrollIntoView({ block: "center" });
    }

    function moveInStrip(event) {
        const box = strip.getBoundingClientRect();
        goToFraction((event.clientY - box.top) / box.height);
    }

    // ---- branches ----

    let pop = null, popFor = null;

    function closePop() {
        pop?.remove();
        pop = popFor = null;
    }

    // "1: taken 12 of 13, 92.3%, falls through" as a row.
    function branchRow(text) {
        const [, number, taken, all, share = "0%", note = ""] =
            /^(\d+): taken ([\d,]+) of ([\d,]+)(?:, ([\d.]+%))?(?:, (.*))?$/.exec(text) ?? [];
        return element("tr", taken === "0" ? { class: "u" } : {},
                       element("th", { scope: "row" }, number),
                       element("td", {}, taken === "0" ? "\u2715 never taken" : taken),
                       element("td", {}, `of ${all}`),
                       element("td", {}, element("i", { class: "bar", style: `--part:${share}` })),
                       element("td", {}, taken === "0" ? "" : share),
                       element("td", {}, note));
    }

    function openPop(mark) {
        const isOpen = popFor === mark;
        closePop();
        if (isOpen)
            return;
        popFor = mark;
        pop = element("div", { class: "pop", role: "dialog", "aria-label": "Branches", tabindex: "-1" },
                      element("table", {}, ...mark.title.split("\n").map(branchRow)));
        const box = mark.getBoundingClientRect();
        pop.style.left = Math.max(Math.min(box.left, innerWidth - 440), 8) + scrollX + "px";
        pop.style.top = box.top + 22 + scrollY + "px";
        document.body.append(pop);
        pop.focus({ preventScroll: true });
    }

    // ---- the language ----

    const words = "alignas|alignof|asm|auto|bool|break|case|catch|char|char16_t|char32_t|char8_t|class|" +
        "concept|const|const_cast|consteval|constexpr|constinit|continue|co_await|co_return|co_yield|" +
        "decltype|default|delete|do|double|dynamic_cast|else|enum|explicit|export|extern|false|float|" +
        "for|friend|goto|if|inline|int|long|mutable|namespace|new|noexcept|nullptr|operator|private|" +
        "protected|public|register|reinterpret_cast|requires|restrict|return|short|signed|sizeof|" +
        "static|static_assert|static_cast|struct|switch|template|this|thread_local|throw|true|try|" +
        "typedef|typeid|typename|union|unsigned|using|virtual|void|volatile|wchar_t|while|_Bool|" +
        "_Static_assert|_Thread_local|u?int(?:8|16|32|64|ptr)_t|size_t|ssize_t|ptrdiff_t";
    const tokens = new RegExp(
        String.raw`(\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)|\/\/.*)|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|` +
        String.raw`(^[ \t]*#[ \t]*\w+|\b(?:${words})\b)|(\b(?:0[xX][\da-fA-F']+|\d[\d'.]*(?:[eE][-+]?\d+)?)[uUlLfF]*\b)`,
        "g");
    const kinds = ["comment", "string", "keyword", "number"];
    const rangesOf = new Map();

    // The colours of one line; returns whether its comment goes on.
    function colourLine(node, inComment, ranges) {
        const text = node.data;
        const add = (kind, start, end) => ranges.push([kind, new StaticRange(
            { startContainer: node, startOffset: start, endContainer: node, endOffset: end })]);
        tokens.lastIndex = 0;
        if (inComment) {
            const end = text.indexOf("*/");
            add(0, 0, end < 0 ? text.length : end + 2);
            if (end < 0)
                return true;
            tokens.lastIndex = end + 2;
        }
        let open = false;
        for (let found; (found = tokens.exec(text));) {
            const kind = found.slice(1).findIndex(part => part !== undefined);
            add(kind, found.index, tokens.lastIndex);
            open = kind === 0 && found[0].startsWith("/*") && !/^\/\*[^]*\*\/$/.test(found[0]);
        }
        return open;
    }

    function colour(block) {
        const ranges = [];
        for (const lines of [block, ...block.querySelectorAll(".lines")]) {
            let inComment = "c" in lines.dataset;
            for (const line of lines.children)
                if (line.tagName === "DIV" && line.lastChild?.nodeType === Node.TEXT_NODE)
                    inComment = colourLine(line.lastChild, inComment, ranges);
        }
        rangesOf.set(block, ranges);
        for (const [kind, range] of ranges)
            CSS.highlights.get(kinds[kind]).add(range);
    }

    function uncolour(block) {
        for (const [kind, range] of rangesOf.get(block) ?? [])
            CSS.highlights.get(kinds[kind]).delete(range);
        rangesOf.delete(block);
    }

    function watchBlocks() {
        if (code.dataset.language !== "c" || !window.CSS?.highlights)
            return;
        for (const kind of kinds)
            CSS.highlights.set(kind, new Highlight());
        const observer = new IntersectionObserver(entries => {
            for (const { target, isIntersecting } of entries) {
                uncolour(target);
                if (isIntersecting)
                    colour(target);
            }
        }, { rootMargin: "600px" });
        for (const block of code.querySelectorAll(".k"))
            observer.observe(block);
    }

    // ---- the page ----

    // A link to a line, or to an instance, which has to be opened.
    function followHash() {
        const target = document.getElementById(location.hash.slice(1));
        if (!target)
            return;
        for (let up = target; up; up = up.parentElement?.closest("details"))
            up.open = true;
        if (target.id[0] === "L")
            go(target);
        else
            target.scrollIntoView({ block: "center" });
    }

    function onClick(event) {
        const mark = event.target.closest(".k u");
        if (mark) {
            openPop(mark);
            return;
        }
        if (!event.target.closest(".pop"))
            closePop();
        const line = event.target.closest(".k > [id^=L]");
        const numbers = line && parseFloat(getComputedStyle(line, "::before").width);
        if (line && event.target === line && event.clientX - line.getBoundingClientRect().left < numbers)
            go(line);
    }

    function addKeys() {
        anneal.key("n", "next gap: code that never ran", () => next(gaps()));
        anneal.key("p", "previous gap", () => previous(gaps()));
        anneal.key("h", "the hottest line, then that of the next hottest function", nextHottest);
        anneal.key("j", "next line with code", () => next(linesWithCode()));
        anneal.key("k", "previous line with code", () => previous(linesWithCode()));
        anneal.key("b", "branches of the line", () => {
            const mark = current?.querySelector("u");
            if (mark)
                openPop(mark);
        });
        anneal.key("Escape", null, closePop);
        anneal.key("i", "all files", () => { location.href = "../index.html"; });
    }

    function addTools() {
        const count = gaps().length;
        const toPrevious = anneal.tool("\u2191", "Previous gap (p)", () => previous(gaps()), "gaps");
        const toNext = anneal.tool(`\u2193 ${count} gap${count === 1 ? "" : "s"}`,
                                   "Next gap: code that never ran (n)", () => next(gaps()), "gaps");
        toPrevious.setAttribute("aria-label", "Previous gap");
        toPrevious.disabled = toNext.disabled = count === 0;
        anneal.tool("Hottest", "The hottest line, then that of the next hottest function (h)",
                    nextHottest, "wide");
    }

    function addList() {
        if (!functionTable)
            return;
        anneal.sortable(functionTable);
        functionTable.before(anneal.searchBox("Search functions", filterFunctions));
        // Long names are cut off.
        functionTable.addEventListener("mouseover", event => {
            const link = event.target.closest("a");
            if (link && !link.title)
                link.title = link.textContent;
        });
        if (matchMedia("(max-width: 900px)").matches)
            functionTable.closest("details").open = false;
    }

    document.addEventListener("DOMContentLoaded", () => {
        functionStarts();
        addList();
        addTools();
        addKeys();
        anneal.finish();
        document.querySelector(".where").append(now);
        if (strip) {
            strip.append(view);
            strip.addEventListener("pointerdown", event => {
                strip.setPointerCapture(event.pointerId);
                moveInStrip(event);
            });
            strip.addEventListener("pointermove", event => event.buttons && moveInStrip(event));
        }
        watchBlocks();
        main.addEventListener("click", onClick);
        addEventListener("hashchange", followHash);
        followHash();
        addEventListener("scroll", later, { passive: true });
        addEventListener("resize", later);
        later();
    });
})();
