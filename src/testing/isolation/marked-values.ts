import type { Canaries } from './canaries.js'

/** A value in a body that a canary can replace. */
export interface ValuePlace {
  readonly path: readonly string[]
  readonly kind: ValueKind
}

type ValueKind = 'uuid' | 'time' | 'number'

/** Creates random values for the canaries of one tenant. */
export interface ValueSource {
  readonly canaries: Canaries
  readonly owner: string
  /** The operation to which the values are sent. */
  readonly origin: string
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{3})?Z)?$/
const DAY_MS = 24 * 60 * 60 * 1000
/** Past and future dates that programs and fixtures rarely contain; 49 years each. */
const UNUSUAL = { past: Date.UTC(1901, 0), future: Date.UTC(2051, 0), days: 17_800 }
/**
 * Dates before this date are moved to the past, and later dates to the future, so that rules such as "not in the
 * future" still hold.
 */
const MIDDLE = Date.UTC(2026, 0)
/** Numbers of ten digits that fit into 32 bits. */
const NUMBERS = { from: 1_000_000_000, count: 1_147_483_647 }
const ATTEMPTS = 10
/** The length of a date with seconds and `Z`. */
const WITHOUT_FRACTION = 20
/** If these values are accepted, it is assumed that all values of the kind are accepted. */
const PROBES: Readonly<Record<ValueKind, (value: unknown) => unknown>> = {
  uuid: () => '7d3f8a52-91c4-4b6e-a0d7-5e2c9b1f4836',
  time: (value) => moved(String(value), DAY_MS * (timeOf(value) < MIDDLE ? -25_000 : 9_000)),
  number: () => NUMBERS.from + 234_567,
}

/**
 * Finds the UUIDs, dates and numbers in a body for which the schema also accepts other values.
 *
 * @param accepts Whether the schema of the body accepts a body.
 */
export function valuePlaces(body: unknown, accepts: (body: unknown) => boolean): ValuePlace[] {
  return leavesOf(body, []).filter(({ path, kind }) => accepts(replaced(body, path, PROBES[kind])))
}

function leavesOf(value: unknown, path: readonly string[]): ValuePlace[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...path, key]))
  if (typeof value === 'number') return [{ path, kind: 'number' }]
  if (typeof value !== 'string') return []
  if (UUID.test(value)) return [{ path, kind: 'uuid' }]
  return TIME.test(value) && !Number.isNaN(timeOf(value)) ? [{ path, kind: 'time' }] : []
}

/** Replaces the values at these places with values that no other tenant sends. */
export function markValues(
  body: unknown,
  places: readonly ValuePlace[],
  source: ValueSource,
): unknown {
  const shifts = new Map<number, number>()
  const change = {
    uuid: () => uuid(source),
    number: () => number(source),
    time: (value: unknown) => time(String(value), shifts, source),
  }
  return places.reduce((marked, { path, kind }) => replaced(marked, path, change[kind]), body)
}

function uuid({ canaries, owner, origin }: ValueSource): string {
  const hex = canaries.draw(owner)
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ]
  const made = `${parts.join('-')}-${hex.slice(20, 32)}`
  canaries.learn(made, { owner, origin })
  return made
}

function number({ canaries, owner, origin }: ValueSource): number {
  for (;;) {
    const made = NUMBERS.from + (parseInt(canaries.draw(owner).slice(0, 12), 16) % NUMBERS.count)
    if (canaries.learn(String(made), { owner, origin })) return made
  }
}

/**
 * Moves a date. All past dates of a body are moved by the same time, and so are all future dates. Their order does not
 * change.
 */
function time(
  value: string,
  shifts: Map<number, number>,
  { canaries, owner, origin }: ValueSource,
): string {
  const start = timeOf(value) < MIDDLE ? UNUSUAL.past : UNUSUAL.future
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const chance = parseInt(canaries.draw(owner).slice(0, 12), 16)
    const day = Math.floor(timeOf(value) / DAY_MS) * DAY_MS
    const drawn = start + (chance % UNUSUAL.days) * DAY_MS - day
    const shift = shifts.get(start) ?? drawn + (value.length > 10 ? (chance % 86_399) * 1000 : 0)
    const made = moved(value, shift)
    const isUnusual = timeOf(made) >= start && timeOf(made) < start + 50 * 365 * DAY_MS
    if (isUnusual && canaries.learn(made, { owner, origin })) {
      shifts.set(start, shift)
      return made
    }
  }
  return value
}

function timeOf(value: unknown): number {
  return Date.parse(String(value))
}

/** The date in the same form: with or without the time of day. */
function moved(value: string, shift: number): string {
  const text = new Date(timeOf(value) + shift).toISOString()
  return value.length === WITHOUT_FRACTION
    ? `${text.slice(0, WITHOUT_FRACTION - 1)}Z`
    : text.slice(0, value.length)
}

function replaced(
  value: unknown,
  [key, ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  if (key === undefined) return change(value)
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? replaced(item, rest, change) : item))
  const object = value as Readonly<Record<string, unknown>>
  return { ...object, [key]: replaced(object[key], rest, change) }
}
