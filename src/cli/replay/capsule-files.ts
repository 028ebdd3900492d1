import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Capsule } from '../../contracts/capsule.js'
import { CliError } from '../cli-error.js'
import { messageOf } from '../texts.js'

/** The capsule format that this version reads. */
const FORMAT = 2
/** The default folder of `records.capsules`. */
export const DEFAULT_FOLDER = '.blazon/capsules'
const NAME = /^\d{8}-\d{6}-[\da-f]{6}$/
/** The maximum size of a capsule. Larger files are not capsules. */
const MOST_BYTES = 50_000_000

/** The location of capsules. */
export interface CapsulePlace {
  readonly folder?: string | undefined
  readonly cwd: string
}

/** Lists the IDs of the capsules, newest first. */
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

/** A capsule, and the absolute path of its file. */
export interface CapsuleFile {
  readonly capsule: Capsule
  readonly file: string
}

/**
 * Reads a capsule.
 *
 * @param id The ID of the capsule; `last` for the newest capsule.
 * @throws CliError if there is no such capsule, or if it cannot be read.
 */
export function readCapsule(
  id: string,
  { cwd, folder = DEFAULT_FOLDER }: CapsulePlace,
): CapsuleFile {
  const ids = capsuleIds({ cwd, folder })
  const name = id === 'last' ? ids[0] : id
  if (name === undefined || !ids.includes(name)) {
    const known = `${folder} contains ${ids.length} capsules; the newest is ${ids[0]}. Older capsules are deleted automatically.`
    throw new CliError({
      status: 2,
      what: `There is no capsule ${JSON.stringify(id)}.`,
      cause: ids.length === 0 ? `${folder} has no capsules.` : known,
      remedy:
        'To list the capsules, run `blazon replay` without an ID, or with --folder for another folder. `blazon dev` writes a capsule for each request that fails in the server.',
    })
  }
  const file = join(resolve(cwd, folder), `${name}.json`)
  try {
    return { capsule: parsed(file), file }
  } catch (error) {
    throw new CliError({
      status: 2,
      what: `${file} cannot be run.`,
      cause: messageOf(error),
      remedy:
        'Specify another capsule; `blazon replay` without an ID lists them. Or send the request again, so that a new capsule is written.',
    })
  }
}

function parsed(path: string): Capsule {
  if (statSync(path).size > MOST_BYTES) throw new Error(`It has more than ${MOST_BYTES} bytes.`)
  const capsule = Object(JSON.parse(readFileSync(path, 'utf8'))) as Partial<Capsule>
  const { format, record, sent, statements, cut } = capsule
  if (typeof format === 'number' && format !== FORMAT) {
    const fit = `This version reads format ${FORMAT}.`
    throw new Error(
      `The capsule was written by another version of Blazon: it has format ${format}. ${fit}`,
    )
  }
  const isCapsule =
    format === FORMAT &&
    typeof record?.url === 'string' &&
    Array.isArray(sent?.headers) &&
    Array.isArray(statements) &&
    Array.isArray(cut)
  if (!isCapsule) throw new Error('It is not a capsule: fields are missing.')
  return capsule as Capsule
}
