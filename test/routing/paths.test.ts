import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pathProblem } from '../../src/model/path-problem.js'
import { pathParameters, pathShape } from '../../src/model/paths.js'
import { pathTemplate } from '../../src/openapi/place-operations.js'
import { buildRouter } from '../../src/routing/build-router.js'

/** Letters whose case is unusual, characters with a meaning in paths, URLs and regular expressions, and plain ones. */
const CHARACTERS = [...'aAzZ09_-.~!$&\'()*+,;=:@{}[]|^"<>`%?#\\ éÉßſİıΣςσ年😀𐐀\u0301']
const character = fc.constantFrom(...CHARACTERS)

/** How a path names a literal character. A backslash may stand before every special one. */
const written = (text: string) => text.replace(/[^\w]/gu, '\\$&')

type Part = { readonly literal: string } | { readonly name: string }
type Segment = readonly Part[]

const literal = fc.string({ unit: character, minLength: 1, maxLength: 3 })
/** A name ends where a letter or a digit does not follow. */
const afterName = literal.filter((text) => !/^\w/.test(text))
const names = ['id', 'a1', '_x', '0', 'constructor', 'ID', 'toString', 'b', 'c', 'd']

const segment = (place: number): fc.Arbitrary<Segment> => {
  const [one = '', two = '', three = ''] = names.slice(place * 3)
  const at = (...parts: (string | fc.Arbitrary<string>)[]) =>
    fc
      .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
      .map((texts) =>
        texts.map((text, index) =>
          typeof parts[index] === 'string' ? { name: text } : { literal: text },
        ),
      )
  return fc.oneof(
    at(literal),
    at(one),
    at(literal, one),
    at(one, afterName),
    at(one, afterName, two),
    at(literal, one, afterName, two, afterName, three, afterName),
  )
}

const path = fc
  .tuple(
    fc
      .integer({ min: 1, max: 3 })
      .chain((count) => fc.tuple(...[0, 1, 2].slice(0, count).map(segment))),
    fc.boolean(),
  )
  .map(([segments, hasRest]) => [
    ...segments.map((parts) =>
      parts.map((part) => ('name' in part ? `:${part.name}` : written(part.literal))).join(''),
    ),
    ...(hasRest ? ['*rest'] : []),
  ])
  .map((segments) => `/${segments.join('/')}`)
  .filter((each) => !each.split('/').some((text) => /^(\\\.){1,2}$/.test(text)))

