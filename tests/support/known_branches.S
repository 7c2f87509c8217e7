/*
 * The code of known_branches.c: branches that are taken a known number of times in each round, and
 * the table that says how often. Each group of branches is a function that known_rounds calls.
 *
 * rax, rcx, rdx: the divisions. rbx: the generator's state, r9 and r10: its factor and summand. r8:
 * the run. r12: the list. r13, r14: groups, and the number of the current one. r15: rounds to go.
 */
.macro slow
.rept 4
    xorl %edx, %edx
    divl %ecx
.endr
.endm

/* The uppermost bits of a linear congruential generator, in rsi. */
.macro draw bits
    imulq %r9, %rbx
    addq %r10, %rbx
    movq %rbx, %rsi
    shrq $64-\bits, %rsi
.endm

.macro edge group from to times of always
.pushsection .rodata.edges, "a"
    .quad \from, \to
    .long \times, \of, \always
    .ascii "\group\()\0\0\0"
.popsection
.endm

.macro function name
    .p2align 4
    .globl \name
    .type \name, @function
\name:
.endm

.macro group letter name
    edge \letter .Lcall \name 1 1 1
    edge \letter .L\name\()_end .Lreturn 1 1 1
    function \name
    slow
.endm

.pushsection .rodata.edges, "a"
    .p2align 3
    .globl known_edges
known_edges:
.popsection
.text

/* ---- the rounds ---- */
    function known_rounds
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    movq %rdi, %r8
    movq %rsi, %r15
    movq (%r8), %rbx
    movq 8(%r8), %r12
    movq 16(%r8), %r13
    xorl %r14d, %r14d
    movabsq $6364136223846793005, %r9
    movabsq $1442695040888963407, %r10
    movl $1, %ecx
    movl $12345, %eax
    .globl known_round, known_next, known_again
known_round:
    slow
.Lcall:
    call *(%r13,%r14,8)
.Lreturn:
    slow
    incq %r14
    cmpq 24(%r8), %r14
known_next:
    jb known_round
    xorl %r14d, %r14d
    decq %r15
known_again:
    jnz known_round
    movq %rbx, (%r8)
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size known_rounds, .-known_rounds

/* ---- a: a switch ---- */
    group a known_switch
    draw 3
1:  jmp *.Lcases(,%rsi,8)
.macro case number times
    edge a 1b .Lcase\number \times 8 1
    edge a .Lcase\number\()_end .Lknown_switch_join \times 8 1
.Lcase\number:
    slow
.Lcase\number\()_end:
    jmp .Lknown_switch_join
.endm
    case 0 4
    case 1 2
    case 2 1
    case 3 1
.Lknown_switch_join:
    slow
.Lknown_switch_end:
    ret
    .size known_switch, .-known_switch
.pushsection .rodata
    .p2align 3
.Lcases:
    .quad .Lcase0, .Lcase1, .Lcase0, .Lcase2, .Lcase0, .Lcase1, .Lcase0, .Lcase3
.popsection

/* ---- b: a loop in a loop ---- */
    group b known_loops
    movl $3, %edi
    movl $5, %esi
    edge b 1f 3f 1 1 1
1:  jmp 3f
2:  slow
    movl $5, %esi
    edge b 1f 3f 2 1 1
1:  jmp 3f
3:  slow
    decl %esi
    edge b 1f 3b 12 1 0
1:  jnz 3b
    decl %edi
    edge b 1f 2b 2 1 0
1:  jnz 2b
.Lknown_loops_end:
    ret
    .size known_loops, .-known_loops

/* ---- c: calls through pointers ---- */
    group c known_calls
    draw 3
1:  call *.Lcallees(,%rsi,8)
2:  slow
.Lknown_calls_end:
    ret
    .size known_calls, .-known_calls
.macro callee number times
    edge c 1b known_callee\number \times 8 1
    edge c .Lcallee\number\()_end 2b \times 8 1
    function known_callee\number
    slow
.Lcallee\number\()_end:
    ret
    .size known_callee\number, .-known_callee\number
.endm
    callee 0 3
    callee 1 3
    callee 2 1
    callee 3 1
.pushsection .rodata
    .p2align 3
.Lcallees:
    .quad known_callee0, known_callee1, known_callee0, known_callee2
    .quad known_callee1, known_callee0, known_callee1, known_callee3
.popsection

/* ---- d: conditional branches ---- */
    group d known_conditions
.macro condition eighths
    draw 3
    cmpl $\eighths, %esi
    edge d 1f 3f \eighths 8 0
1:  jb 3f
    edge d 2f 5f 8-\eighths 8 1
2:  jmp 5f
3:  slow
    edge d 4f 5f \eighths 8 1
4:  jmp 5f
5:  slow
.endm
    condition 2
    condition 4
    condition 7
.Lknown_conditions_end:
    ret
    .size known_conditions, .-known_conditions

/* ---- e: a system call ---- */
    group e known_system
.rept 24
    edge e 1f 2f 1 1 1
1:  jmp 2f
    nop
2:  slow
.endr
    movl $110, %eax /* getppid */
    syscall
    movl $1, %ecx
.Lknown_system_end:
    ret
    .size known_system, .-known_system

/* ---- f: recursion ---- */
    group f known_recursion
    draw 2
    incl %esi
    edge f 1f known_deeper 1 1 1
1:  call known_deeper
2:  slow
.Lknown_recursion_end:
    ret
    .size known_recursion, .-known_recursion
    function known_deeper
    slow
    decl %esi
    edge f 1f 5f 1 1 0
1:  jz 5f
    edge f 3f known_deeper 6 4 1
3:  call known_deeper
4:  slow
    edge f 1f 2b 3 4 1
    edge f 1f 4b 3 4 1
1:  ret
5:  slow
    edge f 1f 2b 1 4 1
    edge f 1f 4b 3 4 1
1:  ret
    .size known_deeper, .-known_deeper

/* ---- g: a list ---- */
    group g known_list
    movq %r12, %rsi
    edge g 1f 2f 1 1 1
1:  jmp 2f
2:  slow
    movq (%rsi), %rsi
    testq %rsi, %rsi
    edge g 1f 2b 15 1 0
1:  jnz 2b
.Lknown_list_end:
    ret
    .size known_list, .-known_list
    .globl known_end
known_end:

.pushsection .rodata.edges, "a"
    .globl known_edges_end
known_edges_end:
.popsection

.section .note.GNU-stack, "", @progbits
