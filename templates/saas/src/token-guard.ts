import { jwt } from 'blazon/jwt'
import { z } from 'zod'
import { Env } from './env.js'

/** Whom tokens are for. */
export const AUDIENCE = 'project-name'

/**
 * Lets requests with a signed token in. `req.user` has its claims, `can` requires its permissions, and the request acts for its
 * tenant. If an identity provider signs your tokens, give its URL as `issuer`, and no `keys`.
 */
export const tokenGuard = jwt({
  keys: ({ get }) => get(Env).TOKEN_SECRET,
  audience: AUDIENCE,
  claims: z.object({ sub: z.string(), tenant: z.string() }),
  tenant: 'tenant',
})
