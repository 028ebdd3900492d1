import type { Request } from '../../contracts/handler.js'
import type { PageLocation } from './docs-page.js'

/** Determines from a request how the page at `path` must write its links. */
export function locate(req: Request, path: string): PageLocation {
  const requested = req.originalUrl.replace(/[?#].*$/s, '')
  // At the root of a mounted application, only the request contains the name of the folder: it is the last segment of
  // the mount path.
  const name = encodeURIComponent(lastSegment(path)) || lastSegment(requested)
  const folder = requested.endsWith('/') ? './' : `./${name}/`
  const document = fromFolder(path)
  const page = `${req.protocol}://${hostOf(req)}${requested}`
  const url = URL.canParse(page) ? new URL(folder + document, page).href : document
  return { folder, url }
}

/**
 * Matches a host name or an IP address, with an optional port. Other text from clients or proxies must not
 * get into a command that people copy.
 */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const LONGEST_HOST = 262

/** Requests of HTTP/1.0 have no `Host` header. */
function hostOf({ host = '' }: Request): string {
  return host.length <= LONGEST_HOST && HOST.test(host) ? host : 'localhost'
}

/**
 * Returns the relative path from the folder of the files to the document, without extension. It is empty for
 * a page at the root.
 */
export function fromFolder(path: string): string {
  const name = encodeURIComponent(lastSegment(path))
  return name === '' ? '' : `../${name}`
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
