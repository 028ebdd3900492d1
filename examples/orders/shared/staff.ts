import type { Req } from 'blazon'
import { jwt } from 'blazon/jwt'
import { z } from 'zod'
import { Env } from './env.js'

/** Whom the tokens of this application are for. */
export const AUDIENCE = 'orders'

/** Lets a clerk or an auditor of a shop in. The signed token says which shop it is, so a request need not name one. */
export const staff = jwt({
  keys: ({ get }) => get(Env).TOKEN_SECRET,
  audience: AUDIENCE,
  claims: z.object({ sub: z.string(), shop: z.string() }),
  tenant: 'shop',
})

/** A clerk or an auditor, behind the guard. */
export type Clerk = Req<{ auth: typeof staff }>['user']
