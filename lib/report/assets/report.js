// SPDX-License-Identifier: Apache-2.0
//
// What all pages share: light and dark, sorting, keys, and the help on them. Everything that is
// clicked is made here, so that a page without scripts shows nothing that does not work.
"use strict";

const anneal = (() => {
    const root = document.documentElement;

    // A page from the disk may be refused a memory.
    function recall(key) {
        try {
            return localStorage.getItem("anneal-" + key);
        } catch {
            return null;
        }
    }

    function remember(key, value) {
        try {
            if (value === null)
                localStorage.removeItem("anneal-" + key);
            else
                localStorage.setItem("anneal-" + key, value);
        } catch {
            // Then it is forgotten.
        }
    }

    function element(tag, attributes = {}, ...children) {
        const made = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes))
            made.setAttribute(name, value);
        made.append(...children);
        return made;
    }

    // ---- light and dark: the system's choice, until somebody makes another one ----

    const system = matchMedia("(prefers-color-scheme: dark)");

    function theme() {
        return root.dataset.theme || (system.matches ? "dark" : "light");
    }

    function switchTheme() {
        const wanted = theme() === "dark" ? "light" : "dark";
        const isSystems = wanted === (system.matches ? "dark" : "light");
        if (isSystems)
            delete root.dataset.theme;
        else
            root.dataset.theme = wanted;
        remember("theme", isSystems ? null : wanted);
        showTheme();
    }

    function showTheme() {
        const button = document.querySelector(".tools .theme");
        if (button)
            button.textContent = theme() === "dark" ? "\u2600 Light" : "\u263d Dark";
    }

    const chosen = recall("theme");
    if (chosen === "light" || chosen === "dark")
        root.dataset.theme = chosen;
    system.addEventListener("change", showTheme);

    // ---- buttons at the top ----

    function tool(label, title, action, name = "") {
        const button = element("button", { type: "button", class: name, title }, label);
        button.addEventListener("click", action);
        document.querySelector(".top .tools").append(button);
        return button;
    }

    // ---- keys ----

    const keys = new Map();
    const keyNames = [];

    // action returns nothing; name is what the help calls it, or null.
    function key(press, name, action) {
        keys.set(press, action);
        if (name)
            keyNames.push([press, name]);
    }

    function isTyping(target) {
        return target.closest && target.closest("input, textarea, select, [contenteditable]");
    }

    document.addEventListener("keydown", event => {
        if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
            return;
        if (document.querySelector("dialog[open]") && event.key !== "?")
            return;
        // A button that has the focus is pressed by Enter.
        if (event.key === "Enter" && event.target.closest("a, button, summary"))
            return;
        const action = keys.get(event.key);
        if (action) {
            event.preventDefault();
            action();
        }
    });

    function showHelp() {
        const open = document.querySelector("dialog");
        if (open) {
            open.close();
            return;
        }
        const table = element("table");
        for (const [press, name] of keyNames)
            table.append(element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, press)),
                                 element("td", {}, name)));
        const close = element("button", { type: "button", class: "more" }, "Close");
        const dialog = element("dialog", { "aria-label": "Keys" }, element("h2", {}, "Keys"), table,
                               element("p", {}, close));
        close.addEventListener("click", () => dialog.close());
        dialog.addEventListener("close", () => dialog.remove());
        document.body.append(dialog);
        dialog.showModal();
    }

    // ---- sorting ----

    // What a cell is sorted by: a number, or null where there is none, which always comes last.
    function valueOf(cell) {
        const text = cell.dataset.v ?? cell.textContent.replace(/[,%]/g, "");
        const number = parseFloat(text);
        return Number.isNaN(number) ? null : number;
    }

    const collator = new Intl.Collator(undefined, { numeric: true });

    // Compares two rows by a column; column 0 is a name.
    function comparison(column, descending) {
        const sign = descending ? -1 : 1;
        if (column === 0)
            return (a, b) => sign * collator.compare(a.cells[0].textContent, b.cells[0].textContent);
        return (a, b) => {
            const left = valueOf(a.cells[column]), right = valueOf(b.cells[column]);
            if (left === null || right === null)
                return (left === null) - (right === null);
            return sign * (left - right);
        };
    }

    function sortRows(table, column, descending) {
        const body = table.tBodies[0];
        const rows = [...body.rows].sort(comparison(column, descending));
        body.append(...rows);
    }

    // Makes the headings of a table buttons. The first click gives what one looks for: the worst
    // covered, the most called, names from A.
    function sortable(table, apply = (column, descending) => sortRows(table, column, descending)) {
        for (const heading of table.querySelectorAll("th.sort")) {
            const column = Number(heading.dataset.c ?? heading.cellIndex);
            const button = element("button", { type: "button" }, heading.textContent);
            heading.replaceChildren(button);
            button.addEventListener("click", () => {
                const before = heading.getAttribute("aria-sort");
                const first = column === 0 || heading.classList.contains("up");
                const descending = before ? before === "ascending" : !first;
                for (const other of table.querySelectorAll("th[aria-sort]"))
                    other.removeAttribute("aria-sort");
                heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
                apply(column, descending);
            });
        }
    }

    // ---- searching ----

    // Every word must be there, in small letters or not.
    function matcher(text) {
        const words = text.toLowerCase().split(/\s+/).filter(Boolean);
        return candidate => words.every(word => candidate.toLowerCase().includes(word));
    }

    function searchBox(label, action) {
        const input = element("input", {
            type: "search", placeholder: label, "aria-label": label, autocomplete: "off",
            spellcheck: "false",
        });
        input.addEventListener("input", () => action(input.value));
        input.addEventListener("keydown", event => {
            if (event.key !== "Escape")
                return;
            input.value = "";
            action("");
            input.blur();
        });
        key("/", "search", () => {
            const details = input.closest("details");
            if (details)
                details.open = true;
            input.focus();
            input.select();
        });
        return element("div", { class: "search" }, input, element("kbd", { "aria-hidden": "true" }, "/"));
    }

    document.addEventListener("DOMContentLoaded", () => {
        document.querySelector(".top").append(element("div", { class: "tools" }));
    });

    // Last, when the page has put its own.
    function finish() {
        tool("", "Switch between light and dark", switchTheme, "theme");
        tool("?", "Keys", showHelp, "wide").setAttribute("aria-label", "Keys");
        key("?", "these keys", showHelp);
        showTheme();
    }

    return { element, tool, key, sortable, comparison, matcher, searchBox, collator, finish };
})();
