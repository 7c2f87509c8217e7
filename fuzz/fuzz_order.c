/*
 * Takes any bytes for a program whose functions are to be ordered: reads its functions, makes up runs, heat and calls of
 * them, orders them in all ways, and lays them out. Claims: an order has each function once, a place is one of the image's,
 * threads make no difference, and the model of pages adds up.
 */
#include <anneal/order.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

const bool takes_several_files = false;

enum { MOST_FUNCTIONS = 400 };

static void claim_sound(const struct an_image *image)
{
    size_t count;
    const struct an_image_function *functions = an_image_functions(image, &count);
    claim(count);
    for (size_t i = 0; i < count; i++) {
        claim(functions[i].name[0]);
        claim(functions[i].alignment && !(functions[i].alignment & (functions[i].alignment - 1)));
        claim(!i || an_image_is_object(image) || functions[i].address > functions[i - 1].address);
    }
}

/* Two runs and heat of the image's own functions; calls out of its code. */
static struct an_behaviour *make_up(const struct an_image *image)
{
    struct an_behaviour *behaviour = an_behaviour_new();
    struct an_error error;
    size_t count, used = 0;
    const struct an_image_function *functions = an_image_functions(image, &count);
    const char *names[MOST_FUNCTIONS];
    for (size_t i = 0; i < count && used < MOST_FUNCTIONS; i += 1 + i % 3)
        names[used++] = functions[i].name;
    claim(an_behaviour_add_run(behaviour, names, used, 2, &error) == AN_OK);
    for (size_t i = 0; i < used / 2; i++) {
        const char *name = names[i];
        names[i] = names[used - 1 - i];
        names[used - 1 - i] = name;
    }
    claim(an_behaviour_add_run(behaviour, names, used - used / 3, 1, &error) == AN_OK);
    for (size_t i = 0; i < used; i += 2)
        claim(an_behaviour_add_heat(behaviour, names[i], 1 + i * 977 % 1000, &error) == AN_OK);
    claim(an_behaviour_add_calls_of(behaviour, image, &error) == AN_OK);
    claim(an_behaviour_add_entry(behaviour, image, &error) == AN_OK);
    claim(an_behaviour_runs(behaviour) == 2);
    return behaviour;
}

static void claim_each_once(const struct an_order *order, size_t functions)
{
    bool *seen = calloc(functions + 1, 1);
    claim(order->count <= functions);
    for (size_t i = 0; i < order->count; i++) {
        claim(order->functions[i] < functions && !seen[order->functions[i]]);
        seen[order->functions[i]] = true;
    }
    free(seen);
}

static void walk(const struct an_behaviour *behaviour, const struct an_pages_layout *layout)
{
    static const struct an_pages_kernel kernels[] = {
        {4096, 1, 0, 0, 0}, {4096, 16, 0, 32, 5}, {16384, 4, 8, 8, 3}};
    struct an_error error;
    for (size_t r = 0; r < an_behaviour_runs(behaviour); r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            struct an_pages_cost cost;
            claim(an_pages_touch(layout, &run, &kernels[k], NULL, &cost, &error) == AN_OK);
            claim(cost.entered <= run.count && cost.major <= cost.faults);
            claim(cost.faults <= cost.pages || kernels[k].around > 1);
            claim(cost.area <= (double)cost.faults * (double)cost.entered);
        }
    }
    struct an_pages_heat heat;
    if (layout->end - layout->start > 1 << 26)
        return; /* a word for each page */
    claim(an_pages_heat(behaviour, layout, 4096, &heat, &error) == AN_OK);
    claim(heat.pages[0] <= heat.pages[1] && heat.pages[1] <= heat.pages[2]);
    claim(heat.calls_within >= 0 && heat.calls_within <= 1);
}

static void lay_out(const struct an_behaviour *behaviour, const struct an_matches *matches,
                    const struct an_image *image, const struct an_order *order)
{
    struct an_pages_layout layout;
    struct an_order placed;
    struct an_error error;
    size_t count;
    an_image_functions(image, &count);
    claim(an_order_place(order, matches, image, &placed, &error) == AN_OK);
    claim_each_once(&placed, count);
    if (!an_image_is_object(image)) {
        claim(an_pages_layout_now(behaviour, matches, image, &layout, &error) == AN_OK);
        walk(behaviour, &layout);
        an_pages_layout_free(&layout);
        claim(an_pages_layout_new(behaviour, matches, image, &placed, &layout, &error) == AN_OK);
        walk(behaviour, &layout);
        an_pages_layout_free(&layout);
    }
    for (int format = AN_ORDER_LLD; format <= AN_ORDER_LD64; format++) {
        char *text = NULL;
        size_t size = 0;
        enum an_code code = an_order_write(behaviour, order, matches, (enum an_order_format)format,
                                           &text, &size, &error);
        claim(code == AN_OK ? size > 0 : code == AN_EMPTY && !text); /* there is nothing to order */
        free(text);
    }
    an_order_free(&placed);
}

static void order_all(const struct an_image *image)
{
    struct an_behaviour *behaviour = make_up(image);
    struct an_matches *matches;
    struct an_error error;
    struct an_order orders[3], again;
    claim(an_matches_find(behaviour, image, &matches, &error) == AN_OK);
    struct an_order_options options = {
        .size = sizeof options, .matches = matches, .image = image, .threads = 1};
    claim(an_order_startup(behaviour, &options, &orders[0], &error) == AN_OK);
    claim(an_order_hot(behaviour, &options, &orders[1], &error) == AN_OK);
    claim(an_order_blend(behaviour, &options, 0.9, &orders[2], &error) == AN_OK);
    options.threads = 2;
    claim(an_order_startup(behaviour, &options, &again, &error) == AN_OK);
    claim(again.count == orders[0].count);
    claim(memcmp(again.functions, orders[0].functions, again.count * sizeof *again.functions) == 0);
    an_order_free(&again);
    for (int i = 0; i < 3; i++) {
        claim_each_once(&orders[i], an_behaviour_functions(behaviour));
        lay_out(behaviour, matches, image, &orders[i]);
        an_order_free(&orders[i]);
    }
    an_matches_free(matches);
    an_behaviour_free(behaviour);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[40];
    struct an_image *image;
    struct an_error error = {0};
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    claim(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    enum an_code code = an_image_open(&image, path, &error);
    if (code == AN_OK) {
        claim_sound(image);
        order_all(image);
        an_image_close(image);
    } else {
        claim(!image);
        claim_good_error(code, &error);
    }
    close(fd);
    return 0;
}
