# A Cortex-M3 on Arm's MPS2 board. Debian: gcc-arm-none-eabi, qemu-system-arm
CROSS = arm-none-eabi-
GCC_FLAGS = -mcpu=cortex-m3 -mthumb
CLANG_FLAGS = --target=thumbv7m-none-eabi -mcpu=cortex-m3
LIBRARIES = -lgcc
# clang 16 and older refer to the unwinder, which nothing calls.
LD_FLAGS = -Wl,--no-warn-rwx-segments,--defsym=__aeabi_unwind_cpp_pr0=0
QEMU = qemu-system-arm -M mps2-an385 -nographic -semihosting-config enable=on,target=native -kernel
