/* `tailor devices`: the OpenCL devices of this machine. */
#include "driver/command.h"
#include "runtime/tailor_opencl.h"

int command_devices(const Command *command)
{
    (void)command;
    if (tl_list_devices(stdout) > 0) {
        return EXIT_OK;
    }
    fprintf(stderr, "tailor: no OpenCL device; `tailor run -b c' runs programs without one\n");
    return EXIT_ERROR;
}
