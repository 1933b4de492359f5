/* `tailor opt`: core passes alone, in the order given, so that each can be tested from text to
   text.

       tailor opt --passes=inline,simplify --explain sum.core

   The program is checked after each pass. --explain tells on standard error which rule of the
   simplifier was applied how often. */
#include "driver/compile.h"
#include "driver/files.h"

/* The next name of a list "a,b,c", or NULL at its end. */
static const char *next_name(Compilation *c, const char **list)
{
    const char *start = *list;
    if (*start == '\0') {
        return NULL;
    }
    size_t length = strcspn(start, ",");
    *list = start + length + (start[length] == ',');
    return arena_text(c->arena, start, length);
}

static bool names_are_known(const Command *command)
{
    const char *list = command->passes, *name;
    while ((name = next_name(command->c, &list)) != NULL) {
        if (!pipeline_is_transformation(name)) {
            fprintf(stderr, "tailor: no pass of core is called '%s'; they are %s\n", name,
                    pipeline_transformation_names(command->c));
            return false;
        }
    }
    return true;
}

static void explain(const Pipeline *p)
{
    for (int rule = 0; rule < CORE_RULE_COUNT; rule++) {
        if (p->rule_counts[rule] > 0) {
            fprintf(stderr, "%8zu  %s [%s]\n", p->rule_counts[rule], core_rule_text((CoreRule)rule),
                    core_rule_source((CoreRule)rule));
        }
    }
}

int command_opt(const Command *command)
{
    Compilation *c = command->c;
    Pipeline p;
    if (!names_are_known(command)) {
        return EXIT_USAGE;
    }
    if (!compile_file(command, FORM_CORE, KERNEL_PARALLEL, &p)) {
        return EXIT_ERROR;
    }
    const char *list = command->passes, *name;
    bool ok = true;
    while (ok && (name = next_name(c, &list)) != NULL) {
        ok = pipeline_transform(&p, name);
    }
    c->pass = "driver";
    diagnostics_print(c->diagnostics, stderr);
    if (!ok) {
        return EXIT_ERROR;
    }
    if (command->explain) {
        explain(&p);
    }
    if (command->run_after) {
        return interpret_program(command, p.core, p.program_name);
    }
    Text text = text_create(c->arena);
    pipeline_print(&p, &text);
    return files_write(c, command->output, text_get(&text), text.length) ? EXIT_OK : EXIT_ERROR;
}
