import { signTestToken } from 'blazon/jwt'
import { DEMO_SECRET } from './shared/env.js'
import { AUDIENCE } from './shared/staff.js'

const writes = ['customers:write', 'orders:write']

/** The claims in the tokens of the demo users. In production, an identity provider creates and signs the tokens. */
export const DEMO_USERS = {
  clerk: { sub: 'carla', shop: 'aurora', permissions: writes },
  baker: { sub: 'bruno', shop: 'borealis', permissions: writes },
  auditor: { sub: 'amir', shop: 'aurora', permissions: [] },
}

/** Returns a token that is valid for an hour. */
export function demoToken(user: keyof typeof DEMO_USERS, secret: string = DEMO_SECRET): string {
  return signTestToken({ aud: AUDIENCE, ...DEMO_USERS[user] }, secret)
}
