import { createHash, randomBytes } from 'node:crypto'
import type { User } from '../../index.js'

/** The user that `login` accepts: an object with an `id`, which is a number or a string. */
export type SessionUser = WithId | User

/** A user with only an ID. */
export interface WithId {
  /** The ID of the user. */
  readonly id: string | number
}

/**
 * The session of a request. Nothing is stored, and no cookie is sent, until a method writes data. If a page of a
 * different origin has sent a request that may change state, such as a `POST`, each method that writes throws a 403
 * `CROSS_ORIGIN` error. After the response has begun, such a method throws a `TypeError`.
 *
 * @typeParam TInput The values that `set` accepts: the input of the schema.
 * @typeParam TOutput The type of `data`: the output of the schema.
 */
export interface Session<TInput = unknown, TOutput = unknown> {
  /** The values, validated by the schema. If there is no session, the result of validating `{}`. */
  readonly data: Readonly<TOutput>
  /** The session ID for `manager.revokeAll`; `undefined` if there is no session. It is not the secret in the cookie. */
  readonly id: string | undefined
  /**
   * Whether a user has logged in. The user itself is in `req.user`, which the guard sets, including on routes with
   * `@Auth({ optional: true })`.
   */
  readonly isLoggedIn: boolean
  /**
   * Begins a session for a user, with a new ID. The old ID becomes invalid immediately. Call this method after checking
   * the password or other credentials, and again after the user's permissions have changed. The values are kept, unless
   * they belong to a different user.
   *
   * In an application with tenants, the session is for the tenant for which the code acts: on a route with `@Tenant()`,
   * or in `runWithTenant`. First check that the account belongs to this tenant.
   *
   * @throws TypeError if the user has no `id`, or if the request specifies a tenant for which the code does not act;
   * HttpError 409 `SESSION_CONFLICT` if the user's session has ended in the meantime; 503 if the store cannot be
   * reached.
   * @example
   * const session = await web.of(req)
   * await session.login({ id: account.id, roles: account.roles })
   */
  login(user: SessionUser): Promise<void>
  /** Ends the session and deletes the cookie. Has no effect if there is no session. */
  logout(): Promise<void>
  /**
   * Changes some values; `undefined` removes a value. Other values are kept, even if another request is changing them.
   * If there is no session, an anonymous session begins.
   *
   * @throws TypeError if a value does not match the schema, or all names and values together are longer than 32,768
   * characters; HttpError 409 `SESSION_CONFLICT` if another request has changed one of the same values since this
   * request read them, or has ended the session.
   */
  set(values: Partial<TInput>): Promise<void>
  /**
   * Changes values based on their old values. If another request changes them at the same time, `change` is called
   * again with the new values.
   *
   * @throws the errors of `set`; 409 for changes by other requests only after eight attempts.
   * @example
   * await session.update(({ visits }) => ({ visits: visits + 1 }))
   */
  update(
    change: (data: Readonly<TOutput>) => Partial<TInput> | Promise<Partial<TInput>>,
  ): Promise<void>
  /** Assigns a new ID to the session. The old ID becomes invalid immediately. Has no effect if there is no session. */
  regenerate(): Promise<void>
}

/** Matches 32 bytes as base64url. */
const FORM = /^[\w-]{43}$/

/** Creates a session ID: 256 random bits. */
export function newSessionId(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the digest of an ID, which stores use as the key of the session; `null` for a string that is not an ID. */
export function digestOf(id: string): string | null {
  return FORM.test(id) ? createHash('sha256').update(id).digest('base64url') : null
}
