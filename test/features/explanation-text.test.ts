import { describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../src/contracts/request-record.js'
import { explanationText } from '../../src/features/records/explanation-text.js'

const RECORD: RequestRecord = {
  id: 'r1',
  startedAt: 0,
  durationMs: 12.5,
  method: 'POST',
  url: '/orders?x=1',
  route: { name: 'Orders.create', method: 'POST', path: '/orders' },
  status: 201,
  outcome: 'sent',
  cause: 'handler',
  answeredBy: 'handler',
  tenant: null,
  user: null,
  decisions: [],
  steps: [],
  statements: [],
  statementCount: 0,
  calls: [],
  callCount: 0,
  logs: [],
  error: null,
}

const linesOf = (more: Partial<RequestRecord>) =>
  explanationText({ ...RECORD, ...more }).split('\n')

const STATEMENT = {
  ...{ system: 'postgresql', text: 'select 1', valueCount: 0, at: 0, durationMs: 1.111 },
  ...{ rowCount: 1, tenant: null, error: null, place: null },
}
const CALL = {
  ...{ method: 'GET', host: 'bank.example', path: '/charges', status: 200, at: 0 },
  ...{ durationMs: 5, attempts: 1, error: null, place: null },
}

describe('the text of a record', () => {
  it.each<[string, Partial<RequestRecord>, string]>([
    ['a step', {}, "POST /orders?x=1 → 201, by the step 'handler' in 12.5 ms"],
    [
      'no step, but with a cause',
      { answeredBy: null, cause: 'router', status: 404 },
      'POST /orders?x=1 → 404, by the router in 12.5 ms',
    ],
    [
      'nothing',
      { answeredBy: null, cause: null, status: null },
      'POST /orders?x=1 → no response in 12.5 ms',
    ],
  ])('begins with the request and its response by %s', (_, more, head) => {
    expect(linesOf(more)[0]).toBe(head)
  })

  it('names the route, or says that no route handled the request', () => {
    expect(linesOf({})).toContain('  route  Orders.create (POST /orders)')
    expect(linesOf({ route: null })).toContain('  route  no controller route handled the request')
  })

  it.each<[string, string | null, object, string[]]>([
    ['tenant: named', null, { tenant: 'acme', source: 'header' }, ["named 'acme' by header"]],
    ['tenant: refused', 'none is specified', {}, ['refused: none is specified']],
    ['can: refused', null, { abilities: ['a', 'b'] }, ['refused, the route needs a, b']],
    [
      'limit: counted',
      null,
      { policy: 'default', limit: 3, remaining: 1 },
      ["counted: 1 of 3 requests left (policy 'default')"],
    ],
    ['cache: hit', null, { key: 'GET /x', ageSeconds: 3 }, ['hit: GET /x, 3 s old']],
    ['cache: miss', null, { key: 'GET /x' }, ['miss: GET /x']],
    ['cache: bypass', 'it has a body', {}, ['bypass: it has a body']],
    ['validation: passed', null, { in: ['params', 'body'] }, ['passed: params, body']],
    [
      'validation: refused',
      null,
      {
        in: ['body'],
        issues: [
          { in: 'body', path: '', message: 'is required' },
          { in: 'query', path: 'page', message: 'is not a number' },
        ],
      },
      ['refused: body is required; query.page is not a number'],
    ],
    ['own: admitted', 'SE', { list: [1], name: 'x' }, ['admitted: SE (list [1], name x)']],
    ['guard: anonymous', null, { schemes: [] }, ['anonymous']],
  ])('has a line for the decision "%s"', (name, reason, facts, texts) => {
    const [by = '', verdict = ''] = name.split(': ')
    const decision = { at: 0, by, verdict, reason, facts }
    const lines = linesOf({ decisions: [decision as never] }).slice(2)
    expect(lines).toEqual(texts.map((text) => `  ${by.padEnd(Math.max(by.length, 5))}  ${text}`))
  })

  it('has a line for each guard that was tried', () => {
    const schemes = [
      { scheme: 'user', verdict: 'refused', reason: 'expired' },
      { scheme: 'partner', verdict: 'admitted', reason: null },
      { scheme: null, verdict: 'refused' },
    ]
    const decision = { at: 0, by: 'guard', verdict: 'admitted', reason: null, facts: { schemes } }
    expect(linesOf({ decisions: [decision] }).slice(2)).toEqual([
      "  guard 'user'     refused: expired",
      "  guard 'partner'  admitted",
      '  guard            refused',
    ])
  })

  it('shows the error, the statements with their total time, and the calls', () => {
    const error = {
      status: 500,
      code: 'DOWN',
      name: 'TypeError',
      message: 'No\n stock',
      stack: null,
    }
    const statements = [
      STATEMENT,
      {
        ...STATEMENT,
        ...{ durationMs: 2.222, tenant: 'acme', error: 'gone', place: 'src/a.ts:1:2' },
      },
    ]
    const calls = [
      { ...CALL, place: 'src/b.ts:3:4' },
      { ...CALL, status: null, attempts: 2, error: 'reset' },
    ]
    expect(linesOf({ error, statements, statementCount: 7, calls }).slice(2)).toEqual([
      '  error       DOWN: TypeError: No stock',
      '  statements  7 in 3.33 ms',
      '              1.111 ms select 1',
      '              2.222 ms for acme at src/a.ts:1:2 failed: gone select 1',
      '  call        GET bank.example/charges → 200 in 5 ms at src/b.ts:3:4',
      '  call        GET bank.example/charges → failed: reset in 5 ms, sent 2 times',
    ])
  })

  it('shows the first ten statements and calls, and the last ten log lines', () => {
    const numbers = Array.from({ length: 12 }, (_, n) => n)
    const lines = linesOf({
      statements: numbers.map((n) => ({ ...STATEMENT, text: `select ${n};` })),
      statementCount: 12,
      calls: numbers.map((n) => ({ ...CALL, path: `/${n};` })),
      logs: numbers.map((n) => ({ at: 0, level: 'info', message: `line ${n};` })),
    })
    const shown = (pattern: RegExp) =>
      lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).map(Number)
    expect(shown(/select (\d+);/)).toEqual(numbers.slice(0, 10))
    expect(shown(/example\/(\d+);/)).toEqual(numbers.slice(0, 10))
    expect(shown(/log +info: line (\d+);/)).toEqual(numbers.slice(2))
  })

  it('shortens a line to 160 characters', () => {
    const log = (length: number) => {
      const message = 'x'.repeat(length - 'info: '.length)
      return linesOf({ logs: [{ at: 0, level: 'info', message }] })
        .at(-1)
        ?.slice('  route  '.length)
    }
    expect(log(160)).toBe(`info: ${'x'.repeat(154)}`)
    expect(log(161)).toBe(`info: ${'x'.repeat(153)}…`)
  })
})
