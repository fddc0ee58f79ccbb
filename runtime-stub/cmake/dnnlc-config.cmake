# find_package(dnnlc): models that are compiled when a project is built. SPDX-License-Identifier: Apache-2.0
#
#   dnnlc_add_model(digits models/digits.onnx DIMS batch=1)
#   target_link_libraries(program digits)           # and in C: #include "digits_dnnl.h"
#
# makes the library `digits` of what dnnlc emits from the model, with its folder to include from. docs/emitted-api.md has the options.
# From an installed dnnlc it is found by itself; from a checkout with -Ddnnlc_DIR=CHECKOUT/runtime-stub/cmake.
cmake_minimum_required(VERSION 3.16)

find_program(DNNLC_COMPILER NAMES dnnlc dnnlc-c
             HINTS ${CMAKE_CURRENT_LIST_DIR}/../../build ${CMAKE_CURRENT_LIST_DIR}/../../../bin)
if(NOT DNNLC_COMPILER)
  set(dnnlc_FOUND FALSE)
  set(dnnlc_NOT_FOUND_MESSAGE "there is no compiler: build it with ninja, or -DDNNLC_COMPILER=FILE says where it is")
  return()
endif()

# What is passed on to the CMake that builds what was emitted, so that it is compiled for the same machine.
function(_dnnlc_settings result)
  set(settings)
  foreach(name CMAKE_TOOLCHAIN_FILE CMAKE_C_COMPILER CMAKE_C_FLAGS CMAKE_AR CMAKE_RANLIB CMAKE_MAKE_PROGRAM CMAKE_SYSROOT
               CMAKE_POSITION_INDEPENDENT_CODE CMAKE_C_COMPILER_LAUNCHER CMAKE_TRY_COMPILE_TARGET_TYPE DNNLC_ONEDNN DNNLC_OPTIMIZE)
    if(NOT "${${name}}" STREQUAL "")
      list(APPEND settings "-D${name}=${${name}}")
    endif()
  endforeach()
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_TOOLCHAIN_FILE)
    list(APPEND settings -DCMAKE_SYSTEM_NAME=${CMAKE_SYSTEM_NAME} -DCMAKE_SYSTEM_PROCESSOR=${CMAKE_SYSTEM_PROCESSOR})
  endif()
  set(${result} ${settings} PARENT_SCOPE)
endfunction()

# Where oneDNN is, as the emitted CMakeLists.txt looks for it.
function(_dnnlc_onednn result)
  set(folder "${DNNLC_ONEDNN}")
  if(NOT folder)
    set(folder $ENV{DNNLC_ONEDNN})
  endif()
  if(NOT folder)
    set(folder $ENV{HOME}/.cache/dnnlc/onednn)
    if(DEFINED ENV{XDG_CACHE_HOME})
      set(folder $ENV{XDG_CACHE_HOME}/dnnlc/onednn)
    endif()
    if(NOT EXISTS ${folder} AND EXISTS /usr/lib/dnnlc/onednn)
      set(folder /usr/lib/dnnlc/onednn)
    endif()
  endif()
  set(${result} ${folder} PARENT_SCOPE)
endfunction()

function(dnnlc_add_model target model)
  set(one NAME TARGET ISA THREADS WEIGHTS)
  set(several DIMS SHAPE STATE OPTIONS DEPENDS)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "${one}" "${several}")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "dnnlc_add_model(${target}): unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "dnnlc_add_model(${target}): nothing follows ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  get_filename_component(model "${model}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  if(NOT EXISTS "${model}")
    message(FATAL_ERROR "dnnlc_add_model(${target}): there is no ${model}")
  endif()
  if(NOT arg_NAME)
    string(MAKE_C_IDENTIFIER ${target} arg_NAME)
  endif()
  if(NOT arg_TARGET)
    set(arg_TARGET dnnl)
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.dnnlc)
  set(options ${model} -o ${folder} --name ${arg_NAME} --target ${arg_TARGET})
  foreach(option ISA THREADS WEIGHTS)
    if(arg_${option})
      string(TOLOWER ${option} word)
      list(APPEND options --${word} ${arg_${option}})
    endif()
  endforeach()
  foreach(pair ${arg_DIMS})
    list(APPEND options --dim ${pair})
  endforeach()
  foreach(option SHAPE STATE)
    string(TOLOWER ${option} word)
    foreach(pair ${arg_${option}})
      list(APPEND options --${word} ${pair})
    endforeach()
  endforeach()
  list(APPEND options ${arg_OPTIONS})

  # With Make a rule does not run again because its command has changed, so that the command is a file that it depends on.
  _dnnlc_settings(settings)
  set(generator "${CMAKE_GENERATOR}")
  if(generator STREQUAL "Ninja Multi-Config")
    set(generator Ninja)
  endif()
  file(MAKE_DIRECTORY ${folder})
  file(GENERATE OUTPUT ${folder}/options.txt CONTENT "${options}\n${generator} ${settings}\n")
  set(library ${folder}/cmake/${CMAKE_STATIC_LIBRARY_PREFIX}${arg_NAME}${CMAKE_STATIC_LIBRARY_SUFFIX})
  add_custom_command(
    OUTPUT ${folder}/built
    BYPRODUCTS ${library} ${folder}/${arg_NAME}_dnnl.h
    COMMAND ${DNNLC_COMPILER} ${options}
    COMMAND ${CMAKE_COMMAND} -E chdir ${folder} ${CMAKE_COMMAND} -S . -B cmake -G ${generator} ${settings}
    COMMAND ${CMAKE_COMMAND} --build ${folder}/cmake --target dnnlc_${arg_NAME}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/built
    DEPENDS ${model} ${DNNLC_COMPILER} ${folder}/options.txt ${arg_DEPENDS}
    COMMENT "dnnlc ${target}" VERBATIM)
  add_custom_target(${target}_dnnlc DEPENDS ${folder}/built)

  add_library(${target} STATIC IMPORTED GLOBAL)
  add_dependencies(${target} ${target}_dnnlc)
  set(libraries -lm)
  if(arg_TARGET STREQUAL dnnl)
    _dnnlc_onednn(onednn)
    set(libraries -L${onednn}/lib -ldnnl -lstdc++ -lgomp -lm -ldl -lpthread)
  endif()
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION ${library}
    INTERFACE_INCLUDE_DIRECTORIES ${folder}
    INTERFACE_LINK_LIBRARIES "${libraries}"
    DNNLC_DIR ${folder})
endfunction()
