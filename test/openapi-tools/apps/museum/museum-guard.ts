import type { AuthGuard, Request, User } from 'blazon'

const USERS = new Map<string, User>([
  ['curator', { id: 'curator', roles: ['exhibits:write'] }],
  ['visitor', { id: 'visitor', roles: [] }],
])

/** Allows requests with a token of the list. */
export class MuseumGuard implements AuthGuard {
  async canActivate(req: Request): Promise<boolean> {
    const token = req.get('authorization')?.match(/^Bearer (\S+)$/)?.[1]
    req.user = USERS.get(token ?? '')
    return req.user !== undefined
  }
}
