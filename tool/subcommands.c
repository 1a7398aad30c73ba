/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all subcommands: parsing, --help, completion and the manual page begin here. */
#include "command.h"

const subcommand subcommands[] = {
    {&info_line, command_info},     {&check_line, command_check},       {&convert_line, command_convert},
    {&eval_line, command_eval},     {&gather_line, command_gather},     {&torque_line, command_torque},
    {&motor_line, command_motor},   {&retime_line, command_retime},     {&simulate_line, command_simulate},
    {&reach_line, command_reach},   {&plot_line, command_plot},         {&view_line, command_view},
    {&casadi_line, command_casadi}, {&generate_line, command_generate}, {&base_line, command_base},
    {&excite_line, command_excite}, {&identify_line, command_identify}, {&list_line, command_list},
};
const int subcommand_count = (int)(sizeof subcommands / sizeof *subcommands);
