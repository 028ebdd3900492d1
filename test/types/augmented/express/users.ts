// The user that an application declares for Express itself. It lacks `| undefined`, as many such declarations do.
import { Body, type Req, type Request, type User } from 'blazon'
import type { Request as ExpressRequest } from 'express'
import type { Equal, Expect } from '../../expect.js'

interface Account {
  readonly id: number
  readonly address: { readonly city: string }
}

declare global {
  namespace Express {
    interface Request {
      user?: Account | string
      id: number
    }
  }
}

export type Users = [
  Expect<Equal<NonNullable<Request['user']>, (User & Account) | string>>,
  Expect<Equal<Req<{ auth: true }>['user'], (User & Account) | string>>,
  Expect<Equal<Request['id'], number>>,
]

const Note = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
} as const

export function canActivate(req: Request): boolean {
  req.user = 'a string, as the application has declared'
  req.user = { id: 1, address: { city: 'Ghent' } }
  // @ts-expect-error the application's users have an address
  req.user = { id: 1 }
  return true
}

export class Notes {
  @Body(Note)
  create(req: Req<{ auth: true; body: typeof Note }>) {
    return typeof req.user === 'string' ? req.user : [req.user.address.city, req.user.roles]
  }

  @Body(Note)
  express(req: ExpressRequest) {
    return req.user
  }
}

/** A request is still one of Express. */
export function asExpress(req: Req<{ auth: true }>): ExpressRequest {
  return req
}
