import type { Request, RouteModel } from 'blazon'
import type { EndedRequest } from 'blazon/plugin'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LEVELS, type LineLevel } from '../../../src/features/logs/levels.js'
import { LineLogger } from '../../../src/features/logs/line-logger.js'
import { type RequestLogSettings, requestLog } from '../../../src/features/logs/request-log.js'

const ROUTES = [
  { index: 0, method: 'GET', path: '/orders/:id', version: '2' },
  { index: 1, method: 'ALL', path: '/odd "\u2028\\path', version: null },
] as readonly Partial<RouteModel>[] as readonly RouteModel[]

/** Text with what JSON and terminals escape. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\u2028', '\ud800', '\u009b', '?') }),
)
const anyId = fc.oneof(anyText, fc.integer(), fc.bigInt(), fc.constantFrom(null, undefined, true))
const anyUser = fc.oneof(anyId, fc.record({ id: anyId, sub: anyId }, { requiredKeys: [] }))
const anyRequest: fc.Arbitrary<Request> = fc
  .record({
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'X-"ODD'),
    originalUrl: fc.oneof(anyText, fc.constant('/'.repeat(600))),
    id: fc.oneof(anyId, fc.constant('r'.repeat(200))),
    user: anyUser,
    traceparent: fc.constantFrom(undefined, `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`),
  })
  .map(({ traceparent, ...req }) => ({ ...req, headers: { traceparent } }) as unknown as Request)

const anyEnd = fc.record({
  status: fc.option(fc.integer({ min: 100, max: 599 })),
  outcome: fc.constantFrom('sent', 'aborted', 'timeout'),
  startedAt: fc.integer({ min: 0, max: 2 ** 42 }),
  durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  bytes: fc.nat(),
  isQuiet: fc.boolean(),
})
const anyEnded = fc.oneof(
  anyEnd.map((end) => ({ ...end, req: null, route: null, cause: 'parser' })),
  fc
    .record({
      end: anyEnd,
      req: anyRequest,
      route: fc.constantFrom(null, ...ROUTES),
      cause: fc.constantFrom('handler', 'router', 'guard'),
      tenant: fc.option(anyText, { nil: undefined }),
      claimedTenant: fc.option(anyText, { nil: undefined }),
    })
    .map(({ end, ...rest }) => ({ ...end, ...rest })),
) as fc.Arbitrary<EndedRequest>

/** The line that the framework's own logger writes for a request; `undefined` if it writes none. */
function lineOf(
  ended: EndedRequest,
  { least, redact }: { least: LineLevel; redact: readonly string[] },
  settings: Partial<RequestLogSettings>,
) {
  const lines: string[] = []
  const sink = { write: (line: string) => void lines.push(line), flush() {}, close() {} }
  const now = () => Math.round(ended.startedAt + ended.durationMs)
  const common = { redact, secrets: [], pretty: null }
  const logger = new LineLogger({ level: least, clock: { now } as never, sink, ...common })
  const { requests } = requestLog({ level: null, fields: null, ...settings })
  requests?.({ logger, model: { routes: ROUTES } } as never)?.onEnd?.(ended)
  expect(lines.length).toBeLessThanOrEqual(1)
  expect(lines.join('')).toMatch(/^([^\n\r\u2028]*\n)?$/)
  return lines[0] === undefined ? undefined : JSON.parse(lines[0])
}

/** Every field of a line. */
const FIELDS = `method route version path status ms bytes cause aborted requestId trace_id span_id user tenant claimedTenant`

it('the log line of a request has the same fields and values with and without the option `fields`', () => {
  const anyLevel = fc.constantFrom(...LEVELS)
  const anyRedact = fc.subarray(FIELDS.split(' '), { maxLength: 1 })
  const anyWriter = fc.record({ least: anyLevel, redact: anyRedact })
  fc.assert(
    fc.property(anyEnded, anyWriter, fc.option(anyLevel), (ended, writer, chosen) => {
      const level = chosen === null ? null : () => chosen
      const direct = lineOf(ended, writer, { level })
      expect(direct).toEqual(lineOf(ended, writer, { level, fields: () => ({}) }))
    }),
    { numRuns: 2000 },
  )
})

const ended = (more: object) =>
  ({
    ...{ req: null, route: null, status: 200, outcome: 'sent', cause: 'parser', bytes: 0 },
    ...{ startedAt: 0, durationMs: 1, isQuiet: false },
    ...more,
  }) as unknown as EndedRequest
const writer = { least: 'trace', redact: [] } as const

it.each<[string, object]>([
  ['info', { status: 200 }],
  ['info', { status: 499 }],
  ['error', { status: 500 }],
  ['info', { status: null }],
  ['debug', { status: 200, isQuiet: true }],
  ['error', { status: 503, isQuiet: true }],
])('the log line of a request has the level %s for %j', (level, more) => {
  expect(lineOf(ended(more), writer, {})).toMatchObject({ level })
})

it('a request without a line for its level writes nothing', () => {
  expect(lineOf(ended({}), writer, { level: () => null })).toBeUndefined()
  expect(lineOf(ended({}), writer, { level: () => null, fields: () => ({}) })).toBeUndefined()
})

it('the log line of a request without a route has its path without the query, and at most 512 characters', () => {
  const pathOf = (req: object) =>
    lineOf(ended({ req: { method: 'GET', headers: {}, ...req } }), writer, {}).path
  expect(pathOf({ originalUrl: '/a?b=c?d', url: '/x' })).toBe('/a')
  expect(pathOf({ originalUrl: '', url: '/x?y' })).toBe('/x')
  expect(pathOf({ originalUrl: `/${'x'.repeat(512)}` })).toBe(`/${'x'.repeat(511)}`)
})

it('the additional fields of a log line replace its own', () => {
  const fields = () => ({ status: 'own', more: 1 })
  expect(lineOf(ended({}), writer, { fields })).toMatchObject({ status: 'own', more: 1 })
})
