import { HttpError } from 'blazon'
import { describe, expect, it } from 'vitest'
import { kAbortController, kObserved, kTenantScope } from '../../src/http/symbol-fields.js'
import {
  createDenialLog,
  createFailureLog,
  noteError,
  OtherDenials,
} from '../../src/pipeline/log-failure.js'

const requestOf = (more: object = {}) =>
  ({ method: 'GET', originalUrl: '/a', headers: {}, id: 'r-1', ...more }) as never

/** The function that logs failures, and the lines and reports that it causes. */
function failureLog(isRepeated = false) {
  const lines: object[] = []
  const reports: unknown[] = []
  const error = (facts: object, message: string) => void lines.push({ ...facts, message })
  const log = createFailureLog({
    logger: { info() {}, warn() {}, error },
    report: (each: unknown) => void reports.push(each),
    secrets: { hide: (value: never) => value, hideInUrl: (url: string) => url },
    repeated: { note: () => isRepeated },
  } as never)
  return { log, lines, reports }
}

describe('the log of failures', () => {
  const bug = new Error('a bug')

  it('contains an error once for each request', () => {
    const { log, lines } = failureLog()
    const req = requestOf()
    const another = new Error('another')
    for (const each of [bug, bug, another, another]) log(each, req, { status: 500 })
    log(bug, requestOf(), { status: 500 })
    const facts = { method: 'GET', url: '/a', requestId: 'r-1', status: 500 }
    expect(lines).toMatchObject([
      { err: bug, ...facts },
      { err: { message: 'another' } },
      { err: bug },
    ])
  })

  it('contains the tenant of a request, or else the tenant that it claims', () => {
    const { log, lines } = failureLog()
    log(bug, requestOf({ [kTenantScope]: { id: 'acme' } }), { status: 500 })
    log(bug, requestOf({ [kTenantScope]: { id: undefined, claim: 'zeta' } }), { status: 500 })
    log(bug, requestOf({ [kTenantScope]: { id: undefined } }), { status: 500 })
    const tenants = lines.map((line) => {
      const { tenant, claimedTenant } = line as { tenant?: string; claimedTenant?: string }
      return [tenant, claimedTenant]
    })
    expect(tenants).toEqual([
      ['acme', undefined],
      [undefined, 'zeta'],
      [undefined, undefined],
    ])
  })

  it('does not contain the reason of an aborted signal, directly or as a cause', () => {
    const { log, lines } = failureLog()
    const controller = new AbortController()
    const reason = new Error('The client disconnected')
    const req = requestOf({ [kAbortController]: controller })
    log(reason, req, { status: 500 })
    controller.abort(reason)
    const causes = [requestOf({ [kAbortController]: controller }), req]
    for (const each of causes) log(new Error('aborted', { cause: reason }), each, { status: 500 })
    log(reason, requestOf({ [kAbortController]: controller }), { status: 500 })
    log(null, req, { status: 500 })
    expect(lines).toMatchObject([{ err: reason }, { err: null }])
  })

  it('contains no HTTP error with `log: false`, whose record says so', () => {
    const { log, lines, reports } = failureLog()
    const meant = new HttpError(503, 'Closed', { log: false })
    log(meant, requestOf(), { status: 503 })
    expect([lines, reports]).toEqual([[], []])
    const decisions: unknown[] = []
    const observed = { note: (decision: unknown) => void decisions.push(decision) }
    noteError({ status: 503, code: 'A' } as never, meant, { res: { [kObserved]: observed } })
    expect(decisions).toMatchObject([{ facts: { isMeant: true } }])
  })

  it('reports each failure of an outage, even those that it only counts', () => {
    const { log, lines, reports } = failureLog(true)
    log(bug, requestOf(), { status: 503 })
    expect([lines, reports]).toEqual([[], [bug]])
  })
})

describe('the log of failed guards', () => {
  it('has at most 20 lines at once, and then one line per second', () => {
    let now = 5000
    let count = 0
    const log = createDenialLog(() => void count++, { monotonic: () => now } as never)
    const fail = (times: number) => {
      const before = count
      for (let i = 0; i < times; i++) log(new TypeError('broken'), requestOf())
      return count - before
    }
    expect(fail(30)).toBe(20)
    now += 500
    expect(fail(3)).toBe(0)
    now += 1500
    expect(fail(3)).toBe(2)
    now += 3_600_000
    expect(fail(30)).toBe(20)
  })

  it('has one line per second, however often a guard fails in between', () => {
    let now = 0
    let count = 0
    const log = createDenialLog(() => void count++, { monotonic: () => now } as never)
    const fail = () => log(new TypeError('broken'), requestOf())
    for (let i = 0; i < 20; i++) fail()
    for (; now < 10_000; now += 250) fail()
    expect(count).toBe(29)
  })

  it('has no line for an HTTP error of another guard, or before the application starts', () => {
    const denials = new OtherDenials()
    const logged: unknown[] = []
    denials.logDenial(new Error('early'), requestOf())
    denials.start((error) => void logged.push(error))
    const broken = new Error('broken')
    denials.logDenial(new HttpError(403, 'No'), requestOf())
    denials.logDenial(broken, requestOf())
    expect(logged).toEqual([broken])
  })
})

describe('the recorded error of a response', () => {
  class OwnError extends Error {}
  const noted = (error: unknown, failure: object) => {
    const decisions: unknown[] = []
    const observed = { note: (decision: unknown) => void decisions.push(decision) }
    noteError(failure as never, error, { res: { [kObserved]: observed } })
    return decisions
  }

  it('has the name of its class, and its stack only from status 500 on', () => {
    const error = new OwnError('no')
    expect(noted(error, { status: 500, code: 'A' })).toEqual([
      {
        by: 'error',
        verdict: 'A',
        reason: 'no',
        facts: { status: 500, name: 'OwnError', stack: error.stack },
      },
    ])
    expect(noted(error, { status: 499, code: 'A' })).toMatchObject([{ facts: { stack: null } }])
  })

  it('describes values that are not errors, and errors that cannot be read', () => {
    expect(noted('text', { status: 500, code: 'A' })).toMatchObject([
      { reason: 'text', facts: { name: 'string', stack: null } },
    ])
    const get = () => {
      throw new Error('unreadable')
    }
    expect(
      noted(new Proxy({}, { get, getPrototypeOf: get }), { status: 500, code: 'A' }),
    ).toMatchObject([
      { reason: 'an error that cannot be read', facts: { name: 'unknown', stack: null } },
    ])
  })

  it('is preceded by the places and messages of refused fields', () => {
    const errors = [
      { in: 'body', path: 'a', message: 'is missing' },
      { in: 'body', path: 'b', message: 'is missing' },
    ]
    const [validation] = noted(new Error('no'), { status: 400, code: 'A', errors })
    expect(validation).toEqual({
      by: 'validation',
      verdict: 'refused',
      facts: { in: ['body'], issues: errors },
    })
  })
})
