import { env, secret } from 'blazon'
import { z } from 'zod'

/** Signs the demo tokens. The secret is public, so production refuses it. */
export const DEMO_SECRET = 'the secret of the demo tokens, which everybody knows'

const isProduction = () => process.env['NODE_ENV'] === 'production'

const Variables = z.object({
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(3000)
    .describe('The port of the application'),
  TOKEN_SECRET: secret(z.string().min(32))
    .default(DEMO_SECRET)
    .describe('The secret that signs the tokens of users. Required in production'),
  DATABASE_URL: secret(z.url())
    .optional()
    .describe('A PostgreSQL server, which several processes may share'),
  DATABASE_FOLDER: z
    .string()
    .optional()
    .describe(
      'Without a server: the folder of an embedded PostgreSQL, or memory. Default: .data in this example',
    ),
  PAYMENTS_URL: z
    .url()
    .optional()
    .describe('The host that charges customers, such as https://payments.example. Default: none'),
  REDIS_URL: secret(z.url())
    .optional()
    .describe(
      'A Redis server for cached values and counters, which several processes may share. Default: this process',
    ),
})

/** The environment variables. All of them are optional, but production requires `TOKEN_SECRET`. */
export const Env = env(
  Variables.refine(({ TOKEN_SECRET }) => TOKEN_SECRET !== DEMO_SECRET || !isProduction(), {
    path: ['TOKEN_SECRET'],
    message: 'Set your own secret in production',
  }),
)
