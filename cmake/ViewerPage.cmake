# The page of the reports as one text: viewer/page.html with style, libraries and scripts inlined. three.js and dygraphs
# are taken from the system (Debian: libjs-three, libjs-dygraphs).
find_file(THREE_JS three.min.js PATHS /usr/share/javascript/three /usr/share/javascript/three/build
          PATH_SUFFIXES share/javascript/three)
find_file(ORBIT_CONTROLS_JS OrbitControls.js PATHS /usr/share/javascript/three/examples/js/controls
          PATH_SUFFIXES share/javascript/three/examples/js/controls)
find_file(DYGRAPHS_JS dygraph.min.js PATHS /usr/share/javascript/dygraphs
          PATH_SUFFIXES share/javascript/dygraphs)
find_file(DYGRAPHS_CSS dygraph.min.css PATHS /usr/share/javascript/dygraphs
          PATH_SUFFIXES share/javascript/dygraphs)
foreach(library IN ITEMS THREE_JS ORBIT_CONTROLS_JS DYGRAPHS_JS DYGRAPHS_CSS)
  if(NOT ${library})
    message(FATAL_ERROR "the reports of chasles need three.js with OrbitControls, and dygraphs "
                        "(on Debian: apt-get install libjs-three libjs-dygraphs)")
  endif()
endforeach()

set(viewer ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_scripts screws table constraints closure shapes materials skeleton figure glyphs past forces twists cameras scene quantities plots facts
    panels sliders layers timeline exports film live address main)
list(TRANSFORM viewer_scripts PREPEND ${viewer}/)
list(TRANSFORM viewer_scripts APPEND .js)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${viewer}/page.html ${viewer}/style.css ${viewer}/sliders.css ${viewer}/live.css ${viewer}/licenses.txt ${viewer_scripts})

# chasles_inline(OUT FILE...): concatenates the files. Their text must not end the script element that contains it.
function(chasles_inline out)
  set(all "")
  foreach(path IN LISTS ARGN)
    file(READ ${path} text)
    string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*" "" text "${text}")
    string(REGEX REPLACE "/\\*# sourceMappingURL=[^\n]*" "" text "${text}")
    if(text MATCHES "</[sS][cC][rR][iI][pP][tT]" OR text MATCHES "<!--")
      message(FATAL_ERROR "${path} cannot be part of a page: it has </script or <!-- in it")
    endif()
    string(APPEND all "${text}\n")
  endforeach()
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

chasles_inline(VIEWER_STYLE ${DYGRAPHS_CSS} ${viewer}/style.css ${viewer}/sliders.css ${viewer}/live.css)
chasles_inline(VIEWER_LICENSES ${viewer}/licenses.txt)
chasles_inline(VIEWER_THREE ${THREE_JS} ${ORBIT_CONTROLS_JS})
chasles_inline(VIEWER_DYGRAPHS ${DYGRAPHS_JS})
chasles_inline(VIEWER_SCRIPTS ${viewer_scripts})
configure_file(${viewer}/page.html viewer_page.html @ONLY)
# As C++ string literals, split because their length is limited.
file(READ ${CMAKE_CURRENT_BINARY_DIR}/viewer_page.html page)
string(LENGTH "${page}" length)
set(viewer_page_literals "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${page}" ${at} 16000 part)
  string(APPEND viewer_page_literals "R\"chasles(${part})chasles\"\n")
  math(EXPR at "${at} + 16000")
endwhile()
configure_file(${PROJECT_SOURCE_DIR}/apps/chasles/viewer_page_text.hpp.in viewer_page_text.hpp @ONLY)
