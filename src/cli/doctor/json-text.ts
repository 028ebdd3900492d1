import { readFileSync } from 'node:fs'

/** An object of JSON, and where its keys are. */
export interface JsonText {
  readonly file: string
  readonly value: Readonly<Record<string, unknown>>
  /** The line of a key, which the keys of the objects around it come before; `null` if it is not there. */
  lineOf(...keys: readonly string[]): number | null
}

const STRING = '"(?:\\\\.|[^"\\\\\\n])*"'
const COMMENT = new RegExp(`${STRING}|//[^\\n]*|/\\*[\\s\\S]*?\\*/`, 'g')
const LAST_COMMA = new RegExp(`${STRING}|,(?=\\s*[}\\]])`, 'g')

/**
 * Reads a file of JSON with comments and last commas, as TypeScript and swc do.
 *
 * @throws Error when the file cannot be read, or is no object of JSON.
 */
export function readJson(file: string): JsonText {
  const text = withoutComments(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
  const value: unknown = JSON.parse(text)
  if (!isRecord(value)) throw new SyntaxError('It is no object.')
  return { file, value, lineOf: (...keys) => lineOf(text, keys) }
}

/** Whether a value is an object or a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** The object at a key; an empty one if there is none. */
export function recordAt(value: unknown, ...keys: readonly string[]): Record<string, unknown> {
  const inner = keys.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value)
  return isRecord(inner) ? inner : {}
}

/** Blanks keep the place of what follows. */
function withoutComments(text: string): string {
  const blank = (part: string) => (part.startsWith('"') ? part : part.replace(/[^\n]/g, ' '))
  return text.replace(COMMENT, blank).replace(LAST_COMMA, blank)
}

function lineOf(text: string, keys: readonly string[]): number | null {
  let at = 0
  for (const key of keys) {
    const found = new RegExp(`${escaped(JSON.stringify(key))}\\s*:`).exec(text.slice(at))
    if (found === null) return null
    at += found.index + 1
  }
  return text.slice(0, at).split('\n').length
}

/** A text as a part of a regular expression. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
