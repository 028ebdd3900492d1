import type { Problem } from '../../errors/config-error.js'
import type { EnvReading } from './explain-issues.js'
import { MOUNTED } from './sources.js'

/**
 * The variables of each `env()` in a `.env` that production does not read, until an application boots. They belong to
 * the process, because `Env.read()` runs before the application exists.
 */
const unread = new Map<object, readonly string[]>()

/**
 * Notes the variables that are not set, and that the skipped `.env` would set.
 *
 * @param declaration Identifies the `env()`: its warning is given once, however often it is read before boot.
 */
export function noteUnread(declaration: object, { variables, found, skipped }: EnvReading): void {
  if (!isProduction()) return
  const names = skipped.filter((name) => {
    const variable = name.endsWith(MOUNTED) ? name.slice(0, -MOUNTED.length) : name
    const known = variables.has(name) ? name : variable
    // A variable that is set to the empty text is set on purpose.
    return variables.has(known) && found.get(known)?.from === null
  })
  if (names.length > 0) unread.set(declaration, names)
}

/** Returns the warnings about variables that were noted, and forgets them. Outside production there are none. */
export function takeUnread(): Problem[] {
  const warnings = [...unread.values()].map(warningOf)
  unread.clear()
  return isProduction() ? warnings : []
}

function isProduction(): boolean {
  return process.env['NODE_ENV'] === 'production'
}

function warningOf(names: readonly string[]): Problem {
  const [first] = names
  return {
    code: 'W_ENV_FILE_UNREAD',
    subject: '.env',
    cause: `It has ${names.join(', ')}, but is not read under NODE_ENV=production, and the environment does not set ${names.length === 1 ? 'this variable' : 'these variables'}.`,
    remedy: `Set ${names.length === 1 ? first : 'them'} in the environment, or start Node with --env-file=.env. If the file is not meant for production, do not deploy it.`,
  }
}
