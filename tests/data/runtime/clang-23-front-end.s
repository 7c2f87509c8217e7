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
	subq	$72, %rsp
	.cfi_def_cfa_offset 128
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	incq	.L__profc_part(%rip)
	testl	%edi, %edi
	jle	.LBB0_1
# %bb.3:
	movl	%edi, %ebx
	xorl	%r14d, %r14d
	leaq	functions(%rip), %r12
	movq	%rsp, %r15
	xorl	%ebp, %ebp
	jmp	.LBB0_4
	.p2align	4
.LBB0_9:                                #   in Loop: Header=BB0_4 Depth=1
	orb	$1, .L__profbm_part(%rip)
.LBB0_10:                               #   in Loop: Header=BB0_4 Depth=1
	incq	%r14
	addq	$8, %r12
	cmpl	%r14d, %ebx
	je	.LBB0_2
.LBB0_4:                                # =>This Inner Loop Header: Depth=1
	movl	%ebp, %r13d
	movq	%r14, %rax
	movabsq	$-6148914691236517205, %rcx     # imm = 0xAAAAAAAAAAAAAAAB
	mulq	%rcx
	shlq	$2, %rdx
	andq	$-8, %rdx
	leaq	(%rdx,%rdx,2), %rax
	movq	%r12, %rcx
	subq	%rax, %rcx
	incq	.L__profc_part+8(%rip)
	movq	(%rcx), %rax
	movl	%r14d, %edi
	callq	*%rax
	movl	%eax, %ebp
	addl	%r13d, %ebp
	movl	%ebp, %edx
	andl	$31, %edx
	movq	%r15, %rdi
	xorl	%esi, %esi
	callq	memset@PLT
	cmpl	$4, %r14d
	jb	.LBB0_9
# %bb.5:                                #   in Loop: Header=BB0_4 Depth=1
	incq	.L__profc_part+24(%rip)
	movl	%r14d, %ecx
	andl	$15, %ecx
	movb	$2, %al
	cmpb	$0, (%rsp,%rcx)
	jne	.LBB0_8
# %bb.6:                                #   in Loop: Header=BB0_4 Depth=1
	incq	.L__profc_part+32(%rip)
	movb	$8, %al
	testb	$1, %bpl
	jne	.LBB0_8
# %bb.7:                                #   in Loop: Header=BB0_4 Depth=1
	incq	.L__profc_part+40(%rip)
	orb	$4, .L__profbm_part(%rip)
	jmp	.LBB0_10
	.p2align	4
.LBB0_8:                                #   in Loop: Header=BB0_4 Depth=1
	orb	%al, .L__profbm_part(%rip)
	incq	.L__profc_part+16(%rip)
	incl	%ebp
	jmp	.LBB0_10
.LBB0_1:
	xorl	%ebp, %ebp
.LBB0_2:
	movl	%ebp, %eax
	addq	$72, %rsp
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

	.hidden	__covrec_33F702195F38C9F4u      # @__covrec_33F702195F38C9F4u
	.type	__covrec_33F702195F38C9F4u,@object
	.section	__llvm_covfun,"GR",@progbits,__covrec_33F702195F38C9F4u,comdat,unique,1
	.weak	__covrec_33F702195F38C9F4u
	.p2align	3, 0x0
__covrec_33F702195F38C9F4u:
	.quad	3744463923176851956             # 0x33f702195f38c9f4
	.long	142                             # 0x8e
	.quad	79702391268119640               # 0x11b28e70f491458
	.quad	-336309511463216487             # 0xfb553047faa65a99
	.ascii	"\001\001\004\001\005\005\r\r\021\021\025\023\001\022\001\n\002\003\003\025\000\036 \005\001\000\025\000\036\005\000 \000#\005\000$\000\245\200\200\200\b\005\000%\005\006\005\003\r\000-\005\000\r\000\022(\004\003\000\r\000-0\r\006\001\002\000\000\r\000\022\r\000\022\000\226\200\200\200\b\r\000\026\000-\r\000\027\000!0\n\021\002\000\003\000\027\000!\021\000!\000\245\200\200\200\b\021\000%\000,0\016\025\003\000\000\000%\000,\t\000.\001\215\200\200\200\b\t\001\r\000\022"
	.size	__covrec_33F702195F38C9F4u, 170

	.hidden	__covrec_DD3B196E36FEA49Fu      # @__covrec_DD3B196E36FEA49Fu
	.type	__covrec_DD3B196E36FEA49Fu,@object
	.section	__llvm_covfun,"GR",@progbits,__covrec_DD3B196E36FEA49Fu,comdat,unique,2
	.weak	__covrec_DD3B196E36FEA49Fu
	.p2align	3, 0x0