const value = fc
  .oneof(
    fc.string({ unit: character, minLength: 1, maxLength: 4 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  )
  .filter((text) => !/\p{Cs}/u.test(text) && !text.includes('\0'))

function finder(...paths: string[]) {
  const match = buildRouter(paths.map((each, index) => ({ index, method: 'GET', path: each })))
  return (url: string) => {
    const found = match('GET', url)
    return found.kind === 'route' ? { path: paths[found.index], params: { ...found.params } } : null
  }
}

/** A segment as characters: those that a URL may have in both forms are decoded, the others stay as they are. */
function charactersOf(text: string): string[] {
  return [...text.matchAll(/(?:%[0-9A-F]{2})+|[^%]/giu)].flatMap(([each]) =>
    Array.from(each.startsWith('%') ? decodeURIComponent(each) : each, (decoded) =>
      each !== decoded && ';/?:@&=+$,#%'.includes(decoded) ? encodeURIComponent(decoded) : decoded,
    ),
  )
}

const isSame = (one: string, another: string) => {
  const plain = (text: string) => text.toLowerCase().replace('ς', 'σ')
  return plain(one) === plain(another)
}

/** All ways in which a segment of a URL is a segment of a template: the values of its parameters, in order. */
function readings(template: readonly (string | null)[], given: readonly string[]): string[][] {
  const [first, ...others] = template
  if (first === undefined) return given.length === 0 ? [[]] : []
  if (first !== null) {
    return given[0] !== undefined && isSame(first, given[0]) ? readings(others, given.slice(1)) : []
  }
  return given.flatMap((_, index) =>
    readings(others, given.slice(index + 1)).map((rest) => [
      decodeURIComponent(
        given
          .slice(0, index + 1)
          .map(encodedOnce)
          .join(''),
      ),
      ...rest,
    ]),
  )
}

const encodedOnce = (text: string) => (/^%../.test(text) ? text : encodeURIComponent(text))

/** All ways in which the path of a URL is the path of a template without a wildcard. */
function allReadings(template: string, url: string): string[][] {
  const [segments, given] = [template.split('/'), url.split('/')]
  if (segments.length !== given.length) return []
  return segments.reduce<string[][]>(
    (found, text, index) => {
      const parts = text
        .split(/(\{\w+\})/)
        .flatMap((each) => (each.startsWith('{') ? [null] : charactersOf(each)))
      const own = readings(parts, charactersOf(given[index] as string))
      return found.flatMap((before) => own.map((values) => [...before, ...values]))
    },
    [[]],
  )
}

/** Paths and URLs of few characters, so that many URLs match. */
const smallPath = fc
  .array(
    fc.constantFrom(
      'a',
      ':x',
      'a:x',
      ':x.a',
      ':x,:y',
      ':x-:y',
      ':x-a',
      ':x.:y',
      ':x-:y.a',
      ':x-:y.:z',
    ),
    {
      minLength: 1,
      maxLength: 2,
    },
  )
  .map((segments) =>
    segments
      .map((each, index) => `/${each.replace(/[xyz]/g, (name) => `${name}${index}`)}`)
      .join(''),
  )

const SHAPES = { minLength: 1, maxLength: 4, selector: pathShape } as const

const smallUrl = fc
  .array(
    fc.string({
      unit: fc.constantFrom('a', 'A', '-', '.', ',', '%2C', '%2c', '%2D', '%61', '%2F', 'b'),
      minLength: 1,
      maxLength: 6,
    }),
    { minLength: 1, maxLength: 2 },
  )
  .map((segments) => `/${segments.join('/')}`)

function rankOf(path: string): string {
  const ranks = path.split('/').map((each) => {
    if (!each.includes(':')) return '0'
    // Of two mixtures, the one with more literal characters comes first.
    const { length } = each.replace(/:\w+/g, '')
    return length === 0 ? '2' : `1${9 - length}`
  })
  return ranks.join('')
}

describe('a path', () => {
  it('can contain every special character if it is escaped, except control characters and lone surrogates', () => {
    const characters = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code))
    const special = characters.filter((each) => !/[\p{L}\p{M}\p{N}/\\_]/u.test(each))
    const refused = special.filter((each) => pathProblem(`books\\${each}`) !== null)
    expect(refused).toEqual(special.filter((each) => /[\p{Cc}\p{Cs}]/u.test(each)))
  })

  it('matches every URL made from its template, and returns the values in the URL', () => {
    fc.assert(
      fc.property(path, fc.array(value, { minLength: 12, maxLength: 12 }), (given, values) => {
        expect(pathProblem(given)).toBeNull()
        const keys = pathParameters(given)
        const template = pathTemplate(given)
        expect(template).toMatch(/^[\w.~!$&'()*+,;=:@%{}/-]+$/)
        const url = keys.reduce(
          (text, key, index) =>
            text.replace(`{${key}}`, () => encodeURIComponent(values[index] as string)),
          template,
        )
        const sent = Object.fromEntries(keys.map((key, index) => [key, values[index]]))
        const found = finder(given)(url)
        expect(found?.path).toBe(given)
        const others = allReadings(template, url)
        // A URL with several readings cannot show which one was meant.
        if (others.length < 2) expect(found?.params).toEqual(sent)
        else expect(others).toContainEqual(keys.map((key) => found?.params[key]))
      }),
      { numRuns: 1000 },
    )
  })

  it('matches URLs that its template matches, and no others', () => {
    fc.assert(
      fc.property(fc.uniqueArray(smallPath, SHAPES), smallUrl, (paths, url) => {
        const readingsOf = new Map(
          paths.map((each) => [each, allReadings(pathTemplate(each), url)]),
        )
        const matching = paths.filter((each) => readingsOf.get(each)?.length !== 0)
        const found = finder(...paths)(url)
        if (found === null) {
          expect(matching).toEqual([])
          return
        }
        // From left to right: a literal, a mixture, a parameter.
        const ranks = matching.map(rankOf).sort()
        expect(rankOf(found.path ?? '')).toBe(ranks[0])
        const values = pathParameters(found.path ?? '').map((key) => found.params[key])
        expect(readingsOf.get(found.path ?? '')).toContainEqual(values)
      }),
      { numRuns: 1000 },
    )
  })
})
