import type { DocumentedOperation } from '../../app/contract/documented-by-route.js'
import { lowerDocument } from '../../schema/dialect/rewrite-schema.js'
import { createSource } from '../fuzz/case-source.js'
import { partsOf } from '../fuzz/fuzz-cases.js'
import { type FastCheck, hash } from '../fuzz/random.js'
import { type TextOf, valueContext } from '../fuzz/valid-values.js'
import type { RequestParts, WireRequest, WriteRequest } from '../fuzz/wire-request.js'
import { type Canaries, neutralText } from './canaries.js'
import { fill, MarkedTexts, type Texts } from './marked-texts.js'
import { markValues, type ValuePlace, valuePlaces } from './marked-values.js'
import { absentId, fieldPlace, type IdPlace, pathPlace, type Records } from './records.js'

/** The plan for the values of a request. */
export interface RequestPlan {
  /** The round, which determines the values. */
  readonly round: number
  /** The sending side. Its canaries are in the body. */
  readonly sender: string
  /**
   * The side whose canaries are in path, query and headers; `null` for neutral strings, which are equal for all sides.
   */
  readonly target: string | null
  /**
   * The side whose IDs the request uses. The sum of the round and `before` determines which of its latest records
   * provides the IDs. With `isAbsent`: unknown IDs of the same form.
   */
  readonly ids: { readonly of: string; readonly before?: number; readonly isAbsent?: boolean }
}

/** A request with its IDs. */
export interface MadeRequest {
  readonly wire: WireRequest
  /** The IDs from earlier responses. */
  readonly ids: readonly (string | number)[]
  /** Whether one of these IDs also belongs to a record of the sender. */
  readonly isShared: boolean
}

/** The values that all request makers of a run share. */
export interface MakerSetting {
  readonly fc: FastCheck
  readonly seed: number
  readonly rounds: number
  readonly canaries: Canaries
  readonly records: Records
  /** The names of all sides. */
  readonly names: readonly string[]
  /** The headers that identify the caller, in lower case. No values are generated for them. */
  readonly given: ReadonlyMap<string, string>
  /** The option `texts`. */
  readonly texts: Texts
}

/**
 * Where requests contain canaries: 0 everywhere, 1 only in the body, 2 nowhere. An application can refuse canaries as
 * values.
 */
type Level = 0 | 1 | 2

interface UsedIds {
  readonly ids: (string | number)[]
  isShared: boolean
}

type PickId = (place: IdPlace) => string | number | undefined

/** Creates the requests of one operation. */
export class RequestMaker {
  readonly documented: DocumentedOperation
  readonly #setting: MakerSetting
  readonly #write: WriteRequest
  readonly #marked: readonly RequestParts[]
  readonly #plain: readonly RequestParts[]
  readonly #template: string
  /** The path, query and headers by round, side and level. They do not change within a round. */
  readonly #targets: Map<string, RequestParts> = new Map()
  /** The free-text fields that cannot contain a canary, with their limits. */
  readonly unmarked: readonly string[]
  /** The places in the body at which canaries replace UUIDs, dates and numbers, by round. */
  #places: readonly (readonly ValuePlace[])[]
  #level: Level = 0
  #isSettled = false

  /** @throws Error if no valid value for a schema is found. */
  constructor(documented: DocumentedOperation, setting: MakerSetting) {
    this.documented = documented
    this.#setting = setting
    const source = createSource(documented, setting.given)
    this.#write = source.write
    this.#template = documented.name.split(' ', 2)[1] ?? ''
    const sample = (textOf: TextOf) => {
      const { fc, seed, rounds } = setting
      const { schemas } = lowerDocument(documented.document).components
      const values = partsOf(source, valueContext(fc, schemas, textOf))
      const own = hash(documented.operationId, seed) | 0
      const samples = fc.sample(values, { seed: own, numRuns: rounds })
      return samples.map((parts, round) => this.#prepare(parts, round))
    }
    const texts = new MarkedTexts(setting.fc, setting.texts)
    this.#plain = sample(texts.given)
    this.#marked = sampleMarked(() => sample(texts.everywhere), this.#plain)
    this.unmarked = [...texts.unmarked.values()]
    const { body: type, accepts } = source
    this.#places = this.#marked.map(({ body }) =>
      type?.kind === 'json' ? valuePlaces(body, (value) => accepts(type.schema, value)) : [],
    )
  }

  /** Whether the application has rejected canaries, so that the requests contain none. */
  get isUnmarked(): boolean {
    return this.#level === 2
  }

  make(plan: RequestPlan): MadeRequest {
    const { round, sender, target } = plan
    const { canaries } = this.#setting
    const { name } = this.documented
    const { path, query, header } = this.#targetOf(round, target)
    const body = (this.#level < 2 ? this.#marked : this.#plain)[round]?.body
    const places = (this.#level < 2 && this.#places[round]) || []
    const marked = markValues(body, places, { canaries, owner: sender, origin: name })
    const filled = fill(marked, (length) => canaries.mint(sender, name, length))
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

  /**
   * Call this method after a failed request. Uses the values of the samples from now on, and returns whether the failed
   * request had other values.
   */
  yieldsValues(): boolean {
    const hadValues = !this.#isSettled && this.#places.some(({ length }) => length > 0)
    if (hadValues) this.#places = []
    return hadValues
  }

  /** Call this method after a refused request. Uses fewer canaries, and returns whether to retry. */
  yields(): boolean {
    if (this.#isSettled) return false
    // The request is also refused without canaries, so canaries are not the reason.
    if (this.#level === 2) this.#isSettled = true
    this.#level = this.#level === 0 ? 1 : this.#level === 1 ? 2 : 0
    return !this.#isSettled
  }

  /** Call this method after an accepted request. Keeps the current level. */
  settle(): void {
    this.#isSettled = true
  }

  /** The first round sends only required parameters, as most clients do. */
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
    const give = (length: number) =>
      target === null
        ? neutralText(seed, count++).slice(0, length)
        : canaries.mint(target, this.documented.name, length)
    const made = fill({ ...parts, body: undefined }, give) as RequestParts
    this.#targets.set(key, made)
    return made
  }

  #picker({ sender, ids, round }: RequestPlan, used: UsedIds): PickId {
    const { records, names, seed } = this.#setting
    const { of, before = 0, isAbsent = false } = ids
    return (place) => {
      const own = records.idsFor(of, place)
      const chosen = own[(round + before) % Math.max(own.length, 1)]
      if (chosen === undefined) return undefined
      const all = names.flatMap((name) => records.idsFor(name, place))
      const id = isAbsent ? absentId(chosen, all, seed) : chosen
      used.ids.push(id)
      used.isShared ||= records.hasSeen(sender, place, id)
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

/** Returns the plain samples if no string with a canary matches the schema. */
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

/** Puts known IDs into the fields whose names refer to a record, if the type matches. */
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
