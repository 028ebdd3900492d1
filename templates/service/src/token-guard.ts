import type { Req } from 'blazon'
import { jwt } from 'blazon/jwt'
import { Env } from './env.js'

/** The audience of the tokens. */
export const AUDIENCE = 'project-name'

/**
 * Admits requests with a signed token. `req.user` has its claims, and `@Can` requires its permissions. If an identity
 * provider signs your tokens, specify its URL as `issuer`, and omit `keys`.
 */
export const tokenGuard = jwt({
  keys: ({ get }) => get(Env).TOKEN_SECRET,
  audience: AUDIENCE,
})

/** `req.user`: the claims of the token. */
export type Caller = Req<{ auth: typeof tokenGuard }>['user']
