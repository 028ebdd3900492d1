import { describe, expect, it } from 'vitest'
import { LONG, SHORT } from '../../../src/testing/isolation/canaries.js'
import { MarkedTexts } from '../../../src/testing/isolation/marked-texts.js'

describe('the string of a text field in the proof of isolation', () => {
  const textOf = (schema: object) => {
    const texts = new MarkedTexts({} as never, {})
    return [texts.everywhere({ type: 'string', ...schema } as never, 'name'), texts.unmarked.size]
  }

  it.each([LONG, SHORT])('has a canary if exactly its %i characters are permitted', (length) => {
    const [text, unmarked] = textOf({ minLength: length, maxLength: length })
    expect([String(text).length, unmarked]).toEqual([length, 0])
  })

  it('has no canary, and is reported, if one character less is permitted', () => {
    expect(textOf({ maxLength: SHORT - 1 })).toEqual([undefined, 1])
  })
})
