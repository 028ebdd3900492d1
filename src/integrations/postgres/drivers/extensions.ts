import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { loadContrib, type PgliteFiles } from './pglite-package.js'

/** Where PGlite has the files of PostgreSQL itself. */
const ROOT = '/pglite'

/** Extensions that are in a module of another name. */
const MODULES: Readonly<Record<string, string>> = {
  'uuid-ossp': 'uuid_ossp',
  autoinc: 'moddatetime',
  insert_username: 'moddatetime',
  refint: 'moddatetime',
}

/** Extensions that `create extension … cascade` creates, too. */
const REQUIRED: Readonly<Record<string, string>> = { earthdistance: 'cube' }

/** The extensions that PGlite ships. */
const SHIPPED: readonly string[] =
  'amcheck autoinc bloom btree_gin btree_gist citext cube dict_int dict_xsyn earthdistance file_fdw fuzzystrmatch hstore insert_username intarray isn lo ltree moddatetime pageinspect pg_buffercache pg_freespacemap pg_stat_statements pg_surgery pg_trgm pg_visibility pg_walinspect pgcrypto refint seg tablefunc tcn tsm_system_rows tsm_system_time unaccent uuid-ossp'.split(
    ' ',
  )

/** A statement in a string or a comment matches, too. Then unused files are written. */
const CREATE =
  /\bcreate\s+extension\s+(?:if\s+not\s+exists\s+)?(?:"(?<quoted>[^"]+)"|(?<plain>[\w$]+))/gi

/** The names of the extensions that a text of SQL may create. */
export function extensionsIn(text: string): string[] {
  return [...text.matchAll(CREATE)].map(
    ({ groups }) => groups?.['quoted'] ?? groups?.['plain']?.toLowerCase() ?? '',
  )
}

/** The extensions of one database: PostgreSQL finds the files of the named extensions. */
export class Extensions {
  readonly #files: PgliteFiles
  readonly #loaded = new Set<string>()

  constructor(files: PgliteFiles) {
    this.#files = files
  }

  /**
   * Writes the files of extensions. Extensions that PGlite does not ship are left to PostgreSQL, which refuses them.
   */
  async load(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (!SHIPPED.includes(name) || this.#loaded.has(name)) continue
      this.#loaded.add(name)
      const { [name]: required } = REQUIRED
      if (required !== undefined) await this.load([required])
      const bundle = await loadContrib(MODULES[name] ?? name)
      for (const [path, data] of untar(gunzipSync(await readFile(bundle)))) {
        this.#files.mkdirTree(path.slice(0, path.lastIndexOf('/')))
        this.#files.writeFile(path, data)
      }
    }
  }
}

const UNAVAILABLE = /^extension "[^"]*" is not available$/

/** Adds the available extensions to the error of a missing extension. */
export function explainUnavailable(error: unknown): void {
  if (!(error instanceof Error) || !UNAVAILABLE.test(error.message)) return
  const hint = `The embedded PostgreSQL has: ${SHIPPED.join(', ')}. For another one, use a server: postgres({ url })`
  Object.assign(error, { hint })
}

const BLOCK = 512
const REGULAR = ['0', '\0']

/** Reads the files of a tar archive. */
function* untar(archive: Buffer): Generator<[path: string, data: Uint8Array]> {
  const text = (from: number, length: number) =>
    archive.toString('utf8', from, from + length).replace(/\0.*$/s, '')
  for (let at = 0; archive[at] !== undefined && archive[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8) || 0
    const start = at + BLOCK
    const kind = archive.toString('latin1', at + 156, at + 157)
    if (REGULAR.includes(kind))
      yield [`${ROOT}/${text(at, 100)}`, archive.subarray(start, start + size)]
    at = start + Math.ceil(size / BLOCK) * BLOCK
  }
}
