import { describe, expect, it } from 'vitest'
import {
  createTrace,
  knownTrace,
  parseTraceparent,
  parseTracestate,
  setSpan,
  traceOf,
} from '../../src/http/trace-context.js'

const TRACE = '12345678901234567890123456789012'
const SPAN = '1234567890123456'
const valid = `00-${TRACE}-${SPAN}-01`

/** Values that the test suite of the standard sends, and that must begin a new trace. */
const INVALID: Record<string, unknown> = {
  'no header': undefined,
  'an empty header': '',
  'a list': [valid, valid],
  'version 00 with a trailing character': `${valid}.`,
  'version 00 with another field': `${valid}-what-the-future-will-be-like`,
  'version 00 with a trailing dash': `${valid}-`,
  'a later version with a dot after the flags': `cc-${TRACE}-${SPAN}-01.what-the-future-will-be-like`,
  'a later version with longer flags': `cc-${TRACE}-${SPAN}-011`,
  'a later version without flags': `cc-${TRACE}-${SPAN}`,
  'version ff': `ff-${TRACE}-${SPAN}-01`,
  'an illegal character at the start of the version': `.0-${TRACE}-${SPAN}-01`,
  'an illegal character at the end of the version': `0.-${TRACE}-${SPAN}-01`,
  'a version in upper case': `CC-${TRACE}-${SPAN}-01`,
  'three digits of version': `000-${TRACE}-${SPAN}-01`,
  'four digits of version': `0000-${TRACE}-${SPAN}-01`,
  'one digit of version': `0-${TRACE}-${SPAN}-01`,
  'a trace id of zeros': `00-${'0'.repeat(32)}-${SPAN}-01`,
  'a trace id of zeros in a later version': `cc-${'0'.repeat(32)}-${SPAN}-01`,
  'an illegal character at the start of the trace id': `00-.2345678901234567890123456789012-${SPAN}-01`,
  'an illegal character at the end of the trace id': `00-1234567890123456789012345678901.-${SPAN}-01`,
  'a trace id in upper case': `00-${'A'.repeat(32)}-${SPAN}-01`,
  'a long trace id': `00-${TRACE}3-${SPAN}-01`,
  'a short trace id': `00-${TRACE.slice(1)}-${SPAN}-01`,
  'a parent id of zeros': `00-${TRACE}-${'0'.repeat(16)}-01`,
  'an illegal character at the start of the parent id': `00-${TRACE}-.234567890123456-01`,
  'an illegal character at the end of the parent id': `00-${TRACE}-123456789012345.-01`,
  'a parent id in upper case': `00-${TRACE}-ABCDEFABCDEFABCD-01`,
  'a long parent id': `00-${TRACE}-${SPAN}7-01`,
  'a short parent id': `00-${TRACE}-${SPAN.slice(1)}-01`,
  'an illegal character at the start of the flags': `00-${TRACE}-${SPAN}-.0`,
  'an illegal character at the end of the flags': `00-${TRACE}-${SPAN}-0.`,
  'flags in upper case': `00-${TRACE}-${SPAN}-0B`,
  'long flags': `00-${TRACE}-${SPAN}-001`,
  'short flags': `00-${TRACE}-${SPAN}-1`,
  'a space inside': `00-${TRACE} -${SPAN}-01`,
  'underscores as separators': `00_${TRACE}_${SPAN}_01`,
  'two headers, joined': `${valid}, ${valid}`,
  'two headers of a later version, joined': `cc-${TRACE}-${SPAN}-01-x, cc-${TRACE}-${SPAN}-01-x`,
  'a trailing line break': `${valid}\n`,
}

