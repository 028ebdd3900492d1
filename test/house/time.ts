import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { parse, readSources, specifiersOf, walk } from './sources.js'

/**
 * The files that use the time of Node in place of the clock of the application, with the reason. In a test, `app.clock`
 * would not advance them.
 */
const REASONS: Record<string, string> = {
  'app/client-error.ts': 'waits for a client to read its response, as `http/send/end-early.ts`',
  'app/closing.ts': 'adds real time to the clock, because a process must end with any clock',
  'app/system-clock.ts': 'is the clock itself',
  'app/signals.ts': 'compares signals that npm and a terminal send, which takes real time',
  'app/shut-down.ts': 'waits for clients, which takes real time',
  'features/logs/line-sink.ts':
    'waits for the end of a turn of the event loop, and for the reader of stdout',
  'features/metrics/join-texts.ts': 'waits for a turn of the event loop, not for time',
  'features/metrics/metrics-plugin.ts': 'waits for a turn of the event loop, not for time',
  'http/send/end-early.ts': 'waits for a client to read its response, which takes real time',
  'http/send/stand-in.ts': 'waits for a turn of the event loop, not for time',
  'integrations/jobs/runtime.ts': 'compares with times of pg-boss, which reads the clock of Node',
  'integrations/jwt/token-verifier.ts': 'is for code that no application runs',
  'integrations/postgres/drivers/open-folder.ts':
    'distinguishes a process from an older one with the same number',
  'integrations/postgres/drivers/memory-files.ts':
    'notes when a file of PostgreSQL changed, beside any application',
  'integrations/postgres/drivers/deadline.ts': 'waits for PostgreSQL, which takes real time',
  'integrations/redis/failures.ts': 'waits for Redis, which takes real time',
  'cli/dev/app-process.ts': 'compares the start of a process with the times of files',
  'cli/dev/child/report-requests.ts': 'waits for the end of a turn, not for time',
  'cli/dev/dashboard/page/client.ts': 'runs in a browser',
  'cli/dev/deadline.ts': 'waits for processes and files, beside any application',
  'cli/keys/key-commands.ts': 'the command line runs no application',
  'cli/load/read-app.ts': 'the command line runs no application',
  'cli/load/run-child.ts': 'as before',
  'cli/replay/replay-capsule.ts': 'limits the time of an application whose clock does not run',
  'pipeline/streams/stream-response.ts': 'waits for a turn of the event loop, not for time',
  'testing/settle.ts': 'waits for turns of the event loop, not for time',
}

const CALLS = /^(?:(?:Date|performance)\.now|process\.hrtime|set(?:Timeout|Interval|Immediate))\b/

/** Whether a file reads the time of Node, or sets a timer of Node. */
function usesNode(tree: ts.SourceFile): boolean {
  const isImported = specifiersOf(tree).some((specifier) => specifier.startsWith('node:timers'))
  return isImported || walk(tree).some((node) => isCall(node, tree) || isNow(node))
}

function isCall(node: ts.Node, tree: ts.SourceFile): boolean {
  return ts.isCallExpression(node) && CALLS.test(node.expression.getText(tree))
}

/** `new Date()` */
function isNow(node: ts.Node): boolean {
  if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression)) return false
  return node.expression.text === 'Date' && !node.arguments?.length
}

describe('the current time', () => {
  it.each([
    ['Date.now()', true],
    ['performance.now()', true],
    ['new Date()', true],
    ['setTimeout(f, 1)', true],
    ["import { setTimeout } from 'node:timers/promises'", true],
    ['clock.now()', false],
    ['clock.setTimeout(f, 1)', false],
    ['class A { setTimeout() {} }', false],
    ['new Date(now)', false],
    ['// Date.now()', false],
  ])('is recognized as the time of Node in the code %j: %j', (code, expected) => {
    expect(usesNode(parse('x.ts', code))).toBe(expected)
  })

  it('comes from the clock of the application, except in files with a stated reason', () => {
    const users = readSources().filter(({ tree }) => usesNode(tree))
    expect(users.map(({ path }) => path)).toEqual(Object.keys(REASONS).sort())
  })
})
