import type { OpenApiSchema } from '../../contracts/openapi.js'
import type { DocumentedOperation } from '../contract/documented-operations.js'
import { createSource } from '../fuzz/case-source.js'
import { hash } from '../fuzz/choose.js'
import { partsOf } from '../fuzz/fuzz-cases.js'
import type { FastCheck } from '../fuzz/load-fast-check.js'
import { type TextOf, valueContext } from '../fuzz/valid-values.js'
import type { RequestParts, WireRequest, WriteRequest } from '../fuzz/wire-request.js'
import { type Canaries, LONG, neutralText, SHORT } from './canaries.js'
import { absentId, fieldPlace, type IdPlace, pathPlace, type Records } from './records.js'

/** What a request is to be. */
export interface RequestPlan {
  /** Chooses the values. */
  readonly round: number
  /** Who sends it, and whose canaries are in its body. */
  readonly sender: string
  /** Whose canaries are in path, query and headers; `null`: nobody's, so that it is equal for all. */
  readonly target: string | null
  /** Whose things it names; `isAbsent`: nobody's, but such as theirs. */
  readonly ids: { readonly of: string; readonly isAbsent?: boolean }
}

/** A request, and what it was made with. */
export interface MadeRequest {
  readonly wire: WireRequest
  /** Ids of things that answers have named. */
  readonly ids: readonly (string | number)[]
  /** Whether one of them is the id of something of the sender's own, too. */
  readonly isShared: boolean
}

/** What makers of an application share. */
export interface MakerSetting {
  readonly fc: FastCheck
  readonly seed: number
  readonly rounds: number
  readonly canaries: Canaries
  readonly records: Records
  /** Everybody who has things. */
  readonly names: readonly string[]
  /** Headers that say who calls, in lower case: no value is made for them. */
  readonly given: ReadonlyMap<string, string>
}

/** Stand where a canary will be; both are as long as one. */
const PLACES = [
  { place: '0c0ffee0'.repeat(LONG / 8), length: LONG },
  { place: '05ca1ab1'.repeat(SHORT / 8), length: SHORT },
] as const

/** What may carry canaries: everything, only the body, nothing. An application may not like them. */
type Level = 0 | 1 | 2

interface UsedIds {
  readonly ids: (string | number)[]
  isShared: boolean
}

type Give = (length: number) => string
type PickId = (place: IdPlace) => string | number | undefined

/** Makes requests of one operation. */
export class RequestMaker {
  readonly documented: DocumentedOperation
  readonly #setting: MakerSetting
  readonly #write: WriteRequest
  readonly #marked: readonly RequestParts[]
  readonly #plain: readonly RequestParts[]
  readonly #template: string
  /** Path, query and headers, which stay the same while a round lasts. */
  readonly #targets: Map<string, RequestParts> = new Map()
  #level: Level = 0
  #isSettled = false