describe('parseTraceparent', () => {
  it.each(Object.keys(INVALID))('rejects %s', (name) => {
    expect(parseTraceparent(INVALID[name])).toBeUndefined()
    const trace = createTrace(INVALID[name], 'foo=1')
    expect(trace.traceId).not.toBe(TRACE)
    expect(trace).not.toHaveProperty('parentId')
    expect(trace).not.toHaveProperty('state')
    expect(trace.headers).not.toHaveProperty('tracestate')
  })

  it.each([
    [`00-${TRACE}-${SPAN}-00`, 0],
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-02`, 2],
    [`00-${TRACE}-${SPAN}-03`, 3],
    // Flags that the standard does not define are dropped.
    [`00-${TRACE}-${SPAN}-ff`, 3],
    [`00-${TRACE}-${SPAN}-fc`, 0],
    [`cc-${TRACE}-${SPAN}-01`, 1],
    [`cc-${TRACE}-${SPAN}-03`, 1],
    [`01-${TRACE}-${SPAN}-00-what-the-future-will-be-like`, 0],
    [`fe-${TRACE}-${SPAN}-01-`, 1],
  ])('accepts %s', (header, flags) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, parentId: SPAN, flags })
  })
})

const characters = (from: number, to: number) =>
  String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, i) => from + i))
const KEY = `${characters(0x61, 0x7a)}0123456789_-*/@`
const VALUE = characters(0x20, 0x2b) + characters(0x2d, 0x3c) + characters(0x3e, 0x7e)
const members = (count: number) => Array.from({ length: count }, (_, i) => `bar${i}=${i}`).join(',')

describe('parseTracestate', () => {
  it.each([
    ['one member', 'foo=1', 'foo=1'],
    ['two members', 'foo=1,bar=2', 'foo=1,bar=2'],
    ['spaces and tabs around members', ' foo=1 \t , \t bar=2, \t baz=3\t', 'foo=1,bar=2,baz=3'],
    ['empty members', 'foo=1,, ,\t,bar=2,', 'foo=1,bar=2'],
    ['all characters', `${KEY}=${VALUE}`, `${KEY}=${VALUE}`],
    ['a key that begins with a digit', '1a-2f@foo=bar', '1a-2f@foo=bar'],
    ['a key with several @', 'foo@bar@baz=1', 'foo@bar@baz=1'],
    ['a value that begins with a space', 'foo= 1', 'foo= 1'],
    ['a long key', `${'z'.repeat(256)}=1`, `${'z'.repeat(256)}=1`],
    ['a long value', `foo=${'v'.repeat(256)}`, `foo=${'v'.repeat(256)}`],
    ['32 members', members(32), members(32)],
    ['32 members and empty ones', `,,${members(32)},,`, members(32)],
    ['a repeated key', 'foo=1,bar=2,foo=3', 'foo=1,bar=2'],
  ])('accepts %s', (_, header, read) => {
    expect(parseTracestate(header)).toBe(read)
  })

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['only empty members', ' ,\t, '],
    ['33 members', members(33)],
    ['33 members with one key', Array<string>(33).fill('foo=1').join(',')],
    ['a space after a key', 'foo =1'],
    ['a key in upper case', 'FOO=1'],
    ['a dot in a key', 'foo.bar=1'],
    ['a key that begins with @', '@foo=1,bar=2'],
    ['a key that begins with _', '_foo=1'],
    ['a key of 257 characters', `${'z'.repeat(257)}=1`],
    ['a value of 257 characters', `foo=${'v'.repeat(257)}`],
    ['no value', 'foo='],
    ['no key', '=1'],
    ['no =', 'foo'],
    ['two =', 'foo=bar=baz'],
    ['a letter outside ASCII', 'foo=ä'],
    ['a no-break space after a member', 'foo=1\u00a0'],
    ['a control character', 'foo=a\x07b'],
    ['one invalid member among valid ones', 'foo=1,BAR=2,baz=3'],
  ])('drops %s', (_, header) => {
    expect(parseTracestate(header)).toBeUndefined()
    expect(createTrace(valid, header)).not.toHaveProperty('state')
  })
})

describe('createTrace', () => {
  it('creates unique IDs with all their digits', () => {
    const ids = Array.from({ length: 500 }, () => createTrace(undefined, undefined)).flatMap(
      ({ traceId, spanId }) => [traceId, spanId],
    )
    expect(new Set(ids).size).toBe(1000)
    expect(ids.filter((id) => !/^(?:[\da-f]{32}|[\da-f]{16})$/.test(id))).toEqual([])
    // No id is a part of another one: each has bytes of its own.
    expect(new Set(ids.map((id) => id.slice(0, 16))).size).toBe(1000)
  })

  it("continues a trace with a new span whose parent is the caller's span", () => {
    const trace = createTrace(valid, 'foo=1')
    expect(trace).toEqual({
      traceId: TRACE,
      spanId: expect.stringMatching(/^[\da-f]{16}$/),
      parentId: SPAN,
      flags: 1,
      state: 'foo=1',
      headers: { traceparent: `00-${TRACE}-${trace.spanId}-01`, tracestate: 'foo=1' },
    })
    expect(trace.spanId).not.toBe(SPAN)
  })

  it('starts a trace that has a random ID and is not marked as recorded', () => {
    const [a, b] = [createTrace(undefined, undefined), createTrace(undefined, undefined)]
    expect(a.traceId).toMatch(/^[\da-f]{32}$/)
    expect(a.traceId).not.toBe(b.traceId)
    expect(a.headers).toEqual({ traceparent: `00-${a.traceId}-${a.spanId}-02` })
    expect(parseTraceparent(a.headers.traceparent)).toBeDefined()
  })

  it('returns a frozen object, because all code in a request shares it', () => {
    const trace = createTrace(valid, 'foo=1')
    expect([Object.isFrozen(trace), Object.isFrozen(trace.headers)]).toEqual([true, true])
  })
})

describe('the trace of a request', () => {
  const OTHER = 'f'.repeat(32)
  const span = (more: object = {}) => ({
    traceId: TRACE,
    spanId: 'a'.repeat(16),
    traceFlags: 1,
    ...more,
  })
  const requestOf = (traceparent?: string) => ({
    headers: traceparent === undefined ? {} : { traceparent },
  })

  it("is that of the request's span, whose parent is the caller's span only in the same trace", () => {
    const found = [valid, `00-${OTHER}-${SPAN}-01`, undefined].map((traceparent) => {
      const req = requestOf(traceparent)
      setSpan(req, span({ traceFlags: 0xff, traceState: { serialize: () => 'foo=1' } }))
      return traceOf(req)
    })
    const facts = { traceId: TRACE, spanId: 'a'.repeat(16), flags: 3, state: 'foo=1' }
    for (const trace of found) expect(trace).toMatchObject(facts)
    expect(found.map(({ parentId }) => parentId)).toEqual([SPAN, undefined, undefined])
  })

  it('changes if the span is set after the trace was read, and stays the same object otherwise', () => {
    const req = requestOf(valid)
    const before = traceOf(req)
    expect(traceOf(req)).toBe(before)
    setSpan(req, span({ traceId: OTHER }))
    expect([before.traceId, traceOf(req).traceId]).toEqual([TRACE, OTHER])
  })

  it.each([
    ['no span and no caller', undefined, undefined, undefined],
    ['a caller', valid, undefined, TRACE],
    ['a recorded span', undefined, span(), TRACE],
    ['a span that is not recorded', undefined, span({ traceFlags: 2 }), undefined],
    [
      'a span that is not recorded, and a caller',
      valid,
      span({ traceId: OTHER, traceFlags: 0 }),
      OTHER,
    ],
    ['a recorded span without an ID', undefined, span({ spanId: '0'.repeat(16) }), undefined],
    [
      'a recorded span without an ID, and a caller',
      valid,
      span({ traceId: '0'.repeat(32) }),
      TRACE,
    ],
  ])('is known, and not created, with %s', (_, traceparent, set, traceId) => {
    const req = requestOf(traceparent)
    if (set !== undefined) setSpan(req, set)
    expect(knownTrace(req)?.traceId).toBe(traceId)
    const created = traceOf(req)
    expect(knownTrace(req)).toBe(created)
  })
})
