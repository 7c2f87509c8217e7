// SPDX-License-Identifier: Apache-2.0
/* Endless work for Duktape, in units of some milliseconds: JSON, sorting, regular expressions, closures. */
function unit(n) {
    var object = {}, sum = 0, i;
    for (i = 0; i < 60; i++) object['key' + i] = {a: i * n % 97, b: 'text ' + i, c: [1, 2, n, i]};
    var text = JSON.stringify(object), back = JSON.parse(text);
    var list = Object.keys(back).map(function (key) { return back[key]; });
    list.sort(function (one, other) { return one.a - other.a; });
    list.forEach(function (one) { sum += one.b.replace(/t(e)xt (\d+)/, '$2$1').length; });
    try { null.property; } catch (error) { sum += error.message.length; }
    return sum;
}
for (var n = 1;; n++) { unit(n); print(n); }
