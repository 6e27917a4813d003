# belljar_embed(TARGET NAMESPACE FILES…): compiles files into TARGET as `extern const std::string_view`
# variables of NAMESPACE, named after the file (profiles/claude.toml → claude_toml).
function(belljar_embed target namespace)
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} symbol)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cc)
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DINPUT=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DOUTPUT=${output} -DSYMBOL=${symbol}
        -DNAMESPACE=${namespace} -P ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake)
    target_sources(${target} PRIVATE ${output})
  endforeach()
endfunction()
