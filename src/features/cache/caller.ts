import type { TLSSocket } from 'node:tls'
import type { Response } from '../../contracts/handler.js'
import type { BlazonRequest } from '../../http/request.js'
import { localsOf } from '../../http/send/response-class.js'

/**
 * For whom an answer is made: a text that is nobody else's, `null` for nobody in particular, `undefined` for somebody who cannot be
 * told from others.
 */
export type Caller = string | null | undefined

/** Fields of a user that say which one it is: all others follow from the first of them that there is. */
export const IDENTITIES: readonly string[] = [
  'id',
  'sub',
  '_id',
  'userId',
  'uid',
  'username',
  'email',
]

/** Within what an id is unique: a `sub` is so for its issuer alone (RFC 7519, 4.1.2), the id of a profile for its provider. */
const REALMS: readonly string[] = ['iss', 'provider']

/** Where middlewares of Express put a user, beside `req.user`. */
interface Elsewhere {
  readonly auth?: unknown
  readonly session?: { readonly user?: unknown } | null
}

/** Who it is that a request is answered for, as far as a middleware, the guard or the connection has said so. Never throws. */
export function callerOf(req: BlazonRequest, res: Response): Caller {
  try {
    if (isSomebody(req.user)) return identityOf('user', req.user)
    const { auth, session } = req as BlazonRequest & Elsewhere
    if (isSomebody(auth)) return identityOf('auth', auth)
    if (isSomebody(session?.user)) return identityOf('session', session.user)
    const user = localsOf(res)?.['user']
    if (isSomebody(user)) return identityOf('locals', user)
    return certificateOf(req.socket as Partial<TLSSocket> | null | undefined)
  } catch {
    // A getter, or an id that has no text: somebody it is.
    return undefined
  }
}

/** `false`, 0 and an empty text are users that somebody has set. */
function isSomebody(user: unknown): user is NonNullable<unknown> {
  return user !== undefined && user !== null
}

/** Nothing in it can be read in two ways, and nothing of it is made by a method of the user's. */
function identityOf(place: string, user: NonNullable<unknown>): string | undefined {
  if (typeof user !== 'object' && typeof user !== 'function') return join(place, textOf(user))
  const fields = user as Readonly<Record<string, unknown>>
  for (const name of IDENTITIES) {
    const id = fields[name]
    if (!isSomebody(id)) continue
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

/** Numbers are not the texts that they look like; an object would be `[object Object]` for everybody. */
function textOf(id: unknown): string | undefined {
  if (typeof id === 'string') return id === '' ? undefined : `s${encodeURIComponent(id)}`
  if (typeof id === 'bigint') return `b${id}`
  return Number.isFinite(id) ? `n${id}` : undefined
}

const byConnection = new WeakMap<object, string | null>()

/** A connection shows one certificate for as long as it lasts. */
function certificateOf(socket: Partial<TLSSocket> | null | undefined): string | null {
  // Neither is there on plain connections, nor on those of a test; a serverless platform may have no connection at all.
  if (socket?.encrypted !== true || socket.getPeerX509Certificate === undefined) return null
  const known = byConnection.get(socket)
  if (known !== undefined) return known
  const certificate = socket.getPeerX509Certificate()
  const caller = certificate === undefined ? null : `certificate=${certificate.fingerprint256}`
  byConnection.set(socket, caller)
  return caller
}

/**
 * Watches who a request is answered for while that is done: `user` may be set and taken back by what stands behind the cache.
 *
 * @returns Ends the watch, and says whether it was the same caller all the time.
 */
export function watchCaller(req: BlazonRequest, res: Response, caller: Caller): () => boolean {
  let isSame = true
  const undo = watchUser(req, () => {
    isSame &&= callerOf(req, res) === caller
  })
  return () => {
    undo()
    return isSame && callerOf(req, res) === caller
  }
}

function watchUser(req: BlazonRequest, onSet: () => void): () => void {
  const own = Object.getOwnPropertyDescriptor(req, 'user') ?? missing(req)
  if (own?.configurable !== true || !('value' in own)) return () => {}
  let user: unknown = own.value
  const get = () => user
  const set = (other: unknown) => {
    user = other
    onSet()
  }
  Object.defineProperty(req, 'user', { configurable: true, enumerable: true, get, set })
  return () => {
    // Unless somebody else has put something over it.
    if (Object.getOwnPropertyDescriptor(req, 'user')?.get !== get) return
    // As nobody was, so it is asked: `'user' in req`.
    if (own === MISSING && user === undefined) Reflect.deleteProperty(req, 'user')
    else Object.defineProperty(req, 'user', { ...own, value: user })
  }
}

/** A user that is set later. */
const MISSING: PropertyDescriptor = {
  value: undefined,
  writable: true,
  configurable: true,
  enumerable: true,
}

function missing(req: BlazonRequest): PropertyDescriptor | undefined {
  return 'user' in req ? undefined : MISSING
}
