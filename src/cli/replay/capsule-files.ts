import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Capsule } from '../../contracts/capsule.js'
import { CliError } from '../cli-error.js'
import { readText } from '../write-files.js'

/** The format that this version reads. */
const FORMAT = 1
/** Where `records.capsules` writes them, if it names no folder. */
export const DEFAULT_FOLDER = '.blazon/capsules'
const NAME = /^\d{8}-\d{6}-[\da-f]{6}$/
/** Larger files are none of ours. */
const MOST_BYTES = 50_000_000

/** The folder of capsules. */
export interface CapsulePlace {
  readonly folder?: string | undefined
  readonly cwd: string
}

/** Lists the ids of the capsules, the newest first. */
export function capsuleIds({ folder = DEFAULT_FOLDER, cwd }: CapsulePlace): string[] {
  try {
    return readdirSync(resolve(cwd, folder))
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .filter((id) => NAME.test(id))
      .sort()
      .reverse()
  } catch {
    return []
  }
}

/**
 * Reads a capsule.
 *
 * @param id `last` is the newest one.
 * @throws CliError if there is none, or it cannot be read.
 */
export function readCapsule(id: string, place: CapsulePlace): Capsule {
  const ids = capsuleIds(place)
  const name = id === 'last' ? ids[0] : id
  if (name === undefined || !ids.includes(name)) throw unknown(id, ids, place)
  const path = join(resolve(place.cwd, place.folder ?? DEFAULT_FOLDER), `${name}.json`)
  const capsule = parse(path)
  refuseOther(capsule, path)
  refuseForeign(capsule, place.cwd)
  return capsule as Capsule
}

function unknown(id: string, ids: readonly string[], { folder = DEFAULT_FOLDER }: CapsulePlace) {
  return new CliError({
    status: 2,
    what: `There is no capsule ${JSON.stringify(id)}.`,
    cause:
      ids.length === 0
        ? `${folder} has no capsules.`
        : `${folder} has ${ids.length}; the newest is ${ids[0]}. The oldest are removed.`,
    remedy:
      'Run `blazon replay` without an id to list them; --folder names another folder. `blazon dev` writes one for each request that the server fails.',
  })
}

function parse(path: string): unknown {
  try {
    if (statSync(path).size > MOST_BYTES) throw new Error(`It has more than ${MOST_BYTES} bytes.`)
    return JSON.parse(readText(path) ?? '')
  } catch (error) {
    throw new CliError({
      status: 2,
      what: `${path} cannot be read.`,
      cause: error instanceof Error ? error.message : String(error),
      remedy: 'The file is damaged. Send the request again, so that another one is written.',
    })
  }
}

function refuseOther(value: unknown, path: string): void {
  const { format, record, sent, statements, cut } = Object(value) as Partial<Capsule>
  if (typeof format === 'number' && format > FORMAT) {
    throw new CliError({
      status: 2,
      what: `${path} has the format ${format}.`,
      cause: `A newer version of blazon has written it. This version reads the format ${FORMAT}.`,
      remedy: 'Install the version of blazon that wrote it, or send the request again.',
    })
  }
  const isCapsule =
    format === FORMAT &&
    typeof record?.method === 'string' &&
    typeof record.url === 'string' &&
    typeof record.startedAt === 'number' &&
    Array.isArray(sent?.headers) &&
    Array.isArray(statements) &&
    Array.isArray(cut)
  if (isCapsule) return
  throw new CliError({
    status: 2,
    what: `${path} is no capsule.`,
    cause: 'It is JSON, and has not the fields of one.',
    remedy: 'Name another one; `blazon replay` without an id lists them.',
  })
}

function refuseForeign(capsule: unknown, cwd: string): void {
  const { application } = capsule as Capsule
  const own = nameOf(cwd)
  if (application === null || own === null || application === own) return
  throw new CliError({
    status: 2,
    what: `The capsule is one of another application: ${application}.`,
    cause: `The package of this folder is ${own}.`,
    remedy: `Run the command in the folder of ${application}.`,
  })
}

function nameOf(cwd: string): string | null {
  try {
    const { name } = JSON.parse(readText(join(cwd, 'package.json')) ?? '') as { name?: unknown }
    return typeof name === 'string' ? name : null
  } catch {
    return null
  }
}
