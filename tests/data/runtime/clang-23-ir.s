	.att_syntax
	.file	"parts.c"
	.text
	.globl	part                            # -- Begin function part
	.type	part,@function
part:                                   # @part
	.cfi_startproc
# %bb.0:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$88, %rsp
	.cfi_def_cfa_offset 144
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	incq	.L__profc_part+16(%rip)
	testl	%edi, %edi
	jle	.LBB0_1
# %bb.4:
	movl	%edi, %eax
	movq	%rax, 8(%rsp)                   # 8-byte Spill
	xorl	%ebx, %ebx
	movq	$0, (%rsp)                      # 8-byte Folded Spill
	xorl	%r13d, %r13d
	xorl	%ebp, %ebp
	jmp	.LBB0_5
	.p2align	4
.LBB0_7:                                #   in Loop: Header=BB0_5 Depth=1
	incq	%rbx
	cmpq	%rbx, 8(%rsp)                   # 8-byte Folded Reload
	je	.LBB0_2
.LBB0_5:                                # =>This Inner Loop Header: Depth=1
	movq	%rbx, %rax
	movabsq	$-6148914691236517205, %rcx     # imm = 0xAAAAAAAAAAAAAAAB
	mulq	%rcx
	movl	%ebp, %r14d
	shlq	$2, %rdx
	andq	$-8, %rdx
	leaq	(%rdx,%rdx,2), %rax
	leaq	functions(%rip), %rcx
	subq	%rax, %rcx
	movq	(%rcx,%rbx,8), %r12
	movq	%r12, %rdi
	leaq	.L__profd_part(%rip), %r15
	movq	%r15, %rsi
	xorl	%edx, %edx
	callq	__llvm_profile_instrument_target@PLT
	movl	%ebx, %edi
	callq	*%r12
	movl	%eax, %ebp
	addl	%r14d, %ebp
	movl	%ebp, %r12d
	andl	$31, %r12d
	movq	%r12, %rdi
	movq	%r15, %rsi
	movl	$1, %edx
	callq	__llvm_profile_instrument_memop@PLT
	leaq	16(%rsp), %rdi
	xorl	%esi, %esi
	movq	%r12, %rdx
	callq	memset@PLT
	cmpl	$4, %ebx
	jb	.LBB0_7
# %bb.6:                                #   in Loop: Header=BB0_5 Depth=1
	incq	%r13
	movl	%ebx, %eax
	andl	$15, %eax
	movl	%ebp, %ecx
	andl	$1, %ecx
	xorl	%edx, %edx
	cmpb	$0, 16(%rsp,%rax)
	sete	%dl
	movl	$1, %eax
	cmovnel	%eax, %ecx
	addq	%rdx, (%rsp)                    # 8-byte Folded Spill
	addl	%ecx, %ebp
	jmp	.LBB0_7
.LBB0_2:
	addq	%r13, .L__profc_part+8(%rip)
	movq	(%rsp), %rax                    # 8-byte Reload
	addq	%rax, .L__profc_part+24(%rip)
	movq	8(%rsp), %rax                   # 8-byte Reload
	addq	%rax, .L__profc_part(%rip)
	jmp	.LBB0_3
.LBB0_1:
	xorl	%ebp, %ebp
.LBB0_3:
	movl	%ebp, %eax
	addq	$88, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	retq
.Lfunc_end0:
	.size	part, .Lfunc_end0-part
	.cfi_endproc
                                        # -- End function
	.type	add,@function
add:                                    # @add
	.cfi_startproc
# %bb.0:
	incq	.L__profc_parts.c_add(%rip)
                                        # kill: def $edi killed $edi def $rdi
	leal	1(%rdi), %eax
	retq
.Lfunc_end1:
	.size	add, .Lfunc_end1-add
	.cfi_endproc
                                        # -- End function
	.type	twice,@function
twice:                                  # @twice
	.cfi_startproc
# %bb.0:
	incq	.L__profc_parts.c_twice(%rip)
                                        # kill: def $edi killed $edi def $rdi
	leal	(%rdi,%rdi), %eax
	retq
.Lfunc_end2:
	.size	twice, .Lfunc_end2-twice
	.cfi_endproc
                                        # -- End function
	.type	functions,@object               # @functions
	.data
	.p2align	4, 0x0
functions:
	.quad	add
	.quad	twice
	.quad	add
	.size	functions, 24

	.hidden	__llvm_profile_raw_version      # @__llvm_profile_raw_version
	.type	__llvm_profile_raw_version,@object
	.section	.rodata.__llvm_profile_raw_version,"aG",@progbits,__llvm_profile_raw_version,comdat
	.globl	__llvm_profile_raw_version
	.p2align	3, 0x0
