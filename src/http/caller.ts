import type { TLSSocket } from 'node:tls'
import type { Request, Response } from '../contracts/handler.js'
import { schemeOf } from './request-state.js'

/**
 * The caller for whom a response is created: a string that is unique to the caller, `null` for an anonymous caller, or
 * `undefined` if the caller cannot be distinguished from others.
 */
export type Caller = string | null | undefined

/** The fields that identify a user. The first field with a value is used. */
export const IDENTITIES: readonly string[] = [
  'id',
  'sub',
  '_id',
  'userId',
  'uid',
  'username',
  'email',
]

/**
 * The fields that determine the scope in which an ID is unique. A `sub` is unique only within its issuer (RFC 7519,
 * 4.1.2), and a profile ID only within its provider.
 */
const REALMS: readonly string[] = ['iss', 'provider']

/** The fields, besides `req.user`, in which Express middlewares store a user. */
interface Elsewhere {
  readonly auth?: unknown
  readonly session?: { readonly user?: unknown } | null
}

/**
 * Returns the caller of a request, as determined by a middleware, the guard or the certificate of the connection. Never
 * throws.
 */
export function callerOf(req: Request, res: Response): Caller {
  try {
    if (isSet(req.user)) return identityOf(userPlace(req), req.user)
    const { auth, session } = req as Request & Elsewhere
    if (isSet(auth)) return identityOf('auth', auth)
    if (isSet(session?.user)) return identityOf('session', session.user)
    const user = res.locals?.['user']
    if (isSet(user)) return identityOf('locals', user)
    return certificateOf(req.socket as Partial<TLSSocket> | null | undefined)
  } catch {
    // A getter threw, or an ID cannot be converted to a string: there is a caller, but it cannot be identified.
    return undefined
  }
}

/** Returns a prefix with the guard's name, because users of two guards can have the same ID. */
function userPlace(req: Request): string {
  const scheme = schemeOf(req)
  return scheme === undefined ? 'user' : `${scheme}:user`
}

/** Whether a value is set. `false`, 0 and an empty string count as users, because application code set them. */
function isSet(user: unknown): user is NonNullable<unknown> {
  return user !== undefined && user !== null
}

/** Returns an unambiguous string for a user. It does not call methods of the user object, such as `toString`. */
function identityOf(place: string, user: NonNullable<unknown>): string | undefined {
  if (typeof user !== 'object' && typeof user !== 'function') return join(place, textOf(user))
  const fields = user as Readonly<Record<string, unknown>>
  for (const name of IDENTITIES) {
    const id = fields[name]
    if (!isSet(id)) continue
    const own = join(`${place}.${name}`, textOf(id))
    return own === undefined ? undefined : REALMS.reduce((all, realm) => all + within(realm), own)
  }
  return undefined

  function within(realm: string): string {
    const text = textOf(fields[realm])
    return text === undefined ? '' : `;${realm}=${text}`
  }
}

function join(name: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${name}=${text}`
}

/**
 * Returns a string for an ID. A number and a string with the same digits have different results. The result is
 * `undefined` for an object, because its string would be `[object Object]` for every user.
 */
function textOf(id: unknown): string | undefined {
  if (typeof id === 'string') return id === '' ? undefined : `s${encodeURIComponent(id)}`
  if (typeof id === 'bigint') return `b${id}`
  return Number.isFinite(id) ? `n${id}` : undefined
}

const byConnection = new WeakMap<object, string | null>()

/** The certificate of a connection does not change, so the result is cached for each connection. */
function certificateOf(socket: Partial<TLSSocket> | null | undefined): string | null {
  // Plain and simulated connections have neither property. On a serverless platform, the socket can be missing.
  if (socket?.encrypted !== true || socket.getPeerX509Certificate === undefined) return null
  const known = byConnection.get(socket)
  if (known !== undefined) return known
  const certificate = socket.getPeerX509Certificate()
  const caller = certificate === undefined ? null : `certificate=${certificate.fingerprint256}`
  byConnection.set(socket, caller)
  return caller
}
