import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import type { FastCheck } from '../fuzz/random.js'
import { ofPattern, type TextOf } from '../fuzz/valid-values.js'
import { LONG, neutralText, SHORT } from './canaries.js'

/** Placeholders that are replaced by canaries of the same length. */
const PLACES = [
  { place: '0c0ffee0'.repeat(LONG / 8), length: LONG },
  { place: '05ca1ab1'.repeat(SHORT / 8), length: SHORT },
] as const

/** A pattern that matches all these strings is assumed to match every canary. */
const PROBES = Array.from({ length: 8 }, (_, index) => neutralText(0, index))
/** The number of samples of a pattern into which canaries are inserted, and their maximum length. */
const SAMPLES = { count: 10, length: 100 }

/** The option `texts`: for each field name, a function that returns a string with the random string in it. */
export type Texts = Readonly<Record<string, (random: string) => string>>

type Frame = (place: string) => string
type Give = (length: number) => string

const FRAMES: Readonly<Record<string, Frame>> = {
  '': (place) => place,
  password: (place) => place,
  email: (place) => `${place}@example.com`,
  uri: (place) => `https://example.com/${place}`,
  url: (place) => `https://example.com/${place}`,
}

/** Chooses strings with placeholders for the fields of requests. */
export class MarkedTexts {
  readonly #fc: FastCheck
  readonly #texts: Texts
  /** The free-text fields without a placeholder, with the reasons. */
  readonly unmarked: Map<string, string> = new Map()

  constructor(fc: FastCheck, texts: Texts) {
    this.#fc = fc
    this.#texts = texts
  }

  /** The string from the option `texts` for a field. */
  readonly given: TextOf = (schema, name = '') => {
    if (!Object.hasOwn(this.#texts, name)) return undefined
    const make = this.#texts[name] as Frame
    return placesOf(make).find((text) => hasLength(text, schema)) ?? make(PLACES[0].place)
  }

  /** The string from the option `texts`, otherwise a string with a placeholder if the schema allows it. */
  readonly everywhere: TextOf = (schema, name) =>
    this.given(schema, name) ?? this.#placeFor(schema, name)

  #placeFor(schema: OpenApiSchema, name = 'the body'): string | undefined {
    const { format = '', pattern, maxLength } = schema
    const frame = FRAMES[format]
    if (frame === undefined) return undefined
    const found = pattern === undefined ? padded(frame, schema) : this.#matching(frame, schema)
    if (found === undefined) {
      const limit = pattern === undefined ? `at most ${maxLength} characters` : `/${pattern}/`
      this.unmarked.set(name, `${name} (${limit})`)
    }
    return found
  }

  /** A string that contains a placeholder and matches a pattern, even after a canary has replaced the placeholder. */
  #matching(frame: Frame, schema: OpenApiSchema): string | undefined {
    const { format = '', pattern = '' } = schema
    const isMatch = matcherOf(pattern)
    if (isMatch === undefined) return undefined
    const samples = format === '' ? samplesOf(pattern, this.#fc) : []
    for (const each of framesOf(frame, samples)) {
      for (const { place, length } of PLACES) {
        const fits = PROBES.every((probe) => isMatch(each(probe.slice(0, length))))
        if (fits && hasLength(each(place), schema)) return each(place)
      }
    }
    return undefined
  }
}

function padded(frame: Frame, schema: OpenApiSchema): string | undefined {
  const texts = placesOf(frame).map((text) => text.padEnd(schema.minLength ?? 0, 'x'))
  return texts.find((text) => hasLength(text, schema))
}

function samplesOf(pattern: string, fc: FastCheck): string[] {
  const values = ofPattern(pattern, fc)
  if (values === undefined) return []
  const texts = fc.sample(values, { seed: 1, numRuns: SAMPLES.count })
  return texts.filter(({ length }) => length <= SAMPLES.length)
}

/** Yields the frame itself, then each sample with a canary in place of one of its parts, also in upper case. */
function* framesOf(frame: Frame, samples: readonly string[]): Generator<Frame> {
  yield* inBothCases(frame)
  for (const sample of samples) {
    for (let start = 0; start <= sample.length; start++) {
      for (let end = start; end <= sample.length; end++) {
        yield* inBothCases((place) => sample.slice(0, start) + place + sample.slice(end))
      }
    }
  }
}

function inBothCases(frame: Frame): Frame[] {
  return [frame, (place) => frame(place.toUpperCase())]
}

/** Replaces the placeholders in all strings of a value. */
export function fill(value: unknown, give: Give): unknown {
  return mapTexts(value, (text) =>
    PLACES.reduce(
      (filled, { place, length }) =>
        filled
          .replaceAll(place, () => give(length))
          .replaceAll(place.toUpperCase(), () => give(length).toUpperCase()),
      text,
    ),
  )
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, child]) => [key, mapTexts(child, change)])
  return Object.fromEntries(entries)
}

function placesOf(frame: Frame): string[] {
  return PLACES.map(({ place }) => frame(place))
}

function hasLength({ length }: string, { minLength = 0, maxLength }: OpenApiSchema): boolean {
  return length >= minLength && length <= (maxLength ?? Number.POSITIVE_INFINITY)
}

function matcherOf(pattern: string): ((text: string) => boolean) | undefined {
  try {
    const expression = new RegExp(pattern)
    return (text) => expression.test(text)
  } catch {
    return undefined
  }
}
