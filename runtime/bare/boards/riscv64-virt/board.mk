# QEMU's RISC-V machine with four harts. Debian: gcc-riscv64-unknown-elf, qemu-system-misc
CROSS = riscv64-unknown-elf-
GCC_FLAGS = -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany
CLANG_FLAGS = --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mcmodel=medany
LD_FLAGS = -Wl,--no-warn-rwx-segments
QEMU = qemu-system-riscv64 -M virt -smp 4 -m 64M -bios none -nographic -kernel
