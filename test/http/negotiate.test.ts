import { describe, expect, it } from 'vitest'
import { negotiate } from '../../src/http/negotiate.js'

const SSE = 'text/event-stream'
const LINES = 'application/jsonl'
const JSON_TYPE = 'application/json'

const CHOSEN: readonly [accept: string | undefined, chosen: string | undefined][] = [
  [undefined, SSE],
  ['', SSE],
  ['*/*', SSE],
  ['application/*', LINES],
  ['application/jsonl', LINES],
  ['APPLICATION/JSONL', LINES],
  ['application/jsonl ; q=0.2, text/event-stream ; q=0.1', LINES],
  ['text/*;q=0.2, application/*;q=0.3', LINES],
  // The most specific range decides, and not the greatest weight (RFC 9110, 12.5.1).
  ['application/*;q=0.9, application/jsonl;q=0.1, text/event-stream;q=0.2', JSON_TYPE],
  ['*/*, text/event-stream;q=0', LINES],
  ['*/*;q=0', undefined],
  ['image/png', undefined],
  ['*/html', undefined],
  ['nonsense, application/jsonl', LINES],
  ['text/html;level="1,2", application/jsonl', LINES],
  // A range with a parameter that the type does not have matches nothing.
  ['text/event-stream;charset=utf-8, application/jsonl;q=0.1', LINES],
  [',,;;,', undefined],
]

describe('negotiate()', () => {
  it.each(CHOSEN)('given the Accept header %j, returns %j', (accept, chosen) => {
    expect(negotiate(accept, [SSE, LINES, JSON_TYPE])).toBe(chosen)
  })

  it('finds a type with parameters for a range with or without parameters', () => {
    const html = 'text/html;level=1;charset=utf-8'
    expect(negotiate('text/html', [html])).toBe(html)
    expect(negotiate('text/html; Level="1"', [html])).toBe(html)
    expect(negotiate('text/html;level=1;q=0, text/html', [html])).toBeUndefined()
  })

  it('uses only the first 2048 characters of a header', () => {
    expect(negotiate(`${'a/b,'.repeat(500)}text/event-stream`, [SSE])).toBe(SSE)
    expect(negotiate(`${'a/b,'.repeat(512)}text/event-stream`, [SSE])).toBeUndefined()
  })

  it('reads only the beginning of a header with many members', () => {
    expect(negotiate(`${'a/b,'.repeat(100_000)}text/event-stream`, [SSE])).toBeUndefined()
  })
})
