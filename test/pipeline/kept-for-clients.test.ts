import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { KeyUses } from '../../src/integrations/api-keys/api-keys.js'
import { StatementSpans } from '../../src/integrations/otel/statement-spans.js'
import { ProtectedTables } from '../../src/integrations/postgres/sessions/statements.js'
import {
  compileVisibility,
  type HeldVisibility,
} from '../../src/pipeline/visibility/compile-visibility.js'
import { KeptVisibilities } from '../../src/pipeline/visibility/kept-visibilities.js'
import { ANY, both, either, SCALAR } from '../../src/schema/fields/form.js'
import { compileHide } from '../../src/schema/visibility/hide-fields.js'
import { marksOfRoute } from '../../src/schema/visibility/route-marks.js'

const TEN = [...'abcdefghij']
/** The letters whose bits a number has. */
const setOf = (bits: number) => TEN.filter((_, index) => (bits & (1 << index)) !== 0)
const objectOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]))

afterEach(() => vi.restoreAllMocks())

describe('the cached field rules of callers', () => {
  const properties = Object.fromEntries(TEN.map((name) => [name, { visibleTo: name }]))
  const schema = { type: 'object', properties }
  const route = {
    index: 3,
    inputs: {},
    bodies: null,
    stream: null,
    envelope: false,
    headers: null,
    operation: { responses: [{ status: 200, schema, raw: true }], body: null },
  } as unknown as Parameters<typeof compileVisibility>[0]

  it('are limited to a fixed number of ability sets, and are correct for every set', () => {
    const kept = new KeptVisibilities<HeldVisibility>(5)
    const config = { schemas: marksOfRoute(route, {}), converters: {}, kept }
    const { forHeld, marks } = compileVisibility(route, config)
    const heldBy = (bits: number) => forHeld(marks.map((_, index) => (bits & (1 << index)) !== 0))
    const first = heldBy(1)
    expect(heldBy(1)).toBe(first)
    for (const bits of [...Array(20).keys(), 1]) {
      const { hideIn, findInBody } = heldBy(bits)
      expect(hideIn(200).body(objectOf(TEN))).toEqual(objectOf(setOf(bits)))
      expect(findInBody(objectOf(TEN), 200)).toHaveLength(10 - setOf(bits).length)
    }
    expect(kept.size).toBe(5)
    expect(heldBy(1)).not.toBe(first)
  })

  it('are kept for the 500 most recent callers', () => {
    const kept = new KeptVisibilities()
    const make = vi.fn(() => ({}) as never)
    for (let n = 0; n < 500; n++) kept.get(`caller ${n}`, make)
    kept.get('caller 0', make)
    expect(make).toHaveBeenCalledTimes(500)
    kept.get('one more', make)
    expect(kept.size).toBe(500)
    kept.get('caller 0', make)
    expect(make).toHaveBeenCalledTimes(501)
    kept.get('caller 1', make)
    expect(make).toHaveBeenCalledTimes(502)
  })
})

describe('the cached alternatives of a union with marked fields', () => {
  it('are limited to 500 sets of property names, and are correct for every set', () => {
    let asked = 0
    const hides = () => ++asked > 0
    const anyOf = TEN.map((name) => ({
      required: [name],
      properties: { secret: { visibleTo: 'x' } },
    }))
    const hide = compileHide({ schema: { anyOf }, resolve: () => undefined }, hides)
    const askedFor = (bits: number) => {
      asked = 0
      const value = { ...objectOf(setOf(bits)), secret: 1 }
      expect(hide(value)).toEqual(objectOf(setOf(bits)))
      return asked
    }
    expect(askedFor(1)).toBeGreaterThan(0)
    for (let bits = 2; bits < 400; bits++) askedFor(bits)
    expect(askedFor(1)).toBe(0)
    for (let bits = 400; bits < 1024; bits++) askedFor(bits)
    expect(askedFor(1)).toBeGreaterThan(0)
  })
})

describe('the cached combinations of schema forms', () => {
  it.each([
    ['both', both],
    ['either', either],
  ])('are limited to a fixed number: %s', (_, join) => {
    const formOf = (name: string) => ({
      ...SCALAR,
      object: { names: new Map([[name, () => ANY]]), rest: null },
    })
    const [a, b] = [formOf('a'), formOf('b')]
    const first = join(a, b)
    expect(join(a, b)).toBe(first)
    for (let n = 0; n < 5000; n++) join(a, formOf(`n${n}`))
    const again = join(a, b)
    expect(again).not.toBe(first)
    expect(Object.keys(Object.fromEntries((again.object as typeof a.object).names))).toEqual([
      'a',
      'b',
    ])
  })
})

describe('the cached table names of SQL statements', () => {
  it('do not include very long statements', () => {
    const tables = new ProtectedTables(['orders'])
    const search = vi.spyOn(RegExp.prototype, 'exec')
    const short = 'select * from orders where id in ($1)'
    const long = short + ' '.repeat(10_000)
    for (const text of [short, short, long, long]) expect(tables.find(text)).toBe('orders')
    expect(search).toHaveBeenCalledTimes(3)
  })
})

describe('the cached span attributes of SQL statements', () => {
  it('do not include very long statements', () => {
    const described: unknown[] = []
    const span = { end() {}, isRecording: () => true }
    const tracer = {
      startSpan(_: string, { attributes }: { attributes: object }) {
        described.push(attributes)
        return span
      },
    }
    const active = trace.setSpan(ROOT_CONTEXT, span as never)
    vi.spyOn(context, 'active').mockReturnValue(active)
    const api = { context, trace, SpanKind, SpanStatusCode } as never
    const spans = new StatementSpans(api, { tracer, spanKey: Symbol('span') } as never)
    const long = `select ${'$1,'.repeat(5000)}1 from orders`
    for (const text of ['select 1', 'select 1', long, long]) {
      spans.note({ system: 'postgresql', text, startedAt: 0, durationMs: 1 } as never)
    }
    expect(described[1]).toBe(described[0])
    expect(described[3]).not.toBe(described[2])
    expect(described[3]).toEqual(described[2])
  })
})

describe('the recorded uses of API keys', () => {
  it('are limited to 10,000 keys', async () => {
    const reported: string[] = []
    const uses = new KeyUses({
      clock: { monotonic: () => 0 } as never,
      logger: {} as never,
      useMs: 60_000,
      report: ({ id }) => reported.push(id),
    })
    const use = (id: string) => uses.note({ id } as never, {} as never)
    for (let n = 0; n < 10_000; n++) use(`key${n}`)
    use('key0')
    use('one more')
    use('key0')
    use('key9999')
    await uses.settle()
    expect(reported.filter((id) => id === 'key0')).toHaveLength(2)
    expect(reported.filter((id) => id === 'key9999')).toHaveLength(1)
  })
})
