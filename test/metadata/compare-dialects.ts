import type { Class } from '../../src/contracts/provider.js'
import { findClass } from '../../src/metadata/store.js'
import { describeKept } from '../../src/schema/describe-schema.js'

/** What a module exports that decorators describe: controllers, and the options of applications. */
export function controllersOf(module: Readonly<Record<string, unknown>>): Class[] {
  const exported = Object.values(module).flatMap((value) => [value, ...controllersIn(value)])
  return [...new Set(exported)].filter(isController)
}

function controllersIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null || !('controllers' in value)) return []
  return Array.isArray(value.controllers) ? value.controllers : []
}

function isController(value: unknown): value is Class {
  return (
    typeof value === 'function' &&
    findClass(value)?.facts.some(({ kind }) => kind === 'controller') === true
  )
}

/**
 * Writes a value as text, so that two values are equal if their texts are. Functions are written by name and number of parameters:
 * two modules that are compiled from one file have different functions.
 */
export function textOf(value: unknown): string {
  const seen = new Map<object, number>()
  const write = (each: unknown, indent: string): string => {
    if (typeof each === 'symbol' || typeof each === 'bigint') return String(each)
    if (typeof each === 'function') return `function ${each.name}/${each.length}`
    if (typeof each !== 'object' || each === null) return JSON.stringify(each) ?? 'undefined'
    // A schema of a library computes some of its fields when they are first read.
    if ('~standard' in each)
      return `schema ${JSON.stringify(describeKept(each, { side: 'input' }))}`
    const number = seen.get(each)
    if (number !== undefined) return `the same as ${number}`
    seen.set(each, seen.size)
    const inner = `${indent}  `
    const lines = entriesOf(each).map(([key, item]) => `${inner}${key}: ${write(item, inner)}`)
    const name = Object.getPrototypeOf(each)?.constructor.name ?? 'null'
    return lines.length === 0 ? `${name} {}` : `${name} {\n${lines.join('\n')}\n${indent}}`
  }
  return write(value, '')
}

/** The own properties, symbols included, or the items of a collection. Getters are not called. */
function entriesOf(value: object): [string, unknown][] {
  if (value instanceof Map)
    return [...value].flatMap(([key, item]) => [
      ['key', key],
      ['value', item],
    ])
  if (value instanceof Set) return [...value].map((item, index) => [String(index), item])
  if (value instanceof RegExp || value instanceof Date) return [['text', String(value)]]
  return Reflect.ownKeys(value).map((key) => {
    const { value: item, get } = Object.getOwnPropertyDescriptor(value, key) as PropertyDescriptor
    return [String(key), get === undefined ? item : 'getter']
  })
}
