import { Link } from './link.js'
import type { RedisOptions } from './redis-options.js'

const links = new WeakMap<RedisOptions, Link>()

/** The connection of these very options: equal ones may be meant to be apart. */
export function linkOf(options: RedisOptions): Link {
  let link = links.get(options)
  if (link === undefined) {
    link = new Link(options)
    links.set(options, link)
  }
  return link
}
