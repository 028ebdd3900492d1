import { HttpError, type Request } from 'blazon'
import { blameRequest } from 'blazon/plugin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countWork } from '../count-work.js'

const requestWith = (body: unknown) => ({ body, headers: {} }) as unknown as Request

interface Refused {
  readonly code: string
  readonly message: string
  readonly values: readonly string[]
}

/** The paths that are blamed; `null` if no field is, and `undefined` if the request is not to blame. */
function blamed(refused: Refused, body: readonly string[]): string[] | null | undefined {
  const error = blameRequest(refused, requestWith(body), new Error('refused'))
  if (error === undefined) return undefined
  expect(error).toBeInstanceOf(HttpError)
  return error.errors?.map(({ path }) => path) ?? null
}

/** The meaning of blaming: each value of the statement is compared with each one of the request. */
function blamedOneByOne({ code, message, values }: Refused, body: readonly string[]) {
  const isCertain = code === '22021'
  const mark = (text: string) => text.replaceAll(' ', '"')
  const isQuoted = (text: string) =>
    text === '' ? message.includes('""') : `"${mark(message)}"`.includes(`"${mark(text)}"`)
  const suspects = values.filter(isCertain ? (text) => text.includes('\0') : isQuoted)
  const places = new Set<string>()
  for (const suspect of suspects) {
    const indexes = [...body.keys()]
    const same = indexes.filter((at) => body[at] === suspect)
    const inside = indexes.filter((at) => {
      const sent = body[at] as string
      return sent.includes('\0') && suspect.toLowerCase().includes(sent.trim().toLowerCase())
    })
    const found = same.length > 0 || !suspect.includes('\0') ? same : inside
    if (found.length === 0) return undefined
    for (const at of found) places.add(String(at))
  }
  if (places.size === 0) return undefined
  return places.size === 1 || isCertain ? [...places].sort() : null
}

describe('blameRequest', () => {
  const unit = fc.constantFrom('a', 'B', ' ', '"', '\0')
  const texts = fc.array(fc.string({ unit, maxLength: 4 }), { maxLength: 8 })

  it('finds the same values as a comparison of all pairs', () => {
    const codes = fc.constantFrom('22021', '22P02')
    fc.assert(
      fc.property(codes, texts, texts, texts, (code, body, others, quoted) => {
        const values = [...body.slice(1).map((text) => `%${text}%`), ...body, ...others]
        const message = `invalid "${quoted.join('" "')}${body[0] ?? ''}"`
        const refused = { code, message, values: values.filter((text) => !/^\s*[[{]/.test(text)) }
        expect(blamed(refused, body)?.sort()).toEqual(blamedOneByOne(refused, body) ?? undefined)
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    [
      'also a letter in a word of the message',
      'invalid input syntax for type uuid: "x"',
      ['x', 'b'],
    ],
    ['an empty string', 'invalid input syntax for type uuid: ""', ['', 'b']],
    ['also a prefix of the message', 'invalid input value for enum mood: "in"', ['in', 'b']],
    ['in a message in another language', 'ungültige Eingabesyntax für Typ uuid: »y«', ['y', 'b']],
    ['in quotation marks with spaces', 'syntaxe en entrée invalide : «\u00a0s\u00a0»', ['s', 'b']],
  ])('finds a quoted value that is %s', (_, message, body) => {
    expect(blamed({ code: '22P02', message, values: body }, body)).toEqual(['0'])
  })

  it.each([
    ['quoted texts', '22P02', (n: number) => `${'a'.repeat(20)}${n}`, (text: string) => text],
    ['texts with a NUL', '22021', (n: number) => `\0${n % 10}`, (text: string) => `%${text}%`],
    ['equal texts', '22021', () => '\0', (text: string) => text],
  ])('reads each character only a few times, for %s', (_, code, textAt, inStatement) => {
    const body = Array.from({ length: 1500 }, (_, n) => textAt(n))
    const values = body.map(inStatement)
    const message = `invalid "${'a'.repeat(20_000)}"`
    const all = [...body, ...values, message].join('').length
    expect(countWork(() => blamed({ code, message, values }, body))).toBeLessThan(10 * all)
  })
})
