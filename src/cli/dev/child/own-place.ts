import { fileURLToPath } from 'node:url'
import { findOwnLine, formatOwnLine } from '../../own-line.js'

/** The folder of this package. Under source maps, its frames name files in `src`. */
const PACKAGE = fileURLToPath(new URL('../../../../', import.meta.url))
const OWN_FOLDERS = [`${PACKAGE}dist`, `${PACKAGE}src`]

/** The first line of a stack that is the user's code, from the folder of the command; `null` if there is none. */
export function ownPlaceIn(stack: string): string | null {
  for (const frame of stack.split('\n').slice(1)) {
    const place = findOwnLine(frame)
    const isOfUser =
      place !== undefined && !OWN_FOLDERS.some((folder) => place.path.startsWith(folder))
    if (isOfUser) return formatOwnLine(place, process.cwd())
  }
  return null
}
