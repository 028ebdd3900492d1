import { DEMO_USERS, demoToken } from './demo-token.js'
import { Env } from './shared/env.js'

// `npm run token clerk` prints the token of a demo user.
const name = process.argv[2] ?? ''
if (Object.hasOwn(DEMO_USERS, name)) {
  console.log(demoToken(name as keyof typeof DEMO_USERS, Env.read().TOKEN_SECRET))
} else {
  console.error(`Specify one of the users: ${Object.keys(DEMO_USERS).join(', ')}.`)
  process.exitCode = 1
}
