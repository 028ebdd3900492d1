import { types } from 'node:util'
import type { DatePlaces } from './date-places.js'
import { dateText } from './date-text.js'

/**
 * Writes the dates of a value as JSON does. Answers with the value itself, or with a copy of what is around a date:
 * `JSON.stringify` makes the same of both, and what was given never changes. A date that is overlooked costs time, no more.
 */
export type WriteDates = (value: unknown) => unknown

type Properties = Record<string, unknown>

interface PropertyWriter {
  readonly name: string
  readonly write: WriteDates
}

/** Looks for dates where they may stand, and nowhere else. */
export function createDateWriter({ isDate, items, properties, others }: DatePlaces): WriteDates {
  const writeItems = items && createDateWriter(items)
  const writeOthers = others && createDateWriter(others)
  const writers = Array.from(properties, ([name, places]) => ({
    name,
    write: createDateWriter(places),
  }))
  return function writeDates(value) {
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof Date) return isDate ? dateText(value) : value
    const object = value as Properties
    // What answers for itself is asked by `JSON.stringify`.
    if (typeof object['toJSON'] === 'function') return object
    if (Array.isArray(object)) return writeItems === null ? object : inItems(object, writeItems)
    let result = object
    for (const writer of writers) result = inProperty(object, result, writer)
    if (writeOthers === null) return result
    for (const name of Object.keys(object)) {
      if (!properties.has(name)) result = inProperty(object, result, { name, write: writeOthers })
    }
    return result
  }
}

/** @param result What has become of the object so far: itself, or its copy. */
function inProperty(
  object: Properties,
  result: Properties,
  { name, write }: PropertyWriter,
): Properties {
  const value = object[name]
  const written = write(value)
  if (written === value) return result
  // JSON has the primitive that it holds, and no property.
  if (types.isBoxedPrimitive(object)) return object
  const copy = result === object ? { ...object } : result
  // One that is inherited is not in JSON.
  if (Object.hasOwn(copy, name)) copy[name] = written
  return copy
}

function inItems(list: readonly unknown[], write: WriteDates): readonly unknown[] {
  let copy: unknown[] | null = null
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    const written = write(item)
    // Rows are alike. Where they hold text already, looking at all of them took half as long as JSON itself.
    if (i === 0 && written === item) return list
    if (written === item) continue
    copy ??= copyOf(list)
    copy[i] = written
  }
  return copy ?? list
}

/** By what JSON is made of, not by a method or an iterator: a subclass may have its own. */
function copyOf(list: readonly unknown[]): unknown[] {
  const copy = new Array<unknown>(list.length)
  for (let i = 0; i < list.length; i++) copy[i] = list[i]
  return copy
}
