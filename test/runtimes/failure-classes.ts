/**
 * Why tests fail, by the errors and their stacks, which name the file of the test. The first pattern that matches decides. It says
 * where a difference shows, which is what a reader can check.
 */
const CLASSES: readonly (readonly [reason: string, pattern: RegExp])[] = [
  [
    'the test needs Vite: it imports TypeScript, or expects TypeScript file names in stacks',
    /Unknown file extension|to contain '[\w-]+(\.test)?\.ts'|'a read at test\/|to contain 'export class/,
  ],
  ['serverless adapters: the simulated connection', /journeys\/serverless\//],
  [
    'requests that the runtime itself refuses, or parses differently',
    /hostile\/(body-|connection|host|request-head|resets|targets)/,
  ],
  [
    '`TestApp`: open resources, unhandled rejections, reads that a cache key does not include',
    /journeys\/testing\//,
  ],
  ['sent bytes of a connection: heads are not counted', /app\/all-requests\.test/],
  [
    'closing and pipelined requests: open responses of a connection',
    /app\/closing|hostile\/pipelining/,
  ],
  ['OpenTelemetry tracing of Express', /express\/apm\.test/],
  ['error stacks have another format', /hostile\/refusals\.test/],
  ['the test replaces `process.cwd`, which `node:path` does not call', /env\/files\.test/],
  [
    'the runtime adds a charset to the media type of a file or a `Response`',
    /text\/html;charset=utf-8/,
  ],
  ['outcomes of requests whose client has disconnected', /surface\/outcomes\.test/],
  ['the tenant in a message from a worker thread', /tenancy\/continuations\.test/],
]

/** Returns the reason why a test has failed, from the text of its errors. */
export function classOf(text: string): string {
  return CLASSES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other reasons'
}
