import { createHash } from 'node:crypto'
import { type AuthGuard, inject, type Request } from 'blazon'
import { Env } from './env.js'

/** Lets requests in that carry a token of the environment. Replace it by a guard that knows your users. */
export class TokenGuard implements AuthGuard {
  /** The tenant of each token. Digests are looked up, so the time of a lookup tells nothing about a token. */
  private readonly tenants = new Map(
    inject(Env)
      .API_TOKENS?.split(',')
      .map((pair) => pair.split(':') as [token: string, tenant: string])
      .map(([token, tenant]) => [digest(token), tenant]),
  )

  async canActivate(req: Request) {
    const token = req.get('authorization')?.match(/^Bearer (\S+)$/i)?.[1]
    const tenant = this.tenants.get(digest(token ?? ''))
    if (tenant === undefined) return false
    req.user = { id: `api of ${tenant}`, tenants: [tenant] }
    return true
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
