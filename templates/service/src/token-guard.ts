import type { Req } from 'blazon'
import { jwt } from 'blazon/jwt'
import { Env } from './env.js'

/** Whom tokens are for. */
export const AUDIENCE = 'project-name'

/**
 * Lets requests with a signed token in. `req.user` has its claims, and `@Can` requires its permissions. If an identity provider
 * signs your tokens, give its URL as `issuer`, and no `keys`.
 */
export const tokenGuard = jwt({
  keys: ({ get }) => get(Env).TOKEN_SECRET,
  audience: AUDIENCE,
})

/** `req.user`: the claims of the token. */
export type Caller = Req<{ auth: typeof tokenGuard }>['user']
