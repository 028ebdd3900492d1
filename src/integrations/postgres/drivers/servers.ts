import type { Connection } from '../driver.js'

const STATE = `select pg_catalog.pg_is_in_recovery() as "isStandby",
  pg_catalog.current_setting('transaction_read_only') = 'on' as "isReadOnly"`

interface State {
  readonly isStandby: boolean
  readonly isReadOnly: boolean
}

const FITS: Readonly<Record<Exclude<SessionAttrs, 'any'>, (state: State) => boolean>> = {
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
}

/** The servers in a URL. New connections go to the last server that worked. */
export class Servers {
  readonly count: number
  readonly #urls: readonly string[]
  readonly #attrs: string
  #at = 0

  /** @param url A valid URL. */
  constructor(url: string) {
    this.#urls = serverUrls(url)
    this.#attrs = sessionAttrsOf(url)
    this.count = this.#urls.length
  }

  /** The URL for the next connection. */
  get url(): string {
    return this.#urls[this.#at] as string
  }

  /** Switches to the next server, unless another caller has already done so since `url` was read. */
  leave(url: string): void {
    if (url === this.url) this.#at = (this.#at + 1) % this.count
  }

  /** Rejects when a new connection reaches a server that the URL excludes. */
  async check(connection: Connection): Promise<void> {
    const fits = FITS[this.#attrs as keyof typeof FITS]
    if (fits === undefined) return
    const { rows } = await connection.query({ text: STATE })
    if (fits(rows[0] as unknown as State)) return
    throw new Error(`The server is not ${this.#attrs} (target_session_attrs).`)
  }
}

/** The kinds of servers that a connection can use, as in libpq. */
export const SESSION_ATTRS = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const

/** A value of `target_session_attrs`. */
type SessionAttrs = (typeof SESSION_ATTRS)[number]

/** The part of a URL before its hosts, the hosts with their ports, and the rest. */
const PARTS = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** Returns a URL for each host in a URL, such as the two hosts in `postgres://one:5432,two:5432/database`. */
export function serverUrls(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? []
  return hosts.split(',').map((host) => before + host + after)
}

/** Returns the `target_session_attrs` of a URL. */
export function sessionAttrsOf(url: string): string {
  const parameters = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
  return parameters.get('target_session_attrs') ?? 'any'
}
