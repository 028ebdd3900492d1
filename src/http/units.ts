import type { Duration, Size } from '../contracts/units.js'

const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 } as const
const BYTES = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 } as const

/** Reads a duration; `undefined` when it is not one. */
export function toSeconds(duration: Duration): number | undefined {
  return read(duration, SECONDS)
}

/** Reads a size in bytes; `undefined` when it is not one. */
export function toBytes(size: Size): number | undefined {
  const bytes = read(size, BYTES)
  return bytes === undefined ? undefined : Math.floor(bytes)
}

function read(value: number | string, units: Readonly<Record<string, number>>): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined
  const match = /^(\d+(?:\.\d+)?)\s?([a-z]+)$/i.exec(String(value))
  const name = match?.[2]?.toLowerCase() ?? ''
  // `hasOwn`: 'constructor' is a unit of every object, and NaN a limit that nothing exceeds.
  return Object.hasOwn(units, name) ? Number(match?.[1]) * (units[name] as number) : undefined
}