__llvm_profile_raw_version:
	.quad	72057594037927947               # 0x10000000000000b
	.size	__llvm_profile_raw_version, 8

	.type	.L__profc_part,@object          # @__profc_part
	.section	__llvm_prf_cnts,"awG",@progbits,__profc_part
	.p2align	3, 0x0
.L__profc_part:
	.zero	32
	.size	.L__profc_part, 32

	.type	.L__profvp_part,@object         # @__profvp_part
	.section	__llvm_prf_vals,"awG",@progbits,__profc_part
	.p2align	3, 0x0
.L__profvp_part:
	.zero	16
	.size	.L__profvp_part, 16

	.type	.L__profd_part,@object          # @__profd_part
	.section	__llvm_prf_data,"awG",@progbits,__profc_part
	.p2align	3, 0x0
.L__profd_part:
	.quad	3744463923176851956             # 0x33f702195f38c9f4
	.quad	176436461465602471              # 0x272d406e31589a7
	.quad	.L__profc_part-.L__profd_part
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	.Lpart.local
	.quad	.L__profvp_part
	.long	4                               # 0x4
	.short	1                               # 0x1
	.short	1                               # 0x1
	.short	0                               # 0x0
	.short	0                               # 0x0
	.long	0                               # 0x0
	.size	.L__profd_part, 72

	.type	.L__profc_parts.c_add,@object   # @__profc_parts.c_add
	.section	__llvm_prf_cnts,"awG",@progbits,__profc_parts.c_add
	.p2align	3, 0x0
.L__profc_parts.c_add:
	.zero	8
	.size	.L__profc_parts.c_add, 8

	.type	.L__profd_parts.c_add,@object   # @__profd_parts.c_add
	.section	__llvm_prf_data,"awG",@progbits,__profc_parts.c_add
	.p2align	3, 0x0
.L__profd_parts.c_add:
	.quad	3991612834678284028             # 0x37650eb983e39efc
	.quad	742261418966908927              # 0xa4d0ad3efffffff
	.quad	.L__profc_parts.c_add-.L__profd_parts.c_add
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	add
	.quad	0
	.long	1                               # 0x1
	.zero	6
	.short	0                               # 0x0
	.long	0                               # 0x0
	.size	.L__profd_parts.c_add, 72

	.type	.L__profc_parts.c_twice,@object # @__profc_parts.c_twice
	.section	__llvm_prf_cnts,"awG",@progbits,__profc_parts.c_twice
	.p2align	3, 0x0
.L__profc_parts.c_twice:
	.zero	8
	.size	.L__profc_parts.c_twice, 8

	.type	.L__profd_parts.c_twice,@object # @__profd_parts.c_twice
	.section	__llvm_prf_data,"awG",@progbits,__profc_parts.c_twice
	.p2align	3, 0x0
.L__profd_parts.c_twice:
	.quad	8711159413793455937             # 0x78e4415548f57f41
	.quad	742261418966908927              # 0xa4d0ad3efffffff
	.quad	.L__profc_parts.c_twice-.L__profd_parts.c_twice
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	twice
	.quad	0
	.long	1                               # 0x1
	.zero	6
	.short	0                               # 0x0
	.long	0                               # 0x0
	.size	.L__profd_parts.c_twice, 72

	.type	.L__llvm_prf_vnodes,@object     # @__llvm_prf_vnodes
	.section	__llvm_prf_vnds,"awR",@progbits,unique,1
	.p2align	3, 0x0
.L__llvm_prf_vnodes:
	.zero	240
	.size	.L__llvm_prf_vnodes, 240

	.type	.L__llvm_prf_nm,@object         # @__llvm_prf_nm
	.section	__llvm_prf_names,"aR",@progbits,unique,2
.L__llvm_prf_nm:
	.ascii	"\036\035x\332+H,*a,\000\022\305z\311\326\211))pvIyfr*\000\250*\n\353"
	.size	.L__llvm_prf_nm, 31

	.hidden	__llvm_profile_filename         # @__llvm_profile_filename
	.type	__llvm_profile_filename,@object
	.section	.rodata.__llvm_profile_filename,"aG",@progbits,__llvm_profile_filename,comdat
	.globl	__llvm_profile_filename
	.p2align	4, 0x0
__llvm_profile_filename:
	.asciz	"default_%m.profraw"
	.size	__llvm_profile_filename, 19

	.type	.Lpart.local,@function
.Lpart.local = part
	.section	".note.GNU-stack","",@progbits
