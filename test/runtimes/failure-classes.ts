/**
 * Why tests fail, by the errors and their stacks, which name the file of the test. The first pattern that matches decides. It says
 * where a difference shows, which is what a reader can check.
 */
const CLASSES: readonly (readonly [reason: string, pattern: RegExp])[] = [
  [
    'the test needs Vite: it imports TypeScript, or reads its names',
    /Unknown file extension|to contain '[\w-]+(\.test)?\.ts'|'a read at test\/|to contain 'export class/,
  ],
  ['serverless adapters: the connection that they imitate', /journeys\/serverless\//],
  [
    'requests that the runtime refuses itself, or reads in another way',
    /hostile\/(body-|connection|host|request-head|resets|targets)/,
  ],
  [
    '`TestApp`: open resources, rejections, reads that are not part of a cache key',
    /journeys\/testing\//,
  ],
  ['bytes that a connection has sent: heads are not counted', /app\/all-requests\.test/],
  [
    'closing, and pipelined requests: the open responses of a connection',
    /app\/closing|hostile\/pipelining/,
  ],
  ['tracing of Express by OpenTelemetry', /express\/apm\.test/],
  ['stacks of errors have another form', /hostile\/refusals\.test/],
  ['the test replaces `process.cwd`, which `node:path` does not call', /env\/files\.test/],
  ['a charset is added to the type of a file or a `Response`', /text\/html;charset=utf-8/],
  ['outcomes of requests whose client has left', /surface\/outcomes\.test/],
  ['the tenant in the message of a worker', /tenancy\/continuations\.test/],
]

/** Returns the reason why a test has failed, from the text of its errors. */
export function classOf(text: string): string {
  return CLASSES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'others'
}
