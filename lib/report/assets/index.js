// SPDX-License-Identifier: Apache-2.0
//
// The first page: folders that open and close, a tree that is sorted in each of its folders, and the
// search for files and functions. The list of functions is a file of its own, for it may be large: it
// is loaded when it is wanted.
"use strict";

(() => {
    const { element } = anneal;
    const MANY_ROWS = 300;  // with more, folders are closed at first
    const SOME = 200;       // functions that are shown at once

    // ---- the tree ----

    // Rows come in the order of a walk; data-d tells how deep each is.
    function readTree(body) {
        const top = { row: null, path: "", children: [], open: true };
        const above = [top];
        for (const row of body.rows) {
            const depth = Number(row.dataset.d);
            const parent = above[depth];
            const node = {
                row, parent, children: [], open: true, matches: true,
                path: parent.path + row.cells[0].textContent,
            };
            parent.children.push(node);
            above[depth + 1] = node;
        }
        return top;
    }

    function walk(node, action) {
        for (const child of node.children) {
            action(child);
            walk(child, action);
        }
    }

    // A row is seen when it matches and all folders above are open.
    function showRows(node, isOpen = true) {
        for (const child of node.children) {
            child.row.hidden = !(isOpen && child.matches);
            if (child.toggle)
                child.toggle.setAttribute("aria-expanded", child.open);
            showRows(child, isOpen && child.open);
        }
    }

    function addToggle(node) {
        const label = node.row.cells[0].firstChild;
        node.toggle = element("button", { type: "button", class: "toggle", "aria-expanded": "true" },
                              label.textContent);
        label.replaceWith(node.toggle);
        node.toggle.addEventListener("click", () => {
            node.open = !node.open;
            showRows(tree);
        });
    }

    function sortTree(column, descending) {
        const compare = anneal.comparison(column, descending);
        (function sort(node) {
            node.children.sort((a, b) => compare(a.row, b.row));
            node.children.forEach(sort);
        })(tree);
        const rows = [];
        walk(tree, node => rows.push(node.row));
        table.tBodies[0].append(...rows);
    }

    function openAll(isOpen) {
        walk(tree, node => { node.open = isOpen; });
        showRows(tree);
    }

    // ---- functions ----

    const functions = { all: null, loading: false, sort: [2, true], shown: SOME };

    // Called by functions.js.
    anneal.functions = entries => {
        functions.all = [];
        for (const [path, page, ...list] of entries)
            for (const [name, line, count, part, whole] of list)
                functions.all.push({ name, path, page, line, count, part, whole });
        sortFunctions();
        search(input.value);
    };

    function loadFunctions() {
        if (functions.loading || functionCount === 0)
            return;
        functions.loading = true;
        document.head.append(element("script", { src: "functions.js" }));
    }

    const keysOf = [
        f => f.name, f => f.path, f => f.count, f => f.whole ? f.part / f.whole : null,
        f => f.whole - f.part,
    ];

    function sortFunctions() {
        const [column, descending] = functions.sort;
        const sign = descending ? -1 : 1, of = keysOf[column];
        const compare = column < 2 ? (a, b) => anneal.collator.compare(of(a), of(b)) || a.line - b.line
                                   : (a, b) => of(a) - of(b);
        functions.all.sort((a, b) => {
            if (of(a) === null || of(b) === null)
                return (of(a) === null) - (of(b) === null);
            return sign * compare(a, b);
        });
    }

    function shortNumber(number) {
        let unit = -1;
        for (; number >= 1000 && unit < 5; unit++)
            number /= 1000;
        if (unit < 0)
            return String(number);
        return (number < 100 ? (Math.floor(number * 10) / 10).toFixed(1) : Math.floor(number)) + "kMGTPE"[unit];
    }

    function percent(part, whole) {
        if (part === 0 || part >= whole)
            return part === 0 ? "0%" : "100%";
        return Math.min(Math.floor(part / whole * 1000) / 10, 99.9).toFixed(1) + "%"; // down, as in the tables
    }

    function functionRow(f) {
        const row = element("tr", f.count ? {} : { class: "u" });
        const share = element("td", { class: "share" }, "\u2013");
        if (f.whole)
            share.replaceChildren(element("i", { class: "bar", style: `--part:${percent(f.part, f.whole)}` }),
                                  percent(f.part, f.whole));
        row.append(
            element("th", { scope: "row" }, element("a", { href: `src/${f.page}#L${f.line}`, title: f.name }, f.name)),
            element("td", {}, `${f.path}:${f.line}`),
            element("td", { title: f.count.toLocaleString("en") }, shortNumber(f.count)),
            share, element("td", {}, String(f.whole - f.part)));
        return row;
    }

    function showFunctions(found) {
        const body = functionTable.tBodies[0];
        body.replaceChildren(...found.slice(0, functions.shown).map(functionRow));
        more.hidden = found.length <= functions.shown;
        more.textContent = `Show ${Math.min(found.length - functions.shown, 1000)} more ` +
            `of ${found.length.toLocaleString("en")}`;
    }

    // ---- searching ----

    function searchFiles(matches) {
        let found = 0;
        (function match(node) {
            node.matches = node.children.length === 0 && matches(node.path);
            found += node.matches;
            for (const child of node.children)
                node.matches = match(child) || node.matches;
            return node.matches;
        })(tree);
        return found;
    }

    function label(tab, name, found, all, isSearch) {
        const total = all.toLocaleString("en");
        tab.textContent = isSearch ? `${name} ${found.toLocaleString("en")} of ${total}` : `${name} ${total}`;
    }

    function search(text) {
        const matches = anneal.matcher(text), isSearch = text.trim() !== "";
        const files = searchFiles(matches);
        let found = [];
        if (isSearch) {
            walk(tree, node => { node.open = true; });
            loadFunctions();
        }
        showRows(tree);
        if (functions.all) {
            found = functions.all.filter(f => matches(f.name) || matches(`${f.path}:${f.name}`));
            showFunctions(found);
        }
        label(fileTab, "Files", files, fileCount, isSearch);
        label(functionTab, "Functions", found.length, functionCount, isSearch && functions.all);
        note.hidden = !isSearch || files > 0 || chosenTab !== fileTab;
        note.replaceChildren("No file has this in its path. ");
        if (found.length > 0) {
            const go = element("button", { type: "button" }, `Show ${found.length} functions`);
            go.addEventListener("click", () => choose(functionTab));
            note.append(go);
        }
    }

    // ---- the page ----

    const section = document.getElementById("files");
    const table = section.querySelector("table");
    const functionCount = Number(section.dataset.functions);
    const tree = readTree(table.tBodies[0]);
    let fileCount = 0;
    walk(tree, node => {
        if (node.children.length)
            addToggle(node);
        else
            fileCount++;
    });

    const functionTable = element("table", { class: "all-functions" });
    functionTable.createTHead().append(element("tr", {}, ...["Function", "File", "Calls", "Blocks", "Missed"].map(
        (name, column) => element("th", { scope: "col", class: column === 3 ? "sort up" : "sort" }, name))));
    functionTable.createTBody();
    functionTable.rows[0].cells[functions.sort[0]].setAttribute("aria-sort", "descending");
    const more = element("button", { type: "button", class: "more" });
    more.addEventListener("click", () => {
        functions.shown += 1000;
        search(input.value);
    });
    const functionSection = element("section", { id: "functions", role: "tabpanel", hidden: "" },
                                    functionTable, element("p", {}, more));
    section.setAttribute("role", "tabpanel");
    section.after(functionSection);

    const fileTab = element("button", { type: "button", role: "tab", "aria-controls": "files" });
    const functionTab = element("button", { type: "button", role: "tab", "aria-controls": "functions" });
    let chosenTab = fileTab;

    function choose(tab) {
        chosenTab = tab;
        for (const each of [fileTab, functionTab])
            each.setAttribute("aria-selected", each === tab);
        section.hidden = tab !== fileTab;
        functionSection.hidden = tab === fileTab;
        folds.hidden = tab !== fileTab;
        if (tab === functionTab)
            loadFunctions();
        search(input.value);
    }

    const box = anneal.searchBox("Search files and functions", search);
    const input = box.querySelector("input");
    const fold = (name, isOpen) => {
        const button = element("button", { type: "button" }, name);
        button.addEventListener("click", () => openAll(isOpen));
        return button;
    };
    const folds = element("div", { class: "tools" }, fold("Open all", true), fold("Close all", false));
    const note = element("p", { class: "note", role: "status", hidden: "" });
    fileTab.addEventListener("click", () => choose(fileTab));
    functionTab.addEventListener("click", () => choose(functionTab));
    const tabs = element("div", { class: "tabs", role: "tablist" }, fileTab, functionTab);
    tabs.addEventListener("keydown", event => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight")
            return;
        const other = chosenTab === fileTab ? functionTab : fileTab;
        choose(other);
        other.focus();
    });
    section.before(element("div", { class: "bar-of-search" }, box, tabs, folds), note);

    document.addEventListener("DOMContentLoaded", () => {
        anneal.sortable(table, sortTree);
        anneal.sortable(functionTable, (column, descending) => {
            functions.sort = [column, descending];
            if (functions.all)
                sortFunctions();
            search(input.value);
        });
        anneal.key("f", "files or functions", () => choose(chosenTab === fileTab ? functionTab : fileTab));
        anneal.finish();
        // A link from a page may bring what is to be searched.
        const asked = /^#q=(.*)/.exec(location.hash);
        if (asked)
            input.value = decodeURIComponent(asked[1]);
        choose(location.hash === "#functions" ? functionTab : fileTab);
        if (!asked && table.tBodies[0].rows.length > MANY_ROWS)
            openAll(false);
    });
})();
