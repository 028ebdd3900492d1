import { Link } from './link.js'
import type { RedisOptions } from './redis-options.js'

const links = new WeakMap<RedisOptions, Link>()

/**
 * The connection of an options object. It is shared by identity: two equal objects may be separate on
 * purpose.
 */
export function linkOf(options: RedisOptions): Link {
  let link = links.get(options)
  if (link === undefined) {
    link = new Link(options)
    links.set(options, link)
  }
  return link
}
