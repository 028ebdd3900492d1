import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { parse, readSources, specifiersOf, walk } from './sources.js'

/**
 * Who asks Node for the time instead of the clock of the application, and why. Whatever else waits or
 * expires would not move with `app.clock`.
 */
const REASONS: Record<string, string> = {
  'app/client-error.ts': 'waits for a client to take its answer, as `http/send/end-unread.ts`',
  'app/system-clock.ts': 'is where the time comes from',
  'app/shut-down.ts': 'waits for requests to end, and a process must end whatever its clock says',
  'http/send/end-unread.ts': 'waits for a client to take its answer, which no clock makes quicker',
  'integrations/postgres/drivers/lock-folder.ts':
    'tells a process from an older one of the same number',
  'integrations/postgres/drivers/deadline.ts': 'waits for PostgreSQL, which no clock makes quicker',
  'integrations/redis/deadline.ts': 'waits for Redis, which no clock makes quicker',
  'cli/load/read-app.ts': 'the command line runs no application',
  'cli/load/run-child.ts': 'as before',
  'testing/settle.ts': 'waits for turns of the event loop, not for time',
}

const CALLS = /^(?:(?:Date|performance)\.now|process\.hrtime|set(?:Timeout|Interval|Immediate))\b/

/** Whether a file asks Node for the time, or to be called later. */
function asksNode(tree: ts.SourceFile): boolean {
  const isImported = specifiersOf(tree).some((specifier) => specifier.startsWith('node:timers'))
  return isImported || [...walk(tree)].some((node) => isCall(node, tree) || isNow(node))
}

function isCall(node: ts.Node, tree: ts.SourceFile): boolean {
  return ts.isCallExpression(node) && CALLS.test(node.expression.getText(tree))
}

/** `new Date()` */
function isNow(node: ts.Node): boolean {
  if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression)) return false
  return node.expression.text === 'Date' && !node.arguments?.length
}

describe('the time', () => {
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
  ])('is noticed, or not: %s', (code, expected) => {
    expect(asksNode(parse('x.ts', code))).toBe(expected)
  })

  it('comes from the clock of the application, but for those with a reason', () => {
    const users = readSources().filter(({ tree }) => asksNode(tree))
    expect(users.map(({ path }) => path)).toEqual(Object.keys(REASONS).sort())
  })
})
