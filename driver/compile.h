/* What the commands share: a file's way through the pipeline. */
#ifndef DRIVER_COMPILE_H
#define DRIVER_COMPILE_H

#include "driver/command.h"

/* Reads the command's file and runs it through the pipeline to `goal`; reports diagnostics, --stats
   and
   --dump-after. False after a message. */
bool compile_file(const Command *command, Form goal, KernelTarget target, Pipeline *p);

#endif
