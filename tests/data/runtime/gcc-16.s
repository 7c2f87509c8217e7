	.file	"parts.c"
	.text
	.globl	part
	.type	part, @function
part:
.LFB2:
	.cfi_startproc
	leaq	-200(%rsp), %rsp
	.cfi_def_cfa_offset 208
	movq	%rbx, 152(%rsp)
	movq	%rbp, 160(%rsp)
	movq	%r12, 168(%rsp)
	movq	%r13, 176(%rsp)
	.cfi_offset 3, -56
	.cfi_offset 6, -48
	.cfi_offset 12, -40
	.cfi_offset 13, -32
	movl	%edi, %ebx
	data16	leaq	__gcov_indirect_call@tlsgd(%rip), %rdi
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	movq	%rax, %r13
	movl	%ebx, 12(%rsp)
	cmpq	$0, (%rax)
	jne	.L15
.L2:
	addq	$1, __gcov0.part(%rip)
	movabsq	$4260607557632, %rbp
	cmpq	$0, __gcov7.part(%rip)
	je	.L16
.L3:
	movq	$0, 80(%rsp)
	movq	$0, 88(%rsp)
	movq	$0, 96(%rsp)
	movq	$0, 104(%rsp)
	movq	$0, 112(%rsp)
	movq	$0, 120(%rsp)
	movq	$0, 128(%rsp)
	movq	$0, 136(%rsp)
	movq	__gcov9.part(%rip), %rax
	cmpl	$0, 12(%rsp)
	jle	.L12
	movq	%r14, 184(%rsp)
	movq	%r15, 192(%rsp)
	movl	$0, %ebx
	movl	$0, %r12d
	.cfi_remember_state
	.cfi_offset 14, -24
	.cfi_offset 15, -16
	leaq	functions(%rip), %r15
	leaq	__gcov4.part(%rip), %r14
	jmp	.L10
.L15:
	.cfi_restore_state
	movq	part@GOTPCREL(%rip), %rsi
	movl	$109019232, %edi
	call	__gcov_indirect_call_profiler_v4@PLT
	jmp	.L2
.L16:
	movq	__gcov_time_profiler_counter@GOTPCREL(%rip), %rdx
	movq	(%rdx), %rax
	addq	$1, %rax
	movq	%rax, (%rdx)
	movq	%rax, __gcov7.part(%rip)
	movabsq	$133143986176, %rbp
	jmp	.L3
.L18:
	.cfi_offset 14, -24
	.cfi_offset 15, -16
	orq	$1, 8+__gcov8.part(%rip)
	addq	$1, 16+__gcov0.part(%rip)
	movabsq	$1136153102528, %rax
	andq	%rbp, %rax
	movl	$2147518656, %edx
	orq	%rdx, %rax
	jmp	.L6
.L7:
	addq	$1, 24+__gcov0.part(%rip)
	movq	%rbp, %rdx
	andl	$1572864, %edx
	orq	%rdx, %rax
	movq	%rax, __gcov9.part(%rip)
	testb	$1, %r12b
	jne	.L9
	orq	$6, 8+__gcov8.part(%rip)
	movabsq	$284041552396, %rax
	andq	%rbp, %rax
	orq	$540156428, %rax
	jmp	.L6
.L9:
	orq	$5, __gcov8.part(%rip)
	addq	$1, 32+__gcov0.part(%rip)
	movabsq	$142023921923, %rax
	andq	%rbp, %rax
	orq	$269029635, %rax
.L8:
	movq	%rax, %rdx
	andl	$14680064, %edx
	orq	%rdx, __gcov9.part(%rip)
	addl	$1, %r12d
	addq	$1, 40+__gcov0.part(%rip)
	movabsq	$710109123891, %rcx
	andq	%rcx, %rax
	orq	$12582912, %rax
.L6:
	addl	$1, %ebx
	movl	%eax, %ebp
	orl	$251658240, %ebp
	movabsq	$2130287001600, %rdx
	andq	%rdx, %rax
	orq	__gcov9.part(%rip), %rax
	cmpl	%ebx, 12(%rsp)
	je	.L17
