import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package. Stack frames in it are not user code. */
const OWN_FOLDER = fileURLToPath(new URL('..', import.meta.url))

/**
 * Returns the first line of user code in a stack trace, such as `src/products.ts:12:20`; `null` if no frame is user
 * code.
 */
export function userPlaceIn(stack: string): string | null {
  const [first = null] = userPlacesIn(stack)
  return first
}

/** Lists the lines of user code in a stack trace, innermost first. */
export function userPlacesIn(stack: string): string[] {
  const places: string[] = []
  for (const line of stack.split('\n').slice(1)) {
    const place = /\(?((?:file:\/\/)?\/?[^\s()]+:\d+:\d+)\)?$/.exec(line)?.[1]
    if (place === undefined || place.startsWith('node:')) continue
    const [file, position] = split(place)
    if (!isUsers(file)) continue
    places.push(`${relative(process.cwd(), file).split(sep).join('/')}${position}`)
  }
  return places
}

function split(place: string): [file: string, position: string] {
  const [, file = '', position = ''] = /^(.*?)(:\d+:\d+)$/.exec(place) ?? []
  return [file.startsWith('file:') ? fileURLToPath(file) : file, position]
}

function isUsers(file: string): boolean {
  return !file.startsWith(OWN_FOLDER) && !file.includes(`${sep}node_modules${sep}`)
}
