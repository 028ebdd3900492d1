import type { AuthGuard, Request, User } from 'blazon'

/** Demo users by token, and the shops they work for. A real guard looks up a session or verifies a signed token. */
const USERS = new Map<string, User>([
  ['clerk', { id: 'carla', shops: ['aurora'], permissions: ['customers:write', 'orders:write'] }],
  ['baker', { id: 'bruno', shops: ['borealis'], permissions: ['customers:write', 'orders:write'] }],
  ['auditor', { id: 'amir', shops: ['aurora', 'borealis'], permissions: [] }],
])

/** Lets a request with a known token in, and says whose it is. */
export class BearerGuard implements AuthGuard {
  async canActivate(req: Request) {
    const token = req.get('authorization')?.match(/^Bearer (\S+)$/)?.[1]
    req.user = USERS.get(token ?? '')
    return req.user !== undefined
  }
}
