import { fileURLToPath } from 'node:url'
import type { Problem } from '../errors/config-error.js'

/**
 * The key of a process-wide list. Every copy of this package adds its folder to the list, so that the copies can find
 * each other.
 */
const COPIES = Symbol.for('blazon.copies')

/** The folders of the loaded copies. If a module is loaded again, as in test runners, its folder is the same. */
const copies = copiesOf(globalThis)
copies.add(ownFolder())

function copiesOf(place: object): Set<string> {
  const shared = place as { [COPIES]?: Set<string> }
  shared[COPIES] ??= new Set()
  return shared[COPIES]
}

/** A bundler can remove the module URL. */
function ownFolder(): string {
  try {
    return fileURLToPath(import.meta.url.replace(/(?:dist\/chunks|src\/step)\/[^/]*$/, ''))
  } catch {
    return '(a bundle)'
  }
}

/**
 * Reports several copies of this package in the process. A copy does not recognize the decorators, tokens and values of
 * another copy: a file would be sent as `{}`, and a refusal as data.
 */
export function checkCopies(): Problem[] {
  if (copies.size < 2) return []
  return [
    {
      code: 'E_PACKAGE_TWICE',
      subject: 'blazon',
      cause: `It is loaded from ${copies.size} places: ${[...copies].join(' and ')}. Decorators, tokens and values of one copy are not recognized by another.`,
      remedy:
        'Run `npm dedupe`. Packages that use blazon need it in peerDependencies. A bundle must contain all parts of blazon or none.',
    },
  ]
}
