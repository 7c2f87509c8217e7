/*
 * The picture of an evaluation: pages touched as a function of time, and faults below, each for the
 * binary as it is and as it will be. One file, readable in light and dark surroundings.
 */
#include <anneal/order.h>

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

enum {
    WIDTH = 720,
    LEFT = 64,
    RIGHT = 130,
    TOP = 56,
    PANEL = 220,
    GAP = 64,
    BOTTOM = 48,
    TICKS = 4
};

static const double plot_width = WIDTH - LEFT - RIGHT;

static double largest(const double *one, const double *other)
{
    double most = 1;
    for (size_t p = 0; p < AN_ORDER_CURVE_POINTS; p++) {
        most = one[p] > most ? one[p] : most;
        most = other[p] > most ? other[p] : most;
    }
    return most;
}

static double x_of(size_t point)
{
    return LEFT + plot_width * (double)(point + 1) / AN_ORDER_CURVE_POINTS;
}

static void put_text(struct an_buffer *svg, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '&' || *text == '>')
            an_buffer_print(svg, "&#%d;", *text);
        else
            an_buffer_put(svg, text, 1);
}

static void put_curve(struct an_buffer *svg, const double *points, double most, double top,
                      const char *class, const char *label, double label_shift)
{
    double bottom = top + PANEL, last = bottom - PANEL * points[AN_ORDER_CURVE_POINTS - 1] / most;
    an_buffer_print(svg, "<polyline class=\"%s\" points=\"%d,%.1f", class, LEFT, bottom);
    for (size_t p = 0; p < AN_ORDER_CURVE_POINTS; p++)
        an_buffer_print(svg, " %.1f,%.1f", x_of(p), bottom - PANEL * points[p] / most);
    an_buffer_print(svg, "\"/>\n<text class=\"%s-text\" x=\"%.1f\" y=\"%.1f\">%s: %.0f</text>\n",
                    class, x_of(AN_ORDER_CURVE_POINTS - 1) + 8, last + 4 + label_shift, label,
                    points[AN_ORDER_CURVE_POINTS - 1]);
}

static void put_grid(struct an_buffer *svg, double most, double top)
{
    for (int t = 0; t <= TICKS; t++) {
        double y = top + PANEL - PANEL * (double)t / TICKS;
        an_buffer_print(svg,
                        "<line class=\"grid\" x1=\"%d\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                        LEFT, LEFT + plot_width, y, y);
        an_buffer_print(
            svg, "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n",
            LEFT - 8, y + 4, most * t / TICKS);
    }
}

static void put_panel(struct an_buffer *svg, const char *title, const double *before,
                      const double *after, double top)
{
    double most = largest(before, after);
    double apart =
        PANEL * (before[AN_ORDER_CURVE_POINTS - 1] - after[AN_ORDER_CURVE_POINTS - 1]) / most;
    double shift = apart > -16 && apart < 16 ? (16 - (apart < 0 ? -apart : apart)) / 2 : 0;
    an_buffer_print(svg, "<text class=\"title\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT, top - 12,
                    title);
    put_grid(svg, most, top);
    put_curve(svg, before, most, top, "now", "now", apart < 0 ? shift : -shift);
    put_curve(svg, after, most, top, "ordered", "ordered", apart < 0 ? -shift : shift);
}

static void put_head(struct an_buffer *svg, const char *binary,
                     const struct an_order_evaluation *evaluation, int height)
{
    an_buffer_print(svg,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                    "height=\"%d\" role=\"img\">\n<title>Page faults on the text of ",
                    WIDTH, height, WIDTH, height);
    put_text(svg, binary);
    an_buffer_print(
        svg, "</title>\n<style>\n"
             "svg { background: #fff; color: #222; font: 13px system-ui, sans-serif }\n"
             "text { fill: currentColor } .title { font-weight: 600 } .tick, .axis { fill: #777 }\n"
             ".grid { stroke: #7774; } polyline { fill: none; stroke-width: 2 }\n"
             ".now { stroke: #c2570c } .now-text { fill: #c2570c }\n"
             ".ordered { stroke: #2563eb } .ordered-text { fill: #2563eb }\n"
             "@media (prefers-color-scheme: dark) { svg { background: #16181d; color: #ddd }\n"
             ".now { stroke: #f59e5b } .now-text { fill: #f59e5b }\n"
             ".ordered { stroke: #7aa7ff } .ordered-text { fill: #7aa7ff } }\n</style>\n");
    an_buffer_print(svg, "<text x=\"%d\" y=\"24\">", LEFT);
    put_text(svg, binary);
    an_buffer_print(svg, ", mean of %zu run%s</text>\n", evaluation->runs,
                    evaluation->runs == 1 ? "" : "s");
}

enum an_code an_order_draw(const struct an_order_evaluation *evaluation, const char *binary,
                           unsigned around, char **text, size_t *size, struct an_error *error)
{
    struct an_buffer svg = {0};
    char title[96];
    int height = TOP + 2 * PANEL + GAP + BOTTOM;
    put_head(&svg, binary, evaluation, height);
    put_panel(&svg, "Pages of text touched", evaluation->before.pages_curve,
              evaluation->after.pages_curve, TOP);
    snprintf(title, sizeof title, "Faults, each mapping %u pages", around);
    put_panel(&svg, title, evaluation->before.faults_curve, evaluation->after.faults_curve,
              TOP + PANEL + GAP);
    an_buffer_print(&svg,
                    "<text class=\"axis\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">functions "
                    "entered, from the first to the last of a run</text>\n</svg>\n",
                    LEFT + plot_width / 2, height - 16);
    if (svg.failed) {
        an_buffer_free(&svg);
        return an_fail_memory(error);
    }
    *text = (char *)svg.data;
    *size = svg.size;
    return AN_OK;
}
