import { Cache, Controller, Get, type Plugin, Use } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { OUTCOMES, type Outcome, observe, PHASES, type Phase } from './outcomes-cell.js'

// What a request becomes, for everything that code in a phase can do. A cell has: the status that the client receives,
// or `-` if the connection closes, and `cut` if it closes after a part of the response; how often the handler runs; `!1` if one error is logged; the outcome of `onEnd`, if
// it is not `sent`. `onResponse` is called once for each response of the route.
//
// - `n/a`: nothing in this phase can do so. The results of middlewares have no meaning, and they have not called `next`:
//   see `timeout`. The handler timeout begins at the route. A guard, `can` and a schema return a decision, and so have no
//   `next`; a schema and a handler cannot pass on.
// - A guard that throws has refused the request: 401. Only errors that show a mistake of its code, such as a TypeError,
//   are logged.
const TABLES = `
phase         | passes | later  | HttpError 418 | Error     | rejects   | refuses
middleware    | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 451 ×0
enter         | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 451 ×0
beforeGuard   | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 451 ×0
guard         | 200 ×1 | 200 ×1 | 418 ×0        | 401 ×0    | 401 ×0    | 401 ×0
afterGuard    | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 451 ×0
can           | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 403 ×0
beforeBody    | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 451 ×0
@Use          | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 451 ×0
schema        | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 400 ×0
beforeHandler | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 451 ×0
interceptor   | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 451 ×0
aroundHandler | 200 ×1 | 200 ×1 | 418 ×0        | 500 ×0 !1 | 500 ×0 !1 | 451 ×0
handler       | 200 ×1 | 200 ×1 | 418 ×1        | 500 ×1 !1 | 500 ×1 !1 | 451 ×1

phase         | sends 202 | a value   | next twice | client leaves | timeout           | streams
middleware    | 202 ×0    | n/a       | 200 ×1     | - ×0          | n/a               | 200 "ab" ×0
enter         | 202 ×0 !1 | 500 ×0 !1 | 500 ×0 !1  | - ×0 aborted  | 503 ×0 !1 timeout | 200 cut ×0 !1 aborted
beforeGuard   | 202 ×0 !1 | 500 ×0 !1 | 500 ×1 !1  | - ×0 aborted  | 503 ×0 !1 timeout | 200 cut ×0 !1 aborted
guard         | 202 ×0    | 401 ×0    | n/a        | - ×0 aborted  | 503 ×0 !1 timeout | 200 cut ×0 aborted
afterGuard    | 202 ×0    | 200 ×0    | 500 ×1 !1  | - ×0 aborted  | 503 ×0 !1 timeout | 200 "ab" ×0
can           | 202 ×0    | 403 ×0    | n/a        | - ×0 aborted  | 503 ×0 !1 timeout | 200 cut ×0 aborted
beforeBody    | 202 ×0    | 200 ×0    | 500 ×1 !1  | - ×0 aborted  | 503 ×0 !1 timeout | 200 "ab" ×0
@Use          | 202 ×0    | n/a       | 200 ×1     | - ×0 aborted  | 503 ×0 !1 timeout | 200 "ab" ×0
schema        | n/a       | n/a       | n/a        | - ×1 aborted  | 503 ×0 !1 timeout | n/a
beforeHandler | 202 ×0    | 200 ×0    | 500 ×1 !1  | - ×1 aborted  | 503 ×0 !1 timeout | 200 "ab" ×0
interceptor   | 202 ×0    | 200 ×0    | 200 ×2     | - ×1 aborted  | 503 ×0 !1 timeout | 200 "ab" ×0
aroundHandler | 202 ×0    | 200 ×0    | 200 ×2     | - ×1 aborted  | 503 ×0 !1 timeout | 200 "ab" ×0
handler       | 202 ×1    | 200 ×1    | n/a        | - ×1 aborted  | 503 ×1 !1 timeout | 200 "ab" ×1
`

/** The rows of a table as cells, by the names of its columns. */
function rowsOf(table: string): { phase: Phase; cells: [Outcome, string][] }[] {
  const [head = [], ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.map(([phase, ...cells]) => ({
    phase: phase as Phase,
    cells: cells.map((cell, index) => [head[index + 1] as Outcome, cell]),
  }))
}

const tables = TABLES.trim().split('\n\n').map(rowsOf)

describe('the table of request outcomes', () => {
  it('contains every phase and every outcome', () => {
    const written = tables
      .flat()
      .flatMap(({ phase, cells }) => cells.map(([name]) => [phase, name]))
    const all = Object.keys(PHASES).flatMap((phase) =>
      Object.keys(OUTCOMES).map((name) => [phase, name]),
    )
    expect(written.map(String).sort()).toEqual(all.map(String).sort())
  })

  it.each(tables.flat())('is correct for code in $phase', async ({ phase, cells }) => {
    const seen: typeof cells = []
    for (const [outcome, cell] of cells) {
      seen.push([outcome, cell === 'n/a' ? cell : await observe(phase, outcome)])
    }
    expect(seen).toEqual(cells)
  })
})

it('a response from the cache passes only through the steps before the cache', async () => {
  const seen: string[] = []
  const note = (name: string) => (next: (...args: never[]) => unknown) => {
    return (...args: unknown[]) => {
      seen.push(name)
      return next(...(args as never[]))
    }
  }
  const places = [
    'enter',
    'beforeGuard',
    'afterGuard',
    'beforeBody',
    'beforeHandler',
    'aroundHandler',
  ]
  const noting: Plugin = {
    name: 'noting',
    steps: () => ({
      ...Object.fromEntries(places.map((place) => [place, note(place)])),
      onResponse: () => void seen.push('onResponse'),
      onEnd: () => void seen.push('onEnd'),
    }),
  }

  @Controller('target')
  class Target {
    @Use(
      (_req, _res, next) => {
        seen.push('@Use')
        next()
      },
      {
        intercept: (_req, next) => {
          seen.push('interceptor')
          return next()
        },
      },
    )
    @Cache({ ttl: '1m' })
    @Get()
    get() {
      return 'done'
    }
  }
  await using app = await TestApp.create({ controllers: [Target], plugins: [noting] })
  await app.request().get('/target').expect(200)
  expect(seen).toContain('interceptor')
  seen.length = 0
  await app.request().get('/target').expect('x-cache', 'HIT')
  expect(seen).toEqual([...places.slice(0, 3), '@Use', 'beforeBody', 'onResponse', 'onEnd'])
})
