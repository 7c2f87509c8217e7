/*
 * The vectors of the Cortex-M3, where thread-local variables are, and calls of the debugger.
 */
        .syntax unified
        .thumb
        .section .vectors, "a"
        .word   __stack_end
        .word   board_start
        .word   board_fault             /* NMI */
        .word   board_fault             /* HardFault */
        .word   board_fault             /* MemManage */
        .word   board_fault             /* BusFault */
        .word   board_fault             /* UsageFault */
        .word   0, 0, 0, 0
        .word   board_fault             /* SVCall */
        .word   board_fault             /* DebugMonitor */
        .word   0
        .word   board_fault             /* PendSV */
        .word   board_tick              /* SysTick */

        /*
         * What the compiler calls for the thread pointer, which may change no register but r0. The block begins
         * 8 bytes behind it (Addenda to the ABI for the Arm Architecture, "Thread Local Storage").
         */
        .text
        .thumb_func
        .globl  __aeabi_read_tp
__aeabi_read_tp:
        ldr     r0, =__tls_start - 8
        bx      lr

        .thumb_func
        .globl  board_call_debugger
board_call_debugger:
        bkpt    0xab
        bx      lr

        .section .note.GNU-stack, "", %progbits
