import { fileURLToPath } from 'node:url'
import type { Problem } from '../errors/config-error.js'

/** Every copy of this package in a process adds its folder here, so that each finds the others. */
const COPIES = Symbol.for('blazon.copies')

/** The folders of the copies that are loaded. A module that is loaded again, as test runners do, has the same folder. */
const copies = copiesOf(globalThis)
copies.add(ownFolder())

function copiesOf(place: object): Set<string> {
  const shared = place as { [COPIES]?: Set<string> }
  shared[COPIES] ??= new Set()
  return shared[COPIES]
}

/** A bundler may leave no address of the module. */
function ownFolder(): string {
  try {
    return fileURLToPath(import.meta.url.replace(/(?:dist\/chunks|src\/step)\/[^/]*$/, ''))
  } catch {
    return '(a bundle)'
  }
}

/**
 * Finds several copies of this package in the process. Decorators, tokens and values of one copy mean nothing to another: a
 * file would be sent as `{}`, and a refusal as data.
 */
export function checkCopies(): Problem[] {
  if (copies.size < 2) return []
  return [
    {
      code: 'E_PACKAGE_TWICE',
      subject: 'blazon',
      cause: `It is loaded from ${copies.size} places: ${[...copies].join(' and ')}. Decorators, tokens and values of one copy mean nothing to another.`,
      remedy:
        'Run `npm dedupe`. Packages that use blazon need it in peerDependencies. A bundle must contain all of blazon, or none of it.',
    },
  ]
}
