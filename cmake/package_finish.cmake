# Run by CPack between installing and packing: compresses the man pages and strips the plugin, as
# Debian's policy demands.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
file(GLOB pages ${root}/share/man/man1/*.1)
foreach(page ${pages})
	execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(CREATE_LINK snag-cc.1.gz ${root}/share/man/man1/snag-c++.1.gz SYMBOLIC)
file(CREATE_LINK snag-cc.1.gz ${root}/share/man/man1/snag-fc.1.gz SYMBOLIC)
file(GLOB plugins ${root}/lib/snag/*.so)
foreach(plugin ${plugins})
	execute_process(COMMAND strip --strip-unneeded --remove-section=.comment --remove-section=.note ${plugin}
		COMMAND_ERROR_IS_FATAL ANY)
endforeach()
# One package has all of snag: its library is for programs that link the runtime of tasks.  The
# archive without code stands in for that of the compiler.  There is no address to write to yet.
file(MAKE_DIRECTORY ${root}/share/lintian/overrides)
file(WRITE ${root}/share/lintian/overrides/snag "snag: package-name-doesnt-match-sonames
snag: link-to-shared-library-in-wrong-package
snag: maintscript-calls-ldconfig
snag: no-code-sections
snag: bogus-mail-host
snag: bogus-mail-host-in-debian-changelog
")
