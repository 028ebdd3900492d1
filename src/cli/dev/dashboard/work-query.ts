import type { WorkQuery } from '../protocol.js'

/** The paths of an action: the number of its list, its name, and the id of an item. */
const ACTION = /^\/data\/work\/(\d{1,3})\/(\w{1,40})\/([^/]{1,400})$/

/** The query about work that a request makes; `null` for other requests. Only `POST` changes anything. */
export function workQuery(method: string | undefined, path: string): WorkQuery | null {
  if (method === 'GET') return path === '/data/work' ? { do: 'list' } : null
  const [, part, action = '', item = ''] = ACTION.exec(path) ?? []
  if (method !== 'POST' || part === undefined) return null
  try {
    return { do: 'act', part: Number(part), action, item: decodeURIComponent(item) }
  } catch {
    return null
  }
}
