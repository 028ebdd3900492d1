import type { Request } from '../../contracts/handler.js'
import type { PageLocation } from './docs-page.js'

/** Reads from a request for the page at `path` how its links must be written. */
export function locate(req: Request, path: string): PageLocation {
  const asked = req.originalUrl.replace(/[?#].*$/s, '')
  // At the root of a mounted application the name of the folder is the mount's, which only the request knows.
  const name = encodeURIComponent(lastSegment(path)) || lastSegment(asked)
  const folder = asked.endsWith('/') ? './' : `./${name}/`
  const document = fromFolder(path)
  const page = `${req.protocol}://${hostOf(req)}${asked}`
  const url = URL.canParse(page) ? new URL(folder + document, page).href : document
  return { folder, url }
}

/** A name or an address, and a port: whatever else clients or proxies put there has no place in a command that people copy. */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const LONGEST_HOST = 262

/** HTTP/1.0 names no host. */
function hostOf({ host = '' }: Request): string {
  return host.length <= LONGEST_HOST && HOST.test(host) ? host : 'localhost'
}

/** From the folder of the page's files to the document, without extension; of the root, it has no name. */
export function fromFolder(path: string): string {
  const name = encodeURIComponent(lastSegment(path))
  return name === '' ? '' : `../${name}`
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
