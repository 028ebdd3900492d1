// The user that an application declares for this package.
import { type AuthOptions, Body, type Req, type Request, type User } from 'blazon'
import { TestApp } from 'blazon/testing'

declare module 'blazon' {
  interface User {
    readonly id: number
    readonly team?: { readonly plan: 'free' | 'paid' }
  }
}

const Note = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
} as const

export class Notes {
  @Body(Note)
  create(req: Req<{ auth: true; body: typeof Note }>) {
    const id: number = req.user.id
    // @ts-expect-error an id is a number
    const text: string = req.user.id
    return { id, text, plan: req.user.team?.plan, roles: req.user.roles }
  }

  list(req: Request) {
    // @ts-expect-error there may be no user
    const id: number = req.user.id
    const checked: number | undefined = req.user?.id
    // @ts-expect-error there may be no team
    return [id, checked, req.user?.team.plan]
  }
}

export function canActivate(req: Request): boolean {
  req.user = { id: 1, email: 'fields without a declaration are allowed' }
  // @ts-expect-error a user has an id
  req.user = { roles: [] }
  return true
}

export const can: AuthOptions['can'] = (user) => user !== undefined && user.id > 0

export async function test(user: User) {
  const app = await TestApp.create({})
  app.as(user)
  // @ts-expect-error a user has an id
  app.as({ roles: ['admin'] })
}
