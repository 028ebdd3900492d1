import { signTestToken } from 'blazon/jwt'
import { Env } from '../src/env.js'
import { AUDIENCE } from '../src/token-guard.js'

// Prints a token of a tenant, for trying out the application. It is valid for an hour.
const [, , tenant = 'acme'] = process.argv
const claims = { aud: AUDIENCE, sub: 'ada', tenant, permissions: ['notes:write'] }
console.log(signTestToken(claims, Env.read().TOKEN_SECRET))
