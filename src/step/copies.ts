import { fileURLToPath } from 'node:url'
import type { Problem } from '../errors/config-error.js'

/**
 * The key of a process-wide list. Every copy of this package adds its folder to the list, so that the copies can find
 * each other.
 */
const COPIES = Symbol.for('blazon.copies')

/** The folders of the loaded copies. A test runner can load a module again, but its folder stays the same. */
const copies = copiesOf(globalThis)
copies.add(ownFolder())

function copiesOf(place: object): Set<string> {
  const shared = place as { [COPIES]?: Set<string> }
  shared[COPIES] ??= new Set()
  return shared[COPIES]
}

/** A bundler can remove the module URL, so the folder of a bundle is unknown. */
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
      cause: `It is loaded from ${copies.size} places: ${[...copies].join(' and ')}. Each copy recognizes only its own decorators, tokens and values.`,
      remedy:
        'Run `npm dedupe`. List blazon in the `peerDependencies` of packages that use it. In a bundle, include either all parts of blazon or no part.',
    },
  ]
}
