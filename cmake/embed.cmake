# Makes a C header of text files:
#   cmake -DHEADER=FILE.h "-DNAMES=a;b" "-DFILES_a=x;y" "-DFILES_b=z" -P embed.cmake
# Each name becomes a string with the text of its files, one after another.
set(text "/* Made by cmake/embed.cmake. */\n")
foreach(name IN LISTS NAMES)
	set(bytes "")
	foreach(file IN LISTS FILES_${name})
		file(READ "${file}" hex HEX)
		string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
		string(APPEND bytes "${hex}\n")
	endforeach()
	string(APPEND text "static const char ${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE "${HEADER}" "${text}")
