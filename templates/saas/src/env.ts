import { env, secret } from 'blazon'
import { z } from 'zod'

/** Signs tokens while you write and test. Everybody can read it here, so production refuses it. */
const DEVELOPMENT_SECRET = 'only for development: everybody knows this secret'

const isProduction = () => process.env['NODE_ENV'] === 'production'

/** The variables of the environment. All have defaults, so the application starts where none is set, but in production. */
export const Env = env(
  z
    .object({
      PORT: z.coerce
        .number()
        .int()
        .min(0)
        .max(65_535)
        .default(3000)
        .describe('Where the application listens'),
      TOKEN_SECRET: secret(z.string().min(32))
        .default(DEVELOPMENT_SECRET)
        .describe('The secret that signs the tokens of clients. Production needs it'),
      DATABASE_URL: secret(z.url())
        .optional()
        .describe('A PostgreSQL server, which several processes may share. Production needs it'),
      DATABASE_FOLDER: z
        .string()
        .default('.data/postgres')
        .describe('Without a server: the folder of a PostgreSQL in this process, or memory'),
      REDIS_URL: secret(z.url())
        .optional()
        .describe(
          'A Redis for what is counted, which several processes may share. Default: this process',
        ),
    })
    .refine(({ TOKEN_SECRET }) => TOKEN_SECRET !== DEVELOPMENT_SECRET || !isProduction(), {
      path: ['TOKEN_SECRET'],
      message: 'Production needs a secret of its own',
    })
    // Without a server, all data would be in a folder of this machine, perhaps of a container that is replaced.
    .refine(({ DATABASE_URL }) => DATABASE_URL !== undefined || !isProduction(), {
      path: ['DATABASE_URL'],
      message: 'Production needs a PostgreSQL server',
    }),
)
