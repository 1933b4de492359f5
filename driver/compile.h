/* What the commands share: a file's way through the pipeline. */
#ifndef DRIVER_COMPILE_H
#define DRIVER_COMPILE_H

#include "driver/command.h"

/* Reads the command's file and runs it through the pipeline to `goal`; reports diagnostics, --stats
   and
   --dump-after. False after a message. */
bool compile_file(const Command *command, Form goal, KernelTarget target, Pipeline *p);
/* The same, but diagnostics are left for the caller to print. */
bool compile_quietly(const Command *command, Form goal, KernelTarget target, Pipeline *p);
/* What --stats shows. */
void pipeline_print_stats(const Pipeline *p);

#endif
