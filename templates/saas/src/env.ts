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
        .describe('The port of the application'),
      TOKEN_SECRET: secret(z.string().min(32))
        .default(DEVELOPMENT_SECRET)
        .describe('The secret that signs the tokens of clients. Required in production'),
      DATABASE_URL: secret(z.url())
        .optional()
        .describe('A PostgreSQL server, which several processes may share. Required in production'),
      DATABASE_FOLDER: z
        .string()
        .default('.data/postgres')
        .describe('Without a server: the folder of an embedded PostgreSQL, or memory'),
      REDIS_URL: secret(z.url())
        .optional()
        .describe(
          'A Redis server for counters, which several processes may share. Default: this process',
        ),
    })
    .refine(({ TOKEN_SECRET }) => TOKEN_SECRET !== DEVELOPMENT_SECRET || !isProduction(), {
      path: ['TOKEN_SECRET'],
      message: 'Set your own secret in production',
    })
    // Without a server, all data would be in a folder of this machine, perhaps in a container that is later replaced.
    .refine(({ DATABASE_URL }) => DATABASE_URL !== undefined || !isProduction(), {
      path: ['DATABASE_URL'],
      message: 'Set a PostgreSQL server in production',
    }),
)
