# The address of the book, which its links and citations and the messages of failures say; without it they say the page
# alone. The environment gives the first value, as it does for CMake's own settings.
set(SQRTDK_ADDRESS "$ENV{SQRTDK_ADDRESS}" CACHE STRING "Where the book is published, such as https://example.org/sqrtdk")
if(NOT SQRTDK_ADDRESS MATCHES "^(https?://[A-Za-z0-9][A-Za-z0-9.:/@_~%+-]*)?$")
  message(FATAL_ERROR "SQRTDK_ADDRESS is '${SQRTDK_ADDRESS}', but must be empty or begin with https:// or http:// and be an "
    "address of letters, digits and . : / @ _ ~ % + -, without a query or a fragment")
endif()
string(REGEX REPLACE "/+$" "" SQRTDK_ADDRESS "${SQRTDK_ADDRESS}")