.L10:
	orq	$1, 16+__gcov8.part(%rip)
	movq	%rbp, %rdx
	andl	$85, %edx
	orq	%rdx, %rax
	movq	%rax, __gcov9.part(%rip)
	movslq	%ebx, %rax
	imulq	$1431655766, %rax, %rax
	shrq	$32, %rax
	movl	%ebx, %edx
	sarl	$31, %edx
	subl	%edx, %eax
	leal	(%rax,%rax,2), %edx
	movl	%ebx, %eax
	subl	%edx, %eax
	cltq
	movq	(%r15,%rax,8), %rdx
	movq	%r14, 8(%r13)
	movq	%rdx, 0(%r13)
	movl	%ebx, %edi
	call	*%rdx
	addq	$1, 8+__gcov0.part(%rip)
	movq	%rbp, %rdx
	andl	$3840, %edx
	orq	%rdx, __gcov9.part(%rip)
	addl	%eax, %r12d
	movl	%r12d, %edx
	andl	$31, %edx
	leaq	80(%rsp), %rsi
	leaq	16(%rsp), %rdi
	call	memcpy@PLT
	movq	%rbp, %rax
	andl	$61440, %eax
	orq	__gcov9.part(%rip), %rax
	movq	%rax, __gcov9.part(%rip)
	cmpl	$3, %ebx
	jle	.L18
	movq	%rbp, %rdx
	andl	$458752, %edx
	orq	%rdx, %rax
	movq	%rax, __gcov9.part(%rip)
	movl	%ebx, %edx
	andl	$15, %edx
	cmpb	$0, 16(%rsp,%rdx)
	je	.L7
	orq	$3, __gcov8.part(%rip)
	movabsq	$568087299120, %rax
	andq	%rbp, %rax
	orq	$1074021424, %rax
	jmp	.L8
.L17:
	movq	184(%rsp), %r14
	.cfi_restore 14
	movq	192(%rsp), %r15
	.cfi_restore 15
.L4:
	orq	$1, 24+__gcov8.part(%rip)
	addq	$1, 48+__gcov0.part(%rip)
	movabsq	$2267742732458, %rdx
	andq	%rdx, %rbp
	orq	%rax, %rbp
	movq	%rbp, __gcov9.part(%rip)
	movl	%r12d, %eax
	movq	152(%rsp), %rbx
	movq	160(%rsp), %rbp
	movq	168(%rsp), %r12
	movq	176(%rsp), %r13
	leaq	200(%rsp), %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
.L12:
	.cfi_restore_state
	movl	$0, %r12d
	jmp	.L4
	.cfi_endproc
.LFE2:
	.size	part, .-part
	.type	twice, @function
twice:
.LFB1:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movl	%edi, %ebx
	data16	leaq	__gcov_indirect_call@tlsgd(%rip), %rdi
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	cmpq	$0, (%rax)
	jne	.L24
.L20:
	addq	$1, __gcov0.twice(%rip)
	movl	$2, %eax
	cmpq	$0, __gcov7.twice(%rip)
	je	.L25
.L21:
	orq	%rax, __gcov9.twice(%rip)
	movl	%ebx, %eax
	addl	%eax, %eax
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
.L24:
	.cfi_restore_state
	leaq	twice(%rip), %rsi
	movl	$1816951495, %edi
	call	__gcov_indirect_call_profiler_v4@PLT
	jmp	.L20
.L25:
	movq	__gcov_time_profiler_counter@GOTPCREL(%rip), %rdx
	movq	(%rdx), %rax
	addq	$1, %rax
	movq	%rax, (%rdx)
	movq	%rax, __gcov7.twice(%rip)
	movl	$1, %eax
	jmp	.L21
	.cfi_endproc
.LFE1:
	.size	twice, .-twice
	.type	add, @function
add:
.LFB0:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movl	%edi, %ebx
	data16	leaq	__gcov_indirect_call@tlsgd(%rip), %rdi
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	cmpq	$0, (%rax)
	jne	.L31
.L27:
	addq	$1, __gcov0.add(%rip)
	movl	$2, %eax
	cmpq	$0, __gcov7.add(%rip)
	je	.L32
.L28:
	orq	%rax, __gcov9.add(%rip)
	movl	%ebx, %eax
	addl	$1, %eax
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
.L31:
	.cfi_restore_state
	leaq	add(%rip), %rsi
	movl	$767632998, %edi
	call	__gcov_indirect_call_profiler_v4@PLT
	jmp	.L27
.L32:
	movq	__gcov_time_profiler_counter@GOTPCREL(%rip), %rdx
	movq	(%rdx), %rax
	addq	$1, %rax
	movq	%rax, (%rdx)
	movq	%rax, __gcov7.add(%rip)
	movl	$1, %eax
	jmp	.L28
	.cfi_endproc
