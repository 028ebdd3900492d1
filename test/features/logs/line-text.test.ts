import { describe, expect, it } from 'vitest'
import { escapeText, quote } from '../../../src/features/logs/line-sink.js'

/** Characters that could forge a line, hide a part of it, or change its direction: first and last of each range. */
const UNSAFE = [
  ...['\u0000', '\u001f', '\u007f', '\u0080', '\u009f', '\u061c', '\u200e', '\u200f'],
  ...['\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069', '\ufeff'],
]
const escaped = (character: string) => {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

describe('text in a log line', () => {
  it.each(UNSAFE.map((character) => [escaped(character), character]))(
    'contains the character %s only as an escape',
    (text, character) => {
      expect(quote(`a${character}b`)).toBe(`"a${text}b"`)
      expect(escapeText(`a${character}"b`)).toBe(`a${text}"b`)
      expect(JSON.parse(quote(character))).toBe(character)
    },
  )

  it.each(['', 'Grüße 😀', 'a/b?c=d&e=[f]', '\u00a0\u200d\u2027\u202f\u2065\u206a'])(
    'contains other characters unchanged: %j',
    (text) => {
      expect(quote(text)).toBe(`"${text}"`)
      expect(escapeText(text)).toBe(text)
    },
  )

  it('shows quotes and line breaks in one line, in JSON and on a terminal', () => {
    expect(quote('a "b"\n\\')).toBe('"a \\"b\\"\\n\\\\"')
    expect(escapeText('a "b"\r\n\t\\')).toBe('a "b"\\r\\n\\t\\\\')
    expect(JSON.parse(quote('\ud800'))).toBe('\ud800')
  })
})