  /** @throws Error where no value of a schema is found. */
  constructor(documented: DocumentedOperation, setting: MakerSetting) {
    this.documented = documented
    this.#setting = setting
    const source = createSource(documented, setting.given)
    this.#write = source.write
    this.#template = documented.name.split(' ', 2)[1] ?? ''
    const sample = (textOf?: TextOf) => {
      const { fc, seed, rounds } = setting
      const { schemas } = documented.document.components
      const values = partsOf(source, valueContext(fc, schemas, textOf))
      const own = hash(documented.operationId, seed) | 0
      const samples = fc.sample(values, { seed: own, numRuns: rounds })
      return samples.map((parts, round) => this.#prepare(parts, round))
    }
    this.#plain = sample()
    this.#marked = sampleMarked(() => sample(placeFor), this.#plain)
  }

  make(plan: RequestPlan): MadeRequest {
    const { round, sender, target } = plan
    const { canaries } = this.#setting
    const { name } = this.documented
    const { path, query, header } = this.#targetOf(round, target)
    const body = (this.#level < 2 ? this.#marked : this.#plain)[round]?.body
    const filled = fill(body, (length) => canaries.mint(sender, name, length))
    const used: UsedIds = { ids: [], isShared: false }
    const pick = this.#picker(plan, used)
    const parts = {
      path: this.#withPathIds(path, pick),
      query: withIds(query, pick) as RequestParts['query'],
      header,
      body: withIds(filled, pick),
    }
    return { wire: this.#write(parts), ...used }
  }

  /** Whether to try again after a request that was refused: with fewer canaries. */
  yields(): boolean {
    if (this.#isSettled) return false
    // Not the canaries, then.
    if (this.#level === 2) this.#isSettled = true
    this.#level = this.#level === 0 ? 1 : this.#level === 1 ? 2 : 0
    return !this.#isSettled
  }

  /** Stays with what was accepted. */
  settle(): void {
    this.#isSettled = true
  }

  /** The first round asks for no more than it must, as most clients do. */
  #prepare(parts: RequestParts, round: number): RequestParts {
    const { parameters = [] } = this.documented.operation
    const keep = (where: 'query' | 'header') => (name: string) => {
      const found = parameters.find((each) => each.in === where && each.name === name)
      return round > 0 || found?.required === true
    }
    return {
      ...parts,
      query: only(parts.query, keep('query')),
      header: only(parts.header, keep('header')),
    }
  }

  #targetOf(round: number, target: string | null): RequestParts {
    const key = `${round} ${target} ${this.#level}`
    const known = this.#targets.get(key)
    if (known !== undefined) return known
    const { canaries, seed } = this.#setting
    const parts = (this.#level === 0 ? this.#marked : this.#plain)[round] as RequestParts
    let count = round * 100
    const give: Give = (length) =>
      target === null
        ? neutralText(seed, count++).slice(0, length)
        : canaries.mint(target, this.documented.name, length)
    const made = fill({ ...parts, body: undefined }, give) as RequestParts
    this.#targets.set(key, made)
    return made
  }

  #picker({ sender, ids: { of, isAbsent = false }, round }: RequestPlan, used: UsedIds): PickId {
    const { records, names, seed } = this.#setting
    return (place) => {
      const own = records.idsFor(of, place)
      const chosen = own[round % Math.max(own.length, 1)]
      if (chosen === undefined) return undefined
      const all = names.flatMap((name) => records.idsFor(name, place))
      const id = isAbsent ? absentId(chosen, all, seed) : chosen
      used.ids.push(id)
      used.isShared ||= records.idsFor(sender, place).map(String).includes(String(id))
      return id
    }
  }

  #withPathIds(path: RequestParts['path'], pick: PickId): RequestParts['path'] {
    const entries = Object.entries(path).map(([name, value]) => [
      name,
      pick(pathPlace(this.#template, name)) ?? value,
    ])
    return Object.fromEntries(entries)
  }
}

/** Where texts with canaries in them fit no schema, there are none. */
function sampleMarked(
  sample: () => RequestParts[],
  plain: readonly RequestParts[],
): readonly RequestParts[] {
  try {
    return sample()
  } catch {
    return plain
  }
}

/** The place for a canary in a text that may be anything, as far as its schema says. */
function placeFor({
  format = '',
  pattern,
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
}: OpenApiSchema): string | undefined {
  if (pattern !== undefined) return undefined
  const frame = FRAMES[format]
  if (frame === undefined) return undefined
  const fitting = PLACES.map(({ place }) => frame(place)).find(({ length }) => length <= maxLength)
  return fitting?.padEnd(minLength, 'x')
}

const FRAMES: Readonly<Record<string, (place: string) => string>> = {
  '': (place) => place,
  password: (place) => place,
  email: (place) => `${place}@example.com`,
  uri: (place) => `https://example.com/${place}`,
  url: (place) => `https://example.com/${place}`,
}

function fill(value: unknown, give: Give): unknown {
  return mapTexts(value, (text) =>
    PLACES.reduce(
      (filled, { place, length }) => filled.replaceAll(place, () => give(length)),
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

/** Puts ids into the fields whose names say whose they are, as far as their type allows. */
function withIds(value: unknown, pick: PickId): unknown {
  if (Array.isArray(value)) return value.map((item) => withIds(item, pick))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, child]) => {
    const place = fieldPlace(key)
    const isScalar = typeof child === 'string' || typeof child === 'number'
    const id = place === undefined || !isScalar ? undefined : typed(pick(place), child)
    return [key, id ?? withIds(child, pick)]
  })
  return Object.fromEntries(entries)
}

function typed(id: string | number | undefined, like: string | number) {
  if (id === undefined || typeof id === typeof like) return id
  if (typeof like === 'string') return String(id)
  return Number.isFinite(Number(id)) ? Number(id) : undefined
}

function only(values: RequestParts['query'], keep: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => keep(name)))
}
