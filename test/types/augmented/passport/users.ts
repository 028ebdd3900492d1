// The user that an application declares for passport, with required fields.
import { type AuthenticatedRequest, Body, type Req, type Request, type User } from 'blazon'
import type { Request as ExpressRequest } from 'express'
import session from 'express-session'
import passport from 'passport'
import type { Equal, Expect } from '../../expect.js'

declare global {
  namespace Express {
    interface User {
      readonly id: number
      readonly email: string
    }
  }
}

declare module 'express-session' {
  interface SessionData {
    user: Express.User
  }
}

export type Users = [
  Expect<Equal<Request['user'], (User & Express.User) | undefined>>,
  Expect<Equal<Req<{ auth: true }>['user'], User & Express.User>>,
]

const Note = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
} as const

export const middlewares = [
  session({ secret: 's', resave: false, saveUninitialized: false }),
  passport.initialize(),
]

export function canActivate(req: Request): boolean {
  req.user = req.session.user
  req.user = { id: 1, email: 'a@example.com', roles: ['admin'] }
  // @ts-expect-error the application's users have an e-mail
  req.user = { id: 1 }
  return req.isAuthenticated() && req.user.roles?.includes('admin') === true
}

export class Notes {
  @Body(Note)
  create(req: Req<{ auth: true; body: typeof Note }>) {
    const id: number = req.user.id
    // @ts-expect-error an e-mail is a string
    const email: number = req.user.email
    return { id, email, roles: req.user.roles, team: req.user.team }
  }

  @Body(Note)
  express(req: ExpressRequest) {
    return req.user?.email.trim()
  }

  logOut(req: AuthenticatedRequest, next: () => void) {
    // @ts-expect-error the e-mail is a string
    req.user.email.toFixed()
    req.logOut(next)
  }
}

/** A request is still one of Express. */
export function asExpress(req: Req<{ auth: true }>): ExpressRequest {
  return req
}
