import { env, secret } from 'blazon'
import { z } from 'zod'

/** Signs tokens in development and tests. The secret is public, so production refuses it. */
const DEVELOPMENT_SECRET = 'only for development: everybody knows this secret'

const isProduction = () => process.env['NODE_ENV'] === 'production'

/** The environment variables. In development, all of them are optional. */
export const Env = env(
  z
    .object({
      PORT: z.coerce
        .number()
        .int()
        .min(0)
        .max(65_535)
        .default(3000)
        .describe('The port of the service'),
      TOKEN_SECRET: secret(z.string().min(32))
        .default(DEVELOPMENT_SECRET)
        .describe('The secret that signs the tokens of clients. Required in production'),
    })
    .refine(({ TOKEN_SECRET }) => TOKEN_SECRET !== DEVELOPMENT_SECRET || !isProduction(), {
      path: ['TOKEN_SECRET'],
      message: 'Set your own secret in production',
    }),
)
