// The words around the tables.

/** Packages whose versions stand beside the results. */
export const PACKAGES = [
  'zod',
  'helmet',
  'cors',
  'express',
  'express-rate-limit',
  'fastify',
  '@fastify/helmet',
  '@fastify/cors',
  '@fastify/rate-limit',
  '@nestjs/core',
  '@nestjs/throttler',
  'class-validator',
  'class-transformer',
  'hono',
  '@hono/node-server',
  '@hono/zod-validator',
  'hono-rate-limiter',
  'koa',
  '@koa/router',
  '@koa/bodyparser',
  '@koa/cors',
  'koa-helmet',
  'koa-ratelimit',
  'routing-controllers',
  'compression',
  'morgan',
  'cookie-parser',
  'passport',
  'serve-static',
]

export const HOW_TO_READ = `Measured by \`npm run bench -- --nodes 20,24,26\`, and counted by the same command with \`--count\`.

### How to read it

**µs CPU** is the CPU time of the server's process, all its threads, user and system, divided by the requests that the load generator saw
answered. It is what a request costs; unlike a rate it does not depend on how fast the load generator is. The server runs on one core and
\`wrk\` on the other, with 64 connections that are kept alive. Requests a second, the 99th percentile of the time that a client waits, and the
resident memory when the load is over (and the most there was) stand beside it.

**of bare node** and **Blazon is** are medians, over the rounds, of ratios *within a round*: 1.10× in the column *Blazon is* means that Blazon needs
10 % more than this row. What is compared is loaded in turn in every round, every other round backwards, after everything has warmed up with 15,000
requests; so whatever else the machine does hits all of them. In parentheses are the least and the greatest ratio of a round. Compare ratios within
a table, and never microseconds of two runs.

**k instructions** are thousands of instructions of a request. They are counted by callgrind, a tool of valgrind, which executes the server: those of the
program in its main thread, which also collects the garbage (\`--single-threaded-gc\`), without the kernel's and those of the threads that compile. \`npm run bench -- --count\` counts 6,000 requests over 8
connections, after 20,000 that are not counted. Two numbers with a plus are from \`perf\`: instructions of the program and of the kernel.

CPU time depends on what else shares the processor: its caches, its clock, the other thread of its core, and on a virtual machine neighbours
that nobody sees. The CPU time of a request to one and the same server was seen to vary by a factor of 1.7 from one minute to the next, its
instructions by up to 3 %. So the goals of requests are judged by instructions. Instructions are not time: they do not see a cache that misses, and those of
the kernel, which are the same for all, are not in them. So the times stand beside them.

On Node 20 a server, bare \`node:http\` as well as any other, that has answered a request or two and then nothing for a quarter of a minute needs 1.6 times
the instructions for each later request, and not only until it is warm; with \`--no-memory-reducer\`, which keeps V8 from collecting while it is idle, it does
not. So every server is warmed up as soon as it has been checked.

**bare node:http** is the floor: it sends the status, headers and bytes that Blazon sends, with one \`writeHead\` of a flat array. It parses the body, has no
routes and checks nothing, not even that the token is there.

**The others** do the same work as their documentation has it: Fastify with JSON Schema for the body and for the answer and its own plugins; Express, Hono
and Koa with zod and the middlewares that their documentation names; NestJS and routing-controllers with class-validator, NestJS with its guards, pipes,
an interceptor and its throttler, routing-controllers on the Express 4 it brings. All keep the tenant in \`AsyncLocalStorage\`, or in what their framework makes
of it. Two things were changed, both in their favour: ETags and \`X-Powered-By\` are off where they are on by default, because nobody else sends them; and NestJS' throttler counts
in a map, because its own storage keeps the time of every request and walks through all of them for each new one, which under one client without a low limit
takes milliseconds. Fastify validates with \`allErrors\`, because all others say everything that is wrong with a body.

Before anything is timed, every candidate must send the very same body bytes and the same headers but for the differences below (values that change with every
answer apart), and all but the floor must answer 401 without a token and with a wrong one, and 400 without a tenant, with one that cannot be, to missing
and wrong fields and to malformed JSON. \`npm run bench -- --smoke\` checks that, and times nothing.`

/** The order of the page. */
export const SESSION_TEXTS = {
  plain: {
    title: 'A plain request',
    text: '`GET /users/:id`, enveloped, without security headers.',
  },
  full: {
    title: 'The full stack',
    text:
      '`POST /orders`: an asynchronous guard for bearer tokens, the tenant of `X-Tenant-Id` in an asynchronous context, a nested body that is validated, ' +
      "helmet's headers, CORS for one origin, a rate limit that is never reached, 201.",
  },
  observed: {
    title: 'The full stack, observed',
    text:
      'The full stack with a request id in each response, a log of all requests, metrics by route, and responses limited to the fields of their schema. Blazon: ' +
      "`logs`, `metrics` and `responses: 'strip'`; its log is written to `/dev/null`. Fastify: its logger with a destination that keeps nothing, a histogram of prom-client in " +
      '`onResponse`, and the response schema that it has in the full stack, too.',
  },
  middlewares: {
    title: 'The full stack behind ten Express middlewares',
    text:
      'compression, morgan (into a stream that keeps nothing), cookie-parser, passport and serve-static, and five of a few lines each: a request id, a response ' +
      'time, what hpp does, `Cache-Control`, the language. The second row calls the same middlewares under bare `node:http`, with the least of Express that they ' +
      'read, and checks nothing: what it takes beyond the first row is their own.',
  },
  cached: {
    title: 'A hit of the memory cache',
    text: '`@Cache` on the plain route, beside the plain route; the floor looks the text up in a `Map`.',
  },
  refused: {
    title: 'Requests that are refused',
    text:
      '400 is the full stack with ten wrong fields, all named in the answer; 401 a guarded `GET` without a token; 404 a path that no route has. Each beside the ' +
      'plain route of the same framework (**of 200**), and the 400 also beside the full stack that accepts the body (**of 201**). Each framework words its refusals as it does. ' +
      'Those that are not here are checked, but not timed.',
  },
  routes: {
    title: 'Ten thousand routes',
    text:
      'One route of 10,000, beside an application that has only this one: the first, one in the middle, the longest path (24 segments), the one with the most ' +
      'parameters (ten), the last. Each application rests for four seconds before its first request: a load that meets the collection of the garbage of a ' +
      "boot of 10,000 routes makes V8 allocate objects of requests in its old space on Nodes 20 and 24, until the process ends. Without the rest, Blazon's last " +
      'route took 23 to 31 µs on Node 20, with scavenges of 9 ms; 12 to 13 µs with it, with `--no-allocation-site-pretenuring`, or after a full collection.',
  },
}
