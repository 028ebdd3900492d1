import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { messageOf } from '../message-of.js'
import type { Place } from './finding.js'
import { readJson, recordAt } from './json-text.js'

/** An option of the compiler, and where it is set. */
export interface CompilerOption {
  readonly value: unknown
  readonly place: Place
}

/** A `tsconfig.json` with what it extends. */
export interface TsConfig {
  readonly file: string
  /** By name in lower case: TypeScript ignores the case. */
  readonly options: ReadonlyMap<string, CompilerOption>
}

/** A `tsconfig.json` that cannot be read. */
export class TsConfigError extends Error {
  override readonly name = 'TsConfigError'
  readonly place: Place

  constructor(message: string, place: Place) {
    super(message)
    this.place = place
  }
}

/**
 * Reads a `tsconfig.json`, and those it extends.
 *
 * @throws TsConfigError when one of them cannot be read.
 */
export function readTsConfig(file: string): TsConfig {
  return { file, options: optionsOf(file, []) }
}

function optionsOf(file: string, from: readonly string[]): Map<string, CompilerOption> {
  if (from.includes(file)) {
    throw new TsConfigError('It extends itself.', { file: from.at(-1) ?? file, line: null })
  }
  const json = read(file)
  const bases = [json.value['extends'] ?? []].flat().map((base) => {
    const place = { file, line: json.lineOf('extends') }
    return optionsOf(findBase(String(base), place), [...from, file])
  })
  const own = Object.entries(recordAt(json.value, 'compilerOptions')).map(
    ([name, value]): [string, CompilerOption] => {
      const place = { file, line: json.lineOf('compilerOptions', name) }
      return [name.toLowerCase(), { value, place }]
    },
  )
  return new Map([...bases.flatMap((base) => [...base]), ...own])
}

function read(file: string) {
  try {
    return readJson(file)
  } catch (error) {
    throw new TsConfigError(messageOf(error), { file, line: null })
  }
}

/** Finds a configuration as TypeScript does: a path, with or without `.json`, or a package. */
function findBase(base: string, place: Place): string {
  const folder = dirname(place.file)
  const isPath = isAbsolute(base) || /^\.{1,2}(?:[\\/]|$)/.test(base)
  const candidates = isPath
    ? [resolve(folder, base), resolve(folder, `${base}.json`)]
    : ['', '.json', '/tsconfig.json'].flatMap((end) => inPackage(`${base}${end}`, folder))
  const found = candidates.find((each) => each.endsWith('.json') && existsSync(each))
  if (found !== undefined) return found
  throw new TsConfigError(`It extends ${base}, which does not exist.`, place)
}

function inPackage(name: string, folder: string): string[] {
  try {
    return [createRequire(join(folder, 'noop.js')).resolve(name)]
  } catch {
    return []
  }
}
