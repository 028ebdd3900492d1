/** Which servers a connection may be to, as libpq has it. */
export const SESSION_ATTRS = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const

/** A value of `target_session_attrs`. */
export type SessionAttrs = (typeof SESSION_ATTRS)[number]

/** The beginning of a URL, its hosts with their ports, and the rest. */
const PARTS = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** Returns a URL for each host of a URL: `postgres://one:5432,two:5432/database` has two. */
export function serverUrls(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? []
  return hosts.split(',').map((host) => before + host + after)
}

/** Returns the `target_session_attrs` of a URL. */
export function sessionAttrsOf(url: string): string {
  const parameters = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
  return parameters.get('target_session_attrs') ?? 'any'
}