.LFE0:
	.size	add, .-add
	.type	_sub_I_00100_0, @function
_sub_I_00100_0:
.LFB3:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	leaq	.LPBX0(%rip), %rdi
	call	__gcov_init@PLT
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE3:
	.size	_sub_I_00100_0, .-_sub_I_00100_0
	.section	.init_array.00100,"aw"
	.align 8
	.quad	_sub_I_00100_0
	.text
	.type	_sub_D_00100_1, @function
_sub_D_00100_1:
.LFB4:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	__gcov_exit@PLT
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE4:
	.size	_sub_D_00100_1, .-_sub_D_00100_1
	.section	.fini_array.00100,"aw"
	.align 8
	.quad	_sub_D_00100_1
	.section	.data.rel.local,"aw"
	.align 16
	.type	.LPBX1, @object
	.size	.LPBX1, 24
.LPBX1:
	.quad	__gcov_.part
	.quad	__gcov_.twice
	.quad	__gcov_.add
	.align 32
	.type	__gcov_.add, @object
	.size	__gcov_.add, 104
__gcov_.add:
	.quad	.LPBX0
	.long	767632998
	.long	1895014784
	.long	-1540324424
	.zero	4
	.long	1
	.zero	4
	.quad	__gcov0.add
	.long	0
	.zero	12
	.long	1
	.zero	4
	.quad	__gcov7.add
	.long	0
	.zero	12
	.long	1
	.zero	4
	.quad	__gcov9.add
	.align 32
	.type	__gcov_.twice, @object
	.size	__gcov_.twice, 104
__gcov_.twice:
	.quad	.LPBX0
	.long	1816951495
	.long	367831175
	.long	-1540324424
	.zero	4
	.long	1
	.zero	4
	.quad	__gcov0.twice
	.long	0
	.zero	12
	.long	1
	.zero	4
	.quad	__gcov7.twice
	.long	0
	.zero	12
	.long	1
	.zero	4
	.quad	__gcov9.twice
	.section	.rodata.str1.8,"aMS",@progbits,1
	.align 8
.LC0:
	.string	"/made/gcc-16.gcda"
	.section	.data.rel,"aw"
	.align 32
	.type	.LPBX0, @object
	.size	.LPBX0, 128
.LPBX0:
	.long	1110848042
	.zero	4
	.quad	0
	.long	515402081
	.long	801165830
	.quad	.LC0
	.quad	__gcov_merge_add
	.quad	0
	.quad	0
	.quad	0
	.quad	__gcov_merge_topn
	.quad	0
	.quad	0
	.quad	__gcov_merge_time_profile
	.quad	__gcov_merge_ior
	.quad	__gcov_merge_ior
	.long	3
	.zero	4
	.quad	.LPBX1
	.section	.data.rel.local
	.align 32
	.type	__gcov_.part, @object
	.size	__gcov_.part, 104
__gcov_.part:
	.quad	.LPBX0
	.long	109019232
	.long	1975119141
	.long	-387184028
	.zero	4
	.long	7
	.zero	4
	.quad	__gcov0.part
	.long	3
	.zero	4
	.quad	__gcov4.part
	.long	1
	.zero	4
	.quad	__gcov7.part
	.long	4
	.zero	4
	.quad	__gcov8.part
	.long	1
	.zero	4
	.quad	__gcov9.part
	.local	__gcov9.add
	.comm	__gcov9.add,8,8
	.local	__gcov7.add
	.comm	__gcov7.add,8,8
	.local	__gcov0.add
	.comm	__gcov0.add,8,8
	.local	__gcov9.twice
	.comm	__gcov9.twice,8,8
	.local	__gcov7.twice
	.comm	__gcov7.twice,8,8
	.local	__gcov0.twice
	.comm	__gcov0.twice,8,8
	.local	__gcov9.part
	.comm	__gcov9.part,8,8
	.local	__gcov8.part
	.comm	__gcov8.part,32,32
	.local	__gcov7.part
	.comm	__gcov7.part,8,8
	.local	__gcov4.part
	.comm	__gcov4.part,24,16
	.local	__gcov0.part
	.comm	__gcov0.part,56,32
	.align 16
	.type	functions, @object
	.size	functions, 24
functions:
	.quad	add
	.quad	twice
	.quad	add
	.section	.note.GNU-stack,"",@progbits
