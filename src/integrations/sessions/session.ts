import { createHash, randomBytes } from 'node:crypto'
import type { User } from '../../index.js'

/** The user that `login` accepts: an `id`, which is a number or a text. */
export type SessionUser = WithId | User

/** A user without other fields. */
export interface WithId {
  /** The id of the user. */
  readonly id: string | number
}

/**
 * The session of a request. Nothing is stored, and no cookie is sent, until a method writes something. Each method that
 * writes is refused with 403 `CROSS_ORIGIN` in a `POST`, `PUT`, `PATCH` or `DELETE` that a page of another origin has
 * sent, and fails with a `TypeError` after the response has begun.
 *
 * @typeParam TInput The values that `set` takes: the input of the schema.
 * @typeParam TOutput The type of `data`: the output of the schema.
 */
export interface Session<TInput = unknown, TOutput = unknown> {
  /** The values, validated by the schema. Without a session, the validated `{}`. */
  readonly data: Readonly<TOutput>
  /**
   * The id of the session for `manager.revokeAll`; `undefined` if there is none. It is not the secret of the cookie.
   */
  readonly id: string | undefined
  /** Whether a user has logged in. The guard decides who: `req.user`, also with `@Auth({ optional: true })`. */
  readonly isLoggedIn: boolean
  /**
   * Begins a session of a user, with a new id; the old id is invalid at once. Call it after the password or another
   * proof was checked, and again after the rights of the user have changed. The values stay, unless they belong to
   * another user.
   *
   * In an application with tenants, the session is for the tenant that the code acts for: on a route with `@Tenant()`, or in
   * `runWithTenant`. Check before that the account belongs to it.
   *
   * @throws TypeError when the user has no `id`, or when the request names a tenant that the code does not act for;
   * HttpError 409 `SESSION_CONFLICT` when the user's session has ended in the meantime; 503 when the store cannot be
   * reached.
   * @example
   * const session = await web.of(req)
   * await session.login({ id: account.id, roles: account.roles })
   */
  login(user: SessionUser): Promise<void>
  /** Ends the session and deletes the cookie. Without a session, it has no effect. */
  logout(): Promise<void>
  /**
   * Changes some values; `undefined` removes one. Others stay, also if another request changes them now. Without a session,
   * it begins an anonymous one.
   *
   * @throws TypeError when a value does not fit the schema, or all values together are longer than 32 KiB; HttpError 409
   * `SESSION_CONFLICT` when another request has changed one of the same values since this request has read them, or has
   * ended the session.
   */
  set(values: Partial<TInput>): Promise<void>
  /**
   * Changes values that depend on the old ones. If another request changes them at the same time, `change` is called
   * again with the new ones.
   *
   * @throws the errors of `set`; 409 only after eight attempts.
   * @example
   * await session.update(({ visits }) => ({ visits: visits + 1 }))
   */
  update(
    change: (data: Readonly<TOutput>) => Partial<TInput> | Promise<Partial<TInput>>,
  ): Promise<void>
  /** Gives the session a new id; the old id becomes invalid at once. Without a session, it has no effect. */
  regenerate(): Promise<void>
}

/** 32 bytes as base64url. */
const FORM = /^[\w-]{43}$/

/** Creates the id of a session: 256 random bits. */
export function newSessionId(): string {
  return randomBytes(32).toString('base64url')
}

/** The digest of an id, which stores use as key of the session; `null` for a text that is not an id. */
export function digestOf(id: string): string | null {
  return FORM.test(id) ? createHash('sha256').update(id).digest('base64url') : null
}
