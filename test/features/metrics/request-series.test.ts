import type { Request, RouteModel } from 'blazon'
import { type EndedRequest, setTraceContext } from 'blazon/plugin'
import { expect, it } from 'vitest'
import { RequestSeries } from '../../../src/features/metrics/request-series.js'

const ROUTES = [
  { index: 0, method: 'GET', path: '/orders', version: null },
  { index: 1, method: 'ALL', path: '/any', version: '2' },
  { index: 2, method: 'PROPFIND', path: '/odd', version: null },
] as readonly Partial<RouteModel>[] as readonly RouteModel[]
const [orders, any, odd] = ROUTES as [RouteModel, RouteModel, RouteModel]

type Ended = Partial<EndedRequest> & { readonly method?: string | null }

function seriesOf(tenants: { max: number; rest: string } | null = null) {
  const series = new RequestSeries({ routes: ROUTES, bounds: Float64Array.of(1), tenants })
  const note = ({ method = 'GET', ...more }: Ended) => {
    const req = method === null ? null : { method, headers: {} }
    const usual = { route: null, status: 200, cause: 'handler', durationMs: 500, startedAt: 0 }
    series.note({ ...usual, req, ...more } as unknown as EndedRequest)
  }
  return { series, note }
}

it.each<[string, Ended]>([
  ['GET /orders 2xx', { route: orders }],
  ['HEAD /orders 2xx', { route: orders, method: 'HEAD' }],
  ['PUT /any 2 2xx', { route: any, method: 'PUT' }],
  ['QUERY /any 2 2xx', { route: any, method: 'QUERY' }],
  ['_OTHER /any 2 2xx', { route: any, method: 'ALL' }],
  ['_OTHER /odd 2xx', { route: odd, method: 'PROPFIND' }],
  ['_OTHER (none) 2xx', { method: 'toString' }],
  ['GET (none) 4xx', { cause: 'router', status: 404 }],
  ['GET (framework) 2xx', { cause: 'framework' }],
  ['GET (middleware) 3xx', { cause: 'middleware', status: 302 }],
  ['_OTHER (unread) 4xx', { cause: 'parser', status: 400, method: null }],
  ['_OTHER (unread) 4xx', { cause: 'head', status: 431, method: null }],
  ['GET (upgrade) 1xx', { cause: 'upgrade', status: 101 }],
  ['GET (none) 5xx', { status: 599 }],
  ['GET (none) other', { status: 600 }],
  ['GET (none) other', { status: 999 }],
  ['GET (none) aborted', { status: null }],
])('two equal requests have one series of durations: %s', (expected, ended) => {
  const { series, note } = seriesOf()
  note(ended)
  note(ended)
  const labels = [...series].map((each) =>
    [...each.labels.matchAll(/"([^"]*)"/g)].map(([, value]) => value).join(' '),
  )
  expect(labels).toEqual([expected])
})

it('a response counts for its cause, but a request without a response does not', () => {
  const { series, note } = seriesOf()
  note({ cause: 'guard' })
  note({ cause: 'guard' })
  note({ cause: 'timeout', status: null })
  expect([...series.causes]).toEqual([['guard', { responses: 2 }]])
  expect(series.countsTenants).toBe(false)
})

it('the requests of a tenant and their seconds are counted, and those of further tenants together', () => {
  const { series, note } = seriesOf({ max: 1, rest: 'rest' })
  for (const tenant of ['a', 'b', 'a', undefined, 'c']) note({ tenant } as Ended)
  expect([...series.tenants]).toEqual([
    ['a', { requests: 2, seconds: 1 }],
    ['rest', { requests: 2, seconds: 1 }],
  ])
  expect(series.countsTenants).toBe(true)
})

it('an exemplar has the time at which its request ended', () => {
  const { series, note } = seriesOf()
  const req = { method: 'GET', headers: {} } as Request
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  setTraceContext(req, { traceId, spanId: 'b7ad6b7169203331', traceFlags: 1 })
  note({ req, startedAt: 1_000_000, durationMs: 500 })
  const [histogram] = series
  expect(histogram?.exemplars?.[0]).toEqual({ traceId, value: 0.5, at: 1000.5 })
})