__covrec_DD3B196E36FEA49Fu:
	.quad	-2505380806541794145            # 0xdd3b196e36fea49f
	.long	9                               # 0x9
	.quad	24                              # 0x18
	.quad	-336309511463216487             # 0xfb553047faa65a99
	.ascii	"\001\001\000\001\001\b\001\002\002"
	.size	__covrec_DD3B196E36FEA49Fu, 37

	.hidden	__covrec_9AAFCD2E8515CBA5u      # @__covrec_9AAFCD2E8515CBA5u
	.type	__covrec_9AAFCD2E8515CBA5u,@object
	.section	__llvm_covfun,"GR",@progbits,__covrec_9AAFCD2E8515CBA5u,comdat,unique,3
	.weak	__covrec_9AAFCD2E8515CBA5u
	.p2align	3, 0x0
__covrec_9AAFCD2E8515CBA5u:
	.quad	-7300390871259296859            # 0x9aafcd2e8515cba5
	.long	9                               # 0x9
	.quad	24                              # 0x18
	.quad	-336309511463216487             # 0xfb553047faa65a99
	.ascii	"\001\001\000\001\001\f\001\002\002"
	.size	__covrec_9AAFCD2E8515CBA5u, 37

	.type	.L__llvm_coverage_mapping,@object # @__llvm_coverage_mapping
	.section	__llvm_covmap,"R",@progbits,unique,4
	.p2align	3, 0x0
.L__llvm_coverage_mapping:
	.long	0                               # 0x0
	.long	38                              # 0x26
	.long	0                               # 0x0
	.long	6                               # 0x6
	.ascii	"\002\033#x\332\023\322/\317/\312\326-*\315+\311\314M\325OI,Id/H,*)\326K\006\000\206N\t\301"
	.zero	2
	.size	.L__llvm_coverage_mapping, 56

	.type	.L__profbm_part,@object         # @__profbm_part
	.section	__llvm_prf_bits,"awG",@progbits,__profbm_part
.L__profbm_part:
	.zero	1
	.size	.L__profbm_part, 1

	.type	.L__profc_part,@object          # @__profc_part
	.section	__llvm_prf_cnts,"awG",@progbits,__profc_part
	.p2align	3, 0x0
.L__profc_part:
	.zero	48
	.size	.L__profc_part, 48

	.type	.L__profd_part,@object          # @__profd_part
	.section	__llvm_prf_data,"awG",@progbits,__profc_part
	.p2align	3, 0x0
.L__profd_part:
	.quad	3744463923176851956             # 0x33f702195f38c9f4
	.quad	79702391268119640               # 0x11b28e70f491458
	.quad	.L__profc_part-.L__profd_part
	.quad	0                               # 0x0
	.quad	.L__profbm_part-.L__profd_part
	.quad	0
	.quad	0
	.long	6                               # 0x6
	.zero	6
	.short	0                               # 0x0
	.long	1                               # 0x1
	.size	.L__profd_part, 72

	.type	.L__profbm_parts.c_add,@object  # @__profbm_parts.c_add
	.section	__llvm_prf_bits,"awG",@progbits,__profbm_parts.c_add
.L__profbm_parts.c_add:
	.size	.L__profbm_parts.c_add, 0

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
	.quad	-2505380806541794145            # 0xdd3b196e36fea49f
	.quad	24                              # 0x18
	.quad	.L__profc_parts.c_add-.L__profd_parts.c_add
	.quad	0                               # 0x0
	.quad	.L__profbm_parts.c_add-.L__profd_parts.c_add
	.quad	0
	.quad	0
	.long	1                               # 0x1
	.zero	6
	.short	0                               # 0x0
	.long	0                               # 0x0
	.size	.L__profd_parts.c_add, 72

	.type	.L__profbm_parts.c_twice,@object # @__profbm_parts.c_twice
	.section	__llvm_prf_bits,"awG",@progbits,__profbm_parts.c_twice
.L__profbm_parts.c_twice:
	.size	.L__profbm_parts.c_twice, 0

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
	.quad	-7300390871259296859            # 0x9aafcd2e8515cba5
	.quad	24                              # 0x18
	.quad	.L__profc_parts.c_twice-.L__profd_parts.c_twice
	.quad	0                               # 0x0
	.quad	.L__profbm_parts.c_twice-.L__profd_parts.c_twice
	.quad	0
	.quad	0
	.long	1                               # 0x1
	.zero	6
	.short	0                               # 0x0
	.long	0                               # 0x0
	.size	.L__profd_parts.c_twice, 72

	.type	.L__llvm_prf_nm,@object         # @__llvm_prf_nm
	.section	__llvm_prf_names,"aR",@progbits,unique,5
.L__llvm_prf_nm:
	.ascii	"\036\035x\332+H,*a,\000\022\305z\311V\211))pvIyfr*\000\250\022\n\351"
	.size	.L__llvm_prf_nm, 31

	.section	".note.GNU-stack","",@progbits
