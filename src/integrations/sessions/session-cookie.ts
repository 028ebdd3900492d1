import type { Request, Response } from '../../index.js'
import type { SessionsSettings } from './sessions-options.js'

/** Hosts to which browsers connect without TLS: the machine itself, and the connections of a `TestApp`. */
const LOCAL = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[?::1\]?|in-process)$/i

/** The reason why a request has no usable cookie: the cookie is missing, or is sent several times. */
export type CookieState = 'none' | 'invalid'

/** The session cookie of one application. */
export class SessionCookie {
  readonly #name: string
  readonly #sameSite: 'lax' | 'strict'

  constructor({ cookieName, sameSite }: Pick<SessionsSettings, 'cookieName' | 'sameSite'>) {
    this.#name = cookieName
    this.#sameSite = sameSite
  }

  /** The name of the cookie on hosts where browsers accept the prefix. */
  get hostName(): string {
    return `__Host-${this.#name}`
  }

  /** Both cookie names, for `auth.credentials`. */
  get credentials(): readonly string[] {
    return [`cookie:${this.hostName}`, `cookie:${this.#name}`]
  }

  /**
   * Returns the name for a request. Only one of the two names is read; otherwise, a subdomain or an attacker on the
   * network could set the cookie without the prefix.
   */
  nameFor(req: Request): string {
    return isPlain(req) ? this.#name : this.hostName
  }

  /**
   * Returns the value of the cookie. Returns `'invalid'` if there are several cookies with this name, which browsers
   * never send to this host.
   */
  read(req: Request): { readonly value: string } | CookieState {
    const name = this.nameFor(req)
    const found: string[] = []
    for (const pair of (req.headers.cookie ?? '').split(';')) {
      const [key, value = ''] = split(pair)
      if (key === name) found.push(value)
    }
    const [value] = found
    if (value === undefined) return 'none'
    return found.length === 1 ? { value } : 'invalid'
  }

  /** Whether a request contains the cookie, valid or not, under one of its names. */
  isIn(req: Request): boolean {
    const names = [this.#name, this.hostName]
    return (req.headers.cookie ?? '').split(/[;,]/).some((pair) => names.includes(split(pair)[0]))
  }

  /** Sends a session ID. The browser keeps the cookie for the lifetime of the session. */
  set(res: Response, id: string, lifetimeMs: number): void {
    this.#send(res, id, Math.max(0, Math.ceil(lifetimeMs / 1000)))
  }

  /** Makes the browser delete the cookie. */
  clear(res: Response): void {
    this.#send(res, '', 0)
  }

  /** Returns the response's current `Set-Cookie` lines for this cookie, for {@link restore}. */
  linesIn(res: Response): readonly string[] {
    return this.#split(res).own
  }

  /** Replaces the response's `Set-Cookie` lines for this cookie. Cookies with other names are not changed. */
  restore(res: Response, own: readonly string[]): void {
    const lines = [...this.#split(res).others, ...own]
    if (lines.length > 0) res.setHeader('Set-Cookie', lines)
    else res.removeHeader('Set-Cookie')
  }

  #split(res: Response): { own: string[]; others: string[] } {
    const lines = [res.getHeader('set-cookie') ?? []].flat().map(String)
    const prefix = `${this.nameFor(res.req as Request)}=`
    const isOwn = (line: string) => line.startsWith(prefix)
    return { own: lines.filter(isOwn), others: lines.filter((line) => !isOwn(line)) }
  }

  #send(res: Response, value: string, seconds: number): void {
    const req = res.req as Request
    // If there are several lines, browsers use the last, but only one should be sent.
    this.restore(res, [])
    res.cookie(this.nameFor(req), value, {
      path: '/',
      httpOnly: true,
      secure: !isPlain(req),
      sameSite: this.#sameSite,
      maxAge: seconds * 1000,
    })
  }
}

/** Whether a browser would refuse a `Secure` cookie in the response. */
function isPlain(req: Request): boolean {
  // A proxy that sends its own address as `Host` must not disable the protection.
  if (process.env['NODE_ENV'] === 'production') return false
  return !req.secure && LOCAL.test(req.hostname ?? '')
}

function split(pair: string): [name: string, value?: string] {
  const at = pair.indexOf('=')
  return at === -1 ? [pair.trim()] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
}
