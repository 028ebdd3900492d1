import { jwt } from 'blazon/jwt'
import { z } from 'zod'
import { Env } from './env.js'

/** The audience of the tokens. */
export const AUDIENCE = 'project-name'

/**
 * Admits requests with a signed token. `req.user` has its claims, `can` requires its permissions, and the request acts
 * for its tenant. If an identity provider signs your tokens, specify its URL as `issuer`, and omit `keys`.
 */
export const tokenGuard = jwt({
  keys: ({ get }) => get(Env).TOKEN_SECRET,
  audience: AUDIENCE,
  claims: z.object({ sub: z.string(), tenant: z.string() }),
  tenant: 'tenant',
})
