-- No request is like the one before: each has a number of its own among its headers.
local number = 0

function request()
   number = number + 1
   wrk.headers["X-Number"] = number
   return wrk.format()
end
