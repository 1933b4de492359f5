/* `tailor emit` and `tailor check`: the pipeline as far as a form of the program, which is printed;
   or all of it, for the sake of its diagnostics. Also what every command does first: read the file,
   run the pipeline, report. */
#include "driver/compile.h"
#include "driver/files.h"

void pipeline_print_stats(const Pipeline *p)
{
    double total = 0;
    for (size_t i = 0; i < p->times.count; i++) {
        fprintf(stderr, "%-12s %10.3f ms\n", p->times.items[i].pass,
                p->times.items[i].milliseconds);
        total += p->times.items[i].milliseconds;
    }
    fprintf(stderr, "%-12s %10.3f ms\n", "total", total);
    fprintf(stderr, "nodes: TAIL %zu, core %zu, kernels %zu\n", p->tail ? tail_count(p->tail) : 0,
            p->core ? core_count(p->core) : 0, p->kernels ? kernel_count(p->kernels) : 0);
}

Form command_language(const Command *command)
{
    return command->language_given ? command->language : pipeline_language_of(command->file);
}

bool compile_quietly(const Command *command, Form goal, KernelTarget target, Pipeline *p)
{
    Compilation *c = command->c;
    const SourceFile *source = files_read_source(c, command->file);
    if (!source) {
        return false;
    }
    *p = pipeline_create(c, source, command_language(command));
    p->goal = goal;
    p->target = target;
    p->dump_after = command->dump_after;
    p->with_instances = command->with_instances;
    p->fusion = command->name == COMMAND_EXPLAIN ? ARENA_NEW(c->arena, CoreFusionLog) : NULL;
    if (!pipeline_leads_to(p, goal)) {
        const char *lack = p->form != FORM_SOURCE ? "a TAIL program has no tokens or tree"
                           : goal == FORM_TREE ? "a core program in the internal form has no tree"
                                               : "a core program has no tokens or TAIL";
        fprintf(stderr, "tailor: %s: %s\n", command->file, lack);
        return false;
    }
    bool ok = pipeline_run(p);
    c->pass = "driver";
    bool is_for_people = p->form == FORM_TOKENS || p->form == FORM_TREE;
    if (!ok && is_for_people && !command->output) { /* what there is of them helps */
        files_write(c, NULL, text_get(&p->text), p->text.length);
    }
    return ok;
}

bool compile_file(const Command *command, Form goal, KernelTarget target, Pipeline *p)
{
    bool ok = compile_quietly(command, goal, target, p);
    diagnostics_print(command->c->diagnostics, stderr);
    if (ok && command->stats) {
        pipeline_print_stats(p);
    }
    return ok;
}

int command_emit(const Command *command)
{
    bool is_sequential =
        command->to == FORM_C || (command->to == FORM_KERNELS && command->backend == BACKEND_C);
    if (command->output && files_same(command->file, command->output)) {
        fprintf(stderr, "tailor: %s: the output would replace the program\n", command->output);
        return EXIT_ERROR;
    }
    Pipeline p;
    if (!compile_file(command, command->to, is_sequential ? KERNEL_SEQUENTIAL : KERNEL_PARALLEL,
                      &p)) {
        return EXIT_ERROR;
    }
    Text text = text_create(command->c->arena);
    pipeline_print(&p, &text);
    bool ok = files_write(command->c, command->output, text_get(&text), text.length);
    return ok ? EXIT_OK : EXIT_ERROR;
}

int command_check(const Command *command)
{
    Pipeline p;
    return compile_file(command, FORM_KERNELS, KERNEL_SEQUENTIAL, &p) ? EXIT_OK : EXIT_ERROR;
}
