import { signTestToken } from 'blazon/jwt'
import { Env } from '../src/env.js'
import { AUDIENCE } from '../src/token-guard.js'

// Prints a token for trying out the service. It is valid for an hour.
const claims = { aud: AUDIENCE, sub: 'ada', permissions: ['notes:write'] }
console.log(signTestToken(claims, Env.read().TOKEN_SECRET))
