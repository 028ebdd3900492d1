import type { Req } from 'blazon'
import { jwt } from 'blazon/jwt'
import { z } from 'zod'
import { Env } from './env.js'

/** The audience of the tokens. */
export const AUDIENCE = 'orders'

/** Admits the clerks and auditors of a shop. The signed token contains the shop, so a request need not specify it. */
export const staff = jwt({
  keys: ({ get }) => get(Env).TOKEN_SECRET,
  audience: AUDIENCE,
  claims: z.object({ sub: z.string(), shop: z.string() }),
  tenant: 'shop',
})

/** `req.user`: a clerk or an auditor. */
export type Clerk = Req<{ auth: typeof staff }>['user']
