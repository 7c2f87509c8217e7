# An Octeon on MIPS' Malta board, big-endian. Debian: gcc-mips64-linux-gnuabi64, qemu-system-mips
CROSS = mips64-linux-gnuabi64-
mips = -march=octeon -mabi=64 -mno-abicalls -fno-pic -msoft-float
GCC_FLAGS = $(mips) -msym32 -mno-branch-likely -fno-stack-protector
CLANG_FLAGS = --target=mips64-unknown-elf $(mips) -G0
LD_FLAGS = -no-pie -Wl,--no-warn-rwx-segments,--build-id=none
QEMU = qemu-system-mips64 -M malta -cpu Octeon68XX -m 64M -no-reboot -nographic -nic none -vga none -kernel
